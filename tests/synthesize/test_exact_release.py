"""Exact counts: the ratios of theorems 5 and 6 against enumeration of all tables."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, GuaranteeError, LimitError, ParameterError
from discreet.release.exact import exp_below
from discreet.synthesize import decide_exact_count, decide_exact_histogram, dependence
from discreet.synthesize.dependence.exact_release import _vectors
from tests.examples import examples

CHANCES = st.sampled_from(
    [Fraction(0), Fraction(1, 3), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
)


def joint_of(chances: list[list[Fraction]], person: int) -> dict[tuple[int, ...], list[Fraction]]:
    """Return, for each vector of counts, its chance together with each value of a person."""
    m = len(chances[0])
    found: dict[tuple[int, ...], list[Fraction]] = defaultdict(lambda: [Fraction(0)] * m)
    for values in product(range(m), repeat=len(chances)):
        chance = math.prod((c[v] for c, v in zip(chances, values, strict=True)), start=Fraction(1))
        counts = Counter(values)
        found[tuple(counts[v] for v in range(m))][values[person]] += chance
    return found


def conditional(joint: list[Fraction], prior: list[Fraction]) -> Fraction | None:
    """Return the worst ratio of the chance of an answer given two values of a person."""
    given_ = [a / b for a, b in zip(joint, prior, strict=True) if b]
    if not any(given_):
        return Fraction(1)
    return max(given_) / min(given_) if all(given_) else None


def worst(ratios: list[Fraction | None]) -> Fraction | None:
    return None if None in ratios else max(ratio for ratio in ratios if ratio is not None)


def enumerated(
    chances: list[list[Fraction]], counts: tuple[int, ...], epsilon: Fraction
) -> tuple[Fraction | None, Fraction | None, Fraction]:
    """Return ratio, refusal ratio and release rate by listing every table."""
    joints = [joint_of(chances, i) for i in range(len(chances))]
    ratios = {
        vector: worst([conditional(j[vector], p) for j, p in zip(joints, chances, strict=True)])
        for vector in joints[0]
    }
    released = {
        v for v, ratio in ratios.items() if ratio is not None and ratio <= exp_below(epsilon)
    }
    refused = [
        [sum((j[v][x] for v in j if v not in released), Fraction(0)) for x in range(len(counts))]
        for j in joints
    ]
    refusal = worst([conditional(r, p) for r, p in zip(refused, chances, strict=True)])
    rate = sum((sum(joints[0][v], Fraction(0)) for v in released), Fraction(0))
    return ratios[counts], refusal, rate


@examples(60)
@given(st.lists(CHANCES, min_size=1, max_size=6), st.sampled_from([Fraction(1, 2), Fraction(2)]))
def test_theorem_5_by_enumeration(chances: list[Fraction], epsilon: Fraction) -> None:
    n = len(chances)
    both = [[1 - chance, chance] for chance in chances]
    for count in range(n + 1):

        def ask(count: int = count) -> object:
            return decide_exact_count(
                count, chances=chances, epsilon=epsilon, assumes_independent_people=True
            )

        possible = any(joint_of(both, 0)[n - count, count])
        if not possible or not any(0 < chance < 1 for chance in chances):
            with pytest.raises(DataError):
                ask()
            continue
        found = decide_exact_count(
            count, chances=chances, epsilon=epsilon, assumes_independent_people=True
        )
        expected = enumerated(both, (n - count, count), epsilon)
        assert (found.ratio, found.refusal_ratio, found.release_rate) == expected


@pytest.mark.parametrize("prior", [["1/2", "1/2"], ["1/3", "2/3"], ["1/2", "1/3", "1/6"]])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_theorem_6_by_enumeration(prior: list[str], epsilon: Fraction) -> None:
    """003-thm6: one person who changes takes one from a count and adds it to another."""
    shares = list(map(Fraction, prior))
    n = 5
    for vector in product(range(n + 1), repeat=len(shares)):
        if sum(vector) != n:
            continue
        found = decide_exact_histogram(
            vector, prior=shares, epsilon=epsilon, assumes_independent_people=True
        )
        expected = enumerated([shares] * n, vector, epsilon)
        assert (found.ratio, found.refusal_ratio, found.release_rate) == expected


def test_the_condition_is_enough_for_dependence() -> None:
    """Counts that may be released, and everything else as one refusal, are epsilon-dependent."""
    epsilon, n = Fraction(1, 2), 6
    prior = [Fraction(1, 2)] * 2
    joint = joint_of([prior] * n, 0)
    found = {
        v: decide_exact_histogram(v, prior=prior, epsilon=epsilon, assumes_independent_people=True)
        for v in joint
    }
    released = [v for v, one in found.items() if one.may_be_released]
    assert released
    refused = [
        sum((joint[v][x] for v in joint if v not in released), Fraction(0)) for x in range(2)
    ]
    table = [[*(joint[v][x] for v in released), refused[x]] for x in range(2)]
    ratio = dependence(table).prior_ratio
    assert ratio is not None
    assert ratio <= exp_below(epsilon)


def test_counts_that_the_thesis_would_release_are_refused() -> None:
    """003-thm6: no counts differ in one component by one, so that its condition asks nothing.

    Ours refuses counts that say what values nobody has.
    """
    possible = set(_vectors(4, 3))
    assert possible == set(joint_of([[Fraction(1, 3)] * 3] * 4, 0))
    for vector in possible:
        for x, step in product(range(3), (-1, 1)):
            assert tuple(y + step * (j == x) for j, y in enumerate(vector)) not in possible
        found = decide_exact_histogram(
            vector, prior=[Fraction(1, 3)] * 3, epsilon=3, assumes_independent_people=True
        )
        assert (found.ratio is None) == (0 in vector)
        assert not (found.may_be_released and 0 in vector)


def test_known_003_thm5() -> None:
    """1000 fair bits at 0.1: counts 476 to 524 may be released, which happens with chance .8788."""
    half = [Fraction(1, 2)] * 2
    may = []
    for count in (0, 475, 476, 500, 524, 525, 1000):
        found = decide_exact_histogram(
            [1000 - count, count], prior=half, epsilon=0.1, assumes_independent_people=True
        )
        may.append(found.may_be_released)
        assert float(found.release_rate) == pytest.approx(0.8788, abs=5e-5)
        assert found.refusal_ratio == 1  # by symmetry
    assert may == [False, False, True, True, True, False, False]
    alone = decide_exact_count(
        476, chances=[Fraction(1, 2)] * 1000, epsilon=0.1, assumes_independent_people=True
    )
    assert alone.may_be_released
    assert alone.ratio == Fraction(524, 476)
    assert float(alone.release_rate) == pytest.approx(0.8788, abs=5e-5)


def test_thousands_of_people_are_counted() -> None:
    """By hand: of n others with chance p, P(W = y) / P(W = y - 1) = (n - y + 1) p / (y (1 - p))."""
    third = [Fraction(1, 3)] * 4000
    found = decide_exact_count(1300, chances=third, epsilon=0.1, assumes_independent_people=True)
    assert found.ratio == Fraction(2700, 1300 * 2)
    assert found.may_be_released
    mixed = [*third[:1500], Fraction(1, 2), Fraction(0), Fraction(1)]
    known = decide_exact_count(501, chances=mixed, epsilon=0.1, assumes_independent_people=True)
    assert known.ratio == max(
        Fraction(1001, 2 * 500),  # of the fair one, 500 of 1500 others besides the certain one
        ratio_by_hand(1499, 500),
    )


def ratio_by_hand(n: int, y: int) -> Fraction:
    """Return the ratio for n people with a chance of 1/3 and a fair one to have y or y - 1."""
    first, second = (
        sum(math.comb(n, z) * 2 ** (n - z) for z in (count, count - 1)) for count in (y, y - 1)
    )
    return max(Fraction(first, second), Fraction(second, first))


def test_refusing_may_tell_too_much() -> None:
    """Three people with a chance of 1/4: 1 could be released, but refusing 0 and 3 discloses."""
    epsilon = Fraction(2)
    found = decide_exact_count(
        1, chances=[Fraction(1, 4)] * 3, epsilon=epsilon, assumes_independent_people=True
    )
    assert found.ratio == Fraction(3, 2) < exp_below(epsilon)
    assert found.refusal_ratio == 9 > exp_below(epsilon)
    assert not found.may_be_released
    assert "must not" in found.sentence


def test_the_assumption_is_made_by_name() -> None:
    with pytest.raises(GuaranteeError, match="assumes_independent_people"):
        decide_exact_count(1, chances=[Fraction(1, 2)] * 2, epsilon=1)
    with pytest.raises(GuaranteeError, match="not differentially private"):
        decide_exact_histogram([1, 1], prior=[Fraction(1, 2)] * 2, epsilon=1)


def test_the_prior_is_named() -> None:
    one = decide_exact_count(
        1, chances=[Fraction(1, 2)] * 2, epsilon=1, assumes_independent_people=True
    )
    assert "2 independent people" in one.sentence
    assert "1/2" in one.prior
    assert "not differential privacy" in one.sentence
    assert one.to_dict()["may_be_released"] == one.may_be_released
    assert one.prior in one._repr_html_()
    mixed = decide_exact_count(
        1, chances=[Fraction(1, 2), Fraction(1, 3)], epsilon=1, assumes_independent_people=True
    )
    assert "their own" in mixed.prior


def test_errors() -> None:
    half = [Fraction(1, 2)] * 2
    for count in (-1, 3, True, 1.5):
        with pytest.raises(ParameterError, match="count"):
            decide_exact_count(count, chances=half, epsilon=1, assumes_independent_people=True)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="chance"):
        decide_exact_count(1, chances=[Fraction(3, 2)], epsilon=1, assumes_independent_people=True)
    for counts, prior in (
        ([1, 1], [Fraction(1, 2)]),
        ([1, 1], [Fraction(1, 2), Fraction(1, 3)]),
        ([1, 1], [Fraction(1), Fraction(0)]),
        ([-1, 2], half),
        ([0, 0], half),
    ):
        with pytest.raises(ParameterError):
            decide_exact_histogram(counts, prior=prior, epsilon=1, assumes_independent_people=True)
    for chances in ([Fraction(1, 2)] * 24_000, [Fraction(1, 2 * i + 3) for i in range(250)]):
        with pytest.raises(LimitError, match=r"different chances.*add noise"):
            decide_exact_count(9, chances=chances, epsilon=1, assumes_independent_people=True)
    with pytest.raises(LimitError, match="Merge"):
        decide_exact_histogram([100] * 6, prior=[Fraction(1, 6)] * 6, epsilon=1,
                     assumes_independent_people=True)  # fmt: skip
