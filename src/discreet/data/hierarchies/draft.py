"""From a draft of nodes and parents to a laminar tree: checked, collapsed and numbered.

A node is its path from the root. Chains of only children become one node, a group with the
label of its parent dissolves into it, and what could not be told apart in print is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import HierarchyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Value: TypeAlias = str | int | float | bool | Decimal | date | time | timedelta | None
VALUES = (str, int, float, Decimal, date, time, timedelta)


@dataclass(slots=True)
class Draft:
    """A tree as its source tells it; children in order of `add`.

    Attributes
    ----------
    parents : list of int
        Parent of each node, -1 for the root.
    labels : list of values
        Text for a group, the value itself for a leaf.
    is_leaf : list of bool
        Whether the node is a value of the column.
    places : list of str
        Where each node comes from, such as ``line 3``, for messages.
    """

    parents: list[int] = field(default_factory=list)
    labels: list[Value] = field(default_factory=list)
    is_leaf: list[bool] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    leaf_of: dict[Value, int] = field(default_factory=dict)
    group_of: dict[tuple[int, str], int] = field(default_factory=dict)

    def add_group(self, parent: int, label: object, place: str = "") -> int:
        """Return the number of a group, added if its parent has none of this label."""
        if not isinstance(label, str):
            raise HierarchyError(f"{_at(place)}the group {label!r} is not text; write it as text.")
        known = self.group_of.get((parent, label))
        if known is None:
            known = self._add(parent, label, is_leaf=False, place=place)
            self.group_of[parent, label] = known
        return known

    def add_leaf(self, parent: int, value: object, place: str = "") -> int:
        """Add a value of the column, once; the same again at the same place is merged."""
        if isinstance(value, np.generic):
            value = value.item()
        if not (value is None or isinstance(value, VALUES)) or value != value:  # noqa: PLR0124 - NaN
            raise HierarchyError(f"{_at(place)}{value!r} is not text, a number, a date or None.")
        known = self.leaf_of.get(value)
        if known is None:
            self.leaf_of[value] = self._add(parent, value, is_leaf=True, place=place)
            return self.leaf_of[value]
        if self.parents[known] != parent or type(self.labels[known]) is not type(value):
            raise HierarchyError(
                f"The value {value!r} stands twice, {self.where(known)} and "
                f"{_under(self, parent, place)}; keep one."
            )
        return known

    def where(self, node: int) -> str:
        """Say where a node stands: its group and its line."""
        return _under(self, self.parents[node], self.places[node])

    def _add(self, parent: int, label: Value, *, is_leaf: bool, place: str) -> int:
        self.parents.append(parent)
        self.labels.append(label)
        self.is_leaf.append(is_leaf)
        self.places.append(place)
        return len(self.parents) - 1


def grow(draft: Draft) -> tuple[NDArray[np.int32], tuple[Value, ...], int]:
    """Return parents, labels and the number of leaves of the finished tree.

    Leaves come first, then groups from the bottom up, so that every parent has a higher number
    than its children, the root is last and the leaves of each group stand together.

    Parameters
    ----------
    draft : Draft
        One root, at node 0; left as it is.

    Raises
    ------
    HierarchyError
        If a group is empty, or two groups of one level, or two children of one group, have the
        same label.

    Notes
    -----
    Linear in the number of nodes.

    Examples
    --------
    >>> draft = Draft()
    >>> root = draft.add_group(-1, "*")
    >>> only = draft.add_group(root, "only child")
    >>> for parent, value in [(only, "a"), (root, "b")]:
    ...     _ = draft.add_leaf(parent, value)
    >>> grow(draft)
    (array([ 2,  2, -1], dtype=int32), ('a', 'b', '*'), 2)
    """
    children = _children(draft.parents)
    order = _from_root(children)
    only_leaf = _only_leaves(draft, children, order)
    _refuse_empty_groups(draft, children)

    # A padded row (leaf;leaf;...;root) makes groups that are only the leaf again: no ambiguity.
    stands_for_itself = [
        leaf >= 0 and str(draft.labels[leaf]) == draft.labels[node]
        for node, leaf in enumerate(only_leaf)
    ]
    exempt = [leaf or own for leaf, own in zip(draft.is_leaf, stands_for_itself, strict=True)]
    _refuse_equal_groups(draft, order, exempt, draft.parents, draft.labels)

    below = _collapse(draft, children, order)
    parents, labels = _dissolve(draft, children, order, below)
    kept = [node for node in order if parents[node] != _GONE]
    _refuse_equal_siblings(draft, kept, parents, labels)
    _refuse_equal_groups(draft, kept, draft.is_leaf, parents, labels)
    return _number(draft, kept, parents, labels)


_GONE = -2


def _at(place: str) -> str:
    return f"{place}: " if place else ""


def _under(draft: Draft, parent: int, place: str) -> str:
    group = f"under {draft.labels[parent]!r}" if parent >= 0 else "as the root"
    return f"{group} ({place})" if place else group


def _children(parents: list[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(node)
    return children


def _from_root(children: list[list[int]]) -> list[int]:
    """Return all nodes, parents before children; reversed, children stand in their order."""
    order, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children[node])
    return order


def _only_leaves(draft: Draft, children: list[list[int]], order: list[int]) -> list[int]:
    """Return for each node its leaf if it has just one, else -1."""
    only = [-1] * len(children)
    for node in reversed(order):
        if draft.is_leaf[node]:
            only[node] = node
        elif len(children[node]) == 1:
            only[node] = only[children[node][0]]
    return only


def _refuse_empty_groups(draft: Draft, children: list[list[int]]) -> None:
    for node, below in enumerate(children):
        if not below and not draft.is_leaf[node]:
            raise HierarchyError(
                f"The group {draft.labels[node]!r} {draft.where(node)} holds no value; "
                f"give it one or leave it out."
            )


def _refuse_equal_groups(
    draft: Draft, nodes: list[int], exempt: list[bool], parents: list[int], labels: list[Value]
) -> None:
    """Refuse two groups of one label at one depth; nodes come after their parents."""
    depth = {-1: -1}
    seen: dict[tuple[int, Value], int] = {}
    for node in nodes:
        depth[node] = depth[parents[node]] + 1
        other = node if exempt[node] else seen.setdefault((depth[node], labels[node]), node)
        if other != node:
            first, second = sorted((other, node))
            raise HierarchyError(
                f"The group {labels[node]!r} stands {draft.where(first)} and "
                f"{draft.where(second)}: in print they could not be told apart, and a value would "
                f"have two ways up. Rename one, or correct the line."
            )


def _refuse_equal_siblings(
    draft: Draft, kept: list[int], parents: list[int], labels: list[Value]
) -> None:
    seen: dict[tuple[int, str], int] = {}
    for node in kept:
        other = seen.setdefault((parents[node], str(labels[node])), node)
        if other != node:
            first, second = sorted((other, node))
            raise HierarchyError(
                f"{labels[node]!r} stands twice in one group: {draft.where(first)} and "
                f"{draft.where(second)}. Rename one; for a value that is also a group, put the "
                f"value inside the group."
            )


def _collapse(draft: Draft, children: list[list[int]], order: list[int]) -> list[int]:
    """Return for each node the lowest one of its chain of only children."""
    below = list(range(len(children)))
    for node in reversed(order):
        if not draft.is_leaf[node] and len(children[node]) == 1:
            below[node] = below[children[node][0]]
    return below


def _dissolve(
    draft: Draft, children: list[list[int]], order: list[int], below: list[int]
) -> tuple[list[int], list[Value]]:
    """Return new parents and labels; nodes that are no more have the parent _GONE."""
    parents = [_GONE] * len(children)
    labels = list(draft.labels)
    root = below[0]
    parents[root] = -1
    if not draft.is_leaf[root]:
        labels[root] = draft.labels[0]  # the chain at the top keeps the name of the root
    stays = {root: root}  # the node that a node's children hang on
    for node in order:
        if node not in stays:
            continue
        for child in map(below.__getitem__, children[node]):
            same = not draft.is_leaf[child] and labels[child] == labels[stays[node]]
            if not same:
                parents[child] = stays[node]
            stays[child] = stays[node] if same else child
    return parents, labels


def _number(
    draft: Draft, kept: list[int], parents: list[int], labels: list[Value]
) -> tuple[NDArray[np.int32], tuple[Value, ...], int]:
    leaves = [node for node in reversed(kept) if draft.is_leaf[node]]
    groups = [node for node in reversed(kept) if not draft.is_leaf[node]]
    number = {node: place for place, node in enumerate(leaves + groups)}
    number[-1] = -1
    above = np.asarray([number[parents[node]] for node in leaves + groups], dtype=np.int32)
    return above, tuple(labels[node] for node in leaves + groups), len(leaves)
