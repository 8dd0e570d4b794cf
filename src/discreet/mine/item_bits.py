"""Which itemsets of a collection have an item, as bits: containment by whole words at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets

CHUNK_WORDS = 2**22  # words gathered at a time: 32 MB


@dataclass(frozen=True, slots=True)
class ItemBits:
    """For each item, the itemsets of a collection that have it.

    Itemset ``s`` is bit ``s % 64`` of word ``s // 64``.

    Examples
    --------
    >>> from discreet.mine.itemsets import Itemsets
    >>> sets = Itemsets.from_mapping({frozenset("a"): 3, frozenset("ab"): 2}, n_rows=4)
    >>> ItemBits.of(sets).n_supersets(sets).tolist()
    [2, 1]
    """

    n_sets: int
    row_of: NDArray[np.int64]  # by item; the last row is that of items that no itemset has
    bits: NDArray[np.uint64]

    @classmethod
    def of(cls, sets: Itemsets) -> ItemBits:
        """Return the bits of a collection."""
        used, rows = np.unique(sets.items, return_inverse=True)
        row_of = np.full(len(sets.labels), len(used), np.int64)
        row_of[used] = np.arange(len(used))
        bits = np.zeros((len(used) + 1, (len(sets) + 63) // 64), np.uint64)
        which = np.repeat(np.arange(len(sets)), sets.sizes)
        bit = np.left_shift(np.uint64(1), (which % 64).astype(np.uint64))
        np.bitwise_or.at(bits.reshape(-1), rows * bits.shape[1] + which // 64, bit)
        return cls(len(sets), row_of, bits)

    def having_all(
        self, offsets: NDArray[np.int64], items: NDArray[np.int32]
    ) -> NDArray[np.uint64]:
        """Return, for each of some sets of items, the itemsets that have all of it."""
        found = np.empty((len(offsets) - 1, self.bits.shape[1]), np.uint64)
        for rows, part in self._reduced(np.bitwise_and, offsets, items, ~np.uint64(0)):
            found[rows] = part
        if self.n_sets % 64:  # no itemset is behind the last one
            found[:, -1] &= np.uint64((1 << self.n_sets % 64) - 1)
        return found

    def having_any(
        self, offsets: NDArray[np.int64], items: NDArray[np.int32]
    ) -> NDArray[np.uint64]:
        """Return, for each of some sets of items, the itemsets that have one item of it."""
        found = np.empty((len(offsets) - 1, self.bits.shape[1]), np.uint64)
        for rows, part in self._reduced(np.bitwise_or, offsets, items, np.uint64(0)):
            found[rows] = part
        return found

    def n_supersets(self, itemsets: Itemsets) -> NDArray[np.int64]:
        """Return how many of the collection's itemsets contain each of some other itemsets."""
        n = np.empty(len(itemsets), np.int64)
        everything = ~np.uint64(0)
        for rows, part in self._reduced(
            np.bitwise_and, itemsets.offsets, itemsets.items, everything
        ):
            n[rows] = np.bitwise_count(part).sum(axis=1, dtype=np.int64)
        n[itemsets.sizes == 0] = self.n_sets
        return n

    def _reduced(
        self,
        operation: np.ufunc,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        of_nothing: np.uint64,
    ) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Yield slices of the sets and the bits of their items joined by an operation."""
        n_sets, n_words = len(offsets) - 1, max(self.bits.shape[1], 1)
        low = 0
        while low < n_sets:
            enough = offsets[low] + max(CHUNK_WORDS // n_words, 1)
            high = max(int(np.searchsorted(offsets, enough, side="right")) - 1, low + 1)
            here = offsets[low : high + 1]
            joined = np.full((high - low, self.bits.shape[1]), of_nothing)
            filled = np.flatnonzero(np.diff(here) > 0)
            if len(filled):
                gathered = self.bits[self.row_of[items[here[0] : here[-1]]]]
                joined[filled] = operation.reduceat(gathered, here[filled] - here[0], axis=0)
            yield slice(low, high), joined
            low = high


def unpacked(bits: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """Return rows of bits as rows of ``n`` booleans."""
    words = np.ascontiguousarray(bits).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(words, axis=1, count=n, bitorder="little").view(np.bool_)
