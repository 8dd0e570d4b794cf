"""Krimp's kernels against the definitions, on tiny data."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.examples import examples
from tests.oracles import krimp as oracle

if TYPE_CHECKING:
    from numpy.typing import NDArray

Arrays: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int32]]"

ROWS = st.lists(st.frozensets(st.integers(0, 5), min_size=1), min_size=1, max_size=14)


def arrays(sets: list[tuple[int, ...]]) -> Arrays:
    return (
        np.cumsum([0, *map(len, sets)], dtype=np.int64),
        np.array([item for items in sets for item in items], np.int32),
    )


def database(rows: list[frozenset[int]], n_items: int) -> _native.Database:
    offsets, items = arrays([tuple(sorted(row)) for row in rows])
    nothing = np.empty(0, np.int32)
    return _native.Database(offsets, items, np.ones(len(rows), np.int64), n_items, nothing)


def run_kernel(
    rows: list[frozenset[int]], candidates: list[tuple[int, ...]], *, prune: bool, n_items: int = 6
) -> dict[tuple[int, ...], int]:
    candidates = sorted(candidates, key=lambda x: (len(x), x))
    supports = np.array([oracle.support(x, rows) for x in candidates], np.int64)
    control = _native.Control()
    offsets, items, counted, usages, alone, _ = _native.krimp(
        database(rows, n_items), *arrays(candidates), supports, prune, control
    )
    elements = [tuple(items[a:b].tolist()) for a, b in pairwise(offsets)]
    assert counted.tolist() == [oracle.support(x, rows) for x in elements]
    found = dict(zip(elements, usages.tolist(), strict=True))
    assert list(found) == oracle.cover_order(set(found), rows)
    return found | {(item,): int(usage) for item, usage in enumerate(alone)}


@examples(150)
@given(rows=ROWS, prune=st.booleans(), closed=st.booleans(), min_support=st.integers(1, 3))
def test_equals_the_definitions(
    *, rows: list[frozenset[int]], prune: bool, closed: bool, min_support: int
) -> None:
    candidates = oracle.frequent(rows, min_support, closed=closed)
    expected = oracle.krimp(rows, candidates, pruned=prune)
    found = run_kernel(rows, candidates, prune=prune)
    assert {x: u for x, u in found.items() if len(x) > 1 or u} == {
        x: u for x, u in expected.items() if len(x) > 1 or u
    }


@examples(20)
@given(st.lists(st.frozensets(st.integers(0, 3), min_size=1), min_size=1, max_size=8))
def test_wide_rows_take_more_words(rows: list[frozenset[int]]) -> None:
    """A row of 70 other items makes masks of more than one word, and changes no choice of sets."""
    wide = [*rows, frozenset(range(4, 74))]
    candidates = [x for x in oracle.frequent(rows, 1, closed=False) if len(x) > 1]
    expected = oracle.krimp(wide, candidates, pruned=True)
    found = run_kernel(wide, candidates, prune=True, n_items=74)
    assert {x: u for x, u in found.items() if u} == {x: u for x, u in expected.items() if u}


@examples(60)
@given(rows=ROWS, first=st.sampled_from([59, 61, 64, 127]), prune=st.booleans())
def test_sets_of_items_beyond_the_first_word(
    *, rows: list[frozenset[int]], first: int, prune: bool
) -> None:
    """One row has all items, so that each has a place of its own: its number."""
    n_items = first + 6
    moved = [frozenset(first + item for item in row) for row in rows]
    candidates = [x for x in oracle.frequent(moved, 1, closed=False) if len(x) > 1]
    wide = [*moved, frozenset(range(n_items))]
    expected = oracle.krimp(wide, candidates, pruned=prune)
    found = run_kernel(wide, candidates, prune=prune, n_items=n_items)
    assert {x: u for x, u in found.items() if u} == {x: u for x, u in expected.items() if u}


def test_memory_grows_with_distinct_rows_alone() -> None:
    rows = [(0, 1, 2), (0, 1), (1, 2), (0,)]
    weights = np.array([10**6, 10**6, 2 * 10**6, 10**6], np.int64)
    data = _native.Database(*arrays(rows), weights, 3, np.empty(0, np.int32))
    candidates = [(0, 1), (1, 2), (0, 1, 2)]
    supports = np.array([2 * 10**6, 3 * 10**6, 10**6], np.int64)
    control = _native.Control(max_memory=10_000)
    offsets, *_ = _native.krimp(data, *arrays(candidates), supports, True, control)
    assert len(offsets) > 1


@examples(60)
@given(ROWS, st.lists(st.frozensets(st.integers(0, 5), min_size=2), max_size=5))
def test_covers(rows: list[frozenset[int]], sets: list[frozenset[int]]) -> None:
    ordered = [tuple(sorted(x)) for x in sets] + [(item,) for item in range(6)]
    offsets, elements = _native.krimp_cover(database(rows, 6), *arrays(ordered), _native.Control())
    for t, row in enumerate(rows):
        taken = [ordered[e] for e in elements[offsets[t] : offsets[t + 1]]]
        assert taken == oracle.cover(row, ordered)


@pytest.mark.parametrize(
    ("sets", "supports", "words"),
    [
        ([(0, 9)], [1], "below n_items"),
        ([(1, 0)], [1], "ascending"),
        ([(0, 1), (0,)], [1, 1], "canonical"),
        ([(0, 1)], [-1], "support below 0"),
        ([(0, 1)], [1, 1], "one entry more"),
    ],
)
def test_refuses(sets: list[tuple[int, ...]], supports: list[int], words: str) -> None:
    rows = database([frozenset({0, 1})], 6)
    counts = np.array(supports, np.int64)
    with pytest.raises(ValueError, match=words):
        _native.krimp(rows, *arrays(sets), counts, True, _native.Control())


def test_cover_refuses() -> None:
    rows = database([frozenset({0, 1})], 6)
    with pytest.raises(ValueError, match="from 0 to n_items"):
        _native.krimp_cover(rows, *arrays([(6,)]), _native.Control())
    wrong = np.array([0, 2, 1], np.int64)
    with pytest.raises(ValueError, match="offsets must rise"):
        _native.krimp_cover(rows, wrong, np.array([0], np.int32), _native.Control())
