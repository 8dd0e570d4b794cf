"""How well draws fit a law: the p-value below which a test fails, and laws to hold them against."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

P_LEAST = 1e-9


def p_value(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return an upper bound on the p-value of the chi-square test (Chernoff)."""
    expected = counts.sum() * probabilities
    assert expected.min() > 5
    per_freedom = float(((counts - expected) ** 2 / expected).sum()) / (len(counts) - 1)
    if per_freedom <= 1:
        return 1.0
    return math.exp((len(counts) - 1) / 2 * (1 - per_freedom + math.log(per_freedom)))


def fit(draws: NDArray[np.int64], pmf: Mapping[int, float]) -> float:
    """Return the p-value of draws for a distribution; its rare values are put together."""
    common = [value for value, chance in pmf.items() if chance * len(draws) > 50]
    counts = [int((draws == value).sum()) for value in common]
    chances = [pmf[value] for value in common]
    counts.append(len(draws) - sum(counts))
    chances.append(1 - math.fsum(chances))
    if chances[-1] * len(draws) <= 50:  # too rare to stand alone: with the one before
        counts[-2:] = [sum(counts[-2:])]
        chances[-2:] = [math.fsum(chances[-2:])]
    return p_value(np.array(counts), np.array(chances))


def laplace(scale: float) -> dict[int, float]:
    ratio = math.exp(-1 / scale)
    most = math.ceil(60 * scale) + 1
    return {x: (1 - ratio) / (1 + ratio) * ratio ** abs(x) for x in range(-most, most + 1)}


def gaussian(sigma2: float) -> dict[int, float]:
    most = math.ceil(12 * math.sqrt(sigma2)) + 1
    weights = {x: math.exp(-(x**2) / (2 * sigma2)) for x in range(-most, most + 1)}
    total = math.fsum(weights.values())
    return {x: weight / total for x, weight in weights.items()}
