"""How many randomized transactions of each true size hold an itemset, from bitmaps.

The transactions are read once, into one bitmap for each item; any number of itemsets is then
counted without reading them again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.mine.limits import search

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self, Unpack

    from numpy.typing import NDArray

    from discreet.data.item_sets import Labels
    from discreet.mine.limits import Limits
    from discreet.randomize.operators.operator import Operator
    from discreet.randomize.randomized import Randomized
    from discreet.randomize.randomized_file import RandomizedFile

STEP = 1 << 16  # transactions handed over at a time
REMEDY = "Mine fewer items or transactions"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SizedSupports:
    """Randomized transactions as bitmaps, in a group for each true size.

    Attributes
    ----------
    operator : Operator
        What was applied.
    labels : tuple of int, or tuple of str
        What each item stands for, null items last.
    dummies : int
        How many null items there are.
    sizes : tuple of int
        The true sizes, ascending.
    counts : array of int64
        Number of transactions of each size.
    bitmaps : _native.SizedBitmaps
        What they hold: an eighth of a byte for each transaction and item.
    """

    operator: Operator
    labels: Labels
    dummies: int
    sizes: tuple[int, ...]
    counts: NDArray[np.int64]
    bitmaps: _native.SizedBitmaps

    @property
    def n_items(self) -> int:
        """Number of items that stand for something; they come first."""
        return len(self.labels) - self.dummies

    @classmethod
    def of(cls, randomized: Randomized, **limits: Unpack[Limits]) -> Self:
        """Return the bitmaps of transactions in memory."""
        sets = randomized.transactions
        cuts = [sets.offsets[at : at + STEP + 1] for at in range(0, len(sets), STEP)]
        batches = (
            (cut - cut[0], sets.items[cut[0] : cut[-1]], randomized.sizes[at : at + STEP])
            for at, cut in zip(range(0, len(sets), STEP), cuts, strict=True)
        )
        return cls.from_batches(
            batches,
            operator=randomized.operator,
            labels=sets.labels,
            dummies=randomized.dummies,
            sizes=tuple(randomized.n_of_size()),
            **limits,
        )

    @classmethod
    def of_file(cls, file: RandomizedFile, **limits: Unpack[Limits]) -> Self:
        """Return the bitmaps of transactions in a file, which need not fit the memory."""
        sizes = tuple(file.n_of_size)
        if file.form == "lists":
            return cls.from_batches(
                file.batches(),
                operator=file.operator,
                labels=file.labels,
                dummies=0,
                sizes=sizes,
                **limits,
            )
        bitmaps = _native.SizedBitmaps(len(file.labels), len(sizes))
        for words, of_sizes in file.bitmap_batches():
            groups = np.searchsorted(sizes, of_sizes).astype(np.int32)
            with search("bitmaps of the transactions", REMEDY, **limits) as running:
                bitmaps.add_bitmaps(np.ascontiguousarray(words).ravel(), groups, running.control)
        return cls._made(bitmaps, file.operator, file.labels, 0, sizes)

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]],
        *,
        operator: Operator,
        labels: Labels,
        dummies: int,
        sizes: tuple[int, ...],
        **limits: Unpack[Limits],
    ) -> Self:
        """Return the bitmaps of transactions that come as offsets, items and true sizes."""
        bitmaps = _native.SizedBitmaps(len(labels), len(sizes))
        known = np.array(sizes, np.int32)
        for offsets, items, of_sizes in batches:
            groups = np.searchsorted(known, of_sizes).astype(np.int32)
            with search("bitmaps of the transactions", REMEDY, **limits) as running:
                bitmaps.add(offsets, items, groups, running.control)
        return cls._made(bitmaps, operator, labels, dummies, sizes)

    @classmethod
    def _made(
        cls,
        bitmaps: _native.SizedBitmaps,
        operator: Operator,
        labels: Labels,
        dummies: int,
        sizes: tuple[int, ...],
    ) -> Self:
        return cls(
            operator=operator,
            labels=labels,
            dummies=dummies,
            sizes=sizes,
            counts=bitmaps.group_sizes,
            bitmaps=bitmaps,
        )

    def supports(self, itemsets: NDArray[np.int32], **limits: Unpack[Limits]) -> NDArray[np.int64]:
        """Return the supports of itemsets, a row each, in each size, a column each.

        Parameters
        ----------
        itemsets : array of int32, a row for each itemset
            Items as places in `labels`. Rows that begin alike should follow each other.
        """
        size = itemsets.shape[1]
        with search(f"supports of itemsets of {size} items", REMEDY, **limits) as running:
            return self.bitmaps.supports(
                np.ascontiguousarray(itemsets, np.int32).ravel(),
                size,
                running.control,
                running.progress,
            )
