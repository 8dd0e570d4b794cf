"""Apriori: frequent itemsets level by level.

Every subset of a frequent itemset is frequent, so an itemset of size *l* + 1 is worth counting only
if all its subsets of size *l* have been found frequent. The search therefore goes breadth first: it
joins the frequent itemsets of one size into candidates of the next, throws out those with an
infrequent subset, and counts the rest in one scan of the transactions. It stops at the first size
at which nothing is frequent.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

from discreet import checks
from discreet.mine.textbook.order import in_order, item_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from discreet.mine.textbook.order import Item


def apriori(
    transactions: Iterable[Collection[Item]], *, min_support: int
) -> dict[frozenset[Item], int]:
    r"""Return every itemset that at least `min_support` transactions contain.

    .. math:: F(D, \sigma) = \{X \ne \emptyset : |\{T \in D : X \subseteq T\}| \ge \sigma\}

    where

    - :math:`D` are the transactions; equal transactions count separately;
    - :math:`T` is one transaction, the set of its items;
    - :math:`X` is an itemset;
    - :math:`\sigma` is `min_support`.

    Parameters
    ----------
    transactions : iterable of collections of items
        The database; an item may be any hashable object, repetitions inside a transaction are
        ignored.
    min_support : int
        Number of transactions, at least 1.

    Returns
    -------
    dict
        From itemset to support, smaller itemsets first; the empty itemset is not included.

    Raises
    ------
    ParameterError
        If `min_support` is less than 1.

    Notes
    -----
    One scan for each size up to that of the largest frequent itemset. A scan costs
    :math:`O(|D| \cdot |C_l| \cdot l)` with :math:`C_l` the candidates of size :math:`l`; memory is
    that of the candidates of one size. The original keeps the candidates in a hash tree to count
    them; here every candidate is tested against every transaction, which gives the same counts.

    References
    ----------
    R. Agrawal and R. Srikant, "Fast Algorithms for Mining Association Rules", VLDB 1994, figure 1
    (Apriori) and section 2.1.1 (join and prune). B. Kenig, "Practical Approximation Algorithms for
    Optimal k-Anonymity", thesis, 2009, section 6.1.

    Examples
    --------
    >>> found = apriori(["acdef", "abe", "cef", "acdf", "cef"], min_support=3)
    >>> for itemset, support in found.items():
    ...     print("".join(sorted(itemset)), support)
    a 3
    c 4
    e 4
    f 4
    ce 3
    cf 4
    ef 3
    cef 3
    """
    min_support = checks.whole("min_support", min_support, at_least=1)
    database = [frozenset(transaction) for transaction in transactions]
    rank = item_ranks(database)
    item_of = list(rank)
    # An itemset is the increasing tuple of its items' numbers: two of them join on a prefix.
    rows = [frozenset(rank[item] for item in transaction) for transaction in database]

    occurrences: Counter[tuple[int, ...]] = Counter((number,) for row in rows for number in row)
    level = {single: count for single, count in occurrences.items() if count >= min_support}
    frequent = dict(level)
    while level:
        support = dict.fromkeys(_candidates(level), 0)
        for row in rows:
            for candidate in support:
                if row.issuperset(candidate):
                    support[candidate] += 1
        level = {itemset: count for itemset, count in support.items() if count >= min_support}
        frequent.update(level)

    named = {
        frozenset(item_of[number] for number in itemset): count
        for itemset, count in frequent.items()
    }
    return in_order(named, rank)


def _candidates(level: Collection[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the itemsets one larger than those of `level` whose subsets all lie in `level`."""
    known = set(level)
    joined = (
        (*first, second[-1])
        for first, second in combinations(sorted(level), 2)
        if first[:-1] == second[:-1]
    )
    return [
        candidate
        for candidate in joined
        if all(subset in known for subset in combinations(candidate, len(candidate) - 1))
    ]
