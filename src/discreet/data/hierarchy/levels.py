"""The levels of a hierarchy in a few lines: how many groups, how large, what they are called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.hierarchy.nodes import printable
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from rich.tree import Tree as RichTree

    from discreet.data.hierarchy.nodes import Tree
    from discreet.data.hierarchy.tree import Hierarchy


N_EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level: its number of nodes, the most values under one, and the first few labels."""

    n_nodes: int
    largest: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels(Result):
    """The levels of a hierarchy, from the values to the root."""

    n_leaves: int
    levels: tuple[Level, ...]

    @property
    def sentence(self) -> str:
        """How many values and levels there are."""
        n_above = len(self.levels) - 1
        return (
            f"{self.n_leaves:,} {'value' if self.n_leaves == 1 else 'values'}, "
            f"{n_above} {'level' if n_above == 1 else 'levels'} above them."
        )

    def preview(self) -> Preview:
        """Return a row for each level."""
        rows = [
            (
                str(place),
                f"{level.n_nodes:,}",
                f"{level.largest:,}",
                ", ".join(map(printable, level.examples))
                + (", ..." if level.n_nodes > len(level.examples) else ""),
            )
            for place, level in enumerate(self.levels)
        ]
        header = ("level", "groups", "most values in one", "such as")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all levels, JSON-safe."""
        levels = [
            {"n_nodes": each.n_nodes, "largest": each.largest, "examples": list(each.examples)}
            for each in self.levels
        ]
        return {"n_leaves": self.n_leaves, "levels": levels}


def describe_levels(hierarchy: Hierarchy) -> Levels:
    """Return the levels of a hierarchy; a value nearer to the root stands in several.

    Parameters
    ----------
    hierarchy : Hierarchy
        Any. A group of one member is a level.

    Returns
    -------
    Levels
        From the values, level 0, to the root.

    Examples
    --------
    >>> from discreet.data.hierarchy.tree import Hierarchy
    >>> tree = Hierarchy.from_mapping({"*": {"Europe": ["FR", "DE"], "Asia": ["JP", "IN"]}})
    >>> [(level.n_nodes, level.largest) for level in describe_levels(tree).levels]
    [(4, 1), (2, 2), (1, 4)]
    """
    levels, tree = [], hierarchy.full
    for nodes in tree.level_nodes().T:
        distinct = nodes[np.flatnonzero(np.diff(nodes, prepend=-1))]  # leaves stand together
        ordered = distinct[np.argsort(distinct < tree.n_leaves, kind="stable")]  # groups first
        levels.append(
            Level(
                n_nodes=len(distinct),
                largest=int(tree.leaf_counts[nodes].max()),
                examples=tuple(str(tree.labels[n]) for n in ordered[:N_EXAMPLES].tolist()),
            )
        )
    return Levels(n_leaves=tree.n_leaves, levels=tuple(levels))


# A hierarchy as a picture for the terminal: large groups shortened, labels never markup.


def draw_tree(hierarchy: Hierarchy, *, depth: int = 3, most: int = 10) -> RichTree:
    """Return a picture of a hierarchy for rich.

    Parameters
    ----------
    hierarchy : Hierarchy
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
    >>> from discreet.data.hierarchy.tree import Hierarchy
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

    depth = checks.whole("depth", depth, at_least=1)
    most = checks.whole("most", most, at_least=1)
    tree = hierarchy.full
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
    n = int(tree.leaf_counts[node])
    return label if node < tree.n_leaves else f"{label} ({n:,} {'value' if n == 1 else 'values'})"
