"""Numbers and dates again, in place of the bins of synthetic rows."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.binning import bin_column, grid_of
from discreet.errors import ParameterError
from tests.examples import examples

if TYPE_CHECKING:
    from pathlib import Path


@examples(60)
@given(
    st.lists(st.integers(-50, 50), min_size=1, max_size=5, unique=True).map(sorted),
    st.sampled_from([1, 10, 4]),
    st.sampled_from(["left", "right"]),
)
def test_what_is_drawn_lies_in_its_bin(
    edges: list[int], by: int, closed: Literal["left", "right"]
) -> None:
    cuts = [edge / by if by > 1 else edge for edge in edges]
    shown = bin_column(np.linspace(-99, 99, 991), edges=cuts, closed=closed)
    table = dc.Table.from_codes({"a": shown.codes}, {"a": shown.values})
    drawn = dc.draw_numbers(table, rng=1).to_frame()["a"].to_numpy()
    again = bin_column(drawn, edges=cuts, closed=closed)
    assert [again.values[code] for code in again.codes] == [
        shown.values[code] for code in shown.codes
    ]
    if all(float(cut).is_integer() for cut in cuts):
        assert drawn.dtype.kind == "i"


def test_each_number_of_a_bin_is_drawn_as_often() -> None:
    rows = dc.Table.from_frame({"age": ["[20, 25)"] * 20_000, "day": ["2024-02"] * 20_000})
    drawn = dc.draw_numbers(rows, rng=7).to_frame()
    for counts, n in (
        (drawn["age"].value_counts()["count"], 5),
        (drawn["day"].value_counts()["count"], 29),
    ):
        assert len(counts) == n
        expected = 20_000 / n
        statistic = float((((counts - expected) ** 2) / expected).sum())
        assert statistic < 90  # chance far below 1e-9 for 28 degrees of freedom
    assert drawn["day"].min() == dt.date(2024, 2, 1)
    # Two columns of the same bins are not drawn alike.
    twice = dc.Table.from_frame({"a": ["[0, 100)"] * 2000, "b": ["[0, 100)"] * 2000})
    both = dc.draw_numbers(twice).to_frame()
    assert abs(float(both.select(pl.corr("a", "b")).item())) < 0.2


def test_what_shows_no_bin_is_null_and_other_columns_stay() -> None:
    rows = dc.Table.from_frame(
        {"age": ["< 20", ">= 60", "other", None], "sex": ["f", "m", "f", "m"], "n": [1, 2, 3, 4]}
    )
    drawn = dc.draw_numbers(rows).to_frame()
    assert drawn["age"].to_list()[2:] == [None, None]
    assert drawn["sex"].to_list() == ["f", "m", "f", "m"]
    assert drawn["n"].to_list() == [1, 2, 3, 4]
    assert dc.draw_numbers(rows) == dc.draw_numbers(rows)
    with pytest.raises(ParameterError, match="does not show bins"):
        dc.draw_numbers(rows, columns=["sex"])
    with pytest.raises(ParameterError, match=r"no column 'agee'.*Did you mean 'age'"):
        dc.draw_numbers(rows, columns=["agee"])
    assert grid_of(["f"]) is None


def test_an_open_bin_is_as_wide_as_its_neighbour() -> None:
    grid = grid_of(["< 20", "[20, 30)", "[30, 50)", ">= 50"])
    assert grid is not None
    assert list(zip(grid.first, grid.n, strict=True)) == [(10, 10), (20, 10), (30, 20), (50, 20)]
    low = grid_of(["< 5", "[5, 30)"])
    assert low is not None
    assert (low.first[0], low.n[0]) == (0, 5)  # no end is below 0, and nothing drawn is


def test_an_export_of_synthetic_rows_has_numbers_and_the_certificate_says_so(
    tmp_path: Path,
) -> None:
    people = dc.Table.from_frame(
        {"age": [20 + i % 60 for i in range(600)], "sex": ["f", "m"] * 300},
        bins={"age": [30, 40, 60]},
    )
    release = dc.synthetic_release(people, epsilon=4, delta=1e-6, seed=1, n_rows=300)
    folder = release.save(tmp_path / "out", export="parquet")
    certificate = json.loads((folder / "certificate.json").read_text())
    assert certificate["export"]["shows"] == "numbers drawn inside bins"
    found = dc.verify_release(folder)
    assert [check.name for check in found.checks if check.passed is False] == [
        "publication"
    ]  # a seed
    exported = pl.read_parquet(folder / "export.parquet")
    assert exported["age"].dtype == pl.Int64
    shown = bin_column(exported["age"].to_list(), edges=[30, 40, 60])
    bins = pl.read_parquet(folder / "data.parquet")["age"].to_list()
    assert [shown.values[code] for code in shown.codes] == [
        None if cell == "other" else cell for cell in bins
    ]
    other = release.save(tmp_path / "bounds", export="parquet", bounds=True)
    assert pl.read_parquet(other / "export.parquet").columns[:3] == [
        "age", "age_lower", "age_upper",
    ]  # fmt: skip
