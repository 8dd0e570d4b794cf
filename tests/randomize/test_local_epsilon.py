"""Local epsilon against the largest ratio found by enumeration; known answers carry their id."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import ParameterError
from discreet.randomize import CutAndPaste, Mixing, SelectASize, SizeLaw, Uniform
from discreet.randomize.operators.law import (
    gamma_of_cut_and_paste,
    gamma_of_law,
    gamma_of_uniform,
    gamma_without_size,
)
from tests.examples import examples
from tests.oracles import randomized_sets as oracle
from tests.randomize.test_transition import laws, select_law


@examples(60)
@given(laws(), st.integers(1, 6))
def test_one_size_matches_enumeration(law: SizeLaw, n_items: int) -> None:
    """Every n: above 2 m all pairs of intersections occur, below only close ones."""
    if law.m > n_items:
        return
    every = [select_law(law, n_items)(t) for t in oracle.all_of_size(n_items, law.m)]
    assert gamma_of_law(law, law.m, n_items) == oracle.gamma(every)


@pytest.mark.parametrize(("m", "cutoff"), list(product(range(5), range(1, 6))))
def test_closed_form_of_cut_and_paste(m: int, cutoff: int) -> None:
    rho = Fraction(2, 7)
    law = CutAndPaste(cutoff, rho=rho).law(m)
    for n_items in (2 * m + 1, 2 * m + 5):
        assert gamma_of_law(law, m, n_items) == (gamma_of_cut_and_paste(cutoff, rho, m) if m else 1)


@pytest.mark.parametrize(("m", "n_items"), [(0, 4), (1, 2), (1, 6), (2, 4), (2, 6), (3, 6)])
@pytest.mark.parametrize("p", [Fraction(1, 10), Fraction(1, 2), Fraction(4, 5), Fraction(19, 20)])
def test_uniform_matches_enumeration(m: int, n_items: int, p: Fraction) -> None:
    every = [oracle.uniform(t, n_items, p) for t in oracle.all_of_size(n_items, m)]
    assert gamma_of_uniform(p, m, n_items) == oracle.gamma(every)


@pytest.mark.parametrize("rhos", [("1/4", "1/4", "1/4"), ("1/4", "1/3", "1/2")])
@pytest.mark.parametrize(("n_items", "cutoff"), [(3, 1), (4, 2), (5, 4)])
def test_all_sizes_match_enumeration(rhos: tuple[str, ...], n_items: int, cutoff: int) -> None:
    of_size = {m: CutAndPaste(cutoff, rho=rho).law(m) for m, rho in enumerate(rhos, start=1)}
    every = [
        select_law(law, n_items)(t)
        for m, law in of_size.items()
        for t in oracle.all_of_size(n_items, m)
    ]
    assert gamma_without_size(of_size, n_items) == oracle.gamma(every)


def test_with_a_rho_for_each_size_epsilon_grows_with_the_items() -> None:
    of_size = {1: CutAndPaste(2, rho="1/4").law(1), 2: CutAndPaste(2, rho="1/3").law(2)}
    small, large = gamma_without_size(of_size, 50), gamma_without_size(of_size, 100)
    assert small is not None
    assert large is not None
    assert math.log(large) > 1.5 * math.log(small)


def test_infinite_where_something_is_impossible() -> None:
    operator = SelectASize({2: ["1/2", "0", "1/2"]}, rho="1/5")
    assert operator.local_epsilon(2, n_items=10) == math.inf
    assert operator.local_epsilon(2, n_items=3) == math.inf
    assert operator.local_epsilon(2, n_items=2) == 0  # there is one transaction only
    assert Mixing(2, p=0.5).local_epsilon(2, n_items=3) == math.inf


@pytest.mark.parametrize(
    ("m", "cutoff", "rho", "expected"),
    [
        pytest.param(3, 2, "1/5", 31, id="001-gamma-1"),
        pytest.param(3, 5, "1/5", 406, id="001-gamma-2"),
        pytest.param(2, 4, "1/5", 81, id="001-gamma-3"),
        pytest.param(5, 7, 0.353, 646.3223132804924, id="001-gamma-4"),
    ],
)
def test_known_gamma(m: int, cutoff: int, rho: str | float, expected: float) -> None:
    operator = CutAndPaste(cutoff, rho=rho)
    gamma = gamma_of_law(operator.law(m), m, n_items=2 * m)
    assert gamma is not None
    assert float(gamma) == pytest.approx(expected, abs=1e-6)
    assert operator.local_epsilon(m, 2 * m) == pytest.approx(math.log(expected))


def test_known_001_gamma_all_sizes() -> None:
    operator = CutAndPaste(2, rho="1/4")
    assert gamma_without_size({m: operator.law(m) for m in range(5)}, 6) == 21


def test_published_parameters_are_weak() -> None:
    assert CutAndPaste(7, rho=0.047).local_epsilon(1, 1000) == pytest.approx(5.01, abs=0.005)
    assert CutAndPaste(7, rho=0.395).local_epsilon(10, 1000) == pytest.approx(7.00, abs=0.005)
    assert Uniform(0.8).local_epsilon(3, 10_000) == pytest.approx(21.7, abs=0.05)


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="does not fit"):
        CutAndPaste(2, rho=0.5).local_epsilon(4, 3)
    with pytest.raises(ParameterError, match="half the number"):
        Uniform(0.5).local_epsilon(2, 3)
