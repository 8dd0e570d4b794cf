"""Budgets: what each measurement costs, what noise it gets, and that none is overspent."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import GuaranteeError, ParameterError
from discreet.noise import noise_from
from discreet.synthesize import Spent, Synthesizer
from discreet.synthesize.budget import PARTS, Spending, delta_of, exact_delta, exact_epsilon
from tests.examples import examples
from tests.fit import P_LEAST, fit

if TYPE_CHECKING:
    from discreet.synthesize.budget import Law

LAWS: tuple[Law, ...] = ("gaussian", "laplace")
COSTS = st.fractions(Fraction(1, 10**6), 2, max_denominator=10**6)
N_DRAWS = 40_000


def spending(law: Law, total: Fraction | int = 1, seed: int | None = 1) -> Spending:
    return Spending(law=law, total=Fraction(total), noise=noise_from(seed))


def gaussian_law(sigma2: float) -> dict[int, float]:
    most = math.ceil(12 * math.sqrt(sigma2)) + 1
    weights = {x: math.exp(-x * x / (2 * sigma2)) for x in range(-most, most + 1)}
    return {x: weight / math.fsum(weights.values()) for x, weight in weights.items()}


def laplace_law(scale: float) -> dict[int, float]:
    most = math.ceil(40 * scale) + 1
    weights = {x: math.exp(-abs(x) / scale) for x in range(-most, most + 1)}
    return {x: weight / math.fsum(weights.values()) for x, weight in weights.items()}


@examples(100)
@given(law=st.sampled_from(LAWS), cost=COSTS, most=st.integers(1, 5), n_changed=st.integers(1, 50))
def test_scale_is_what_the_cost_asks_for_rounded_up(
    law: Law, cost: Fraction, most: int, n_changed: int
) -> None:
    budget = spending(law, 2)
    noisy, entry = budget.measure(
        "numbers", np.arange(6).reshape(2, 3), cost=cost, most=most, n_changed=n_changed,
        columns=("a", "b"),
    )  # fmt: skip
    assert noisy.shape == (2, 3)
    changed = n_changed * (most**2 if law == "gaussian" else most)
    exact = Fraction(changed) / (2 * cost if law == "gaussian" else cost)
    assert exact <= entry.scale < exact + Fraction(1, PARTS)
    assert (entry.scale * PARTS).denominator == 1
    assert entry.cost <= cost
    assert entry.cost == changed / (entry.scale * (2 if law == "gaussian" else 1))
    assert budget.entries == [entry]
    assert budget.spent == entry.cost
    assert (entry.sensitivity, entry.n_numbers, entry.columns) == (changed, 6, ("a", "b"))


@examples(60)
@given(law=st.sampled_from(LAWS), costs=st.lists(COSTS, max_size=12))
def test_costs_add_up_to_at_most_the_total(law: Law, costs: list[Fraction]) -> None:
    budget = spending(law)
    measured: list[Spent] = []
    for cost in costs:
        try:
            measured.append(budget.measure("one", np.zeros(1, np.int64), cost=cost)[1])
        except GuaranteeError:
            assert budget.spent + cost > 1
        assert budget.spent == sum(entry.cost for entry in measured) <= budget.total
        assert budget.entries == measured


def test_a_total_can_be_spent_wholly() -> None:
    budget = spending("laplace", Fraction(1, 3))
    for _ in range(3):
        budget.measure("a third", np.zeros(4, np.int64), cost=Fraction(1, 9))
    assert budget.spent == Fraction(1, 3)


class Untouched:
    """A noise that must not be asked."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  whatever is asked for
        raise AssertionError(name)


@pytest.mark.parametrize("law", LAWS)
def test_overspending_measures_nothing(law: Law) -> None:
    budget = spending(law)
    budget.measure("first", np.zeros(3, np.int64), cost=Fraction(3, 4))
    before, spent = list(budget.entries), budget.spent
    budget.noise = Untouched()
    with pytest.raises(GuaranteeError, match="second would cost more than is left"):
        budget.measure("second", np.zeros(3, np.int64), cost=Fraction(1, 2))
    assert (budget.entries, budget.spent) == (before, spent)


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("law", LAWS)
def test_noise_is_of_the_entered_law(law: Law, seed: int | None) -> None:
    budget = spending(law, seed=seed)
    true = np.arange(N_DRAWS) % 7
    noisy, entry = budget.measure("draws", true, cost=Fraction(1, 5), most=2)
    noise, of = noisy - true, gaussian_law if law == "gaussian" else laplace_law
    assert entry.scale == 10
    assert fit(noise, of(10)) > P_LEAST
    for factor in (0.7, 1.3):  # and the test can tell
        assert fit(noise, of(10 * factor)) < P_LEAST
    kurtosis = 3 if law == "gaussian" else 6
    error = math.sqrt((kurtosis - 1) / N_DRAWS) * entry.variance
    assert abs(noise.var() - entry.variance) < 6.2 * error + 0.2
    assert budget.variance(Fraction(1, 5)) == (2.5 if law == "gaussian" else 50)


def test_budget_of_epsilon_and_delta() -> None:
    pure = Spending.of(epsilon=Fraction(1, 3), delta=Fraction(0), noise=noise_from(1))
    assert (pure.law, pure.total, pure.spent) == ("laplace", Fraction(1, 3), Fraction(0))
    some = Spending.of(epsilon=Fraction(1), delta=Fraction(1, 10**9), noise=noise_from(1))
    assert some.law == "gaussian"
    assert delta_of(float(some.total), 1) <= 1e-9
    with pytest.raises(ParameterError, match="no budget to speak of"):
        Spending.of(epsilon=Fraction(1, 10**6), delta=Fraction(1, 10**9), noise=noise_from(1))


@pytest.mark.parametrize("law", LAWS)
def test_noise_that_cannot_be_drawn_is_refused(law: Law) -> None:
    budget = spending(law)
    cost = Fraction(1, 2**40) if law == "laplace" else Fraction(1, 2**81)
    assert budget.variance(cost) > 0
    budget.noise = Untouched()
    for small in (cost / 2, cost / 10**400):
        for ask in (budget.variance, budget.mean_noise):
            with pytest.raises(
                ParameterError, match=r"epsilon is so little.*Give a larger epsilon"
            ):
                ask(small)
        with pytest.raises(ParameterError, match="epsilon is so little"):
            budget.measure("one", np.zeros(3, np.int64), cost=small)
    assert budget.entries == []


@pytest.mark.parametrize("law", LAWS)
def test_mean_noise_is_that_of_draws(law: Law) -> None:
    noise, _ = spending(law).measure("draws", np.zeros(N_DRAWS, np.int64), cost=Fraction(1, 50))
    told = spending(law).mean_noise(Fraction(1, 50))
    assert np.abs(noise).mean() == pytest.approx(told, rel=0.03)


@pytest.mark.parametrize(
    "value", [np.int64(1), np.float64(1), np.float32(1), np.uint8(1), Decimal(1), Fraction(1)]
)
def test_numbers_of_any_kind_are_budgets(value: Any) -> None:  # noqa: ANN401
    assert exact_epsilon(value) == 1
    assert type(exact_epsilon(value).numerator) is int
    assert exact_delta(value / 10) == Fraction(1, 10)
    assert Synthesizer(value, domains="from-data").epsilon == 1
    with pytest.raises(ParameterError, match="epsilon is below"):
        exact_epsilon(Decimal("1e-61"))
    with pytest.raises(ParameterError, match="epsilon=1E-999999999 must be a number"):
        exact_epsilon(Decimal("1e-999999999"))


@pytest.mark.parametrize("value", [True, np.True_, "one", None, [1]])
def test_what_is_no_number_is_no_budget(value: Any) -> None:  # noqa: ANN401
    for exact in (exact_epsilon, exact_delta):
        with pytest.raises(ParameterError, match="must be a number"):
            exact(value)


def test_budgets_too_small_are_shown_as_they_are() -> None:
    with pytest.raises(ParameterError, match=r"epsilon=1E-20 with delta=1E-400 leaves"):
        Spending.of(epsilon=Fraction(1, 10**20), delta=Fraction(1, 10**400), noise=noise_from(1))


def test_entries_as_text_and_numbers() -> None:
    entry = Spent(what="w", columns=("a",), law="laplace", scale=Fraction(5, 2), sensitivity=1,
                  n_numbers=4)  # fmt: skip
    assert entry.cost == Fraction(2, 5)
    assert entry.to_dict() == {
        "what": "w", "columns": ["a"], "law": "laplace", "scale": "5/2", "sensitivity": 1,
        "n_numbers": 4,
    }  # fmt: skip
