"""Confidence of rules: the closed form against quadrature and draws, and the two-set formula."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.transactions import Transactions
from discreet.errors import EstimateWarning, InfeasibleError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    chance_within,
    confidence,
    support,
    support_weights,
    two_set_matrix,
)
from discreet.randomize.confidence import Moments, radius
from tests.examples import examples


def moments(*given_: float) -> Moments:
    return Moments(
        mean_x=given_[0],
        mean_y=given_[1],
        variance_x=given_[2],
        variance_y=given_[3],
        covariance=given_[4],
    )


@pytest.mark.parametrize(
    ("given_", "delta", "expected"),
    [
        pytest.param(
            (0.01, 0.02, 1e-6, 1e-6, 5e-7), 0.05, 0.7509996475478999, id="001-fdelta-0.01-0.05"
        ),
        pytest.param((0.5, 1, 0.04, 0.09, 0.03), 0.2, 0.7106890653751767, id="001-fdelta-0.5-0.2"),
    ],
)
def test_known_chance(given_: tuple[float, ...], delta: float, expected: float) -> None:
    assert chance_within(delta, moments=moments(*given_)) == pytest.approx(expected, abs=1e-12)


@examples(25)
@given(
    mean_x=st.floats(-1, 1),
    mean_y=st.floats(0.1, 2),
    sd_x=st.floats(0.01, 1),
    sd_y=st.floats(0.01, 1),
    correlation=st.floats(-0.95, 0.95),
    delta=st.floats(0.05, 3),
)
def test_closed_form_is_the_double_integral(
    *, mean_x: float, mean_y: float, sd_x: float, sd_y: float, correlation: float, delta: float
) -> None:
    """The inner integral of section 4.6 is a difference of normal distribution functions."""
    from scipy.special import ndtr  # type: ignore[import-untyped]

    given_ = moments(mean_x, mean_y, sd_x**2, sd_y**2, correlation * sd_x * sd_y)
    z, step = np.linspace(-9, 9, 20_001, retstep=True)
    y = mean_y + sd_y * z
    middle = mean_x + correlation * sd_x * z
    rest = sd_x * math.sqrt(1 - correlation**2)
    ratio = mean_x / mean_y
    inner = ndtr(((ratio + delta) * y - middle) / rest) - ndtr(
        ((ratio - delta) * y - middle) / rest
    )
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    expected = float(np.sum(np.abs(inner) * density) * step)
    # |inner| has a kink at y = 0, where the rule is of second order only
    assert chance_within(delta, moments=given_) == pytest.approx(expected, abs=2e-6)


def test_certain_cases() -> None:
    assert radius(moments(0.5, 1, 0, 0, 0), level=0.95) == 0
    assert chance_within(0.1, moments=moments(0.5, 1, 0, 0, 0)) == 1
    only_x = chance_within(0.2, moments=moments(0.5, 1, 0.01, 0, 0))
    assert only_x == pytest.approx(math.erf(2 / math.sqrt(2)))
    for sign in (1, -1):  # correlations of 1 and -1 are limits of others
        exact = chance_within(0.2, moments=moments(0.5, 1, 0.01, 0.04, sign * 0.02))
        near = chance_within(0.2, moments=moments(0.5, 1, 0.01, 0.04, sign * 0.0199999))
        assert exact == pytest.approx(near, abs=2e-3)


@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_radius_solves_for_the_level(level: float) -> None:
    given_ = moments(0.01, 0.02, 1e-6, 1e-6, 5e-7)
    assert chance_within(radius(given_, level=level), moments=given_) == pytest.approx(level)


def test_known_001_two_set() -> None:
    """q_X, q_Y and N times variances and covariance, for known two-set partial supports."""
    operator = CutAndPaste(2, rho="1/5")
    matrix = two_set_matrix(operator.law(3), 3, 1, 1)
    shares = [Fraction(3, 5), Fraction(1, 10), Fraction(1, 5), Fraction(1, 10)]
    pairs = list(product(range(2), repeat=2))
    q_x = [Fraction(support_weights(operator, 3, 2)[sum(pair)]) for pair in pairs]
    q_y = [
        Fraction(support_weights(operator, 3, 1)[pair[0]]).limit_denominator(100) for pair in pairs
    ]
    assert q_x == [Fraction(9, 16), Fraction(-9, 4), Fraction(-9, 4), 9]
    assert q_y == [Fraction(-3, 4), Fraction(-3, 4), 3, 3]

    def covariance(left: list[Fraction], right: list[Fraction]) -> Fraction:
        total = Fraction(0)
        for share, column in zip(shares, zip(*matrix, strict=True), strict=True):
            mean_left = sum(p * q for p, q in zip(column, left, strict=True))
            mean_right = sum(p * q for p, q in zip(column, right, strict=True))
            both = sum(p * a * b for p, a, b in zip(column, left, right, strict=True))
            total += share * (both - mean_left * mean_right)
        return total

    assert covariance(q_x, q_x) == 8
    assert covariance(q_y, q_y) == Fraction(21, 8)
    assert covariance(q_x, q_y) == Fraction(23, 40)


def baskets(n: int) -> Transactions:
    return Transactions.from_iterable([["a", "b", "c"], ["a", "d", "e"], ["b", "c", "d"]] * n)


def test_confidence_of_a_rule() -> None:
    sent = CutAndPaste(3, rho=0.2).randomize(baskets(5000), seed=1)
    rule = confidence(sent, ["a"], ["b", "c"], level=0.999)
    low, high = rule.interval
    assert low < 0.5 < high
    assert high - low < 0.5
    assert rule.to_dict()["level"] == 0.999
    assert rule.covariance != 0


def test_rare_antecedents_warn_or_are_refused() -> None:
    operator = CutAndPaste(3, rho=0.4)
    with pytest.warns(EstimateWarning, match="says little"):
        confidence(operator.randomize(baskets(30), seed=4), ["a", "b"], ["c"])
    empty = Transactions.from_csr(np.arange(0, 303, 3), [2, 3, 4] * 100, list("abcde"))
    for seed in range(50):
        sent = operator.randomize(empty, seed=seed)
        if support(sent, ["a"]).support <= 0:
            with pytest.raises(InfeasibleError, match="not above 0"):
                confidence(sent, ["a"], ["b"])
            return
    pytest.fail("an item that is never there never came out at 0 or below")


def test_refusals() -> None:
    sent = CutAndPaste(3, rho=0.2).randomize(baskets(10), seed=1)
    with pytest.raises(ParameterError, match="share"):
        confidence(sent, ["a"], ["a", "b"])
    with pytest.raises(ParameterError, match="level"):
        confidence(sent, ["a"], ["b"], level=1)
    with pytest.raises(ParameterError, match="delta=0"):
        chance_within(0, moments=moments(0.5, 1, 0.1, 0.1, 0))
