"""Cumulate: frequent itemsets whose items may lie anywhere in a taxonomy.

A record supports a node of a taxonomy when it holds a value at or below that node, so it is enough
to add the ancestors of its values to each record and to run Apriori. Cumulate saves work on the
way: ancestors are looked up once, candidates that pair an item with its own ancestor are dropped
because the ancestor adds nothing, and each scan keeps only what some candidate still needs.
`closed_generalized` picks from the result the closed itemsets of a table with one node per column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from discreet import checks
from discreet.errors import DataError, HierarchyError
from discreet.mine.textbook.order import in_order, item_ranks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

Node = tuple[int, Hashable]
"""A node of a column's taxonomy: the number of the column, counted from 0, and the label."""

Hierarchy = Mapping[Any, Hashable]
"""From child to parent. Any: labels are of any type, and a mapping is invariant in its keys."""


def cumulate(
    records: Iterable[Sequence[Hashable]],
    hierarchies: Sequence[Hierarchy],
    *,
    min_support: int,
) -> dict[frozenset[Node], int]:
    r"""Return every frequent set of taxonomy nodes, at most one of them per column.

    .. math:: G(D, \sigma) = \{X \ne \emptyset : |\{R \in D : \forall (j, a) \in X, \;
        R(j) \preceq_j a\}| \ge \sigma, \; |X \cap (\{j\} \times A_j)| \le 1 \; \forall j\}

    where

    - :math:`D` are the records and :math:`R(j)` is the value of record :math:`R` in column
      :math:`j`;
    - :math:`A_j` are the nodes of the taxonomy of column :math:`j`, roots and leaves included;
    - :math:`v \preceq_j a` says that :math:`v` is :math:`a` or one of its descendants;
    - :math:`\sigma` is `min_support`.

    Columns may be absent from an itemset, and roots count as items. An itemset with a root and the
    same itemset without it are therefore both returned, with equal supports.

    Parameters
    ----------
    records : iterable of sequences of values
        The table, one value per column.
    hierarchies : sequence of mappings from child to parent
        One per column; a label without a parent is a root. An empty mapping makes every value a
        root.
    min_support : int
        Number of records, at least 1.

    Returns
    -------
    dict
        From a set of pairs (column, node) to its support, smaller sets first; the empty set is not
        included.

    Raises
    ------
    ParameterError
        If `min_support` is less than 1.
    DataError
        If a record does not have one value per hierarchy.
    HierarchyError
        If a hierarchy has a cycle.

    Notes
    -----
    As `apriori` on records lengthened by the height of their taxonomies: one scan for each itemset
    size, :math:`O(|D| \cdot |C_l| \cdot l)` each. In a table two nodes of a column are either
    ancestor and descendant, which the pruning drops, or share no record; this is why no itemset of
    the result has two nodes of one column.

    References
    ----------
    R. Srikant and R. Agrawal, "Mining Generalized Association Rules", VLDB 1995, section 3.2
    (Cumulate). B. Kenig, "Practical Approximation Algorithms for Optimal k-Anonymity", thesis,
    2009, section 7.3, algorithm 15.

    Examples
    --------
    >>> wear = {"shirts": "clothes", "outwear": "clothes", "jacket": "outwear"}
    >>> feet = {"boots": "footwear", "shoes": "footwear"}
    >>> bought = [("shirts", "boots"), ("jacket", "boots"), ("shirts", "shoes"),
    ...           ("jacket", "shoes")]
    >>> for itemset, support in cumulate(bought, [wear, feet], min_support=3).items():
    ...     print(sorted(itemset), support)
    [(0, 'clothes')] 4
    [(1, 'footwear')] 4
    [(0, 'clothes'), (1, 'footwear')] 4
    """
    min_support = checks.whole("min_support", min_support, at_least=1)
    rows = [list(enumerate(record)) for record in records]
    for number, row in enumerate(rows):
        if len(row) != len(hierarchies):
            raise DataError(
                f"Record {number} has {len(row)} values for {len(hierarchies)} hierarchies; "
                "give one hierarchy per column."
            )
    values = {value for row in rows for value in row}
    ancestors = {value: _ancestors(value, hierarchies) for value in values}  # improvement 1
    extended = [{node for value in row for node in (value, *ancestors[value])} for row in rows]
    rank = item_ranks(extended)
    node_of = list(rank)
    above = [{rank[node] for node in _ancestors(node, hierarchies)} for node in rank]

    occurrences: Counter[tuple[int, ...]] = Counter(
        (rank[node],) for row in extended for node in row
    )
    level = {itemset: count for itemset, count in occurrences.items() if count >= min_support}
    frequent = dict(level)
    while level:
        candidates = _candidates(level, above)
        needed = {node for candidate in candidates for node in candidate}
        counted = dict.fromkeys(candidates, 0)
        for nodes in extended:
            # improvements 2 and 4: ancestors and values that no candidate holds play no part
            present = {rank[node] for node in nodes} & needed
            for candidate in candidates:
                if present.issuperset(candidate):
                    counted[candidate] += 1
        level = {itemset: count for itemset, count in counted.items() if count >= min_support}
        frequent.update(level)
    named = {
        frozenset(node_of[number] for number in itemset): count
        for itemset, count in frequent.items()
    }
    return in_order(named, rank)


def closed_generalized(
    itemsets: Mapping[frozenset[Node], int],
    hierarchies: Sequence[Hierarchy],
) -> dict[tuple[Hashable, ...], int]:
    r"""Return the closed generalized itemsets among the result of `cumulate`.

    A generalized itemset has one node per column. It is closed if no proper specialization, that is
    no other itemset all of whose nodes lie at or below its own, has the same support.

    Parameters
    ----------
    itemsets : mapping from sets of nodes to support
        What `cumulate` returned, complete.
    hierarchies : sequence of mappings from child to parent
        Those given to `cumulate`.

    Returns
    -------
    dict
        From the tuple of nodes, column by column, to its support.

    Notes
    -----
    Linear in the number of itemsets times columns. It is enough to compare an itemset with those
    one step above it: between an itemset and a specialization of equal support lies a chain of
    single steps, all of that support.

    References
    ----------
    B. Kenig, "Practical Approximation Algorithms for Optimal k-Anonymity", thesis, 2009,
    definition 7.4.1.

    Examples
    --------
    >>> digits = {1: "12", 2: "12", 3: "34", 4: "34", "12": "*", "34": "*"}
    >>> letters = {"a": "ab", "b": "ab", "ab": "*", "c": "*"}
    >>> table = [(1, "a"), (1, "b"), (2, "a"), (3, "c"), (4, "c"), (3, "c")]
    >>> found = cumulate(table, [digits, letters], min_support=3)
    >>> closed_generalized(found, [digits, letters])
    {('*', '*'): 6, ('12', 'ab'): 3, ('34', 'c'): 3}
    """
    complete = {
        tuple(node for _, node in sorted(itemset, key=lambda pair: pair[0])): support
        for itemset, support in itemsets.items()
        if len(itemset) == len(hierarchies)
    }
    open_ = {
        above
        for itemset, support in complete.items()
        for column, node in enumerate(itemset)
        if node in hierarchies[column]
        and complete[
            above := (*itemset[:column], hierarchies[column][node], *itemset[column + 1 :])
        ]
        == support
    }
    return {itemset: support for itemset, support in complete.items() if itemset not in open_}


def _ancestors(node: Node, hierarchies: Sequence[Hierarchy]) -> list[Node]:
    """Return the nodes above a node, the nearest first."""
    column, label = node
    parent_of = hierarchies[column]
    labels = [label]
    while labels[-1] in parent_of:
        if parent_of[labels[-1]] in labels:
            raise HierarchyError(
                f"The hierarchy of column {column} has a cycle through {labels[-1]!r}; "
                "give each label at most one parent, up to a root."
            )
        labels.append(parent_of[labels[-1]])
    return [(column, above) for above in labels[1:]]


def _candidates(
    level: Collection[tuple[int, ...]], above: Sequence[set[int]]
) -> list[tuple[int, ...]]:
    """Join and prune as in Apriori, without pairs of a node and its ancestor (improvement 3)."""
    known = set(level)
    joined = (
        (*first, second[-1])
        for first, second in combinations(sorted(level), 2)
        if first[:-1] == second[:-1]
        and first[-1] not in above[second[-1]]
        and second[-1] not in above[first[-1]]
    )
    return [
        candidate
        for candidate in joined
        if all(subset in known for subset in combinations(candidate, len(candidate) - 1))
    ]
