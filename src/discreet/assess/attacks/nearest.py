"""The rows of a release that are most like a person: Hamming distances by brute force.

A distance is the number of columns that differ. Equal rows of the release are compared once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Codes = NDArray[np.unsignedinteger]

PAIRS = 2**19  # of a person and a row compared at a time: they stay in the processor's cache


def closest_distances(release: Codes, people: Codes) -> NDArray[np.int64]:
    """Return in how many columns each person differs from the release's most similar row.

    Parameters
    ----------
    release, people : arrays of unsigned int
        A row for each column, in one coding.

    Returns
    -------
    array of int
        One for each person; the number of columns if the release has no rows.

    Notes
    -----
    Time is people times distinct rows of the release times columns, a byte each if no column
    has more than 256 values.

    Examples
    --------
    >>> release = np.array([[0, 1], [0, 1], [0, 1]], np.uint8)
    >>> closest_distances(release, np.array([[1, 0], [1, 1], [1, 0]], np.uint8))
    array([0, 1])
    """
    distances = np.full(people.shape[1], len(people), np.int64)
    distinct = release[:, equal_codes(list(release), release.shape[1]).first]
    if distinct.shape[1]:
        for which, agreements in _agreements(distinct, people):
            distances[which] -= agreements.max(axis=1)
    return distances


def nearest_votes(
    release: Codes, sensitive: NDArray[np.int64], people: Codes, *, n_values: int
) -> NDArray[np.int64]:
    """Return how many of the nearest rows have each value of a column the attacker cannot see.

    Parameters
    ----------
    release, people : arrays of unsigned int
        The columns that are known, a row for each, in one coding.
    sensitive : array of int
        The value to be told, for each row of the release; negative where it is hidden.
    people : array of unsigned int
        The people attacked.
    n_values : int
        How many values there are.

    Returns
    -------
    array of int
        A row for each person, a column for each value. All rows at the least distance vote.

    Examples
    --------
    >>> release = np.array([[0, 0, 0, 1]], np.uint8)
    >>> nearest_votes(release, np.array([1, 1, 0, 0]), np.array([[0, 1]], np.uint8), n_values=2)
    array([[1, 2],
           [1, 0]])
    """
    shown = sensitive >= 0
    release, sensitive = release[:, shown], sensitive[shown]
    alike = equal_codes([*release, sensitive], len(sensitive))
    distinct, values = release[:, alike.first], sensitive[alike.first]
    votes = np.zeros((people.shape[1], n_values), np.int64)
    if len(values) == 0:
        return votes
    for which, agreements in _agreements(distinct, people):
        person, row = np.nonzero(agreements == agreements.max(axis=1, keepdims=True))
        n_people = len(agreements)
        counted = np.bincount(
            person * n_values + values[row], alike.sizes[row], minlength=n_people * n_values
        )
        votes[which] = counted.astype(np.int64).reshape(n_people, n_values)
    return votes


def _agreements(
    release: Codes, people: Codes
) -> Iterator[tuple[slice, NDArray[np.unsignedinteger]]]:
    """Yield slices of the people, and in how many columns each agrees with each row."""
    n_columns, n_rows = release.shape
    step = max(1, PAIRS // n_rows)
    kind = np.min_scalar_type(n_columns)
    for start in range(0, people.shape[1], step):
        which = slice(start, min(start + step, people.shape[1]))
        agreements = np.zeros((which.stop - which.start, n_rows), kind)
        for there, known in zip(release, people[:, which], strict=True):
            agreements += known[:, None] == there
        yield which, agreements
