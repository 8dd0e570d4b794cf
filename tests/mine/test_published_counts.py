"""Counts on public data, through the public functions and the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from tests.conftest import Outcome

MIIS = [  # table 4.4's data sets, rows of modal length: minimal infrequent itemsets by theta
    ("breast.D20.N699.C2.num", 683, {1: 9, 5: 18, 10: 26, 50: 41}),
    ("iris.D19.N150.C3.num", 150, {1: 48, 5: 82, 10: 57, 50: 20}),
    ("pageBlocks.D46.N5473.C5.num", 5473, {1: 118, 5: 76, 10: 73, 50: 43}),
    ("adult.D97.N48842.C2.num.xz", 45222, {1: 39464, 5: 36137, 10: 28995, 50: 13149}),
]
ADULT = [
    *("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation"),
    *("relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week"),
    *("native-country", "income"),
]


@pytest.fixture(scope="module")
def adult(public_data: Path) -> dc.Table:
    """UCI Adult without missing values; hours cut so that (20, 40] is one interval."""
    del public_data
    training, _ = dc.datasets.fetch("adult")
    numbers = {"age", "fnlwgt", "education-num", "capital-gain", "capital-loss"}
    return dc.read_table(
        training,
        header=False,
        names=ADULT,
        null_values=["?"],
        missing="drop",
        bins={"hours-per-week": dc.Bins(edges=(20, 40, 60, 80), closed="right")},
        categorical=numbers,
    )


@pytest.mark.parametrize(("name", "n_rows", "counts"), MIIS)
def test_minimal_infrequent_counts(
    public_data: Path, name: str, n_rows: int, counts: dict[int, int]
) -> None:
    table = dc.load(public_data / "lucs" / name)
    assert isinstance(table, dc.Table)
    database = dc.mine.Database.of(table)
    assert database.n_rows == n_rows
    for theta, expected in counts.items():
        found = dc.mine.minimal_infrequent(database, theta=theta)
        assert len(found) == expected
        assert dc.mine.count_minimal_infrequent(database, theta=theta).total == expected
        cells = np.zeros((database.n_transactions, len(database.columns)), bool)
        rows = [set(row) for row in database.items.reshape(cells.shape).tolist()]
        if expected < 1000:
            for start, end in zip(found.offsets[:-1], found.offsets[1:], strict=True):
                codes = found.items[start:end].tolist()
                columns = database.column_of[codes]
                for place, row in enumerate(rows):
                    cells[place, columns] |= row.issuperset(codes)
            assert database.group_of is not None
            assert np.array_equal(
                dc.mine.mark_cells(database, theta=theta), cells[database.group_of]
            )


def test_mushroom_at_60_percent(public_data: Path, discreet: Callable[..., Outcome]) -> None:
    file = public_data / "fimi" / "mushroom.dat"
    found = json.loads(discreet("mine", "frequent", file, "--min-support", 4874, "--json").out)
    assert found["n_itemsets"] == len(found["itemsets"]) == 51
    assert found["n_rows"] == 8124
    share = json.loads(
        discreet("mine", "frequent", file, "--min-frequency", 0.6, "--count", "--json").out
    )
    assert share["n_itemsets"] == 51


def test_mushroom_has_one_itemset_more_than_a_widely_used_miner_finds(public_data: Path) -> None:
    """Item 85 is in every row; PyFIM leaves out the itemset {85}, which is frequent and closed."""
    data = dc.read_transactions(public_data / "fimi" / "mushroom.dat")
    assert dict(dc.mine.frequent(data, min_support=8124)) == {frozenset({85}): 8124}
    assert dc.mine.count_frequent(data, min_support=812).total == 574_513
    assert dc.mine.count_closed(data, min_support=81).total == 51_672
    assert dc.mine.count_maximal(data, min_support=81).total == 6_733


def test_adult_at_18100(adult: dc.Table) -> None:
    assert adult.n_rows == 30162
    hours = adult.values("hours-per-week").index("(20, 40]")
    assert int(np.sum(adult.codes("hours-per-week") == hours)) == 18577
    assert len(dc.mine.frequent(adult, min_support=18100, include_empty=True)) == 41
    assert len(dc.mine.maximal(adult, min_support=18100)) == 12


def test_frequent_is_rebuilt_from_closed_on_adult(adult: dc.Table) -> None:
    closed = dict(dc.mine.closed(adult, min_support=3000))
    frequent = dict(dc.mine.frequent(adult, min_support=3000))
    maximal = dict(dc.mine.maximal(adult, min_support=3000))
    assert maximal.items() <= closed.items() <= frequent.items()
    for items, support in frequent.items():
        assert support == max(n for other, n in closed.items() if items <= other)


def test_supports_recounted_from_the_rows_of_adult(adult: dc.Table) -> None:
    found = dc.mine.frequent(adult, min_support=6000, max_size=4)
    assert len(found) > 500
    for items, support in list(found)[::7]:
        rows = np.ones(adult.n_rows, bool)
        for item in items:
            assert isinstance(item, dc.mine.Item)
            rows &= adult.codes(item.column) == adult.values(item.column).index(item.value)
        assert rows.sum() == support
