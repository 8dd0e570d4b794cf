"""Candidates of Apriori as arrays: joined from the itemsets of one size, pruned by all subsets.

An itemset is known by its number among those of its size. Its key is the number of its
beginning, without the last item, and that last item; so a look-up takes one binary search for
each item, whatever the number of items there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

JOINS = 1 << 21  # pairs of itemsets joined at a time


class Levels:
    """Itemsets that were kept, level by level, each level in ascending order.

    Parameters
    ----------
    n_items : int
        Items are numbered from 0 to n_items - 1.

    Examples
    --------
    >>> levels = Levels(4)
    >>> levels.add(np.array([[0], [1], [3]], np.int32))
    >>> levels.add(np.array([[0, 1], [0, 3], [1, 3]], np.int32))
    >>> for itemsets, subsets in levels.candidates():
    ...     print(itemsets.tolist(), subsets.tolist())
    [[0, 1, 3]] [[2, 1, 0]]
    """

    def __init__(self, n_items: int) -> None:
        self._n_items = n_items
        self._keys: list[NDArray[np.int64]] = []
        self._last = np.empty((0, 0), np.int32)

    def add(self, itemsets: NDArray[np.int32]) -> None:
        """Add the itemsets of the next size, ascending; their subsets are all there."""
        beginnings = self._find(itemsets[:, :-1])
        self._keys.append(beginnings * self._n_items + itemsets[:, -1])
        self._last = itemsets

    def candidates(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Yield the itemsets one larger of which all subsets are there, some at a time.

        Yields
        ------
        tuple of arrays
            The itemsets, ascending, and for each the numbers of its subsets: that without the
            first item, without the second, and so on.
        """
        level = self._last
        n, k = level.shape
        begins = np.flatnonzero((level[1:, :-1] != level[:-1, :-1]).any(axis=1)) + 1
        ends = np.repeat([*begins.tolist(), n], np.diff([0, *begins.tolist(), n]))
        n_partners = ends - np.arange(n) - 1  # the itemsets after it that begin alike
        done = np.concatenate([[0], np.cumsum(n_partners)])
        start = 0
        while start < n:
            stop = max(start + 1, int(np.searchsorted(done, done[start] + JOINS, "right")) - 1)
            first = np.repeat(np.arange(start, stop), n_partners[start:stop])
            second = first + 1 + np.arange(done[start], done[stop]) - done[first]
            start = stop
            itemsets = np.column_stack([level[first], level[second, -1]])
            subsets = np.empty((len(itemsets), k + 1), np.int64)
            subsets[:, k], subsets[:, k - 1] = first, second
            for place in range(k - 1):
                subsets[:, place] = self._find(np.delete(itemsets, place, axis=1))
                kept = subsets[:, place] >= 0
                itemsets, subsets = itemsets[kept], subsets[kept]
            if len(itemsets):
                yield itemsets, subsets

    def _find(self, itemsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the number of each itemset in its level, -1 for those that are not there."""
        found = np.zeros(len(itemsets), np.int64)
        for keys, items in zip(self._keys, itemsets.T, strict=False):
            wanted = found * self._n_items + items
            place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
            is_there = (keys[place] == wanted) & (found >= 0) if len(keys) else found < 0
            found = np.where(is_there, place, -1)
        return found
