"""Recovered supports over 200 seeded runs: unbiased, and their sigmas are what they say.

The same tests must reject estimates made with rho x 0.7 or x 1.3, and sigmas x 0.7 or x 1.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.data.transactions import Transactions
from discreet.randomize import (
    CutAndPaste,
    Operator,
    Uniform,
    overlaps,
    partial_counts,
    recover_partial_supports,
    recover_support,
    support_covariance,
)

RUNS = 200
N = 1500
N_ITEMS = 9
ITEMSETS = ((0,), (1,), (4,), (8,), (0, 1), (0, 4), (7, 8), (0, 1, 2))
N_WRONG = 4  # itemsets that are recovered with the wrong operator as well
TOGETHER = ((0,), (0, 1), (1, 2))  # for the covariance
RHO = {0: "1/10", 1: "1/5", 2: "1/5", 3: "1/4", 4: "3/10"}


@cache
def originals() -> Transactions:
    """Sizes 0 to 4; low items are common and come together."""
    draw = np.random.default_rng(5)
    weights = 0.75 ** np.arange(N_ITEMS)
    sizes = draw.integers(0, 5, N)
    sets = [draw.choice(N_ITEMS, m, replace=False, p=weights / weights.sum()) for m in sizes]
    return Transactions.from_csr(
        np.concatenate([[0], np.cumsum(sizes)]), np.concatenate(sets), range(N_ITEMS)
    )


def operator_of(kind: str, scale: Fraction = Fraction(1)) -> Operator:
    if kind == "uniform":
        return Uniform(Fraction(2, 5) * scale)
    return CutAndPaste(4, rho={m: Fraction(rho) * scale for m, rho in RHO.items()})


@dataclass(frozen=True)
class Runs:
    supports: NDArray[np.float64]  # run, itemset
    variances: NDArray[np.float64]
    covered: NDArray[np.bool_]
    wrong: dict[str, NDArray[np.float64]]  # supports recovered by another operator
    partial: NDArray[np.float64]  # run, order: of the last itemset
    covariances: NDArray[np.float64]  # run, TOGETHER, TOGETHER


def truth(itemset: tuple[int, ...]) -> float:
    return float(np.mean(overlaps(originals(), itemset) == len(itemset)))


@cache
def runs(kind: str) -> Runs:
    operator = operator_of(kind)
    others = {text: operator_of(kind, Fraction(text)) for text in ("7/10", "13/10")}
    shape = (RUNS, len(ITEMSETS))
    supports, variances, covered = np.empty(shape), np.empty(shape), np.empty(shape, np.bool_)
    wrong = {text: np.empty((RUNS, N_WRONG)) for text in others}
    partial, covariances = np.empty((RUNS, 4)), np.empty((RUNS, 3, 3))
    true = [truth(itemset) for itemset in ITEMSETS]
    for run in range(RUNS):
        sent = operator.randomize(originals(), seed=run)
        for at, itemset in enumerate(ITEMSETS):
            counts = partial_counts(sent, itemset)
            found = recover_support(counts, operator=operator, n_items=N_ITEMS)
            supports[run, at], variances[run, at] = found.support, found.unbiased_variance
            low, high = found.interval(0.95)
            covered[run, at] = low <= true[at] <= high
            for text, other in others.items() if at < N_WRONG else ():
                guess = recover_support(counts, operator=other, n_items=N_ITEMS)
                wrong[text][run, at] = guess.support
        parts = recover_partial_supports(counts, operator=operator, n_items=N_ITEMS)
        partial[run] = parts.supports
        covariances[run] = support_covariance(sent, TOGETHER)
    return Runs(supports, variances, covered, wrong, partial, covariances)


def off(found: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Return the largest distance of a mean over runs from what is expected, in its errors."""
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return float(np.max(np.abs(found.mean(axis=0) - expected) / errors))


KINDS = ["cut-and-paste", "uniform"]


@pytest.mark.parametrize("kind", KINDS)
def test_supports_are_unbiased_and_a_wrong_operator_is_noticed(kind: str) -> None:
    true = np.array([truth(itemset) for itemset in ITEMSETS])
    assert off(runs(kind).supports, true) < 4
    for wrong in runs(kind).wrong.values():
        assert off(wrong, true[:N_WRONG]) > 4


@pytest.mark.parametrize("kind", KINDS)
def test_sigmas_are_within_a_tenth_and_wrong_ones_are_noticed(kind: str) -> None:
    """Pooled over the itemsets: 200 runs of one would be off by 5 % by chance alone."""
    found = runs(kind)
    empirical = found.supports.var(axis=0, ddof=1)
    ratio = float(np.sqrt(np.mean(found.variances.mean(axis=0) / empirical)))
    assert 0.9 < ratio < 1.1
    assert not 0.9 < 0.7 * ratio < 1.1
    assert not 0.9 < 1.3 * ratio < 1.1


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_cover_at_their_level(kind: str) -> None:
    assert 0.92 < float(runs(kind).covered.mean()) < 0.98


@pytest.mark.parametrize("kind", KINDS)
def test_partial_supports_are_unbiased(kind: str) -> None:
    counts = np.bincount(overlaps(originals(), ITEMSETS[-1]), minlength=4) / N
    assert off(runs(kind).partial, counts) < 4


@pytest.mark.parametrize("kind", KINDS)
def test_covariances_are_those_seen(kind: str) -> None:
    """As correlations; 200 runs are off by 0.07 each, so a quarter is far."""
    found = runs(kind)
    mean = found.covariances.mean(axis=0)
    diagonal = np.sqrt(np.diag(mean))
    places = [ITEMSETS.index(one) for one in TOGETHER[:2]]
    first, second = found.supports[:, places].T - found.supports[:, places].mean(axis=0)[:, None]
    empirical = float(first @ second / np.sqrt((first @ first) * (second @ second)))
    reported = float(mean[0, 1] / diagonal[0] / diagonal[1])
    assert reported == pytest.approx(empirical, abs=0.25)
    assert abs(reported) > 0.3  # so that the sign of it is tested
