"""Linkage and homogeneity attacks, their intervals and controls."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.attacks import Rate, excess, homogeneity_attack, linkage_attack
from discreet.assess.attacks.setting import READINGS, Matcher
from discreet.errors import DataError, DiscreetWarning
from tests.strategies import Record, tables

ILL = {
    "age": ["20s"] * 3 + ["30s"] * 3 + ["40s"] * 2,
    "ill": ["flu", "flu", "flu", "gout", "gout", "flu", "flu", "gout"],
}


def as_table(records: list[Record]) -> dc.Table:
    n_columns = len(records[0]) if records else 1
    columns = {f"c{j}": [None if r[j] == "s" else r[j] for r in records] for j in range(n_columns)}
    return dc.Table.from_frame(columns)


@given(records=tables(max_columns=3), data=st.data())
def test_matching_brute_force(records: list[Record], data: st.DataObject) -> None:
    """Every target, every set of known columns, both readings; the cell s is missing."""
    if not records:
        return
    hide = st.lists(st.booleans(), min_size=len(records[0]), max_size=len(records[0]))
    released: list[Record] = [
        tuple("s" if hidden else cell for cell, hidden in zip(r, data.draw(hide), strict=True))
        for r in data.draw(st.permutations(records))
    ]
    release, original = as_table(released), as_table(records)
    names = original.columns
    matcher = Matcher(release, original, names, {})
    for i, record in enumerate(records):
        for size in range(len(names) + 1):
            for known in itertools.combinations(range(len(names)), size):
                exact = sum(all(r[j] == record[j] for j in known) for r in released)
                wild = sum(all(r[j] in {record[j], "s"} for j in known) for r in released)
                chosen = [names[j] for j in known]
                assert matcher.weights[matcher.rows(i, chosen, "exact")].sum() == exact
                assert matcher.weights[matcher.rows(i, chosen, "wildcard")].sum() == wild


def test_linkage_counts_single_rows() -> None:
    everybody = {"a": ["x", "x", "y"], "b": ["p", "p", "q"]}
    found = linkage_attack(everybody, everybody, n_known=1, n_targets=400, k=3, rng=3)
    # The third row is drawn for a third of the targets, and either column singles it out.
    assert found.exact.unique.low < 1 / 3 < found.exact.unique.high
    assert found.wildcard.unique == found.exact.unique
    assert found.exact.below_k.rate == 1
    assert found.exact.unmatched.n_hits == 0
    assert "1 random column of" in found.sentence


def test_suppressed_cells_in_both_readings() -> None:
    original = {"a": ["x", "y", "z"]}
    release = dc.Table.from_codes({"a": [0, 1, 1]}, {"a": ["x", None]})
    found = linkage_attack(release, original, n_known=1, n_targets=300, rng=1)
    assert found.wildcard.unmatched.n_hits == found.wildcard.unique.n_hits == 0  # 3, 2 or 2 fit
    share = found.exact.unique.n_hits  # only x is visible
    assert share + found.exact.unmatched.n_hits == 300
    assert 60 < share < 140


def test_generalized_release_needs_its_hierarchy() -> None:
    ages = {"age": [21, 22, 33, 34, 35]}
    tree = dc.Hierarchy.intervals([21, 22, 33, 34, 35], steps=[10])
    release = {"age": ["[20, 30)", "[20, 30)", "[30, 40)", "[30, 40)", "[30, 40)"]}
    found = linkage_attack(release, ages, n_known=1, k=3, hierarchies={"age": tree}, rng=1)
    assert found.exact.unmatched.n_hits == found.exact.unique.n_hits == 0
    assert found.exact.below_k.low < 2 / 5 < found.exact.below_k.high
    with pytest.warns(DiscreetWarning, match="never has: '\\[20, 30\\)'"):
        blind = linkage_attack(release, ages, n_known=1, rng=1)
    assert blind.exact.unmatched.rate == 1
    with pytest.raises(ValueError, match="has no '\\[20, 30\\)'"):
        linkage_attack(
            release, ages, n_known=1, hierarchies={"age": dc.Hierarchy.flat(ages["age"])}
        )


def test_hierarchy_with_missing_cells_and_values_left_as_they_are() -> None:
    original = dc.Table.from_frame({"age": [21, 22, 33, None]})
    tree = dc.Hierarchy.intervals([21, 22, 33], steps=[10])
    release = dc.Table.from_frame({"age": ["21", "[20, 30)", None, None]})
    matcher = Matcher(release, original, ["age"], {"age": tree})
    fitting = {
        reading: [int(matcher.weights[matcher.rows(i, ["age"], reading)].sum()) for i in range(4)]
        for reading in READINGS
    }
    assert fitting == {"wildcard": [4, 3, 2, 2], "exact": [2, 1, 0, 2]}


def test_all_values_as_one_group_are_nothing_seen() -> None:
    """A root fits everybody if suppressed cells do, and nobody by visible values."""
    tree = dc.Hierarchy.from_mapping({"*": {"old": ["70", "80"], "young": ["20", "30"]}})
    ages = dc.Table.from_frame({"age": ["20", "30", "70", "80"]})
    release = dc.Table.from_frame({"age": ["young", "*", "*", "*"]})
    found = linkage_attack(release, ages, n_known=1, hierarchies={"age": tree}, rng=1)
    assert found.wildcard.unmatched.n_hits == 0
    assert 0 < found.exact.unmatched.n_hits < found.exact.unmatched.n_trials
    assert found.exact.unique.n_hits + found.exact.unmatched.n_hits == found.exact.unique.n_trials


def test_stars_of_columns_without_a_hierarchy_are_suppressed_cells() -> None:
    people = dc.Table.from_frame({"job": list("aaaabc"), "sex": list("ffmmfm")})
    release = dc.mondrian(people, k=3)
    assert any("*" in release.data.values(name) for name in release.data.columns)
    found = linkage_attack(release, people, n_known=2, k=3, rng=1)  # no warning of strangers
    assert found.wildcard.below_k.n_hits == 0
    assert found.wildcard.unmatched.n_hits == 0


def test_controls_show_what_is_due_to_the_release() -> None:
    table = dc.datasets.census(600)
    table = table.select(table.columns[1:6])
    inside, outside = table.take(range(300)), table.take(range(300, 600))
    found = linkage_attack(inside, inside, n_known=4, n_targets=500, controls=outside, rng=5)
    control = found.exact.control_unique
    more = found.exact.excess_unique
    assert control is not None
    assert more is not None
    assert found.exact.unmatched.n_hits == 0
    assert more.low > 0  # the rows of insiders are found, outsiders only meet people like them
    assert more.difference == found.exact.unique.rate - control.rate
    assert "not in the release" in found.sentence
    most = inside.take(range(299))
    same = linkage_attack(inside, inside, n_known=4, n_targets=500, controls=most, rng=5)
    assert same.exact.excess_unique is not None
    assert same.exact.excess_unique.low < 0 < same.exact.excess_unique.high


def test_same_seed_same_attack() -> None:
    table = dc.datasets.census(100)
    first = linkage_attack(table, table, n_known=2, n_targets=50, rng=7)
    assert first == linkage_attack(table, table, n_known=2, n_targets=50, rng=7)
    generator = np.random.default_rng(7)
    assert first == linkage_attack(table, table, n_known=2, n_targets=50, rng=generator)
    assert linkage_attack(table, table, n_known=2, n_targets=5).n_targets == 5


def test_homogeneity_of_a_small_table() -> None:
    found = homogeneity_attack(
        ILL, ILL, sensitive="ill", columns=["age"], n_targets=2000, min_confidence=0.6, rng=2
    )
    exact = {"certain": 3 / 8, "confident": 5 / 8, "misled": 1 / 8, "guessed": 6 / 8}
    for name, share in {**exact, "baseline": 5 / 8}.items():
        rate = getattr(found.targets, name)
        assert abs(rate.rate - share) < 5 * math.sqrt(share * (1 - share) / 2000)
    assert "certain of 'ill'" in found.sentence
    assert found.controls is None
    assert found.excess_confident is None


@given(records=tables(max_columns=3), data=st.data(), seed=st.integers(0, 99))
def test_homogeneity_brute_force(records: list[Record], data: st.DataObject, seed: int) -> None:
    if not records or len(records[0]) < 2:
        return
    hide = st.lists(st.booleans(), min_size=len(records[0]), max_size=len(records[0]))
    released: list[Record] = [
        tuple("s" if hidden else cell for cell, hidden in zip(r, data.draw(hide), strict=True))
        for r in records
    ]
    original = as_table(records)
    found = homogeneity_attack(
        as_table(released), original, sensitive=original.columns[-1], n_targets=6,
        min_confidence=0.6, rng=seed,
    ).targets  # fmt: skip

    def best(values: list[str]) -> tuple[str | None, float]:
        seen = sorted({value for value in values if value != "s"})
        top = max(seen, key=values.count, default=None)
        return top, values.count(top) / len(values) if top else 0.0

    expected = dict.fromkeys(("certain", "confident", "misled", "guessed", "baseline"), 0)
    for person in np.random.default_rng(seed).integers(len(records), size=6):
        *known, truth = records[person]
        fit = [
            r[-1] for r in released if all(x in {y, "s"} for x, y in zip(r, known, strict=False))
        ]
        usual = best([r[-1] for r in released])[0]
        guess, share = best(fit)
        right = (guess or usual) == truth
        expected["certain"] += right and share == 1
        expected["confident"] += right and share >= 0.6
        expected["misled"] += not right and share >= 0.6
        expected["guessed"] += right
        expected["baseline"] += usual == truth
    assert {name: getattr(found, name).n_hits for name in expected} == expected


def test_hidden_sensitive_cells_count_for_no_value() -> None:
    original = {"age": ["20s"] * 4, "ill": ["flu"] * 4}
    release = {"age": ["20s"] * 4, "ill": ["flu", None, None, None]}
    found = homogeneity_attack(
        release, original, sensitive="ill", columns=["age"], n_targets=10, min_confidence=0.25
    )
    assert found.targets.certain.n_hits == 0
    assert found.targets.confident.n_hits == found.targets.guessed.n_hits == 10
    nothing = {"age": ["20s"] * 4, "ill": [None] * 4}
    found = homogeneity_attack(nothing, original, sensitive="ill", columns=["age"], n_targets=10)
    assert found.targets.guessed.n_hits == found.targets.baseline.n_hits == 0


def test_homogeneity_without_a_fitting_row_falls_back_on_the_usual_value() -> None:
    release = {"age": ["20s", "20s"], "ill": ["flu", "flu"]}
    controls = {"age": ["90s", "20s"], "ill": ["flu", "gout"]}
    found = homogeneity_attack(
        release, release, sensitive="ill", columns=["age"], controls=controls, n_targets=400, rng=1
    )
    assert found.targets.certain.rate == 1
    assert found.controls is not None
    assert found.controls.certain.n_hits == 0
    assert found.controls.guessed == found.controls.baseline  # right for the one in the nineties
    assert found.controls.misled.n_hits + found.controls.guessed.n_hits == 400
    assert found.excess_confident is not None
    assert found.excess_confident.difference == 1


@pytest.mark.parametrize("n_trials", [1, 7, 60])
def test_wilson_interval_solves_its_equation(n_trials: int) -> None:
    z = 1.959963984540054
    for n_hits in range(n_trials + 1):
        rate = Rate(n_hits=n_hits, n_trials=n_trials)
        assert 0 <= rate.low <= rate.rate <= rate.high <= 1
        ends = ([rate.low] if n_hits else []) + ([rate.high] if n_hits < n_trials else [])
        for end in ends:  # (p - end)^2 = z^2 end (1 - end) / n
            assert (rate.rate - end) ** 2 == pytest.approx(z**2 * end * (1 - end) / n_trials)
    assert (Rate(n_hits=0, n_trials=0).low, Rate(n_hits=0, n_trials=0).high) == (0, 1)


def test_excess_against_the_published_example() -> None:
    # Newcombe (1998), table II, case (a): 56/70 against 48/80, method 10: 0.0524 to 0.3339.
    more = excess(Rate(n_hits=56, n_trials=70), Rate(n_hits=48, n_trials=80))
    assert [round(end, 4) for end in more] == [0.2, 0.0524, 0.3339]


@pytest.mark.parametrize(
    "columns",
    [{"a": ["x"]}, {"a": ["x"] * 3, "b": ["y"] * 3}, {"a": [None] * 3, "b": [None] * 3}],
    ids=["one row", "all equal", "all missing"],
)
def test_degenerate_tables(columns: dict[str, list[str | None]]) -> None:
    n_rows = len(columns["a"])
    found = linkage_attack(columns, columns, n_known=1, n_targets=20, rng=0)
    assert found.exact.unique.rate == (n_rows == 1)
    assert found.wildcard.below_k.rate == 1
    empty = {name: list[str]() for name in columns}
    with pytest.raises(DataError, match="The release has no rows"):
        linkage_attack(empty, columns, n_known=1, n_targets=5)
    if len(columns) > 1:
        inferred = homogeneity_attack(columns, columns, sensitive="b", n_targets=20)
        assert inferred.targets.certain.rate == (columns["b"][0] is not None)


def test_results_show_themselves() -> None:
    others = {"age": ["20s", "30s"], "ill": ["flu", "gout"]}
    linked = linkage_attack(ILL, ILL, n_known=2, n_targets=20, controls=others, rng=0)
    inferred = homogeneity_attack(ILL, ILL, sensitive="ill", controls=others, n_targets=20, rng=0)
    for found in (linked, inferred):
        stored = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert stored["n_targets"] == 20
        assert found.preview().title == found.sentence
        assert all(len(row) == len(found.preview().header) for row in found.preview().rows)
    assert [row[0] for row in linked.preview().rows] == ["wildcard", "exact"]
    assert len(inferred.preview().rows) == 2


def test_bad_options() -> None:
    wrong: list[tuple[dict[str, object], str]] = [
        ({"n_known": 0}, "n_known=0"),
        ({"n_known": 3}, "n_known=3 must be from 1 to 2"),
        ({"n_targets": 0}, "n_targets=0"),
        ({"k": 1}, "k=1"),
        ({"columns": ["aeg"]}, "Did you mean 'age'"),
        ({"columns": []}, "at least one column"),
        ({"controls": {"age": []}}, "In the controls: There is no column 'ill'"),
        ({"controls": {"age": [], "ill": []}}, "controls has no rows"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            linkage_attack(ILL, ILL, **{"n_known": 1, **options})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="In the release: There is no column 'ill'"):
        linkage_attack({"age": ILL["age"]}, ILL, n_known=1)
    wrong = [
        ({"sensitive": "il"}, "Did you mean 'ill'"),
        ({"sensitive": "ill", "columns": ["ill"]}, "both known"),
        ({"sensitive": "ill", "min_confidence": 0}, "min_confidence=0"),
        ({"sensitive": "ill", "n_targets": 1.5}, r"n_targets=1\.5"),
    ]
    for options, message in wrong:
        with pytest.raises(ValueError, match=message):
            homogeneity_attack(ILL, ILL, **options)  # type: ignore[arg-type]


def test_adult(public_data: Path) -> None:
    table = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(table, dc.Table)
    inside, outside = table.take(range(30000)), table.take(range(30000, table.n_rows))
    found = [
        linkage_attack(inside, inside, n_known=n, n_targets=300, controls=outside, rng=1)
        for n in (3, 14)
    ]
    assert found[0].exact.unique.high < found[1].exact.unique.low  # who knows more finds more
    assert found[1].exact.unmatched.n_hits == 0
    *known, last = table.columns
    inferred = homogeneity_attack(
        inside, inside, sensitive=last, columns=known, controls=outside, n_targets=300, rng=1
    )
    assert inferred.targets.guessed.rate > inferred.targets.baseline.rate
    assert inferred.excess_confident is not None
    assert inferred.excess_confident.low > 0
