"""How anonymous a table is: its equivalence classes, and what they disclose.

Nothing is changed and no guarantee is given; this is the measure by which tables, before and
after protection, are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.assess.classes import (
    check_names,
    equal_codes,
    equivalence_classes,
    in_words,
    quasi_columns,
    sensitive_columns,
)
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import altair as alt
    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column, FrameKind, Label
    from discreet.data.hierarchy.tree import Hierarchy


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
    diversity : tuple of Diversity
        One for each sensitive column.
    """

    columns: tuple[str, ...]
    n_rows: int
    n_classes: int
    k: int
    n_classes_by_size: tuple[tuple[int, int], ...]
    diversity: tuple[Diversity, ...]

    def n_rows_below(self, k: int) -> int:
        """Return how many rows are in classes of fewer than ``k`` rows."""
        k = checks.whole("k", k, at_least=1)
        return sum(size * n for size, n in self.n_classes_by_size if size < k)

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
        if self.k == 1:
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
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each class size: size, n_classes, n_rows."""
        import polars as pl

        frame = pl.DataFrame(
            {
                "size": [size for size, _ in self.n_classes_by_size],
                "n_classes": [n for _, n in self.n_classes_by_size],
                "n_rows": [size * n for size, n in self.n_classes_by_size],
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
                (size, n)
                for size, n in self.n_classes_by_size
                if size >= low and (end is None or size < end)
            ]
            if inside:
                last = "+" if end is None else "" if end == low + 1 else f"-{end - 1}"
                n_rows = sum(size * n for size, n in inside)
                found.append((f"{low}{last}", sum(n for _, n in inside), n_rows))
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
    suppressed cell is an ordinary value ``*``, not a wildcard.

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
    sizes, n_classes = np.unique(classes.sizes, return_counts=True)
    return Anonymity(
        columns=known,
        n_rows=data.n_rows,
        n_classes=len(classes),
        k=int(sizes[0]) if len(sizes) else 0,
        n_classes_by_size=tuple(zip(sizes.tolist(), n_classes.tolist(), strict=True)),
        diversity=tuple(
            diversity(
                name,
                data.column(name),
                classes,
                order=(orders or {}).get(name),
                hierarchy=(hierarchies or {}).get(name),
            )
            for name in protected
        ),
    )


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


# Distances of t-closeness: how far a class's distribution is from that of the whole table.
#
# Each is an earth mover's distance between distributions of one sensitive column: mass moves
# between any two values (equal), along an order (ordered) or through a hierarchy (hierarchical).

CELLS = 1 << 22  # of a dense block of classes by values: 32 MB


def equal_distance(counts: ValueCounts) -> float:
    r"""Return the largest distance of a class from the whole if all values are equally far apart.

    .. math:: \max_E \; \tfrac12 \sum_v | p_E(v) - q(v) |

    where :math:`p_E(v)` is the share of value :math:`v` in class :math:`E` and :math:`q(v)`
    its share in the table.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.1, equal distance.
    """
    # Only values with p > q count, and those occur in the class: no zeros are visited.
    surplus = counts.shares - counts.overall[counts.values]
    moved = np.zeros(counts.n_classes)
    np.add.at(moved, counts.classes, np.maximum(surplus, 0.0))
    return _largest(moved)


def ordered_distance(counts: ValueCounts, place_of: NDArray[np.integer], n_places: int) -> float:
    r"""Return the largest distance of a class from the whole if values lie on a line.

    .. math:: \max_E \; \frac{1}{m - 1} \sum_{i=1}^{m}
        \Bigl| \sum_{j \le i} \bigl( p_E(v_j) - q(v_j) \bigr) \Bigr|

    where :math:`v_1, \dots, v_m` are the values in order, those that do not occur included.

    Parameters
    ----------
    counts : ValueCounts
        Values of each class.
    place_of : array of int
        Place of each value code in the order, from 0.
    n_places : int
        Number of values in the order.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.1, ordered distance.
    """
    if n_places < 2:
        return 0.0
    return max(
        (
            _largest(np.abs(np.cumsum(block, axis=1)).sum(axis=1) / (n_places - 1))
            for block in _differences(counts, place_of, n_places)
        ),
        default=0.0,
    )


def hierarchical_distance(counts: ValueCounts, hierarchy: Hierarchy) -> float:
    r"""Return the largest distance of a class from the whole if values lie in a tree.

    Two values are as far apart as their lowest common group is high:

    .. math:: \max_E \sum_{C \ne \mathrm{root}} \frac{h(\mathrm{parent}(C)) - h(C)}{2 H}
        \Bigl| \sum_{v \in C} \bigl( p_E(v) - q(v) \bigr) \Bigr|

    where :math:`C` runs over values and groups, :math:`h` is the longest way down from a node
    to a value and :math:`H` that from the root.

    Notes
    -----
    This is the cost of section 5.2 written per edge: distances are those of an ultrametric
    tree, on which the earth mover's distance is edge length times mass that crosses it.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.2, hierarchical distance.
    """
    leaf_of = hierarchy.encode(counts.labels)
    height = np.zeros(hierarchy.n_nodes, np.int64)
    for node, parent in enumerate(hierarchy.parent[:-1].tolist()):  # children before parents
        height[parent] = max(height[parent], height[node] + 1)
    if not height[-1]:
        return 0.0
    under = [hierarchy.leaves_under(node) for node in range(hierarchy.root)]
    start = np.array([leaves.start for leaves in under])
    stop = np.array([leaves.stop for leaves in under])
    length = (height[hierarchy.parent[:-1]] - height[:-1]) / (2 * height[-1])
    largest = 0.0
    for block in _differences(counts, leaf_of, hierarchy.n_leaves):
        below = np.zeros((len(block), hierarchy.n_leaves + 1))
        np.cumsum(block, axis=1, out=below[:, 1:])  # leaves of a node stand together
        largest = max(largest, _largest(np.abs(below[:, stop] - below[:, start]) @ length))
    return largest


def _differences(
    counts: ValueCounts, place_of: NDArray[np.integer], n_places: int
) -> Iterator[NDArray[np.float64]]:
    """Yield p - q as dense blocks: a row for each class, a column for each place."""
    overall = np.zeros(n_places)
    overall[place_of] = counts.overall
    step = max(1, CELLS // n_places)
    for low in range(0, counts.n_classes, step):
        high = min(low + step, counts.n_classes)
        block = np.tile(-overall, (high - low, 1))
        part = slice(counts.starts[low], counts.starts[high])
        block[counts.classes[part] - low, place_of[counts.values[part]]] += counts.shares[part]
        yield block


def _largest(distances: NDArray[np.float64]) -> float:
    return min(1.0, float(distances.max())) if len(distances) else 0.0


# How often each value of a column occurs in each equivalence class.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueCounts:
    """How often each value occurs in each class: one entry for each pair that occurs.

    Entries are sorted by class, most frequent value first; those of class ``i`` are
    ``starts[i]`` to ``starts[i + 1]``.
    """

    labels: tuple[Label, ...]
    overall: NDArray[np.float64]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @classmethod
    def of(cls, classes: Classes, column: Column) -> ValueCounts:
        """Return the counts of a column's values in these classes."""
        n_rows = len(classes.class_of)
        pairs = equal_codes([classes.class_of, column.codes], n_rows)
        class_of = classes.class_of[pairs.first].astype(np.int64)
        values = column.codes[pairs.first].astype(np.int64)
        order = np.lexsort((values, -pairs.sizes, class_of))
        class_of, counts = class_of[order], pairs.sizes[order]
        n_of_value = np.bincount(column.codes, minlength=len(column.values))
        return cls(
            labels=column.values,
            overall=n_of_value / max(n_rows, 1),
            sizes=classes.sizes,
            starts=np.searchsorted(class_of, np.arange(len(classes) + 1)),
            classes=class_of,
            values=values[order],
            counts=counts,
            shares=counts / classes.sizes[class_of],
        )
