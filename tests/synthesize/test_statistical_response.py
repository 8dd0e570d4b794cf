"""Randomized cells and their estimates, drawn: the true law passes, x 0.7 and x 1.3 do not."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.data.table import Table
from discreet.synthesize import Channel, Sanitized, estimate_support, randomized_response
from tests.fit import P_LEAST, p_value

N_DRAWS = 30_000
RUNS = 800
N = 400
DOMAINS = {"a": range(2), "b": range(3), "c": range(2)}
BUDGET = {"a": Fraction(1), "b": Fraction(3, 2), "c": Fraction(1, 2)}
ITEMSETS = ({"a": 0}, {"b": 2}, {"a": 0, "b": 0}, {"a": 1, "b": 1, "c": 0})
SCALES = (Fraction(7, 10), Fraction(13, 10))


def channels(scale: Fraction = Fraction(1)) -> tuple[Channel, ...]:
    return tuple(
        Channel(column=name, values=tuple(DOMAINS[name]), epsilon=epsilon * scale)
        for name, epsilon in BUDGET.items()
    )


def fit(found: Sanitized, row: tuple[int, ...], scale: Fraction) -> float:
    """Return the p-value of randomized copies of a row, all combinations told apart."""
    key = np.zeros(found.n_rows, np.int64)
    for one in found.channels:
        key = key * one.size + found.codes(one.column)
    outcomes = list(product(*DOMAINS.values()))
    chances = [
        math.prod(
            float(one.p if x == y else one.q)
            for x, y, one in zip(row, outcome, channels(scale), strict=True)
        )
        for outcome in outcomes
    ]
    return p_value(np.bincount(key, minlength=len(outcomes)), np.array(chances))


@pytest.mark.parametrize("seed", [None, 20])
@pytest.mark.parametrize("row", [(0, 0, 0), (1, 2, 0)])
def test_cells_are_drawn_by_their_law(row: tuple[int, ...], seed: int | None) -> None:
    table = Table.from_codes(
        {name: [x] * N_DRAWS for name, x in zip(DOMAINS, row, strict=True)}, DOMAINS
    )
    found = randomized_response(table, epsilon=3, split=BUDGET, domains=DOMAINS, seed=seed)
    assert found.channels == channels()
    assert fit(found, row, Fraction(1)) > P_LEAST
    for scale in SCALES:
        assert fit(found, row, scale) < P_LEAST


def test_rows_are_randomized_independently() -> None:
    """What one row became says nothing of the next."""
    table = Table.from_codes({"a": [0] * N_DRAWS}, {"a": range(2)})
    found = randomized_response(table, epsilon=1, domains={"a": range(2)}).codes("a")
    together = np.corrcoef(found[:-1], found[1:])[0, 1]
    assert abs(together) < 6.2 / math.sqrt(N_DRAWS)


@cache
def truth() -> Table:
    """Associated columns, far from uniform."""
    draw = np.random.default_rng(3)
    a = (draw.random(N) < 0.3).astype(int)
    b = np.where(draw.random(N) < 0.6, 2 * a, draw.integers(0, 3, N))
    c = np.where(draw.random(N) < 0.8, 0, 1)
    return Table.from_codes({"a": a, "b": b, "c": c}, DOMAINS)


@cache
def runs() -> tuple[NDArray[np.float64], NDArray[np.float64], dict[Fraction, NDArray[np.float64]]]:
    """Return supports and variances, and supports estimated with wrong chances, by run."""
    supports, variances = np.empty((2, RUNS, len(ITEMSETS)))
    wrong = {scale: np.empty((RUNS, len(ITEMSETS))) for scale in SCALES}
    for run in range(RUNS):
        sent = randomized_response(truth(), epsilon=3, split=BUDGET, domains=DOMAINS, seed=run)
        found = estimate_support(sent, ITEMSETS)
        supports[run], variances[run] = found.supports, found.unbiased_variances
        for scale, guesses in wrong.items():
            other = replace(sent, channels=channels(scale))
            guesses[run] = estimate_support(other, ITEMSETS).supports
    return supports, variances, wrong


def off(found: NDArray[np.float64]) -> float:
    """Return the farthest mean over runs from the truth, in its standard errors."""
    codes = {name: np.array(truth().values(name))[truth().codes(name)] for name in DOMAINS}
    true = [np.mean([codes[name] == v for name, v in one.items()], 0) == 1 for one in ITEMSETS]
    errors = found.std(axis=0, ddof=1) / math.sqrt(RUNS)
    return float(np.max(np.abs(found.mean(axis=0) - np.mean(true, 1)) / errors))


def test_supports_are_unbiased_and_wrong_chances_are_noticed() -> None:
    supports, _, wrong = runs()
    assert off(supports) < 6.2  # p about 1e-9 for four
    for guesses in wrong.values():
        assert off(guesses) > 6.2


@pytest.mark.parametrize("place", range(len(ITEMSETS)))
def test_standard_errors_are_what_they_say(place: int) -> None:
    supports, variances, _ = runs()
    empirical = float(supports[:, place].var(ddof=1))
    reported = float(variances[:, place].mean())

    def p_of(scale: float) -> float:
        """Bound the p-value of the empirical variance by Chernoff, two-sided."""
        ratio = empirical / (reported * scale**2)
        return 2 * math.exp(-(RUNS - 1) / 2 * (ratio - 1 - math.log(ratio)))

    assert p_of(1) > P_LEAST
    assert p_of(0.7) < P_LEAST
    assert p_of(1.3) < P_LEAST
