"""Maximal itemsets: the frequent ones that cannot grow.

They are the border of the frequent itemsets: every subset of one is frequent, nothing
beyond is.
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

    where :math:`F(D, \sigma)` are the itemsets of :func:`discreet.frequent`.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine.
    min_support : int, optional
        Least number of rows, at least 1; give this or ``min_frequency``.
    min_frequency : float, optional
        Least share of the rows, above 0 and at most 1.
    max_size : int, optional
        Maximal itemsets with more items are left out; those kept are maximal in all data.
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
    >>> [(sorted(items), support) for items, support in dc.maximal(baskets, min_support=2)]
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
    >>> dc.count_maximal(dc.Transactions.from_iterable([{1, 2}, {1, 2}]), min_support=1).by_size
    (0, 0, 1)
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return count_itemsets("maximal", _native.count_maximal, database, support, max_size, **limits)
