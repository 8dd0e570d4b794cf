"""Dates as rows of a hierarchy: day, month, quarter, year."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING

from discreet.errors import HierarchyError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# A date, and whatever time of the day follows it.
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9:.,+Z-]*)?", re.ASCII)


def rows_of_dates(values: Iterable[str | date]) -> Iterable[tuple[str, Sequence[object]]]:
    """Yield each date with its day, month, quarter and year, early to late.

    Parameters
    ----------
    values : iterable of date, datetime or str
        Text begins with the date as ``2024-01-31``. Repeats are dropped.

    Raises
    ------
    HierarchyError
        If a value is not a date, naming it.

    Examples
    --------
    >>> [row for _, row in rows_of_dates(["2024-05-09"])]
    [['2024-05-09', '2024-05-09', '2024-05', '2024-Q2', '2024', '*']]
    """
    if isinstance(values, str):
        raise HierarchyError(f"{values!r} is not a list of dates.")
    days = {value: _day(value) for value in values}
    for value in sorted(days, key=lambda value: (days[value], str(value))):
        day = days[value]
        year = f"{day.year:04}"
        month, quarter = f"{year}-{day.month:02}", f"{year}-Q{(day.month + 2) // 3}"
        yield f"date {str(value)!r}", [value, day.isoformat(), month, quarter, year, "*"]


def _day(value: object) -> date:
    """Return the day of a date, of a time with a date, or of text that begins with one."""
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    found = _DATE.fullmatch(value) if isinstance(value, str) else None
    try:
        if found:
            return date.fromisoformat(found[1])
    except ValueError:  # such as the 30th of February
        pass
    raise HierarchyError(f"{value!r} is not a date such as 2024-01-31; correct or drop it.")
