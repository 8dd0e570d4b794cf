"""Several rows of each person: what they change, what is paid for it, and what is claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet as dc
from discreet.data.domains import rows_of_each
from discreet.errors import ParameterError
from discreet.noise import SeededNoise, noise_from
from discreet.policy import make_policy, run_policy
from discreet.synthesize import Synthesizer, plan_synthesis, private_values, synthetic_release
from discreet.synthesize.private_values import budget_with_selection
from discreet.verify.chance import is_within_delta, least_chance
from tests.examples import examples

LISTS = {"sex": ["f", "m"], "ward": ["a", "b", "c"]}
PERSON = "one person, who may have several rows"


def visits(n_people: int = 400, *, each: int = 3) -> dc.Table:
    who = [i for i in range(n_people) for _ in range(each)]
    sex = [("f", "m")[i % 2] for i in who]
    ward = [("a", "b", "c")[(i + j) % 3] for j, i in enumerate(who)]
    return dc.Table.from_frame({"who": who, "sex": sex, "ward": ward}, person="who")


# The choice


def test_all_sets_of_so_many_rows_are_equally_likely() -> None:
    table = dc.Table.from_frame({"who": [1, 0, 1, 1, 0], "row": list("abcde")}, person="who")
    seen = Counter[tuple[str, ...]]()
    for order in permutations(range(5)):
        kept = rows_of_each(table, 2, lambda _, order=order: np.array(order))  # type: ignore[misc]
        seen[tuple(kept["row"])] += 1
        assert kept.people is not None
        assert np.bincount(kept.people.codes).tolist() == [2, 2]
    assert len(seen) == comb(3, 2)  # of one person all of two rows, of the other two of three
    assert set(seen.values()) == {120 // 3}


# What is counted, by brute force


class Silent(SeededNoise):
    """Noise of nothing: what is counted is seen."""

    def discrete_gaussian(self, sigma2: Fraction | float, size: int) -> NDArray[np.int64]:  # noqa: ARG002
        return np.zeros(size, np.int64)


ROW = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("k"))


@examples(150)
@given(
    others=st.lists(st.lists(ROW, min_size=1, max_size=3), min_size=1, max_size=4),
    theirs=st.lists(ROW, min_size=1, max_size=4), r=st.integers(1, 4),
)  # fmt: skip
def test_a_person_changes_counts_of_values_by_what_is_paid(
    others: list[list[tuple[str, ...]]], theirs: list[tuple[str, ...]], r: int
) -> None:
    theirs = theirs[:r]
    counts = []
    for people in (others, [*others, theirs]):
        rows = [(str(i), *row) for i, each in enumerate(people) for row in each[:r]]
        frame = dict(zip(("who", "p", "q", "s"), map(list, zip(*rows, strict=True)), strict=True))
        table = dc.Table.from_frame(frame, person="who")
        counts.append(
            {
                (name, value): n
                for name in table.columns
                for value, n in private_values._noisy_counts(
                    table, name, variance=Fraction(1), noise=Silent(1)
                ).items()
            }
        )
    before, after = counts
    spending, least = budget_with_selection(
        ["p", "q", "s"], epsilon=Fraction(1), delta=Fraction(1, 10**6), noise=noise_from(1),
        rows_per_person=r,
    )  # fmt: skip
    shared = sum((after[key] - before[key]) ** 2 for key in before)
    assert shared <= least.sensitivity == 3 * r
    new = [after[key] for key in after.keys() - before.keys()]
    assert len(new) <= 3 * r
    assert all(n == 1 for n in new)  # people are counted, and one person is one
    # and what is claimed is what these are worth, by code of its own
    assert 3 * r * least_chance(least.tau - 1, least.variance) <= float(least.delta) * (1 + 1e-9)
    assert is_within_delta(
        spending.total, epsilon=Fraction(1), delta=Fraction(1, 10**6) - least.delta
    )
    assert spending.rows_per_person == r


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_noise_grows_with_the_rows_of_a_person(delta: float) -> None:
    made = {
        r: Synthesizer(1, delta=delta, domains=LISTS, rows_per_person=r, seed=1).fit(visits())
        for r in (1, 3)
    }
    power = 2 if delta else 1
    for one, three in zip(made[1].entries[:2], made[3].entries[:2], strict=True):
        assert three.sensitivity == one.sensitivity * 3**power
        assert float(three.scale) == pytest.approx(float(one.scale) * 3**power, rel=0.02)
    assert abs(made[1].n_rows - 400) < 100
    assert abs(made[3].n_rows - 1200) < 300


def test_a_person_with_a_thousand_rows_lists_no_value() -> None:
    frame = {"who": [0] * 1000 + list(range(1, 900)), "w": ["rare"] * 1000 + ["a", "b", "c"] * 299
             + ["a", "b"]}  # fmt: skip
    made = Synthesizer(1, delta=1e-6, rows_per_person=5, seed=1).fit(frame, person="who")
    assert "rare" not in made.model.domain["w"]
    assert made.n_rows < 1200


# What is claimed, and verified


def private(**more: Any) -> dc.Release[Any]:  # noqa: ANN401
    return synthetic_release(visits(), epsilon=2, delta=1e-6, rows_per_person=2, **more)


def pure() -> dc.Release[Any]:
    return synthetic_release(visits(), epsilon=2, domains=LISTS, rows_per_person=2)


def krimp() -> dc.Release[Any]:
    return private(generator="krimp", n_rows=100)


@pytest.mark.parametrize("method", [private, pure, krimp])
def test_the_claim_is_recomputed(method: Callable[[], dc.Release[Any]], tmp_path: Path) -> None:
    release = method()
    claim, first = release.guarantee, release.events[0]
    assert claim.unit == PERSON
    assert claim.neighbours == "tables that differ in all rows of one person, added or removed"
    assert (first.name, dict(first.parameters), dict(first.counts), dict(first.internal)) == (
        "limit_rows_per_person", {"rows_per_person": 2}, {}, {},
    )  # fmt: skip
    assert any(text.startswith("At most 2 rows of each person") for text in claim.assumptions)
    found = dc.verify_release(release.save(tmp_path / "out"), original=visits())
    assert found.answer == "consistent", found
    assert "no more rows of each person than stated" in found.sentence

    def first_is(**parameters: Any) -> dc.Release[Any]:  # noqa: ANN401
        step = replace(first, parameters=parameters)
        return replace(release, events=(step, *release.events[1:]))

    three = replace(
        first_is(rows_per_person=3),
        guarantee=replace(
            claim,
            assumptions=tuple(
                text.replace("most 2 rows", "most 3 rows") for text in claim.assumptions
            ),
        ),
    )
    one = first_is(rows_per_person=1)
    refuted = {
        "noise for fewer rows": three,
        "one row in words of several": one,
        "no number": first_is(),
        "more words": first_is(rows_per_person=2, n_dropped=3),
        "no choice": replace(release, events=release.events[1:]),
        "chosen late": replace(
            release, events=(release.events[1], first, *release.events[2:])
        ),
        "of rows": replace(release, guarantee=replace(claim, unit="one row")),
    }  # fmt: skip
    for name, changed in refuted.items():
        assert dc.verify_release(changed.save(tmp_path / name)).answer == "refuted", name
    found = dc.verify_release(tmp_path / "noise for fewer rows")
    assert any("3 rows of one person" in check.detail or "A person changes" in check.detail
               for check in found.failed)  # fmt: skip


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"rows_per_person": 2, "trust": "local", "domains": LISTS}, "for central trust"),
        ({"rows_per_person": 0, "delta": 1e-6}, "at least 1"),
        ({"rows_per_person": 1.5, "delta": 1e-6}, "whole number"),
    ],
)
def test_what_it_cannot_be(options: dict[str, Any], words: str) -> None:
    for call in (synthetic_release, plan_synthesis):
        with pytest.raises(ParameterError, match=words):
            call(visits(), epsilon=1, **options)


def test_without_people_there_is_nothing_to_count() -> None:
    table = replace(visits(), people=None)
    for call in (synthetic_release, plan_synthesis):
        with pytest.raises(ParameterError, match="says whose each row is"):
            call(table, epsilon=1, delta=1e-6, rows_per_person=2)


# Elsewhere: plans, policies, frames


def test_a_plan_knows_the_rows_and_the_noise() -> None:
    plans: list[Any] = [
        plan_synthesis(visits(), epsilon=1, delta=1e-6, domains=domains, rows_per_person=r)
        for domains in (LISTS, "private") for r in (1, 3)
    ]  # fmt: skip
    for one, three in (plans[:2], plans[2:]):
        assert (one.n_rows, three.n_rows) == (400, 1200)
    # three times the noise on three times the rows
    assert plans[1].value_error == pytest.approx(plans[0].value_error, rel=0.02)


def test_a_policy_and_a_frame(tmp_path: Path) -> None:
    table = visits()
    assert table.people is not None
    frame = table.to_polars().with_columns(who=table.people.codes)
    frame.write_csv(tmp_path / "visits.csv")
    policy = make_policy(
        {
            "source": {"file": str(tmp_path / "visits.csv"), "person": "who"},
            "method": {
                "name": "synthesize", "epsilon": 1, "delta": "1e-6", "rows_per_person": 2,
            },
        }
    )  # fmt: skip
    result = run_policy(policy, tmp_path / "out", seed=1)
    assert result.release.events[0].name == "limit_rows_per_person"
    made = synthetic_release(frame, person="who", epsilon=1, delta=1e-6, rows_per_person=2, seed=1)
    assert made.events == result.release.events
    assert made.guarantee.unit == PERSON
    alone = synthetic_release(
        frame.drop("who"), one_row_per_person=True, epsilon=1, delta=1e-6, seed=1
    )
    assert alone.guarantee.unit == "one person, who has one row"
    sampled = dc.dp_mii_suppress(
        frame, person="who", epsilon=1, delta=1e-3, k=5, domains=LISTS, seed=1
    )
    assert sampled.guarantee.unit == PERSON
    assert sampled.data.columns == ("sex", "ward")
