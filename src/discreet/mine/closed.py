"""Closed itemsets: the largest itemset of each group with the same rows.

They keep every support of the frequent itemsets in a smaller collection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.mine.database import Database
from discreet.mine.kernels import count_itemsets, list_itemsets, with_empty
from discreet.mine.support import least_support

if TYPE_CHECKING:
    from typing import Unpack

    from discreet.mine.itemsets import Counts, Itemsets
    from discreet.mine.limits import Limits


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
        Closed itemsets with more items are left out; those kept are closed in all data.
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
    >>> [(sorted(items), support) for items, support in dc.closed(baskets, min_support=2)]
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
    >>> dc.count_closed(dc.Transactions.from_iterable([{1, 2}, {1, 2}]), min_support=1).by_size
    (0, 0, 1)
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return count_itemsets("closed", _native.count_closed, database, support, max_size, **limits)
