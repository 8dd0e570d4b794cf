"""The negative border of a collection: sets that are not in it, though all their subsets are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.errors import LimitError
from discreet.mine.limits import MAX_ITEMSETS
from discreet.patterns.lattice import NO_SET

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.limits import Limits
    from discreet.patterns.lattice import Lattice

PIECE = 1 << 21  # numbers held at once for one array
MOST_ITEMS = 20


class Candidates(NamedTuple):
    """Border sets of one size, and the numbers of their subsets of one item less."""

    items: NDArray[np.int64]
    facets: NDArray[np.int64]


def border_sets(
    lattice: Lattice, *, k: int | None, min_support: int | None = None, **limits: Unpack[Limits]
) -> Iterator[Candidates]:
    r"""Return the border sets of a collection piece by piece, by size.

    Parameters
    ----------
    lattice : Lattice
        The collection.
    k : int or None
        If given, pairs are left out that cannot leak a group of fewer than ``k`` rows: those of
        supports :math:`a \ge b` with :math:`\min(b, n - a) \ge k` and, if the least support
        :math:`\sigma` is known, :math:`a + b - n \le \sigma - k`.
    min_support : int, optional
        The least support, if the attacker knows it.
    **limits : Limits
        ``max_itemsets`` is the most joins to look at.

    Yields
    ------
    Candidates
        Sets of two or more items. Two values of one column are not on the border: they are
        known to exclude each other.

    Raises
    ------
    LimitError
        If there are more joins than ``max_itemsets``, or a set of more than 20 items.
    """
    most = limits.get("max_itemsets", MAX_ITEMSETS)
    if len(lattice.levels) < 2:
        return
    yield from _pairs(lattice, k, min_support, most)
    n_joins = 0
    for size in range(2, len(lattice.levels)):
        followers = _followers(lattice, size)
        n_joins += int(followers.sum())
        _refuse_more(n_joins, most)
        limit = max(1, PIECE >> min(size + 1, 20))
        for left, right in _joined(followers):
            found = _checked(lattice, size, left, right)
            if len(found.items) and size + 1 > MOST_ITEMS:
                raise LimitError(
                    f"A border set has {size + 1} items; at most {MOST_ITEMS} can be looked at. "
                    "Publish at a larger min_support."
                )
            for start in range(0, len(found.items), limit):
                yield Candidates(*(part[start : start + limit] for part in found))


def _pairs(
    lattice: Lattice, k: int | None, min_support: int | None, most: int
) -> Iterator[Candidates]:
    """Return the border pairs, of those that can leak if k is given."""
    singles = lattice.levels[1]
    order = np.argsort(-singles.supports, kind="stable")
    supports = singles.supports[order]
    n_items = len(order)
    last = np.full(n_items, n_items)
    if k is not None:
        least = lattice.n_rows + 1 if min_support is None else min_support - k + 1
        # Pairs with l = a + b - n >= least, and with l = 0 if the least support is below k.
        needed = lattice.n_rows + least - supports if least > 0 else np.zeros(n_items, np.int64)
        last = np.searchsorted(-supports, -needed, side="right")
        last[(supports < k) | (lattice.n_rows - supports < k)] = n_items
        n_rare = int((supports < k).sum())  # at the end: pairs of anything with these
    followers = np.maximum(last - np.arange(n_items) - 1, 0)
    if k is not None and n_rare:
        followers = n_items - np.arange(n_items) - 1
    _refuse_more(int(followers.sum()), most)
    columns = lattice.column_of()
    for left, right in _joined(followers):
        pair = np.sort(np.stack([order[left], order[right]], axis=1), axis=1)
        items = singles.items[pair, 0]
        outside = lattice.continued(1, pair[:, 0], items[:, 1]) == NO_SET
        if columns is not None:
            outside &= columns[items[:, 0]] != columns[items[:, 1]]
        if outside.any():
            yield Candidates(items[outside], pair[outside][:, ::-1])


def _followers(lattice: Lattice, size: int) -> NDArray[np.int64]:
    """Return for each set how many after it have the same prefix."""
    prefix = lattice.levels[size].without[:, -1]
    ends = np.searchsorted(prefix, prefix, side="right")
    return ends - np.arange(len(prefix)) - 1


def _joined(
    followers: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return pairs (i, j) with j among the followers of i, some at a time."""
    ends = np.cumsum(followers)
    start = 0
    while start < len(followers):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + PIECE // 8, side="right")))
        counts = followers[start:stop]
        left = np.repeat(np.arange(start, stop), counts)
        within = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        if len(left):
            yield left, left + 1 + within
        start = stop


def _checked(
    lattice: Lattice, size: int, left: NDArray[np.int64], right: NDArray[np.int64]
) -> Candidates:
    """Return of joined sets those that are not published while all their subsets are."""
    level = lattice.levels[size]
    last = level.items[right, -1]
    kept = lattice.continued(size, left, last) == NO_SET
    left, right, last = left[kept], right[kept], last[kept]
    facets = np.empty((len(left), size + 1), np.int64)
    facets[:, size], facets[:, size - 1] = left, right
    for place in range(size - 1):
        found = lattice.continued(size - 1, level.without[left, place], last)
        kept = found != NO_SET
        facets[:, place] = found
        left, last, facets = left[kept], last[kept], facets[kept]
    return Candidates(np.concatenate([level.items[left], last[:, None]], axis=1), facets)


def _refuse_more(n_joins: int, most: int) -> None:
    """Raise LimitError if there is too much to look at."""
    if n_joins > most:
        raise LimitError(
            f"{n_joins:,} sets at the border may have to be looked at, more than {most:,}. Publish "
            "at a larger min_support, or raise max_itemsets."
        )
