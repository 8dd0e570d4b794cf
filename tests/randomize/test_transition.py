"""Transition matrices against enumeration of every draw; known answers carry their id."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import InfeasibleError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    Mixing,
    SelectASize,
    SizeLaw,
    Uniform,
    eigenvalues,
    inverse,
    transition_matrix,
    two_set_matrix,
)
from discreet.randomize.operators.law import Matrix, floats, multiply, triangular
from tests.examples import examples
from tests.oracles import randomized_sets as oracle

N_ITEMS = 6
FIFTH = Fraction(1, 5)
SMALL = [(m, k) for m in range(5) for k in range(5)]


def as_rows(matrix: Matrix) -> list[list[Fraction]]:
    return [list(row) for row in matrix]


def fractions(*texts: str) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, texts))


@st.composite
def laws(draw: st.DrawFn, *, most: int = 4) -> SizeLaw:
    """Any law of transactions of up to some items; some chances may be 0."""
    m = draw(st.integers(0, most))
    shares = draw(st.lists(st.integers(0, 5), min_size=m + 1, max_size=m + 1).filter(any))
    rho = draw(st.fractions(Fraction(1, 20), Fraction(19, 20), max_denominator=20))
    return SizeLaw(tuple(Fraction(share, sum(shares)) for share in shares), rho)


def select_law(law: SizeLaw, n_items: int = N_ITEMS) -> Callable[[oracle.Items], oracle.Law]:
    return lambda t: oracle.select_a_size(t, n_items, law.keep, law.rho)


@pytest.mark.parametrize(("m", "k"), SMALL)
@pytest.mark.parametrize("cutoff", [1, 2, 3, 6])
def test_cut_and_paste_matches_its_definition(m: int, k: int, cutoff: int) -> None:
    """Definition 8 enumerated: another way to the same sets than Definition 7."""
    found = CutAndPaste(cutoff, rho=FIFTH).exact_transition(m, k)
    expected = oracle.transition(
        lambda t: oracle.cut_and_paste(t, N_ITEMS, cutoff, FIFTH), N_ITEMS, m, k
    )
    least = max(0, m + k - N_ITEMS)  # so many items are shared in any case
    assert [row[least:] for row in as_rows(found)] == expected


@examples(40)
@given(laws(), st.integers(0, 4))
def test_statement_2_matches_enumeration(law: SizeLaw, k: int) -> None:
    n_items = max(law.m + k, 1)  # so that every l exists
    expected = oracle.transition(select_law(law, n_items), n_items, law.m, k)
    assert as_rows(transition_matrix(law, law.m, k)) == expected


@pytest.mark.parametrize(("m", "k"), [(m, k) for m in range(4) for k in range(5) if m + k < 7])
def test_uniform_matches_enumeration(m: int, k: int) -> None:
    p = Fraction(3, 10)
    expected = oracle.transition(lambda t: oracle.uniform(t, N_ITEMS, p), N_ITEMS, m, k)
    assert as_rows(Uniform(p).exact_transition(m, k, n_items=N_ITEMS)) == expected


def test_uniform_where_some_intersections_cannot_be() -> None:
    """Four of six items and three in the transaction: at least one is shared."""
    p = Fraction(3, 10)
    found = Uniform(p).exact_transition(3, 4, n_items=N_ITEMS)
    expected = oracle.transition(lambda t: oracle.uniform(t, N_ITEMS, p), N_ITEMS, 3, 4)
    assert [row[1:] for row in as_rows(found)] == expected
    assert [row[0] for row in found] == [0] * 5


@examples(25)
@given(laws(most=3), st.integers(0, 2), st.integers(0, 2))
def test_two_sets_match_enumeration(law: SizeLaw, n_first: int, n_second: int) -> None:
    n_items = law.m + n_first + n_second
    expected = oracle.two_set_transition(
        select_law(law, n_items), n_items, law.m, (n_first, n_second)
    )
    pairs = list(product(range(n_first + 1), range(n_second + 1)))
    existing = [pair for pair in pairs if sum(pair) <= law.m]
    assert set(existing) == set(expected)
    matrix = two_set_matrix(law, law.m, n_first, n_second)
    for after, row in zip(pairs, matrix, strict=True):
        for before, chance in zip(existing, row, strict=True):
            assert chance == expected[before].get(after, 0)


@examples(40)
@given(laws(), st.integers(0, 5))
def test_triangular_form_and_closed_eigenvalues(law: SizeLaw, k: int) -> None:
    lower = triangular(transition_matrix(law, law.m, k))
    size = len(lower[0])
    assert all(lower[i][j] == 0 for i in range(size) for j in range(i + 1, size))
    assert tuple(lower[i][i] for i in range(size)) == eigenvalues(law, law.m, k)


@examples(40)
@given(laws(), st.integers(0, 5))
def test_inverse_or_refusal(law: SizeLaw, k: int) -> None:
    """Q P = 1, also where m < k; exactly where no eigenvalue is 0."""
    if 0 in eigenvalues(law, law.m, k):
        with pytest.raises(InfeasibleError, match="cannot be recovered"):
            inverse(law, law.m, k)
        return
    product_ = multiply(inverse(law, law.m, k), transition_matrix(law, law.m, k))
    assert all(x == (i == j) for i, row in enumerate(product_) for j, x in enumerate(row))


def test_cut_and_paste_has_an_inverse_up_to_its_cutoff() -> None:
    for m, cutoff, k in product(range(1, 6), range(1, 6), range(1, 6)):
        law = CutAndPaste(cutoff, rho="0.3").law(m)
        assert (0 not in eigenvalues(law, m, k)) == (min(k, m) <= cutoff)


def test_known_001_cutpaste() -> None:
    assert CutAndPaste(2, rho="1/5").law(3).keep == fractions(
        "64/375", "128/375", "152/375", "31/375"
    )


def test_known_001_p_q() -> None:
    law = CutAndPaste(2, rho="1/5").law(3)
    assert transition_matrix(law, 3, 2) == (
        fractions("16/25", "32/75", "64/225"),
        fractions("8/25", "12/25", "112/225"),
        fractions("1/25", "7/75", "49/225"),
    )
    assert inverse(law, 3, 2) == (
        fractions("49/16", "-7/2", "4"),
        fractions("-21/8", "27/4", "-12"),
        fractions("9/16", "-9/4", "9"),
    )
    assert eigenvalues(law, 3, 2) == fractions("1", "4/15", "16/225")
    assert triangular(transition_matrix(law, 3, 2)) == (
        fractions("1", "0", "0"),
        fractions("2/5", "4/15", "0"),
        fractions("1/25", "4/75", "16/225"),
    )


def test_known_001_singular() -> None:
    law = CutAndPaste(2, rho="1/5").law(4)
    assert eigenvalues(law, 4, 3) == fractions("1", "1/5", "8/225", "0")
    with pytest.raises(InfeasibleError, match="eigenvalue of order 3 is 0"):
        inverse(law, 4, 3)


def test_select_a_size_may_be_singular_for_one_item() -> None:
    """E[j] / m = rho: an item is in the result as often whether it was there or not."""
    operator = SelectASize({2: ["1/2", "1/4", "1/4"]}, rho="3/8")
    with pytest.raises(InfeasibleError, match="order 1"):
        operator.inverse(2, 1)


def test_known_001_two_set() -> None:
    assert two_set_matrix(CutAndPaste(2, rho="1/5").law(3), 3, 1, 1) == (
        fractions("16/25", "32/75", "32/75", "64/225"),
        fractions("4/25", "28/75", "8/75", "56/225"),
        fractions("4/25", "8/75", "28/75", "56/225"),
        fractions("1/25", "7/75", "7/75", "49/225"),
    )


@pytest.mark.parametrize(
    ("m", "k", "rho", "expected"), [(5, 5, 0.353, 58), (7, 7, 0.461, 3.7e3), (10, 7, 0.395, 6.1e4)]
)
def test_condition_with_the_published_parameters(
    m: int, k: int, rho: float, expected: float
) -> None:
    """Badly conditioned, and still inverted exactly."""
    operator = CutAndPaste(7, rho=rho)
    assert np.linalg.cond(operator.transition(m, k)) == pytest.approx(expected, rel=0.02)
    identity = multiply(operator.inverse(m, k), operator.exact_transition(m, k))
    assert np.array_equal(floats(identity), np.eye(k + 1))


def test_refusals() -> None:
    law = CutAndPaste(2, rho="1/5").law(3)
    with pytest.raises(ParameterError, match="3 items, not 4"):
        transition_matrix(law, 4, 2)
    with pytest.raises(ParameterError, match="k=-1"):
        transition_matrix(law, 3, -1)
    with pytest.raises(ParameterError, match="n_items"):
        Uniform(0.5).transition(3, 2)
    with pytest.raises(InfeasibleError, match="other transactions"):
        Mixing(3, p=0.5).transition(3, 2)
