"""A published collection as a lattice: every set knows where its subsets are.

Sets of one size are numbered in lexicographic order, so that the sets that continue a prefix stand
together and one binary search finds a set from its prefix and its last item.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.mine.database import Item
from discreet.mine.itemsets import Itemsets
from discreet.mine.limits import MAX_ITEMSETS
from discreet.patterns.collection import condensed, select

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.limits import Limits

NO_SET = -1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Level:
    """The sets of one size.

    Attributes
    ----------
    items : ndarray, one row for each set
        Item numbers, ascending.
    supports : ndarray
        Their supports.
    keys : ndarray
        Number of the prefix (in the level below) times items, plus last item; ascending.
    without : ndarray, shape of ``items``
        Number, in the level below, of the set without the item at each place.
    """

    items: NDArray[np.int64]
    supports: NDArray[np.int64]
    keys: NDArray[np.int64]
    without: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.supports)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lattice:
    """All published sets by size, from the empty one on."""

    levels: tuple[Level, ...]
    labels: tuple[Hashable, ...]
    n_rows: int

    @classmethod
    def of(cls, published: Itemsets, **limits: Unpack[Limits]) -> Lattice:
        """Return the lattice of a collection; closed itemsets stand for all their subsets.

        Raises
        ------
        DataError
            If the collection lacks a subset of one of its members.
        LimitError
            If closed itemsets stand for more sets than ``max_itemsets``.
        """
        _, tops = condensed(published, **limits)
        if published.kind == "closed":
            published = _all_subsets(published, tops, limits.get("max_itemsets", MAX_ITEMSETS))
        n_items = max(len(published.labels), 1)
        levels = [_bottom(published.n_rows)]
        for size in range(1, int(published.sizes.max(initial=0)) + 1):
            of_size = select(published, np.flatnonzero(published.sizes == size))
            items = of_size.items.reshape(-1, size).astype(np.int64)
            order = np.lexsort(items.T[::-1])
            levels.append(_level(levels, items[order], of_size.supports[order], n_items))
        return cls(levels=tuple(levels), labels=published.labels, n_rows=published.n_rows)

    @property
    def n_items(self) -> int:
        """Number of labels, those of no published set included."""
        return len(self.labels)

    @property
    def used(self) -> NDArray[np.int64]:
        """Items that are published, ascending."""
        return self.levels[1].items[:, 0] if len(self.levels) > 1 else np.empty(0, np.int64)

    def itemsets(self) -> Itemsets:
        """Return all sets but the empty one, in canonical order."""
        levels = self.levels[1:]
        sizes = [size for size, level in enumerate(levels, 1) for _ in range(len(level))]
        return Itemsets(
            kind="frequent",
            offsets=np.cumsum([0, *sizes], dtype=np.int64),
            items=np.concatenate(
                [np.empty(0, np.int32), *(level.items.reshape(-1) for level in levels)]
            ).astype(np.int32),
            supports=np.concatenate([np.empty(0, np.int64), *(level.supports for level in levels)]),
            labels=self.labels,
            n_rows=self.n_rows,
        )

    def column_of(self) -> NDArray[np.int64] | None:
        """Return the number of each item's column in a table, or None for transactions."""
        names: dict[str, int] = {}
        found = np.zeros(self.n_items, np.int64)
        for place, label in enumerate(self.labels):
            if not isinstance(label, Item):
                return None
            found[place] = names.setdefault(label.column, len(names))
        return found

    def continued(
        self, size: int, sets: NDArray[np.int64], items: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Return the numbers of sets of ``size`` with one larger item added, or ``NO_SET``."""
        if size + 1 >= len(self.levels):
            return np.full(len(sets), NO_SET, np.int64)
        return _find(self.levels[size + 1].keys, sets, items, max(self.n_items, 1))

    def subset_supports(
        self, facets: NDArray[np.int64], size: int, dtype: type[np.int64] = np.int64
    ) -> NDArray[np.int64]:
        """Return the supports of all proper subsets of some sets of ``size``, by bit mask.

        Parameters
        ----------
        facets : ndarray, one row for each set
            Numbers of its subsets without the item at each place.
        size : int
            Items of the sets.
        dtype : type
            Of the result.

        Returns
        -------
        ndarray of shape (sets, 2 ** size)
            Bit p of a mask stands for the item at place p; the set itself counts 0.
        """
        everything = (1 << size) - 1
        numbers = np.zeros((len(facets), everything + 1), np.int64)
        found = np.zeros((len(facets), everything + 1), dtype)
        for place in range(size):
            numbers[:, everything ^ 1 << place] = facets[:, place]
        masks = np.arange(everything + 1)
        sizes = np.bitwise_count(masks)
        for below in range(size - 1, -1, -1):
            of_size = masks[sizes == below]
            if below < size - 1:
                absent = ~of_size & (of_size + 1)  # the lowest item that is not in it
                place = np.bitwise_count(of_size & (absent - 1))
                larger = numbers[:, of_size | absent]
                numbers[:, of_size] = self.levels[below + 1].without[larger, place]
            found[:, of_size] = self.levels[below].supports[numbers[:, of_size]]
        return found


def _bottom(n_rows: int) -> Level:
    """Return the level of the empty set."""
    return Level(
        items=np.empty((1, 0), np.int64),
        supports=np.array([n_rows], np.int64),
        keys=np.zeros(1, np.int64),
        without=np.empty((1, 0), np.int64),
    )


def _level(
    levels: list[Level], items: NDArray[np.int64], supports: NDArray[np.int64], n_items: int
) -> Level:
    """Return the next level, given the ones below."""
    size = items.shape[1]
    prefix = np.zeros(len(items), np.int64)
    for below in range(1, size):
        prefix = _find(levels[below].keys, prefix, items[:, below - 1], n_items)
    without = np.empty((len(items), size), np.int64)
    without[:, -1] = prefix
    for place in range(size - 1):
        without[:, place] = _find(
            levels[size - 1].keys, levels[size - 1].without[prefix, place], items[:, -1], n_items
        )
    keys = prefix * n_items + items[:, -1]
    return Level(items=items, supports=supports, keys=keys, without=without)


def _find(
    keys: NDArray[np.int64], sets: NDArray[np.int64], items: NDArray[np.int64], n_items: int
) -> NDArray[np.int64]:
    """Return the places of (set, item) among sorted keys, or NO_SET."""
    wanted = sets * n_items + items
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where((keys[places] == wanted) & (sets >= 0), places, NO_SET)


def _all_subsets(closed: Itemsets, tops: Itemsets, most: int) -> Itemsets:
    """Return all subsets of closed itemsets: each as frequent as its most frequent superset."""
    if np.exp2(tops.sizes.astype(float)).sum() > 4 * most:
        raise LimitError(
            f"These closed itemsets may stand for more than {most:,} itemsets. Raise min_support "
            "or max_itemsets."
        )
    supports: dict[frozenset[Hashable], int] = {}
    for items, support in sorted(closed, key=lambda pair: -pair.support):
        for subset in _subsets(items):
            supports.setdefault(subset, support)
    return Itemsets.from_mapping(supports, n_rows=closed.n_rows, kind="frequent")


def _subsets(items: frozenset[Hashable]) -> Iterator[frozenset[Hashable]]:
    """Return all subsets but the empty one."""
    ordered = list(items)
    sizes = (combinations(ordered, size) for size in range(1, len(ordered) + 1))
    return map(frozenset, chain.from_iterable(sizes))
