"""FP-growth: frequent itemsets by pattern growth on prefix trees.

The support of *X* with *Y* is the support of *Y* among the transactions that contain *X*, so an
itemset can grow one item at a time inside ever smaller tables. Each such conditional table is held
as an FP-tree and read off the tree one level up; the transactions are scanned only twice and no
candidate is ever generated. When a tree is a single branch, every combination of its items is
frequent and the recursion ends.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from discreet import checks
from discreet.mine.textbook.fp_tree import FPTree
from discreet.mine.textbook.order import in_order, item_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from discreet.mine.textbook.order import Item


def fp_growth(
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
    Two scans of the transactions; then one conditional tree for each frequent itemset that has
    extensions, each no larger than the table it stands for: :math:`O(\lVert D \rVert)` for every
    frequent itemset, with :math:`\lVert D \rVert` the number of item occurrences. Recursion is as
    deep as the largest frequent itemset.

    References
    ----------
    J. Han, J. Pei and Y. Yin, "Mining Frequent Patterns without Candidate Generation", SIGMOD 2000,
    algorithm 2. B. Kenig, "Practical Approximation Algorithms for Optimal k-Anonymity", thesis,
    2009, algorithm 8.

    Examples
    --------
    >>> found = fp_growth(["acdef", "abe", "cef", "acdf", "cef"], min_support=3)
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
    table = [(frozenset(transaction), 1) for transaction in transactions]
    rank = item_ranks(items for items, _ in table)
    frequent: dict[frozenset[Item], int] = {}
    tree = FPTree(table, min_support=min_support, rank=rank)
    _grow(frozenset(), tree, min_support, rank, frequent)
    return in_order(frequent, rank)


def _grow(
    prefix: frozenset[Item],
    tree: FPTree[Item],
    min_support: int,
    rank: Mapping[Item, int],
    frequent: dict[frozenset[Item], int],
) -> None:
    """Add every frequent itemset made of `prefix` and items of `tree` (algorithm 8)."""
    if len(tree.trunk()) == len(tree.support):  # line 1: a single branch, or nothing at all
        items = list(tree.support)
        for size in range(1, len(items) + 1):
            for chosen in combinations(items, size):
                # line 3: counts fall along a branch, so the last item has the smallest
                frequent[prefix.union(chosen)] = tree.support[chosen[-1]]
        return
    for item in reversed(tree.header):  # line 6, from the smallest support
        itemset = prefix | {item}
        frequent[itemset] = tree.support[item]  # line 7
        table = tree.conditional_table(item)
        _grow(
            itemset, FPTree(table, min_support=min_support, rank=rank), min_support, rank, frequent
        )
