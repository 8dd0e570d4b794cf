"""Groups of days: months, quarters, years and rounds of years, each with a label of its own.

A level is a name (``day``, ``month``, ``quarter``, ``year``, ``decade``) or a number of years.
Rounds of years start at multiples of their length, so that no data decide where.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from discreet import checks
from discreet.errors import HierarchyError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DateLevel: TypeAlias = str | int

LEVELS: tuple[DateLevel, ...] = ("day", "month", "quarter", "year", 5, 10)

NAMES = ("day", "month", "quarter", "year", "decade")

_MONTHS = {"day": 0, "month": 1, "quarter": 3, "year": 12, "decade": 120}

# A date, and whatever time of the day follows it.
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9:.,+Z-]*)?", re.ASCII)


def day_of(value: object) -> date | None:
    """Return the day of a date, of a time with a date, or of text that begins with one.

    Examples
    --------
    >>> day_of("2024-01-31T09:30"), day_of("31.1.2024")
    (datetime.date(2024, 1, 31), None)
    """
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    found = _DATE.fullmatch(value) if isinstance(value, str) else None
    try:
        return date.fromisoformat(found[1]) if found else None
    except ValueError:  # such as the 30th of February
        return None


def needed_day(value: object) -> date:
    """Return the day of a value; raise HierarchyError if it has none."""
    day = day_of(value)
    if day is None:
        raise HierarchyError(f"{value!r} is not a date such as 2024-01-31; correct or drop it.")
    return day


def check_date_levels(levels: object) -> tuple[DateLevel, ...]:
    """Return levels of dates, or raise ParameterError unless each nests in the next.

    Examples
    --------
    >>> check_date_levels(["month", "year", "10", 50])
    ('month', 'year', 10, 50)
    >>> check_date_levels(["year", "month"])
    Traceback (most recent call last):
    discreet.errors.ParameterError: levels=['year', 'month']: a year does not ...
    """
    if isinstance(levels, str) or not hasattr(levels, "__iter__"):
        raise checks.refused("levels", levels, f"a list of {', '.join(NAMES)} or numbers of years")
    found = tuple(_checked_level(level) for level in levels)
    if not found:
        raise checks.refused("levels", levels, f"at least one of {', '.join(NAMES)}, or of years")
    for low, high in pairwise(found):
        narrow, wide = _months(low), _months(high)
        if narrow >= wide or (narrow and wide % narrow):
            raise ParameterError(
                f"{{levels}}: {_words(low)} does not lie within {_words(high)}. Each level lies "
                "within the next, as in month, quarter, year, 5, 10.",
                parameter="levels",
                options={"levels": list(found)},
            )
    return found


def _checked_level(level: object) -> DateLevel:
    if isinstance(level, str) and level in _MONTHS:
        return level
    if isinstance(level, str) and re.fullmatch(r"[0-9]{1,4}", level, re.ASCII):
        level = int(level)
    if isinstance(level, str):
        raise ParameterError(
            f"There is no level of dates {level!r}: levels are {', '.join(NAMES)} and numbers of "
            "years.",
            parameter="levels",
            remedy=did_you_mean(level, NAMES),
        )
    return checks.whole("levels", level, at_least=2, at_most=1000)


def _months(level: DateLevel) -> int:
    return _MONTHS[level] if isinstance(level, str) else 12 * level


def _words(level: DateLevel) -> str:
    return f"a {level}" if isinstance(level, str) else f"a round of {level} years"


def date_label(level: DateLevel) -> Callable[[date], str]:
    """Return what gives a day its group of a level.

    Examples
    --------
    >>> [date_label(level)(date(1931, 5, 9)) for level in ("quarter", "year", 5, 10, "decade")]
    ['1931-Q2', '1931', '1930-1934', '1930-1939', '1930s']
    """
    if isinstance(level, int):
        n_years = level
        return lambda day: _years(day.year // n_years * n_years, n_years)
    return _LABELS[level]


_LABELS: dict[str, Callable[[date], str]] = {
    "day": lambda day: day.isoformat(),
    "month": lambda day: f"{day.year:04}-{day.month:02}",
    "quarter": lambda day: f"{day.year:04}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04}",
    "decade": lambda day: f"{day.year // 10 * 10:04}s",
}


def _years(first: int, n: int) -> str:
    return f"{first:04}-{first + n - 1:04}"


def date_span(day: date, level: DateLevel) -> tuple[date, date]:
    """Return the first and last day of the group of a level that a day is in.

    The calendar has the years 1 to 9999: groups end there.

    Examples
    --------
    >>> [str(each) for each in date_span(date(2024, 2, 9), "quarter")]
    ['2024-01-01', '2024-03-31']
    """
    n = _months(level)
    if not n:
        return day, day
    at = day.year * 12 + day.month - 1
    first, after = at // n * n, (at // n + 1) * n
    start = date(first // 12, first % 12 + 1, 1) if first >= 12 else date.min
    if after // 12 > date.max.year:
        return start, date.max
    return start, date(after // 12, after % 12 + 1, 1) - timedelta(days=1)


def rows_of_dates(
    values: Iterable[str | date], levels: Sequence[DateLevel] = LEVELS
) -> Iterable[tuple[str, Sequence[object]]]:
    """Yield each date with its groups, early to late.

    Parameters
    ----------
    values : iterable of date, datetime or str
        Text begins with the date as ``2024-01-31``. Repeats are dropped.
    levels : sequence
        Of groups, narrow to wide.

    Raises
    ------
    HierarchyError
        If a value is not a date, naming it.

    Examples
    --------
    >>> [row for _, row in rows_of_dates(["2024-05-09"])]
    [['2024-05-09', '2024-05-09', '2024-05', '2024-Q2', '2024', '2020-2024', '2020-2029', '*']]
    """
    if isinstance(values, str):
        raise HierarchyError(f"{values!r} is not a list of dates.")
    labels = [date_label(level) for level in check_date_levels(levels)]
    days = {value: needed_day(value) for value in values}
    for value in sorted(days, key=lambda value: (days[value], str(value))):
        yield f"date {str(value)!r}", [value, *(label(days[value]) for label in labels), "*"]
