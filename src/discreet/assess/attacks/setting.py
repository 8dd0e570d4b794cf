"""What every attack is given: a release, the original it was made from, and controls."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from discreet.assess.classes import as_table
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    """Return the tables of an attack, or raise ParameterError if they do not go together.

    Parameters
    ----------
    release, original, controls : Table or frame
        Controls may be None.
    columns : iterable of str or None
        Columns that may be known; by default those of the original that are not identifying.
    also : iterable of str
        Columns that all tables must have besides.
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
    return Setting(release=after, original=before, controls=others, columns=names)


def check_at_least(option: str, value: int, least: int) -> None:
    """Raise ParameterError unless an option is a whole number that is large enough."""
    if isinstance(value, bool) or int(value) != value or value < least:
        raise ParameterError(f"{option}={value} must be a whole number, at least {least}.")
