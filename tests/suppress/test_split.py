"""What a release is worth when its scheme was learnt from a part of the table."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import hockey_stick

from discreet.errors import ParameterError
from discreet.suppress import split_guarantee, theta_1
from discreet.suppress.sampling import SchemeName


def test_known_answer() -> None:  # 000-split-accounting
    unnoised = split_guarantee(0.1, delta=0.001, scheme="split", split_rate=0.1)
    assert unnoised.epsilon == 0.1
    assert unnoised.delta == pytest.approx(0.1009, abs=1e-12)
    assert not unnoised.training_is_protected
    selected = split_guarantee(
        0.1, delta=0.001, scheme="dp", split_rate=0.1, scheme_epsilon=0.5, scheme_delta=1e-6
    )
    assert (selected.epsilon, selected.delta) == (0.5, 0.001)
    assert selected.training_is_protected
    public = split_guarantee(0.1, delta=0.001, scheme="public")
    assert (public.epsilon, public.delta) == (0.1, 0.001)


@given(share=st.floats(0.001, 0.999), delta=st.floats(0, 1))
def test_delta_is_rounded_up(share: float, delta: float) -> None:
    found = split_guarantee(1, delta=delta, scheme="split", split_rate=share).delta
    rate = Fraction(str(share))
    exact = rate + (1 - rate) * Fraction(str(delta))
    assert exact <= Fraction(found) <= exact + Fraction(1, 2**52)


@pytest.mark.parametrize("noise", [Fraction(1, 4), Fraction(2, 5), Fraction(0)])
def test_totals_hold_for_a_release_enumerated_in_full(noise: Fraction) -> None:
    """Rows are bits. Training publishes whether it holds a 1, flipped with probability noise."""
    share, rate, k = Fraction(3, 10), Fraction(1, 2), 2

    def law(rows: list[int]) -> dict[tuple[int, int], Fraction]:
        found: dict[tuple[int, int], Fraction] = {}
        for parts in product(["train", "sampled", "left out"], repeat=len(rows)):
            weight = Fraction(1)
            for part in parts:
                published = rate if part == "sampled" else 1 - rate
                weight *= share if part == "train" else (1 - share) * published
            truth = int(any(row and part == "train" for row, part in zip(rows, parts, strict=True)))
            for told, chance in ((truth, 1 - noise), (1 - truth, noise)):
                # The scheme suppresses every 0 where the training part told of a 1.
                n = sum(
                    part == "sampled" and not (told and row == 0)
                    for row, part in zip(rows, parts, strict=True)
                )
                outcome = (told, n if n >= k else 0)
                found[outcome] = found.get(outcome, Fraction(0)) + weight * chance
        return found

    growth = (1 - noise) / noise if noise else Fraction(3, 2)
    delta = hockey_stick.sampling_delta(k, rate, growth, 8)
    if noise:
        told = split_guarantee(
            math.log(growth), delta=delta, scheme="dp", split_rate=share,
            scheme_epsilon=math.log(growth),
        )  # fmt: skip
    else:
        told = split_guarantee(math.log(growth), delta=delta, scheme="split", split_rate=share)
    largest = Fraction(0)
    for rows in ([], [0], [0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1]):
        for row in (0, 1):
            found = hockey_stick.both_ways(law(rows), law([*rows, row]), growth)
            largest = max(largest, found)
    assert largest <= told.delta * (1 + 1e-12)
    if not noise:
        assert largest > share / 2  # and an un-noised scheme comes near the share that trains


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"scheme": "pubic"}, "Did you mean 'public'"),
        ({"scheme": "public", "split_rate": 0.1}, "split_rate does not belong"),
        ({"scheme": "split"}, "needs split_rate"),
        ({"scheme": "split", "split_rate": 0.0}, "split_rate=0.0 must"),
        ({"scheme": "split", "split_rate": 1}, "split_rate=1 must"),
        ({"scheme": "split", "split_rate": 0.1, "scheme_epsilon": 1.0}, "do not belong"),
        ({"scheme": "dp", "split_rate": 0.1}, "needs scheme_epsilon"),
        ({"scheme": "dp", "split_rate": 0.1, "scheme_epsilon": -1}, "scheme_epsilon=-1 must"),
        (
            {"scheme": "dp", "split_rate": 0.1, "scheme_epsilon": 1, "scheme_delta": 2},
            "scheme_delta=2 must",
        ),
        ({"scheme": "public", "delta": 1.5}, "delta=1.5 must"),
        ({"scheme": "public", "epsilon": math.nan}, "epsilon=nan must"),
    ],
)
def test_bad_parameters_are_named(options: dict[str, object], told: str) -> None:
    given: dict[str, object] = {"epsilon": 0.1, "delta": 0.01, **options}
    with pytest.raises(ParameterError, match=told):
        split_guarantee(**given)  # type: ignore[arg-type]  # that is what is tested


def test_scheme_names_are_those_of_the_type() -> None:
    from discreet.suppress import sampling

    assert SchemeName.__args__ == sampling.SCHEMES  # type: ignore[attr-defined]  # of a Literal


def test_theta_1_reads_numbers_as_written() -> None:
    assert theta_1(8, beta=0.1, split_rate=0.1) == 10
    assert theta_1(0, beta=1, split_rate=Fraction(1, 2)) == 1


@pytest.mark.parametrize(
    ("theta_2", "beta", "split_rate", "told"),
    [
        (-1, 0.1, 0.1, "theta_2=-1 must"),
        (1, 0, 0.1, "beta=0 must"),
        (1, 0.1, 1.0, "split_rate=1.0 must"),
    ],
)
def test_theta_1_names_bad_parameters(
    theta_2: int, beta: float, split_rate: float, told: str
) -> None:
    with pytest.raises(ParameterError, match=told):
        theta_1(theta_2, beta=beta, split_rate=split_rate)
