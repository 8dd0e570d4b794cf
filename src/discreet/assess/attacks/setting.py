"""What every attack is given: a release, the original it was made from, and controls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.assess.attacks.coded import one_coding
from discreet.assess.classes import as_table, equal_codes
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.data.table import Table


class Setting(NamedTuple):
    """Release, original, people who are not in the release, and columns that may be known."""

    release: Table
    original: Table
    controls: Table | None
    columns: tuple[str, ...]


def attacked(
    release: object,
    original: object,
    controls: object,
    columns: Iterable[str] | None,
    *,
    also: Iterable[str] = (),
) -> Setting:
    """Return the tables of an attack, or refuse them if they do not go together.

    Parameters
    ----------
    release, original, controls : Table or frame
        Controls may be None.
    columns : iterable of str or None
        Columns that may be known; by default those of the original that are not identifying.
    also : iterable of str
        Columns that all tables must have besides.

    Raises
    ------
    ParameterError
        If a table lacks a column, there is nobody to attack, or the controls are the original:
        then members and others are alike by construction, and every attack seems to fail.
    DataError
        If the release has no rows, so that every attack seems to fail.
    """
    before, after = as_table(original), as_table(release)
    others = None if controls is None else as_table(controls)
    if columns is None:
        names = tuple(name for name in before.columns if name not in before.identifying)
    else:
        names = before.select(columns).columns
    if not names:
        raise ParameterError("An attacker has to know something: name at least one column.")
    for title, table in (("original", before), ("release", after), ("controls", others)):
        if table is None:
            continue
        for name in (*names, *also):
            try:
                table.column(name)
            except ParameterError as error:
                raise ParameterError(f"In the {title}: {error}") from None
        if table.n_rows == 0 and title != "release":
            raise ParameterError(f"The {title} has no rows, so there is nobody to attack.")
    if after.n_rows == 0:
        raise DataError(
            "The release has no rows: every attack on it fails, which says nothing. Attack a "
            "release that has rows."
        )
    if others is not None:
        _refuse_original(before, others, columns=(*names, *also))
    return Setting(release=after, original=before, controls=others, columns=names)


def have_same_rows(first: Table, second: Table, columns: Sequence[str]) -> bool:
    """Say whether two tables have the same rows in some columns, each as often, in any order.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.Table.from_frame({"sex": ["f", "m", "m"]})
    >>> have_same_rows(table, table.take([2, 0, 1]), ["sex"])
    True
    >>> have_same_rows(table, table.take([0, 0, 1]), ["sex"])
    False
    """
    if first.n_rows != second.n_rows:
        return False
    coded = np.concatenate(one_coding([first, second], columns), axis=1)
    classes = equal_codes(list(coded), first.n_rows + second.n_rows)
    here, there = (
        np.bincount(half, minlength=len(classes)) for half in np.split(classes.class_of, 2)
    )
    return bool((here == there).all())


def _refuse_original(original: Table, controls: Table, *, columns: Sequence[str]) -> None:
    """Raise ParameterError if the controls are the original, but for identifying columns."""
    both = [name for name in original.columns if name in controls.columns]
    shared = [name for name in both if name in columns or name not in original.identifying]
    if have_same_rows(original, controls, shared):
        raise ParameterError(
            "controls: these are the rows of the original, so that members and others cannot be "
            "told apart. Give people whose rows were not used."
        )


def check_at_least(option: str, value: int, least: int) -> None:
    """Raise ParameterError unless an option is a whole number that is large enough."""
    if isinstance(value, bool) or int(value) != value or value < least:
        raise ParameterError(f"{option}={value} must be a whole number, at least {least}.")
