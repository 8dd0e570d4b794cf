"""How anonymous a table is as it stands: classes of equal rows, and what they give away.

Nothing is changed and no guarantee is given; this is the measure by which tables, before and
after protection, are compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.assess.classes import (
    as_table,
    check_names,
    equivalence_classes,
    in_words,
    quasi_columns,
    sensitive_columns,
)
from discreet.assess.diversity import diversity
from discreet.data.frames.export import as_kind
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import altair as alt

    from discreet.assess.diversity import Diversity
    from discreet.data.column import Label
    from discreet.data.frames.kinds import FrameKind
    from discreet.data.hierarchy import Hierarchy

STEPS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)  # where the bars of the chart begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Anonymity(Result):
    """Classes of rows that are equal in some columns, by size, and their diversity.

    Attributes
    ----------
    columns : tuple of str
        The columns by which rows were compared.
    n_rows, n_classes : int
        Rows, and classes of equal rows.
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
            alone = self.n_rows_below(2)
            first = (
                f"{alone:,} of {self.n_rows:,} rows ({alone / self.n_rows:.1%}) are like no other "
                f"row {known} (k = 1)."
            )
        else:
            first = (
                f"Every row is like at least {self.k - 1:,} other{'s' if self.k > 2 else ''} "
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
    r"""Return how anonymous a table is: k, l-diversity and t-closeness, as they are.

    .. math:: k = \min_E |E|

    where :math:`E` runs over the classes of rows that are equal in ``columns``. A missing or
    suppressed cell is an ordinary value ``*``, not a wildcard.

    Parameters
    ----------
    table : Table or frame
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
        Sizes of the classes and one :class:`~discreet.assess.diversity.Diversity` for each
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
    Every row is like at least 1 other in age (k = 2): 4 rows in 2 classes. Some class has one
    value of 'illness' only: whoever is known to be in it has that value (distinct l = 1, t =
    0.250).
    """
    data = as_table(table)
    known = quasi_columns(data, columns)
    hidden = sensitive_columns(data, sensitive, known)
    check_names("orders", orders or {}, hidden, "sensitive column")
    check_names("hierarchies", hierarchies or {}, hidden, "sensitive column")
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
            for name in hidden
        ),
    )
