"""Noisy marginals made to agree: sums, signs, least squares, and exact ones left alone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.synthesize.marginals import (
    Agreed,
    Marginal,
    _not_negative,
    fit_sums,
    reconcile,
    true_counts,
)
from tests.examples import examples


def marginals(
    sizes: list[int], n_rows: int, deviation: float, seed: int
) -> tuple[list[Marginal], list[NDArray[np.int64]]]:
    """Return all marginals of columns and pairs of a random table, with noise."""
    draw = np.random.default_rng(seed)
    codes = [draw.integers(0, size, n_rows) * (draw.random(n_rows) < 0.4) for size in sizes]
    wanted = [*((j,) for j in range(len(sizes))), *combinations(range(len(sizes)), 2)]
    found = []
    for columns in wanted:
        true = true_counts(codes, columns, sizes)
        counts = true + draw.normal(0, 1, true.shape) * deviation
        found.append(Marginal(columns=columns, counts=counts, variance=deviation**2 or 1e-9))
    return found, codes


def check(agreed: Agreed, sizes: list[int]) -> None:
    for shares, size in zip(agreed.values, sizes, strict=True):
        assert shares.shape == (size,)
        assert shares.min() >= 0
        assert shares.sum() == pytest.approx(1, abs=1e-9)
    for (a, b), table in agreed.pairs.items():
        assert a < b
        assert table.shape == (sizes[a], sizes[b])
        assert table.min() >= 0
        assert table.sum(1) == pytest.approx(agreed.values[a], abs=1e-9)
        assert table.sum(0) == pytest.approx(agreed.values[b], abs=1e-9)


@examples(150)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    n_rows=st.sampled_from([0, 1, 7, 100, 10_000]),
    deviation=st.sampled_from([0.1, 1.0, 30.0, 1000.0]),
    seed=st.integers(0, 10**6),
)
def test_all_agree(sizes: list[int], n_rows: int, deviation: float, seed: int) -> None:
    noisy, _ = marginals(sizes, n_rows, deviation, seed)
    agreed = reconcile(noisy, sizes=sizes)
    check(agreed, sizes)
    assert agreed.n_rows >= 1
    assert (
        set(agreed.pairs) == set(agreed.errors) == {m.columns for m in noisy if len(m.columns) > 1}
    )
    for error in agreed.errors.values():
        assert error == pytest.approx(deviation / agreed.n_rows)


@examples(60)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    n_rows=st.integers(1, 500),
    seed=st.integers(0, 10**6),
)
def test_exact_marginals_stay(sizes: list[int], n_rows: int, seed: int) -> None:
    exact, codes = marginals(sizes, n_rows, 0, seed)
    agreed = reconcile(exact, sizes=sizes)
    assert agreed.n_rows == pytest.approx(n_rows)
    for j, shares in enumerate(agreed.values):
        assert shares == pytest.approx(true_counts(codes, (j,), sizes) / n_rows, abs=1e-6)
    for pair, table in agreed.pairs.items():
        assert table == pytest.approx(true_counts(codes, pair, sizes) / n_rows, abs=1e-6)


def test_means_are_weighted_by_what_they_know() -> None:
    one = Marginal(columns=(0,), counts=np.array([60.0, 40.0]), variance=1.0)
    pair = Marginal(columns=(0, 1), counts=np.array([[30.0, 15], [25, 20]]), variance=2.0)
    agreed = reconcile([one, pair], sizes=[2, 2])
    assert agreed.n_rows == pytest.approx((100 / 2 + 90 / 8) / (1 / 2 + 1 / 8))
    # Sums of two counts of the pair have a variance of 4: four parts of the one, one of these.
    mean = np.array([4 * 60 + 45, 4 * 40 + 45]) / 5
    expected = mean + (agreed.n_rows - mean.sum()) / 2
    assert agreed.values[0] * agreed.n_rows == pytest.approx(expected)


def test_making_agree_brings_nearer_to_the_truth() -> None:
    sizes, n_rows = [3, 4, 2], 2000
    noisy, codes = marginals(sizes, n_rows, 20, 5)
    agreed = reconcile(noisy, sizes=sizes)
    for marginal in noisy:
        if len(marginal.columns) == 2:
            a, b = marginal.columns
            true = true_counts(codes, (a, b), sizes)
            off = np.abs(agreed.pairs[a, b] * n_rows - true).sum()
            assert off < np.abs(marginal.counts - true).sum()


def known_columns(pair: list[list[float]], variance: float) -> list[Marginal]:
    """Return a noisy pair of columns whose own counts are known to be 50 and 50."""
    halves = np.array([50.0, 50.0])
    singles = [Marginal(columns=(j,), counts=halves, variance=1e-9) for j in (0, 1)]
    return [*singles, Marginal(columns=(0, 1), counts=np.array(pair), variance=variance)]


@pytest.mark.parametrize(
    ("variance", "kept"),
    [
        (1e-6, 1.0),  # clearly apart
        (26.0, 1.0),  # 100 > 26 (1 + 2 sqrt 2) = 99.5
        (27.0, 0.73),  # 100 < 103.4: 1 - 27 / 100
        (60.0, 0.4),
        (100.0, 0.0),
        (1e6, 0.0),
    ],
)
def test_a_pair_that_noise_could_make_is_moved_towards_independence(
    variance: float, kept: float
) -> None:
    """Each count is 5 away from 25, so that squared distances are 100 in all, of one degree."""
    agreed = reconcile(known_columns([[30.0, 20], [20, 30]], variance), sizes=[2, 2])
    expected = 0.25 + 0.05 * kept * np.array([[1, -1], [-1, 1]])
    assert agreed.pairs[0, 1] == pytest.approx(expected, abs=1e-6)


def test_pairs_without_dependence_are_nearer_to_the_truth_than_as_measured() -> None:
    """Over many draws of noise: shrinking never loses by much, and gains where there is nothing."""
    draw, ours, plain = np.random.default_rng(1), 0.0, 0.0
    for _ in range(100):
        counts = 100 + draw.normal(0, 20, (3, 4))
        columns = [np.full(3, 400.0), np.full(4, 300.0)]
        noisy = [Marginal(columns=(j,), counts=columns[j], variance=1e-9) for j in (0, 1)]
        pair = Marginal(columns=(0, 1), counts=counts, variance=400.0)
        agreed = reconcile([*noisy, pair], sizes=[3, 4])
        ours += float(np.abs(agreed.pairs[0, 1] - 1 / 12).sum())
        plain += float(np.abs(fit_sums(counts, *columns) / 1200 - 1 / 12).sum())
    assert ours < 0.5 * plain


def test_dependences_become_shares() -> None:
    one = Marginal(columns=(0,), counts=np.array([6.0, 2.0]), variance=1.0)
    agreed = reconcile([one], sizes=[2, 3], dependences={(0, 1): 4.0})
    assert agreed.dependences == {(0, 1): 0.5}
    assert reconcile([one], sizes=[2]).dependences == {}


def test_a_column_without_marginal_is_uniform() -> None:
    one = Marginal(columns=(0,), counts=np.array([6.0, 2.0]), variance=1.0)
    agreed = reconcile([one], sizes=[2, 1, 4])
    assert agreed.values[1].tolist() == [1.0]
    assert agreed.values[2].tolist() == [0.25] * 4
    assert agreed.pairs == {}


def test_nothing_but_noise_below_zero() -> None:
    one = Marginal(columns=(0,), counts=np.array([-60.0, -40.0]), variance=100.0)
    agreed = reconcile([one], sizes=[2])
    assert agreed.n_rows == 1
    assert agreed.values[0].tolist() == [0, 1]


NUMBERS = st.lists(
    st.floats(-1e4, 1e4, allow_nan=False) | st.integers(-5, 5).map(float), min_size=1, max_size=8
)


@examples(200)
@given(numbers=NUMBERS, total=st.floats(0.5, 1e4))
def test_nearest_counts_meet_the_optimality_conditions(numbers: list[float], total: float) -> None:
    """Positive ones are all moved by one level; those cut off were not above it (KKT)."""
    counts = np.array(numbers)
    found = _not_negative(counts, total)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(total)
    positive = found > 0
    levels = (counts - found)[positive]
    assert np.ptp(levels) == pytest.approx(0, abs=1e-6)
    assert (counts[~positive] <= levels.max() + 1e-6).all()


@pytest.mark.parametrize("size", [1e15, 1e17, 1e30])
def test_a_total_is_not_lost_among_huge_noise(size: float) -> None:
    """Counts of a tiny local budget are so far off that adding a few rows is lost to rounding."""
    found = _not_negative(np.array([size, -size, size / 3]), 5.0)
    assert found.tolist() == [5, 0, 0]
