"""Rho to (epsilon, delta): against the exact divergence of Gaussian noise."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar  # type: ignore[import-untyped]

from discreet.errors import ParameterError
from discreet.synthesize.budget import DELTA_DIGITS, delta_of, rho_of
from tests.examples import examples

RHOS = st.floats(1e-4, 5)
EPSILONS = st.floats(0, 20)


def continuous_delta(rho: float, epsilon: float) -> float:
    """Integrate max(0, p - e^epsilon q) of N(1, s^2) and N(0, s^2), s^2 = 1 / (2 rho)."""
    deviation = math.sqrt(1 / (2 * rho))
    x = np.linspace(1 - 12 * deviation, 1 + 30 * deviation, 100_001)
    p = np.exp(-(((x - 1) / deviation) ** 2) / 2)
    q = np.exp(epsilon - ((x / deviation) ** 2) / 2)
    return float(np.trapezoid(np.maximum(p - q, 0), x)) / (deviation * math.sqrt(2 * math.pi))


def discrete_delta(rho: float, epsilon: float) -> float:
    """Sum the same over whole numbers, for the noise that is really added."""
    sigma2 = 1 / (2 * rho)
    x = np.arange(-math.ceil(40 * math.sqrt(sigma2)), math.ceil(40 * math.sqrt(sigma2)) + 2)
    p, q = np.exp(-((x - 1) ** 2) / (2 * sigma2)), np.exp(-(x**2) / (2 * sigma2))
    return float(np.maximum(p / p.sum() - math.exp(epsilon) * q / q.sum(), 0).sum())


@examples(150)
@given(rho=RHOS, epsilon=EPSILONS)
def test_delta_is_never_below_that_of_gaussian_noise(rho: float, epsilon: float) -> None:
    found = delta_of(rho, epsilon)
    assert 0 <= found <= 1
    assert found >= continuous_delta(rho, epsilon) * (1 - 1e-4)
    assert found >= discrete_delta(rho, epsilon) * (1 - 1e-9) - 1e-15


@pytest.mark.parametrize(
    ("rho", "epsilon"), [(0.01496, 1.0), (0.1, 1.0), (0.5, 4.0), (2.0, 12.0), (1e-3, 0.1)]
)
def test_delta_is_the_smallest_of_its_formula(rho: float, epsilon: float) -> None:
    def log_bound(log: float) -> float:
        more = math.exp(log)
        order = 1 + more
        return more * (order * rho - epsilon) - log + order * math.log1p(-1 / order)

    best = minimize_scalar(log_bound, bounds=(-8, 16), method="bounded").fun
    assert delta_of(rho, epsilon) == pytest.approx(min(1.0, math.exp(best)), rel=1e-3)
    exact = continuous_delta(rho, epsilon)
    assert exact < delta_of(rho, epsilon) < 10 * exact  # a bound, and not an idle one


@examples(100)
@given(rho=RHOS, more=st.floats(1, 3), epsilon=EPSILONS)
def test_delta_rises_with_rho_and_falls_with_epsilon(
    rho: float, more: float, epsilon: float
) -> None:
    assert delta_of(rho * more, epsilon) >= delta_of(rho, epsilon)
    assert delta_of(rho, epsilon * more) <= delta_of(rho, epsilon)


@examples(60)
@given(
    epsilon=st.fractions(Fraction(1, 20), 10, max_denominator=1000),
    digits=st.integers(1, 15),
)
def test_rho_is_the_largest_that_keeps_delta(epsilon: Fraction, digits: int) -> None:
    delta = Fraction(1, 10**digits)
    rho = rho_of(epsilon, delta)
    assert rho > 0
    assert delta_of(float(rho), float(epsilon)) <= delta
    assert delta_of(float(rho + Fraction(1, DELTA_DIGITS)), float(epsilon)) > delta


def test_known_conversion() -> None:
    """At rho = epsilon^2 / (4 ln(1 / delta)) nearly: better than the classical conversion."""
    for epsilon, delta in ((1.0, 1e-9), (0.5, 1e-6), (8.0, 1e-5)):
        log = math.log(1 / delta)
        classical = (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2
        rho = float(rho_of(Fraction(epsilon), Fraction(delta)))
        assert classical < rho < 1.6 * classical


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(-1, 2)])
def test_delta_out_of_range(delta: Fraction) -> None:
    with pytest.raises(ParameterError, match=r"delta=.* must be above 0 and below 1"):
        rho_of(Fraction(1), delta)


def test_budgets_too_small_to_speak_of() -> None:
    with pytest.raises(ParameterError, match="leaves no budget to speak of"):
        rho_of(Fraction(1, 10**5), Fraction(1, 10**9))
