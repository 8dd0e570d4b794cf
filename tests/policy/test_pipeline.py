"""Nothing gets a name before it is counted and verified, whatever kind of release it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.errors import DataError, DiscreetWarning, VerificationError
from discreet.policy import STAGES, Job, publish, run_policy
from discreet.policy.pipeline import Stage
from discreet.randomize import CutAndPaste
from discreet.release.ledger import Ledger
from discreet.release.release import Release
from discreet.synthesize import synthetic_release
from tests.policy.people import POLICY, write_people, write_policy

TABLE = dc.Table.from_frame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25})
BASKETS = dc.Transactions.from_iterable([{1, 2}, {2, 3}] * 20)


def drawn(seed: int | None = None) -> Job:
    return Job(
        read=lambda: TABLE,
        protect=lambda table, _: synthetic_release(
            table, epsilon=8, delta=1e-3, n_rows=20, seed=seed
        ),
    )


def randomized() -> Job:
    def page(release: Any, data: object, **checked: Any) -> str:  # noqa: ANN401
        assert data is BASKETS
        return f"{len(release.data)} {checked['verification'].answer}"

    return Job(
        read=lambda: BASKETS,
        protect=lambda data, _: dc.randomize_transactions(data, operator=CutAndPaste(2, rho="1/3")),
        page=page,
    )


def forbidden() -> Job:
    return Job(
        read=lambda: pytest.fail("the work began"), protect=lambda *_: pytest.fail("it went on")
    )


def test_a_page_is_given_what_the_checker_says(tmp_path: Path) -> None:
    done = publish(randomized(), tmp_path / "out")
    assert done.verification.answer != "refuted"
    assert done.entry is None
    assert (tmp_path / "out" / "report.html").read_text() == "40 consistent"


def test_an_experiment_is_put_there_only_where_that_is_meant(tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="Nothing was published"):
        publish(drawn(seed=1), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []
    done = publish(drawn(seed=1), tmp_path / "out", experiments=True)
    assert (done.verification.answer, done.verification.experimental) == ("consistent", True)
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
        publish(drawn(seed=1), tmp_path / "out", experiments=True, ledger=tmp_path / "book")
    assert not (tmp_path / "out").exists()
    assert len(Ledger.open(tmp_path / "book").entries("data")) == 1


def test_a_ledger_that_cannot_be_used_stops_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="of the ledger does not exist"):
        publish(forbidden(), tmp_path / "out", ledger=tmp_path / "none" / "book")
    (tmp_path / "book").write_text("not a database" * 100)
    with pytest.raises(DataError, match="ledger"):
        publish(forbidden(), tmp_path / "out", ledger=tmp_path / "book")
    assert not (tmp_path / "out").exists()


def test_every_stage_is_reported_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    write_people(tmp_path)
    heard: list[tuple[Stage, float]] = []
    run_policy(
        write_policy(tmp_path, POLICY), tmp_path / "out", on_stage=lambda *now: heard.append(now)
    )
    assert list(dict.fromkeys(stage for stage, _ in heard)) == list(STAGES)
    for stage in STAGES:
        shares = [share for name, share in heard if name == stage]
        assert (shares[0], shares[-1]) == (0, 1)


def test_progress_hears_the_share_of_the_whole(tmp_path: Path) -> None:
    write_people(tmp_path)
    shares: list[float] = []
    run_policy(write_policy(tmp_path, POLICY), tmp_path / "out", progress=shares.append)
    assert (shares[0], shares[-1]) == (0, 1)
    assert sum(STAGES.values()) == pytest.approx(1)


@pytest.mark.parametrize("at", [0.0, 1.0])
@pytest.mark.parametrize("stage", STAGES)
def test_whoever_stops_it_at_any_stage_finds_nothing_published(
    tmp_path: Path, stage: Stage, at: float
) -> None:
    def stop(now: Stage, share: float, /) -> None:
        if (now, share) == (stage, at):
            raise KeyboardInterrupt

    write_people(tmp_path)
    path = write_policy(tmp_path, POLICY)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyboardInterrupt):
        run_policy(path, tmp_path / "out", on_stage=stop, internal_report=tmp_path / "page.html")
    assert sorted(tmp_path.iterdir()) == before
