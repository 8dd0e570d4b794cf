"""What a page is about, and how much of the original it may disclose.

This is the one place that decides it. Sections see the original only as ``before``, which is None
where nothing computed from the original may be shown, and count with ``least`` where rare values
must not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.people import People
from discreet.data.table import as_table
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.release.contents import generalized_columns, pattern_table
from discreet.release.guarantee import HOUSEHOLD, SEVERAL_ROWS
from discreet.utility.node_costs import node_costs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.release.event import Event
    from discreet.release.guarantee import Guarantee
    from discreet.release.hierarchies import StatedHierarchy
    from discreet.release.release import Release


PRIVATE = (
    "The guarantee of this release is differential privacy. Figures computed from the original "
    "data would disclose more, so this page shows only what the released data shows."
)

UNKNOWN = (
    "The guarantee of this release does not say how many people must share a value before it may "
    "be shown, so this page shows only what the released data shows."
)

ABSENT = (
    "This page was made without the original data, so it shows only what the released data shows."
)


UNCOUNTED = (
    "The guarantee of this release is about {many}, and the original that was given does not say "
    "which rows are of one {one}, so this page shows only what the released data shows."
)

_HOMES = "household"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """A release, and the part of its original that the page may show.

    Attributes
    ----------
    release : Release
        What is published.
    data : Table
        The same as the table of its file.
    before : Table or None
        The original in the columns of the release, if figures computed from it may be shown.
    no_before : str
        Why there is no ``before``, in a sentence.
    rows : array of int or None
        The row of ``before`` that each released row came from, if that is known.
    internal : bool
        Whether single records may be shown.
    least : int
        Values that fewer rows of the original have are not shown, or fewer people or households
        where these are protected; 1 on internal pages.
    columns : tuple of str
        What an attacker is taken to know.
    k : int or None
        How many rows are to be alike, if the guarantee says so.
    """

    release: Release[Any]
    data: Table
    before: Table | None
    no_before: str
    rows: NDArray[np.int64] | None
    internal: bool
    least: int
    columns: tuple[str, ...]
    k: int | None

    @property
    def unit(self) -> int:
        """What counts of the original are rounded to on public pages, so as not to be exact.

        Before minus after would otherwise disclose how often each value was suppressed, and with
        that what a suppressed cell held. The unit is at least twice ``least``.
        """
        return 1 if self.internal else rounding_unit(2 * self.least)


def make_subject(
    release: Release[Any], *, original: object = None, internal: bool = False
) -> Subject:
    """Return what a page may show.

    Parameters
    ----------
    release : Release
        What is published.
    original : Table or frame, optional
        What it was made from.
    internal : bool
        Whether the page is for the curator only.

    Returns
    -------
    Subject
        Without ``before`` where the guarantee does not allow it on a public page.

    Raises
    ------
    DataError
        If the original lacks a column of the release.
    ParameterError
        If the release came from rows that the original does not have.
    """
    is_table = release.kind in ("rows", "synthetic rows")
    data = release.data if is_table else pattern_table(release.data, release.witness)
    before = None if original is None else aligned(as_table(original), data)
    rows = release.input_rows if before is not None else None
    if before is not None and rows is not None and len(rows) and rows.max() >= before.n_rows:
        raise ParameterError(
            f"The release was made from row {int(rows.max())} (counting from 0), but the "
            f"original has {before.n_rows:,} rows only.",
            parameter="original",
            remedy="Give the table that it was made from.",
        )
    if internal and before is not None and before.people is not None and rows is not None:
        data = replace(data, people=before.people.take(rows))  # not on public pages
    k = group_size(release.guarantee)
    no_before = ABSENT if before is None else ""
    if not internal and before is not None and k is None:
        before = rows = None
        is_private = release.guarantee.is_differentially_private
        no_before = PRIVATE if is_private else UNKNOWN
    if not internal and before is not None:
        before = _with_units(before, as_table(original), release)
        if before is None:
            rows, (one, many) = None, _UNITS[release.guarantee.unit]
            no_before = UNCOUNTED.format(one=one, many=many)
    return Subject(
        release=replace(release, events=_events(release, internal=internal)),
        data=data,
        before=before,
        no_before=no_before,
        rows=rows,
        internal=internal,
        least=1 if internal else k or 1,
        columns=release.guarantee.columns or data.quasi or data.columns,
        k=k,
    )


_UNITS = {SEVERAL_ROWS: ("person", "people"), HOUSEHOLD: ("household", "households")}


def _with_units(before: Table, original: Table, release: Release[Any]) -> Table | None:
    """Return the original knowing of whom each row is, where rows are not what is protected.

    Many rows that have a value may be of one person or household: what few of these have is not
    shown. None if the original does not say it.
    """
    if release.guarantee.unit == HOUSEHOLD:
        steps = [each.parameters for each in release.events if each.name == "obey_rules"]
        column = str(steps[0].get("households")) if steps else ""
        if column not in original.columns:
            return None
        return replace(before, people=People.of(_HOMES, original.codes(column)))
    if release.guarantee.unit == SEVERAL_ROWS and before.people is None:
        return None
    return before


def counted_of(table: Table) -> tuple[str, str]:
    """Return one and several of what is counted of a table: rows, people or households.

    Examples
    --------
    >>> from discreet import Table
    >>> counted_of(Table.from_frame({"sex": ["f"]}))
    ('row', 'rows')
    """
    if table.people is None:
        return ("row", "rows")
    return _UNITS[HOUSEHOLD if table.people.column == _HOMES else SEVERAL_ROWS]


# What says how many rows the input has, beside the released ones; see docs/certificate.md.
_OF_INPUT = frozenset(
    ("n_rows", "n_cells", "n_cells_suppressed", "n_rows_dropped", "n_rows_suppressed")
)


def _events(release: Release[Any], *, internal: bool) -> tuple[Event, ...]:
    """Return the steps with what a page may say that they counted.

    Certificates of version 1 have counts of the input.
    """
    if internal:
        return tuple(replace(each, counts=each.all_counts, internal={}) for each in release.events)
    return tuple(
        replace(
            each,
            counts={name: n for name, n in each.counts.items() if name not in _OF_INPUT},
            internal={},
        )
        for each in release.events
    )


def group_size(guarantee: Guarantee) -> int | None:
    """Return how many rows must share what is shown, or None if the guarantee is of another kind.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> group_size(Guarantee(model="support floor", parameters={"theta": 4}, unit="one row",
    ...                      columns=("sex",), not_protected=("Much.",)))
    5
    """
    if guarantee.is_differentially_private:
        return None
    k, theta = guarantee.parameters.get("k"), guarantee.parameters.get("theta")
    if isinstance(k, int):
        return k
    return theta + 1 if isinstance(theta, int) and theta >= 0 else None


def rounding_unit(least: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... that is at least ``least``.

    Examples
    --------
    >>> [rounding_unit(least) for least in (1, 4, 10, 11, 200)]
    [1, 5, 10, 20, 200]
    """
    power = 1
    while True:
        for step in (1, 2, 5):
            if step * power >= least:
                return step * power
        power *= 10


def aligned(original: Table, data: Table, *, what: str = "original") -> Table:
    """Return the original in the columns, roles and kinds of values of the release."""
    for name in data.columns:
        if name not in original.columns:
            hint = did_you_mean(name, original.columns)
            raise DataError(
                f"The {what} has no column '{name}', which the release has.",
                column=name,
                remedy=hint,
            )
    table = original.select(data.columns).with_roles(dict(data.roles))
    for name in data.columns:
        here = {type(value) for value in data.values(name)} - {type(None)}
        there = {type(value) for value in table.values(name)} - {type(None)}
        if here == {str} and there != {str}:
            texts = [None if value is None else str(value) for value in table.values(name)]
            table = table.with_column(name, table.codes(name), texts)
    return table


MOST_SUPPRESSED = 0.95  # of a column, for a public page to speak of it


def shown_columns(subject: Subject) -> tuple[str, ...]:
    """Return the columns that a page shows figures of: on public ones none that is nearly empty.

    What is left of a column of which over 95 % is suppressed says who is in it.
    """
    return subject.data.columns if subject.internal else columns_with_values(subject)


def columns_with_values(subject: Subject) -> tuple[str, ...]:
    """Return the columns of a release of which at most 95 % is suppressed; of others all."""
    data, release = subject.data, subject.release
    if not data.n_rows or release.kind != "rows":
        return data.columns
    shown = []
    for name in data.columns:
        stated = release.stated.get(name)
        root = SUPPRESSED if stated is None else stated.nodes[0].label
        empty = [value is None or value in (SUPPRESSED, root) for value in data.values(name)]
        if np.mean(np.array(empty)[data.codes(name)]) <= MOST_SUPPRESSED:
            shown.append(name)
    return tuple(shown)


# How far up its hierarchy each released cell is shown: counted in the release alone.
#
# Labels and hierarchies are published, so that any reader can count this; the original is not read.

LEVELS = ("the value", "1 step up", "2 steps up", "3 or more steps up", "suppressed")

SUPPRESSED = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLevels:
    """One column: its share of cells at each of :data:`LEVELS`, and the mean LM loss of a cell.

    The loss of a group says how many values it has, and how many there are: it is None where only
    what is published of the hierarchy is known, and no public page shows it.
    """

    column: str
    shares: tuple[float, ...]
    loss: float | None
    has_hierarchy: bool


def column_levels(release: Release) -> list[ColumnLevels]:
    """Return for each generalized column where in its hierarchy the released cells stand."""
    found = []
    for name in generalized_columns(release):
        stated, tree = release.stated.get(name), release.hierarchies.get(name)
        values = release.data.values(name)
        counts = np.bincount(release.data.codes(name), minlength=len(values))
        levels = np.array([_level(stated, value) for value in values], np.int64)
        losses = np.array([_loss(tree, value) for value in values])
        shares = np.bincount(levels, counts, len(LEVELS)) / max(release.data.n_rows, 1)
        found.append(
            ColumnLevels(
                column=name,
                shares=tuple(shares.tolist()),
                loss=None
                if stated is not None and tree is None
                else float(counts @ losses) / max(release.data.n_rows, 1),
                has_hierarchy=stated is not None,
            )
        )
    return found


def _level(stated: StatedHierarchy | None, value: Label) -> int:
    """Return the level of a label; without a hierarchy values are kept or suppressed."""
    if stated is None:
        return len(LEVELS) - 1 if value == SUPPRESSED else 0
    node = stated.find(value)
    if node is None or (node.parent is None and len(stated.nodes) > 1) or value == SUPPRESSED:
        return len(LEVELS) - 1
    return min(node.height, len(LEVELS) - 2)


def _loss(tree: Hierarchy | None, value: Label) -> float:
    """Return the LM loss of a label; the lowest node of several that bear it."""
    if tree is None:
        return 1.0 if value == SUPPRESSED else 0.0
    text = None if value is None else str(value)
    nodes = [
        node
        for node, label in enumerate(tree.labels)
        if (None if label is None else str(label)) == text
    ]
    if not nodes or (nodes[0] == tree.root and tree.n_leaves > 1):
        return 1.0
    return float(node_costs(tree)[nodes[0]])
