"""Hierarchy: the tree by which the values of one column may be generalized.

Its leaves are the column's values, its root is suppression, and any two groups are nested or
apart. Labels are opaque: nothing is ever computed from what they say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.data.hierarchies import sources
from discreet.data.hierarchies.dates import rows_of_dates
from discreet.data.hierarchies.draft import grow
from discreet.data.hierarchies.tree import Tree
from discreet.errors import HierarchyError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from typing import Self

    from discreet.data.hierarchies.draft import Draft, Value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Hierarchy(Tree):
    """A laminar tree over the values of one column; immutable, need not be balanced.

    Build one with `from_csv`, `from_levels`, `from_mapping`, `from_parents`, `intervals`,
    `prefixes`, `dates` or `flat`. Chains of only children are one node: the leaf if they end in
    one, else the lowest group, and the root keeps its own label. A group with the label of its
    parent is its parent. Two groups of one level may not share a label.

    Attributes
    ----------
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
        rows = self.to_levels() if self.depth else [(self.leaves[0], sources.ROOT)]
        node = self.root if under is None else self.node_of(under)
        if node < len(self.leaves) and self.depth:
            raise HierarchyError(f"{self._who()}: {under!r} is a value, not a group.")
        above = [str(self.labels[n]) for n in (node, *self.ancestors(node))]
        above = above if self.depth else [sources.ROOT]
        padding = [str(value)] * (len(rows[0]) - 1 - len(above))
        return self.from_levels([*rows, (value, *padding, *above)], name=self.name)

    @classmethod
    def _grown(cls, draft: Draft, name: str | None) -> Self:
        parent, labels, n_leaves = grow(draft)
        return cls(parent=parent, labels=labels, leaves=labels[:n_leaves], name=name)
