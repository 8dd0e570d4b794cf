"""Dependence, information and exponentials against enumeration; known answers carry their id."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from discreet.errors import DataError, ParameterError
from discreet.release.exact import exp_below, log_above
from discreet.synthesize import (
    degraded_epsilon,
    dependence,
    dp_from_dependence,
    fano_error,
    mutual_information,
    mutual_information_bound,
)
from discreet.synthesize.budget import exact_epsilon

Joint = list[list[Fraction]]


def response_joint(growth: Fraction, prior: Fraction) -> Joint:
    """Return the joint table of a bit and its randomized response with p / q = growth."""
    p = growth / (1 + growth)
    return [[(1 - prior) * p, (1 - prior) * (1 - p)], [prior * (1 - p), prior * p]]


def joints(least: int = 0) -> st.SearchStrategy[Joint]:
    sizes = st.tuples(st.integers(1, 4), st.integers(1, 4))
    entry = st.integers(least, 6).map(Fraction)
    return sizes.flatmap(
        lambda size: st.lists(
            st.lists(entry, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
        )
    )


def by_definition(joint: Joint) -> tuple[Fraction | None, Fraction | None, Fraction | None]:
    """Return the three worst ratios straight from conditional probabilities."""
    total = sum(map(sum, joint), Fraction(0))
    xs = [x for x, row in enumerate(joint) if any(row)]
    ys = [y for y in range(len(joint[0])) if any(row[y] for row in joint)]
    px = {x: sum(joint[x], Fraction(0)) / total for x in xs}
    py = {y: sum((row[y] for row in joint), Fraction(0)) / total for y in ys}
    both = {(x, y): joint[x][y] / total for x in xs for y in ys}
    if not all(both.values()):
        prior = None
    else:
        parts = [both[x, y] / (px[x] * py[y]) for x, y in both]
        prior = max(max(r, 1 / r) for r in parts)
    posterior = [(both[x, y] / py[y], both[x, z] / py[z]) for x in xs for y in ys for z in ys]
    channel = [(both[x, y] / px[x], both[z, y] / px[z]) for x in xs for z in xs for y in ys]
    return prior, *(
        None if any(a and not b for a, b in pairs) else max(a / b for a, b in pairs if b)
        for pairs in (posterior, channel)
    )  # type: ignore[return-value]


@given(joints())
def test_ratios_are_those_of_the_definition(joint: Joint) -> None:
    assume(any(map(any, joint)))
    found = dependence(joint)
    assert (found.prior_ratio, found.posterior_ratio, found.channel_ratio) == by_definition(joint)


@given(joints(least=1))
def test_dependence_and_differential_privacy_imply_each_other_up_to_two(joint: Joint) -> None:
    found = dependence(joint)
    assert found.prior_ratio is not None
    assert found.channel_ratio is not None
    assert found.posterior_ratio is not None
    assert found.prior_ratio <= found.channel_ratio <= found.prior_ratio**2
    assert found.prior_ratio <= found.posterior_ratio <= found.prior_ratio**2


def test_the_factor_two_and_the_information_bound_are_attained() -> None:
    joint = [[Fraction(3, 16) if x == y else Fraction(1, 48) for y in range(4)] for x in range(4)]
    found = dependence(joint)
    assert found.prior_ratio == 3
    assert found.channel_ratio == found.posterior_ratio == 9
    assert mutual_information(joint) == pytest.approx(math.log(3) / 2, abs=1e-12)
    assert mutual_information_bound(found.epsilon) == pytest.approx(math.log(3) / 2, abs=1e-12)


def test_information_of_chances_beyond_floats() -> None:
    """A chance of 1e-400 adds nothing, one that leaves 1e-400 to all others tells nothing."""
    least = Fraction(1, 10**400)
    without = mutual_information([[0, 1], [1, 1]])
    assert without == pytest.approx((2 * math.log(3 / 2) + math.log(3 / 4)) / 3, abs=1e-12)
    assert mutual_information([[least, 1], [1, 1]]) == pytest.approx(without, abs=1e-12)
    assert mutual_information([[1 / least, 1], [1, 1]]) == pytest.approx(0, abs=1e-12)
    assert mutual_information([[1, least], [least, 1]]) == pytest.approx(math.log(2), abs=1e-12)


def test_information_is_never_below_0() -> None:
    """Nearly independent: the terms cancel to less than what each of them is rounded by."""
    for k, places in product((1, 2, 3, 7), range(6, 20)):
        off = Fraction(k, 10**places)
        assert mutual_information([[1 + off, 1], [1, 1]]) >= 0
        assert mutual_information([[1 + off, 2], [3, 6]]) >= 0


@given(joints(least=1))
def test_information_is_below_its_bound(joint: Joint) -> None:
    epsilon = dependence(joint).epsilon
    bound = mutual_information_bound(epsilon) if epsilon else 0
    assert mutual_information(joint) <= bound + 1e-12


def test_known_003_symmetry_false() -> None:
    found = dependence(response_joint(exp_below(Fraction(1, 10)), Fraction(1, 100)))
    assert found.posterior_epsilon == pytest.approx(0.19799676457493004, abs=1e-10)
    assert found.dp_epsilon == pytest.approx(0.1, abs=1e-10)
    assert found.epsilon < 0.1
    assert dp_from_dependence(0.1) == Fraction(1, 5) > found.posterior_epsilon > found.dp_epsilon


def test_known_003_mi() -> None:
    assert mutual_information_bound(0.1) == pytest.approx(0.004995837495787998, abs=1e-12)
    fair = response_joint(exp_below(Fraction(1, 10)), Fraction(1, 2))
    assert mutual_information(fair) == pytest.approx(0.0012484392342683726, abs=1e-12)


def test_known_003_fano() -> None:
    assert fano_error(entropy=2, information=0, n_values=4) == pytest.approx(0.5, abs=1e-12)


@given(joints())
def test_fano_is_below_the_error_of_the_best_guess(joint: Joint) -> None:
    assume(any(map(any, joint)) and len(joint) > 1)
    total = sum(map(sum, joint), Fraction(0))
    px = [sum(row, Fraction(0)) / total for row in joint]
    entropy = -sum(float(p) * math.log2(p) for p in px if p)
    right = sum(max(row[y] for row in joint) for y in range(len(joint[0]))) / total
    bits = mutual_information(joint) / math.log(2)
    least = fano_error(entropy=entropy, information=bits, n_values=len(joint))
    assert least <= 1 - right + 1e-9


def test_theorem_4_bounds_dependent_parts() -> None:
    """Two associated bits, each under randomized response: what X1 is seen through (Y, X2)."""
    growth = Fraction(3, 2)
    prior = {(0, 0): Fraction(3, 10), (0, 1): Fraction(1, 5), (1, 0): Fraction(1, 5),
             (1, 1): Fraction(3, 10)}  # fmt: skip
    keep = growth / (1 + growth)

    def sent(x: int, y: int) -> Fraction:
        return keep if x == y else 1 - keep

    outcomes = list(product((0, 1), repeat=3))  # y1, y2, x2
    joint = [
        [prior[x1, x2] * sent(x1, y1) * sent(x2, y2) for y1, y2, x2 in outcomes] for x1 in (0, 1)
    ]
    parts = dependence([[prior[0, 0], prior[0, 1]], [prior[1, 0], prior[1, 1]]])
    found = dependence(joint)
    assert found.prior_ratio is not None
    assert parts.prior_ratio is not None
    assert growth < found.channel_ratio  # type: ignore[operator]  # the others tell, too
    assert found.prior_ratio <= growth * parts.prior_ratio**2
    bound = degraded_epsilon(log_above(growth), parts=parts.epsilon)
    assert found.epsilon <= float(bound)


def test_theorem_4_needs_the_dependence_of_parts_twice() -> None:
    """A rare value of X1 is twice as likely for some X2, where what hides it is half as likely."""
    marginal = [Fraction(1, 100), Fraction(99, 200), Fraction(99, 200)]
    given_rare = [Fraction(1, 50), Fraction(99, 400), Fraction(293, 400)]
    rare = Fraction(1, 1000)  # the chance of that X2
    prior = [
        [rare * one, p - rare * one] for p, one in zip(marginal, given_rare, strict=True)
    ]  # fmt: skip
    sent = [[Fraction(1, 5), Fraction(4, 5)]] * 2 + [[Fraction(1, 10), Fraction(9, 10)]]
    alone = dependence(
        [[p * chance for chance in row] for p, row in zip(marginal, sent, strict=True)]
    )
    parts = dependence(prior)
    found = dependence(
        [
            [both * chance for both in row for chance in chances]
            for row, chances in zip(prior, sent, strict=True)
        ]
    )
    assert found.epsilon > alone.epsilon + parts.epsilon  # once is not enough
    assert found.epsilon <= float(degraded_epsilon(alone.epsilon, parts=parts.epsilon))


def test_theorem_4_has_no_bound_where_a_cell_follows_from_the_others() -> None:
    same = dependence([[1, 0], [0, 1]])
    assert same.epsilon == math.inf
    with pytest.raises(DataError, match="determined"):
        degraded_epsilon(0.1, parts=same.epsilon)
    assert degraded_epsilon(0.1, parts=0) == Fraction(1, 10)


def test_counts_floats_and_zero_rows_are_taken() -> None:
    assert dependence([[2, 1], [1, 2]]).prior_ratio == Fraction(3, 2)
    assert dependence([[0.25, 0.25], [0, 0]]).epsilon == 0
    assert dependence([[1, 0], [1, 0]]).channel_ratio == 1
    assert dependence([[1, 1], [1, 1]]).to_dict()["prior_ratio"] == "1"
    assert "0" in dependence([[1, 1], [1, 1]])._repr_html_()


@pytest.mark.parametrize("joint", [[], [[]], [[1], [1, 2]], [[0]], [[-1]], [[math.nan]], [["a"]]])
def test_bad_tables(joint: list[list[float]]) -> None:
    with pytest.raises(DataError):
        dependence(joint)


@given(st.fractions(min_value=0, max_value=40, max_denominator=10**6), st.integers(1, 200))
def test_exponentials_are_below_and_close(exponent: Fraction, bits: int) -> None:
    with localcontext() as context:
        context.prec = 120
        true = (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        found = exp_below(exponent, bits=bits)
        lower = Decimal(found.numerator) / Decimal(found.denominator)
        assert lower <= true < lower + (1 + true) / Decimal(2**bits)


@pytest.mark.parametrize("value", [0, -1, math.nan, math.inf, 1001, True, "one", None])
def test_bad_epsilon(value: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        exact_epsilon(value)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_values": 1},
        {"n_values": 2.5},
        {"entropy": 3},
        {"entropy": -1},
        {"information": -1},
        {"information": math.nan},
    ],
)
def test_bad_fano(wrong: dict[str, float]) -> None:
    fine: dict[str, float] = {"entropy": 1, "information": 0, "n_values": 4}
    with pytest.raises(ParameterError):
        fano_error(**{**fine, **wrong})  # type: ignore[arg-type]
