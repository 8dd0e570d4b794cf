"""Numbers of claims are rounded to the weaker side."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.release.exact import log_above, whole


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


@pytest.mark.parametrize("value", [0, -1, True, 1.0, "2", None])
def test_what_is_no_whole_number_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match=r"k=.* must be a whole number, at least 1"):
        whole("k", value, least=1)
