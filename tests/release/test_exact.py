"""Numbers of claims are rounded to the weaker side."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.release.exact import exact, log_above


@given(st.fractions(min_value=1, max_value=10**9, max_denominator=10**9))
def test_logarithms_are_above_and_close(ratio: Fraction) -> None:
    found = log_above(ratio)
    with localcontext() as context:
        context.prec = 60
        true = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln()
        assert Decimal(found) >= true
        assert Decimal(math.nextafter(found, 0)) < true or ratio == 1


def test_no_bound_is_infinity() -> None:
    assert log_above(None) == math.inf


def test_floats_are_the_decimals_they_are_written_as() -> None:
    assert exact("epsilon", 0.1) == Fraction(1, 10)
    assert type(exact("k", 5)) is int
    assert type(exact("epsilon", 5)) is Fraction
    assert exact("scheme", "dp") == "dp"
