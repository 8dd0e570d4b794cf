"""Cells suppressed or changed and rows lost."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.utility import cells_changed
from tests.examples import examples
from tests.utility.releases import Row, pairs, recoded, suppress, table

# Table 4.4, recomputed: theta, suppressed % of all cells, rows kept, suppressed % in kept rows.
PUBLISHED = [
    ("breast.D20.N699.C2.num", (1, 0.48, 680, 0.29)),
    ("breast.D20.N699.C2.num", (50, 20.47, 655, 19.24)),
    ("iris.D19.N150.C3.num", (5, 41.60, 135, 38.37)),
    ("pageBlocks.D46.N5473.C5.num", (1, 0.22, 5456, 0.12)),
    ("adult.D97.N48842.C2.num.xz", (1, 7.29, 44367, 6.67)),
]


@pytest.fixture
def people() -> dc.Table:
    return dc.Table.from_frame(
        {"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", None], "town": ["x", "x", "y", "y"]}
    )


def test_by_hand(people: dc.Table) -> None:
    release = dc.Table.from_frame(
        {
            "sex": ["f", None, "m"],
            "job": ["c", None, "a"],  # changed, suppressed, imputed
            "town": ["x", "y", "y"],
        }
    )
    seen = cells_changed(people, release, rows=[0, 2, 3])
    assert (seen.n_rows, seen.n_released, seen.n_suppressed_records) == (4, 3, 1)
    assert seen.suppressed_by_column.tolist() == [1, 1, 0]
    assert seen.changed_by_column.tolist() == [0, 2, 0]
    assert seen.suppressed_by_row.tolist() == [0, 2, 0]
    assert seen.changed_by_row.tolist() == [1, 0, 1]
    assert seen.rows_by_suppressed == (2, 0, 1, 0)
    assert seen.suppressed_together.tolist() == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert seen.suppressed_rate == 2 / 9
    assert seen.changed_rate == 2 / 9
    assert seen.loss_rate == (2 + 2 + 3) / 12
    assert [row[0] for row in seen.preview().rows] == ["job", "sex", "town"]


def test_the_same_table_loses_nothing_in_any_coding(people: dc.Table) -> None:
    for release in (people, recoded(people)):
        seen = cells_changed(people, release)
        assert (seen.n_suppressed, seen.n_changed, seen.n_suppressed_records, seen.loss_rate) == (
            0,
            0,
            0,
            0,
        )


def test_rows_as_mask_as_positions_and_from_the_end(people: dc.Table) -> None:
    release = people.take([1, 3])
    for rows in ([1, 3], [False, True, False, True], [1, -1], np.array([1, 3], np.uint8)):
        assert cells_changed(people, release, rows=rows).n_changed == 0
    assert cells_changed(people, people.take([3, 1]), rows=[3, 1]).n_changed == 0
    assert cells_changed(people, release, rows=[0, 3]).n_changed == 1


@examples(50)
@given(pairs(), st.integers(0, 99))
def test_counts_are_those_of_a_loop(drawn: tuple[list[Row], list[Row], int], seed: int) -> None:
    before, after, n_columns = drawn
    kept = np.random.default_rng(seed).permutation(len(before))[: len(after)]
    after = after[: len(kept)]
    seen = cells_changed(table(before, n_columns), table(after, n_columns), rows=kept)
    cells = [
        (before[place][column], after[row][column], row, column)
        for row, place in enumerate(kept)
        for column in range(n_columns)
    ]
    suppressed = [c for c in cells if c[1] is None and c[0] is not None]
    changed = [c for c in cells if c[1] is not None and c[0] != c[1]]
    for column in range(n_columns):
        assert seen.suppressed_by_column[column] == sum(c[3] == column for c in suppressed)
        assert seen.changed_by_column[column] == sum(c[3] == column for c in changed)
    for row in range(len(kept)):
        assert seen.suppressed_by_row[row] == sum(c[2] == row for c in suppressed)
        assert seen.changed_by_row[row] == sum(c[2] == row for c in changed)
    assert sum(seen.rows_by_suppressed) == len(kept)
    assert seen.suppressed_together.sum() == len(suppressed)


def test_identifying_columns_are_left_out(people: dc.Table) -> None:
    original = people.with_roles(sex="identifying")
    assert cells_changed(original, people.select(["town", "job"])).columns == ("job", "town")


def test_types_are_matched_by_number_or_by_text() -> None:
    ages = dc.Table.from_codes({"age": [0, 1, 2]}, {"age": [31, 32, 45]})
    as_float = dc.Table.from_codes({"age": [0, 1, 2]}, {"age": [31.0, 32.0, 45.0]})
    grouped = dc.Table.from_codes({"age": [0, 0, 1]}, {"age": ["[30, 40)", "45"]})
    assert cells_changed(ages, as_float).n_changed == 0
    assert cells_changed(ages, grouped).changed_by_row.tolist() == [1, 1, 0]


def test_columns_that_do_not_agree_are_named(people: dc.Table) -> None:
    with pytest.raises(DataError, match=r"release has no column 'job'.*Known: 'sex', 'town'"):
        cells_changed(people, people.select(["sex", "town"]))
    with pytest.raises(DataError, match="original has no column 'job'"):
        cells_changed(people.select(["sex", "town"]), people)


@pytest.mark.parametrize(
    ("rows", "message"),
    [([0, 1], "names 2 rows"), ([0, 1, 1], "row 1 of the original more than once"),
     ([0, 1, 9], "positions from 0 to 3"), ([0.5, 1, 2], "positions from 0 to 3")],
)  # fmt: skip
def test_rows_that_do_not_fit(people: dc.Table, rows: list[float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        cells_changed(people, people.take([0, 1, 2]), rows=rows)


def test_lost_rows_must_be_told(people: dc.Table) -> None:
    with pytest.raises(DataError, match="original has 4 rows and the release 3: give rows"):
        cells_changed(people, people.take([0, 1, 2]))


def test_degenerate_tables(people: dc.Table) -> None:
    empty = people.take([])
    lost = cells_changed(people, empty, rows=[])
    assert (lost.n_suppressed_records, lost.loss_rate, lost.suppressed_rate) == (4, 1.0, 0.0)
    assert cells_changed(empty, empty).loss_rate == 0
    nothing = suppress(people, np.ones((4, 3), bool))
    assert cells_changed(people, nothing).n_suppressed == 11  # one cell was missing before
    assert cells_changed(nothing, people).n_changed == 11
    one = people.take([0]).select(["sex"])
    assert cells_changed(one, one).rows_by_suppressed == (1, 0)
    none = people.with_roles(dict.fromkeys(people.columns, "identifying"))
    assert cells_changed(none, none).loss_rate == 0
    for seen in (lost, cells_changed(none, none)):
        seen.plot().to_dict()
        assert json.dumps(seen.to_dict())
        assert seen.to_frame().height == len(seen.columns)


def test_shown_and_exported(people: dc.Table) -> None:
    seen = cells_changed(people, suppress(people, np.eye(4, 3, dtype=bool)))
    assert "3 of 12 released cells (25.00%)" in repr(seen)
    assert json.loads(json.dumps(seen.to_dict()))["rows_by_suppressed"] == [1, 3, 0, 0]
    assert seen.to_frame("pandas")["n_suppressed"].tolist() == [1, 1, 1]
    (cells,) = seen.plot().to_dict()["datasets"].values()
    assert sum(cell["rows"] for cell in cells) == 3
    assert "<table>" in seen._repr_html_()


@pytest.mark.parametrize(("name", "figures"), PUBLISHED)
def test_published_suppression(
    public_data: Path, name: str, figures: tuple[int, float, int, float]
) -> None:
    theta, of_all, n_kept, of_kept = figures
    original = dc.load(public_data / "lucs" / name)
    assert isinstance(original, dc.Table)
    release = suppress(original, dc.mine.mark_cells(original, theta=theta))
    assert 100 * cells_changed(original, release).suppressed_rate == pytest.approx(of_all, abs=5e-3)
    database = dc.mine.Database.of(release)
    assert database.group_of is not None
    kept = np.flatnonzero(database.weights[database.group_of] > theta)
    seen = cells_changed(original, release.take(kept), rows=kept)
    assert seen.n_released == n_kept
    assert 100 * seen.suppressed_rate == pytest.approx(of_kept, abs=5e-3)
