"""Nothing gets a name before it is counted and verified, whatever kind of release it is."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import DataError, DiscreetWarning, VerificationError
from discreet.policy.run import Draft, publish_release
from discreet.randomize import CutAndPaste, RandomizedRelease
from discreet.release.ledger import Ledger
from discreet.release.release import Release
from discreet.synthesize import synthetic_release

TABLE = dc.Table.from_frame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})


def drawn(seed: int | None = None) -> Draft[Release]:
    release = synthetic_release(TABLE, epsilon=8, delta=1e-3, n_rows=20, seed=seed)
    return Draft(release=release)


def randomized() -> Draft[RandomizedRelease]:
    baskets = dc.Transactions.from_iterable([{1, 2}, {2, 3}] * 20)
    made = dc.randomize_transactions(baskets, operator=CutAndPaste(2, rho="1/3"))
    return Draft(
        release=made,
        report=lambda release, *, verification: f"{len(release.data)} {verification.passed}",
    )


def forbidden() -> Draft[Release]:
    pytest.fail("the work began")


def test_a_page_is_told_what_the_checker_says(tmp_path: Path) -> None:
    done = publish_release(randomized, tmp_path / "out")
    assert done.verification.passed
    assert done.entry is None
    assert (tmp_path / "out" / "report.html").read_text() == "40 True"


def test_an_experiment_is_put_there_only_where_that_is_meant(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="Nothing was published"):
        publish_release(lambda: drawn(seed=1), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    done = publish_release(lambda: drawn(seed=1), tmp_path / "out", experiments=True)
    assert not done.verification.passed
    assert (tmp_path / "out" / "certificate.json").exists()


def test_what_fails_for_another_reason_is_never_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Release.save

    def tampered(self: Release, folder: Path, **options: object) -> Path:
        path = save(self, folder, **options)  # type: ignore[arg-type]
        (path / "data.parquet").write_bytes(b"PAR1")
        return path

    monkeypatch.setattr(Release, "save", tampered)
    with (
        pytest.warns(DiscreetWarning, match="did not come to be published"),
        pytest.raises(VerificationError, match="Nothing was published"),
    ):
        publish_release(
            lambda: drawn(seed=1), tmp_path / "out", experiments=True, ledger=tmp_path / "book"
        )
    assert not (tmp_path / "out").exists()
    assert len(Ledger.open(tmp_path / "book").entries("data")) == 1


def test_a_ledger_that_cannot_be_used_stops_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="of the ledger does not exist"):
        publish_release(forbidden, tmp_path / "out", ledger=tmp_path / "none" / "book")
    (tmp_path / "book").write_text("not a database" * 100)
    with pytest.raises(DataError, match="ledger"):
        publish_release(forbidden, tmp_path / "out", ledger=tmp_path / "book")
    assert not (tmp_path / "out").exists()
