"""Releases whose null cells were filled: what stays true, what is not checkable, what is caught."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.release.event import Event
from discreet.release.release import Release
from discreet.verify import Verification, verify_release
from tests.examples import examples
from tests.verify.folders import (
    K_MII,
    check,
    columns_of,
    edit,
    exact,
    failed,
    k_anonymous,
    replace_data,
    sampled,
    support_floor,
)

Rows = dict[str, list[object]]

# The last four rows were (z, *) each, and are not in classes of three now.
FILLED: Rows = {"a": [*"xxxyyyzzzz"], "b": [*"pppqqqpqpq"]}
STEP: dict[str, Any] = {
    "name": "impute",
    "parameters": {"source": "the release alone", "max_context": 4},
    "counts": {"n_cells_imputed": 4},
}


def imputed(folder: Path, rows: Rows = FILLED, *, scheme: str = "public") -> Path:
    made = sampled(folder, rows=rows, scheme=scheme)
    return edit(made, lambda values: values["events"].append(STEP))


def opened(found: Verification) -> list[str]:
    return [each.name for each in found.not_checkable]


@pytest.mark.parametrize("scheme", ["public", "dp", "split"])
def test_imputing_costs_nothing_and_hides_the_classes(tmp_path: Path, scheme: str) -> None:
    found = verify_release(imputed(tmp_path, scheme=scheme))
    assert found.answer != "refuted"
    assert {"classes", "row order"} <= set(opened(found))
    assert "counts" not in opened(found)
    assert "that imputed cells were computed from the base release" in found.sentence
    assert "then imputed from the release alone" in check(found, "steps").detail
    assert check(found, "delta of sampling").passed
    assert check(found, "total").passed
    assert "4 cells were filled" in check(found, "imputed cells").detail
    assert "rest on the stated steps" in check(found, "classes").detail


def test_the_same_rows_without_that_step_are_not_in_classes(tmp_path: Path) -> None:
    assert failed(verify_release(sampled(tmp_path, rows=FILLED))) == ["classes", "row order"]


@pytest.mark.parametrize("scheme", ["public", "dp"])
def test_a_release_of_the_mechanism(tmp_path: Path, scheme: Any) -> None:  # noqa: ANN401
    people = dc.datasets.census(4000, seed=3).select(["sex", "education", "marital_status"])
    more: dict[str, Any] = {"public": people} if scheme == "public" else {"domains": people}
    release = dc.dp_mii_suppress(people, epsilon=1, delta=1e-6, scheme=scheme, seed=1, **more)
    filled = dc.suppress.impute(release)
    assert filled.n_imputed > 0
    assert filled.release is not None
    for each, name in ((release, "before"), (filled.release, "filled")):
        found = verify_release(each.save(tmp_path / name), original=people)
        assert failed(found) == ["publication"]  # it has a seed, and holds for all that
        assert ": consistent: the " in found.sentence
    assert check(found, "values of original").passed
    assert check(found, "rows of original").passed is None


@examples(25)
@given(
    classes=st.dictionaries(
        st.tuples(*[st.sampled_from(["p", "q", "r", None])] * 3), st.integers(3, 5), max_size=6
    ),
    seed=st.integers(0, 9),
)
def test_whatever_is_imputed_from_classes_passes(
    classes: dict[tuple[object, ...], int], seed: int
) -> None:
    records = [row for row, size in classes.items() for _ in range(size)]
    with tempfile.TemporaryDirectory() as folder:
        before = Release.load(sampled(Path(folder), rows=columns_of(records, 3)))
        after = dc.suppress.impute(before, rng=seed).release
        assert after is not None
        found = verify_release(after.save(Path(folder) / "filled"))
    assert found.answer != "refuted"


# Tampering


def at(place: int) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        values["events"].insert(place, values["events"].pop())

    return change


@pytest.mark.parametrize("place", range(4))
def test_imputing_before_the_rows_are_published(tmp_path: Path, place: int) -> None:
    found = verify_release(edit(imputed(tmp_path), at(place)))
    assert failed(found) == ["steps", "row order"]
    assert "costs nothing after them only" in check(found, "steps").detail


@pytest.mark.parametrize("place", [4, 5])
def test_a_step_that_is_not_known(tmp_path: Path, place: int) -> None:
    polish = {"name": "polish", "parameters": {}, "counts": {}}
    folder = edit(imputed(tmp_path), lambda values: values["events"].insert(place, polish))
    found = verify_release(folder)
    assert found.answer == "refuted"
    assert failed(found) == ["steps stated"]
    assert "does not know what the step 'polish' does" in check(found, "steps").detail


def step(**changes: object) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        values["events"][-1] |= changes

    return change


def parameter(event: int, **changes: object) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        values["events"][event]["parameters"] |= changes

    return change


@pytest.mark.parametrize(
    ("change", "caught"),
    [
        (parameter(-1, source="the original"), ["steps"]),
        (step(parameters={"max_context": 4}), ["steps"]),
        (step(counts={}), ["imputed cells"]),
        (step(counts={"n_cells_imputed": 3}), ["imputed cells"]),
        (step(counts={"n_cells_imputed": 21}), ["imputed cells"]),
        (parameter(-2, k=4), ["imputed cells"]),
        (parameter(-2, k=None), ["imputed cells", "delta of sampling"]),
        (parameter(-2, delta=exact("0.000999")), ["delta of sampling"]),
        (parameter(-2, epsilon=exact("1.1")), ["total"]),
        (parameter(-3, beta=exact("0.25")), ["delta of sampling"]),
    ],
)
def test_a_figure_changed(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], caught: list[str]
) -> None:
    assert failed(verify_release(edit(imputed(tmp_path), change))) == caught


def test_an_option_of_imputing_that_is_not_known(tmp_path: Path) -> None:
    found = verify_release(edit(imputed(tmp_path), parameter(-1, donors="neighbours")))
    assert found.answer == "refuted"
    assert failed(found) == ["steps stated"]
    assert "'donors'" in check(found, "steps").detail


def test_the_original_called_imputed(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pl.DataFrame({**FILLED, "b": [*"pppqqqpqps"]}).write_parquet(buffer)
    found = verify_release(replace_data(imputed(tmp_path), buffer.getvalue()))
    assert failed(found) == ["imputed cells"]
    assert "'b' has a value in fewer than 3 rows" in check(found, "imputed cells").detail


def test_values_that_the_original_lacks(tmp_path: Path) -> None:
    original = {"a": [*"xyz"] * 9, "b": ["p"] * 27}
    found = verify_release(imputed(tmp_path), original=original)
    assert failed(found) == ["values of original"]
    few = {name: values[:9] for name, values in FILLED.items()}
    (tmp_path / "few").mkdir()
    found = verify_release(imputed(tmp_path / "few"), original=few)
    assert failed(found) == ["rows sampled", "rows of original"]


# Claims about equal rows


def test_k_anonymity_is_that_of_the_filled_rows(tmp_path: Path) -> None:
    step = Event(name="impute", parameters={"source": "the release alone", "max_context": 4})
    events = (*K_MII, step)
    differ: Rows = {"age": [30, 30, 40, 40, 30], "sex": [*"ffmmm"]}
    found = verify_release(k_anonymous(tmp_path, differ, events=events))
    assert failed(found) == ["k-anonymity"]
    assert "the claim was for the release before" in check(found, "k-anonymity").detail
    alike: Rows = {"age": [30, 30, 40, 40, 40], "sex": [*"ffmmm"]}
    (tmp_path / "alike").mkdir()
    assert verify_release(k_anonymous(tmp_path / "alike", alike, events=events)).answer != "refuted"


def test_imputing_a_k_anonymous_release_leaves_no_claim(tmp_path: Path) -> None:
    people = dc.datasets.census(1500, seed=2).select(["sex", "education", "marital_status"])
    release = dc.k_mii(people, k=5)
    filled = dc.suppress.impute(release, rng=np.random.default_rng(1))
    assert filled.n_imputed > 0
    assert filled.release is None
    # Claimed in spite of that, it is refuted.
    claimed = release.after(Event(name="impute"), data=filled.data)
    assert failed(verify_release(claimed.save(tmp_path / "out"))) == ["k-anonymity"]


def test_a_support_floor_is_that_of_the_filled_rows(tmp_path: Path) -> None:
    original: Rows = {"a": [*"xxxyy"], "b": [*"pppqq"]}
    folder = support_floor(tmp_path, {"a": [*"xxyy"], "b": [*"ppqp"]}, theta=1)
    edit(folder, lambda values: values["events"].append({**STEP, "counts": {}}))
    found = verify_release(folder, original=original)
    assert "support floor" in failed(found)
    assert "the claim was for the release before" in check(found, "support floor").detail
    assert opened(verify_release(folder))[0] == "support floor"
