"""Whether a file is a hierarchy, and covers a column: one answer with its reasons."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence  # noqa: TC003  a policy reads annotations when it runs
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.hierarchy import makers, sources
from discreet.data.hierarchy.dates import (
    LEVELS,
    DateLevel,  # noqa: TC001  as above
    check_date_levels,
)
from discreet.data.hierarchy.makers import KINDS
from discreet.data.hierarchy.sources import draft_of_rows, grow, rows_of_csv
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.table import as_table
from discreet.errors import HierarchyError, ParameterError, did_you_mean
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.hierarchy.sources import Draft, Value
    from discreet.data.table import Table


N_SHOWN = 10

MANY = 5000  # leaves; looking for similar names among more takes too long


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncovered:
    """A value that the hierarchy lacks, its number of rows and the first, counted from 0."""

    value: Label
    n_rows: int
    first_row: int

    def __str__(self) -> str:
        rows = "row" if self.n_rows == 1 else "rows"
        return f"{self.value!r} ({self.n_rows:,} {rows}, first at row {self.first_row})"


@dataclass(frozen=True, slots=True, kw_only=True)
class HierarchyCheck(Result):
    """What was found about a hierarchy and a column.

    Attributes
    ----------
    file, column : str
        What was compared.
    fault : str or None
        Why the file is no tree, with its lines.
    uncovered : tuple of Uncovered
        Values of the column without a line, in the order of the column's values.
    hint : str
        What the first of them may be a slip for.
    chains : tuple of str
        Groups that hold a single value or group: levels that cost what they hold.
    n_values, n_leaves, n_unused : int
        Values of the column, of the hierarchy, and of the hierarchy only.
    n_missing : int
        Rows without a value, for which a file has no line.
    """

    file: str
    column: str
    fault: str | None = None
    uncovered: tuple[Uncovered, ...] = ()
    hint: str = ""
    chains: tuple[str, ...] = ()
    n_values: int
    n_leaves: int = 0
    n_unused: int = 0
    n_missing: int = 0

    @property
    def passed(self) -> bool:
        """Whether the file is a hierarchy that covers every value."""
        return self.fault is None and not self.uncovered

    @property
    def sentence(self) -> str:
        """The answer."""
        if self.fault is not None:
            return f"No: {self.file} is not a hierarchy. {self.fault}"
        of = f"the {self.n_values:,} values of column {self.column!r}"
        if self.uncovered:
            return f"No: {self.file} lacks {len(self.uncovered):,} of {of}; add a line for each."
        return f"Yes: {self.file} is a hierarchy and covers {of}."

    def preview(self) -> Preview:
        """Return a row for each check, and for the first values that are not covered."""
        if self.fault is not None:
            return Preview(
                title=self.sentence,
                header=("check", "passed", "detail"),
                rows=[("one root, laminar", "no", "values were not compared")],
            )
        lacking = "; ".join(map(str, self.uncovered[:N_SHOWN]))
        if len(self.uncovered) > N_SHOWN:
            lacking += f"; ... {len(self.uncovered) - N_SHOWN:,} more"
        covered = "no" if self.uncovered else "yes"
        rows = [
            ("one root, laminar", "yes", f"{self.n_leaves:,} values"),
            ("every value covered", covered, f"{lacking} {self.hint}".strip() or "all"),
        ]
        if self.chains:
            named = ", ".join(map(repr, self.chains[:N_SHOWN]))
            more = ", ..." if len(self.chains) > N_SHOWN else ""
            said = f"levels of their own that cost no more than what they hold: {named}{more}"
            rows.append((f"{len(self.chains):,} groups of one", "note", said))
        if self.n_unused:
            said = "in the hierarchy, not in the column: does no harm, but counts in losses"
            rows.append((f"{self.n_unused:,} values more", "note", said))
        if self.n_missing:
            said = "a file has no line for missing values: use Hierarchy.with_leaf(None)"
            rows.append((f"{self.n_missing:,} rows without a value", "note", said))
        return Preview(title=self.sentence, header=("check", "passed", "detail"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return everything, JSON-safe."""
        uncovered = [
            {"value": str(each.value), "n_rows": each.n_rows, "first_row": each.first_row}
            for each in self.uncovered
        ]
        return {
            "passed": self.passed,
            "sentence": self.sentence,
            "file": self.file,
            "column": self.column,
            "fault": self.fault,
            "uncovered": uncovered,
            "chains": list(self.chains),
            "n_values": self.n_values,
            "n_leaves": self.n_leaves,
            "n_unused": self.n_unused,
            "n_missing": self.n_missing,
        }


def check_hierarchy(
    path: str | os.PathLike[str], table: object, *, column: str, delimiter: str | None = None
) -> HierarchyCheck:
    r"""Return whether a file is a hierarchy that covers a column.

    Parameters
    ----------
    path : path
        A file with a line for each value, ``leaf;group;...;root``.
    table : Table or frame
        The data.
    column : str
        A column of it. Its values are compared as text.
    delimiter : str, optional
        As in `Hierarchy.from_csv`.

    Returns
    -------
    HierarchyCheck
        The answer, also if the file is no tree.

    Raises
    ------
    DataError
        If the file cannot be read; `ParameterError` if there is no such column.

    Notes
    -----
    Linear in the sizes of file and column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from discreet.data.table import Table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "job.csv"
    >>> _ = path.write_text("cook;food;*\nbaker;food;*\n")
    >>> table = Table.from_frame({"job": ["cook", "clerk", "clerk"]})
    >>> [str(each) for each in check_hierarchy(path, table, column="job").uncovered]
    ["'clerk' (2 rows, first at row 1)"]
    """
    table = as_table(table)
    values = table.values(column)
    codes = table.codes(column)
    counts = np.bincount(codes, minlength=len(values)).tolist()
    _, firsts = np.unique(codes, return_index=True)  # every value occurs
    texts = {str(value): code for code, value in enumerate(values) if value is not None}
    n_missing = sum(n for n, value in zip(counts, values, strict=True) if value is None)
    file = str(Path(path))
    try:
        draft = draft_of_rows(rows_of_csv(Path(path), delimiter, numbers=False))
        tree, _, _ = grow(draft)
    except HierarchyError as error:
        return HierarchyCheck(
            file=file, column=column, fault=str(error), n_values=len(texts), n_missing=n_missing
        )
    n_leaves, leaves = tree.n_leaves, set(tree.labels[: tree.n_leaves])
    uncovered = tuple(
        Uncovered(value=text, n_rows=counts[code], first_row=int(firsts[code]))
        for text, code in texts.items()
        if text not in leaves
    )
    hint = ""
    if uncovered and n_leaves <= MANY:
        hint = did_you_mean(str(uncovered[0].value), map(str, tree.labels[:n_leaves]))
    return HierarchyCheck(
        file=file,
        column=column,
        uncovered=uncovered,
        hint=hint if hint.startswith("Did") else "",
        chains=_chains(draft),
        n_values=len(texts),
        n_leaves=n_leaves,
        n_unused=n_leaves - (len(texts) - len(uncovered)),
        n_missing=n_missing,
    )


def _chains(draft: Draft) -> tuple[str, ...]:
    """Return the groups with one child; not a padded line's, which repeat a label beside them."""
    n_children = [0] * len(draft.parents)
    last = [-1] * len(draft.parents)
    for node, parent in enumerate(draft.parents):
        if parent >= 0:
            n_children[parent] += 1
            last[parent] = node
    return tuple(
        str(draft.labels[node])
        for node, n in enumerate(n_children)
        if n == 1
        and str(draft.labels[last[node]]) != draft.labels[node]
        and (node == 0 or draft.labels[draft.parents[node]] != draft.labels[node])
    )


def encode_column(hierarchy: Hierarchy, table: Table, column: str) -> NDArray[np.int32]:
    """Return the leaf of each value of a column.

    Raises
    ------
    HierarchyError
        If values are no leaves: with their numbers of rows, what they may be slips for, and how
        they are added.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> jobs = Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}})
    >>> table = Table.from_frame({"job": ["cook", "bakr", "bakr"]})
    >>> encode_column(jobs, table, "job")
    Traceback (most recent call last):
    discreet.errors.HierarchyError: The hierarchy of column 'job' lacks 1 of the values: 'bakr' \
    (2 rows, first at row 1; did you mean 'baker'?). Correct it in the data, or add it: \
    tree.with_leaf('bakr', under='food'); in a file, a line bakr;food;*
    """
    values = table.values(column)
    if hierarchy.covers(values):
        return hierarchy.encode(values)
    codes = table.codes(column)
    counts = np.bincount(codes, minlength=len(values)).tolist()
    firsts = np.unique(codes, return_index=True)[1].tolist()  # every value occurs
    lacking = [
        Uncovered(value=value, n_rows=counts[code], first_row=firsts[code])
        for code, value in enumerate(values)
        if not hierarchy.covers([value])
    ]
    near = [hierarchy.similar(each.value) for each in lacking[:N_NEAR]]
    shown = [
        f"{str(each)[:-1]}; did you mean {like!r}?)" if like is not None else str(each)
        for each, like in zip(lacking, near, strict=False)
    ]
    more = f", ... {len(lacking) - N_NEAR:,} more" if len(lacking) > N_NEAR else ""
    raise HierarchyError(
        f"The hierarchy of column '{column}' lacks {len(lacking):,} of the values: "
        f"{', '.join(shown)}{more}.",
        column=column,
        remedy=_how_to_add(hierarchy, lacking[0].value, near[0]),
    )


N_NEAR = 3  # values whose like is looked for


def _how_to_add(hierarchy: Hierarchy, value: Label, like: Value) -> str:
    """Say how a value gets into a hierarchy, beside one that is like it."""
    other = hierarchy.of_other_kind(value)
    if other is not None:
        return other
    if value is None:
        return "Add missing values: tree.with_leaf(None), right under the root."
    path = ("", hierarchy.full.labels[-1]) if like is None else hierarchy.path(like)
    under = next(label for label in path[1:] if label != str(like))
    groups = ";".join(map(str, path[path.index(under) :]))
    return (
        f"Correct it in the data, or add it: tree.with_leaf({value!r}, under={under!r}); in a "
        f"file, a line {value};{groups}"
    )


# A hierarchy for the values of a column, with text as leaves: what a file of it will hold.


def build_hierarchy(
    values: Iterable[Label],
    *,
    steps: Sequence[float] | None = None,
    origin: float = 0,
    prefixes: Sequence[int] | None = None,
    codes: str | None = None,
    dates: bool | Sequence[DateLevel] = False,
    flat: bool = False,
    name: str | None = None,
) -> Hierarchy:
    """Return a hierarchy that covers every value of a column, made in one of five ways.

    Parameters
    ----------
    values : iterable
        The values of a column, such as ``table.values("age")``. Missing ones are skipped, as
        a file has no line for them: add them with `Hierarchy.with_leaf`.
    steps : sequence of numbers, optional
        Widths of intervals, each a multiple of the one before.
    origin : number
        Where an interval starts, for `steps`.
    prefixes : sequence of integers, optional
        How many characters stay, long to short.
    codes : {"icd", "postcode", "dotted"}, optional
        The kind of codes, as for `Hierarchy.codes`.
    dates : bool or sequence
        True: by day, month, quarter, year, 5 and 10 years; or the levels, as for
        `Hierarchy.dates`.
    flat : bool
        Every value under ``*``.
    name : str, optional
        The column.

    Returns
    -------
    Hierarchy
        Its leaves are the values as text.

    Raises
    ------
    ParameterError
        If not exactly one way is given, or steps, prefixes or levels do not nest.
    HierarchyError
        If a value is not a number, a date or a code where it must be one, naming it.

    Examples
    --------
    >>> ages = build_hierarchy([17, 18, 25, 31, None], steps=[10, 20], name="age")
    >>> ages.leaves, ages.path("31")
    (('17', '18', '25', '31'), ('31', '[30, 40)', '[20, 40)', '*'))
    """
    by_date = dates is not False
    ways = [steps is not None, prefixes is not None, codes is not None, by_date, flat]
    if ways.count(True) != 1:
        raise ParameterError(
            "Give exactly one of steps, prefixes, codes, dates and flat.", parameter="steps"
        )
    known = [value for value in dict.fromkeys(values) if value is not None]
    texts = list(dict.fromkeys(map(str, known)))
    if not texts:
        raise HierarchyError("There are no values, so there is nothing to group.")
    if steps is not None:
        return Hierarchy.from_levels(_interval_rows(known, steps, origin), name=name)
    if prefixes is not None:
        return Hierarchy.prefixes(texts, lengths=prefixes, name=name)
    if codes is not None:
        return Hierarchy.codes(texts, kind=codes, name=name)
    if flat:
        return Hierarchy.flat(texts, name=name)
    return Hierarchy.dates(texts, levels=LEVELS if dates is True else dates or (), name=name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """How the hierarchy of a column is made: exactly one way, as `discreet hierarchy build` has it.

    Parameters
    ----------
    steps : sequence of numbers, optional
        Widths of intervals, narrow to wide.
    origin : number
        Where an interval starts, for `steps`.
    prefix : sequence of integers, optional
        How many characters stay, long to short.
    icd, postcode, codes : bool
        The kinds of codes of `Hierarchy.codes`.
    dates : bool
        By day, month, quarter, year, 5 and 10 years.
    levels : sequence, optional
        Others for `dates`.
    flat : bool
        Every value under ``*``.

    Examples
    --------
    >>> days = Grouping(dates=True, levels=["month", "year"]).of(["2024-02-29"])
    >>> days.n_leaves, days.path("2024-02-29")
    (366, ('2024-02-29', '2024-02', '2024', '*'))
    """

    steps: Sequence[float] | None = None
    origin: float = 0
    prefix: Sequence[int] | None = None
    icd: bool = False
    postcode: bool = False
    codes: bool = False
    dates: bool = False
    levels: Sequence[DateLevel] | None = None
    flat: bool = False

    def __post_init__(self) -> None:
        kinds = (self.icd, self.postcode, self.codes, self.dates, self.flat)
        if [self.steps is not None, self.prefix is not None, *kinds].count(True) != 1:
            raise ParameterError(f"Give exactly one of {WAYS}.", parameter="steps")
        if self.levels is not None:
            if not self.dates:
                raise ParameterError("Levels are of dates: give dates, too.", parameter="levels")
            check_date_levels(self.levels)

    def whole(self, values: Iterable[Label]) -> list[Label] | None:
        """Return every value of the range of some values, if there is one; see `whole_range`."""
        if self.dates or self.steps is not None:
            return whole_range(values, steps=self.steps, origin=self.origin)
        return None

    def of(self, values: Sequence[Label], *, name: str | None = None) -> Hierarchy:
        """Return the hierarchy of the whole range of some values, or else of the values."""
        whole, kinds = self.whole(values), (self.icd, self.postcode, self.codes)
        named = [kind for kind, is_it in zip(KINDS, kinds, strict=True) if is_it]
        return build_hierarchy(
            values if whole is None else whole,
            steps=self.steps,
            origin=self.origin,
            prefixes=self.prefix,
            codes=named[0] if named else None,
            dates=self.dates if self.levels is None else self.levels,
            flat=self.flat,
            name=name,
        )

    def as_written(self) -> dict[str, object]:
        """Return what was given, by name."""
        given = {each: getattr(self, each) for each in self.__slots__}
        listed = {k: list(v) if isinstance(v, list | tuple) else v for k, v in given.items()}
        return {name: value for name, value in listed.items() if value not in (None, False, 0)}


WAYS = "steps, prefix, icd, postcode, codes, dates and flat"

MOST_WHOLE = 100_000  # values of a range that a hierarchy lists in place of those in the rows


def whole_range(
    values: Iterable[Label], *, steps: Sequence[float] | None = None, origin: float = 0
) -> list[Label] | None:
    """Return every value of the range of some values, rounded outward; None if there is no such.

    A hierarchy of these does not disclose which values occur: only the range, rounded.

    Parameters
    ----------
    values : iterable
        The values of a column; missing ones are skipped.
    steps : sequence of numbers, optional
        Of whole numbers, widths of intervals, all of them whole: the range is rounded to the
        widest. Without steps the values are days, and the range is rounded to whole years.
    origin : number
        Where an interval starts, for `steps`.

    Returns
    -------
    list or None
        In order. None for other values, or if there would be more than 100,000.

    Examples
    --------
    >>> found = whole_range([17, 31, None], steps=[5, 10])
    >>> found[0], found[-1], len(found)
    (10, 39, 30)
    >>> days = whole_range(["2024-01-31", "2025-02-01"])
    >>> days[0], days[-1], len(days)
    ('2024-01-01', '2025-12-31', 731)
    """
    texts = [str(value) for value in values if value is not None]
    if not texts:
        return None
    if steps is None:
        return _whole_years(texts)
    wholes = all(float(each).is_integer() for each in (*steps, origin))
    if not wholes or not steps or not all(map(_WHOLE_NUMBER.fullmatch, texts)):
        return None
    numbers, width, start = [int(text) for text in texts], int(max(steps)), int(origin)
    low = (min(numbers) - start) // width * width + start if width > 0 else 0
    high = ((max(numbers) - start) // width + 1) * width + start if width > 0 else 0
    return list(range(low, high)) if 0 < high - low <= MOST_WHOLE else None


def _whole_years(texts: list[str]) -> list[Label] | None:
    """Return every day of the years of some days, None if they are no days or too many."""
    if not all(map(_DAY.fullmatch, texts)):
        return None
    try:
        days = [date.fromisoformat(text) for text in texts]
    except ValueError:
        return None
    first, last = date(min(days).year, 1, 1), date(max(days).year, 12, 31)
    n_days = (last - first).days + 1
    if n_days > MOST_WHOLE:
        return None
    return [str(first + timedelta(days=place)) for place in range(n_days)]


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)

_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,15}", re.ASCII)


def _interval_rows(
    values: Sequence[Label], steps: Sequence[float], origin: float
) -> list[tuple[str, ...]]:
    """Return a row for each text of a number: 1.5 and 1.50 are two values in one interval."""
    texts: dict[float, list[str]] = {}
    for value in values:
        texts.setdefault(_number(value), []).append(str(value))
    return [
        (text, *map(str, row[1:]))
        for _, row in makers.rows_of_intervals(texts, steps, origin)
        for text in texts[row[0]]  # type: ignore[index]  # the number it was given
    ]


def _number(value: Label) -> float:
    """Return a number as it is written."""
    try:
        number = int(str(value)) if sources.INTEGER.fullmatch(str(value)) else float(str(value))
    except ValueError:
        number = math.nan
    if isinstance(value, bool) or not math.isfinite(number):
        raise HierarchyError(
            f"The value {value!r} is not a number: intervals need numbers. "
            f"Correct it, or group by prefixes or flat."
        )
    return number
