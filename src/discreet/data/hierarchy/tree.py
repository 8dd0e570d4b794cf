"""Hierarchy: the tree by which the values of one column may be generalized.

Its leaves are the column's values, its root is suppression, and any two groups are nested or
apart. Labels are opaque: nothing is ever computed from what they say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.files.packed import write_bytes
from discreet.data.hierarchy import sources
from discreet.data.hierarchy.sources import grow, rows_of_dates
from discreet.errors import HierarchyError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.hierarchy.sources import Draft, Value


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
        return _groups_of(self, label)

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

    def _similar(self, value: Value) -> str:
        if not isinstance(value, str) and str(value) in self._code_of:
            return f"It has the text {str(value)!r} instead: build it with numbers as leaves."
        if isinstance(value, str) and any(str(leaf) == value for leaf in self.leaves):
            return f"It has the number {value} instead: build it with text as leaves."
        if len(self.leaves) > MANY:
            return f"It has {len(self.leaves)} others."
        return did_you_mean(str(value), map(str, self.leaves))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Hierarchy(Tree):  # noqa: PLW1641 - as for a Tree
    """A laminar tree over the values of one column; immutable, need not be balanced.

    Build one with `from_csv`, `from_levels`, `from_mapping`, `from_parents`, `intervals`,
    `prefixes`, `codes`, `dates` or `flat`. Two groups of one level may not share a label.

    A group of one member says no less than the member, so it costs nothing, and clusters are
    never closed at it: a chain of only children is *one node*, the leaf if it ends in one, else
    the lowest group, and the root keeps its own label. A group with the label of its parent is
    its parent. But it is a *level*: `full` has every group as it was given, and its levels are
    what files, pictures and the full-domain methods show.

    Attributes
    ----------
    full : Tree
        The same leaves under every group that was given.
    node_of_full : array of int32
        For each node of `full` its node here.
    name : str or None
        The column.
    parent : array of int32
        Parent of each node, -1 for the root. Leaves come first, then groups from the bottom
        up: a parent has a higher number than its children, and the root is the last node.
    labels : tuple
        Label of each node; for a leaf, its value.
    leaves : tuple
        The values, in an order in which every group's stand together.
    leaf_counts : array of int64
        Number of leaves under each node, 1 for a leaf.
    depths : array of int64
        Steps from the root to each node.

    Examples
    --------
    >>> places = Hierarchy.from_mapping({"*": {"Europe": ["FR", "DE"], "Asia": ["JP", "IN"]}})
    >>> places
    Hierarchy: 4 leaves, 7 nodes, depth 2, root '*'
    >>> places.encode(["JP", "FR"]).tolist(), [places.labels[n] for n in places.ancestors(0)]
    ([2, 0], ['Europe', '*'])
    >>> print(places.render())
    *
    ├── Europe
    │   ├── FR
    │   └── DE
    └── Asia
        ├── JP
        └── IN
    """

    _full: Tree | None = None
    _node_of_full: NDArray[np.int32] | None = None

    @property
    def full(self) -> Tree:
        """The tree in which a group of one member is a node; without such groups, this one."""
        return self if self._full is None else self._full

    @property
    def node_of_full(self) -> NDArray[np.int32]:
        """For each node of `full` its node here."""
        if self._node_of_full is None:
            return np.arange(self.n_nodes, dtype=np.int32)
        return self._node_of_full

    def path(self, value: Value) -> tuple[str, ...]:
        """Return what a value is shown as, level by level, from itself to the root.

        Examples
        --------
        >>> rows = [("a", "A", "all", "*"), ("b", "B", "all", "*"), ("c", "B", "all", "*")]
        >>> Hierarchy.from_levels(rows).path("a")
        ('a', 'A', 'all', '*')
        """
        leaf, tree = int(self.encode([value])[0]), self.full
        nodes = (leaf, *tree.ancestors(leaf))
        return (
            *[str(value)] * (tree.depth + 1 - len(nodes)),
            *(str(tree.labels[n]) for n in nodes),
        )

    def labelled(self, leaf: int) -> list[tuple[Value, int]]:
        """Return the labels a leaf may be shown as, lowest first, each with its node.

        A label of several levels stands there once for each node that it means.
        """
        tree, node_of = self.full, self.node_of_full
        path = (leaf, *tree.ancestors(leaf))
        return list(dict.fromkeys((tree.labels[n], int(node_of[n])) for n in path))

    def without(self, nodes: Iterable[int]) -> Self:
        """Return the hierarchy without some groups: what each held is in the one above it."""
        gone = np.zeros(self.n_nodes, bool)
        gone[list(nodes)] = True
        gone[: self.n_leaves] = gone[self.root] = False
        if not gone.any():
            return self
        tree, node_of = _thinned(self, gone)
        if self._full is None:
            return type(self)(parent=tree.parent, labels=tree.labels, leaves=tree.leaves,
                              name=self.name)  # fmt: skip
        full, place = _thinned(self.full, gone[self.node_of_full])
        kept = np.flatnonzero(place >= 0)
        return type(self)(
            parent=tree.parent, labels=tree.labels, leaves=tree.leaves, name=self.name,
            _full=full, _node_of_full=node_of[self.node_of_full[kept]].astype(np.int32),
        )  # fmt: skip

    def collapsed(self) -> Self:
        """Return the hierarchy without groups of one member."""
        return type(self)(
            parent=self.parent, labels=self.labels, leaves=self.leaves, name=self.name
        )

    def to_levels(self) -> list[tuple[Value, ...]]:
        """Return a row for each leaf, from it to the root, all of the same length.

        A leaf that is nearer to the root than others repeats itself as text.
        """
        return Tree.to_levels(self.full)

    def render(self, *, max_lines: int = 60) -> str:
        """Return a picture of the tree in text, cut off after some lines."""
        return Tree.render(self.full, max_lines=max_lines)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return Tree.__eq__(self, other) and Tree.__eq__(self.full, other.full)

    def _groups_of(self, label: object) -> list[int]:
        """Return the nodes of the groups with a label, those of one member too."""
        tree, node_of = self.full, self.node_of_full
        return list(dict.fromkeys(int(node_of[n]) for n in _groups_of(tree, label)))

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str],
        *,
        delimiter: str | None = None,
        numbers: bool = False,
        name: str | None = None,
    ) -> Self:
        r"""Return the hierarchy of a file with one line for each value: ``leaf;group;...;root``.

        Parameters
        ----------
        path : path or str
            A file in UTF-8, plain or compressed; or the text itself, if it has a line end.
        delimiter : str, optional
            ``;`` or ``,``, by default the one on the first line, ``;`` if both are.
        numbers : bool
            Whether leaves are integers rather than text.
        name : str, optional
            The column.

        Raises
        ------
        HierarchyError
            If lines disagree, naming them; `DataError` if the file cannot be read.

        Notes
        -----
        This is the form of ARX. Lines may differ in length. Equal lines are merged, blank ones
        skipped, and blanks around labels kept. Linear in the size of the file.

        Examples
        --------
        >>> Hierarchy.from_csv("1;odd;*\n2;even;*\n3;odd;*\n", numbers=True).leaves
        (1, 3, 2)
        """
        rows = sources.rows_of_csv(path, delimiter, numbers=numbers)
        return cls._grown(sources.draft_of_rows(rows), name)

    @classmethod
    def from_levels(cls, rows: Iterable[Sequence[Value]], *, name: str | None = None) -> Self:
        """Return the hierarchy of rows from leaf to root, such as ``("FR", "Europe", "*")``.

        Examples
        --------
        >>> Hierarchy.from_levels([("a", "x", "*"), ("b", "x", "*"), ("c", "*")]).depths.tolist()
        [2, 2, 1, 1, 0]
        """
        numbered = ((f"row {place}", row) for place, row in enumerate(rows))
        return cls._grown(sources.draft_of_rows(numbered), name)

    @classmethod
    def from_mapping(
        cls, tree: Mapping[str, object], *, root: str | None = None, name: str | None = None
    ) -> Self:
        """Return the hierarchy of nested mappings and lists, as from a TOML file.

        Parameters
        ----------
        tree : mapping
            From groups to mappings of groups or lists of values; lists may hold both. A key
            with nothing in it is a value.
        root : str, optional
            Put above everything; needed if the mapping has several keys.
        name : str, optional
            The column.

        Examples
        --------
        >>> Hierarchy.from_mapping({"low": [1, 2], "high": [3, 4]}, root="*").depth
        2
        """
        return cls._grown(sources.draft_of_mapping(tree, root), name)

    @classmethod
    # Any: a mapping of text is not one of Value, keys being invariant.
    def from_parents(cls, parents: Mapping[Any, str | None], *, name: str | None = None) -> Self:
        """Return the hierarchy of a mapping from every value and group to its parent.

        Examples
        --------
        >>> Hierarchy.from_parents({"a": "x", "b": "x", "x": "*", "c": "*"}).leaves
        ('a', 'b', 'c')
        """
        return cls._grown(sources.draft_of_parents(parents), name)

    @classmethod
    def intervals(
        cls,
        values: Iterable[float],
        *,
        steps: Sequence[float] = (5, 10, 20),
        origin: float = 0,
        name: str | None = None,
    ) -> Self:
        """Return a hierarchy of numbers by half-open intervals of growing width.

        Parameters
        ----------
        values : numbers
            The leaves; a range, a list or a column. Repeats are dropped.
        steps : sequence of numbers
            Widths, each a multiple of the one before.
        origin : number
            Where an interval starts.
        name : str, optional
            The column.

        Examples
        --------
        >>> ages = Hierarchy.intervals(range(17, 91), steps=[10, 20])
        >>> [ages.labels[node] for node in ages.ancestors(ages.node_of(39))]
        ['[30, 40)', '[20, 40)', '*']
        """
        rows = sources.rows_of_intervals(values, steps, origin)
        return cls._grown(sources.draft_of_rows(rows), name)

    @classmethod
    def prefixes(
        cls, codes: Iterable[str], *, lengths: Sequence[int] = (3, 2), name: str | None = None
    ) -> Self:
        """Return a hierarchy of codes such as postcodes by their beginnings.

        Parameters
        ----------
        codes : iterable of str
            The leaves. Repeats are dropped.
        lengths : sequence of integers
            How many characters stay, long to short; the rest becomes ``*``.
        name : str, optional
            The column.

        Examples
        --------
        >>> codes = Hierarchy.prefixes(["12345", "12346", "12999", "70000"])
        >>> [codes.labels[node] for node in codes.ancestors(0)]
        ['123**', '12***', '*']
        """
        return cls._grown(sources.draft_of_rows(sources.rows_of_prefixes(codes, lengths)), name)

    @classmethod
    def dates(cls, values: Iterable[str | date], *, name: str | None = None) -> Self:
        """Return a hierarchy of dates by day, month, quarter and year.

        Parameters
        ----------
        values : iterable of dates, times of day with a date, or text
            The leaves; text begins as ``2024-01-31`` does. Repeats are dropped.
        name : str, optional
            The column.

        Examples
        --------
        >>> days = Hierarchy.dates(["2024-01-31", "2024-01-30", "2024-03-01", "2023-05-01"])
        >>> [days.labels[node] for node in days.ancestors(days.node_of("2024-01-31"))]
        ['2024-01', '2024-Q1', '*']
        """
        return cls._grown(sources.draft_of_rows(rows_of_dates(values)), name)

    @classmethod
    def flat(cls, values: Iterable[Value], *, name: str | None = None) -> Self:
        """Return the hierarchy that allows suppression only: every value under ``*``.

        Examples
        --------
        >>> Hierarchy.flat(["a", "b"]).is_flat
        True
        """
        known = dict.fromkeys(values)
        return cls.from_levels([(value, sources.ROOT) for value in known], name=name)

    @classmethod
    def from_dict(cls, stored: Mapping[str, object]) -> Self:
        """Return the hierarchy that `to_dict` stored.

        Examples
        --------
        >>> tree = Hierarchy.flat([1, 2], name="size")
        >>> Hierarchy.from_dict(tree.to_dict()) == tree
        True
        """
        name, levels = stored.get("name"), stored.get("levels")
        if stored.get("version") != 1 or not isinstance(levels, list):
            raise HierarchyError("This is not a stored hierarchy of version 1.")
        return cls.from_levels(levels, name=None if name is None else str(name))

    def with_leaf(self, value: Value, *, under: str | None = None) -> Self:
        """Return the hierarchy with one more value, such as None for a missing one.

        Parameters
        ----------
        value : str, number or None
            Not yet a leaf.
        under : str, optional
            The group it joins, by default the root.

        Examples
        --------
        >>> Hierarchy.flat(["a", "b"]).with_leaf(None).leaves
        ('a', 'b', None)
        """
        if value in self._code_of:
            raise HierarchyError(f"{self._who()} has the value {value!r} already.")
        tree = self.full
        rows = self.to_levels() if tree.depth else [(self.leaves[0], sources.ROOT)]
        groups = [tree.root] if under is None else _groups_of(tree, under)
        if not groups:
            self.node_of(under)  # which says what is like it, if it is no value
            raise HierarchyError(f"{self._who()}: {under!r} is a value, not a group.")
        if under is not None:
            self.node_of(under)  # which refuses one label of several groups
        node = groups[0]  # of a group in one of the same label, the lower
        above = [str(tree.labels[n]) for n in (node, *tree.ancestors(node))]
        above = above if tree.depth else [sources.ROOT]
        padding = [str(value)] * (len(rows[0]) - 1 - len(above))
        return self.from_levels([*rows, (value, *padding, *above)], name=self.name)

    @classmethod
    def _grown(cls, draft: Draft, name: str | None) -> Self:
        tree, full, node_of = grow(draft)
        leaves = tree.labels[: tree.n_leaves]
        if full is tree:
            return cls(parent=tree.parent, labels=tree.labels, leaves=leaves, name=name)
        whole = Tree(parent=full.parent, labels=full.labels, leaves=leaves, name=name)
        return cls(
            parent=tree.parent, labels=tree.labels, leaves=leaves, name=name,
            _full=whole, _node_of_full=node_of,
        )  # fmt: skip


def _groups_of(tree: Tree, label: object) -> list[int]:
    return [n for n in range(tree.n_leaves, tree.n_nodes) if tree.labels[n] == label]


def _thinned(tree: Tree, gone: NDArray[np.bool_]) -> tuple[Tree, NDArray[np.int32]]:
    """Return a tree without some groups, and for each node before its number now, -1 if gone."""
    above = tree.parent.copy()
    for node in range(tree.root - 1, -1, -1):  # parents before children
        if gone[above[node]]:
            above[node] = above[above[node]]
    number = np.where(gone, -1, np.cumsum(~gone) - 1).astype(np.int32)
    parent = np.append(number[above[~gone][:-1]], -1).astype(np.int32)
    labels = tuple(tree.labels[node] for node in np.flatnonzero(~gone).tolist())
    return Tree(parent=parent, labels=labels, leaves=tree.leaves, name=tree.name), number


# What a finished hierarchy can be asked: nodes, levels, codes of values, files and pictures.

MANY = 5000  # leaves; looking for similar names among more takes too long


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
