"""Minimal infrequent itemsets of people, against the definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet import _native
from discreet.limits import NO_MAX_SIZE, Search
from discreet.mine.database import Database

Row = tuple[int, ...]


@st.composite
def visits(draw: st.DrawFn) -> tuple[list[int], list[Row]]:
    """Return whose each row is, and the rows; people have equal rows often."""
    n_columns, n_rows = draw(st.integers(1, 4)), draw(st.integers(1, 14))
    cell = st.integers(0, 2)
    row = st.tuples(*[cell] * n_columns)
    rows = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    who = draw(st.lists(st.integers(0, 6), min_size=n_rows, max_size=n_rows))
    return who, rows


def table_of(who: list[int], rows: list[Row]) -> dc.Table:
    columns = {f"c{place}": list(each) for place, each in enumerate(zip(*rows, strict=True))}
    return dc.Table.from_frame({"who": who, **columns}, person="who")


def people_with(who: list[int], rows: list[Row], itemset: dict[int, int]) -> int:
    has = [all(row[place] == value for place, value in itemset.items()) for row in rows]
    return len({one for one, yes in zip(who, has, strict=True) if yes})


def by_definition(
    who: list[int], rows: list[Row], theta: int
) -> dict[frozenset[tuple[int, int]], int]:
    found = {}
    for size in range(1, len(rows[0]) + 1):
        for places in combinations(range(len(rows[0])), size):
            for values in {tuple(row[place] for place in places) for row in rows}:
                itemset = dict(zip(places, values, strict=True))
                support = people_with(who, rows, itemset)
                below = [
                    people_with(who, rows, {p: v for p, v in itemset.items() if p != each})
                    for each in places
                ]
                if support <= theta and all(each > theta for each in below):
                    found[frozenset(itemset.items())] = support
    return found


@given(drawn=visits(), theta=st.integers(0, 4), threads=st.sampled_from([1, 3]))
def test_they_are_those_of_the_definition(
    drawn: tuple[list[int], list[Row]], theta: int, threads: int
) -> None:
    who, rows = drawn
    expected = by_definition(who, rows, theta)
    table = table_of(who, rows)
    found = dc.mine.minimal_infrequent(table, theta=theta, threads=threads)
    assert found.n_rows == len(set(who))
    assert {
        frozenset((int(str(item)[1]), int(str(item)[3:])) for item in items): support
        for items, support in found
    } == expected
    counts = dc.mine.count_minimal_infrequent(table, theta=theta)
    assert counts.total == len(expected)
    marks = np.zeros((len(rows), len(rows[0])), bool)
    for itemset in expected:
        for at, row in enumerate(rows):
            if all(row[place] == value for place, value in itemset):
                marks[at, [place for place, _ in itemset]] = True
    assert (dc.mine.mark_cells(table, theta=theta, threads=threads) == marks).all()


@given(drawn=visits(), theta=st.integers(0, 4), size=st.integers(1, 3))
def test_largest_size(drawn: tuple[list[int], list[Row]], theta: int, size: int) -> None:
    who, rows = drawn
    expected = [each for each in by_definition(who, rows, theta) if len(each) <= size]
    found = dc.mine.minimal_infrequent(table_of(who, rows), theta=theta, max_size=size)
    assert len(found) == len(expected)


def test_equal_rows_of_one_person_count_once() -> None:
    rows = {"who": [1, 1, 1, 2, 3], "sex": list("fffmm")}
    counted = dc.mine.minimal_infrequent(dc.Table.from_frame(rows, person="who"), theta=1)
    assert [support for _, support in counted] == [1]  # f, which one person has three times
    plain = dc.mine.minimal_infrequent(dc.Table.from_frame(rows).select(["sex"]), theta=1)
    assert len(plain) == 0


def test_with_a_person_a_row_it_is_the_miner_of_rows() -> None:
    census = dc.datasets.census(400, seed=3)
    alone = census.select(census.columns[:6])
    rows = alone.to_polars().to_dict(as_series=False)
    known = dc.Table.from_frame({**rows, "who": list(range(400))}, person="who", categorical=True)
    plain = dc.Table.from_frame(rows, categorical=True)
    for theta in (1, 4, 9):
        assert (
            dc.mine.mark_cells(known, theta=theta) == dc.mine.mark_cells(plain, theta=theta)
        ).all()
        assert dict(dc.mine.minimal_infrequent(known, theta=theta)) == dict(
            dc.mine.minimal_infrequent(plain, theta=theta)
        )


@pytest.mark.parametrize(
    ("people", "words"),
    [([0], "one person per transaction"), ([0, -1], "a person is below 0")],
)
def test_the_kernel_refuses_people_that_do_not_fit(people: list[int], words: str) -> None:
    database = Database.of(dc.Table.from_frame({"sex": ["f", "m"]}))
    given = np.array(people, np.int32)
    with pytest.raises(ValueError, match=words):
        _native.mark_cells_of_people(
            database.native, given, 1, NO_MAX_SIZE, Search({}).control, None
        )
    baskets = Database.of(dc.Transactions.from_iterable([["a"], ["b"]]))
    with pytest.raises(ValueError, match="tables only"):
        _native.minimal_infrequent_of_people(
            baskets.native, np.zeros(2, np.int32), 1, NO_MAX_SIZE, Search({}).control, None
        )
