"""How anonymous a table is: its equivalence classes, and what they disclose.

Nothing is changed and no guarantee is given; this is the measure by which tables, before and
after protection, are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from discreet import checks
from discreet.assess.classes import (
    check_names,
    equivalence_classes,
    holders,
    in_words,
    quasi_columns,
    sensitive_columns,
)
from discreet.assess.closeness import (
    ValueCounts,
    equal_distance,
    hierarchical_distance,
    ordered_distance,
)
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import altair as alt
    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column, FrameKind, Label
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table


STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # where the bars of the chart begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymity(Result):
    """Classes of rows that are equal in some columns, by size, and their diversity.

    Attributes
    ----------
    columns : tuple of str
        The columns by which rows were compared.
    n_rows, n_classes : int
        Rows, and equivalence classes.
    k : int
        Size of the smallest class: the table is k-anonymous; 0 without rows.
    n_classes_by_size : tuple of (int, int)
        Class size and number of classes of that size, smallest first; sizes that occur.
    n_people : int or None
        People, where they are known: sizes of classes count them then.
    n_rows_by_size : tuple of int or None
        Rows in the classes of each size, where sizes count people.
    diversity : tuple of Diversity
        One for each sensitive column.
    """

    columns: tuple[str, ...]
    n_rows: int
    n_classes: int
    k: int
    n_classes_by_size: tuple[tuple[int, int], ...]
    diversity: tuple[Diversity, ...]
    n_people: int | None = None
    n_rows_by_size: tuple[int, ...] | None = None

    def n_rows_below(self, k: int) -> int:
        """Return how many rows are in classes of fewer than ``k`` rows, or people."""
        k = checks.whole("k", k, at_least=1)
        return sum(n_rows for size, _, n_rows in self.sizes() if size < k)

    def sizes(self) -> list[tuple[int, int, int]]:
        """Return size, classes and rows for each size of a class."""
        n_rows = self.n_rows_by_size or tuple(size * n for size, n in self.n_classes_by_size)
        return [
            (size, n, rows) for (size, n), rows in zip(self.n_classes_by_size, n_rows, strict=True)
        ]

    def of(self, column: str) -> Diversity:
        """Return the diversity of one sensitive column."""
        check_names("of", [column], [each.column for each in self.diversity], "sensitive column")
        return next(each for each in self.diversity if each.column == column)

    @property
    def sentence(self) -> str:
        """The anonymity in plain sentences."""
        if not self.n_rows:
            return "The table has no rows."
        known = f"in {in_words(self.columns)}"
        if self.n_people is not None:
            people = "1 person" if self.k == 1 else f"{self.k:,} people"
            first = (
                f"Every class of rows that are equal {known} is of at least {people} "
                f"(k = {self.k:,}): {self.n_rows:,} rows of {self.n_people:,} people in "
                f"{self.n_classes:,} class{'' if self.n_classes == 1 else 'es'}."
            )
        elif self.k == 1:
            unique = self.n_rows_below(2)
            first = (
                f"{unique:,} of {self.n_rows:,} records ({unique / self.n_rows:.1%}) are unique "
                f"{known} (k = 1)."
            )
        else:
            first = (
                f"Every row equals at least {self.k - 1:,} other{'s' if self.k > 2 else ''} "
                f"{known} (k = {self.k:,}): {self.n_rows:,} rows in {self.n_classes:,} "
                f"class{'' if self.n_classes == 1 else 'es'}."
            )
        return " ".join([first, *(each.sentence for each in self.diversity)])

    def preview(self) -> Preview:
        """Return the number of classes and rows by size, a few sizes to a line."""
        rows = [(name, f"{n_classes:,}", f"{n:,}") for name, n_classes, n in self._by_step()]
        title = f"k = {self.k:,}, {self.n_classes:,} classes, {self.n_rows:,} rows"
        return Preview(title=title, header=("class size", "classes", "rows"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "n_classes": self.n_classes,
            "k": self.k,
            "n_classes_by_size": [list(pair) for pair in self.n_classes_by_size],
            "diversity": [each.to_dict() for each in self.diversity],
            "n_people": self.n_people,
            "n_rows_by_size": None if self.n_rows_by_size is None else list(self.n_rows_by_size),
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each class size: size, n_classes, n_rows."""
        import polars as pl

        frame = pl.DataFrame(
            {
                "size": [size for size, _, _ in self.sizes()],
                "n_classes": [n for _, n, _ in self.sizes()],
                "n_rows": [n_rows for _, _, n_rows in self.sizes()],
            },
            schema=dict.fromkeys(("size", "n_classes", "n_rows"), pl.Int64),
        )
        return as_kind(frame, kind)

    def plot(self) -> alt.Chart:
        """Return a chart of how many rows are in classes of which size."""
        import altair as alt
        import polars as pl

        names, _, n_rows = zip(*self._by_step(), strict=True) if self.n_rows else ((), (), ())
        schema = {"class size": pl.String, "rows": pl.Int64}
        frame = pl.DataFrame({"class size": list(names), "rows": list(n_rows)}, schema=schema)
        chart: alt.Chart = alt.Chart(frame).mark_bar()
        return chart.encode(x=alt.X("class size:O", sort=None), y="rows:Q")

    def _by_step(self) -> list[tuple[str, int, int]]:
        """Return (sizes in words, classes, rows) for each step that has classes."""
        found = []
        for low, end in zip(STEPS, (*STEPS[1:], None), strict=True):
            inside = [
                (n, n_rows)
                for size, n, n_rows in self.sizes()
                if size >= low and (end is None or size < end)
            ]
            if inside:
                last = "+" if end is None else "" if end == low + 1 else f"-{end - 1}"
                n_rows = sum(n_rows for _, n_rows in inside)
                found.append((f"{low}{last}", sum(n for n, _ in inside), n_rows))
        return found


def anonymity(
    table: object,
    *,
    columns: Iterable[str] | None = None,
    sensitive: Iterable[str] | None = None,
    orders: Mapping[str, Sequence[Label]] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Anonymity:
    r"""Return how anonymous a table is: its k, l-diversity and t-closeness.

    .. math:: k = \min_E |E|

    where :math:`E` runs over the classes of rows that are equal in ``columns``. A missing or
    suppressed cell is an ordinary value ``*``, not a wildcard. Of a table that knows its people,
    :math:`|E|` is how many people have a row in :math:`E`.

    Parameters
    ----------
    table : Release, Table or frame
        What to measure.
    columns : iterable of str, optional
        The columns an attacker may know, at least one; the quasi-identifiers by default.
    sensitive : iterable of str, optional
        The columns not to be learnt; those with the role sensitive by default.
    orders : mapping of str to sequence, optional
        Sensitive column to all its values in order, for t-closeness along the order.
    hierarchies : mapping of str to Hierarchy, optional
        Sensitive column to a tree over its values, for t-closeness through the tree.

    Returns
    -------
    Anonymity
        Sizes of the classes and one :class:`~discreet.assess.anonymity.Diversity` for each
        sensitive column.

    Raises
    ------
    ParameterError
        If a column is unknown, both known and sensitive, or an order lacks a value.
    HierarchyError
        If a hierarchy lacks a value.

    Notes
    -----
    Guarantee: none, this is a measure. k-anonymity by itself does not stop a sensitive value
    from being learnt (see the diversity), nor does it survive several releases of one table.
    Time and memory grow with rows times columns.

    References
    ----------
    L. Sweeney (2002), k-anonymity, definition 3; for the sensitive columns see Diversity.

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame(
    ...     {"age": ["20s", "20s", "30s", "30s"], "illness": ["flu", "gout", "flu", "flu"]},
    ...     roles={"illness": "sensitive"},
    ... )
    >>> found = anonymity(people)
    >>> found.k, found.of("illness").distinct
    (2, 1)
    >>> print(found.sentence)
    Every row equals at least 1 other in age (k = 2): 4 rows in 2 classes. Some class has one
    value of 'illness' only, which is disclosed for each of its records (distinct l = 1, t =
    0.250).
    """
    data = as_table(table)
    known = quasi_columns(data, columns)
    protected = sensitive_columns(data, sensitive, known)
    check_names("orders", orders or {}, protected, "sensitive column")
    check_names("hierarchies", hierarchies or {}, protected, "sensitive column")
    classes = equivalence_classes(data, known)
    people = data.people
    units = classes.sizes if people is None else people.count(classes.class_of, len(classes))
    sizes, size_of, n_classes = np.unique(units, return_inverse=True, return_counts=True)
    n_rows_by_size = np.bincount(size_of.reshape(-1), classes.sizes, len(sizes)).astype(np.int64)
    return Anonymity(
        columns=known,
        n_rows=data.n_rows,
        n_classes=len(classes),
        k=int(sizes[0]) if len(sizes) else 0,
        n_classes_by_size=tuple(zip(sizes.tolist(), n_classes.tolist(), strict=True)),
        diversity=tuple(
            replace(
                diversity(
                    name,
                    data.column(name),
                    classes,
                    order=(orders or {}).get(name),
                    hierarchy=(hierarchies or {}).get(name),
                ),
                **_member_figures(data, name, classes),
            )
            for name in protected
        ),
        n_people=None if people is None else people.n_people,
        n_rows_by_size=None if people is None else tuple(n_rows_by_size.tolist()),
    )


class _MemberFigures(TypedDict):
    largest_share: float
    t_members: float
    counts_people: bool


def _member_figures(table: Table, name: str, classes: Classes) -> _MemberFigures:
    """Return the largest share of a class that holds a member, and how far shares are from all."""
    several = name in table.sets or (table.people is not None and table.people.most_rows > 1)
    if not len(classes):
        return {"largest_share": 0.0, "t_members": 0.0, "counts_people": several}
    found = holders(table, name, classes.class_of, len(classes))
    everybody = holders(table, name, np.zeros(table.n_rows, np.int64), 1)
    overall = np.zeros(len(found.values))
    overall[everybody.members] = everybody.counts / everybody.n_units[0]
    shares = found.counts / found.n_units[found.classes]
    farthest = float(np.abs(shares - overall[found.members]).max())
    # Of members that nobody in a class holds, the one that most people have is farthest away.
    n_held = np.bincount(found.members, minlength=len(found.values))
    absent = overall[n_held < len(classes)]
    return {
        "largest_share": float(shares.max()),
        "t_members": max(farthest, float(absent.max(initial=0.0))),
        "counts_people": several,
    }


# How well a sensitive column is mixed inside the equivalence classes.
#
# k-anonymity protects whose record it is, not what the record says: if all rows of a class have
# the same sensitive value, the class discloses it. l-diversity and t-closeness measure that.


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    r"""One sensitive column: the diversity of its least diverse class.

    Attributes
    ----------
    column : str
        The sensitive column.
    n_values : int
        Number of its values in the table, a missing one included.
    distinct : int
        Distinct l-diversity: every class has at least so many values; 0 without rows.
    entropy : float
        Entropy l-diversity: :math:`\min_E \exp(-\sum_v p_E(v) \ln p_E(v))`, where
        :math:`p_E(v)` is the share of value :math:`v` in class :math:`E`.
    recursive_ratios : tuple of float
        Entry :math:`l - 1` is :math:`\max_E r_1 / (r_l + \dots + r_m)`, where
        :math:`r_1 \ge \dots \ge r_m` are the counts of the values in class :math:`E`; for
        :math:`l` up to ``distinct``. See :meth:`is_recursive`.
    t_equal : float
        t-closeness if all values are equally far apart.
    t_ordered, t_hierarchical : float or None
        t-closeness along the order and through the hierarchy, if they were given.
    largest_share : float
        The largest share of a class that holds one value: every class is l-diverse by shares with
        :math:`l` = 1 / ``largest_share``. People are counted where they are known, who hold what
        any of their rows in the class does, and each member of a set column by itself.
    t_members : float
        The largest difference of such a share from that of the table.
    counts_people : bool
        Whether one person or cell can hold several values: the other figures count them as rows
        do, which says too much, and only these two are sound.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity,
    definitions 4 (entropy) and 5 (recursive); N. Li, T. Li, S. Venkatasubramanian (2007),
    t-Closeness, definition 2.
    """

    column: str
    n_values: int
    distinct: int
    entropy: float
    recursive_ratios: tuple[float, ...]
    t_equal: float
    t_ordered: float | None = None
    t_hierarchical: float | None = None
    largest_share: float = 0.0
    t_members: float = 0.0
    counts_people: bool = False

    def is_recursive(self, *, c: float, l: int) -> bool:  # noqa: E741  the paper's letter
        """Return whether the table is recursive (c, l)-diverse.

        In every class the most frequent value must occur less than ``c`` times as often as
        the values from the ``l``-th most frequent on together.

        Parameters
        ----------
        c : float
            Above 0.
        l : int
            At least 1.

        Examples
        --------
        >>> mixed = Diversity(
        ...     column="job", n_values=2, distinct=2, entropy=1.9, recursive_ratios=(0.6, 1.5),
        ...     t_equal=0.1,
        ... )
        >>> mixed.is_recursive(c=2, l=2), mixed.is_recursive(c=1.5, l=2)
        (True, False)
        """
        c = float(checks.exact("c", c, above=0))
        l = checks.whole("l", l, at_least=1)  # noqa: E741  the paper's letter
        if not self.distinct:  # no class, so none that fails
            return True
        return l <= self.distinct and self.recursive_ratios[l - 1] < c

    @property
    def sentence(self) -> str:
        """The diversity in one plain sentence."""
        if not self.distinct:
            return f"There is no row, so nothing is disclosed about '{self.column}'."
        if self.counts_people:
            return (
                f"In some class {self.largest_share:.1%} hold one member of '{self.column}' "
                f"(l = {1 / self.largest_share:.2f}, t = {self.t_members:.3f})."
            )
        if self.distinct == 1:
            return (
                f"Some class has one value of '{self.column}' only, which is disclosed for each of "
                f"its records (distinct l = 1, t = {self.t_equal:.3f})."
            )
        return (
            f"Every class has at least {self.distinct} values of '{self.column}' "
            f"(entropy l = {self.entropy:.2f}, t = {self.t_equal:.3f})."
        )

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "column": self.column,
            "n_values": self.n_values,
            "distinct": self.distinct,
            "entropy": self.entropy,
            "recursive_ratios": list(self.recursive_ratios),
            "t_equal": self.t_equal,
            "t_ordered": self.t_ordered,
            "t_hierarchical": self.t_hierarchical,
            "largest_share": self.largest_share,
            "t_members": self.t_members,
            "counts_people": self.counts_people,
        }


def diversity(
    name: str,
    column: Column,
    classes: Classes,
    *,
    order: Sequence[Label] | None = None,
    hierarchy: Hierarchy | None = None,
) -> Diversity:
    """Return the diversity of one sensitive column in given classes.

    Parameters
    ----------
    name : str
        The column's name.
    column : Column
        Its codes and values.
    classes : Classes
        The equivalence classes.
    order : sequence, optional
        All values of the column in their order, for the ordered distance.
    hierarchy : Hierarchy, optional
        A tree over its values, for the hierarchical distance.

    Notes
    -----
    Time and memory grow with the rows, for the ordered and hierarchical distance also with
    classes times values.
    """
    counts = ValueCounts.of(classes, column)
    distinct = int(np.diff(counts.starts).min()) if len(classes) else 0
    places = None if order is None else _places(name, column, order)
    return Diversity(
        column=name,
        n_values=len(column.values),
        distinct=distinct,
        entropy=_entropy(counts),
        recursive_ratios=_recursive_ratios(counts, distinct),
        t_equal=equal_distance(counts),
        t_ordered=(
            None
            if order is None or places is None
            else ordered_distance(counts, places, len(order))
        ),
        t_hierarchical=None if hierarchy is None else hierarchical_distance(counts, hierarchy),
    )


def _entropy(counts: ValueCounts) -> float:
    if not counts.n_classes:
        return 0.0
    nats = -np.add.reduceat(counts.shares * np.log(counts.shares), counts.starts[:-1])
    return float(np.exp(max(0.0, nats.min())))


def _recursive_ratios(counts: ValueCounts, distinct: int) -> tuple[float, ...]:
    """Return max over classes of r_1 / (r_l + ... + r_m) for l = 1 to ``distinct``."""
    begin = counts.starts[counts.classes]
    before = np.concatenate([[0], np.cumsum(counts.counts)])
    tail = counts.sizes[counts.classes] - (before[:-1] - before[begin])
    largest = np.zeros(len(counts.labels))
    np.maximum.at(
        largest, np.arange(len(begin)) - begin, counts.counts[begin] / np.maximum(tail, 1)
    )
    return tuple(largest[:distinct].tolist())


def _places(name: str, column: Column, order: Sequence[Label]) -> NDArray[np.int64]:
    """Return the place of each value of the column in the order given."""
    place_of = {value: place for place, value in enumerate(order)}
    if len(place_of) < len(order):
        raise ParameterError(
            f"The order of column '{name}' names a value twice.", parameter="order", column=name
        )
    lacking = [value for value in column.values if value not in place_of]
    if lacking:
        shown = ", ".join(map(repr, lacking[:3])) + (", ..." if len(lacking) > 3 else "")
        raise ParameterError(
            f"The order of column '{name}' lacks {len(lacking)} of its values: {shown}.",
            parameter="order",
            column=name,
            remedy="List every value once, None for a missing one.",
        )
    return np.array([place_of[value] for value in column.values], np.int64)
