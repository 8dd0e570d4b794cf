"""Nodes of a tree and what they can be asked: parents, levels, codes of values, files, pictures."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.files.packed import write_bytes
from discreet.errors import HierarchyError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.data.hierarchy.sources import Value

MANY = 5000  # leaves; looking for similar names among more takes too long


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Tree:  # noqa: PLW1641 - arrays inside: equal, but no keys
    """Nodes and their parents; see `discreet.data.hierarchy.tree.Hierarchy` for the fields."""

    parent: NDArray[np.int32]
    labels: tuple[Value, ...]
    leaves: tuple[Value, ...]
    name: str | None = None
    leaf_counts: NDArray[np.int64] = field(init=False)
    depths: NDArray[np.int64] = field(init=False)
    _first: NDArray[np.int64] = field(init=False)
    _below: NDArray[np.int64] = field(init=False)
    _cuts: NDArray[np.int64] = field(init=False)
    _code_of: dict[Value, int] = field(init=False)

    def __post_init__(self) -> None:
        above = self.parent.tolist()
        counts = [1] * len(self.leaves) + [0] * (len(above) - len(self.leaves))
        first = list(range(len(above)))
        depths = [0] * len(above)
        for node, parent in enumerate(above[:-1]):  # children before parents
            counts[parent] += counts[node]
            first[parent] = min(first[parent], first[node])
        for node in range(len(above) - 2, -1, -1):  # parents before children
            depths[node] = depths[above[node]] + 1
        for part, values in (("leaf_counts", counts), ("depths", depths), ("_first", first)):
            object.__setattr__(self, part, np.asarray(values, dtype=np.int64))
        below = np.lexsort((self._first, self.parent))  # children by parent, in order of leaves
        cuts = np.searchsorted(self.parent[below], np.arange(len(above) + 1))
        object.__setattr__(self, "_below", below)
        object.__setattr__(self, "_cuts", cuts)
        object.__setattr__(self, "_code_of", {v: code for code, v in enumerate(self.leaves)})
        for array in (self.parent, self.leaf_counts, self.depths, self._first):
            array.flags.writeable = False

    @property
    def n_leaves(self) -> int:
        """Number of values."""
        return len(self.leaves)

    @property
    def n_nodes(self) -> int:
        """Number of values and groups, the root included."""
        return self.parent.size

    @property
    def root(self) -> int:
        """The node above all others, which is the last one."""
        return self.parent.size - 1

    @property
    def depth(self) -> int:
        """Steps from the root to the farthest leaf."""
        return int(self.depths.max())

    @property
    def is_flat(self) -> bool:
        """Whether values can only be kept or suppressed."""
        return self.depth <= 1

    def node_of(self, label: Value) -> int:
        """Return the node of a value, or else of the one group with this label.

        Raises
        ------
        HierarchyError
            If there is none, or several groups of different levels share the label.
        """
        code = self._codes([label])[0]
        if code >= 0:
            return code
        found = self._groups_of(label)
        if len(found) > 1:
            raise HierarchyError(f"{self._who()} has {len(found)} groups labelled {label!r}.")
        if not found:
            raise HierarchyError(f"{self._who()} has no {label!r}. {self._similar(label)}")
        return found[0]

    def _groups_of(self, label: object) -> list[int]:
        """Return the nodes of the groups with a label."""
        return groups_of(self, label)

    def children(self, node: int) -> tuple[int, ...]:
        """Return the nodes right under a node, in order of their leaves; of a leaf, none."""
        start, end = self._cuts[self._checked(node) : node + 2]
        return tuple(self._below[start:end].tolist())

    def ancestors(self, node: int) -> tuple[int, ...]:
        """Return the nodes above a node, from its parent to the root."""
        above = []
        at = int(self.parent[self._checked(node)])
        while at >= 0:
            above.append(at)
            at = int(self.parent[at])
        return tuple(above)

    def leaves_under(self, node: int) -> range:
        """Return the leaves of a node, which stand together."""
        first = int(self._first[self._checked(node)])
        return range(first, first + int(self.leaf_counts[node]))

    def level_nodes(self) -> NDArray[np.int32]:
        """Return for each leaf its nodes from itself to the root, `depth` + 1 of them.

        Levels are counted from the root; a leaf that is nearer to it repeats itself first.
        """
        nodes = np.empty((len(self.leaves), self.depth + 1), dtype=np.int32)
        at = np.arange(len(self.leaves), dtype=np.int32)
        for level in range(self.depth + 1):
            nodes[:, level] = at
            at = np.where(self.depths[at] == self.depth - level, self.parent[at], at)
        return nodes

    def covers(self, values: Iterable[Value]) -> bool:
        """Return whether every value is a leaf."""
        return -1 not in self._codes(values)

    def encode(self, values: Iterable[Value]) -> NDArray[np.int32]:
        """Return the leaf of each value.

        Raises
        ------
        HierarchyError
            If a value is not a leaf, naming the first few, and the nearest leaf.
        """
        known = list(values)
        codes = self._codes(known)
        if -1 not in codes:
            return np.asarray(codes, dtype=np.int32)
        missing = list(dict.fromkeys(v for v, code in zip(known, codes, strict=True) if code < 0))
        shown = ", ".join(map(repr, missing[:3])) + (", ..." if len(missing) > 3 else "")
        raise HierarchyError(
            f"{self._who()} lacks {len(missing)} of the values: {shown} (first at row "
            f"{codes.index(-1)}). {self._similar(missing[0])} Add a line for each value it lacks."
        )

    def to_levels(self) -> list[tuple[Value, ...]]:
        """Return a row for each leaf, from it to the root, all of the same length.

        A leaf that is nearer to the root than others repeats itself as text.
        """
        texts = list(map(str, self.labels))
        return [
            (leaf, *(texts[n] for n in nodes[1:]))
            for leaf, nodes in zip(self.leaves, self.level_nodes().tolist(), strict=True)
        ]

    def to_csv(
        self, path: str | os.PathLike[str], *, delimiter: str = ";", overwrite: bool = True
    ) -> None:
        """Write a line for each leaf, ``leaf;group;...;root``, all or nothing.

        Leaves that are numbers become text; a leaf None cannot be written, nor a label with a
        NUL. With ``overwrite=False`` a file that is there is an error.
        """
        if None in self._code_of:
            raise HierarchyError(f"{self._who()} has a leaf None, which a text cannot express.")
        for label in self.labels:
            if not is_writable(str(label)):
                raise HierarchyError(f"{self._who()}: {label!r} cannot be written as UTF-8 text.")
        # What could be taken for the delimiter by a reader who has to guess it is quoted, too.
        special = delimiter if delimiter == ";" and self.depth else f"{delimiter},;"
        rows = self.to_levels()
        lines = (delimiter.join(quoted(str(cell), special) for cell in row) for row in rows)
        write_bytes(path, "".join(f"{line}\n" for line in lines).encode(), overwrite=overwrite)

    def to_dict(self) -> dict[str, object]:
        """Return all of it in types that JSON knows, for `Hierarchy.from_dict`.

        Leaves that are dates or decimals are refused, as they would come back as text.
        """
        for leaf in self.leaves:
            if not (leaf is None or isinstance(leaf, (str, int, float))):
                raise HierarchyError(f"{self._who()} has a leaf {leaf!r}; JSON has no such kind.")
        return {"version": 1, "name": self.name, "levels": [list(row) for row in self.to_levels()]}

    def render(self, *, max_lines: int = 60) -> str:
        """Return a picture of the tree in text, cut off after some lines."""
        lines, waiting = list[str](), [(self.root, "", "")]
        while waiting and len(lines) < max_lines:
            node, start, indent = waiting.pop()
            lines.append(f"{start}{self.labels[node]}")
            inside = self.children(node)
            for child in reversed(inside):
                is_last = child == inside[-1]
                branch, trunk = ("└── ", "    ") if is_last else ("├── ", "│   ")
                waiting.append((child, indent + branch, indent + trunk))
        if waiting:
            lines.append(f"... {self.n_nodes - len(lines)} more")
        return "\n".join(lines)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.name == other.name
            and self.labels == other.labels
            and list(map(type, self.leaves)) == list(map(type, other.leaves))
            and np.array_equal(self.parent, other.parent)
        )

    def __repr__(self) -> str:
        of = "" if self.name is None else f" of '{self.name}'"
        return (
            f"Hierarchy{of}: {self.n_leaves} leaves, {self.n_nodes} nodes, depth {self.depth}, "
            f"root {self.labels[-1]!r}"
        )

    def _codes(self, values: Iterable[object]) -> list[int]:
        """Return the leaf of each value, -1 if there is none; 1, 1.0 and True are three."""
        plain = [value.item() if isinstance(value, np.generic) else value for value in values]
        try:
            codes = [self._code_of.get(value, -1) for value in plain]  # type: ignore[arg-type] # unhashable ones raise
        except TypeError as error:
            raise HierarchyError(f"{self._who()}: a value cannot be a leaf: {error}.") from None
        if not set(map(type, plain)) <= {str}:
            codes = [
                code if code >= 0 and type(value) is type(self.leaves[code]) else -1
                for value, code in zip(plain, codes, strict=True)
            ]
        return codes

    def _checked(self, node: int) -> int:
        if not 0 <= node < self.n_nodes:
            raise HierarchyError(f"{self._who()} has nodes 0 to {self.root}, not {node}.")
        return node

    def _who(self) -> str:
        return "The hierarchy" if self.name is None else f"The hierarchy of column '{self.name}'"

    def of_other_kind(self, value: Value) -> str | None:
        """Say that a leaf reads like a value and is of another kind, if there is such a leaf."""
        if not isinstance(value, str) and str(value) in self._code_of:
            return f"It has the text {str(value)!r} instead: build it with numbers as leaves."
        if isinstance(value, str) and any(str(leaf) == value for leaf in self.leaves):
            return f"It has the number {value} instead: build it with text as leaves."
        return None

    def similar(self, value: Value) -> Value:
        """Return the leaf that reads most like a value, or None if none does, or too many are."""
        if value is None or len(self.leaves) > MANY:
            return None
        texts = {str(leaf).lower(): leaf for leaf in reversed(self.leaves)}
        near = get_close_matches(str(value).lower(), texts, n=1, cutoff=0.7)
        return texts[near[0]] if near else None

    def _similar(self, value: Value) -> str:
        if len(self.leaves) > MANY:
            return self.of_other_kind(value) or f"It has {len(self.leaves)} others."
        return self.of_other_kind(value) or did_you_mean(str(value), map(str, self.leaves))


def groups_of(tree: Tree, label: object) -> list[int]:
    """Return the nodes of the groups with a label, the lower ones first."""
    return [n for n in range(tree.n_leaves, tree.n_nodes) if tree.labels[n] == label]


def thinned(tree: Tree, gone: NDArray[np.bool_]) -> tuple[Tree, NDArray[np.int32]]:
    """Return a tree without some groups, and for each node before its number now, -1 if gone."""
    above = tree.parent.copy()
    for node in range(tree.root - 1, -1, -1):  # parents before children
        if gone[above[node]]:
            above[node] = above[above[node]]
    number = np.where(gone, -1, np.cumsum(~gone) - 1).astype(np.int32)
    parent = np.append(number[above[~gone][:-1]], -1).astype(np.int32)
    labels = tuple(tree.labels[node] for node in np.flatnonzero(~gone).tolist())
    return Tree(parent=parent, labels=labels, leaves=tree.leaves, name=tree.name), number


# Labels as text: quoted in a file so that they come back the same, plain in a terminal.

# A line end or a byte order mark bare in the file would be taken for the file's own.
_BARE = re.compile(r'[^"\r\n\ufeff]+')


def quoted(label: str, delimiters: str = ";") -> str:
    """Return a label as a cell of a delimited file, in quotes if it needs them.

    Examples
    --------
    >>> quoted("[20, 30)"), quoted("[20, 30)", ",;"), quoted('a "b"').count('"')
    ('[20, 30)', '"[20, 30)"', 6)
    """
    if _BARE.fullmatch(label) and not any(each in label for each in delimiters):
        return label
    return '"' + label.replace('"', '""') + '"'


def is_writable(label: str) -> bool:
    r"""Return whether a label can stand in a text file in UTF-8.

    Examples
    --------
    >>> is_writable("naïve\n"), is_writable("a\0"), is_writable("\ud800")
    (True, False, False)
    """
    return "\0" not in label and not re.search("[\ud800-\udfff]", label)


def printable(label: object) -> str:
    r"""Return a label on one line, with escapes in place of what a terminal would act on.

    Examples
    --------
    >>> printable("naïve"), printable("a\x1b[2J\n")
    ('naïve', 'a\\x1b[2J\\n')
    """
    text = str(label)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
