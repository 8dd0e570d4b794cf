"""Frequent, closed and maximal itemsets: the kernels against brute force and a textbook search."""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.mine.frequent import (
    KINDS,
    Found,
    Rows,
    canonical,
    condense,
    count,
    database,
    mine,
    random_rows,
    sizes,
)


def brute_force(rows: Rows, n_items: int, min_support: int) -> dict[str, Found]:
    every: Found = {}
    for size in range(1, n_items + 1):
        for itemset in itertools.combinations(range(n_items), size):
            support = sum(weight for items, weight in rows if items.issuperset(itemset))
            if support >= min_support:
                every[itemset] = support

    def supersets(itemset: tuple[int, ...]) -> list[tuple[int, ...]]:
        more = (tuple(sorted({*itemset, item})) for item in range(n_items) if item not in itemset)
        return [other for other in more if other in every]

    return {
        "frequent": every,
        "closed": {
            x: s for x, s in every.items() if all(every[other] != s for other in supersets(x))
        },
        "maximal": {x: s for x, s in every.items() if not supersets(x)},
    }


@st.composite
def transactions(draw: st.DrawFn) -> tuple[Rows, int, tuple[int, ...]]:
    n_items = draw(st.integers(1, 8))
    row = st.tuples(st.frozensets(st.integers(0, n_items - 1)), st.integers(1, 3))
    return draw(st.lists(row, max_size=14)), n_items, ()


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, int, tuple[int, ...]]:
    cardinalities = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    starts = [0, *itertools.accumulate(cardinalities)]
    row = st.tuples(*[st.integers(0, c - 1) for c in cardinalities])
    rows = [
        (frozenset(start + code for start, code in zip(starts, codes, strict=False)), weight)
        for codes, weight in draw(st.lists(st.tuples(row, st.integers(1, 2)), max_size=16))
    ]
    column_of = tuple(itertools.chain.from_iterable([i] * c for i, c in enumerate(cardinalities)))
    return rows, starts[-1], column_of


@pytest.mark.parametrize("kind", KINDS)
@given(
    data=st.one_of(transactions(), tables()),
    min_support=st.integers(1, 6),
    max_size=st.integers(1, 9),
)
def test_equals_brute_force(
    kind: str, data: tuple[Rows, int, tuple[int, ...]], min_support: int, max_size: int
) -> None:
    rows, n_items, column_of = data
    expected = brute_force(rows, n_items, min_support)[kind]
    db = database(rows, n_items, column_of)
    assert mine(kind, db, min_support) == canonical(expected)
    assert count(kind, db, min_support) == sizes(expected)
    short = {x: s for x, s in expected.items() if len(x) <= max_size}
    assert mine(kind, db, min_support, max_size=max_size) == canonical(short)
    assert count(kind, db, min_support, max_size=max_size) == sizes(short)


def depth_first(rows: Rows, n_items: int, min_support: int) -> Found:
    """Every frequent itemset, each extended by all later items with one matrix product."""
    holds = np.array([[item in items for item in range(n_items)] for items, _ in rows], float)
    found: Found = {}
    stack: list[tuple[tuple[int, ...], Any]] = [
        ((), np.array([weight for _, weight in rows], float))
    ]
    while stack:
        itemset, weights = stack.pop()
        supports = weights @ holds
        for item in range(itemset[-1] + 1 if itemset else 0, n_items):
            if supports[item] >= min_support:
                found[(*itemset, item)] = int(supports[item])
                stack.append(((*itemset, item), weights * holds[:, item]))
    return found


MIDDLE = {
    "many rare items": ({"n_rows": 400, "n_items": 300, "length": 2}, 6),
    "wide rows": ({"n_rows": 120, "n_items": 160, "length": 5}, 25),
    "dense": ({"n_rows": 300, "n_items": 12, "length": 6}, 20),
    "few rows": ({"n_rows": 40, "n_items": 60, "length": 3}, 5),
    "over 128 items in company": ({"n_rows": 600, "n_items": 300, "length": 2}, 5),
}


@functools.cache
def expected_on(name: str) -> dict[str, Found]:
    shape, min_support = MIDDLE[name]
    rows = random_rows(7, **shape)
    return condense(depth_first(rows, shape["n_items"], min_support))


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("name", MIDDLE)
def test_equals_textbook_search_on_middling_data(name: str, threads: int) -> None:
    shape, min_support = MIDDLE[name]
    rows = random_rows(7, **shape)
    expected = expected_on(name)
    db = database(rows, shape["n_items"])
    for kind in KINDS:
        assert mine(kind, db, min_support, threads=threads) == canonical(expected[kind])
        assert count(kind, db, min_support, threads=threads) == sizes(expected[kind])
        short = {x: s for x, s in expected[kind].items() if len(x) <= 2}
        assert mine(kind, db, min_support, max_size=2, threads=threads) == canonical(short)
        assert count(kind, db, min_support, max_size=2, threads=threads) == sizes(short)


def test_frequent_is_rebuilt_from_closed() -> None:
    rows = random_rows(3, n_rows=200, n_items=30, length=4)
    db = database(rows, 30)
    rebuilt: Found = {}
    for itemset, support in mine("closed", db, 30):
        for size in range(1, len(itemset) + 1):
            for part in itertools.combinations(itemset, size):
                rebuilt[part] = max(rebuilt.get(part, 0), support)
    assert mine("frequent", db, 30) == canonical(rebuilt)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("rows", "n_items", "min_support"),
    [
        ([], 0, 1),
        ([], 3, 1),
        ([(frozenset(), 4)], 0, 1),
        ([(frozenset(), 4)], 2, 1),
        ([(frozenset({0}), 2)], 1, 3),
        ([(frozenset({0}), 2)], 1, 2**40),
    ],
)
def test_nothing_to_find(kind: str, rows: Rows, n_items: int, min_support: int) -> None:
    db = database(rows, n_items)
    assert mine(kind, db, min_support) == []
    assert count(kind, db, min_support) == [0]


def test_identical_columns_are_counted_without_listing() -> None:
    db = database([(frozenset(range(60)), 5)], 60)
    assert sum(count("frequent", db, 5)) == 2**60 - 1
    assert count("frequent", db, 5, max_size=2) == [0, 60, 1770]
    assert mine("closed", db, 5) == [(tuple(range(60)), 5)]
    assert mine("maximal", db, 1) == [(tuple(range(60)), 5)]
    wider = database([(frozenset(range(200)), 5)], 200)
    with pytest.raises(_native.LimitReached):
        count("frequent", wider, 1)
    assert count("frequent", wider, 1, max_size=3) == [0, 200, 19900, 1313400]
