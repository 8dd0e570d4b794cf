"""CHARM: closed frequent itemsets from transaction identifiers.

Each itemset travels with its tidset, the set of transactions that contain it, and joining two
itemsets intersects their tidsets. When one tidset lies inside the other, both itemsets have a
closure in common with their union, so the union takes the place of the smaller one and a whole
branch of the search disappears. An itemset that has been extended as far as its class allows is
closed unless a superset with the same transactions was found before.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic

from discreet import checks
from discreet.mine.textbook.order import Item, in_order, item_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping


@dataclass(slots=True)
class _Pair(Generic[Item]):
    """An itemset and the identifiers of the transactions that contain it."""

    items: frozenset[Item]
    tids: frozenset[int]


def charm(
    transactions: Iterable[Collection[Item]], *, min_support: int
) -> dict[frozenset[Item], int]:
    r"""Return every frequent itemset none of whose proper supersets has the same support.

    .. math:: C(D, \sigma) = \{X \ne \emptyset : |t(X)| \ge \sigma, \; i(t(X)) = X\}

    where

    - :math:`D` are the transactions; equal transactions count separately;
    - :math:`t(X)` is the tidset of :math:`X`: the numbers of the transactions that contain it;
    - :math:`i(Y)` are the items common to all transactions in :math:`Y`;
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
        From itemset to support, smaller itemsets first; the empty itemset is not included, even
        where it is closed.

    Raises
    ------
    ParameterError
        If `min_support` is less than 1.

    Notes
    -----
    :math:`O(|C| \cdot |I| \cdot |D|)` for intersections, with :math:`I` the items, and memory for
    the tidsets along one path of the search. Tidsets are kept whole, where the paper keeps their
    differences to save memory.

    Departure from the thesis: its algorithm 14 replaces :math:`X` by :math:`X \cup Y` in the class
    :math:`[P]` only. What has already gone into the new class :math:`[P_i]` was built from the old
    :math:`X` and must be replaced as well; without this, the thesis' own table 6.1 yields *ce*:3 in
    place of *cef*:3.

    References
    ----------
    M. J. Zaki and C.-J. Hsiao, "CHARM: An Efficient Algorithm for Closed Itemset Mining", SDM 2002,
    theorem 1 and figure 3. B. Kenig, "Practical Approximation Algorithms for Optimal k-Anonymity",
    thesis, 2009, theorem 6.3.5, algorithms 12 to 14.

    Examples
    --------
    >>> found = charm(["acdef", "abe", "cef", "acdf", "cef"], min_support=2)
    >>> for itemset, support in found.items():
    ...     print("".join(sorted(itemset)), support)
    a 3
    e 4
    ae 2
    cf 4
    cef 3
    acdf 2
    """
    min_support = checks.whole("min_support", min_support, at_least=1)
    database = [frozenset(transaction) for transaction in transactions]
    rank = item_ranks(database)
    tids: dict[Item, set[int]] = {item: set() for item in rank}
    for tid, transaction in enumerate(database):
        for item in transaction:
            tids[item].add(tid)
    singles = [
        _Pair(frozenset({item}), frozenset(tids[item]))
        for item in rank
        if len(tids[item]) >= min_support
    ]
    closed: defaultdict[int, dict[frozenset[Item], int]] = defaultdict(dict)
    _extend(singles, min_support, rank, closed)
    found = {itemset: support for same in closed.values() for itemset, support in same.items()}
    return in_order(found, rank)


def _extend(
    pairs: list[_Pair[Item]],
    min_support: int,
    rank: Mapping[Item, int],
    closed: defaultdict[int, dict[frozenset[Item], int]],
) -> None:
    """Add to `closed` what the class `pairs` leads to (algorithms 13 and 14)."""
    pairs.sort(key=lambda pair: (len(pair.tids), sorted(rank[item] for item in pair.items)))
    while pairs:
        first = pairs.pop(0)
        children: list[_Pair[Item]] = []
        later = []
        for other in pairs:
            if first.tids <= other.tids:  # properties 1 and 2 of theorem 6.3.5
                for pair in (first, *children):  # the children too: see Notes of `charm`
                    pair.items |= other.items
                if first.tids == other.tids:  # property 1: `other` has the same closure
                    continue
            else:  # property 4; property 3 cannot arise in increasing order of support
                shared = first.tids & other.tids
                if len(shared) >= min_support:
                    children.append(_Pair(first.items | other.items, shared))
            later.append(other)
        pairs = later
        _extend(children, min_support, rank, closed)
        # The sum of the identifiers narrows the search for a superset with the same transactions.
        same_sum = closed[sum(first.tids)]
        support = len(first.tids)
        if not any(first.items <= items and support == same_sum[items] for items in same_sum):
            same_sum[first.items] = support
