"""The FP-tree: a table of transactions folded into a prefix tree.

Infrequent items are dropped and the rest of each transaction is sorted by decreasing support, so
that transactions share long prefixes; each node counts the transactions that pass through it. A
header table leads from an item to all its nodes, and the paths from these nodes up to the root are
the table of the transactions that contain the item. `fp_growth` and `closet` both mine it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic

from discreet.mine.textbook.order import Item

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence


@dataclass(slots=True)
class Node(Generic[Item]):
    """One item on a path of the tree.

    Attributes
    ----------
    item : item or None
        The item; None at the root only.
    parent : Node or None
        The node above; None at the root only.
    count : int
        Number of transactions whose path passes through this node.
    children : dict
        From item to the node below.
    """

    item: Item | None = None
    parent: Node[Item] | None = None
    count: int = 0
    children: dict[Item, Node[Item]] = field(default_factory=dict)

    def path(self) -> list[Item]:
        """Return the items above this node, the nearest first."""
        items = []
        node = self.parent
        while node is not None and node.item is not None:
            items.append(node.item)
            node = node.parent
        return items


class FPTree(Generic[Item]):
    """The FP-tree of a table, or of the conditional table of an itemset.

    Parameters
    ----------
    table : sequence of pairs (items, count)
        The transactions, each with the number of times it occurs.
    min_support : int
        Items of smaller support are dropped.
    rank : mapping from item to number
        Item order; it settles which of two items of equal support comes first.
    without : collection of items
        Items dropped whatever their support.

    Attributes
    ----------
    support : dict
        From frequent item to its support in the table, in decreasing order of support.
    header : dict
        From frequent item to its nodes, in the same order.
    root : Node
        The root, which carries no item.

    References
    ----------
    J. Han, J. Pei and Y. Yin, "Mining Frequent Patterns without Candidate Generation", SIGMOD 2000,
    definition 1 and algorithm 1. B. Kenig, thesis, 2009, section 6.2.1.

    Examples
    --------
    >>> table = [(set(items), 1) for items in ("acdef", "abe", "cef", "acdf", "cef")]
    >>> tree = FPTree(table, min_support=2, rank={item: ord(item) for item in "abcdef"})
    >>> tree.support
    {'c': 4, 'e': 4, 'f': 4, 'a': 3, 'd': 2}
    >>> tree.conditional_table("f")
    [(['e', 'c'], 3), (['c'], 1)]
    """

    def __init__(
        self,
        table: Sequence[tuple[Collection[Item], int]],
        *,
        min_support: int,
        rank: Mapping[Item, int],
        without: Collection[Item] = (),
    ) -> None:
        support: Counter[Item] = Counter()
        for items, count in table:  # first scan: supports
            for item in items:
                support[item] += count
        kept = [item for item in support if support[item] >= min_support and item not in without]
        kept.sort(key=lambda item: (-support[item], rank[item]))
        position = {item: number for number, item in enumerate(kept)}

        self.support: dict[Item, int] = {item: support[item] for item in kept}
        self.header: dict[Item, list[Node[Item]]] = {item: [] for item in kept}
        self.root: Node[Item] = Node()
        for items, count in table:  # second scan: paths
            node = self.root
            for item in sorted(position.keys() & items, key=position.__getitem__):
                child = node.children.get(item)
                if child is None:
                    child = node.children[item] = Node(item, node)
                    self.header[item].append(child)
                child.count += count
                node = child

    def conditional_table(self, item: Item) -> list[tuple[list[Item], int]]:
        """Return the transactions with `item`, cut down to the items before it in the header."""
        return [(node.path(), node.count) for node in self.header[item]]

    def trunk(self) -> list[Node[Item]]:
        """Return the nodes from the root down to the first fork or leaf, without the root."""
        nodes = []
        node = self.root
        while len(node.children) == 1:
            (node,) = node.children.values()
            nodes.append(node)
        return nodes
