"""Dependence of pairs, how far one row moves it, and which pairs are chosen."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.synthesize.marginals import (
    MOST_CHANGE,
    SHRUNK,
    choose_pairs,
    pair_dependence,
)
from tests.examples import examples

if TYPE_CHECKING:
    from discreet.synthesize.budget import Law

LAWS: tuple[Law, ...] = ("gaussian", "laplace")
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=12)


def found(rows: list[tuple[int, int]]) -> int:
    first, second = np.array(rows, np.int64).reshape(-1, 2).T
    return pair_dependence(first, second)


def exact(rows: list[tuple[int, int]]) -> Fraction:
    """Return the sum over all pairs of values by its definition."""
    n = len(rows)
    if n == 0:
        return Fraction(0)
    firsts, seconds = [a for a, _ in rows], [b for _, b in rows]
    return sum(
        (
            abs(rows.count((a, b)) - Fraction(firsts.count(a) * seconds.count(b), n))
            for a, b in product(set(firsts), set(seconds))
        ),
        Fraction(0),
    )


@examples(200)
@given(rows=ROWS)
def test_dependence_is_its_definition(rows: list[tuple[int, int]]) -> None:
    assert found(rows) == exact(rows) // 1


@examples(200)
@given(rows=ROWS)
def test_one_row_changes_dependence_by_at_most_four(rows: list[tuple[int, int]]) -> None:
    for row in product(range(5), range(4)):  # also values that nobody has yet
        assert abs(exact([*rows, row]) - exact(rows)) < MOST_CHANGE
        assert abs(found([*rows, row]) - found(rows)) <= MOST_CHANGE


def test_one_row_can_change_dependence_by_almost_four() -> None:
    """The bound of 4 cannot be 3: many rows apart from one that has both values of its own."""
    n = 60
    rows = [(a, a) for a in range(n)]
    apart = [(0, b) for b in range(n)] + [(a, 0) for a in range(n)]
    most = max(
        abs(exact([*some, row]) - exact(some))
        for some in (rows, apart, [(0, 0)] * n)
        for row in ((0, 0), (0, n), (n, n), (1, 2))
    )
    assert 3 < most < MOST_CHANGE


def test_large_numbers_do_not_overflow() -> None:
    n = 3_000_000
    first = np.arange(n) % 2
    assert pair_dependence(first, first) == n
    assert pair_dependence(first, np.zeros(n, np.int64)) == 0


@examples(100)
@given(
    law=st.sampled_from(LAWS),
    pairs=st.lists(st.tuples(st.integers(-20, 400), st.integers(4, 60)), max_size=8),
    unit=st.floats(0.01, 30),
)
def test_chosen_pairs_are_the_best_beginning(
    law: Law, pairs: list[tuple[int, int]], unit: float
) -> None:
    gains, cells = [max(0, d) for d, _ in pairs], [c for _, c in pairs]
    power = 3 / 2 if law == "gaussian" else 2
    weights = [c ** (1 / power) for c in cells]
    order = sorted(range(len(pairs)), key=lambda i: -gains[i] / weights[i])

    def error(chosen: list[int]) -> float:
        missed = sum(gains) - sum(gains[i] for i in chosen)
        return float(SHRUNK * unit * sum(weights[i] for i in chosen) ** power + missed)

    got = choose_pairs([d for d, _ in pairs], cells, law=law, unit=unit)
    least = min(error(order[:k]) for k in range(len(pairs) + 1))
    assert error(got) == pytest.approx(least)
    assert len(set(got)) == len(got)
    ratios = [gains[i] / weights[i] for i in order]
    assert [gains[i] / weights[i] for i in got] == pytest.approx(ratios[: len(got)])


@pytest.mark.parametrize("law", LAWS)
def test_nothing_is_chosen_without_dependence(law: Law) -> None:
    assert choose_pairs([0, -5], [4, 4], law=law, unit=1.0) == []
    assert choose_pairs([], [], law=law, unit=1.0) == []
