"""A release beside the original it was made from."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.release.event import Event
from discreet.verify import verify_release
from tests.examples import examples
from tests.strategies import Record, tables
from tests.verify.folders import (
    K_MII,
    check,
    columns_of,
    failed,
    k_anonymous,
    support_floor,
)


@examples(60)
@given(
    records=tables(max_columns=4, max_records=8).filter(bool),
    theta=st.integers(0, 3),
    data=st.data(),
)
def test_support_floor_is_that_of_brute_force(
    records: list[Record], theta: int, data: st.DataObject
) -> None:
    width = len(records[0])
    hidden = st.lists(st.booleans(), min_size=width, max_size=width)
    released = [
        tuple(None if hide else cell for cell, hide in zip(record, data.draw(hidden), strict=True))
        for record in records
    ]
    supports = [
        sum(all(a in (None, b) for a, b in zip(row, other, strict=True)) for other in records)
        for row in released
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = support_floor(Path(name), columns_of([*released], width), theta=theta)
        original = dc.Table.from_frame(columns_of([*records], width))
        found = verify_release(folder, original=original)
        alone = verify_release(folder)
    assert (found.answer == "verified") == (min(supports) > theta)
    assert check(found, "values of original").passed
    assert check(found, "rows of original").passed
    assert alone.answer == "consistent"
    assert not alone.failed
    assert "that the original has as many rows as claimed" in alone.sentence


def test_invented_values_and_rows(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    ages: list[object] = [30, 30, 30, 40, 40, 40, 40, 50, 60, 70]
    sexes: list[object] = [*"fffmmmmmmm"]
    assert (
        verify_release(folder, original={"sex": sexes, "age": ages, "more": ages}).answer
        != "refuted"
    )

    found = verify_release(folder, original={"age": ages, "sex": ["f"] * 10})
    assert failed(found) == ["values of original", "rows of original"]
    assert "'sex' shows 'm' (row 4" in check(found, "values of original").detail

    found = verify_release(folder, original={"age": ages, "sex": [*"mmmfffmmmm"]})
    assert failed(found) == ["rows of original"]
    assert "7 released rows show combinations" in check(found, "rows of original").detail

    found = verify_release(folder, original={"age": ages[:8], "sex": sexes[:8]})
    assert failed(found) == ["rows of original"]
    assert "the original has 8" in check(found, "rows of original").detail

    found = verify_release(folder, original={"age": ages})
    assert failed(found) == ["values of original"]
    assert "'sex' is released, and the original does not" in check(found, failed(found)[0]).detail


def test_columns_binned_since_are_said_to_be_left_out(tmp_path: Path) -> None:
    rows: dict[str, list[object]] = {"age": [*["< 20"] * 2, *[">= 20"] * 2], "sex": ["f"] * 4}
    original: dict[str, list[object]] = {"age": [10, 11, 30, 40], "sex": ["f"] * 4}
    folder = k_anonymous(tmp_path, rows)
    found = verify_release(folder, original=original)
    assert found.answer != "refuted"
    assert check(found, "values of original").passed is None
    assert "Was it binned?" in check(found, "values of original").detail
    assert check(found, "rows of original").detail.endswith(", in sex.")
    binned = dc.Table.from_frame(original, bins={"age": [20]})
    assert not verify_release(folder, original=binned).failed


def test_numbers_written_as_text_are_the_same_values(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path, {"zip": ["1", "1", "2", "2"]}, format="csv")
    found = verify_release(folder, original={"zip": [1, 1, 2, 2]})
    assert check(found, "values of original").passed


@pytest.mark.parametrize("events", [(), (*K_MII, Event(name="impute"))])
def test_more_than_suppression_is_not_compared(tmp_path: Path, events: tuple[Event, ...]) -> None:
    folder = k_anonymous(tmp_path, events=events)
    found = verify_release(folder, original={"age": [1], "sex": ["f"]})
    assert check(found, "values of original").passed is None
