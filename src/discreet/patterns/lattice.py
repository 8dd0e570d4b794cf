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
from discreet.limits import most_itemsets
from discreet.mine.database import Item
from discreet.mine.itemsets import Itemsets
from discreet.patterns.collection import condensed, select

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits


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
            published = _all_subsets(published, tops, most_itemsets(limits))
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
                # A subset is reached from one with a single item more, whose number is known
                # already: no search.
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
        # A set is known by its prefix and its last item. Keys of a level are sorted, as its sets
        # are, so that a set is found by bisection.
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
    # The most frequent superset first; `setdefault` keeps its support against those that follow.
    for items, support in sorted(closed, key=lambda pair: -pair.support):
        for subset in _subsets(items):
            supports.setdefault(subset, support)
    return Itemsets.from_mapping(supports, n_rows=closed.n_rows, kind="frequent")


def _subsets(items: frozenset[Hashable]) -> Iterator[frozenset[Hashable]]:
    """Return all subsets but the empty one."""
    ordered = list(items)
    sizes = (combinations(ordered, size) for size in range(1, len(ordered) + 1))
    return map(frozenset, chain.from_iterable(sizes))


MAX_NODES = 2_000


# The numbers of rows that published supports allow, as constraints on the cells of some items.
#
# A cell of w items is one of the 2^w ways of having some and lacking the others. Published supports
# are sums of cells; whatever is known about the rows is known about their cells.


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
            # A cell is part of every itemset that it has all items of, so that it has at most its
            # support.
            within = masks & mask == mask
            most[within] = np.minimum(most[within], supports[mask])
        kept = _possible(lattice, items, masks)
        bounded, high = known, supports[known]
        low = high
        if min_support is not None:
            # The minimal unpublished sets are enough: those above them have no more rows.
            rare = _minimal_unknown(supports, len(items))
            bounded = np.concatenate([known, rare])
            low = np.concatenate([low, np.full(len(rare), -NO_SIDE)])
            # An unpublished set has less than the least support, as everybody who knows it can
            # conclude.
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
    # A cell that cannot reach k rows has none: it needs no variable.
    usable = np.flatnonzero(most >= k)
    n_cells = len(usable)
    columns = matrix[:, usable]
    ones = np.eye(n_cells, dtype=np.int64)
    # With a switch of 0 or 1 for each cell: count >= k * switch and count <= most * switch.
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


# Integer programs by HiGHS, with every solution checked in exact integers.

OPTIMAL, LIMIT, INFEASIBLE = 0, 1, 2

NO_SIDE = 2**62  # stands for no bound on this side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """What the solver found.

    Attributes
    ----------
    point : ndarray or None
        Values of the variables, whole numbers that satisfy every constraint exactly; None if
        nothing was found.
    is_infeasible : bool
        Whether it is proved that there is no solution.
    bound : float
        What the objective cannot go below; minus infinity if unknown.
    """

    point: NDArray[np.int64] | None
    is_infeasible: bool
    bound: float


def solve(
    matrix: NDArray[np.int64],
    *,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    most: NDArray[np.int64],
    objective: NDArray[np.int64] | None = None,
    max_nodes: int = MAX_NODES,
) -> Solution:
    """Minimise a linear objective over whole numbers from 0 to ``most``.

    Parameters
    ----------
    matrix, low, high : ndarray
        ``low <= matrix @ x <= high``; ``NO_SIDE`` or its negative is no bound.
    most : ndarray
        Largest value of each variable.
    objective : ndarray, optional
        Cost of each variable; any solution will do by default.
    max_nodes : int
        Nodes of the search tree after which it is given up.

    Returns
    -------
    Solution
        A point is only returned if it is exact.

    Notes
    -----
    The solver computes in doubles. A solution is rounded and verified in integers, so that it is
    a proof by itself; that there is none is the solver's word.
    """
    from scipy import optimize, sparse  # type: ignore[import-untyped]  # scipy has no types

    n_variables = matrix.shape[1]
    cost = np.zeros(n_variables) if objective is None else objective.astype(float)
    if not n_variables:
        is_met = bool((low <= 0).all() and (high >= 0).all())
        point = np.zeros(0, np.int64) if is_met else None
        return Solution(point=point, is_infeasible=not is_met, bound=0.0)
    if (most < 0).any():
        return Solution(point=None, is_infeasible=True, bound=np.inf)
    found = optimize.milp(
        cost,
        integrality=np.ones(n_variables),
        bounds=optimize.Bounds(np.zeros(n_variables), most.astype(float)),
        constraints=optimize.LinearConstraint(
            sparse.csc_array(matrix.astype(float)), _side(low), _side(high)
        ),
        options={"node_limit": max_nodes, "mip_rel_gap": 0.0},
    )
    if found.status == INFEASIBLE:
        return Solution(point=None, is_infeasible=True, bound=np.inf)
    bound = -np.inf if found.get("mip_dual_bound") is None else float(found.mip_dual_bound)
    point = None
    if found.x is not None:
        point = np.rint(found.x).astype(np.int64)
        # The solver works with floats and tolerances. Only whole numbers that fit exactly are a
        # proof.
        sums = matrix @ point
        exact = (sums >= low).all() and (sums <= high).all()
        if not (exact and (point >= 0).all() and (point <= most).all()):
            point = None
    return Solution(point=point, is_infeasible=False, bound=bound)


def _side(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return bounds as the solver takes them."""
    sides = values.astype(float)
    sides[values == NO_SIDE] = np.inf
    sides[values == -NO_SIDE] = -np.inf
    return sides
