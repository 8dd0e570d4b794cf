"""Attacks on stand-ins: membership, attribute, records and rare itemsets in common."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from scipy.stats import binom  # type: ignore[import-untyped]

import discreet as dc
from discreet.assess.attacks import (
    Advantage,
    Auc,
    attribute_attack,
    homogeneity_attack,
    linkage_attack,
    membership_attack,
    rare_itemsets,
    records_in_common,
)
from discreet.assess.attacks.membership import area_under_curve, best_cut
from discreet.assess.attacks.setting import closest_distances, nearest_votes, one_coding
from discreet.errors import DataError, ParameterError

Row = tuple[str | None, ...]


@st.composite
def two_groups(draw: DrawFn, *, min_rows: int = 0) -> tuple[list[Row], list[Row], int]:
    """Rows of a release, rows of people, and the number of columns."""
    n_columns = draw(st.integers(min_value=2, max_value=4))
    row = st.tuples(*(st.sampled_from(["p", "q", "r", None]) for _ in range(n_columns)))
    return (
        draw(st.lists(row, min_size=min_rows, max_size=6)),
        draw(st.lists(row, min_size=1, max_size=6)),
        n_columns,
    )


def table(rows: list[Row], n_columns: int) -> dc.Table:
    codes: dict[str, list[int]] = {}
    values: dict[str, list[str | None]] = {}
    for place in range(n_columns):
        cells = [row[place] for row in rows]
        values[f"c{place}"] = list(dict.fromkeys(cells))
        codes[f"c{place}"] = [values[f"c{place}"].index(cell) for cell in cells]
    return dc.Table.from_codes(codes, values)


def hamming(first: Row, second: Row) -> int:
    return sum(a != b for a, b in zip(first, second, strict=True))


def independent(n_rows: int, seed: int, *, n_columns: int = 8, n_values: int = 4) -> dc.Table:
    """A table of uniform cells."""
    cells = np.random.default_rng(seed).integers(n_values, size=(n_columns, n_rows))
    names = [f"c{place}" for place in range(n_columns)]
    return dc.Table.from_codes(
        dict(zip(names, cells, strict=True)), dict.fromkeys(names, tuple("abcdefgh"[:n_values]))
    )


def numbered(table: dc.Table, letter: str) -> dc.Table:
    """The same rows with one more column, which tells them apart."""
    numbers = [f"{letter}{row}" for row in range(table.n_rows)]
    return dc.Table.from_codes(
        {**{name: table.codes(name) for name in table.columns}, "id": range(table.n_rows)},
        {**{name: table.values(name) for name in table.columns}, "id": numbers},
    )


@given(drawn=two_groups())
def test_distances_are_those_of_brute_force(drawn: tuple[list[Row], list[Row], int]) -> None:
    release, people, n_columns = drawn
    names = [f"c{place}" for place in range(n_columns)]
    there, here = one_coding([table(release, n_columns), table(people, n_columns)], names)
    expected = [min((hamming(p, r) for r in release), default=n_columns) for p in people]
    assert closest_distances(there, here).tolist() == expected


@given(drawn=two_groups())
def test_votes_are_those_of_brute_force(drawn: tuple[list[Row], list[Row], int]) -> None:
    """The last column is sensitive; rows that hide it do not vote."""
    release, people, n_columns = drawn
    names = [f"c{place}" for place in range(n_columns - 1)]
    there, here = one_coding([table(release, n_columns), table(people, n_columns)], names)
    values = ["p", "q", "r"]
    sensitive = np.array([values.index(r[-1]) if r[-1] else -1 for r in release], np.int64)
    votes = nearest_votes(there, sensitive, here, n_values=3)
    shown = [row for row in release if row[-1] is not None]
    for person, found in zip(people, votes.tolist(), strict=True):
        near = min((hamming(person[:-1], r[:-1]) for r in shown), default=0)
        counts = Counter(r[-1] for r in shown if hamming(person[:-1], r[:-1]) == near)
        assert found == [counts[value] for value in values]


@given(drawn=two_groups(min_rows=1), others=st.data())
def test_records_in_common_brute_force(
    drawn: tuple[list[Row], list[Row], int], others: st.DataObject
) -> None:
    release, people, n_columns = drawn
    row = st.tuples(*(st.sampled_from(["p", "q", None]) for _ in range(n_columns)))
    controls = others.draw(st.lists(row, min_size=len(people), max_size=len(people)))
    assume(Counter(controls) != Counter(people))
    tables = [table(rows, n_columns) for rows in (release, people, controls)]
    found = records_in_common(tables[0], tables[1], controls=tables[2])
    holders = Counter([*people, *controls])
    assert found.controls is not None
    assert found.control_single is not None
    for rows, every, single in (
        (people, found.members, found.single),
        (controls, found.controls, found.control_single),
    ):
        alone = [row for row in rows if holders[row] == 1]
        assert (every.n_hits, every.n_trials) == (len({*rows} & {*release}), len({*rows}))
        assert (single.n_hits, single.n_trials) == (len({*alone} & {*release}), len(alone))
    assert found.released.n_trials == len({*release})
    assert found.released.n_hits == len({*release} & {*people})
    assert records_in_common(tables[0], tables[1]).members == found.members


@settings(max_examples=20)
@given(drawn=two_groups(min_rows=1), seed=st.integers(0, 99))
def test_rare_itemsets_are_of_one_row(drawn: tuple[list[Row], list[Row], int], seed: int) -> None:
    """With enough draws every itemset of support 1 is tried, so both outcomes are seen."""
    release, people, n_columns = drawn
    found = rare_itemsets(
        table(release, n_columns), table(people, n_columns), sizes=[1, 2], n_itemsets=60, rng=seed
    )
    for size in (1, 2):
        shown = []
        for places in itertools.combinations(range(n_columns), size):
            support = Counter(tuple(row[j] for j in places) for row in people)
            there = {tuple(row[j] for j in places) for row in release}
            shown += [items in there for items, count in support.items() if count == 1]
        rate = found.members[size]
        assert (rate.n_trials > 0) == bool(shown)
        if shown:
            assert (rate.n_hits > 0) == any(shown)
            assert (rate.n_hits == rate.n_trials) == all(shown)


def test_every_itemset_of_one_row_is_as_likely() -> None:
    """Three pairs of values are of the first row alone, two of the second, two of the third."""
    people = dc.Table.from_frame({"x": ["a", "b", "b"], "y": ["a", "b", "c"], "z": ["a", "c", "c"]})
    second = people.take([1])
    found = rare_itemsets(second, people, sizes=[2], n_itemsets=20_000, rng=3).members[2]
    assert found.n_trials == 20_000
    assert abs(found.rate - 2 / 7) < 0.02  # six standard errors


def test_rare_itemsets_of_controls_are_of_nobody_else() -> None:
    """Each member's row is also one of the controls, so none is of one person alone."""
    people = independent(20, 1)
    more = people.take([*range(20), 0])
    found = rare_itemsets(people, people, sizes=[8], n_itemsets=5, controls=more, rng=1)
    assert found.total.n_trials == 0
    apart = rare_itemsets(people, people, sizes=[8], controls=independent(20, 2), rng=1)
    assert apart.total.rate == 1
    assert apart.control_total is not None
    assert apart.control_total.rate == 0
    assert apart.excess is not None
    assert apart.excess.low > 0.9
    json.dumps(apart.to_dict())
    assert len(apart.preview().rows) == 1


@given(st.lists(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 5), min_size=1))
def test_area_and_cut_by_brute_force(members: list[int], others: list[int]) -> None:
    won = sum((m < o) + (m == o) / 2 for m in members for o in others)
    area = area_under_curve(np.array(members), np.array(others))
    assert area.value == pytest.approx(won / (len(members) * len(others)))
    assert area.low <= area.value <= area.high
    cut = best_cut(np.array(members), np.array(others))

    def worth(at: int) -> float:
        return sum(m <= at for m in members) / len(members) - sum(o <= at for o in others) / len(
            others
        )

    assert worth(cut) == pytest.approx(max(worth(at) for at in range(-1, 6)))


def test_interval_of_the_area_holds_the_truth_and_not_much_more() -> None:
    """Coverage over 2,000 samples of normal scores; a half as wide interval would not cover."""
    rng = np.random.default_rng(5)
    true = 0.7602  # of two normal laws one standard deviation apart
    covered = narrow = 0
    for _ in range(2000):
        scores = np.round(1000 * rng.normal(size=(2, 60))).astype(np.int64)
        area = area_under_curve(scores[0], scores[1] + 1000)
        covered += area.low <= true <= area.high
        narrow += abs(area.value - true) <= (area.high - area.low) / 4
    assert binom.cdf(covered, 2000, 0.93) > 1e-9
    assert binom.cdf(narrow, 2000, 0.93) < 1e-9


def test_interval_of_the_advantage_is_exact() -> None:
    """The ends are where the tail of the binomial law is 2.5 per cent."""
    seen = Advantage(n_right=70, n_trials=120)
    low, high = (seen.low + 1) / 2, (seen.high + 1) / 2
    assert binom.sf(69, 120, low) == pytest.approx(0.025)
    assert binom.cdf(70, 120, high) == pytest.approx(0.025)
    assert Advantage(n_right=0, n_trials=5).low == -1
    assert Advantage(n_right=5, n_trials=5).high == 1
    assert Auc(value=0.0, n_members=9, n_others=9).low == 0


def test_a_copy_gives_its_members_away() -> None:
    members, others = independent(400, 1), independent(300, 2)
    found = membership_attack(members, members, controls=others, rng=3)
    assert found.n_targets == 300
    assert found.auc.low > 0.97
    assert found.advantage.low > 0.9
    assert found.cut == 0
    assert found.distinguishes
    assert "This distinguishes them" in found.sentence
    inferred = attribute_attack(members, members, sensitive="c0", controls=others, rng=3)
    assert inferred.members.rate > 0.98  # two members may be alike in all other columns
    assert inferred.controls.rate < 0.5
    assert inferred.excess.low > 0.5
    assert "'c0'" in inferred.sentence
    common = records_in_common(members, members, controls=others, rng=3)
    assert common.members.rate == 1
    assert common.excess_single is not None
    assert common.excess_single.low > 0.9
    for result in (found, inferred, common):
        json.dumps(result.to_dict())
        assert result.preview().rows


def test_half_a_copy_is_found_out() -> None:
    """Power: half of the rows copied, the other half independent."""
    members, others, noise = independent(600, 1), independent(600, 2), independent(300, 3)
    mixed = dc.Table.from_codes(
        {
            name: np.concatenate([members.codes(name)[:300], noise.codes(name)])
            for name in members.columns
        },
        {name: members.values(name) for name in members.columns},
    )
    found = membership_attack(mixed, members, controls=others, rng=3)
    assert found.auc.low > 0.6
    assert found.advantage.value == pytest.approx(0.5, abs=0.12)
    told = attribute_attack(mixed, members, sensitive="c0", controls=others, rng=3)
    assert told.excess.low > 0.2


def test_independent_rows_tell_nothing() -> None:
    """Over 200 stand-ins of the same law, the intervals of 95 per cent miss about 5 per cent."""
    missed_area = missed_told = missed_single = 0
    for seed in range(200):
        release, members, others = (
            independent(120, 3 * seed + place, n_columns=4, n_values=3) for place in range(3)
        )
        found = membership_attack(release, members, controls=others, rng=seed)
        missed_area += not found.auc.low <= 0.5 <= found.auc.high
        told = attribute_attack(release, members, sensitive="c1", controls=others, rng=seed)
        missed_told += not told.excess.low <= 0 <= told.excess.high
        common = records_in_common(release, members, controls=others, rng=seed)
        assert common.excess_single is not None
        missed_single += not common.excess_single.low <= 0 <= common.excess_single.high
    limit = int(binom.isf(1e-9, 200, 0.06))
    assert missed_area <= limit
    assert missed_told <= limit
    assert missed_single <= limit


ATTACKS: dict[str, Callable[[dc.Table, dc.Table, dc.Table], object]] = {
    "membership": lambda release, people, others: membership_attack(
        release, people, controls=others
    ),
    "attribute": lambda release, people, others: attribute_attack(
        release, people, sensitive="c0", controls=others
    ),
    "records": lambda release, people, others: records_in_common(release, people, controls=others),
    "itemsets": lambda release, people, others: rare_itemsets(release, people, controls=others),
    "linkage": lambda release, people, others: linkage_attack(
        release, people, n_known=2, n_targets=5, controls=others
    ),
    "homogeneity": lambda release, people, others: homogeneity_attack(
        release, people, sensitive="c0", n_targets=5, controls=others
    ),
}


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_an_empty_release_is_not_attacked(
    attack: Callable[[dc.Table, dc.Table, dc.Table], object],
) -> None:
    """Every attack on it would fail, which looks like protection."""
    people = independent(10, 1)
    with pytest.raises(DataError, match="The release has no rows"):
        attack(people.take([]), people, independent(10, 2))


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_the_original_is_no_control_group(
    attack: Callable[[dc.Table, dc.Table, dc.Table], object],
) -> None:
    """Members and others would be alike by construction: area 0.5, whatever is released."""
    people, release = independent(30, 1), independent(30, 2)
    recoded = people.with_column("c0", 3 - people.codes("c0"), tuple("dcba"))
    same = {
        "object": people,
        "order of rows": people.take(range(29, -1, -1)),
        "order of columns": people.select(people.columns[::-1]),
        "codes": recoded,
        "more columns": numbered(people, "p"),
    }
    for controls in same.values():
        with pytest.raises(ParameterError, match="controls: these are the rows of the original"):
            attack(release, people, controls)
    for controls in (people.take([*range(29), 0]), people.take(range(29))):
        attack(release, people, controls)


def test_new_numbers_do_not_make_other_people() -> None:
    people = independent(30, 1)
    original = numbered(people, "p").with_roles(id="identifying")
    with pytest.raises(ParameterError, match="controls: these are the rows of the original"):
        membership_attack(independent(30, 2), original, controls=numbered(people, "q"))


def test_mistakes_are_named() -> None:
    people, others = independent(5, 1), independent(5, 2)
    with pytest.raises(ParameterError, match="not used"):
        membership_attack(people, people, controls=None)
    with pytest.raises(ParameterError, match="not used"):
        attribute_attack(people, people, sensitive="c0", controls=None)
    with pytest.raises(ParameterError, match="at least two"):
        membership_attack(people, people, controls=people.take([0]))
    with pytest.raises(ParameterError, match="both known"):
        attribute_attack(people, people, sensitive="c0", columns=["c0", "c1"], controls=others)
    with pytest.raises(ParameterError, match="In the controls"):
        membership_attack(people, people, controls=people.select(["c0"]))
    with pytest.raises(ParameterError, match="sizes=9 must be from 1 to 8"):
        rare_itemsets(people, people, sizes=[9])
    with pytest.raises(ParameterError, match="n_targets"):
        membership_attack(people, people, controls=people, n_targets=1)
