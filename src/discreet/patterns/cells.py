"""The numbers of rows that published supports allow, as constraints on the cells of some items.

A cell of w items is one of the 2^w ways of having some and lacking the others. Published supports
are sums of cells; whatever is known about the rows is known about their cells.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.patterns.integer_program import MAX_NODES, NO_SIDE, Solution, solve
from discreet.patterns.lattice import NO_SET

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.patterns.lattice import Lattice


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """The constraints on the cells of a window of items.

    Attributes
    ----------
    items : ndarray
        The items of the window, ascending; bit p of a mask stands for the one at place p.
    supports : ndarray
        Published support of each subset of the window by mask, ``NO_SET`` if unpublished.
    masks : ndarray
        The cells that can have rows; in a table none with two values of a column.
    most : ndarray
        What the rows of each cell cannot pass: the least support of its published subsets.
    matrix, low, high : ndarray
        One constraint for each published subset, and for each minimal unpublished one if the
        least support is known.
    """

    items: NDArray[np.int64]
    supports: NDArray[np.int64]
    masks: NDArray[np.int64]
    most: NDArray[np.int64]
    matrix: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]

    @classmethod
    def of(cls, lattice: Lattice, items: NDArray[np.int64], min_support: int | None) -> Cells:
        """Return the cells of a window of a collection."""
        supports = _supports(lattice, items)
        masks = np.arange(len(supports))
        known = masks[supports != NO_SET]
        most = np.full(len(masks), lattice.n_rows)
        for mask in known.tolist():
            within = masks & mask == mask
            most[within] = np.minimum(most[within], supports[mask])
        kept = _possible(lattice, items, masks)
        bounded, high = known, supports[known]
        low = high
        if min_support is not None:
            rare = _minimal_unknown(supports, len(items))
            bounded = np.concatenate([known, rare])
            low = np.concatenate([low, np.full(len(rare), -NO_SIDE)])
            high = np.concatenate([high, np.full(len(rare), min_support - 1)])
            for mask in rare.tolist():
                within = masks & mask == mask
                most[within] = np.minimum(most[within], min_support - 1)
        matrix = (masks[kept] & bounded[:, None] == bounded[:, None]).astype(np.int64)
        return cls(
            items=items,
            supports=supports,
            masks=masks[kept],
            most=most[kept],
            matrix=matrix,
            low=low,
            high=high,
        )

    def extreme(self, pattern: NDArray[np.int64], *, max_nodes: int = MAX_NODES) -> Solution:
        """Return rows that make a sum of cells as small as possible."""
        return solve(
            self.matrix,
            low=self.low,
            high=self.high,
            most=self.most,
            objective=pattern,
            max_nodes=max_nodes,
        )

    def all_or_nothing(self, k: int, *, max_nodes: int = MAX_NODES) -> Solution:
        """Return rows whose every cell has none or at least ``k`` of them."""
        return all_or_nothing(
            self.matrix,
            low=self.low,
            high=self.high,
            most=self.most,
            k=k,
            max_nodes=max_nodes,
        )


def all_or_nothing(
    matrix: NDArray[np.int64],
    *,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    most: NDArray[np.int64],
    k: int,
    max_nodes: int = MAX_NODES,
) -> Solution:
    """Return a solution whose every variable is 0 or at least ``k``.

    With a switch y for each variable x: ``k y <= x <= most y``.
    """
    usable = np.flatnonzero(most >= k)
    n_cells = len(usable)
    columns = matrix[:, usable]
    ones = np.eye(n_cells, dtype=np.int64)
    above = np.concatenate([ones, -k * ones], axis=1)
    below = np.concatenate([ones, -ones * most[usable]], axis=1)
    wide = np.concatenate([columns, np.zeros_like(columns)], axis=1)
    found = solve(
        np.concatenate([wide, above, below]),
        low=np.concatenate([low, np.zeros(n_cells, np.int64), np.full(n_cells, -NO_SIDE)]),
        high=np.concatenate([high, np.full(n_cells, NO_SIDE), np.zeros(n_cells, np.int64)]),
        most=np.concatenate([most[usable], np.ones(n_cells, np.int64)]),
        max_nodes=max_nodes,
    )
    if found.point is None:
        return found
    point = np.zeros(len(most), np.int64)
    point[usable] = found.point[:n_cells]
    return Solution(point=point, is_infeasible=False, bound=found.bound)


def _supports(lattice: Lattice, items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the published supports of the subsets of a window, by mask."""
    numbers = np.full(1 << len(items), NO_SET, np.int64)
    supports = np.full(1 << len(items), NO_SET, np.int64)
    numbers[0], supports[0] = 0, lattice.n_rows
    for place, item in enumerate(items.tolist()):
        smaller = np.arange(1 << place)
        sizes = np.bitwise_count(smaller)
        for size in range(place + 1):
            of_size = smaller[(sizes == size) & (numbers[smaller] != NO_SET)]
            found = lattice.continued(size, numbers[of_size], np.full(len(of_size), item))
            known = found != NO_SET
            larger = of_size[known] | 1 << place
            numbers[larger] = found[known]
            if known.any():
                supports[larger] = lattice.levels[size + 1].supports[found[known]]
    return supports


def _possible(
    lattice: Lattice, items: NDArray[np.int64], masks: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return which cells can have rows: not those with two values of one column."""
    kept = np.ones(len(masks), bool)
    columns = lattice.column_of()
    if columns is not None:
        for column in np.unique(columns[items]).tolist():
            own = sum(1 << place for place in np.flatnonzero(columns[items] == column).tolist())
            kept &= np.bitwise_count(masks & own) <= 1
    return kept


def _minimal_unknown(supports: NDArray[np.int64], n_items: int) -> NDArray[np.int64]:
    """Return the unpublished subsets of which every subset is published."""
    masks = np.arange(len(supports))
    is_known = supports != NO_SET
    minimal = ~is_known
    for place in range(n_items):
        bit = 1 << place
        minimal &= is_known[masks & ~bit] | (masks & bit == 0)
    found: NDArray[np.int64] = masks[minimal]
    return found
