"""Breach levels against Bayes' rule by enumeration; tuning; known answers carry their id."""

from __future__ import annotations

import json
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InfeasibleError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    SelectASize,
    Uniform,
    breach_level,
    challenging_supports,
    lowest_discoverable_support,
    posterior_bound,
    prevents_breach,
    protection,
    tune,
    worst_breach,
)
from tests.examples import examples
from tests.oracles import randomized_sets as oracle

N_ITEMS = 6
QUARTER = Fraction(1, 4)


def cut(t: oracle.Items) -> oracle.Law:
    return oracle.cut_and_paste(t, N_ITEMS, 3, QUARTER)


def test_known_001_breach() -> None:
    """Definition 4 averages: the posterior given the whole report is far above it."""
    operator = CutAndPaste(3, rho=QUARTER)
    prior = dict.fromkeys(oracle.all_of_size(N_ITEMS, 1), Fraction(1, 6))
    assert oracle.breach(prior, cut, frozenset({0}), 0) == Fraction(13, 33)
    assert breach_level(operator, 1, supports=["5/6", "1/6"]) == Fraction(13, 33)
    assert operator.gamma(1, N_ITEMS) == 13
    assert oracle.posterior(prior, cut, lambda t: 0 in t) == Fraction(13, 18)
    assert posterior_bound("1/6", gamma=13) == Fraction(13, 18)


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("k", [1, 2, 3])
@examples(4)
@given(data=st.data())
def test_breach_is_bayes_rule(m: int, k: int, data: st.DataObject) -> None:
    """Any prior on transactions of one size, any item of the itemset."""
    if k > m:
        return
    every = oracle.all_of_size(N_ITEMS, m)
    draws = data.draw(st.lists(st.integers(0, 4), min_size=len(every), max_size=len(every)))
    if not any(draws):
        return
    prior = {t: Fraction(w, sum(draws)) for t, w in zip(every, draws, strict=True) if w}
    itemset = frozenset(range(k))
    shares, held = [Fraction(0)] * (k + 1), [Fraction(0)] * (k + 1)
    for t, weight in prior.items():
        shares[len(t & itemset)] += weight
        held[len(t & itemset)] += weight * (0 in t)
    found = breach_level(CutAndPaste(3, rho=QUARTER), m, supports=shares, with_item=held)
    assert found == oracle.breach(prior, cut, itemset, 0)


@examples(10)
@given(st.lists(st.integers(1, 9), min_size=15, max_size=15), st.integers(1, 2**15 - 2))
def test_no_posterior_is_above_its_bound(weights: list[int], property_: int) -> None:
    """Any prior on pairs, any property of them: the bound holds for every report."""
    every = oracle.all_of_size(N_ITEMS, 2)
    prior = {t: Fraction(w, sum(weights)) for t, w in zip(every, weights, strict=True)}
    chosen = {t for place, t in enumerate(every) if property_ >> place & 1}
    before = sum((prior[t] for t in chosen), Fraction(0))
    gamma = CutAndPaste(3, rho=QUARTER).gamma(2, N_ITEMS)
    assert oracle.posterior(prior, cut, lambda t: t in chosen) <= posterior_bound(
        before, gamma=gamma
    )


def test_known_001_smax_check() -> None:
    with pytest.raises(InfeasibleError, match=r"exactly 0 of them would be -0\.3"):
        challenging_supports([0.5, 0.1, 0.1], 3)
    repaired = challenging_supports([0.5, 0.1, 0.1], 3, repair=True)
    assert [str(share) for share in repaired] == ["0", "9/10", "0", "1/10"]


@examples(60)
@given(st.lists(st.integers(0, 40), min_size=1, max_size=5))
def test_the_model_has_the_supports_it_says(shares: list[int]) -> None:
    """(12): the subsets of each size have maximal support, if there are such an itemset."""
    k = len(shares)
    total = 200  # so that s_0 is at least 0
    s = [Fraction(total - sum(shares), total), *(Fraction(share, total) for share in shares)]
    s_max = [sum(comb(x, j) * s[x] for x in range(j, k + 1)) / comb(k, j) for j in range(1, k + 1)]
    assert challenging_supports(s_max, k) == tuple(s)
    assert challenging_supports(s_max, k, repair=True) == tuple(s)


@examples(30)
@given(st.lists(st.fractions(0, 1, max_denominator=1000), min_size=1, max_size=6))
def test_repaired_supports_are_shares(s_max: list[Fraction]) -> None:
    falling = sorted(s_max, reverse=True)
    found = challenging_supports(falling, len(falling), repair=True)
    assert min(found) >= 0
    assert sum(found) == 1


def test_every_itemset_size_is_looked_at() -> None:
    """With long itemsets as common as short ones, the longest breach most."""
    operator = CutAndPaste(7, rho="2/5")
    s_max = ["1/50"] * 9
    worst = worst_breach(operator, 9, s_max=s_max)
    assert worst.k > 7
    levels = [
        breach_level(operator, 9, supports=challenging_supports(s_max, k)) for k in range(1, 10)
    ]
    assert worst.level == max(levels)
    assert worst.level > max(levels[:7])


def test_breach_of_uniform_randomization_is_near_certainty() -> None:
    level = breach_level(Uniform(0.8), 3, supports=["99/100", 0, 0, "1/100"], n_items=10_000)
    assert level > Fraction(999, 1000)


def test_tuning_stays_below_the_level_and_no_smaller_rho_does() -> None:
    s_max = {m: [Fraction(1, 20 * k) for k in range(1, m + 1)] for m in range(1, 6)}
    tuned = tune(dict.fromkeys(s_max, 100000), s_max=s_max, cutoffs=[3, 5])
    step = Fraction(1, 1000)
    for one in tuned.sizes:
        same = tuned.operator
        assert worst_breach(same, one.size, s_max=s_max[one.size]) == one.breach
        assert one.breach.level < Fraction(1, 2)
        smaller = CutAndPaste(one.cutoff, rho=one.rho - step)
        assert worst_breach(smaller, one.size, s_max=s_max[one.size]).level >= Fraction(1, 2)
        assert one.gamma == same.gamma(one.size, 1000)
        assert one.posterior == posterior_bound("1/20", gamma=one.gamma)
        assert one.posterior > one.breach.level  # a breach level is not a bound
        other = tune(
            {one.size: 100_000}, s_max=s_max, cutoffs=[8 - one.cutoff]
        ).sizes[0]  # fmt: skip
        assert one.lowest_support <= other.lowest_support
    shown = tuned.preview()
    assert "epsilon" in shown.header
    assert "posterior" in shown.header
    assert len(shown.rows) == 5
    assert json.loads(json.dumps(tuned.to_dict()))["level"] == "1/2"


def test_the_level_itself_is_not_below_the_level() -> None:
    """(14) is strict: a rho that meets the level exactly is too small."""
    exact = worst_breach(CutAndPaste(3, rho="1/10"), 1, s_max=["1/20"]).level
    (one,) = tune([1], s_max=["1/20"], breach=exact, cutoffs=[3], step="1/10").sizes
    assert one.rho == Fraction(1, 5)


def test_breach_falls_with_rho() -> None:
    """What bisection rests on, in a case with itemsets of every size."""
    s_max = ["1/10", "1/20", "1/40", "1/80"]
    levels = [
        worst_breach(CutAndPaste(5, rho=Fraction(i, 40)), 4, s_max=s_max).level
        for i in range(1, 40)
    ]
    assert levels == sorted(levels, reverse=True)


def test_protection_by_size() -> None:
    operator = SelectASize({1: [0.5, 0.5], 2: [0.5, 0, 0.5]}, rho=0.2)
    first, second = protection(operator, sizes=[2, 1], n_items=10, priors=["1/10"])
    assert first.gamma == 4
    assert first.posteriors == ((Fraction(1, 10), Fraction(4, 13)),)
    assert second.to_dict() == {
        "size": 2,
        "epsilon": None,
        "posteriors": [{"prior": "1/10", "posterior": "1"}],
    }


def test_rho1_to_rho2() -> None:
    """Exactly where the posterior bound of the prior is below the posterior."""
    for gamma in (1, 2, 9, Fraction(19, 2), 31):
        for prior, posterior in (("1/20", "1/2"), ("1/10", "1/2"), ("1/3", "9/10")):
            expected = posterior_bound(prior, gamma=gamma) < Fraction(posterior)
            assert prevents_breach(gamma, prior=prior, posterior=posterior) == expected
    assert not prevents_breach(None, prior="1/20", posterior="1/2")


def test_refusals() -> None:
    operator = CutAndPaste(3, rho=QUARTER)
    with pytest.raises(ParameterError, match="sum to 1"):
        breach_level(operator, 2, supports=[0.5, 0.4])
    with pytest.raises(ParameterError, match="does not fit"):
        breach_level(operator, 1, supports=[0.5, 0.25, 0.25])
    with pytest.raises(ParameterError, match="with_item must be"):
        breach_level(operator, 2, supports=[0.5, 0.25, 0.25], with_item=[0, 0.5, 0.25])
    with pytest.raises(ParameterError, match="whole itemset"):
        breach_level(operator, 2, supports=[0.5, 0.25, 0.25], with_item=[0, 0.25, 0])
    with pytest.raises(ParameterError, match="s_max has 1 entries"):
        tune([2], s_max=[0.1])
    with pytest.raises(ParameterError, match="not given for transactions of 2"):
        tune([2], s_max={1: [0.1]})
    with pytest.raises(InfeasibleError, match="prior itself"):
        tune([1], s_max=[0.6])
    with pytest.raises(InfeasibleError, match="Lower s_max"):
        tune([3], s_max=[0.5, 0.1, 0.1])
    with pytest.raises(ParameterError, match="No cutoff"):
        tune([3], s_max=[0.1, 0.05, 0.01], cutoffs=[2])
    with pytest.raises(ParameterError, match="at least one transaction"):
        tune([], s_max=[0.1])
    with pytest.raises(ParameterError, match="gamma=1/2"):
        posterior_bound(0.5, gamma=QUARTER * 2)
    with pytest.raises(ParameterError, match="below posterior"):
        prevents_breach(2, prior=0.5, posterior=0.5)
    with pytest.raises(ParameterError, match="m=0"):
        worst_breach(operator, 0, s_max=[])
    with pytest.raises(ParameterError, match="sigmas"):
        lowest_discoverable_support(operator, k=1, sizes={2: 10}, sigmas=0)
    with pytest.raises(ParameterError, match="number of transactions"):
        lowest_discoverable_support(operator, k=1, sizes=[1])  # type: ignore[arg-type]
