"""Distances of cross tables."""

from __future__ import annotations

import json
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.utility import itemset_fidelity, marginal_fidelity
from discreet.utility.marginal_fidelity import MEASURES, _set_of_rank, column_sets
from tests.examples import examples
from tests.utility.releases import Row, pairs, recoded, suppress, table


def brute_force(before: list[Row], after: list[Row]) -> tuple[float, float]:
    """Return total variation and Hellinger distance, straight from the definitions."""
    if not before or not after:
        return (float(bool(before) != bool(after)),) * 2
    p, q = Counter(before), Counter(after)
    seen = {*before, *after}
    shares = [(Fraction(p[v], len(before)), Fraction(q[v], len(after))) for v in seen]
    return (
        float(sum(abs(x - y) for x, y in shares) / 2),
        sqrt(sum((sqrt(x) - sqrt(y)) ** 2 for x, y in shares) / 2),
    )


@examples(50)
@given(pairs())
def test_distances_are_those_of_the_definition(drawn: tuple[list[Row], list[Row], int]) -> None:
    before, after, n_columns = drawn
    seen = marginal_fidelity(table(before, n_columns), table(after, n_columns))
    expected = [s for k in (1, 2, 3) for s in combinations(range(n_columns), k)]
    assert [found.columns for found in seen.distances] == [
        tuple(f"c{place}" for place in places) for places in expected
    ]
    for found, places in zip(seen.distances, expected, strict=True):
        parts = [[tuple(row[i] for i in places) for row in rows] for rows in (before, after)]
        visible = [[row for row in rows if None not in row] for rows in parts]
        assert (found.total_variation, found.hellinger) == pytest.approx(brute_force(*parts))
        assert (found.total_variation_visible, found.hellinger_visible) == pytest.approx(
            brute_force(*visible)
        )


@examples(50)
@given(pairs())
def test_counting_what_occurs_only_gives_the_same(drawn: tuple[list[Row], list[Row], int]) -> None:
    before, after, n_columns = drawn
    tables = table(before, n_columns), table(after, n_columns)
    dense = marginal_fidelity(*tables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys.modules["discreet.utility.marginal_fidelity"], "DENSE", 2)
        sparse = marginal_fidelity(*tables)
    for left, right in zip(dense.distances, sparse.distances, strict=True):
        for name in MEASURES:
            assert getattr(left, name) == pytest.approx(getattr(right, name), abs=1e-12)


@examples(50)
@given(pairs())
def test_order_and_coding_do_not_matter(drawn: tuple[list[Row], list[Row], int]) -> None:
    before, after, n_columns = drawn
    original, release = table(before, n_columns), table(after, n_columns)
    seen = marginal_fidelity(original, release)
    shuffled = recoded(release).take(np.arange(len(after))[::-1])
    assert marginal_fidelity(original, shuffled) == seen
    other = marginal_fidelity(recoded(original), release)
    assert {frozenset(f.columns): pytest.approx(f.total_variation) for f in other.distances} == {
        frozenset(f.columns): f.total_variation for f in seen.distances
    }


def test_the_same_table_is_at_no_distance() -> None:
    people = dc.datasets.census(300)
    doubled = recoded(people).take(np.repeat(np.arange(300), 2))
    for release in (people, doubled):
        seen = marginal_fidelity(people, release)
        assert all(getattr(seen.worst(k, m), m) == 0 for k in (1, 2, 3) for m in MEASURES)


def test_more_suppression_is_more_distance() -> None:
    people = dc.datasets.census(400).select(["sex", "region", "education", "industry"])
    assert all(None not in people.values(name) for name in people.columns)
    luck = np.random.default_rng(0).random((400, 4))
    seen = []
    for share in (0.0, 0.1, 0.3, 1.0):
        cells = luck < share
        fidelity = marginal_fidelity(people, suppress(people, cells))
        for found in fidelity.distances:  # the identity of the docstring's notes
            places = [people.columns.index(name) for name in found.columns]
            assert found.total_variation == pytest.approx(cells[:, places].any(axis=1).mean())
        seen.append([fidelity.mean(size) for size in (1, 2, 3)])
    assert np.all(np.diff(seen, axis=0) > 0)
    assert seen[0] == [0, 0, 0]
    assert seen[-1] == pytest.approx([1, 1, 1])
    assert marginal_fidelity(people, suppress(people, luck < 1)).mean(1, MEASURES[2]) == 1


def test_worst_and_mean_by_hand() -> None:
    people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    release = dc.Table.from_frame({"job": ["a", "a", "b", None], "sex": ["f", "f", "f", "m"]})
    seen = marginal_fidelity(people, release)
    assert seen.mean(1) == (1 / 4 + 2 / 4) / 2
    assert seen.worst(1).columns == ("job",)
    assert seen.worst(1).total_variation_visible == pytest.approx(2 / 3 - 1 / 4)
    assert seen.mean(2) == seen.worst(2).total_variation == 0.5
    assert seen.n_possible == {1: 2, 2: 1}
    with pytest.raises(ParameterError, match="no cross table of 3 columns"):
        seen.worst(3)


def test_a_size_that_was_not_measured_has_no_mean() -> None:
    """It would be 0, which is perfect."""
    people = dc.datasets.census(30)
    seen = marginal_fidelity(people, people.take(range(3)), sizes=(2,))
    assert seen.mean(2) > 0
    for size in (1, 3, 99):
        with pytest.raises(ParameterError, match=f"no cross table of {size} columns.*sizes="):
            seen.mean(size)


def test_a_sample_of_column_sets() -> None:
    people = dc.datasets.census(50)
    seen = marginal_fidelity(people, people, max_sets=20, rng=1)
    assert [len(seen.of_size(size)) for size in (1, 2, 3)] == [12, 20, 20]
    assert len({found.columns for found in seen.distances}) == 52
    assert seen == marginal_fidelity(people, people, max_sets=20, rng=np.random.default_rng(1))
    assert seen != marginal_fidelity(people, people, max_sets=20, rng=2)
    assert "in a sample of 20 of 220." in seen.sentence


@pytest.mark.parametrize(("n_columns", "size"), [(5, 1), (6, 3), (7, 6), (4, 4)])
def test_ranks_number_all_sets(n_columns: int, size: int) -> None:
    sets = [_set_of_rank(rank, n_columns, size) for rank in range(comb(n_columns, size))]
    assert sets == list(combinations(range(n_columns), size))


def test_every_set_of_columns_is_equally_likely() -> None:
    rng = np.random.default_rng(5)
    drawn = Counter(s for _ in range(3000) for s in column_sets(5, 2, 4, rng))
    assert len(drawn) == 10
    chi_square = sum((count - 1200) ** 2 / 1200 for count in drawn.values())
    assert chi_square < 60  # 9 degrees of freedom: above this once in more than 10^9 runs


def test_wrong_parameters_and_columns() -> None:
    people = dc.Table.from_frame({"sex": ["f"], "job": ["a"]})
    with pytest.raises(ParameterError, match="sizes=0 must be at least 1"):
        marginal_fidelity(people, people, sizes=[0])
    with pytest.raises(ParameterError, match="max_sets=0"):
        marginal_fidelity(people, people, max_sets=0)
    with pytest.raises(DataError, match="release has no column 'job'"):
        marginal_fidelity(people, people.select(["sex"]))


def test_degenerate_tables() -> None:
    people = dc.Table.from_frame({"sex": ["f", "m"], "job": ["a", None]})
    empty = people.take([])
    assert marginal_fidelity(people, empty).mean(2) == 1
    assert marginal_fidelity(empty, people).mean(2) == 1
    assert marginal_fidelity(empty, empty).mean(2) == 0
    one = people.take([0]).select(["sex"])
    assert marginal_fidelity(one, one).n_possible == {1: 1}
    none = people.with_roles(sex="identifying", job="identifying")
    nothing = marginal_fidelity(none, none)
    assert nothing.sentence == "There are no columns to compare."
    for seen in (nothing, marginal_fidelity(people, empty)):
        json.dumps(seen.to_dict())
        seen.plot().to_dict()
        assert seen.to_frame().height == len(seen.distances)


def test_shown_and_exported() -> None:
    people = dc.datasets.census(60)
    seen = marginal_fidelity(people, people.take(np.arange(30)))
    plain = json.loads(json.dumps(seen.to_dict()))
    assert [size["n_compared"] for size in plain["sizes"]] == [12, 66, 220]
    assert len(plain["distances"]) == 298
    assert seen.to_frame("pandas")["size"].tolist() == [1] * 12 + [2] * 66 + [3] * 220
    (points,) = seen.plot().to_dict()["datasets"].values()
    assert sum(point["cross tables"] for point in points) == 298
    assert [row[1] for row in seen.preview().rows] == ["12 of 12", "66 of 66", "220 of 220"]


def test_bootstrap_of_adult(public_data: Path) -> None:
    """The rows drawn anew: about 0.004 and 0.007 off for 2 and 3 columns."""
    adult = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(adult, dc.Table)
    drawn = adult.take(np.random.default_rng(1).integers(0, adult.n_rows, adult.n_rows))
    seen = marginal_fidelity(adult, drawn)
    assert seen.mean(2) == pytest.approx(0.0045, abs=0.001)
    assert seen.mean(3) == pytest.approx(0.0075, abs=0.001)


def test_groups_are_compared_with_the_same_groups() -> None:
    """Rows show groups of several sizes; the largest part the values; the root is none."""
    jobs = {"*": {"food": ["cook", "baker"], "tech": {"code": ["coder", "tester"], "net": ["ops"]}}}
    tree = dc.Hierarchy.from_mapping(jobs)
    people = dc.Table.from_frame({"job": ["cook", "baker", "coder", "tester", "ops", "ops"]})
    release = dc.Table.from_frame({"job": ["food", "food", "code", "coder", "tech", "*"]})
    assert marginal_fidelity(people, release).mean(1) == pytest.approx(5 / 6)
    found = marginal_fidelity(people, release, hierarchies={"job": tree})
    assert found.groups == ("job",)
    assert found.mean(1) == pytest.approx(1 / 6)  # one row of ops shows nothing
    assert found.sentence.endswith(
        "Groups of job are compared with the same groups of the original."
    )
    assert found.to_dict()["groups"] == ["job"]
    itemsets = itemset_fidelity(people, release, min_frequency=0.3, hierarchies={"job": tree})
    assert (itemsets.recall, itemsets.precision) == (1, 1)
    full = dc.generalize.datafly(people, k=2, hierarchies={"job": tree})
    assert marginal_fidelity(people, full).mean(1) == 0
