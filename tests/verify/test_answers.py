"""Three answers, and what each rests on."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError
from discreet.release.release import Release
from discreet.verify import Verification, classes, original, sampling, verifier, verify_release
from tests.conftest import Outcome
from tests.verify.folders import (
    check,
    columns_of,
    edit,
    failed,
    k_anonymous,
    replace_data,
    sampled,
    spoken,
    support_floor,
)

FLOOR: dict[str, list[object]] = {"a": ["x", "x", "y", "y"], "b": ["p", "p", "q", "q"]}


# The answers


def test_what_was_recomputed_is_verified(tmp_path: Path) -> None:
    found = verify_release(k_anonymous(tmp_path))
    assert (found.answer, found.unseen) == ("verified", ())


@pytest.mark.parametrize(
    ("scheme", "unseen"), [("public", "the scheme is public"), ("dp", "noise"), ("split", "split")]
)
def test_sampling_is_consistent_at_most(tmp_path: Path, scheme: str, unseen: str) -> None:
    found = verify_release(sampled(tmp_path, scheme=scheme))
    assert found.answer == "consistent"
    assert unseen in found.unseen[0]
    assert found.sentence.startswith("Consistent: the 7 released rows and the steps stated agree")
    assert f"what cannot be seen here is {found.unseen[0]}" in found.sentence


def test_a_claim_about_the_original_is_consistent_without_it(tmp_path: Path) -> None:
    folder = support_floor(tmp_path, FLOOR, theta=1)
    assert verify_release(folder).answer == "consistent"
    assert verify_release(folder, original=FLOOR).answer == "verified"
    less = {name: values[1:] for name, values in FLOOR.items()}
    assert verify_release(folder, original=less).answer == "refuted"


@pytest.mark.parametrize("given", [None, FLOOR])
def test_an_unknown_model_is_refuted(tmp_path: Path, given: object) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["model"] = "perfect privacy"

    found = verify_release(edit(k_anonymous(tmp_path), change), original=given)
    assert found.answer == "refuted"
    assert "Refuted: perfect privacy with k = 2" in found.sentence


def test_an_experiment_is_answered_and_not_for_publication(tmp_path: Path) -> None:
    found = verify_release(k_anonymous(tmp_path, seeded=True))
    assert (found.answer, found.experimental) == ("verified", True)
    assert found.sentence.startswith("Experimental, not for publication: verified: k-anonymity")


def test_the_command_line(tmp_path: Path, discreet: Callable[..., Outcome]) -> None:
    codes = {}
    for name in ("sampled", "seeded", "refuted"):
        (tmp_path / name).mkdir()
    for name, folder in {
        "verified": k_anonymous(tmp_path),
        "consistent": sampled(tmp_path / "sampled"),
        "seeded": k_anonymous(tmp_path / "seeded", seeded=True),
        "refuted": k_anonymous(tmp_path / "refuted", k=5),
    }.items():
        least = [discreet("verify", folder, *more).code for more in ((), ("--require", "verified"))]
        codes[name] = tuple(least)
    assert codes == {"verified": (0, 0), "consistent": (0, 1), "seeded": (1, 1), "refuted": (1, 1)}
    said = discreet("verify", tmp_path / "release", "--json")
    assert '"answer": "verified"' in said.out


# Imputed releases and their base release

BEFORE = columns_of([*[("x", "p")] * 3, *[("y", "q")] * 3, *[("y", None)] * 4], 2)


def imputed(folder: Path) -> tuple[Path, Path]:
    (folder / "before").mkdir()
    before = sampled(folder / "before", rows=BEFORE)
    made = dc.suppress.impute(Release.load(before), rng=1).release
    assert made is not None
    return before, made.save(folder / "filled")


def changed(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    content = io.BytesIO()
    change(pl.read_parquet(folder / "data.parquet")).write_parquet(content)
    return replace_data(folder, content.getvalue())


def test_an_imputed_release_needs_its_base_release(tmp_path: Path) -> None:
    before, filled = imputed(tmp_path)
    alone = verify_release(filled)
    assert alone.answer == "consistent"
    assert original.UNSEEN in alone.unseen
    both = verify_release(filled, base=before)
    assert both.answer == "consistent"
    assert original.UNSEEN not in both.unseen
    assert check(both, "base release").passed


def first_cell(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.Series("c0", ["y", *rows["c0"][1:]]))


def emptied(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.Series("c1", [None, *rows["c1"][1:]]))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (first_cell, "differs from the base release in row 1"),
        (emptied, "differs from the base release in row 1"),
        (lambda rows: rows.head(9), "other rows"),
        (lambda rows: rows.with_columns(c1=pl.Series([*rows["c1"][:-1], "z"])), "does not show"),
        (lambda rows: rows.with_columns(c1=pl.Series([*rows["c1"][:-1], None])), "are stated"),
    ],
)
def test_what_was_not_imputed_is_refuted(
    tmp_path: Path, change: Callable[[pl.DataFrame], pl.DataFrame], words: str
) -> None:
    before, filled = imputed(tmp_path)
    found = verify_release(changed(filled, change), base=before)
    assert found.answer == "refuted"
    assert words in check(found, "base release").detail


def test_another_base_release(tmp_path: Path) -> None:
    before, filled = imputed(tmp_path)
    for name in ("other", "k"):
        (tmp_path / name).mkdir()
    other = sampled(tmp_path / "other", rows=BEFORE, k=2, delta=Fraction(1, 2))
    assert "base release" in failed(verify_release(filled, base=other))
    # A base release that is refuted itself is none to rest on.
    broken = edit(before, lambda values: values["guarantee"].update(unit="nobody"))
    found = verify_release(filled, base=broken)
    assert "The base release itself: Refuted" in check(found, "base release").detail
    assert "no imputing" not in found.sentence
    with pytest.raises(DataError, match="no release"):
        verify_release(filled, base=tmp_path / "before")
    # Nothing was imputed: a base release is then none of it.
    assert "base release" in failed(verify_release(k_anonymous(tmp_path / "k"), base=other))


# What breaks down in a checker does not pass, and is no traceback.

BREAK = [
    (verifier, "check_contents", "data"),
    (verifier, "check_nodes", "hierarchies"),
    (verifier, "check_identifying", "roles"),
    (verifier, "check_row_order", "row order"),
    (verifier, "check_numbers", "numbers of classes"),
    (verifier, "check_original", "original"),
    (verifier, "check_households", "households"),
    (verifier, "check_weakness", "size of delta"),
    (verifier, "check_columns_without_rules", "columns without rules"),
    (verifier, "check_base", "base release"),
    (classes, "class_sizes", "claim"),
    (sampling, "sampling_delta", "claim"),
]


@pytest.mark.parametrize("broken", BREAK, ids=lambda broken: broken[1])
@pytest.mark.parametrize("error", [ZeroDivisionError, OverflowError, RecursionError, KeyError])
def test_a_checker_that_breaks_down(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    broken: tuple[object, str, str],
    error: type[Exception],
) -> None:
    module, function, name = broken

    def breaks(*_: object, **__: object) -> None:
        raise error("here")

    monkeypatch.setattr(module, function, breaks)
    folder = sampled(tmp_path) if module is sampling else k_anonymous(tmp_path)
    found = verify_release(folder, original=columns_of([("f", 1)] * 9, 2))
    assert found.answer == "refuted"
    assert error.__name__ in check(found, name).detail


class Stopped(Exception):  # noqa: N818
    pass


def test_who_hears_of_the_progress_can_stop_the_work(tmp_path: Path) -> None:
    def stop(_share: float) -> None:
        raise Stopped

    folder = support_floor(tmp_path, FLOOR, theta=1)
    with pytest.raises(Stopped):
        verify_release(folder, original=FLOOR, progress=stop)
    heard: list[float] = []
    found: Verification = verify_release(folder, original=FLOOR, progress=heard.append)
    assert heard
    assert found.answer == "verified"


@pytest.mark.parametrize("unit", verifier.SEVERAL)
def test_people_who_may_have_several_rows_cannot_be_counted_in_the_files(
    tmp_path: Path, unit: str
) -> None:
    folder = edit(k_anonymous(tmp_path), lambda values: values["guarantee"].update(unit=unit))
    found = verify_release(spoken(folder))
    assert found.answer == "consistent"
    assert "that people were counted, and not rows" in found.sentence
