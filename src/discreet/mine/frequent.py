"""Frequent itemsets: all that occur often enough.

Depth-first search over projections of the collapsed database. An item contained in every
row of a projection doubles the result below it without being searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.limits import search
from discreet.mine.database import (
    Database,
    count_itemsets,
    least_support,
    list_itemsets,
    with_empty,
)

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.mine.itemsets import Counts, Itemsets


def frequent(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    include_empty: bool = False,
    **limits: Unpack[Limits],
) -> Itemsets:
    r"""Return all itemsets contained in at least ``min_support`` rows.

    .. math:: F(D, \sigma) = \{ X : \mathrm{supp}_D(X) \ge \sigma \}

    where :math:`\mathrm{supp}_D(X)` is the number of rows of :math:`D` that contain every
    item of :math:`X` and :math:`\sigma` is ``min_support``.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine.
    min_support : int, optional
        Least number of rows, at least 1; give this or ``min_frequency``.
    min_frequency : float, optional
        Least share of the rows, above 0 and at most 1.
    max_size : int, optional
        Most items in an itemset, at least 1; any number by default.
    include_empty : bool, default False
        Whether the empty itemset, contained in every row, is part of the result.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Itemsets
        In canonical order.

    Raises
    ------
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    Notes
    -----
    Time grows with the number of closed itemsets times their rows, and with the number of
    itemsets returned.

    References
    ----------
    R. Agrawal, T. Imielinski, A. Swami (1993), section 2. T. Uno, M. Kiyomi, H. Arimura
    (2004), LCM ver. 2, for projections and items contained in every row.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"tea", "milk"}, {"tea", "milk"}, {"tea"}])
    >>> [(sorted(items), support) for items, support in dc.mine.frequent(baskets, min_support=2)]
    [(['milk'], 2), (['tea'], 3), (['milk', 'tea'], 2)]
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    found = list_itemsets("frequent", _native.frequent, database, support, max_size, **limits)
    return with_empty(found) if include_empty and database.n_rows >= support else found


def count_frequent(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    **limits: Unpack[Limits],
) -> Counts:
    """Return how many frequent itemsets there are of each size, the empty one not counted.

    Takes the parameters of :func:`frequent` and stores no itemset.

    Examples
    --------
    >>> import discreet as dc
    >>> count_frequent(dc.Transactions.from_iterable([{1, 2}, {1, 2}]), min_support=1).by_size
    (0, 2, 1)
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return count_itemsets("frequent", _native.count_frequent, database, support, max_size, **limits)


# Closed itemsets: the largest itemset of each group with the same rows.
#
# They keep every support of the frequent itemsets in a smaller collection.


def closed(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    include_empty: bool = False,
    **limits: Unpack[Limits],
) -> Itemsets:
    r"""Return the frequent itemsets that have no superset with the same support.

    .. math:: C(D, \sigma) = \{ X \in F(D, \sigma) :
        \mathrm{supp}_D(Y) < \mathrm{supp}_D(X) \text{ for all } Y \supset X \}

    where :math:`F(D, \sigma)` are the itemsets of :func:`discreet.mine.frequent`.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine.
    min_support : int, optional
        Least number of rows, at least 1; give this or ``min_frequency``.
    min_frequency : float, optional
        Least share of the rows, above 0 and at most 1.
    max_size : int, optional
        Closed itemsets with more items are dropped; those kept are closed in all data.
    include_empty : bool, default False
        Whether the empty itemset is part of the result where it is closed: no item is
        contained in every row.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Itemsets
        In canonical order.

    Raises
    ------
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    Notes
    -----
    The support of any frequent itemset is the largest support of a closed superset.

    References
    ----------
    N. Pasquier, Y. Bastide, R. Taouil, L. Lakhal (1999), definition 4. T. Uno et al. (2004),
    theorem 3, for prefix-preserving closure extension.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"tea", "milk"}, {"tea", "milk"}, {"tea"}])
    >>> [(sorted(items), support) for items, support in dc.mine.closed(baskets, min_support=2)]
    [(['tea'], 3), (['milk', 'tea'], 2)]
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    found = list_itemsets("closed", _native.closed, database, support, max_size, **limits)
    if not include_empty or database.n_rows < support:
        return found
    rows_of_item = np.bincount(
        database.items, np.repeat(database.weights, np.diff(database.offsets)), database.n_items
    )
    empty_is_closed = database.n_rows > rows_of_item.max(initial=0)
    return with_empty(found) if empty_is_closed else found


def count_closed(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    **limits: Unpack[Limits],
) -> Counts:
    """Return how many closed itemsets there are of each size, the empty one not counted.

    Takes the parameters of :func:`closed` and stores no itemset.

    Examples
    --------
    >>> import discreet as dc
    >>> dc.mine.count_closed(dc.Transactions.from_iterable([{1, 2}, {1, 2}]), min_support=1).by_size
    (0, 0, 1)
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return count_itemsets("closed", _native.count_closed, database, support, max_size, **limits)


# Maximal itemsets: the frequent ones that cannot grow.
#
# They are the border of the frequent itemsets: every subset of one is frequent, nothing
# beyond is.


def maximal(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    include_empty: bool = False,
    **limits: Unpack[Limits],
) -> Itemsets:
    r"""Return the frequent itemsets that have no frequent proper superset.

    .. math:: M(D, \sigma) = \{ X \in F(D, \sigma) :
        Y \notin F(D, \sigma) \text{ for all } Y \supset X \}

    where :math:`F(D, \sigma)` are the itemsets of :func:`discreet.mine.frequent`.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine.
    min_support : int, optional
        Least number of rows, at least 1; give this or ``min_frequency``.
    min_frequency : float, optional
        Least share of the rows, above 0 and at most 1.
    max_size : int, optional
        Maximal itemsets with more items are dropped; those kept are maximal in all data.
    include_empty : bool, default False
        Whether the empty itemset is part of the result where it is maximal: no item is frequent.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Itemsets
        In canonical order.

    Raises
    ------
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    References
    ----------
    R. Bayardo (1998), section 2. K. Gouda, M. Zaki (2001), GenMax, for the tests of
    maximality along the search.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"tea", "milk"}, {"tea", "milk"}, {"tea"}])
    >>> [(sorted(items), support) for items, support in dc.mine.maximal(baskets, min_support=2)]
    [(['milk', 'tea'], 2)]
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    found = list_itemsets("maximal", _native.maximal, database, support, max_size, **limits)
    if not include_empty or database.n_rows < support or len(found):
        return found
    no_item_is_frequent = not _native.count_frequent(
        database.native, support, 1, _native.Control()
    ).any()
    return with_empty(found) if no_item_is_frequent else found


def count_maximal(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    **limits: Unpack[Limits],
) -> Counts:
    """Return how many maximal itemsets there are of each size, the empty one not counted.

    Takes the parameters of :func:`maximal` and stores no itemset.

    Examples
    --------
    >>> import discreet as dc
    >>> count_maximal(dc.Transactions.from_iterable([{1, 2}, {1, 2}]), min_support=1).by_size
    (0, 0, 1)
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return count_itemsets("maximal", _native.count_maximal, database, support, max_size, **limits)


# In how many rows each of some given itemsets is.


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
