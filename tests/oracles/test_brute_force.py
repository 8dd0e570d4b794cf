"""The oracles themselves, on answers worked out by hand."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given

from tests.oracles import brute_force
from tests.strategies import SUPPORTS, transactions

ROWS = ["abc", "ab", "ac", "bc", "a"]


def test_maximal() -> None:
    pairs = {frozenset("ab"): 2, frozenset("ac"): 2, frozenset("bc"): 2}
    assert brute_force.maximal(ROWS, 2) == pairs


def test_rules() -> None:
    found = brute_force.rules(ROWS, 2, Fraction(2, 3))
    assert found[frozenset("b"), frozenset("a")] == (2, Fraction(2, 3), Fraction(5, 6))
    assert (frozenset("a"), frozenset("b")) not in found  # 2 of 4


def test_deduction_bounds_of_calders_and_goethals() -> None:
    known = {x: brute_force.support(ROWS, x) for x in brute_force.subsets("abc")}
    # The lower one is ab + bc - b, that is 2 + 2 - 3; the upper one starts from the empty itemset:
    # ab + ac + bc - a - b - c + n, that is 6 - 10 + 5.
    assert brute_force.deduction_bounds(known, frozenset("abc")) == (1, 1)
    assert frozenset("abc") not in brute_force.non_derivable(ROWS, 1)


@given(database=transactions(max_items=4), min_support=SUPPORTS)
def test_containments(database: list[frozenset[str]], min_support: int) -> None:
    frequent = brute_force.frequent(database, min_support).items()
    closed = brute_force.closed(database, min_support).items()
    assert brute_force.maximal(database, min_support).items() <= closed <= frequent
    assert brute_force.non_derivable(database, min_support).items() <= frequent
