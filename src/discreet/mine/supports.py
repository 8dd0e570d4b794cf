"""In how many rows each of some given itemsets is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.mine.limits import search

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.database import Database
    from discreet.mine.limits import Limits


def supports(
    database: Database,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    *,
    which: NDArray[np.int64] | None = None,
    **limits: Unpack[Limits],
) -> NDArray[np.int64]:
    """Return how many rows contain each of some itemsets, by intersecting bitmaps of rows.

    Parameters
    ----------
    database : Database
        The rows.
    offsets, items : arrays of int
        Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``: at least one item, ascending.
    which : array of int, optional
        The itemsets to count; all by default.
    **limits : Limits
        ``threads``, ``max_memory``, ``progress``.

    Returns
    -------
    array of int64
        One for each itemset counted.

    Raises
    ------
    LimitError
        If the bitmaps need more than ``max_memory``.

    Notes
    -----
    Time is linear in the rows for each itemset, with 64 rows a step; what an itemset starts with
    is intersected once for all that follow and start alike, so canonical order is fastest.

    Examples
    --------
    >>> import discreet as dc
    >>> database = dc.mine.Database.of(dc.Transactions.from_iterable([{1, 2}, {2}, {2, 3}]))
    >>> supports(database, np.array([0, 1, 3]), np.array([1, 0, 2], np.int32)).tolist()
    [3, 0]
    """
    chosen = np.arange(len(offsets) - 1) if which is None else which
    remedy = "Give fewer different items"
    with search("the supports of given itemsets", remedy, **limits) as running:
        return _native.supports(
            database.native, offsets, items, chosen, running.control, running.progress
        )
