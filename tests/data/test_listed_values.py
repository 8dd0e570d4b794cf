"""Columns coded by the list of their values, which alone decides what can be released."""

from __future__ import annotations

import numpy as np
import pytest

from discreet.data.column import Label
from discreet.data.domains import listed_codes, lists_in_file
from discreet.data.table import Table
from discreet.errors import DataError


def test_whole_numbers_are_found_as_text() -> None:
    listed: list[Label] = ["A", "2", "1", None]
    without = Table.from_frame({"ward": [1, 2, None, 1]})
    assert listed_codes(without, "ward", listed).tolist() == [2, 1, 3, 2]
    with_text = Table.from_frame({"ward": ["1", "2", None, "A"]})
    assert listed_codes(with_text, "ward", listed).tolist() == [2, 1, 3, 0]


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (1.5, "1.5"), (30.0, "30")])
def test_every_type_is_found_as_text(value: Label, text: str) -> None:
    """One word, or one missing cell, changes the type of all other cells of a column."""
    table = Table.from_frame({"ward": [value]}, categorical=True)
    assert listed_codes(table, "ward", ["A", text]).tolist() == [1]
    with pytest.raises(DataError, match=f"has the value {value}, which is not in the list"):
        listed_codes(table, "ward", ["A", "1"])


def test_no_rows() -> None:
    empty = Table.from_codes({"a": []}, {"a": []})
    assert listed_codes(empty, "a", ["x"]).dtype == np.int64


def test_what_is_not_listed_is_told() -> None:
    table = Table.from_frame({"sex": ["f", "x", "y", None]})
    with pytest.raises(DataError, match=r"the value 'x', .*, and 2 more that are not. Nothing"):
        listed_codes(table, "sex", ["f"])
    with pytest.raises(DataError, match=r"'sex' has missing cells.*an empty cell above"):
        listed_codes(table, "sex", ["f", "x", "y"])


def test_empty_cells_below_the_last_value_are_no_values() -> None:
    public = Table.from_frame(
        {
            "longest": ["a", "b", "c", "d"],
            "padded": ["a", "b", None, None],
            "missing": [None, "a", "b", None],
            "empty": [None, None, None, None],
        }
    )
    assert lists_in_file(public) == {
        "longest": ["a", "b", "c", "d"],
        "padded": ["a", "b"],
        "missing": ["a", "b", None],
        "empty": [None],
    }
