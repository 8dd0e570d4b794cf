"""Equality k-suppression: rows that fewer than k share are dropped, the rest is sorted.

Sorting takes the place of shuffling: an order that follows from the released values alone
tells as little as a random one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def k_suppress(rows: NDArray[np.int64], *, k: int) -> NDArray[np.int64]:
    """Return the places of rows that at least k rows equal, sorted by the rows themselves.

    Parameters
    ----------
    rows : array of int, rows by columns
        Codes; a suppressed cell is a code as any other, equal to other suppressed cells and
        to nothing else.
    k : int
        Least number of equal rows that are kept, at least 1.

    Returns
    -------
    array of int
        Places in ``rows``. ``rows[places]`` depends on which rows there are, and not on their
        order.

    Notes
    -----
    One pass is enough: dropping a whole class changes the size of no other. Classes by
    equality, not by containment: a row that others contain is not hidden among them.

    Examples
    --------
    >>> rows = np.array([[1, 0], [0, 0], [1, 0], [0, 1]])
    >>> k_suppress(rows, k=2)
    array([0, 2])
    """
    classes = equal_codes(list(rows.T), len(rows))
    distinct = rows[classes.first]
    order = np.lexsort(distinct.T[::-1]) if len(distinct) else np.empty(0, np.int64)
    rank = np.empty(len(distinct), np.int64)
    rank[order] = np.arange(len(distinct))
    kept = np.flatnonzero(classes.sizes[classes.class_of] >= k)
    sorted_places: NDArray[np.int64] = kept[np.argsort(rank[classes.class_of[kept]], kind="stable")]
    return sorted_places
