"""Ways of changing rows so that no group of equal rows is small.

Each takes groups of equal rows and returns groups of ``k`` rows or more. They differ in what
they distort: the number of rows, the items of single rows, or what goes together.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.patterns.groups import Groups, Row

MOST_WORK = 5e8  # words compared


def drop(groups: Groups, k: int) -> Groups:
    """Leave out small groups.

    Examples
    --------
    >>> drop({(0, 1): 5, (0,): 1}, 3)
    {(0, 1): 5}
    """
    return {row: count for row, count in groups.items() if count >= k}


def fill(groups: Groups, k: int) -> Groups:
    """Add copies of the rows of small groups.

    Examples
    --------
    >>> fill({(0, 1): 5, (0,): 1}, 3)
    {(0, 1): 5, (0,): 3}
    """
    return {row: max(count, k) for row, count in groups.items()}


def trim(groups: Groups, k: int, *, split: bool = False) -> Groups:
    """Take the rarest item out of the rows of small groups, until the groups are large.

    Parameters
    ----------
    groups : dict
        Rows and their numbers.
    k : int
        Least size of a group.
    split : bool
        Whether what is taken out of rows becomes rows of its own, trimmed in turn.

    Returns
    -------
    dict
        With ``split`` single items keep most of their support, and there are more rows.

    Examples
    --------
    >>> trim({(0, 1): 5, (0,): 4, (0, 2): 1}, 3)
    {(0, 1): 5, (0,): 5}
    >>> trim({(0, 1): 4, (0, 2): 2, (0, 3, 2): 2}, 3, split=True)
    {(0, 1): 4, (0, 2): 4}
    """
    total: dict[Row, int] = defaultdict(int)
    kept, rest = _trimmed(groups, k)
    while kept:
        for row, count in kept.items():
            total[row] += count
        if not split:
            break
        kept, rest = _trimmed(rest, k)
        kept.pop((), None)  # a part without items is no row
    return dict(total)


def merge(groups: Groups, k: int, *, columns: NDArray[np.int64] | None = None) -> Groups | None:
    """Make the rows of small groups like the most similar rows.

    Parameters
    ----------
    groups : dict
        Rows and their numbers.
    k : int
        Least size of a group.
    columns : ndarray, optional
        In a table, the column of each item; the row of a group then has one value for each.

    Returns
    -------
    dict or None
        As many rows as before; None if there are too many for this to be tried, or fewer than
        ``k``.

    Notes
    -----
    The largest small group that is left joins a large one, or takes those small ones most similar
    to it until they are ``k`` rows, whichever is nearer. An item is in the common row of these if
    at least half of them have it; in a table, each column has its commonest value. Time grows
    with the square of the number of groups.

    Examples
    --------
    >>> merge({(0, 1): 5, (0, 2): 2, (2,): 2, (1,): 1}, 3)
    {(0, 1): 6, (0, 2): 4}
    """
    rows = sorted(groups, key=lambda row: (-groups[row], row))
    items = sorted({item for row in rows for item in row})
    counts = np.array([groups[row] for row in rows], np.int64)
    if counts.sum() < k or len(rows) ** 2 * (len(items) // 64 + 1) > MOST_WORK:
        return None
    place_of = {item: place for place, item in enumerate(items)}
    bits = np.zeros((len(rows), -(-max(len(items), 1) // 64) * 64), bool)
    for number, row in enumerate(rows):
        bits[number, [place_of[item] for item in row]] = True
    own_column = None if columns is None else columns[items]
    words = np.packbits(bits, axis=1).view(np.uint64)
    n_large = int((counts >= k).sum())
    centres, sizes = list(words[:n_large]), counts[:n_large].tolist()
    left = np.arange(n_large, len(rows))
    while len(left) and counts[left].sum() >= k:
        apart = _apart(words[left], words[left[0]])
        order = np.argsort(apart, kind="stable")
        n_taken = int(np.searchsorted(np.cumsum(counts[left[order]]), k)) + 1
        taken = order[:n_taken]
        if n_large:
            nearest = _apart(words[:n_large], words[left[0]])
            if nearest.min() <= apart[taken[-1]]:
                sizes[int(nearest.argmin())] += int(counts[left[0]])
                left = left[1:]
                continue
        centre = _centre(bits[left[taken]], counts[left[taken]], own_column)
        centres.append(np.packbits(centre).view(np.uint64))
        sizes.append(int(counts[left[taken]].sum()))
        left = np.delete(left, taken)
    for number in left.tolist():
        sizes[int(_apart(np.array(centres), words[number]).argmin())] += int(counts[number])
    total: dict[Row, int] = defaultdict(int)
    for centre, size in zip(centres, sizes, strict=True):
        has = np.flatnonzero(np.unpackbits(centre.view(np.uint8)))
        total[tuple(items[place] for place in has.tolist())] += size
    return dict(total)


def _apart(words: NDArray[np.uint64], row: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return by how many items some rows differ from one."""
    apart: NDArray[np.int64] = np.bitwise_count(words ^ row).sum(axis=1, dtype=np.int64)
    return apart


def _trimmed(groups: Groups, k: int) -> tuple[Groups, Groups]:
    """Return large groups and what was taken out of rows to make them so."""
    supports: dict[int, int] = defaultdict(int)
    for row, count in groups.items():
        for item in row:
            supports[item] += count
    by_size: dict[int, dict[Row, list[tuple[Row, int]]]] = defaultdict(lambda: defaultdict(list))
    for row, count in groups.items():
        ordered = tuple(sorted(row, key=lambda item: (-supports[item], item)))
        by_size[len(row)][ordered].append(((), count))
    kept: Groups = {}
    rest: dict[Row, int] = defaultdict(int)
    for size in range(max(by_size, default=0), -1, -1):
        for row, parts in by_size[size].items():
            n_rows = sum(count for _, count in parts)
            if n_rows >= k:
                kept[tuple(sorted(row))] = n_rows
                for taken, count in parts:
                    if taken and row:  # what lost all its items is not tried again
                        rest[taken] += count
            elif row:
                shorter = [((*taken, row[-1]), count) for taken, count in parts]
                by_size[size - 1][row[:-1]] += shorter
    return kept, {tuple(sorted(row)): count for row, count in rest.items()}


def _centre(
    bits: NDArray[np.bool_], counts: NDArray[np.int64], columns: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """Return the row that a group of rows is made to be."""
    votes = counts @ bits
    if columns is None:
        half: NDArray[np.bool_] = 2 * votes >= counts.sum()
        return half & (votes > 0)
    centre = np.zeros(bits.shape[1], bool)
    for column in np.unique(columns).tolist():
        own = np.flatnonzero(columns == column)
        best = own[int(votes[own].argmax())]
        centre[best] = votes[best] >= counts.sum() - votes[own].sum()
    return centre
