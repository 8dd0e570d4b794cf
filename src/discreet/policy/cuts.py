"""Edges to propose for columns of measured numbers, for a person to correct.

Round numbers between the 5th and the 95th percentile, with open ends: the extremes, which single
people out, fall into "< 20" and ">= 80" together with many others.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.data.column import MAX_DISTINCT_NUMBERS

if TYPE_CHECKING:
    from discreet.data.table import Table

N_STEPS = 5  # about so many bins between the percentiles
_CODE_NAME = re.compile(r"zip|post_?(al_?)?code|plz|(^|_)codes?(_|$)|district|icd|naics|nace|isco")


class Measured(NamedTuple):
    """A column of measured numbers: its range, and edges to cut it at."""

    low: float
    high: float
    n_values: int
    edges: tuple[float, ...]


def suggest_cuts(table: Table) -> dict[str, Measured]:
    """Return edges for every column that holds measured numbers.

    Parameters
    ----------
    table : Table
        Numbers uncut: columns as the reader understands them.

    Returns
    -------
    dict
        Column to its range and edges. The rule is that of ``Table.from_frame``: decimals, and
        whole numbers with more than 64 values.

    Examples
    --------
    >>> from discreet import Table
    >>> ages = Table.from_frame({"age": list(range(17, 91))}, categorical=True)
    >>> suggest_cuts(ages)["age"].edges
    (40, 60, 80)
    """
    found = {}
    for name in table.columns:
        values = [value for value in table.values(name) if value is not None]
        numbers = all(isinstance(v, int | float | Decimal) and v is not True for v in values)
        whole = numbers and all(isinstance(v, int) for v in values)
        if not values or not numbers or any(isinstance(v, bool) for v in values):
            continue
        if whole and len(values) <= MAX_DISTINCT_NUMBERS:
            continue
        labels = np.array([float("nan") if v is None else float(v) for v in table.values(name)])  # type: ignore[arg-type]
        sorted_values = np.sort(labels[table.codes(name)])
        finite = sorted_values[np.isfinite(sorted_values)]
        if len(finite):
            found[name] = Measured(float(finite[0]), float(finite[-1]), len(values), _edges(finite))
    return found


def looks_like_code(column: str) -> bool:
    """Say whether a column of numbers is named like one of codes, such as postcodes.

    Examples
    --------
    >>> looks_like_code("zip"), looks_like_code("PostCode"), looks_like_code("age")
    (True, True, False)
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column)
    return _CODE_NAME.search(re.sub(r"[\W_]+", "_", spaced).lower()) is not None


def _edges(numbers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[float, ...]:
    """Return round edges between the 5th and 95th percentile of sorted numbers, at least one."""
    low, high = np.quantile(numbers, [0.05, 0.95], method="nearest")
    if low == high:  # most rows have one value: cut the rest
        low, high = numbers[0], numbers[-1]
    if low == high:
        return (_number(Fraction(float(low))),)
    step = _round_step(float(high - low) / N_STEPS)
    first = math.floor(Fraction(float(low)) / step) + 1
    last = math.ceil(Fraction(float(high)) / step) - 1
    edges = [_number(step * place) for place in range(first, last + 1)]
    return tuple(dict.fromkeys(edges)) or (_number(step * first),)


def _round_step(width: float) -> Fraction:
    """Return the smallest of 1, 2, 5, 10, ... (and tenths of them) that is at least a width."""
    power = Fraction(10) ** math.floor(math.log10(width))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= Fraction(width))


def _number(value: Fraction) -> float:
    """Return a whole number where it is one."""
    return int(value) if value.denominator == 1 else float(value)
