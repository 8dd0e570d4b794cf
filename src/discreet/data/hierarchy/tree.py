"""Hierarchy: the tree by which the values of one column may be generalized.

Its leaves are the column's values, its root is suppression, and any two groups are nested or
apart. Labels are opaque: nothing is ever computed from what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.hierarchy import makers, sources
from discreet.data.hierarchy.dates import LEVELS, rows_of_dates
from discreet.data.hierarchy.nodes import Tree, groups_of, thinned
from discreet.data.hierarchy.sources import grow
from discreet.errors import HierarchyError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.hierarchy.dates import DateLevel
    from discreet.data.hierarchy.sources import Draft, Value


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
        tree, node_of = thinned(self, gone)
        if self._full is None:
            return type(self)(parent=tree.parent, labels=tree.labels, leaves=tree.leaves,
                              name=self.name)  # fmt: skip
        full, place = thinned(self.full, gone[self.node_of_full])
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
        return list(dict.fromkeys(int(node_of[n]) for n in groups_of(tree, label)))

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
        rows = makers.rows_of_intervals(values, steps, origin)
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
            How many characters stay, long to short. A group is called by them; where a code
            reads the same and others begin with it, by them and ``...``.
        name : str, optional
            The column.

        Examples
        --------
        >>> codes = Hierarchy.prefixes(["12345", "12346", "12999", "70000", "12"])
        >>> codes.path("12345"), codes.path("70000"), codes.path("12")
        (('12345', '123', '12...', '*'), ('70000', '700', '70', '*'), ('12', '12', '12...', '*'))
        """
        return cls._grown(sources.draft_of_rows(makers.rows_of_prefixes(codes, lengths)), name)

    @classmethod
    def codes(cls, codes: Iterable[str], *, kind: str, name: str | None = None) -> Self:
        """Return a hierarchy of codes that say themselves what they are part of.

        Parameters
        ----------
        codes : iterable of str
            The leaves. Repeats are dropped.
        kind : {"icd", "postcode", "dotted"}
            ``icd``: diagnoses of ICD-10 by subcategory, category, ten categories and chapter.
            ``postcode``: what stands before a blank or hyphen, its first 3, 2 and 1 characters.
            ``dotted``: codes such as those of NACE and ISCO, one digit shorter at each level,
            down to what stands before a dot, or to one digit.
        name : str, optional
            The column.

        Examples
        --------
        >>> seen = Hierarchy.codes(["E11.65", "E11.9", "E11", "I10"], kind="icd")
        >>> seen.path("E11.65")
        ('E11.65', 'E11.6', 'E11.-', 'E10-E19', 'E00-E90', '*')
        >>> Hierarchy.codes(["10.11", "10.13", "47.30"], kind="dotted").path("10.11")
        ('10.11', '10.1', '10', '*')
        """
        return cls._grown(sources.draft_of_rows(makers.rows_of_codes(codes, kind)), name)

    @classmethod
    def dates(
        cls,
        values: Iterable[str | date],
        *,
        levels: Sequence[DateLevel] = LEVELS,
        name: str | None = None,
    ) -> Self:
        """Return a hierarchy of dates by day, month, quarter, year, 5 and 10 years.

        Parameters
        ----------
        values : iterable of dates, times of day with a date, or text
            The leaves; text begins as ``2024-01-31`` does. Repeats are dropped.
        levels : sequence
            Narrow to wide: ``"day"``, ``"month"``, ``"quarter"``, ``"year"``, ``"decade"``, or
            a number of years, from a multiple of it.
        name : str, optional
            The column.

        Examples
        --------
        >>> days = Hierarchy.dates(["2024-01-31", "2024-01-30", "2024-03-01", "2023-05-01"])
        >>> days.path("2023-05-01")
        ('2023-05-01', '2023-05', '2023-Q2', '2023', '2020-2024', '2020-2029', '*')
        >>> Hierarchy.dates(["1931-05-09", "1980-01-01"], levels=["year", 25]).path("1931-05-09")
        ('1931-05-09', '1931', '1925-1949', '*')
        """
        return cls._grown(sources.draft_of_rows(rows_of_dates(values, levels)), name)

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
        groups = [tree.root] if under is None else groups_of(tree, under)
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
