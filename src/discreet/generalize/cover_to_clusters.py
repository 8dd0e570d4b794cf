"""From a cover, in which sets may share rows, to clusters, which do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def cover_to_clusters(
    rows: ArrayLike, *, offsets: ArrayLike, n_rows: int, k: int
) -> NDArray[np.int64]:
    r"""Return clusters of ``k`` to ``2k - 1`` rows that cost no more than the cover does.

    As long as two sets share a row: if one of them has more than ``k`` rows, it gives up the
    row; else both have ``k`` and are joined, which makes at most ``2k - 1``.

    Parameters
    ----------
    rows, offsets : arrays of integers
        Set ``i`` of the cover has ``rows[offsets[i]:offsets[i + 1]]``, ascending, ``k`` to
        ``2k - 1`` of them.
    n_rows : int
        Rows of the table; each is in some set.
    k : int
        At least 1.

    Returns
    -------
    array of int64
        The cluster of each row, numbered in the order of their first rows.

    Raises
    ------
    ParameterError
        If the cover is none, or a set has another size.

    Notes
    -----
    Neither step raises :math:`\sum_S d(S)` if costs are monotone and add up over columns
    (lemma 4.1.1 of the thesis). Which shared row is settled first is free: here sets are added
    one after the other, and in each rows in ascending order; the set that was there first gives
    up the row if it can. Near-linear in the size of the cover.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 2.

    Examples
    --------
    >>> cover_to_clusters([0, 1, 2, 2, 3], offsets=[0, 3, 5], n_rows=4, k=2).tolist()
    [0, 0, 1, 1]
    >>> cover_to_clusters([0, 1, 1, 2], offsets=[0, 2, 4], n_rows=3, k=2).tolist()
    [0, 0, 0]
    """
    try:
        return _native.cover_to_clusters(
            np.asarray(offsets, np.int64), np.asarray(rows, np.int64), n_rows, k
        )
    except ValueError as error:
        raise ParameterError(f"This is not a cover for k={k}: {error}.") from None
