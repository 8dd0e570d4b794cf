"""Powers of e to many digits, by decimal arithmetic."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def powers_of_e(exponents: Iterable[Fraction]) -> list[Fraction]:
    """Return exponentials to 120 digits."""
    with localcontext() as context:
        context.prec = 120
        return [Fraction((Decimal(one.numerator) / one.denominator).exp()) for one in exponents]


def is_close(one: Fraction, other: Fraction) -> bool:
    """Say whether two numbers agree to 70 digits."""
    return abs(one - other) <= other / 10**70
