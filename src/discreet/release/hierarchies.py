"""The hierarchies that a release states: anybody can see that every released value is a node.

Only the nodes that are released and those above them are stated. What lies below is not: a value
that one person has would leave with its group, and how many values there are, too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import DataError, DiscreetError, HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.data.column import Label
    from discreet.data.hierarchy.nodes import Tree

HIERARCHIES_FILE = "hierarchies.json"

ROOT = "*"  # what a suppressed cell shows, besides nothing

Text: TypeAlias = str | None


@dataclass(frozen=True, slots=True)
class Node:
    """One node that a release states.

    Parameters
    ----------
    label : str or None
        As text; None is a missing value.
    parent : int or None
        The place of the node above in the list of nodes, which comes before; None for the root.
    height : int
        How many groups lie one in another below it, at the most; 0 for a value.
    """

    label: Text
    parent: int | None
    height: int


@dataclass(frozen=True, slots=True)
class StatedHierarchy:
    """The released nodes of a column and those above them, each after the one above it.

    Examples
    --------
    >>> jobs = Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}})
    >>> print(stated_hierarchy("job", jobs, ["food", "coder"]))
    * (height 2)
      food (height 1)
      tech (height 1)
        coder (height 0)
    """

    nodes: tuple[Node, ...]

    def find(self, label: Label) -> Node | None:
        """Return the node of a released label, the lowest if several bear it; else None."""
        text = None if label is None else str(label)
        found = [node for node in self.nodes if node.label == text]
        return min(found, key=lambda node: node.height, default=None)

    def __str__(self) -> str:
        """Draw the nodes, each indented under the one above it."""
        depth: list[int] = []
        for node in self.nodes:
            depth.append(0 if node.parent is None else depth[node.parent] + 1)
        below: dict[int | None, list[int]] = {}
        for place, node in enumerate(self.nodes):
            below.setdefault(node.parent, []).append(place)
        lines, waiting = [], [0]
        while waiting:
            place = waiting.pop()
            node = self.nodes[place]
            lines.append(f"{'  ' * depth[place]}{node.label} (height {node.height})")
            waiting.extend(reversed(below.get(place, [])))
        return "\n".join(lines)


def stated_hierarchy(
    column: str, hierarchy: Hierarchy, released: Iterable[Label]
) -> StatedHierarchy:
    """Return what a release states of a hierarchy: its released nodes and those above them.

    A group of one member is a node, as released rows may show it.

    Parameters
    ----------
    column : str
        The column.
    hierarchy : Hierarchy
        The whole hierarchy, with all values.
    released : iterable
        What the cells of the column show: values or labels of groups. What is no node, such as
        the mark of a suppressed cell, is passed over.

    Returns
    -------
    StatedHierarchy
        Labels as text: numbers among texts would disclose which of the values occur.

    Raises
    ------
    HierarchyError
        If a label is not text that a file can hold, or two values read the same.
    """
    texts = {None if label is None else str(label) for label in released}
    tree = hierarchy.full
    heights = node_heights(tree)
    shown = [
        node
        for node, label in enumerate(tree.labels)
        if (None if label is None and node < tree.n_leaves else str(label)) in texts
        # A group in one of the same label is that one: what is in it, is not stated.
        and (node < tree.n_leaves or node == tree.root or label != tree.labels[tree.parent[node]])
    ]
    kept = sorted({tree.root, *shown, *(up for node in shown for up in tree.ancestors(node))})
    # From the root down, by label: the order says nothing of what was left out.
    labels = {node: None if tree.labels[node] is None else str(tree.labels[node]) for node in kept}
    order = sorted(
        kept,
        key=lambda node: [
            (labels[up] or "", labels[up] is None, heights[up])
            for up in reversed((node, *tree.ancestors(node)))
        ],
    )
    if tree.root < tree.n_leaves and tree.root not in shown:  # the only value, suppressed
        labels[tree.root], heights[tree.root] = ROOT, 1
    place = {node: at for at, node in enumerate(order)}
    nodes = tuple(
        Node(
            labels[node],
            None if node == tree.root else place[int(tree.parent[node])],
            heights[node],
        )
        for node in order
    )
    _refuse_unwritable(column, nodes)
    return StatedHierarchy(nodes)


def node_heights(tree: Tree) -> list[int]:
    """Return for each node how many groups lie one in another below it, at the most.

    Examples
    --------
    >>> node_heights(Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}}))
    [0, 0, 0, 1, 2]
    """
    heights = [0] * tree.n_nodes
    for node, above in enumerate(tree.parent.tolist()[:-1]):  # children before parents
        heights[above] = max(heights[above], heights[node] + 1)
    return heights


def _refuse_unwritable(column: str, nodes: tuple[Node, ...]) -> None:
    """Refuse labels that a file cannot hold, and two values with one text."""
    values = [node.label for node in nodes if node.height == 0]
    try:
        for node in nodes:
            (node.label or "").encode()
    except UnicodeEncodeError:
        values = ["", ""]
    if len(set(values)) < len(values):
        raise HierarchyError(
            f"The hierarchy of column '{column}' cannot be stated in {HIERARCHIES_FILE}: it "
            "would not come back as it is.",
            column=column,
            remedy="Give its values and groups labels of their own, in UTF-8.",
        )


def restated(stated: StatedHierarchy, released: Iterable[Label]) -> StatedHierarchy:
    """Return what is left of a stated hierarchy where a release shows less than before."""
    texts = {None if label is None else str(label) for label in released}
    kept = {0}
    for place, node in enumerate(stated.nodes):
        at: int | None = place if node.label in texts else None
        while at is not None:
            kept.add(at)
            at = stated.nodes[at].parent
    order = sorted(kept)
    new = {old: at for at, old in enumerate(order)}
    found = []
    for old in order:
        node = stated.nodes[old]
        found.append(
            Node(node.label, None if node.parent is None else new[node.parent], node.height)
        )
    return StatedHierarchy(tuple(found))


# The file, and how it is read back.


def hierarchies_text(hierarchies: Mapping[str, StatedHierarchy]) -> str:
    """Return the content of ``hierarchies.json``: of each node its label, parent and height.

    Examples
    --------
    >>> tree = stated_hierarchy("sex", Hierarchy.flat(["f", "m"]), ["f"])
    >>> print(hierarchies_text({"sex": tree}))
    {"columns": {"sex": [["*", null, 1], ["f", 0, 0]]}, "version": 2}
    """
    columns = {
        name: [[node.label, node.parent, node.height] for node in stated.nodes]
        for name, stated in hierarchies.items()
    }
    values = {"version": 2, "columns": columns}
    return json.dumps(values, ensure_ascii=False, sort_keys=True) + "\n"


def read_hierarchies(
    text: str,
) -> tuple[dict[str, StatedHierarchy], dict[str, Hierarchy]]:
    """Return column to what is stated, and, of a file of version 1, to the whole hierarchy.

    A file of version 1 goes with a certificate of version 1; it lists all values.

    Raises
    ------
    DataError
        If the text is something else.
    """
    try:
        values = json.loads(text)
        if values["version"] == 1:
            whole = {
                name: Hierarchy.from_dict(cast("dict[str, object]", stored))
                for name, stored in values["columns"].items()
            }
            return {}, whole
        if values["version"] != 2:
            raise DataError(f"{HIERARCHIES_FILE} is of another version. Use a newer discreet.")
        stated = {name: _read(nodes) for name, nodes in values["columns"].items()}
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, DiscreetError):
            raise
        raise DataError(f"{HIERARCHIES_FILE} does not hold hierarchies.") from None
    return stated, {}


def _read(stored: list[list[object]]) -> StatedHierarchy:
    """Return the nodes of a column."""
    nodes = []
    for place, (label, parent, height) in enumerate(stored):
        is_root = place == 0
        if not (
            (label is None or isinstance(label, str))
            and (parent is None if is_root else type(parent) is int and 0 <= parent < place)
            and type(height) is int
            and height >= 0
        ):
            raise ValueError("no node")
        nodes.append(Node(label, cast("int | None", parent), height))
    if not nodes:
        raise ValueError("no root")
    return StatedHierarchy(tuple(nodes))
