"""What shuffling is worth: claims are never below the truth, where the truth can be computed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.randomize import CutAndPaste, clones_delta, shuffled_epsilon
from tests.oracles import randomized_sets as oracle
from tests.oracles.hockey_stick import both_ways


def binomial(n: int, p: float) -> NDArray[np.float64]:
    return np.array([comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(n + 1)])


def response_delta(local: float, n: int, epsilon: float) -> float:
    """The exact delta of shuffled binary randomized response, over all data of the others."""
    p = math.exp(local) / (1 + math.exp(local))
    worst = 0.0
    for ones in range(n):
        others = np.convolve(binomial(ones, p), binomial(n - 1 - ones, 1 - p))
        first, second = np.convolve(others, [1 - p, p]), np.convolve(others, [p, 1 - p])
        for left, right in ((first, second), (second, first)):
            worst = max(worst, float(np.maximum(0.0, left - math.exp(epsilon) * right).sum()))
    return worst


@pytest.mark.parametrize(("local", "n"), [(0.5, 30), (1.0, 40), (2.0, 150)])
@pytest.mark.parametrize("delta", [1e-2, 1e-4])
def test_claims_hold_for_randomized_response(local: float, n: int, delta: float) -> None:
    for found in (
        shuffled_epsilon(local, n_reports=n, delta=delta),
        shuffled_epsilon(local, n_reports=n, delta=delta, bound="closed form"),
    ):
        assert response_delta(local, n, found.epsilon) <= found.delta + 1e-12
    assert shuffled_epsilon(local, n_reports=n, delta=delta).epsilon < local
    # The test can fail: a third of what is claimed does not hold.
    third = shuffled_epsilon(local, n_reports=n, delta=delta).epsilon / 3
    assert response_delta(local, n, third) > delta


@pytest.mark.parametrize(("local", "n"), [(0.3, 7), (1.0, 12), (3.0, 25)])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.25, 0.9])
def test_delta_of_the_clones_is_that_of_their_counts(local: float, n: int, epsilon: float) -> None:
    """All numbers of clones and of both kinds of them, one by one."""
    rate, w = math.exp(-local), 1 / (1 + math.exp(-local))
    laws: list[dict[tuple[int, int], float]] = [{}, {}]
    for clones, chance in enumerate(binomial(n - 1, rate)):
        for a, half in enumerate(binomial(clones, 0.5)):
            for law, first in zip(laws, (w, 1 - w), strict=True):
                for own, of_own in ((1, first), (0, 1 - first)):
                    outcome = (a + own, clones - a + 1 - own)
                    law[outcome] = law.get(outcome, 0.0) + chance * half * of_own
    p, q = laws
    expected = sum(max(0.0, p[one] - math.exp(epsilon) * q[one]) for one in p)
    found = clones_delta(epsilon, local_epsilon=local, n_reports=n)
    assert found >= expected - 1e-15
    assert found == pytest.approx(expected, rel=2e-6, abs=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_claims_hold_for_shuffled_reports_of_the_operator(n: int) -> None:
    """Every multiset of reports over two items, for every data of the others."""
    operator = CutAndPaste(1, rho="2/5")
    singles = oracle.all_of_size(2, 1)
    laws = {t: oracle.cut_and_paste(t, 2, 1, Fraction(2, 5)) for t in singles}
    local = operator.local_epsilon(1, 2)

    def shuffled(data: tuple[oracle.Items, ...]) -> dict[tuple[tuple[int, ...], ...], Fraction]:
        out: dict[tuple[tuple[int, ...], ...], Fraction] = {}
        for reports in product(*(laws[t].items() for t in data)):
            outcome = tuple(sorted(tuple(sorted(report)) for report, _ in reports))
            weight = math.prod((chance for _, chance in reports), start=Fraction(1))
            out[outcome] = out.get(outcome, Fraction(0)) + weight
        return out

    for epsilon in (0.0, 0.3, 0.6, 1.0):
        claimed = clones_delta(epsilon, local_epsilon=local, n_reports=n)
        for others in product(singles, repeat=n - 1):
            first, second = shuffled((singles[0], *others)), shuffled((singles[1], *others))
            exact = both_ways(first, second, Fraction(math.exp(epsilon)))
            assert float(exact) <= claimed + 1e-12


@pytest.mark.parametrize(("local", "n"), [(1.0, 10**5), (5.0, 10**6)])
def test_the_closed_form_is_looser(local: float, n: int) -> None:
    tight = shuffled_epsilon(local, n_reports=n, delta=1e-8)
    loose = shuffled_epsilon(local, n_reports=n, delta=1e-8, bound="closed form")
    assert tight.epsilon <= loose.epsilon <= local
    assert clones_delta(tight.epsilon, local_epsilon=local, n_reports=n) <= 1e-8


def test_the_closed_form_is_the_published_one() -> None:
    found = shuffled_epsilon(2.0, n_reports=100_000, delta=1e-6, bound="closed form")
    growth = math.exp(2.0)
    root = 8 * math.sqrt(growth * math.log(4e6)) / math.sqrt(100_000)
    expected = math.log(1 + (growth - 1) / (growth + 1) * (root + 8 * growth / 100_000))
    assert found.epsilon == pytest.approx(expected)
    assert "theorem 3.1" in found.name


def test_many_clones_in_blocks() -> None:
    """A hundred thousand numbers of clones, summed up one by one and in blocks."""
    from scipy.stats import binom  # type: ignore[import-untyped]

    local, n, epsilon = 1.0, 3_000_000, 0.004
    rate, w = math.exp(-local), 1 / (1 + math.exp(-local))
    mean, reach = (n - 1) * rate, 9 * math.sqrt(n * rate)
    clones = np.arange(int(mean - reach), int(mean + reach))
    tau = math.expm1(epsilon + local) / (math.exp(local) - math.exp(epsilon))
    first = np.floor(tau / (1 + tau) * (clones + 1))
    tails = binom.sf(first - 1, clones, 0.5), binom.sf(first, clones, 0.5)
    terms = w * tails[0] + (1 - w) * tails[1]
    terms -= math.exp(epsilon) * ((1 - w) * tails[0] + w * tails[1])
    exact = float(binom.pmf(clones, n - 1, rate) @ terms)
    found = clones_delta(epsilon, local_epsilon=local, n_reports=n)
    assert exact < found < 1.01 * exact


def test_more_reports_hide_better() -> None:
    found = [shuffled_epsilon(2.0, n_reports=n, delta=1e-6).epsilon for n in (10**3, 10**4)]
    assert found == sorted(found, reverse=True)


def test_nothing_is_claimed_outside_the_range() -> None:
    few = shuffled_epsilon(7.0, n_reports=100, delta=1e-6)
    assert (few.epsilon, few.delta, few.bound) == (7.0, 0.0, "none")
    assert few.name == "no amplification claimed"
    beyond = shuffled_epsilon(
        math.log(10**5 / (16 * math.log(2e6))) + 1e-9, n_reports=10**5, delta=1e-6,
        bound="closed form",
    )  # fmt: skip
    assert beyond.bound == "none"
    alone = shuffled_epsilon(1.0, n_reports=1, delta=1e-6)
    assert alone.bound == "none"
    no_bound = shuffled_epsilon(math.inf, n_reports=10**6, delta=1e-6)
    assert no_bound.to_dict()["epsilon"] is None
    for local in (299.0, 5000.0):
        assert shuffled_epsilon(local, n_reports=10**6, delta=1e-6).bound == "none"
    assert shuffled_epsilon(0.0, n_reports=10, delta=1e-6).epsilon == 0


def test_refusals() -> None:
    for options, message in (
        ({"n_reports": 0, "delta": 0.1}, "n_reports=0"),
        ({"n_reports": 5, "delta": 0}, "delta=0"),
        ({"n_reports": 5, "delta": 1}, "delta=1"),
        ({"n_reports": 5, "delta": 0.1, "bound": "x"}, "bound='x'"),
    ):
        with pytest.raises(ParameterError, match=message):
            shuffled_epsilon(1.0, **options)
    for local in (-1.0, math.nan):
        with pytest.raises(ParameterError, match="local_epsilon"):
            shuffled_epsilon(local, n_reports=5, delta=0.1)
