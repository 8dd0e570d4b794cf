"""Numbers into intervals, by edges the curator gives, by equal steps, or by equal counts.

Intervals are half-open, ``[20, 40)`` or ``(20, 40]``, and ordered as numbers are. Beyond the
outer edges they are open, ``< 20`` and ``>= 60``, unless values out there are to be errors.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from discreet import checks
from discreet.data.column import make_column
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.column import Column

Where: TypeAlias = Callable[[int], str]
MAX_BINS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Bins:
    """How to cut one column of numbers: exactly one of edges, width and quantiles.

    Parameters
    ----------
    edges : sequence of numbers, optional
        Strictly increasing cut points, at least one (two if ``ends="closed"``).
    width : number, optional
        Steps of this width, starting at a multiple of it; above 0.
    quantiles : integer, optional
        Number of groups of about equal count, at least 2. The edges are taken from the data.
    closed : {"left", "right"}
        Which end belongs to an interval: ``[20, 40)`` or ``(20, 40]``.
    ends : {"open", "closed"}
        With edges: whether values beyond the outer edges form intervals of their own or
        are errors.

    Examples
    --------
    >>> Bins(edges=(20, 40), closed="right").closed
    'right'
    """

    edges: tuple[float, ...] | None = None
    width: float | None = None
    quantiles: int | None = None
    closed: Literal["left", "right"] = "left"
    ends: Literal["open", "closed"] = "open"

    def __post_init__(self) -> None:
        given = [part for part in (self.edges, self.width, self.quantiles) if part is not None]
        if len(given) != 1:
            raise ParameterError(
                "Bins need exactly one of edges, width and quantiles.", parameter="bins"
            )
        checks.one_of("closed", self.closed, ("left", "right"))
        checks.one_of("ends", self.ends, ("open", "closed"))
        if self.edges is not None:
            object.__setattr__(self, "edges", _checked_edges(self.edges, self.ends))
        if self.width is not None and not (_is_number(self.width) and self.width > 0):
            raise ParameterError(
                f"The width of bins is a number above 0, not {self.width!r}.", parameter="width"
            )
        if self.quantiles is not None:
            checks.whole("quantiles", self.quantiles, at_least=2, at_most=MAX_BINS)


BinsLike: TypeAlias = Bins | Sequence[float] | float


def as_bins(column: str, given: BinsLike) -> Bins:
    """Return the bins meant by a list of edges or by one number, the width.

    Examples
    --------
    >>> as_bins("age", [20, 40]).edges, as_bins("age", 10).width
    ((20, 40), 10)
    """
    if isinstance(given, Bins):
        return given
    try:
        if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
            return Bins(edges=tuple(given))
        return Bins(width=given)
    except ParameterError as error:
        raise error.inside(f"bins of column '{column}'") from None


def bin_column(
    values: Sequence[float | None] | NDArray[np.number],
    *,
    edges: Sequence[float] | None = None,
    width: float | None = None,
    quantiles: int | None = None,
    closed: Literal["left", "right"] = "left",
    ends: Literal["open", "closed"] = "open",
) -> Column:
    """Return a column of interval labels for numbers.

    Parameters
    ----------
    values : sequence or array of numbers
        ``None`` and NaN are missing and stay so.
    edges : sequence of numbers, optional
        Strictly increasing cut points.
    width : number, optional
        Steps of this width, starting at a multiple of it.
    quantiles : integer, optional
        Number of groups of about equal count; the edges come from the data.
    closed : {"left", "right"}
        ``[20, 40)`` or ``(20, 40]``.
    ends : {"open", "closed"}
        With edges: whether values beyond the outer edges are intervals or errors.

    Returns
    -------
    Column
        Labels in numeric order; intervals that hold no value are dropped.

    Raises
    ------
    ParameterError
        If the bins make no sense.
    DataError
        If a value lies outside closed edges, or is infinite and bins have a width.

    Notes
    -----
    O(n log b) for n values and b bins. Edges and width do not depend on the data; quantiles
    do, and so say something about it.

    Examples
    --------
    >>> bin_column([17, 20, 39, 40, 90], edges=[20, 40, 60]).values
    ('< 20', '[20, 40)', '[40, 60)', '>= 60')
    >>> bin_column([20, 40, 41], edges=[20, 40], closed="right").values
    ('<= 20', '(20, 40]', '> 40')
    >>> bin_column([3, None, 27], width=10).values
    ('[0, 10)', '[20, 30)', None)
    """
    bins = Bins(
        edges=None if edges is None else tuple(edges),
        width=width,
        quantiles=quantiles,
        closed=closed,
        ends=ends,
    )
    array = np.array([np.nan if value is None else value for value in values])
    return apply_bins(array, bins, where=lambda row: f"row {row} (counting from 0)")


def apply_bins(values: NDArray[np.number], bins: Bins, *, where: Where) -> Column:
    """Return the binned column; ``where`` names a row in errors."""
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
    present = values[~missing]
    cuts: list[float]
    if bins.edges is not None:
        cuts = list(bins.edges)
    elif len(present) == 0:
        cuts = [0]
    elif bins.width is not None:
        cuts = _steps(present, bins, values, where)
    else:
        shares = np.arange(1, bins.quantiles or 2) / (bins.quantiles or 2)
        cuts = np.unique(np.quantile(present, shares, method="higher")).tolist()
    side: Literal["left", "right"] = "right" if bins.closed == "left" else "left"
    codes = np.searchsorted(np.asarray(cuts), values, side=side)
    labels: list[str | None] = list(_labels(cuts, bins.closed))
    if bins.ends == "closed" and bins.edges is not None:
        outside = ((codes == 0) | (codes == len(cuts))) & ~missing
        if outside.any():
            row = int(np.flatnonzero(outside)[0])
            raise DataError(
                f"{_show(values[row])} in {where(row)} lies outside the edges {_show(cuts[0])} "
                f"to {_show(cuts[-1])}.",
                remedy="Add an edge, or use {ends}.",
                options={"ends": "open"},
            )
    codes[missing] = len(labels)
    return make_column(codes, [*labels, None], cut_by_rows=bins.quantiles is not None)


def _steps(
    present: NDArray[np.number], bins: Bins, values: NDArray[np.number], where: Where
) -> list[float]:
    """Return multiples of the width that cover all values, exact in decimals."""
    assert bins.width is not None
    low, high = float(present.min()), float(present.max())
    if not (math.isfinite(low) and math.isfinite(high)):
        row = int(np.flatnonzero(np.isinf(values))[0])
        raise DataError(
            f"{where(row).capitalize()} is infinite, so steps cannot cover it. Give edges instead."
        )
    # In fractions of the decimal as written, so that 3 steps of 0.1 end at 0.3 and not just above.
    step = Fraction(str(bins.width))
    first = math.floor(Fraction(low) / step) - 1
    last = math.ceil(Fraction(high) / step) + 1
    if last - first > MAX_BINS:
        raise DataError(
            f"Steps of {_show(bins.width)} from {_show(low)} to {_show(high)} make more than "
            f"{MAX_BINS} bins. Use a larger width, or give edges."
        )
    whole = step.denominator == 1
    return [int(k * step) if whole else float(k * step) for k in range(first, last + 1)]


def _labels(cuts: list[float], closed: Literal["left", "right"]) -> list[str]:
    """Return the labels of the intervals between cuts and of the two open ends."""
    left = closed == "left"
    first = f"< {_show(cuts[0])}" if left else f"<= {_show(cuts[0])}"
    last = f">= {_show(cuts[-1])}" if left else f"> {_show(cuts[-1])}"
    pairs = [(_show(low), _show(high)) for low, high in pairwise(cuts)]
    return [
        first,
        *(f"[{low}, {high})" if left else f"({low}, {high}]" for low, high in pairs),
        last,
    ]


def _show(number: float) -> str:
    """Return a number as a person writes it: whole numbers without a point.

    Examples
    --------
    >>> _show(20.0), _show(0.5)
    ('20', '0.5')
    """
    number = float(number)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


_END = r"(-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?)"
_INTERVAL = re.compile(rf"[\[(]{_END}, {_END}[\])]")
_HALF = re.compile(rf"(<=?|>=?) {_END}")
_YEARS = re.compile(r"([0-9]{4})(?:-Q([1-4])|-([0-9]{2})|-([0-9]{4})|(s))?")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")

Bound: TypeAlias = float | date | None


def bounds_of(label: object) -> tuple[Bound, Bound] | None:
    """Return where an interval of numbers or dates begins and ends, as its label says.

    Which end belongs to it is not said. An open end is None; of dates both ends are days that
    belong to it. A number or a date is its own bounds. None if the label is no interval.

    Examples
    --------
    >>> bounds_of("[20, 40)"), bounds_of(">= 60"), bounds_of("f"), bounds_of(7)
    ((20, 40), (60, None), None, (7, 7))
    >>> [str(day) for day in bounds_of("2024-Q1")]
    ['2024-01-01', '2024-03-31']
    """
    if isinstance(label, datetime):
        label = label.date()
    if isinstance(label, str):
        return _bounds_in(label)
    is_point = isinstance(label, date) or _is_number(label)
    return (label, label) if is_point else None  # type: ignore[return-value]  # just looked at


def _bounds_in(label: str) -> tuple[Bound, Bound] | None:
    if found := _INTERVAL.fullmatch(label):
        return _number(found[1]), _number(found[2])
    if found := _HALF.fullmatch(label):
        end = _number(found[2])
        return (None, end) if found[1].startswith("<") else (end, None)
    try:
        if _DAY.fullmatch(label):
            return date.fromisoformat(label), date.fromisoformat(label)
        return _days(label)
    except ValueError:  # no day of the calendar
        return None


def _number(text: str) -> float:
    return int(text) if re.fullmatch("-?[0-9]+", text) else float(text)


def _days(label: str) -> tuple[date, date] | None:
    """Return the first and last day of a month, a quarter, or years."""
    found = _YEARS.fullmatch(label)
    if found is None:
        return None
    first, quarter, month, last = (
        None if part is None else int(part) for part in found.groups()[:4]
    )
    assert first is not None
    if quarter is not None:
        month, n_months = 3 * quarter - 2, 3
    elif month is not None:
        n_months = 1
    else:
        last = first + 9 if found[5] else last or first
        month, n_months = 1, 12 * (last - first + 1)
    after = first * 12 + month - 1 + n_months
    return date(first, month, 1), date(after // 12, after % 12 + 1, 1) - timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """The numbers or days that the intervals of a column hold, as whole multiples of a step.

    Attributes
    ----------
    first, n : list of int
        For each label the first multiple that it holds, and how many; 0 of what is no interval.
    step : Fraction, optional
        None of days, which are counted from year 1.
    """

    first: list[int]
    n: list[int]
    step: Fraction | None

    def value(self, place: int) -> float | date:
        """Return the number or day of a multiple."""
        if self.step is None:
            return date.fromordinal(place)
        number = place * self.step
        return int(number) if self.step == 1 else float(number)


NO_INTERVALS = frozenset((None, "other", "missing", "*"))


def grid_of(labels: Sequence[object]) -> Grid | None:
    """Return what the labels of a column hold, if they are intervals; None if they are not.

    Whole ends make whole numbers, others one more decimal than they have. An open end is taken
    to be as far away as the next interval is wide, and no further than 0 where no end is below.

    Examples
    --------
    >>> grid = grid_of(["< 20", "[20, 30)", "(30, 30.5]", None])
    >>> [(str(grid.value(a)), n) for a, n in zip(grid.first, grid.n) if n]
    [('10.0', 1000), ('20.0', 1000), ('30.01', 50)]
    >>> print(grid_of(["f", "m"]))
    None
    """
    found = [None if label in NO_INTERVALS else bounds_of(label) for label in labels]
    known = [each for each in found if each is not None]
    if len(known) < sum(label not in NO_INTERVALS for label in labels):
        return None
    ends = [end for each in known for end in each if end is not None]
    if all(low == high for low, high in known) or len({isinstance(e, date) for e in ends}) != 1:
        return None
    if isinstance(ends[0], date):
        days = [(0, 0) if each is None else _ordinals(each) for each in found]
        return Grid(first=[first for first, _ in days], n=[n for _, n in days], step=None)
    exact = [Fraction(str(end)) for end in ends]
    n_decimals = max(_decimals(end) for end in exact)
    step = Fraction(1, 10 ** (n_decimals + 1)) if n_decimals else Fraction(1)
    widths = sorted(
        (Fraction(str(low)), Fraction(str(high)) - Fraction(str(low)))
        for low, high in known
        if low is not None and high is not None and low != high
    )
    first, n = [], []
    for label, each in zip(labels, found, strict=True):
        if each is None:
            first.append(0)
            n.append(0)
            continue
        low, high = (None if end is None else Fraction(str(end)) for end in each)
        is_point = low == high
        if low is None and high is not None:
            low = high - (widths[0][1] if widths else max(abs(high), Fraction(1)))
            low = max(low, Fraction(0)) if min(exact) >= 0 and high > 0 else low
        elif high is None and low is not None:
            high = low + (widths[-1][1] if widths else max(abs(low), Fraction(1)))
        assert low is not None
        assert high is not None
        is_right = str(label).startswith(("(", "<=", "> "))
        first.append(int(low / step) + (is_right and not is_point))
        n.append(1 if is_point else max(int((high - low) / step), 1))
    return Grid(first=first, n=n, step=step)


def _ordinals(bounds: tuple[Bound, Bound]) -> tuple[int, int]:
    low, high = bounds
    assert isinstance(low, date)
    assert isinstance(high, date)
    return low.toordinal(), high.toordinal() - low.toordinal() + 1


def _decimals(number: Fraction) -> int:
    n = 0
    while number.denominator != 1 and n < _MOST_DECIMALS:
        number, n = number * 10, n + 1
    return n


_MOST_DECIMALS = 9


def _is_number(value: object) -> bool:
    """Say whether a value is a finite real number and not a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | np.number):
        return False
    return math.isfinite(value)


def _checked_edges(edges: tuple[float, ...], ends: str) -> tuple[float, ...]:
    """Return the edges, or raise ParameterError unless they are increasing numbers."""
    if not all(_is_number(edge) for edge in edges):
        wrong = next(edge for edge in edges if not _is_number(edge))
        raise ParameterError(f"Edges are finite numbers; {wrong!r} is not.", parameter="edges")
    if len(edges) < (2 if ends == "closed" else 1):
        raise ParameterError(
            "Give at least one edge, or two where the ends are closed.", parameter="edges"
        )
    for low, high in pairwise(edges):
        if low >= high:
            raise ParameterError(
                f"Edges must increase, but {low!r} comes before {high!r}.", parameter="edges"
            )
    return edges


# Numbers that are only carried along: nobody is grouped by them, and how they are released is said.


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What becomes of a column of measured numbers that a release only carries along.

    Parameters
    ----------
    shows : {"mean", "median", "values"}
        What a row shows: the mean or the median of its class, or its own number.
    low, high : Fraction, optional
        Numbers below or above are taken for these first (bottom and top coding).
    step : Fraction, optional
        What is shown is rounded to a multiple of it.
    """

    shows: Literal["mean", "median", "values"] = "values"
    low: Fraction | None = None
    high: Fraction | None = None
    step: Fraction | None = None


_TREATMENT = (
    "Say what becomes of it in words such as 'mean', 'median', 'round 100', '0 to 90', or several "
    "with commas between them: 'mean, 0 to 90'."
)


def as_carried(column: str, given: object) -> Carried:
    """Return the treatment that words mean.

    Examples
    --------
    >>> as_carried("income", "mean, 0 to 9000").high
    Fraction(9000, 1)
    >>> as_carried("weight", "round 0.5").step
    Fraction(1, 2)
    """
    if isinstance(given, Carried):
        return given
    found: dict[str, Any] = {}
    for part in given.split(",") if isinstance(given, str) else [""]:
        words = part.lower().split()
        new: dict[str, Any] = {}
        if words in (["mean"], ["median"]):
            new = {"shows": words[0]}
        elif len(words) == 2 and words[0] == "round":
            new = {"step": _exact(words[1])}
        elif len(words) == 3 and words[1] == "to":
            new = {"low": _exact(words[0]), "high": _exact(words[2])}
        wrong = not new or None in new.values() or {*new} & {*found}
        low, high, step = (new.get(name) for name in ("low", "high", "step"))
        if wrong or (step is not None and step <= 0) or (low is not None and not low < high):
            raise ParameterError(
                f"Column '{column}' is to be carried along, and {given!r} is no treatment.",
                parameter="carried",
                column=column,
                remedy=_TREATMENT,
            )
        found |= new
    return Carried(**found)


def _exact(text: str) -> Fraction | None:
    """Return the number that a word is, or None."""
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
