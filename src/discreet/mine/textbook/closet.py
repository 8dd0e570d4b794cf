"""CLOSET: closed frequent itemsets on prefix trees.

Items that occur in every transaction with an itemset belong to its closure, so they join it at once
and leave the conditional tree, which shrinks both tree and recursion. Items are taken from the
smallest support up; whatever would contain an item already dealt with is then recognised because
it lies in a closed itemset of equal support found before. A stretch of the tree without forks is
read off directly: the path down to an item on it is the only closed itemset that ends there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import checks
from discreet.mine.textbook.fp_tree import FPTree
from discreet.mine.textbook.order import in_order, item_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from discreet.mine.textbook.order import Item


def closet(
    transactions: Iterable[Collection[Item]], *, min_support: int
) -> dict[frozenset[Item], int]:
    r"""Return every frequent itemset none of whose proper supersets has the same support.

    .. math:: C(D, \sigma) = \{X \in F(D, \sigma) :
        \operatorname{supp}(Y) < \operatorname{supp}(X) \text{ for all } Y \supsetneq X\}

    where

    - :math:`D` are the transactions; equal transactions count separately;
    - :math:`\operatorname{supp}(X)` is the number of transactions that contain :math:`X`;
    - :math:`F(D, \sigma)` are the itemsets, without the empty one, with support of at least
      :math:`\sigma`;
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
    One conditional tree for each closed itemset at most, each no larger than the table it stands
    for; testing for subsumption looks at the closed itemsets of the same support found so far, in
    the worst case all of them, so the time is quadratic in the output.

    Two readings of the thesis' algorithm 10 matter. "Every ancestor has only one child" (definition
    6.3.1) includes the root, or lemma 6.3.3 fails on abd, acd, b, c. And line 6 removes an item
    from the header only: were it removed from the tree too, ab, ac, a would give b and c in place
    of ab and ac.

    References
    ----------
    J. Pei, J. Han and R. Mao, "CLOSET: An Efficient Algorithm for Mining Frequent Closed Itemsets",
    DMKD 2000. B. Kenig, "Practical Approximation Algorithms for Optimal k-Anonymity", thesis, 2009,
    lemmas 6.3.1 to 6.3.4, algorithms 9 and 10.

    Examples
    --------
    >>> found = closet(["acdef", "abe", "cef", "acdf", "cef"], min_support=2)
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
    table = [(frozenset(transaction), 1) for transaction in transactions]
    rank = item_ranks(items for items, _ in table)
    closed: dict[int, list[frozenset[Item]]] = {}
    tree = FPTree(table, min_support=min_support, rank=rank)
    _closet(frozenset(), tree, min_support, rank, closed)
    found = {itemset: support for support, itemsets in closed.items() for itemset in itemsets}
    return in_order(found, rank)


def _closet(
    prefix: frozenset[Item],
    tree: FPTree[Item],
    min_support: int,
    rank: Mapping[Item, int],
    closed: dict[int, list[frozenset[Item]]],
) -> None:
    """Add to `closed` what `prefix` and the items of `tree` contribute (algorithm 10)."""
    read_off = set()
    for node in reversed(tree.trunk()):  # lines 1-8
        item = node.item
        assert item is not None
        # Definition 6.3.1: on the trunk an item has one node and every ancestor has one child.
        if [child.count for child in node.children.values()] != [node.count]:
            _add(prefix.union(node.path(), {item}), node.count, closed)  # lemma 6.3.3
            read_off.add(item)
    for item in reversed(tree.header):  # lines 9-23, from the smallest support
        support = tree.support[item]
        if item in read_off or _is_subsumed(prefix | {item}, support, closed):  # lemma 6.3.4
            continue
        table = tree.conditional_table(item)
        inside = FPTree(table, min_support=min_support, rank=rank)
        everywhere = {other for other in inside.support if inside.support[other] == support}
        itemset = prefix | {item} | everywhere
        _add(itemset, support, closed)  # lemma 6.3.2
        rest = FPTree(table, min_support=min_support, rank=rank, without=everywhere)
        _closet(itemset, rest, min_support, rank, closed)


def _add(itemset: frozenset[Item], support: int, closed: dict[int, list[frozenset[Item]]]) -> None:
    """Add an itemset unless one already there is a superset of equal support."""
    if not _is_subsumed(itemset, support, closed):
        closed.setdefault(support, []).append(itemset)


def _is_subsumed(
    itemset: frozenset[Item], support: int, closed: Mapping[int, list[frozenset[Item]]]
) -> bool:
    return any(itemset <= other for other in closed.get(support, ()))
