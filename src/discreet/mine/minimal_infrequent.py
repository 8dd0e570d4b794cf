"""Minimal infrequent itemsets (MIIs): the smallest combinations that few rows share.

They are what singles people out: whoever knows the values of an MII of a row is left with
at most ``theta`` rows, and knowing fewer of them leaves more than ``theta``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError
from discreet.mine.database import Database
from discreet.mine.kernels import REMEDY, count_itemsets, list_itemsets
from discreet.mine.limits import search, size_limit

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Counts, Itemsets
    from discreet.mine.limits import Limits

KIND = "minimal infrequent"


def minimal_infrequent(
    data: object, *, theta: int, max_size: int | None = None, **limits: Unpack[Limits]
) -> Itemsets:
    r"""Return the itemsets that occur at most ``theta`` times while all their subsets occur more.

    .. math:: \{ X : 1 \le \mathrm{supp}_D(X) \le \theta, \;
        \mathrm{supp}_D(Y) > \theta \text{ for all } Y \subset X \}

    where :math:`Y` runs over all proper subsets, the empty set (support = number of rows)
    included, and :math:`\theta` is ``theta``.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine. Of a Table, the identifying columns are left out.
    theta : int
        Infrequency threshold, at least 0; ``k - 1`` for k-anonymity.
    max_size : int, optional
        Most items in an itemset, at least 1; any number by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Itemsets
        In canonical order. Empty if there are at most ``theta`` rows: then the empty set is
        infrequent itself and nothing is minimal but it.

    Raises
    ------
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    Notes
    -----
    At most :math:`m \binom{n}{\lfloor n/2 \rfloor}` for :math:`m` rows and :math:`n` columns
    (theorem 3.2). Sets that never occur are not counted; the theorem would fail with them.

    References
    ----------
    D. Haglin, A. Manning (2007), On minimal infrequent itemset mining, definition 1; the
    thesis this package's suppression family follows, definition of section 2.1.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> for items, support in dc.minimal_infrequent(people, theta=1):
    ...     print(sorted(map(str, items)), support)
    ['job=a'] 1
    ['job=b', 'sex=f'] 1
    """
    database = Database.of(data, **limits)
    return list_itemsets(
        KIND, _native.minimal_infrequent, database, _checked(theta), max_size, **limits
    )


def count_minimal_infrequent(
    data: object, *, theta: int, max_size: int | None = None, **limits: Unpack[Limits]
) -> Counts:
    """Return how many minimal infrequent itemsets there are of each size.

    Takes the parameters of :func:`minimal_infrequent` and stores no itemset.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> dc.count_minimal_infrequent(people, theta=1).by_size
    (0, 1, 1)
    """
    database = Database.of(data, **limits)
    return count_itemsets(
        KIND, _native.count_minimal_infrequent, database, _checked(theta), max_size, **limits
    )


def mark_cells(
    data: object, *, theta: int, max_size: int | None = None, **limits: Unpack[Limits]
) -> NDArray[np.bool_]:
    """Return which cells of a table lie in a minimal infrequent itemset of their row.

    The search marks cells as it goes and stores no itemset, so memory does not grow with
    their number, and it skips branches whose cells are all marked.

    Parameters
    ----------
    data : Database of a table, Table or frame
        The table; of a Table, the identifying columns are left out.
    theta : int
        Infrequency threshold, at least 0; ``k - 1`` for k-anonymity.
    max_size : int, optional
        Only itemsets of at most so many items count; any number by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    ndarray of bool
        One row for each row of the table, one column for each column mined.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> dc.mark_cells(people, theta=1)
    array([[False,  True],
           [ True,  True],
           [False, False],
           [False, False]])
    """
    database = Database.of(data, **limits)
    if database.group_of is None:
        raise ParameterError("mark_cells needs a table; transactions have no cells.")
    size = size_limit(max_size)
    with search(f"cells to suppress (theta {theta:,})", REMEDY[KIND], **limits) as running:
        marks = _native.mark_cells(
            database.native, _checked(theta), size, running.control, running.progress
        )
    shape = (database.n_transactions, len(database.columns))
    distinct: NDArray[np.bool_] = marks.view(np.bool_).reshape(shape)
    return distinct.take(database.group_of, axis=0)


def _checked(theta: int) -> int:
    if isinstance(theta, bool) or int(theta) != theta or theta < 0:
        raise ParameterError(f"theta={theta} must be a whole number of rows, at least 0.")
    return int(theta)
