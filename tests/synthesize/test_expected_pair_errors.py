"""What is expected before anything is spent is what noise then does."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.synthesize import expected_pair_errors
from discreet.synthesize.measured import SHARES
from discreet.synthesize.spending import Spending

SIZES = {"sex": 2, "job": 5, "age": 9, "one": 1}


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_errors_are_those_of_the_noise(delta: float) -> None:
    found = expected_pair_errors(SIZES, epsilon=1, delta=delta, n_rows=5000)
    spending = Spending.of(epsilon=Fraction(1), delta=Fraction(str(delta)), noise=noise_from(7))
    power = 2 / 3 if delta else 1 / 2
    sizes = (2, 5, 9)
    errors = []
    for n in sizes:
        cost = spending.total * SHARES["values"] * Fraction(n**power / sum(m**power for m in sizes))
        noisy, _ = spending.measure("values", np.zeros(4000, np.int64), cost=cost)
        errors.append(np.std(noisy) / 5000)
    assert max(errors) == pytest.approx(found.value_error, rel=0.1)
    cells = [a * b for a, b in combinations(sizes, 2)]
    whole = sum(n**power for n in cells)
    squares = []
    for n in cells:
        cost = spending.total * SHARES["pairs"] * Fraction(n**power / whole)
        scale = 1 / (2 * cost) if delta else 1 / cost
        squares.append(n * float(scale if delta else 2 * scale**2))
    expected = math.sqrt(sum(squares) / sum(cells)) / 5000
    assert found.pair_error == pytest.approx(expected, rel=0.02)


def test_more_of_anything_helps() -> None:
    base = expected_pair_errors(SIZES, epsilon=1, n_rows=1000)
    for better in (
        expected_pair_errors(SIZES, epsilon=2, n_rows=1000),
        expected_pair_errors(SIZES, epsilon=1, n_rows=3000),
        expected_pair_errors(SIZES, epsilon=1, delta=1e-2, n_rows=1000),
        expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, n_rows=1000),
    ):
        assert better.pair_error is not None
        assert base.pair_error is not None
        assert better.pair_error < base.pair_error
        assert base.triple_error is not None
        assert better.triple_error is None or better.triple_error < base.triple_error


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("sizes", [(2, 3, 5), (4, 4, 4, 4), (2, 7, 3, 5)])
def test_three_values_have_the_noise_of_their_pairs(sizes: tuple[int, ...], delta: float) -> None:
    """Fit all pairs of every three columns to noisy pairs of equally frequent values."""
    n = 10**7
    found = expected_pair_errors(
        {f"c{j}": size for j, size in enumerate(sizes)}, epsilon=1, delta=delta, n_rows=n
    )
    power = 2 / 3 if delta else 1 / 2
    pairs = list(combinations(range(len(sizes)), 2))
    whole = sum((sizes[i] * sizes[j]) ** power for i, j in pairs)
    spending = Spending.of(epsilon=Fraction(300), delta=Fraction(str(delta)), noise=noise_from(1))
    budget = Spending.of(epsilon=Fraction(1), delta=Fraction(str(delta)), noise=noise_from(None))
    squares = n_cells = 0.0
    for _ in range(40):
        noise = {}
        for i, j in pairs:
            part = Fraction((sizes[i] * sizes[j]) ** power / whole)
            cost = budget.total * SHARES["pairs"] * part
            zeros = np.zeros(sizes[i] * sizes[j], np.int64)
            noise[i, j] = spending.measure("pairs", zeros, cost=cost)[0].reshape(sizes[i], sizes[j])
        for three in combinations(range(len(sizes)), 3):
            off = additive_fit([noise[pair] for pair in combinations(three, 2)])
            squares, n_cells = squares + (off**2).sum(), n_cells + off.size
    assert found.triple_error is not None
    assert 0.6 < math.sqrt(squares / n_cells) / n / found.triple_error < 1.05


def additive_fit(noise: list[np.ndarray]) -> np.ndarray:
    """Return the least squares fit of a table of three columns, without a three-way part, to
    noise on its three pairs: the first order of what any fit of the pairs has.
    """
    (a, b), c = noise[0].shape, noise[1].shape[1]
    places = list(np.ndindex(a, b, c))
    unknowns = np.zeros((len(places), a * b + a * c + b * c))
    for row, (x, y, z) in zip(unknowns, places, strict=True):
        row[[x * b + y, a * b + x * c + z, a * b + a * c + y * c + z]] = 1
    wanted = np.concatenate([each.ravel() for each in noise])
    answer = np.linalg.lstsq(unknowns.T @ unknowns, wanted)[0]  # unknowns.T counts pairs
    fitted: np.ndarray = unknowns @ answer
    return fitted


def test_it_says_plainly_what_is_noise_and_what_pairs_do_not_tell() -> None:
    noise = expected_pair_errors(SIZES, epsilon=0.01, n_rows=500)
    assert noise.is_noise
    assert "The answer will be noise" in noise.sentence
    good = expected_pair_errors(SIZES, epsilon=1, n_rows=10**6)
    assert not good.is_noise
    assert "What pairs do not tell of three values comes on top" in good.sentence
    two = expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, n_rows=10**6)
    assert two.triple_error is None
    assert "three" not in two.sentence
    alone = expected_pair_errors({"sex": 2}, epsilon=1, n_rows=10**6)
    assert alone.pair_error is None
    assert "two values" not in alone.sentence


def test_a_table_tells_its_sizes() -> None:
    table = dc.Table.from_frame({"sex": ["f", "m"] * 20, "job": [*"abcd"] * 10})
    assert expected_pair_errors(table, epsilon=1) == expected_pair_errors(
        {"sex": 2, "job": 4}, epsilon=1, n_rows=40
    )


def test_numbers_out_of_range() -> None:
    with pytest.raises(ParameterError, match="n_rows"):
        expected_pair_errors(SIZES, epsilon=1)
    with pytest.raises(ParameterError, match="frequency"):
        expected_pair_errors(SIZES, epsilon=1, n_rows=10, frequency=0)
    with pytest.raises(ParameterError, match="two values"):
        expected_pair_errors({"one": 1}, epsilon=1, n_rows=10)
