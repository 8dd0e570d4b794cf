"""Equivalence classes: rows that are equal in the values of some columns.

Rows belong together if they are equal in every column; a missing or suppressed cell is an
ordinary value ``*``, equal to other missing cells and to nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError, did_you_mean
from discreet.limits import search

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.data.binning import Carried
    from discreet.data.column import Label
    from discreet.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Classes:
    """The classes of a table: one row of each, its size, and the class of every row.

    ``members`` says how many people have a row in each class, where it is known whose the rows
    are, and else how many rows it has, each of which is then taken for a person.
    """

    first: NDArray[np.int64]
    sizes: NDArray[np.int64]
    class_of: NDArray[np.int32]
    members: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.sizes)


def equivalence_classes(table: Table, columns: Iterable[str]) -> Classes:
    """Return the classes of rows that are equal in these columns.

    Parameters
    ----------
    table : Table
        The table.
    columns : iterable of str
        At least one of its columns.

    Returns
    -------
    Classes
        In the order in which they first occur. One pass over the rows.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table = Table.from_frame({"sex": ["f", "m", "f"], "job": ["a", "a", "a"]})
    >>> equivalence_classes(table, ["sex", "job"]).sizes.tolist()
    [2, 1]
    """
    found = equal_codes([table.codes(name) for name in columns], table.n_rows)
    if table.people is None:
        return found
    return replace(found, members=table.people.count(found.class_of, len(found)))


def equal_codes(codes: Sequence[NDArray[np.integer]], n_rows: int) -> Classes:
    """Return the classes of rows with equal codes in every array."""
    wide = [column.astype(np.uint32) for column in codes]
    with search("equal rows", "Use fewer columns") as running:
        first, sizes, class_of = _native.collapse(wide, n_rows, running.control, running.progress)
    return Classes(first=first, sizes=sizes, class_of=class_of, members=sizes)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Holders:
    """How many people hold each member in each class: one entry for each pair that occurs.

    Attributes
    ----------
    classes, members, counts : array of int64
        The class, the member as a place in ``values``, and how many hold it.
    n_units : array of int64
        People in each class; rows where people are not known.
    values : tuple
        The members.
    """

    classes: NDArray[np.int64]
    members: NDArray[np.int64]
    counts: NDArray[np.int64]
    n_units: NDArray[np.int64]
    values: tuple[Label, ...]


def holders(table: Table, column: str, class_of: NDArray[np.integer], n_classes: int) -> Holders:
    """Return how many people of each class hold each member of a column.

    A person holds what any of their rows in the class does; a row is a person of its own where
    people are not known.

    Parameters
    ----------
    table : Table
        The table.
    column : str
        One of its columns; a cell of a set column has several members.
    class_of : array of int
        The class of each row, from 0; -1 for rows in none.
    n_classes : int
        How many classes there are.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> visits = Table.from_frame({"who": [1, 1, 2], "ill": ["flu", "gout", "flu"]}, person="who")
    >>> found = holders(visits, "ill", np.zeros(3, int), 1)
    >>> found.counts.tolist(), found.n_units.tolist(), found.values
    ([2, 1], [2], ('flu', 'gout'))
    """
    people = table.people
    unit_of = np.arange(table.n_rows) if people is None else people.codes.astype(np.int64)
    n_units = table.n_rows if people is None else people.n_people
    used = np.flatnonzero(class_of >= 0)
    pairs, person = np.unique(
        class_of[used].astype(np.int64) * max(n_units, 1) + unit_of[used], return_inverse=True
    )
    members = table.members(column)
    rows, codes = members.of_rows(table.codes(column)[used])
    n_members = max(len(members.values), 1)
    each = np.unique(person.reshape(-1)[rows] * n_members + codes)
    of_class = pairs // max(n_units, 1)
    found, counts = np.unique(
        of_class[each // n_members] * n_members + each % n_members, return_counts=True
    )
    return Holders(
        classes=found // n_members,
        members=found % n_members,
        counts=counts,
        n_units=np.bincount(of_class, minlength=n_classes),
        values=members.values,
    )


def carry(
    shown: Table,
    class_of: NDArray[np.integer],
    *,
    least: int,
    units: NDArray[np.integer] | None = None,
) -> Table:
    """Return a table in which the columns that are carried along show what was stated of them.

    Parameters
    ----------
    shown : Table
        The rows to be released, with their numbers as they are.
    class_of : array of int
        The class of each row, from 0.
    least : int
        A class of which fewer units of privacy have a number shows none: a mean of fewer would
        disclose more than that of a class.
    units : array of int, optional
        The household of each row; its person, or the row itself by default.

    Examples
    --------
    >>> from discreet import Table
    >>> pay = Table.from_frame({"pay": [10, 20, 99]}, carried={"pay": "mean, 0 to 50"})
    >>> carry(pay, np.zeros(3, int), least=2).values("pay")
    (26.666666666666668,)
    """
    if units is None:
        units = np.arange(shown.n_rows) if shown.people is None else shown.people.codes
    for name, how in shown.carried.items():
        exact = [None if v is None else Fraction(str(v)) for v in shown.values(name)]  # as written
        cut = [_cut(number, how) for number in exact]
        codes: NDArray[np.integer] = shown.codes(name)
        if how.shows == "values":
            made = [None if number is None else _rounded(number, how.step) for number in cut]
        else:
            made, codes = _of_classes(cut, codes, class_of, how, least=least, units=units)
        are_whole = all(isinstance(v, int) for v in shown.values(name) if v is not None)
        whole = how.step.denominator == 1 if how.step else are_whole and how.shows == "values"
        if whole and all(edge is None or edge.denominator == 1 for edge in (how.low, how.high)):
            labels = [None if number is None else int(number) for number in made]
        else:
            labels = [None if number is None else float(number) for number in made]  # type: ignore[misc]
        order = sorted({label for label in labels if label is not None})
        place = {label: i for i, label in enumerate(order)}
        lookup = np.array(
            [len(order) if label is None else place[label] for label in labels], np.int64
        )
        shown = shown.with_column(name, lookup[codes] if len(codes) else codes, [*order, None])
    return shown


def _cut(number: Fraction | None, how: Carried) -> Fraction | None:
    """Return a number within bottom and top."""
    if number is None:
        return None
    least = number if how.low is None else max(number, how.low)
    return least if how.high is None else min(least, how.high)


def _rounded(number: Fraction, step: Fraction | None) -> Fraction:
    return number if step is None else floor(number / step + Fraction(1, 2)) * step


def _of_classes(
    values: list[Fraction | None],
    codes: NDArray[np.integer],
    class_of: NDArray[np.integer],
    how: Carried,
    *,
    least: int,
    units: NDArray[np.integer],
) -> tuple[list[Fraction | None], NDArray[np.integer]]:
    """Return what each class shows, and the class of each row."""
    has = np.array([value is not None for value in values], bool)[codes]
    rows = np.flatnonzero(has)
    rows = rows[np.argsort(class_of[rows], kind="stable")]
    n_classes = int(class_of.max(initial=-1)) + 1
    ends = np.cumsum(np.bincount(class_of[rows], minlength=n_classes))
    made: list[Fraction | None] = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        members = rows[start:end]
        if len(np.unique(units[members])) < least:
            made.append(None)
            continue
        found, counts = np.unique(codes[members], return_counts=True)
        numbers = [(values[c], n) for c, n in zip(found.tolist(), counts.tolist(), strict=True)]
        made.append(_rounded(_statistic(numbers, how.shows), how.step))
    return made, class_of


def _statistic(numbers: list[tuple[Fraction, int]], shows: str) -> Fraction:
    """Return mean or median of numbers that stand there several times each."""
    n = sum(times for _, times in numbers)
    if shows == "mean":
        return sum((number * times for number, times in numbers), Fraction(0)) / n
    each = [number for number, times in sorted(numbers) for _ in range(times)]
    return (each[(n - 1) // 2] + each[n // 2]) / 2


def quasi_columns(table: Table, columns: Iterable[str] | None) -> tuple[str, ...]:
    """Return the columns given, or else the quasi-identifiers, and refuse none at all."""
    chosen = table.quasi if columns is None else table.select(columns).columns
    if chosen:
        return chosen
    if columns is not None:
        raise ParameterError(
            "columns=[] is empty: without a column all rows are alike.", parameter="columns"
        )
    known = f" Its columns are {', '.join(map(repr, table.columns))}." if table.columns else ""
    raise ParameterError(
        f"The table has no quasi-identifier: name the columns that may be known.{known}",
        parameter="columns",
    )


def sensitive_columns(
    table: Table, sensitive: Iterable[str] | None, known: Sequence[str]
) -> tuple[str, ...]:
    """Return the columns given, or else the sensitive ones, and refuse those that are known."""
    if sensitive is None:
        return tuple(name for name in table.sensitive if name not in known)
    chosen = table.select(sensitive).columns
    for name in chosen:
        if name in known:
            raise ParameterError(
                f"Column '{name}' is both known to the attacker and sensitive: leave it out of "
                "one.",
                parameter="sensitive",
                column=name,
            )
    return chosen


def check_names(option: str, names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise ParameterError unless every name of an option is a known one."""
    for name in names:
        if name not in known:
            hint = did_you_mean(str(name), known) if known else "There is none."
            raise ParameterError(
                f"{option} names {name!r}, which is no {what}.", parameter=option, remedy=hint
            )


def in_words(columns: Sequence[str]) -> str:
    """Return a few column names joined by ``+``, and the number of many.

    Examples
    --------
    >>> in_words(["age", "sex"]), in_words(["c"] * 9)
    ('age + sex', '9 columns')
    """
    return " + ".join(columns) if len(columns) <= 6 else f"{len(columns)} columns"
