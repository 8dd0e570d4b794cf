"""Sums over rows of products of weights, one product for each itemset.

A row counts for an itemset by the product, over its items, of one weight where the row has the
item and another where it has not. Itemsets whose subsets are also asked for are summed
together from supports; others are summed row by row. Both give the same numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]  # a column's cells as places in its list of values
    Items = tuple[tuple[int, int], ...]  # (column, code), by column
    Weights = Sequence[tuple[float, float]]  # of a cell that has the item, and has not

MANY = 8  # subsets for each itemset, from which on rows are cheaper
_CHUNK = 1 << 22  # products at a time


def row_sums(
    itemsets: Sequence[Items], *, columns: Sequence[Codes], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each itemset the sum over rows of the product of weights, and of its square.

    Parameters
    ----------
    itemsets : sequence of tuples of (int, int)
        Column and code, by column, each column at most once.
    columns : sequence of arrays of int
        The codes of all rows, for each column.
    weights : sequence of (float, float)
        For each column, of a cell that has the item and of one that has not.

    Returns
    -------
    tuple of arrays of float
        Sums of the products and of their squares.

    Examples
    --------
    >>> first, second = row_sums(
    ...     [((0, 1),), ()], columns=[np.array([1, 1, 0])], weights=[(2.0, -0.5)]
    ... )
    >>> first.tolist(), second.tolist()
    ([3.5, 3.0], [8.25, 3.0])
    """
    closed = _with_subsets(itemsets)
    if closed is None:
        return _by_rows(itemsets, columns, weights)
    supports = _supports(sorted(closed), columns)
    squares = [(hit**2, miss**2) for hit, miss in weights]
    first, second = _by_supports(supports, weights), _by_supports(supports, squares)
    places = {itemset: place for place, itemset in enumerate(supports)}
    wanted = [places[itemset] for itemset in itemsets]
    return first[wanted], second[wanted]


def _with_subsets(itemsets: Sequence[Items]) -> set[Items] | None:
    """Return the itemsets and all their subsets, None if those are far more."""
    found, waiting = set(itemsets), list(set(itemsets))
    most = MANY * (len(found) + 1)
    while waiting:
        itemset = waiting.pop()
        for place in range(len(itemset)):
            subset = itemset[:place] + itemset[place + 1 :]
            if subset not in found:
                found.add(subset)
                waiting.append(subset)
        if len(found) > most:
            return None
    return found


def _supports(itemsets: Sequence[Items], columns: Sequence[Codes]) -> dict[Items, int]:
    """Return supports of sorted itemsets, with every prefix of one among them, by bits of rows."""
    n_rows = len(columns[0])
    rows: dict[tuple[int, int], NDArray[np.uint64]] = {}
    path = [_bits(np.ones(n_rows, np.bool_))]  # of the prefixes of the itemset before
    found = {}
    for itemset in itemsets:
        del path[max(1, len(itemset)) :]
        if itemset:
            column, code = item = itemset[-1]
            if item not in rows:
                rows[item] = _bits(columns[column] == code)
            path.append(path[-1] & rows[item])
        found[itemset] = int(np.bitwise_count(path[-1]).sum())
    return found


def _by_supports(supports: Mapping[Items, int], weights: Weights) -> NDArray[np.float64]:
    """Return the sums of products, one column after the other.

    The weight of an item is ``miss + (hit - miss) [the row has it]``, so the sum for an itemset
    is ``miss`` times that without the item plus ``hit - miss`` times that with it.
    """
    places = {itemset: place for place, itemset in enumerate(supports)}
    with_item: list[list[int]] = [[] for _ in weights]
    without: list[list[int]] = [[] for _ in weights]
    for itemset, place in places.items():
        for j, (column, _) in enumerate(itemset):
            with_item[column].append(place)
            without[column].append(places[itemset[:j] + itemset[j + 1 :]])
    sums = np.array(list(supports.values()), float)
    for column, (hit, miss) in enumerate(weights):
        here = with_item[column]
        sums[here] = (hit - miss) * sums[here] + miss * sums[without[column]]
    return sums


def _by_rows(
    itemsets: Sequence[Items], columns: Sequence[Codes], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums, from the distinct rows of the columns that itemsets share."""
    first, second = np.empty(len(itemsets)), np.empty(len(itemsets))
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, itemset in enumerate(itemsets):
        groups.setdefault(tuple(column for column, _ in itemset), []).append(place)
    for group, places in groups.items():
        rows, counts = _distinct([columns[column] for column in group], len(columns[0]))
        step = max(1, _CHUNK // max(1, len(counts)))
        for start in range(0, len(places), step):
            some = places[start : start + step]
            product = np.ones((len(some), len(counts)))
            for j, column in enumerate(group):
                wanted = np.array([itemsets[place][j][1] for place in some])
                product *= np.where(wanted[:, None] == rows[j][None, :], *weights[column])
            first[some] = product @ counts
            second[some] = (product * product) @ counts
    return first, second


def _distinct(columns: Sequence[Codes], n_rows: int) -> tuple[list[Codes], NDArray[np.float64]]:
    """Return the distinct rows of some columns and how often each occurs."""
    keys = np.zeros(n_rows, np.int64)
    for column in columns:
        # Renumbered at every step, so that keys stay below rows times values.
        keys = np.unique(keys * (int(column.max()) + 1) + column, return_inverse=True)[1]
    _, chosen, counts = np.unique(keys, return_index=True, return_counts=True)
    return [column[chosen] for column in columns], counts.astype(float)


def _bits(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return one bit for each row, in words of 64."""
    padded = np.zeros(-(-len(rows) // 64) * 64, np.bool_)
    padded[: len(rows)] = rows
    return np.packbits(padded).view(np.uint64)
