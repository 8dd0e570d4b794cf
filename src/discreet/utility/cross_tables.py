"""Cross tables of two tables at once, and the distances between them.

Codes of several columns are combined into one number per row and counted. Combinations that
do not occur cost nothing once there are too many to count in one array.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.utility.pairs import PairedColumn

DENSE = 2**20  # combinations of values counted in one array; more are numbered as they occur


Counts: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Rows of the original and of the release with each combination of values, in one order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalDistance:
    """One cross table: how far the release's shares are from the original's.

    ``total_variation`` and ``hellinger`` take a missing or suppressed cell as a value of its
    own; the two ending in ``visible`` leave out rows with such a cell in these columns.
    """

    columns: tuple[str, ...]
    total_variation: float
    hellinger: float
    total_variation_visible: float
    hellinger_visible: float


def marginal_distance(columns: Sequence[PairedColumn]) -> MarginalDistance:
    """Return how far apart the cross tables of some columns are, in both readings."""
    counts, visible = cross_tables(columns)
    return MarginalDistance(
        columns=tuple(column.name for column in columns),
        total_variation=total_variation(*counts),
        hellinger=hellinger(*counts),
        total_variation_visible=total_variation(*visible),
        hellinger_visible=hellinger(*visible),
    )


def cross_tables(columns: Sequence[PairedColumn]) -> tuple[Counts, Counts]:
    """Return how many rows have each combination of values: of all rows, and of visible ones.

    Parameters
    ----------
    columns : sequence of PairedColumn
        At least one column.

    Returns
    -------
    pair of pairs of arrays
        Counts in the original and in the release. First with a missing or suppressed cell as a
        value of its own; then of the rows without such a cell in these columns. Combinations
        that occur in neither table may be left out.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.utility.pairs import pair_columns
    >>> release = dc.Table.from_frame({"age": [31, None]})
    >>> counts, visible = cross_tables(
    ...     pair_columns(dc.Table.from_frame({"age": [30, 31]}), release)
    ... )
    >>> print(*counts, *visible)
    [1 1 0] [0 1 1] [1 1 0] [0 1 0]
    """
    n_rows = len(columns[0].original)
    codes = np.zeros(n_rows + len(columns[0].release), np.int64)
    hidden = np.zeros(len(codes), bool)
    span = 1
    for column in columns:
        codes *= len(column.labels)
        codes[:n_rows] += column.original
        codes[n_rows:] += column.release
        hidden[:n_rows] |= column.original == column.hidden
        hidden[n_rows:] |= column.release == column.hidden
        span *= len(column.labels)
        if span > DENSE:  # also keeps the product far below the largest integer
            found, codes = np.unique(codes, return_inverse=True)
            span = len(found)
    before, after = codes[:n_rows], codes[n_rows:]
    counts = np.bincount(before, minlength=span), np.bincount(after, minlength=span)
    if not hidden.any():
        return counts, counts
    shown = before[~hidden[:n_rows]], after[~hidden[n_rows:]]
    return counts, (
        np.bincount(shown[0], minlength=span),
        np.bincount(shown[1], minlength=span),
    )


def total_variation(original: NDArray[np.int64], release: NDArray[np.int64]) -> float:
    """Return half the sum of absolute differences of two tables of counts, taken as shares.

    1 if exactly one of them counts nothing, 0 if both do.

    Examples
    --------
    >>> total_variation(np.array([1, 3]), np.array([1, 0]))
    0.75
    """
    shares = _shares(original, release)
    if shares is None:
        return float(original.any() != release.any())
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def hellinger(original: NDArray[np.int64], release: NDArray[np.int64]) -> float:
    """Return the Hellinger distance, from 0 to 1, of two tables of counts, taken as shares.

    1 if exactly one of them counts nothing, 0 if both do.

    Examples
    --------
    >>> round(hellinger(np.array([1, 3]), np.array([1, 0])), 4)
    0.7071
    """
    shares = _shares(original, release)
    if shares is None:
        return float(original.any() != release.any())
    roots = np.sqrt(shares[0]) - np.sqrt(shares[1])
    return float(np.sqrt(np.square(roots).sum() / 2))


def column_sets(
    n_columns: int, size: int, max_sets: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return all sets of columns of one size, or so many of them, each equally likely.

    Examples
    --------
    >>> column_sets(3, 2, 10, np.random.default_rng(0))
    [(0, 1), (0, 2), (1, 2)]
    >>> len(set(column_sets(1000, 3, 10, np.random.default_rng(0))))
    10
    """
    n_sets = comb(n_columns, size)
    if n_sets <= max_sets:
        return list(combinations(range(n_columns), size))
    ranks = np.sort(rng.choice(n_sets, size=max_sets, replace=False))
    return [_set_of_rank(rank, n_columns, size) for rank in ranks.tolist()]


def _set_of_rank(rank: int, n_columns: int, size: int) -> tuple[int, ...]:
    """Return the set that has this place in the order of ``itertools.combinations``."""
    chosen: list[int] = []
    first = 0
    for left in range(size - 1, -1, -1):
        while rank >= (n_with_first := comb(n_columns - first - 1, left)):
            rank -= n_with_first
            first += 1
        chosen.append(first)
        first += 1
    return tuple(chosen)


def _shares(
    original: NDArray[np.int64], release: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return both tables as shares, or None if one of them counts nothing."""
    n_original, n_release = original.sum(), release.sum()
    return (original / n_original, release / n_release) if n_original and n_release else None
