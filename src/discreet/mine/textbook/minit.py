"""MINIT: minimal infrequent itemsets by recursion on conditional tables.

An item in at most *theta* transactions is a minimal infrequent itemset by itself; every other one
has a rarest item. Taking the items from the rarest up, the search looks only at the transactions
with that item and, in them, for minimal infrequent itemsets of the items still to come. Each one
found there, together with the item, is infrequent, and it is minimal exactly if it is frequent
without the item.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import checks
from discreet.mine.textbook.order import in_order, item_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from discreet.mine.textbook.order import Item


def minit(transactions: Iterable[Collection[Item]], *, theta: int) -> dict[frozenset[Item], int]:
    r"""Return every itemset that occurs, in at most `theta` transactions, and is minimal so.

    .. math:: M(D, \theta) = \{X : 1 \le \operatorname{supp}(X) \le \theta, \;
        \operatorname{supp}(Y) > \theta \text{ for all } Y \subsetneq X\}

    where

    - :math:`D` are the transactions; equal transactions count separately;
    - :math:`\operatorname{supp}(X)` is the number of transactions that contain :math:`X`, so
      :math:`\operatorname{supp}(\emptyset) = |D|`;
    - :math:`\theta` is the infrequency threshold.

    An itemset that never occurs is not counted, although it lies on the negative border. With at
    most `theta` transactions the empty itemset is infrequent already and nothing is returned. For a
    table, give each record as the set of its pairs (column, value).

    Parameters
    ----------
    transactions : iterable of collections of items
        The database; an item may be any hashable object, repetitions inside a transaction are
        ignored.
    theta : int
        Number of transactions, at least 0.

    Returns
    -------
    dict
        From itemset to support, smaller itemsets first.

    Raises
    ------
    ParameterError
        If `theta` is negative.

    Notes
    -----
    The search visits frequent itemsets, none of which has an item that all transactions of the rest
    contain, and for each of them the itemsets found one level further down:
    :math:`O(|D|)` for each such pair. The result can be as large as
    :math:`|D| \binom{n}{\lfloor n/2 \rfloor}` for transactions of :math:`n` items.

    References
    ----------
    D. J. Haglin and A. M. Manning, "On Minimal Infrequent Itemset Mining", DMIN 2007, algorithm
    MINIT.

    Examples
    --------
    >>> table = [("a", "b"), ("a", "b"), ("a", "c")]
    >>> minit([set(enumerate(record)) for record in table], theta=1)
    {frozenset({(1, 'c')}): 1}
    """
    theta = checks.whole("theta", theta, at_least=0)
    database = [frozenset(transaction) for transaction in transactions]
    rank = item_ranks(database)
    tids: dict[Item, set[int]] = {item: set() for item in rank}
    for tid, transaction in enumerate(database):
        for item in transaction:
            tids[item].add(tid)
    if len(database) <= theta:
        return {}
    found = _minimal_infrequent(
        {item: frozenset(where) for item, where in tids.items()}, len(database), theta, rank
    )
    return in_order(found, rank)


def _minimal_infrequent(
    tids: Mapping[Item, frozenset[int]], n_transactions: int, theta: int, rank: Mapping[Item, int]
) -> dict[frozenset[Item], int]:
    """Return the minimal infrequent itemsets of a table given by its items' transactions.

    The table has `n_transactions` transactions, more than `theta`, and its itemsets are made of the
    keys of `tids`, each of which occurs.
    """
    found = {frozenset({item}): len(where) for item, where in tids.items() if len(where) <= theta}
    # An item of every transaction changes no support, so no minimal itemset has it.
    later = sorted(
        (item for item, where in tids.items() if theta < len(where) < n_transactions),
        key=lambda item: (len(tids[item]), rank[item]),
    )
    while later:
        item = later.pop(0)
        here = tids[item]
        inside = {other: shared for other in later if (shared := tids[other] & here)}
        for rest, support in _minimal_infrequent(inside, len(here), theta, rank).items():
            # Subsets with the item are frequent by the recursion; only this one is left to test.
            if len(frozenset.intersection(*(tids[other] for other in rest))) > theta:
                found[rest | {item}] = support
    return found
