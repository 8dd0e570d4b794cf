from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.binning import Bins, as_bins, bin_column
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError


def labels_of(values: Any, **bins: Any) -> list[Any]:  # noqa: ANN401  also what is wrong
    column = bin_column(values, **bins)
    return [column.values[code] for code in column.codes.tolist()]


def test_edges_belong_to_the_side_asked_for() -> None:
    assert labels_of([19, 20, 40], edges=[20, 40]) == ["< 20", "[20, 40)", ">= 40"]
    assert labels_of([20, 40, 41], edges=[20, 40], closed="right") == ["<= 20", "(20, 40]", "> 40"]


def test_labels_are_in_numeric_order() -> None:
    assert bin_column([105, 9, 25], edges=[10, 20, 100, 110]).values == (
        "< 10",
        "[20, 100)",
        "[100, 110)",
    )


def test_decimal_steps_are_exact() -> None:
    assert labels_of([0.3, 0.7, -0.05], width=0.1) == ["[0.3, 0.4)", "[0.7, 0.8)", "[-0.1, 0)"]
    assert labels_of([0.3], width=0.1, closed="right") == ["(0.2, 0.3]"]


def test_quantiles_split_evenly() -> None:
    codes = bin_column(np.arange(100), quantiles=4).codes
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]
    assert bin_column([7, 7, 7], quantiles=3).values == (">= 7",)


def test_missing_stays_missing() -> None:
    assert labels_of([1, None, math.nan], width=5) == ["[0, 5)", None, None]
    assert bin_column([None, None], quantiles=2).values == (None,)


def test_outside_closed_edges_names_the_row() -> None:
    with pytest.raises(DataError, match=r"70 in row 1 .* lies outside the edges 20 to 60"):
        bin_column([20, 70], edges=[20, 60], ends="closed")
    with pytest.raises(DataError, match="Column 'age': 5 in row 0"):
        Table.from_frame({"age": [5, 30]}, bins={"age": Bins(edges=(20, 40), ends="closed")})
    assert labels_of([20, 59], edges=[20, 60], ends="closed") == ["[20, 60)"] * 2


def test_infinite_values() -> None:
    assert labels_of([math.inf, -math.inf], edges=[0]) == [">= 0", "< 0"]
    with pytest.raises(DataError, match=r"Row 1 .* infinite"):
        bin_column([1, math.inf], width=10)
    with pytest.raises(DataError, match="more than 10000 bins"):
        bin_column([0, 1e9], width=1)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"edges": [1], "width": 2},
        {"edges": []},
        {"edges": [2, 1]},
        {"edges": [1, 1]},
        {"edges": [1, "2"]},
        {"edges": [1, math.nan]},
        {"edges": [True, 2]},
        {"edges": [1], "ends": "closed"},
        {"width": 0},
        {"width": -1},
        {"width": math.inf},
        {"width": True},
        {"width": "2"},
        {"quantiles": 1},
        {"quantiles": 2.5},
        {"width": 1, "closed": "both"},
        {"edges": [1], "ends": "ajar"},
    ],
)
def test_bins_that_make_no_sense(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        bin_column([1.0], **wrong)


def test_as_bins() -> None:
    assert as_bins("a", (1, 2)).edges == (1, 2)
    with pytest.raises(ParameterError, match="bins of column 'a'"):
        as_bins("a", [3, 2])


@given(
    st.lists(st.integers(-1000, 1000), min_size=1),
    st.lists(st.integers(-900, 900), min_size=1, max_size=6, unique=True).map(sorted),
    st.sampled_from(["left", "right"]),
)
def test_every_number_lies_in_its_interval(
    values: list[int], edges: list[int], closed: str
) -> None:
    for value, label in zip(values, labels_of(values, edges=edges, closed=closed), strict=True):
        numbers = [int(text) for text in re.findall(r"-?\d+", label)]
        if label.startswith("["):
            assert numbers[0] <= value < numbers[1]
        elif label.startswith("("):
            assert numbers[0] < value <= numbers[1]
        else:
            assert eval(f"{value} {label}")  # noqa: S307  "17 < 20"
