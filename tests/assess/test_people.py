"""Risk, uniqueness and attacks count people where it is known whose each row is."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.assess import journalist_risk, marketer_risk, prosecutor_risk, uniqueness
from discreet.assess.attacks import (
    attribute_attack,
    homogeneity_attack,
    linkage_attack,
    membership_attack,
)
from discreet.assess.attacks.setting import draw_some, draw_targets
from discreet.errors import DataError
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release

Row = tuple[int, str, str]  # a person and two values
VISITS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("ab"), st.sampled_from("xyz")),
    min_size=1, max_size=18,
)  # fmt: skip


def table(rows: list[Row]) -> dc.Table:
    who, first, second = zip(*rows, strict=True)
    return dc.Table.from_frame(
        {"who": list(who), "a": list(first), "b": list(second)}, person="who"
    )


def holders(rows: list[Row]) -> dict[tuple[str, str], set[int]]:
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for who, *values in rows:
        found[values[0], values[1]].add(who)
    return found


@settings(max_examples=60, deadline=None)
@given(VISITS)
def test_prosecutor_risk_of_people(rows: list[Row]) -> None:
    of = holders(rows)
    risks: dict[int, float] = defaultdict(float)
    for who, a, b in rows:
        risks[who] = max(risks[who], 1 / len(of[a, b]))
    found = prosecutor_risk(table(rows), threshold=0.4)
    assert found.n_people == len(risks)
    assert found.highest == max(risks.values())
    assert found.mean == pytest.approx(sum(risks.values()) / len(risks))
    assert found.n_at_risk == sum(risk > 0.4 for risk in risks.values())
    assert found.at_risk_rate == found.n_at_risk / len(risks)
    assert f"of {len(risks):,} people" in found.sentence
    assert marketer_risk(table(rows)).mean == found.mean
    everybody = journalist_risk(table(rows), population=table(rows + rows), threshold=0.4)
    assert everybody.highest == found.highest
    assert everybody.mean == pytest.approx(found.mean)
    sampled = journalist_risk(table(rows), sampling_rate=1.0)
    assert sampled.mean == pytest.approx(found.mean)


def test_many_rows_of_one_person_hide_nobody() -> None:
    rows: list[Row] = [(0, "a", "x")] * 9 + [(1, "b", "y"), (2, "b", "y")]
    found = prosecutor_risk(table(rows), threshold=0.5)
    assert (found.highest, found.n_at_risk, found.counted) == (1.0, 1, "people")
    plain = prosecutor_risk(table(rows).to_polars(), threshold=0.5)
    assert (plain.highest, plain.n_at_risk, plain.counted) == (0.5, 0, "rows")


def test_a_register_has_a_row_for_each_person() -> None:
    rows: list[Row] = [(0, "a", "x")] * 3
    register = dc.Table.from_frame({"a": ["a", "a"], "b": ["x", "x"]})
    assert journalist_risk(table(rows), population=register).highest == 0.5
    lacking = table([(0, "a", "x"), (1, "a", "x")])
    with pytest.raises(DataError, match="fewer people in the population"):
        journalist_risk(lacking, population=table(rows))


def attacked(rows: list[Row]) -> tuple[dc.Release[dc.Table], dc.Table]:
    """Return a release of all rows, in another order, and the original that knows its people."""
    original = table(rows)
    order = np.arange(len(rows))[::-1].copy()
    claim = Guarantee(
        model="k-anonymity", parameters={"k": 1}, unit="one row", columns=("a", "b"),
        not_protected=("Everything.",),
    )  # fmt: skip
    return Release(data=original.take(order), guarantee=claim, input_rows=order), original


@settings(max_examples=25, deadline=None)
@given(VISITS)
def test_linkage_finds_people(rows: list[Row]) -> None:
    release, original = attacked(rows)
    found = linkage_attack(release, original, n_known=2, n_targets=60, k=3, rng=1)
    of = holders(rows)
    sizes = {len(of[a, b]) for _, a, b in rows}
    for rate, hits in (
        (found.exact.unique, {1}), (found.exact.below_k, {1, 2}), (found.exact.unmatched, set()),
    ):  # fmt: skip
        if sizes <= hits:
            assert rate.rate == 1
        if not sizes & hits:
            assert rate.n_hits == 0
    assert found.of_people


def test_several_rows_of_one_person_are_one_match() -> None:
    rows: list[Row] = [(0, "a", "x")] * 5 + [(1, "b", "y")] * 4
    release, original = attacked(rows)
    found = linkage_attack(release, original, n_known=2, n_targets=50, rng=1)
    assert found.exact.unique.rate == 1
    assert "rows of exactly one person" in found.sentence
    plain = linkage_attack(release, original.to_polars(), n_known=2, n_targets=50, rng=1)
    assert plain.exact.unique.rate == 0
    assert "exactly one matching row" in plain.sentence


def test_people_are_drawn_not_rows() -> None:
    rows: list[Row] = [(0, "a", "x")] * 97 + [(1, "b", "y"), (2, "b", "y"), (3, "b", "z")]
    original = table(rows)
    random = np.random.default_rng(1)
    drawn = draw_targets(original, 4000, random)
    assert original.people is not None
    shares = np.bincount(original.people.codes[drawn], minlength=4) / 4000
    assert np.abs(shares - 0.25).max() < 0.04
    some = draw_some(original, 3, random)
    assert len(set(original.people.codes[some].tolist())) == 3


def test_a_person_has_the_values_of_all_their_rows() -> None:
    """Two people with two values each: both have both, so an attacker is certain of either."""
    rows: list[Row] = [(0, "a", "x"), (0, "a", "y"), (1, "a", "x"), (1, "a", "y")]
    release, original = attacked(rows)
    found = homogeneity_attack(release, original, sensitive="b", columns=["a"], rng=1)
    assert found.targets.certain.rate == 1
    plain = homogeneity_attack(release, original.to_polars(), sensitive="b", columns=["a"], rng=1)
    assert plain.targets.certain.rate == 0


def test_membership_and_attributes_are_of_people() -> None:
    rows: list[Row] = [(n % 10, "ab"[n % 2], "xyz"[n % 3]) for n in range(60)]
    release, original = attacked(rows)
    others = table([(n % 8, "ba"[n % 2], "xyz"[n % 3]) for n in range(80) if n % 5])
    member = membership_attack(release, original, controls=others, rng=1)
    assert member.n_targets == 8
    guessed = attribute_attack(release, original, sensitive="b", controls=others, rng=1)
    assert guessed.n_targets == 10
    assert guessed.controls.n_trials == 8


# Identifying combinations and sample uniques


Rows3 = list[tuple[int, str, str, str]]
WIDER = st.lists(
    st.tuples(
        st.integers(0, 4), st.sampled_from("ab"), st.sampled_from("xyz"), st.sampled_from("12")
    ),
    min_size=1, max_size=14,
)  # fmt: skip


def rare_of_people(rows: Rows3, theta: int) -> dict[frozenset[tuple[int, str]], int]:
    """Return minimal combinations that a few people have, by trying all."""
    of: dict[frozenset[tuple[int, str]], set[int]] = defaultdict(set)
    for who, *values in rows:
        cells = list(enumerate(values))
        for size in range(4):
            for chosen in combinations(cells, size):
                of[frozenset(chosen)].add(who)
    few = {items: len(people) for items, people in of.items() if len(people) <= theta}
    return {
        items: n for items, n in few.items()
        if not any(items - {one} in few for one in items) and items
    }  # fmt: skip


def wider(rows: Rows3) -> dc.Table:
    who, *columns = zip(*rows, strict=True)
    named = dict(zip("abc", map(list, columns), strict=True))
    return dc.Table.from_frame({"who": list(who), **named}, person="who")


@settings(max_examples=80, deadline=None)
@given(WIDER, st.integers(1, 2))
def test_a_look_counts_people(rows: Rows3, theta: int) -> None:
    known = rare_of_people(rows, theta) if len({who for who, *_ in rows}) > theta else {}
    found = dc.look(wider(rows), theta=theta, max_size=None, n_shown=10**6)
    assert found.of_people
    assert found.n_combinations == len(known)
    supports = sorted(one.support for one in found.combinations)
    assert set(supports) <= set(known.values())
    owners: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for who, *values in rows:
        owners[tuple(values)].add(who)
    alone = {who for who, *values in rows if len(owners[tuple(values)]) == 1}
    assert found.n_unique == len(alone)
    assert f"{len(alone)} of {found.n_people} people" in found.sentence
    assert found.n_distinct == len(owners)


@settings(max_examples=80, deadline=None)
@given(WIDER)
def test_sample_uniques_are_of_people(rows: Rows3) -> None:
    known = rare_of_people(rows, 1) if len({who for who, *_ in rows}) > 1 else {}
    found = uniqueness(wider(rows), sampling_rate=0.5)
    owners: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for who, *values in rows:
        owners[tuple(values)].add(who)
    unique = [i for i, (_, *values) in enumerate(rows) if len(owners[tuple(values)]) == 1]
    assert found.rows.tolist() == unique
    assert found.n_unique == len({rows[i][0] for i in unique})
    special = {
        rows[i][0] for place, i in enumerate(unique) if 0 < found.smallest[place] < len("abc")
    }
    assert found.n_special == len(special)
    assert found.n_people == len({who for who, *_ in rows})
    for place, i in enumerate(unique):
        cells = set(enumerate(rows[i][1:]))
        inside = [items for items in known if items <= cells]
        assert found.scores[place] == sum(factorial(3 - len(items)) for items in inside)
        assert found.n_combinations[place] == len(inside)
        assert found.smallest[place] == min(map(len, inside), default=0)
        parts = [sum(factorial(3 - len(x)) for x in inside if j in dict(x)) for j in range(3)]
        assert found.contributions[place].tolist() == parts


def test_equal_rows_of_one_person_are_one() -> None:
    rows: Rows3 = [(0, "a", "x", "1")] * 3 + [(1, "b", "y", "2"), (2, "b", "y", "2")]
    found = dc.look(wider(rows))
    assert "identify a single person" in found.sentence
    assert "only 1 person has" in str(found.combinations[0])
    assert found.n_unique == 1
    said = "1 of 3 people (33.3%) has a record that nobody else shares"
    assert said in found.sentence
    assert said in uniqueness(wider(rows)).sentence
    rowwise = dc.look({"a": ["a"] * 3 + ["b"] * 2, "b": ["x"] * 3 + ["y"] * 2})
    assert (rowwise.n_unique, rowwise.n_combinations) == (0, 0)
