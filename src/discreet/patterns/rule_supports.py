"""Association rules as published, and the supports that follow from their rounded figures.

A confidence of 98.7 % may be rounded (98.65 % to 98.75 %) or cut off (98.7 % to 98.8 %). Supports
are whole numbers, so that only a few of them fit, often one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from discreet.errors import DataError, ParameterError
from discreet.mine.rules import Rules
from discreet.patterns.item_texts import read_items
from discreet.patterns.plain_frame import plain_columns

if TYPE_CHECKING:
    from discreet.patterns.plain_frame import Columns

LEFT, RIGHT = ("antecedents", "antecedent"), ("consequents", "consequent")
WHAT = "a list of rules"
MOST_ROWS = 2**62
MOST_DECIMALS = 12  # more than these are the noise of binary numbers
_HALF = Fraction(1, 2)


class Between(NamedTuple):
    """A whole number that is known up to its rounding."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRule:
    """A rule with what its figures say of the rows that have it.

    ``exceptions`` are the rows that have the left side, but not all of the right side.
    """

    left: frozenset[str]
    right: frozenset[str]
    both: Between
    left_alone: Between
    exceptions: Between
    where: str


def published_rules(
    rules: object, *, n_rows: int | None = None, decimals: int | None = None
) -> list[PublishedRule]:
    """Return rules with the whole numbers that are compatible with their figures.

    Parameters
    ----------
    rules : Rules, path or frame
        What :func:`discreet.rules` found; or a CSV or Parquet file or a frame with columns
        ``antecedents``, ``consequents``, ``support`` (of both sides; a share or a number of
        rows) and ``confidence``, as mlxtend makes them. ``antecedent support`` is used if it is
        there.
    n_rows : int, optional
        The number of rows; needed if supports are shares.
    decimals : int, optional
        Decimals to which confidences and shares are published (of shares, not of percentages);
        by default, in each column, as many as the longest one is written with. Give 12 for
        numbers that were not rounded, if they may happen to be short, as 0.5 is.

    Returns
    -------
    list of PublishedRule
        In the order given.

    Raises
    ------
    DataError
        If a column is missing, a side is empty, or no whole numbers fit the figures of a rule.
    ParameterError
        If shares are given and ``n_rows`` is not.

    Examples
    --------
    >>> rule = published_rules({"antecedents": ["a"], "consequents": ["b"], "support": [80],
    ...     "confidence": ["98.7 %"]})[0]
    >>> rule.left_alone, rule.exceptions
    (Between(least=81, most=81), Between(least=1, most=1))
    """
    if n_rows is not None and (isinstance(n_rows, bool) or n_rows < 1):
        raise ParameterError(f"n_rows={n_rows} is a number of rows, at least 1.")
    if decimals is not None and not 0 <= decimals <= MOST_DECIMALS:
        raise ParameterError(f"decimals={decimals} must be from 0 to {MOST_DECIMALS}.")
    if isinstance(rules, Rules):
        return _exactly(rules)
    columns = plain_columns(rules, what=WHAT)
    left, right = _column(columns, LEFT), _column(columns, RIGHT)
    for name in ("support", "confidence"):
        if name not in columns.values:
            more = " Without supports nothing can be said of numbers of rows." * (name == "support")
            raise DataError(f"{columns.name} has no column '{name}', which rules need.{more}")
    supports = _counts(columns, "support", n_rows, decimals)
    alone = None
    if "antecedent support" in columns.values:
        alone = _counts(columns, "antecedent support", n_rows, decimals)
    confidences = _figures(columns, "confidence", decimals)
    found = []
    for row in range(columns.n_rows):
        where = columns.where(row)
        sides = [read_items(columns.values[name][row], where=where) for name in (left, right)]
        if not all(sides) or sides[0] & sides[1]:
            raise DataError(f"{where}: both sides of a rule have items, and none in common.")
        given = None if alone is None else alone[row]
        rule = _rule(sides, supports[row], given, confidences[row], n_rows=n_rows, where=where)
        found.append(rule)
    return found


def _exactly(rules: Rules) -> list[PublishedRule]:
    """Return rules of our own, whose supports are known."""
    found = []
    for index in range(len(rules)):
        left, right = map(frozenset, rules.in_words(index))
        both, alone = int(rules.supports[index]), int(rules.antecedent_supports[index])
        found.append(
            PublishedRule(
                left=left,
                right=right,
                both=Between(both, both),
                left_alone=Between(alone, alone),
                exceptions=Between(alone - both, alone - both),
                where=f"rule {index}",
            )
        )
    return found


class _Range(NamedTuple):
    """From where to where a published figure can be; the upper end itself only if closed."""

    low: Fraction
    high: Fraction
    is_closed: bool


def _rule(
    sides: list[frozenset[str]],
    both: Between,
    given: Between | None,
    confidence: _Range,
    *,
    n_rows: int | None,
    where: str,
) -> PublishedRule:
    """Return the whole numbers that fit the figures of one rule."""
    # The exceptions are both * (1 / confidence - 1), which grows with both.
    low, high, is_closed = confidence
    fewest = both.least * (1 / high - 1) if high < 1 else Fraction(0)
    least = math.ceil(fewest)
    if fewest == least and not is_closed:
        least += 1
    most = math.floor(both.most * (1 / low - 1)) if low > 0 else None
    tops = [MOST_ROWS if n_rows is None else n_rows]
    if given is not None:
        least = max(least, given.least - both.most)
        tops.append(given.most)
    most = min([top - both.least for top in tops] + ([] if most is None else [most]))
    alone = Between(both.least + least, both.most + most)
    if given is not None:
        alone = Between(max(alone.least, given.least), min(alone.most, given.most))
    if most < least or alone.most < alone.least or both.least < 1:
        raise DataError(
            f"{where}: no whole numbers of rows have these figures. Check support, confidence, "
            "n_rows= and decimals=."
        )
    return PublishedRule(
        left=sides[0],
        right=sides[1],
        both=both,
        left_alone=alone,
        exceptions=Between(least, most),
        where=where,
    )


def _column(columns: Columns, names: tuple[str, ...]) -> str:
    """Return the one of some names that is there."""
    for name in names:
        if name in columns.values:
            return name
    raise DataError(
        f"{columns.name} has no column '{names[0]}': rules have antecedents, consequents, support "
        f"and confidence. It has {', '.join(map(repr, columns.values)) or 'none'}."
    )


def _counts(columns: Columns, name: str, n_rows: int | None, decimals: int | None) -> list[Between]:
    """Return supports as whole numbers, or what they can be if shares are rounded."""
    cells = [str(cell).strip() for cell in columns.values[name]]
    if all(cell.isdigit() for cell in cells):
        return [Between(int(cell), int(cell)) for cell in cells]
    if n_rows is None:
        raise ParameterError(
            f"{columns.name}: column '{name}' holds shares; pass n_rows=, the number of rows."
        )
    found = []
    for row, figure in enumerate(_figures(columns, name, decimals)):
        least = math.ceil(figure.low * n_rows)
        top = figure.high * n_rows
        most = math.floor(top) if figure.is_closed else math.ceil(top) - 1
        if most < least:
            raise DataError(
                f"{columns.where(row)}: {name} {columns.values[name][row]} is no whole number of "
                f"{n_rows} rows; check n_rows."
            )
        found.append(Between(least, most))
    return found


def _figures(columns: Columns, name: str, decimals: int | None) -> list[_Range]:
    """Return from where to where each share can be, by the decimals it is written with."""
    cells = [str(cell).replace("%", "").strip() for cell in columns.values[name]]
    shares = [_share(columns, name, row, cell) for row, cell in enumerate(cells)]
    is_percent = (
        any("%" in str(cell) for cell in columns.values[name]) or max(shares, default=0) > 1
    )
    digits = max(map(_decimals, cells), default=0) + 2 * is_percent
    digits = min(digits if decimals is None else decimals, MOST_DECIMALS)
    unit = Fraction(1, 10**digits)
    return [_around(share / 100 if is_percent else share, unit) for share in shares]


def _around(share: Fraction, unit: Fraction) -> _Range:
    """Return where a share can be that was rounded or cut off."""
    high = min(share + unit, Fraction(1))
    return _Range(max(share - unit * _HALF, Fraction(0)), high, high < share + unit)


def _share(columns: Columns, name: str, row: int, cell: str) -> Fraction:
    """Return a share or a percentage as it is written."""
    try:
        share = Fraction(cell)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 100:
        given = columns.values[name][row]
        raise DataError(
            f"{columns.where(row)}: {name} is {given!r}, which is neither a share nor a percentage."
        )
    return share


def _decimals(cell: str) -> int:
    """Return how many decimals a number is written with; a fraction such as 3/8 is exact."""
    if "/" in cell:
        return MOST_DECIMALS
    mantissa, _, exponent = cell.lower().partition("e")
    return max(len(mantissa.partition(".")[2]) - int(exponent or 0), 0)
