"""Itemsets that are given, not searched for: merged, and counted in rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.mine.frequent import database

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from numpy.typing import NDArray

Itemset: TypeAlias = tuple[int, ...]

N_ITEMS = 7
itemsets = st.sets(st.sets(st.integers(0, N_ITEMS - 1)).map(lambda items: tuple(sorted(items))))
rows = st.lists(
    st.tuples(st.sets(st.integers(0, N_ITEMS - 1)), st.sampled_from([1, 1, 1, 2, 7, 130])),
    max_size=150,
)


def canonical(sets: Iterable[Itemset]) -> list[Itemset]:
    return sorted(sets, key=lambda items: (len(items), items))


def arrays(sets: list[Itemset]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    offsets = np.cumsum([0, *map(len, sets)], dtype=np.int64)
    return offsets, np.array([item for items in sets for item in items], np.int32)


def merge(first: list[Itemset], second: list[Itemset]) -> tuple[list[Itemset], ...]:
    """Return the merged sets, and those at the places of the first and of the second."""
    offsets, items, *places = _native.merge_itemsets(
        *arrays(first), *arrays(second), _native.Control()
    )
    merged = [tuple(part.tolist()) for part in np.split(items, offsets[1:-1])]
    merged = merged[: len(offsets) - 1]
    return (merged, *([merged[i] for i in place.tolist()] for place in places))


@given(itemsets, itemsets)
def test_merged_are_the_sets_of_either_each_once(first: set[Itemset], second: set[Itemset]) -> None:
    merged, at_first, at_second = merge(canonical(first), canonical(second))
    assert merged == canonical(first | second)
    assert at_first == canonical(first)
    assert at_second == canonical(second)


@given(rows, itemsets, st.randoms(use_true_random=False), st.integers(1, 3))
def test_supports_are_counts_of_rows(
    drawn: list[tuple[set[int], int]], sets: set[Itemset], order: Random, threads: int
) -> None:
    asked = [items for items in sets if items]
    order.shuffle(asked)  # any order is right; canonical order is fast
    which = [i for i in range(len(asked)) if i % 3 != 1]
    counted = _native.supports(
        database([(frozenset(items), weight) for items, weight in drawn], N_ITEMS),
        *arrays(asked),
        np.array(which, np.int64),
        _native.Control(threads),
    )
    assert counted.tolist() == [
        sum(weight for items, weight in drawn if set(asked[i]) <= items) for i in which
    ]


def test_many_sets_are_counted_alike_by_any_number_of_threads() -> None:
    rng = np.random.default_rng(5)
    memberships = rng.random((700, 16)) < 0.6
    data = database([(frozenset(np.flatnonzero(row).tolist()), 1) for row in memberships], 16)
    offsets, items, supports = _native.frequent(data, 20, 2**31 - 1, _native.Control())
    which = np.arange(len(supports))
    assert len(which) > 3 * 4096  # sets that are counted together
    for threads in (1, 2, 5):
        control = _native.Control(threads)
        assert np.array_equal(_native.supports(data, offsets, items, which, control), supports)
        assert control.fraction == 1


@pytest.mark.parametrize(
    ("offsets", "items", "which", "message"),
    [
        ([], [], [], "offsets must start at 0"),
        ([1, 1], [0], [], "offsets must start at 0"),
        ([0, 2], [0], [], "last offset"),
        ([0, 2, 1, 2], [0, 1], [], "offsets fall at itemset 1"),
        ([0, 2], [1, 1], [0], "not strictly ascending"),
        ([0, 1], [-1], [0], "not strictly ascending"),
        ([0, 1], [3], [0], "item 3 is not one of the database"),
        ([0, 1], [0], [1], "no itemset 1"),
        ([0, 1], [0], [-1], "no itemset -1"),
        ([0, 0], [], [0], "itemset 0 is empty"),
    ],
)
def test_bad_sets_are_refused(
    offsets: list[int], items: list[int], which: list[int], message: str
) -> None:
    data = database([(frozenset({0, 1, 2}), 1)], 3)
    arguments = (np.array(offsets, np.int64), np.array(items, np.int32))
    with pytest.raises(ValueError, match=message):
        _native.supports(data, *arguments, np.array(which, np.int64), _native.Control())


def test_sets_in_another_order_are_not_merged() -> None:
    with pytest.raises(ValueError, match="itemset 1 is not after the one before"):
        merge([(1,), (2,)], [(1, 2), (3,)])
    with pytest.raises(ValueError, match="itemset 1 is not after the one before"):
        merge([(1,), (1,)], [])


def test_memory_is_bounded() -> None:
    data = database([(frozenset({0, 1}), 1)] * 6400, 2)
    sets = arrays([(0,), (1,), (0, 1)])
    with pytest.raises(_native.LimitReached):
        _native.supports(data, *sets, np.arange(3), _native.Control(1, max_memory=1000))
    with pytest.raises(_native.LimitReached):
        _native.merge_itemsets(*sets, *sets, _native.Control(1, max_memory=10))


def test_a_listener_that_raises_stops_the_count() -> None:
    rng = np.random.default_rng(1)
    memberships = rng.random((3000, 18)) < 0.9
    data = database([(frozenset(np.flatnonzero(row).tolist()), 1) for row in memberships], 18)
    offsets, items, supports = _native.frequent(data, 1, 2**31 - 1, _native.Control())
    which = np.tile(np.arange(len(supports)), 60)

    def stop(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _native.supports(data, offsets, items, which, _native.Control(), stop)
