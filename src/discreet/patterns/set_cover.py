"""Few sets that cover everything: greedy, cleaned up, and exact where the problem is small."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import numpy as np

from discreet.mine.item_bits import unpacked

if TYPE_CHECKING:
    from numpy.typing import NDArray

CHUNK_BITS = 2**25
MAX_EXACT_PAIRS = 200_000  # pairs of an element and a set that cover each other
MAX_NODES = 2_000
MAX_SECONDS = 10.0


def fewest(
    covers: NDArray[np.uint64], *, n_sets: int, start: NDArray[np.int64], at_least: int
) -> tuple[NDArray[np.int64], int]:
    """Return few sets that cover every element, and a number below which no cover is.

    Parameters
    ----------
    covers : ndarray of uint64
        A row of bits for each element: the sets that cover it, at least one.
    n_sets : int
        Number of sets, in the order of falling size: of equals, the last is the smallest.
    start : ndarray of int
        A cover to be improved on.
    at_least : int
        A bound that is known already.

    Returns
    -------
    (ndarray of int, int)
        The sets of the cover, and the bound.

    Notes
    -----
    The same input gives the same output, unless the exact search runs into its limit of 10
    seconds; it is bounded by nodes first.

    Examples
    --------
    >>> covers = np.array([[0b011], [0b110], [0b100]], np.uint64)
    >>> fewest(covers, n_sets=3, start=np.array([0, 1, 2]), at_least=1)
    (array([1, 2]), 2)
    """
    by_set = np.ascontiguousarray(covers.T)  # the same bits, for reading one set at a time
    greedy = _smaller(covers, by_set, n_sets, _greedy(covers, by_set, n_sets))
    best = greedy if len(greedy) < len(start) else _smaller(covers, by_set, n_sets, start)
    best = min(greedy, best, key=_cost)
    if len(best) <= at_least:
        return np.sort(best), at_least
    exact, bound = _exact(covers, n_sets)
    at_least = max(at_least, bound)
    if exact is not None and len(exact) <= len(best):
        best = min(best, _smaller(covers, by_set, n_sets, exact), key=_cost)
    return np.sort(best), at_least


def _greedy(
    covers: NDArray[np.uint64], by_set: NDArray[np.uint64], n_sets: int
) -> NDArray[np.int64]:
    """Return a cover that takes in each step what covers most of the rest."""
    gains = np.zeros(n_sets, np.int64)
    _count(covers, gains, 1)
    left = np.arange(len(covers))
    chosen = []
    while len(left):
        best = n_sets - 1 - int(np.argmax(gains[::-1]))  # of equals the smallest
        covered = _has(by_set, best)[left]
        _count(covers[left[covered]], gains, -1)
        left = left[~covered]
        chosen.append(best)
    return np.array(chosen, np.int64)


def _smaller(
    covers: NDArray[np.uint64],
    by_set: NDArray[np.uint64],
    n_sets: int,
    chosen: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return a cover without superfluous sets, each the smallest that covers what it has to."""
    covered_by = {int(place): np.flatnonzero(_has(by_set, place)) for place in chosen}
    times = np.zeros(len(covers), np.int64)
    for elements in covered_by.values():
        times[elements] += 1
    kept = []
    for place in sorted(covered_by):  # large ones first
        elements = covered_by[place]
        alone = elements[times[elements] == 1]
        times[elements] -= 1
        if not len(alone):
            continue
        suits = unpacked(np.bitwise_and.reduce(covers[alone], axis=0, keepdims=True), n_sets)[0]
        smallest = int(np.flatnonzero(suits)[-1])
        times[_has(by_set, smallest)] += 1
        kept.append(smallest)
    return np.unique(np.array(kept, np.int64))


def _exact(covers: NDArray[np.uint64], n_sets: int) -> tuple[NDArray[np.int64] | None, int]:
    """Return a smallest cover and its size; none, or a bound, if the search was cut short."""
    if np.bitwise_count(covers).sum(dtype=np.int64) > MAX_EXACT_PAIRS * 64:
        return None, 0
    optimize = importlib.import_module("scipy.optimize")  # scipy has no types
    sparse = importlib.import_module("scipy.sparse")
    distinct = np.unique(covers, axis=0)  # elements covered by the same sets are one
    elements, places = np.nonzero(unpacked(distinct, n_sets))
    # Of sets that cover the same elements only the smallest is of use.
    order = np.lexsort((elements, places))
    used, starts = np.unique(places[order], return_index=True)
    last_of = {
        part.tobytes(): place
        for place, part in zip(used, np.split(elements[order], starts[1:]), strict=True)
    }
    columns = np.array(sorted(last_of.values()), np.int64)
    is_kept = np.isin(places, columns)
    elements, places = elements[is_kept], np.searchsorted(columns, places[is_kept])
    if len(elements) > MAX_EXACT_PAIRS:
        return None, 0
    matrix = sparse.csr_array(
        (np.ones(len(elements)), (elements, places)), shape=(len(distinct), len(columns))
    )
    solved = optimize.milp(
        np.ones(len(columns)),
        integrality=np.ones(len(columns)),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(matrix, lb=1),
        options={"node_limit": MAX_NODES, "time_limit": MAX_SECONDS},
    )
    bound = solved.mip_dual_bound
    at_least = 0 if bound is None or not np.isfinite(bound) else int(np.ceil(bound - 1e-6))
    if solved.x is None:
        return None, at_least
    chosen = np.flatnonzero(solved.x > 0.5)
    is_cover = np.bincount(elements[np.isin(places, chosen)], minlength=len(distinct)).all()
    return (columns[chosen] if is_cover else None), at_least


def _cost(cover: NDArray[np.int64]) -> tuple[int, int]:
    """Return what makes one cover better than another: few sets, then small ones."""
    return len(cover), -int(cover.sum())


def _has(by_set: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
    """Return which elements a set covers."""
    bits: NDArray[np.uint64] = by_set[place // 64] >> np.uint64(place % 64)
    return (bits & np.uint64(1)).astype(np.bool_)


def _count(covers: NDArray[np.uint64], gains: NDArray[np.int64], step: int) -> None:
    """Add a step to the gain of a set for each of these elements that it covers."""
    at_a_time = max(CHUNK_BITS // max(len(gains), 1), 1)
    for low in range(0, len(covers), at_a_time):
        bits = unpacked(covers[low : low + at_a_time], len(gains))
        gains += step * bits.sum(axis=0, dtype=np.int64)
