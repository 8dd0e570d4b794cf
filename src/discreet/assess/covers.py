"""Which rows contain which combination.

A rare combination is known by its items; this finds its rows. All combinations grow together,
one item at a time and rarest first, and those that begin alike share the rows that still match.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets

BLOCK = 1 << 20  # combinations at a time
CANDIDATES = 1 << 22  # rows compared at a time


def covered_rows(
    found: Itemsets, rows: NDArray[np.int32], column_of: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield which combination is contained in which row, in blocks of combinations.

    Parameters
    ----------
    found : Itemsets
        Combinations, none empty.
    rows : array of int32, rows by columns
        Item of each cell; rows that contain no combination may be left out.
    column_of : array of int32
        Column of each item.

    Yields
    ------
    pair of ndarray of int64
        Positions in ``found`` and in ``rows``, one pair for each row that contains a combination.

    Notes
    -----
    Time grows with the rows that match the beginnings of combinations: on public data sets
    about ten comparisons for each combination and row of the result together. Memory grows
    with the table and a bounded block.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "m"], "job": ["a", "a", "b"]})
    >>> database = dc.mine.Database.of(people)
    >>> found = dc.minimal_infrequent(database, theta=1)
    >>> rows = database.items.reshape(-1, 2)
    >>> for which, row in covered_rows(found, rows, database.column_of):
    ...     print(list(zip(which.tolist(), row.tolist())))
    [(0, 0), (1, 2)]
    [(2, 1)]
    """
    support = np.bincount(rows.ravel(), minlength=len(column_of))
    by_item = np.argsort(rows.ravel(), kind="stable") // max(rows.shape[1], 1)
    for low in range(0, len(found), BLOCK):
        offsets = found.offsets[low : low + BLOCK + 1]
        sizes = np.diff(offsets)
        # One line for each combination, rarest item first; short ones repeat their last item,
        # which is never looked at.
        place = np.arange(sizes.max())
        items = found.items[np.minimum(place, sizes[:, None] - 1) + offsets[:-1, None]]
        rarity = np.where(place < sizes[:, None], support[items], len(rows) + 1)
        items = np.take_along_axis(items, np.argsort(rarity, axis=1, kind="stable"), axis=1)
        for line, row in _covered(
            items, sizes, rows=rows, column_of=column_of, by_item=by_item, support=support
        ):
            yield line + low, row


def _covered(
    items: NDArray[np.int32],
    sizes: NDArray[np.int64],
    *,
    rows: NDArray[np.int32],
    column_of: NDArray[np.int32],
    by_item: NDArray[np.int64],
    support: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the rows of the lines of items, shorter lines first."""
    # A beginning is a set of first items; matching[start[b]:][:count[b]] are its rows.
    open_lines, beginning = np.arange(len(items)), items[:, 0].astype(np.int64)
    matching, count = by_item, support
    for place in range(items.shape[1]):
        start = np.cumsum(count) - count
        done = sizes[open_lines] == place + 1
        n = count[beginning[done]]
        yield np.repeat(open_lines[done], n), matching[_ranges(start[beginning[done]], n)]
        open_lines, beginning = open_lines[~done], beginning[~done]
        if not len(open_lines):
            break
        longer = beginning * len(column_of) + items[open_lines, place + 1]
        known, beginning = np.unique(longer, return_inverse=True)
        shorter, added = np.divmod(known, len(column_of))
        matching, count = _with_item(
            matching,
            start=start[shorter],
            count=count[shorter],
            item=added,
            rows=rows,
            column_of=column_of,
        )


def _ranges(start: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges ``start, start + 1, ...``, one after the other."""
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    numbers: NDArray[np.int64] = np.repeat(start, count) + within
    return numbers


def _with_item(
    matching: NDArray[np.int64],
    *,
    start: NDArray[np.int64],
    count: NDArray[np.int64],
    item: NDArray[np.int64],
    rows: NDArray[np.int32],
    column_of: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of each range that have one more item, and how many they are."""
    total = np.cumsum(count)
    cuts = np.searchsorted(total, np.arange(CANDIDATES, total[-1], CANDIDATES))
    kept, n_kept = [], []
    for part in np.split(np.arange(len(item)), np.unique(cuts)):
        which = np.repeat(part, count[part])
        row = matching[_ranges(start[part], count[part])]
        has = rows[row, column_of[item[which]]] == item[which]
        kept.append(row[has])
        n_kept.append(np.bincount(which[has] - (part[0] if len(part) else 0), minlength=len(part)))
    return np.concatenate(kept), np.concatenate(n_kept)
