"""Marginals from randomized cells: equal to estimates one by one, unbiased, of known variance."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.data.table import Table
from discreet.synthesize import estimate_support, randomized_response
from discreet.synthesize.local import local_marginals
from discreet.synthesize.marginals import true_counts

if TYPE_CHECKING:
    from discreet.synthesize import Sanitized

DOMAINS = {"a": range(2), "b": range(3), "one": range(1), "c": range(2)}
SIZES = [2, 3, 1, 2]
N, RUNS = 1500, 250
EPSILON = 9  # so much that pairs are told in every run


@cache
def codes() -> tuple[np.ndarray, ...]:
    draw = np.random.default_rng(3)
    a = (draw.random(N) < 0.4).astype(np.int64)
    b = np.where(draw.random(N) < 0.8, 2 * a, draw.integers(0, 3, N))
    return a, b, np.zeros(N, np.int64), np.where(draw.random(N) < 0.85, a, 1 - a)


def sanitized(seed: int, epsilon: float = EPSILON) -> Sanitized:
    table = Table.from_codes(dict(zip(DOMAINS, codes(), strict=True)), DOMAINS)
    return randomized_response(table, epsilon=epsilon, domains=DOMAINS, seed=seed)


def test_counts_are_the_estimates_of_every_itemset() -> None:
    sent = sanitized(1)
    names = [channel.column for channel in sent.channels]
    found = local_marginals(sent)
    columns = [m.columns for m in found]
    assert columns == [(0,), (1,), (3,), (0, 1), (0, 3), (1, 3)]
    for marginal in found:
        places = list(np.ndindex(marginal.counts.shape))
        asked = [
            {names[j]: v for j, v in zip(marginal.columns, place, strict=True)} for place in places
        ]
        estimates = [float(share) for share in estimate_support(sent, asked).supports]
        assert marginal.counts.ravel() / N == pytest.approx(estimates, abs=1e-9)
        assert marginal.counts.sum() == pytest.approx(N)


def test_counts_are_unbiased_and_vary_as_told() -> None:
    runs = [{m.columns: m for m in local_marginals(sanitized(seed))} for seed in range(RUNS)]
    for columns in [(0,), (1,), (3,), *combinations((0, 1, 3), 2)]:
        counts = np.array([run[columns].counts for run in runs])
        true = true_counts(codes(), columns, SIZES)
        deviation = counts.std(axis=0, ddof=1)
        off = (counts.mean(axis=0) - true) / (deviation / math.sqrt(RUNS))
        assert np.abs(off).max() < 5
        # Counts of a marginal are not independent: the mean of their variances is told loosely.
        told = runs[0][columns].variance
        assert 0.75 * told < float((deviation**2).mean()) < 1.3 * told


def test_pairs_that_noise_alone_could_give_are_left_out() -> None:
    few = [m.columns for m in local_marginals(sanitized(1, epsilon=0.2))]
    assert few[:3] == [(0,), (1,), (3,)]
    draw = np.random.default_rng(8)
    table = Table.from_codes(
        {"x": draw.integers(0, 2, 2000), "y": draw.integers(0, 2, 2000)},
        {"x": range(2), "y": range(2)},
    )
    left = [local_marginals(randomized_response(table, epsilon=2, seed=seed)) for seed in range(40)]
    assert sum(len(found) > 2 for found in left) < 20


def test_one_column_of_one_value() -> None:
    table = Table.from_codes({"x": [0] * 9}, {"x": range(1)})
    (found,) = local_marginals(randomized_response(table, epsilon=1, seed=1))
    assert found.columns == (0,)
    assert found.counts.tolist() == [9]
    assert found.variance > 0
