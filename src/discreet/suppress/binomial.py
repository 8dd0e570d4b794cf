"""Binomial probabilities with more digits than a claim needs, rounded the safe way.

Decimal arithmetic of at least 60 digits: no logarithm of a factorial, no cancellation that
matters, and a float that is never below the number it stands for.
"""

from __future__ import annotations

import decimal
import math
from contextlib import contextmanager
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DIGITS = 60
SLACK = Decimal(10) ** (20 - DIGITS)  # far above the rounding of any sum here, far below a float's
NEGLIGIBLE = Decimal(10) ** (10 - DIGITS)


@contextmanager
def many_digits(*numbers: float | Fraction) -> Iterator[None]:
    """Compute with 60 digits, and more where a number is close to 0, so that 1 - x keeps it."""
    extra = max((-math.floor(_log10(number)) for number in numbers if number > 0), default=0)
    context = decimal.Context(
        prec=DIGITS + max(0, extra),
        Emax=decimal.MAX_EMAX,
        Emin=decimal.MIN_EMIN,
        traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
    )
    with decimal.localcontext(context):
        yield


def to_decimal(number: float | Fraction) -> Decimal:
    """Return a number as it stands, to the digits of the context."""
    exact = Fraction(number)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def last_below(bound: Decimal) -> int:
    """Return the greatest integer strictly below a number."""
    return int(bound.to_integral_value(ROUND_CEILING)) - 1


def round_up(number: Decimal) -> float:
    """Return the smallest float that is not below a number."""
    nearest = float(number)
    return nearest if Decimal(nearest) >= number else math.nextafter(nearest, math.inf)


def point(n: int, j: int, rate: Decimal) -> Decimal:
    """Return P[Bin(n, rate) = j] for a rate between 0 and 1, both excluded."""
    probability = ((n - j) * (1 - rate).ln()).exp()
    for i in range(1, j + 1):
        probability *= rate * (n - j + i) / i
    return probability


def above(n: int, j: int, rate: Decimal, at_j: Decimal) -> tuple[Decimal, Decimal]:
    """Return P[Bin(n, rate) > j] and a bound on what was left out of it.

    ``at_j`` is P[Bin(n, rate) = j] and ``j`` at least the mean. The ratio of a term to the one
    before it is below 1 and falls, so the rest of the sum is below that of a geometric series.
    """
    odds = rate / (1 - rate)
    total, term, rest = Decimal(0), at_j, Decimal(0)
    for i in range(j + 1, n + 1):
        term *= odds * (n - i + 1) / i
        total += term
        ratio = odds * (n - i) / (i + 1)
        rest = term * ratio / (1 - ratio)
        if rest <= NEGLIGIBLE * total:
            break
    return total, rest


def at_most(n: int, j: int, rate: Decimal, at_j: Decimal) -> Decimal:
    """Return P[Bin(n, rate) <= j], never too much, from ``at_j``, the probability of j itself.

    ``j`` is at most the mean, so the terms fall on the way down.
    """
    odds = (1 - rate) / rate
    total, term = at_j, at_j
    for i in range(j, 0, -1):
        term *= odds * i / (n - i + 1)
        total += term
        if i * term <= NEGLIGIBLE * total:
            break
    return total


def _log10(number: float | Fraction) -> float:
    exact = Fraction(number)
    return math.log10(exact.numerator) - math.log10(exact.denominator)
