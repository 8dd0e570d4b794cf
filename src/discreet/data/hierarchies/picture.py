"""A hierarchy as a picture for the terminal: large groups shortened, labels never markup."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.data.hierarchies.text import printable
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

    from discreet.data.hierarchies.tree import Tree


def draw_tree(tree: Tree, *, depth: int = 3, most: int = 10) -> RichTree:
    """Return a picture of a hierarchy for rich.

    Parameters
    ----------
    tree : Hierarchy
        Any.
    depth : int
        Levels to show under the root.
    most : int
        Nodes to show right under one; the rest are counted.

    Returns
    -------
    rich.tree.Tree
        Groups with their numbers of values.

    Raises
    ------
    ParameterError
        If `depth` or `most` is below 1.

    Examples
    --------
    >>> import rich
    >>> from discreet.data.hierarchy import Hierarchy
    >>> rich.print(draw_tree(Hierarchy.intervals(range(6), steps=[3]), most=2))
    * (6 values)
    ├── [0, 3) (3 values)
    │   ├── 0
    │   ├── 1
    │   └── ... 1 more
    └── [3, 6) (3 values)
        ├── 3
        ├── 4
        └── ... 1 more
    """
    from rich.text import Text
    from rich.tree import Tree as RichTree

    for option, given in (("depth", depth), ("most", most)):
        if given < 1:
            raise ParameterError(f"{option} is at least 1, not {given}.")
    picture = RichTree(Text(_line(tree, tree.root)), highlight=False)
    waiting = [(tree.root, picture, depth)]
    while waiting:
        node, branch, left = waiting.pop()
        inside = tree.children(node)
        if not inside or not left:
            continue
        shown = inside if len(inside) <= most else inside[:most]
        waiting += [(child, branch.add(Text(_line(tree, child))), left - 1) for child in shown]
        if len(shown) < len(inside):
            branch.add(Text(f"... {len(inside) - len(shown):,} more"))
    return picture


def _line(tree: Tree, node: int) -> str:
    """Return a label, for a group with its number of values."""
    label = printable(tree.labels[node]) or "''"  # an empty text, not an empty line
    return label if node < tree.n_leaves else f"{label} ({tree.leaf_counts[node]:,} values)"
