"""The counting of itemsets in groups of transactions, against brute force."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import _native
from discreet.data.transactions import Transactions
from tests.randomize.baskets import baskets


def naive_supports(
    sets: Transactions, groups: NDArray[np.int32], itemsets: NDArray[np.int32], n_groups: int
) -> NDArray[np.int64]:
    present = np.zeros((len(sets), sets.n_items), bool)
    present[np.repeat(np.arange(len(sets)), sets.sizes), sets.items] = True
    counts = np.zeros((len(itemsets), n_groups), np.int64)
    for row, itemset in enumerate(itemsets):
        held = present[:, itemset].all(axis=1)
        counts[row] = np.bincount(groups[held], minlength=n_groups)
    return counts


def counted(
    sets: Transactions, groups: NDArray[np.int32], n_groups: int, step: int
) -> _native.SizedBitmaps:
    bitmaps = _native.SizedBitmaps(sets.n_items, n_groups)
    for first in range(0, len(sets), step):
        cuts = sets.offsets[first : first + step + 1]
        bitmaps.add(
            cuts - cuts[0], sets.items[cuts[0] : cuts[-1]], groups[first : first + step],
            _native.Control(2),
        )  # fmt: skip
    return bitmaps


@given(st.data())
def test_supports_of_few_sets_are_those_of_brute_force(data: st.DataObject) -> None:
    lists = data.draw(st.lists(st.sets(st.integers(0, 4)), max_size=12))
    groups = np.array([data.draw(st.integers(0, 2)) for _ in lists], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=int)])
    sets = Transactions.from_csr(offsets, [item for one in lists for item in one], range(5))
    size = data.draw(st.integers(1, 5))
    itemsets = np.array(list(combinations(range(5), size)), np.int32)
    bitmaps = counted(sets, groups, 3, step=5)
    found = bitmaps.supports(itemsets.ravel(), size, _native.Control(2))
    assert np.array_equal(found, naive_supports(sets, groups, itemsets, 3))
    assert bitmaps.group_sizes.tolist() == np.bincount(groups, minlength=3).tolist()


def test_supports_over_several_tiles_do_not_depend_on_threads() -> None:
    sets = baskets(20_000, 9, 6)
    groups = (np.arange(20_000) % 3 == 0).astype(np.int32)
    itemsets = np.array(list(combinations(range(9), 3)), np.int32)
    bitmaps = counted(sets, groups, 2, step=3001)
    expected = naive_supports(sets, groups, itemsets, 2)
    for threads in (1, 3):
        found = bitmaps.supports(itemsets.ravel(), 3, _native.Control(threads))
        assert np.array_equal(found, expected)


@pytest.mark.parametrize("n_items", [1, 64, 70, 130])
def test_bitmaps_are_counted_like_lists(n_items: int) -> None:
    rows = np.random.default_rng(n_items).random((9000, n_items)) < 0.4
    whole = np.zeros((9000, -(-n_items // 64) * 64), bool)
    whole[:, :n_items] = rows
    words = np.packbits(whole, axis=1, bitorder="little").view("<u8")
    groups = np.random.default_rng(0).integers(0, 3, 9000).astype(np.int32)
    bitmaps = _native.SizedBitmaps(n_items, 3)
    for cut in (slice(0, 1), slice(1, 5000), slice(5000, 9000)):
        bitmaps.add_bitmaps(words[cut].ravel(), groups[cut], _native.Control(2))
    singles = np.arange(n_items, dtype=np.int32)
    found = bitmaps.supports(singles, 1, _native.Control(2))
    assert found.T.tolist() == [rows[groups == group].sum(axis=0).tolist() for group in range(3)]
    pairs = np.array([[0, n_items - 1]], np.int32)
    both = rows[:, 0] & rows[:, -1]
    found = bitmaps.supports(pairs.ravel(), 2, _native.Control(2))
    assert found.tolist() == [np.bincount(groups[both], minlength=3).tolist()]
    with pytest.raises(ValueError, match="same number of words"):
        bitmaps.add_bitmaps(words[:2].ravel()[1:], groups[:2], _native.Control())


def test_counting_refuses_what_does_not_fit() -> None:
    bitmaps = _native.SizedBitmaps(3, 2)
    one = (np.array([0, 1]), np.array([2], np.int32))
    with pytest.raises(ValueError, match="groups must be"):
        bitmaps.add(*one, np.array([2], np.int32), _native.Control())
    with pytest.raises(ValueError, match="one group for each"):
        bitmaps.add(*one, np.empty(0, np.int32), _native.Control())
    with pytest.raises(ValueError, match="items must be from 0"):
        bitmaps.supports(np.array([3], np.int32), 1, _native.Control())
    with pytest.raises(ValueError, match="of one size"):
        bitmaps.supports(np.array([1, 2, 0], np.int32), 2, _native.Control())
    with pytest.raises(_native.LimitReached):
        bitmaps.add(*one, np.array([0], np.int32), _native.Control(1, 1, 100))
