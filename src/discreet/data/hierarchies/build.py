"""A hierarchy for the values of a column, with text as leaves: what a file of it will hold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from discreet.data.hierarchies import sources
from discreet.data.hierarchy import Hierarchy
from discreet.errors import HierarchyError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.data.column import Label


def build_hierarchy(
    values: Iterable[Label],
    *,
    steps: Sequence[float] | None = None,
    origin: float = 0,
    prefixes: Sequence[int] | None = None,
    dates: bool = False,
    flat: bool = False,
    name: str | None = None,
) -> Hierarchy:
    """Return a hierarchy that covers every value of a column, made in one of four ways.

    Parameters
    ----------
    values : iterable
        The values of a column, such as ``table.values("age")``. Missing ones are left out, as
        a file has no line for them: add them with `Hierarchy.with_leaf`.
    steps : sequence of numbers, optional
        Widths of intervals, each a multiple of the one before.
    origin : number
        Where an interval starts, for `steps`.
    prefixes : sequence of integers, optional
        How many characters stay, long to short.
    dates : bool
        By day, month, quarter and year.
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
        If not exactly one way is given, or steps or prefixes do not nest.
    HierarchyError
        If a value is not a number or a date where it must be one, naming it.

    Examples
    --------
    >>> ages = build_hierarchy([17, 18, 25, 31, None], steps=[10, 20], name="age")
    >>> ages.leaves, ages.labels[ages.parent[0]]
    (('17', '18', '25', '31'), '[10, 20)')
    """
    if [steps is not None, prefixes is not None, dates, flat].count(True) != 1:
        raise ParameterError("Give exactly one of steps, prefixes, dates and flat.")
    known = [value for value in dict.fromkeys(values) if value is not None]
    texts = list(dict.fromkeys(map(str, known)))
    if not texts:
        raise HierarchyError("There are no values, so there is nothing to group.")
    if steps is not None:
        return Hierarchy.from_levels(_interval_rows(known, steps, origin), name=name)
    if prefixes is not None:
        return Hierarchy.prefixes(texts, lengths=prefixes, name=name)
    return Hierarchy.dates(texts, name=name) if dates else Hierarchy.flat(texts, name=name)


def _interval_rows(
    values: Sequence[Label], steps: Sequence[float], origin: float
) -> list[tuple[str, ...]]:
    """Return a row for each text of a number: 1.5 and 1.50 are two values in one interval."""
    texts: dict[float, list[str]] = {}
    for value in values:
        texts.setdefault(_number(value), []).append(str(value))
    return [
        (text, *map(str, row[1:]))
        for _, row in sources.rows_of_intervals(texts, steps, origin)
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
