"""Budgets of randomized cells: spent exactly, split best, and what queries cost."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import LimitError, ParameterError
from discreet.synthesize import (
    expected_errors,
    query_epsilon,
    split_budget,
)
from tests.examples import examples

# Budgets


@examples(40)
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=6),
    st.fractions(min_value=Fraction(1, 100), max_value=30, max_denominator=1000),
    st.sampled_from(["equal", "pairs"]),
)
def test_a_budget_is_spent_exactly(sizes: list[int], epsilon: Fraction, split: str) -> None:
    named = {str(i): size for i, size in enumerate(sizes)}
    found = split_budget(named, epsilon=epsilon, split=split)  # type: ignore[arg-type]
    assert sum(found.values()) == (epsilon if max(sizes) > 1 else 0)
    assert all((found[name] > 0) == (size > 1) for name, size in named.items())


def pairs_error(sizes: dict[str, int], budget: dict[str, Fraction]) -> float:
    epsilon = sum(budget.values(), Fraction(0))
    return expected_errors(sizes, epsilon=epsilon, n_rows=1, split=budget).errors[1]


@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(6), Fraction(30)])
def test_no_other_split_is_better_for_pairs(epsilon: Fraction) -> None:
    sizes = {"a": 2, "b": 5, "c": 50}
    best = pairs_error(sizes, split_budget(sizes, epsilon=epsilon, split="pairs"))
    steps = 24
    others = [
        {"a": epsilon * i / steps, "b": epsilon * j / steps, "c": epsilon * (steps - i - j) / steps}
        for i in range(1, steps - 1)
        for j in range(1, steps - i)
    ]
    least = min(pairs_error(sizes, other) for other in others)
    assert best <= least * (1 + 1e-9)
    assert best > 0.9 * least


def test_equal_sizes_are_treated_alike_and_given_weights_are_scaled() -> None:
    alike = split_budget({"a": 4, "b": 4, "c": 4}, epsilon=1, split="pairs")
    assert all(abs(one - Fraction(1, 3)) < Fraction(1, 1000) for one in alike.values())
    given_ = split_budget({"a": 4, "b": 2}, epsilon=1, split={"a": 3, "b": 1})
    assert given_ == {"a": Fraction(3, 4), "b": Fraction(1, 4)}
    for wrong in ({"a": 1}, {"a": 1, "b": 1, "x": 1}, {"a": 1, "b": 0}):
        with pytest.raises(ParameterError):
            split_budget({"a": 4, "b": 2}, epsilon=1, split=wrong)
    with pytest.raises(ParameterError, match="sizes"):
        split_budget({"a": 0}, epsilon=1)


# What queries cost


def test_known_003_row_eps() -> None:
    itemsets = [[(0, 0)], [(0, 1)], [(1, 0)], [(1, 1)], [(0, 0), (1, 0)], [(0, 1), (1, 1)]]
    found = query_epsilon(itemsets, epsilon=0.1, sizes={0: 2, 1: 2})
    assert float(found) == pytest.approx(0.6, abs=1e-12)


@examples(60)
@given(
    st.lists(
        st.dictionaries(st.integers(0, 2), st.integers(0, 2), max_size=3).map(
            lambda one: list(one.items())
        ),
        min_size=1,
        max_size=6,
    )
)
def test_cost_of_queries_matches_enumeration(itemsets: list[list[tuple[int, int]]]) -> None:
    rows = list(product(range(3), repeat=3))
    answers = [[all(row[c] == v for c, v in one) for one in itemsets] for row in rows]
    most = max(sum(map(bool.__xor__, x, y)) for x in answers for y in answers)
    expected = Fraction(most, 10)
    assert query_epsilon(itemsets, epsilon=0.1, sizes={0: 3, 1: 3, 2: 3}) == expected
    assert query_epsilon(itemsets, epsilon=0.1) >= expected


def test_too_many_ways_to_answer() -> None:
    with pytest.raises(LimitError, match=r"epsilon 1\.4"):
        query_epsilon([[(column, 0)] for column in range(14)], epsilon=0.1)
