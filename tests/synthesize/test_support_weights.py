"""Weights by support: steps that keep to the guarantee, and the exponential to many digits."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.release.exact import exp_below
from discreet.synthesize.extract import SupportWeights
from tests.oracles.exponentials import is_close, powers_of_e

EXPONENTS = st.one_of(
    st.fractions(min_value=Fraction(1, 1000), max_value=50, max_denominator=1000),
    st.integers(0, 300).map(lambda places: Fraction(1, 2**places)),  # down to where all are alike
)


@given(EXPONENTS, st.integers(1, 60))
def test_weights_never_step_too_far_and_are_close(c: Fraction, theta: int) -> None:
    weights = SupportWeights(c, theta=theta)
    found = [weights.of(support).over(0) for support in range(theta + 1)]
    most = exp_below(c, bits=600)
    for low, high in pairwise(found):
        assert 0 < low <= high <= most * low
    for weight, true in zip(found, powers_of_e(c * s for s in range(theta + 1)), strict=True):
        assert is_close(Fraction(weight, found[0]), true)
    assert weights.of(theta + 1) == weights.of(10**9) == weights.of(theta)


@given(EXPONENTS, st.integers(1, 10**15), st.data())
def test_far_weights_step_as_little(c: Fraction, theta: int, data: st.DataObject) -> None:
    weights = SupportWeights(c, theta=theta)
    support = data.draw(st.integers(0, theta - 1))
    low, high = weights.of(support), weights.of(support + 1)
    assert low <= high
    ratio = Fraction(high.over(low.power), low.mantissa)
    assert 1 <= ratio <= exp_below(c, bits=600)
    assert is_close(ratio, powers_of_e([c])[0])


@pytest.mark.parametrize("bits", [3, 5, 8])
def test_steps_keep_to_the_bound_where_rounding_is_coarse(
    bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With few bits every rounding shows: steps are still at most e to the c, and never down."""
    monkeypatch.setattr(sys.modules["discreet.synthesize.extract"], "WEIGHT_BITS", bits)
    for c, theta in product((Fraction(i, 40) for i in range(1, 100)), (1, 7, 31)):
        weights = SupportWeights(c, theta=theta)
        found = [weights.of(support).over(0) for support in range(theta + 1)]
        most = exp_below(c, bits=100)
        assert all(0 < low <= high <= most * low for low, high in pairwise(found))
