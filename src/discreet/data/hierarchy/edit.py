"""A hierarchy that a person changes by hand: values and groups moved, merged, renamed, undone.

Each change gives a new tree and leaves the old one, so that a change is undone by taking the old
one again. Nodes keep their numbers from change to change, so that a screen can show what was open.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from discreet.data.hierarchy.nodes import is_writable, quoted
from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import HierarchyError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

GONE: Final = -2  # the parent of a node that is no more
Edited = TypeVar("Edited", bound="EditedTree")
MOST_COMPARED: Final = 5000  # groups; looking for similar names among more takes too long


@dataclass(frozen=True, slots=True)
class EditedTree:
    """A tree over the values of a column, as text, that is changed step by step.

    Attributes
    ----------
    labels : list of str
        Label of each node.
    parents : list of int
        Parent of each node; -1 for the root, -2 for a node that is no more.
    children : dict of int to list of int
        What is right under each group, in order. A node that is no key is a value.
    root : int
        The node above all others.

    Examples
    --------
    >>> jobs = EditedTree.of(Hierarchy.flat(["cook", "baker", "coder"]))
    >>> jobs = jobs.grouped([0, 1], "food")
    >>> print(jobs.text, end="")
    cook;food;*
    baker;food;*
    coder;coder;*
    >>> print(jobs.moved([2], jobs.group_called("food")).text, end="")
    cook;food;*
    baker;food;*
    coder;food;*
    """

    labels: list[str]
    parents: list[int]
    children: Mapping[int, Sequence[int]]
    root: int

    @classmethod
    def of(cls, tree: Hierarchy) -> Self:
        """Return a hierarchy with every group that it was given, to be changed."""
        whole = tree.full
        labels = [str(label) for label in whole.labels]
        return cls.from_nodes(labels, whole.parent.tolist())

    @classmethod
    def from_nodes(cls, labels: list[str], parents: list[int]) -> Self:
        """Return a tree of labels and parents, numbered as those of a `Hierarchy`."""
        children: dict[int, list[int]] = {}
        for node, parent in enumerate(parents):
            if parent >= 0:
                children.setdefault(parent, []).append(node)
        root = parents.index(-1)
        if not children:  # a hierarchy of one value: it is its own root
            return cls([*labels, "*"], [1, -1], {1: [0]}, 1)
        # Children stand in the order of their first value.
        first = list(range(len(labels)))
        for node, parent in enumerate(parents[:-1]):
            first[parent] = min(first[parent], first[node])
        for inside in children.values():
            inside.sort(key=first.__getitem__)
        return cls(labels, parents, children, root)

    def is_value(self, node: int) -> bool:
        """Say whether a node is a value of the column and no group."""
        return node not in self.children

    def walk(self) -> Iterator[tuple[int, int]]:
        """Yield every node with its depth, each before what is under it, in order."""
        waiting = [(self.root, 0)]
        while waiting:
            node, depth = waiting.pop()
            yield node, depth
            waiting.extend((child, depth + 1) for child in reversed(self.children.get(node, ())))

    def above(self, node: int) -> list[int]:
        """Return the nodes above a node, from its parent to the root."""
        found, at = [], self.parents[node]
        while at >= 0:
            found.append(at)
            at = self.parents[at]
        return found

    def groups(self) -> list[int]:
        """Return the groups in order, each before those in it; the root first."""
        return [node for node, _ in self.walk() if node in self.children]

    def group_called(self, label: str) -> int:
        """Return the one group with a label.

        Raises
        ------
        HierarchyError
            If there is none, naming what is like it, or if there are several.
        """
        found = [node for node in self.children if self.labels[node] == label]
        if len(found) == 1:
            return found[0]
        if found:
            raise HierarchyError(f"There are {len(found)} groups called {label!r}.")
        names = [self.labels[node] for node in self.children]
        like = did_you_mean(label, names) if len(names) <= MOST_COMPARED else ""
        raise HierarchyError(f"There is no group {label!r}.", remedy=like)

    @property
    def text(self) -> str:
        """The tree as a file, a line for each value, as `Hierarchy.to_csv` writes it."""
        cells = [quoted(label) for label in self.labels]
        lines: list[str] = []
        above: list[str] = []  # for each depth the rest of a line, from that group to the root
        longest = max(depth for _, depth in self.walk())
        for node, depth in self.walk():
            if node in self.children:
                del above[depth:]
                rest = above[depth - 1] if depth else ""
                above.append(f"{cells[node]}{';' if depth else ''}{rest}")
            else:
                padding = f"{cells[node]};" * (longest - depth + 1)
                lines.append(f"{padding}{above[depth - 1]}\n")
        return "".join(lines)

    def counted(self, rows: Mapping[str, int]) -> tuple[list[int], list[int]]:
        """Return for each node its number of values, and of rows that have them."""
        n_values, n_rows = [0] * len(self.labels), [0] * len(self.labels)
        for node, _ in reversed(list(self.walk())):
            if node not in self.children:
                n_values[node], n_rows[node] = 1, rows.get(self.labels[node], 0)
            parent = self.parents[node]
            if parent >= 0:
                n_values[parent] += n_values[node]
                n_rows[parent] += n_rows[node]
        return n_values, n_rows

    def lacking(self, values: Iterable[str]) -> list[str]:
        """Return those of some values that are not in the tree."""
        known = {self.labels[node] for node, _ in self.walk() if node not in self.children}
        return [value for value in values if value not in known]

    # Changes.

    def moved(self, nodes: Iterable[int], to: int) -> Self:
        """Return the tree with some values and groups under another group.

        Raises
        ------
        HierarchyError
            If that is no group, or lies in what is moved.
        """
        chosen = self._chosen(nodes)
        if self.is_value(self._known(to)):
            raise HierarchyError(f"{self.labels[to]!r} is a value, not a group.")
        inside = {to, *self.above(to)}
        for node in chosen:
            if node in inside:
                raise HierarchyError(
                    f"The group {self.labels[node]!r} cannot be moved into itself or what it holds."
                )
        return _under(self, dict.fromkeys(chosen, to))

    def grouped(self, nodes: Iterable[int], label: str) -> Self:
        """Return the tree with some values and groups in a new group, where the first of them was.

        It comes under the lowest group that holds them all.
        """
        chosen = self._chosen(nodes)
        return self._in_new_group(chosen, chosen, label)

    def merged(self, nodes: Iterable[int], label: str) -> Self:
        """Return the tree with some groups made one, which holds what each of them held."""
        chosen = self._chosen(nodes)
        if len(chosen) == 1:
            raise HierarchyError("Select two groups or more, to make one of them.")
        members = [each for node in chosen for each in self.children.get(node, (node,))]
        return self._in_new_group(chosen, members, label)

    def renamed(self, node: int, label: str) -> Self:
        """Return the tree with another name for a group."""
        if self.is_value(self._known(node)):
            raise HierarchyError(
                f"{self.labels[node]!r} is a value of the data: put it into a group with the name "
                "that it should be shown by."
            )
        if label == self.labels[node]:
            return self
        labels = self.labels.copy()
        labels[node] = self._new_label(label, but=node)
        return _checked(replace(self, labels=labels))

    def dissolved(self, nodes: Iterable[int]) -> Self:
        """Return the tree without some groups; what each held is in the one above it."""
        chosen = [node for node in dict.fromkeys(nodes) if not self.is_value(self._known(node))]
        if not chosen:
            raise HierarchyError("Select a group: a value cannot be dissolved.")
        if self.root in chosen:
            raise HierarchyError("The root holds everything, and cannot be dissolved.")
        parents, children = self.parents.copy(), dict(self.children)
        for node in chosen:
            above, held = parents[node], children.pop(node)
            beside = list(children[above])
            place = beside.index(node)
            children[above] = [*beside[:place], *held, *beside[place + 1 :]]
            parents[node] = GONE
            for each in held:
                parents[each] = above
        return _checked(replace(self, parents=parents, children=children))

    def with_values(self, values: Iterable[str]) -> Self:
        """Return the tree with more values, right under the root."""
        labels, parents = self.labels.copy(), self.parents.copy()
        top = list(self.children[self.root])
        for value in values:
            top.append(len(labels))
            labels.append(value)
            parents.append(self.root)
        children = {**self.children, self.root: top}
        return _checked(replace(self, labels=labels, parents=parents, children=children))

    # How changes are made.

    def _in_new_group(self, chosen: list[int], members: list[int], label: str) -> Self:
        """Return the tree with a new group that holds some nodes, at the place of the first."""
        above = self._common(chosen)
        labels, parents = [*self.labels, self._new_label(label)], [*self.parents, above]
        new = len(self.labels)
        tops = {path[path.index(above) - 1] if above in path else -1
                for path in ([node, *self.above(node)] for node in chosen)}  # fmt: skip
        first = next(n for n, child in enumerate(self.children[above]) if child in tops)
        beside = list(self.children[above])
        children = {**self.children, above: [*beside[:first], new, *beside[first:]], new: []}
        made = replace(self, labels=labels, parents=parents, children=children)
        return _under(made, dict.fromkeys(members, new))

    def _chosen(self, nodes: Iterable[int]) -> list[int]:
        """Return nodes without those that lie in another of them."""
        given = dict.fromkeys(self._known(node) for node in nodes)
        if not given:
            raise HierarchyError("Select values or groups first.")
        if self.root in given:
            raise HierarchyError("The root holds everything: select what is under it.")
        return [node for node in given if not any(up in given for up in self.above(node))]

    def _known(self, node: int) -> int:
        if not 0 <= node < len(self.labels) or self.parents[node] == GONE:
            raise HierarchyError("What was selected is no longer there; the page shows what is.")
        return node

    def _common(self, nodes: Sequence[int]) -> int:
        """Return the lowest group that holds all of some nodes."""
        seen = Counter(up for node in nodes for up in self.above(node))
        return next(up for up in self.above(nodes[0]) if seen[up] == len(nodes))

    def _new_label(self, label: str, but: int = -1) -> str:
        """Return the name of a group, refusing one that another has."""
        if not label.strip():
            raise HierarchyError("A group needs a name: it is what is published for its values.")
        if not is_writable(label):
            raise HierarchyError(f"{label!r} cannot be written as UTF-8 text.")
        taken = any(self.labels[node] == label for node in self.children if node != but)
        if taken:
            raise HierarchyError(
                f"There is a group {label!r} already: move the others into it, or choose another "
                "name."
            )
        return label


def _under(tree: Edited, under: Mapping[int, int]) -> Edited:
    """Return the tree with nodes under other parents, without groups that hold nothing then."""
    parents, children = tree.parents.copy(), dict(tree.children)
    left: dict[int, set[int]] = {}
    came: dict[int, list[int]] = {}
    for node, to in under.items():
        if parents[node] != to:
            left.setdefault(parents[node], set()).add(node)
            came.setdefault(to, []).append(node)
            parents[node] = to
    for group, gone in left.items():
        children[group] = [each for each in children[group] if each not in gone]
    for group, new in came.items():
        children[group] = [*children[group], *new]
    empty = [group for group in left if not children[group]]
    while empty:
        group = empty.pop()
        if group == tree.root:
            continue
        above = parents[group]
        del children[group]
        parents[group] = GONE
        children[above] = [each for each in children[above] if each != group]
        empty += [above] if not children[above] else []
    return _checked(replace(tree, parents=parents, children=children))


def _checked(tree: Edited) -> Edited:
    """Return the tree, without groups that a file cannot express; refuse what is none."""
    alive = [label for label, _ in _shape(tree)]
    if len(set(alive)) == len(alive):
        return tree
    # Labels that stand twice may be fine, or two ways up for a value: the library decides.
    children, parents = dict(tree.children), tree.parents.copy()
    for group, inside in tree.children.items():
        if group == tree.root or len(inside) != 1 or inside[0] in tree.children:
            continue
        if tree.labels[inside[0]] == tree.labels[group]:  # a line would only repeat the value
            above = parents[group]
            children[above] = [inside[0] if n == group else n for n in children[above]]
            del children[group]
            parents[inside[0]], parents[group] = above, GONE
    made = replace(tree, parents=parents, children=children)
    read = EditedTree.of(Hierarchy.from_csv(made.text))
    if _shape(read) != _shape(made):
        twice = next(
            label for label, n in Counter(label for label, _ in _shape(made)).items() if n > 1
        )
        raise HierarchyError(
            f"{twice!r} would be the name of two that a file cannot tell apart: a group in one "
            "of the same name, or a value beside it. Rename the group."
        )
    return made


def _shape(tree: EditedTree) -> list[tuple[str, int]]:
    return [(tree.labels[node], depth) for node, depth in tree.walk()]
