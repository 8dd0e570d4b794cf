"""Frequent itemsets: all that occur often enough.

Depth-first search over projections of the collapsed database. An item contained in every
row of a projection doubles the result below it without being searched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import _native
from discreet.mine.database import Database
from discreet.mine.kernels import count_itemsets, list_itemsets, with_empty
from discreet.mine.support import least_support

if TYPE_CHECKING:
    from typing import Unpack

    from discreet.mine.itemsets import Counts, Itemsets
    from discreet.mine.limits import Limits


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
    >>> [(sorted(items), support) for items, support in dc.frequent(baskets, min_support=2)]
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
    >>> dc.count_frequent(dc.Transactions.from_iterable([{1, 2}, {1, 2}]), min_support=1).by_size
    (0, 2, 1)
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return count_itemsets("frequent", _native.count_frequent, database, support, max_size, **limits)
