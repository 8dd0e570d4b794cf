"""The forms a hierarchy is written in: lines of a file, nested mappings, steps and prefixes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from discreet.data.files.packed import read_bytes
from discreet.errors import HierarchyError, ParameterError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray


ROOT = "*"

QUOTED = re.compile(r'(?:^|(?<=[;,]))"(?:[^"]|"")*"')

INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def draft_of_rows(rows: Iterable[tuple[str, object]]) -> Draft:
    """Return the tree of rows from leaf to root, each with the place it comes from."""
    draft = Draft()
    first = ""
    known: dict[tuple[object, ...], int] = {}
    lengths: set[int] = set()
    for place, row in rows:
        if isinstance(row, str) or not isinstance(row, Sequence) or len(row) == 0:
            raise HierarchyError(f"{place}: {row!r} is not a list of labels from leaf to root.")
        if any(isinstance(label, list | dict | set) for label in row):
            raise HierarchyError(f"{place}: {row!r} has a label that is a list; labels are values.")
        first = first or place
        lengths.add(len(row))
        above = tuple(row[1:]) or (str(row[0]),)
        if above not in known:
            if row[0] != "" and "" in above:
                raise HierarchyError(f"{place}: the label of a group is empty; name it.")
            node = -1
            for label in reversed(above):
                node = draft.add_group(node, label, place)
            known[above] = node
            if above[-1] != draft.labels[0]:
                raise HierarchyError(
                    f"{place} ends in {above[-1]!r}, {first} in {draft.labels[0]!r}; all must end "
                    f"in the same root, such as {ROOT!r}. Check the delimiter, too."
                )
        draft.add_leaf(known[above], row[0], place)
    if not first:
        raise HierarchyError("The hierarchy has no lines; give one for each value of the column.")
    if len(lengths) > 1:
        _refuse_shifted_groups(draft)
    return draft


def rows_of_csv(
    source: str | os.PathLike[str], delimiter: str | None, *, numbers: bool
) -> Iterable[tuple[str, Sequence[object]]]:
    """Yield the lines of a file, or of a text with line ends, as rows with their place."""
    if isinstance(source, str) and "\n" in source:
        name, text = "", source
    else:
        name = f"{Path(source)}, "
        content = read_bytes(source)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise HierarchyError(f"{name}line {line} is not UTF-8; save it as UTF-8.") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise HierarchyError(f"{name}line {line} holds a NUL; this is not a text file in UTF-8.")
    if delimiter is None:
        start = QUOTED.sub("", text.lstrip("\r\n")).split("\n", 1)[0]
        delimiter = "," if "," in start and ";" not in start else ";"
    elif not re.fullmatch(r'[^"\r\n]', delimiter):
        raise ParameterError(
            f"delimiter is one character such as ';', not {delimiter!r}.", parameter="delimiter"
        )
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    has_lines = False
    try:
        for row in reader:
            has_lines = has_lines or bool(row)
            place = f"{name}line {reader.line_num}"
            if row:
                yield place, [_number(row[0], place), *row[1:]] if numbers else row
    except csv.Error as error:
        raise HierarchyError(f"{name}line {reader.line_num}: {error}; check quotes.") from None
    if not has_lines:
        raise HierarchyError(f"{name}no lines: give one for each value, leaf;group;...;root.")


def draft_of_mapping(tree: object, root: str | None) -> Draft:
    """Return the tree of nested mappings and lists; see `Hierarchy.from_mapping`."""
    if not isinstance(tree, Mapping) or not tree:
        raise HierarchyError(f"{tree!r} is not a mapping of groups to what they hold.")
    if root is None and len(tree) > 1:
        shown = ", ".join(map(repr, list(tree)[:3]))
        raise HierarchyError(
            f"There are several roots: {shown}; pass {{root}} to join them.", options={"root": ROOT}
        )
    draft = Draft()
    start = -1 if root is None else draft.add_group(-1, root)
    open_now: set[int] = set()  # containers on the way from the root: meeting one is a cycle
    work: list[tuple[int, object, bool]] = [(start, tree, False)]
    while work:
        parent, inside, is_done = work.pop()
        if is_done:
            open_now.discard(id(inside))
            continue
        if id(inside) in open_now:
            raise HierarchyError(
                f"The group {draft.labels[parent]!r} holds itself; a hierarchy has no cycles."
            )
        open_now.add(id(inside))
        work.append((parent, inside, True))
        work.extend(reversed(list(_unpack(draft, parent, inside))))
    if len(draft.parents) == 1:
        raise HierarchyError(f"The root {draft.labels[0]!r} holds no value; give it some.")
    return draft


def draft_of_parents(parents: Mapping[Any, str | None]) -> Draft:
    """Return the tree of a mapping from child to parent; see `Hierarchy.from_parents`."""
    children: dict[Value, list[Value]] = {}
    roots: dict[Value, None] = {}
    for child, parent in parents.items():
        if parent is None:
            roots[child] = None
        else:
            children.setdefault(parent, []).append(child)
    roots.update(dict.fromkeys(label for label in children if label not in parents))
    if len(roots) > 1:
        shown = ", ".join(map(repr, list(roots)[:3]))
        raise HierarchyError(f"There are several roots: {shown}; give them a parent {ROOT!r}.")
    if not parents:
        raise HierarchyError("The hierarchy is empty; give each value its parent.")
    draft = Draft()
    work: list[tuple[int, Value]] = [(-1, root) for root in roots]
    while work:
        above, label = work.pop()
        if label in children:
            node = draft.add_group(above, label)
            work.extend((node, child) for child in reversed(children[label]))
        else:
            draft.add_leaf(above, label)
    if len(draft.parents) < len(parents.keys() | children.keys()):
        lost = next(label for label in parents if _is_on_cycle(label, parents))
        raise HierarchyError(f"{lost!r} is its own ancestor; a hierarchy has no cycles.")
    return draft


def _number(text: str, place: str) -> int:
    if not INTEGER.fullmatch(text):
        raise HierarchyError(
            f"{place}: {text!r} is not an integer; read with {{numbers}}.",
            options={"numbers": False},
        )
    return int(text)


def _unpack(draft: Draft, parent: int, inside: object) -> Iterable[tuple[int, object, bool]]:
    """Add what a container holds and yield the containers inside."""
    if isinstance(inside, Mapping):
        for label, held in inside.items():
            if held is None or (isinstance(held, (Mapping, list, tuple)) and not held):
                draft.add_leaf(parent, label)
            elif isinstance(held, (Mapping, list, tuple)):
                yield draft.add_group(parent, label), held, False
            else:
                raise HierarchyError(
                    f"The group {label!r} holds {held!r}; write a list, [{held!r}]. For a mapping "
                    f"from child to parent use Hierarchy.from_parents."
                )
    elif isinstance(inside, (list, tuple)):
        for held in inside:
            if isinstance(held, (Mapping, list, tuple)):
                yield parent, held, False
            else:
                draft.add_leaf(parent, held)


def _is_on_cycle(label: Value, parents: Mapping[Any, str | None]) -> bool:
    above = parents[label]
    for _ in range(len(parents)):
        if above is None or above == label:
            break
        above = parents.get(above)
    return above == label


def _refuse_shifted_groups(draft: Draft) -> None:
    """In rows of unequal length, refuse a label with two parents at any level."""
    seen: dict[Value, int] = {}
    for node, label in enumerate(draft.labels):
        above = draft.parents[node]
        if draft.is_leaf[node] or above < 0 or draft.labels[above] == label:
            continue
        other = seen.setdefault(label, node)
        if draft.parents[other] != above:
            raise HierarchyError(
                f"The group {label!r} stands {draft.where(other)} and {draft.where(node)}, and "
                f"lines are of unequal length; make every line name the same groups above it."
            )


# From a draft of nodes and parents to a laminar tree: checked, collapsed and numbered.
#
# A node is its path from the root. Chains of only children become one node, a group with the
# label of its parent dissolves into it, and labels that are equal in print are an error. What
# was collapsed is kept beside it, for labels and for methods that go level by level.

Value: TypeAlias = str | int | float | bool | Decimal | date | time | timedelta | None

VALUES = (str, int, float, Decimal, date, time, timedelta)


@dataclass(slots=True)
class Draft:
    """A tree as its source has it; children in order of `add`.

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


class Grown(NamedTuple):
    """The nodes of a tree: leaves first, each group after what it holds, the root last."""

    parent: NDArray[np.int32]
    labels: tuple[Value, ...]
    n_leaves: int


def grow(draft: Draft) -> tuple[Grown, Grown, NDArray[np.int32]]:
    """Return the finished tree, the tree with every level, and where each node of it went.

    In the first a chain of only children is one node. In the second every group is a node, but
    for those of a padded row, ``leaf;leaf;...;root``, which are only the leaf again. Leaves are
    numbered alike in both, and the leaves of each group stand together.

    Parameters
    ----------
    draft : Draft
        One root, at node 0; left as it is.

    Returns
    -------
    tree, full : Grown
        Without and with groups of one; the same if there are none.
    node_of : array of int32
        For each node of the second its node in the first.

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
    >>> tree, full, node_of = grow(draft)
    >>> tree
    Grown(parent=array([ 2,  2, -1], dtype=int32), labels=('a', 'b', '*'), n_leaves=2)
    >>> full.labels, node_of.tolist()
    (('a', 'b', 'only child', '*'), [0, 1, 0, 2])
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
    parents, labels, stays = _dissolve(draft, children, order, below)
    kept = [node for node in order if parents[node] != _GONE]
    _refuse_equal_siblings(draft, kept, parents, labels)
    _refuse_equal_groups(draft, kept, draft.is_leaf, parents, labels)
    tree, number = _bounded_number(draft, kept, parents, labels)
    above = _without_padding(draft, children, order)
    shown = [node for node in order if above[node] != _GONE]
    _refuse_equal_siblings(draft, shown, above, draft.labels)  # groups of one member, too
    if len(shown) == len(kept):
        return tree, tree, np.arange(len(kept), dtype=np.int32)
    full, place = _bounded_number(draft, shown, above, draft.labels)
    node_of = np.empty(len(shown), dtype=np.int32)
    for node in shown:
        node_of[place[node]] = number[stays[below[node]]]
    return tree, full, node_of


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
                f"{draft.where(second)}: in print they are equal, and a value would "
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


def _without_padding(draft: Draft, children: list[list[int]], order: list[int]) -> list[int]:
    """Return parents without the groups that are only a leaf again; these are _GONE."""
    is_padding = [False] * len(children)
    for node in reversed(order):
        inside = children[node]
        if len(inside) == 1 and (draft.is_leaf[inside[0]] or is_padding[inside[0]]):
            is_padding[node] = str(draft.labels[inside[0]]) == draft.labels[node]
    above = list(draft.parents)
    for node in order:  # parents before children
        if above[node] >= 0 and is_padding[above[node]]:
            above[node] = above[above[node]]
    return [_GONE if gone else up for gone, up in zip(is_padding, above, strict=True)]


def _dissolve(
    draft: Draft, children: list[list[int]], order: list[int], below: list[int]
) -> tuple[list[int], list[Value], dict[int, int]]:
    """Return new parents and labels, and where each node went; parents that are _GONE went."""
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
    return parents, labels, stays


def _bounded_number(
    draft: Draft, kept: list[int], parents: list[int], labels: list[Value]
) -> tuple[Grown, dict[int, int]]:
    """Return the tree of some nodes, and the number of each."""
    leaves = [node for node in reversed(kept) if draft.is_leaf[node]]
    groups = [node for node in reversed(kept) if not draft.is_leaf[node]]
    number = {node: place for place, node in enumerate(leaves + groups)}
    number[-1] = -1
    above = np.asarray([number[parents[node]] for node in leaves + groups], dtype=np.int32)
    return Grown(above, tuple(labels[node] for node in leaves + groups), len(leaves)), number
