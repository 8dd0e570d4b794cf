"""Joining clusters until each has k rows and obeys the rules."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import LimitError
from discreet.generalize.clusters import repair
from discreet.generalize.problem import state_problem
from discreet.generalize.rules import Options
from tests.adult_arx import adult_arx
from tests.oracles.repair import joined_until_they_obey

TREE = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
RULES: tuple[Options, ...] = (
    {},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 3.0},
    {"t": 0.3},
    {"households": "home"},
)


@st.composite
def problems(draw: st.DrawFn) -> tuple[dc.Table, list[int]]:
    n_rows = draw(st.integers(6, 14))
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(1, 4), st.sampled_from("xyz"), st.integers(1, 6), st.sampled_from("abc")
            ),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    rows[:6] = [
        (1 + i % 4, "xyz"[i % 3], 1 + i, "abc"[i % 2]) for i in range(6)
    ]  # so that rules can be obeyed
    names = ("number", "ill", "home", "letter")
    columns = map(list, zip(*rows, strict=True))
    table = dc.Table.from_frame(
        dict(zip(names, columns, strict=True)),
        roles={"ill": "sensitive", "home": "identifying"},
        categorical=True,
    )
    return table, draw(st.lists(st.integers(0, 4), min_size=n_rows, max_size=n_rows))


@pytest.mark.parametrize("rules", RULES)
@given(problems(), st.integers(1, 3))
def test_every_cluster_obeys_and_none_is_torn(
    rules: Options, drawn: tuple[dc.Table, list[int]], k: int
) -> None:
    table, clusters = drawn
    options: Options = {"hierarchies": {"number": TREE}, "columns": ["number"], **rules}
    problem = state_problem(table, k=k, options=options)
    found = repair(problem, clusters)
    n_groups = int(found.max()) + 1
    assert np.bincount(found).min() >= k
    assert all(rule.holds(found, n_groups).all() for rule in problem.rules)
    for cluster in set(clusters):
        assert len(set(found[np.array(clusters) == cluster])) == 1


@pytest.mark.parametrize("rules", [*RULES, {"weights": "home"}])
@given(problems(), st.integers(1, 4))
def test_joins_what_the_definition_joins(
    rules: Options, drawn: tuple[dc.Table, list[int]], k: int
) -> None:
    table, clusters = drawn
    options: Options = {"hierarchies": {"number": TREE}, "columns": ["number", "letter"], **rules}
    problem = state_problem(table, k=k, options=options)
    found = repair(problem, clusters)
    groups = {frozenset(np.flatnonzero(found == group).tolist()) for group in set(found)}
    assert groups == joined_until_they_obey(problem, clusters)


@pytest.mark.parametrize("seed", range(10))
def test_a_joined_cluster_weighs_what_its_parts_weigh(seed: int) -> None:
    """Single rows of unlike weight, joined many times in a row."""
    rng = np.random.default_rng(seed)
    table = dc.Table.from_frame(
        {
            "number": rng.integers(1, 5, 40).tolist(),
            "letter": rng.choice(list("abcdef"), 40).tolist(),
            "weight": rng.choice([1, 2, 5, 20, 60], 40).tolist(),
        },
        categorical=True,
    )
    options: Options = {
        "hierarchies": {"number": TREE}, "columns": ["number", "letter"], "weights": "weight",
    }  # fmt: skip
    problem = state_problem(table, k=6, options=options)
    found = repair(problem, range(40))
    groups = {frozenset(np.flatnonzero(found == group).tolist()) for group in set(found)}
    assert groups == joined_until_they_obey(problem, range(40))


def test_clusters_that_obey_stay_as_they_are() -> None:
    table = dc.Table.from_frame({"number": [1, 2, 3, 4]}, categorical=True)
    problem = state_problem(table, k=2, options={"hierarchies": {"number": TREE}})
    assert repair(problem, [7, 7, 2, 2]).tolist() == [1, 1, 0, 0]


def test_the_cheapest_neighbour_is_joined() -> None:
    table = dc.Table.from_frame({"number": [1, 1, 2, 3, 3]}, categorical=True)
    problem = state_problem(table, k=2, options={"hierarchies": {"number": TREE}})
    found = repair(problem, [0, 0, 1, 2, 2])
    assert found[2] == found[0] != found[3]  # 2 is below "low" with 1
    heavy = dc.Table.from_frame(
        {"number": [1, 1, 2, 3], "weight": [100, 100, 1, 1]}, categorical=True
    )
    options: Options = {"hierarchies": {"number": TREE}, "weights": "weight", "columns": ["number"]}
    weighty = state_problem(heavy, k=2, options=options)
    found = repair(weighty, [0, 0, 1, 2])
    assert found[2] == found[3] != found[0]  # two heavy rows lose more than two light ones


def test_it_can_be_stopped_and_tells_how_far_it_is() -> None:
    people = dc.datasets.census(20_000).select(["sex", "age", "occupation", "region", "condition"])
    problem = state_problem(people, k=2, options={"l": 3})
    told: list[float] = []

    def stop(share: float) -> None:
        told.append(share)
        if share > 0:
            raise KeyboardInterrupt

    clusters = np.arange(len(people)) // 2
    with pytest.raises(KeyboardInterrupt):
        repair(problem, clusters, progress=stop)
    assert 0 < told[-1] < 1
    with pytest.raises(LimitError, match="Use fewer rows or raise max_memory"):
        repair(problem, clusters, max_memory=1000)


def test_adult_obeys(public_data: Path) -> None:
    """From rows in order, two by two, with two values of salary asked for in each cluster."""
    adult, trees = adult_arx(public_data)
    adult = adult.take(np.arange(0, len(adult), 3))
    columns = [name for name in adult.columns if name != "salary-class"]
    options: Options = {
        "hierarchies": {name: trees[name] for name in columns}, "columns": columns,
        "sensitive": ["salary-class"], "l": 2,
    }  # fmt: skip
    problem = state_problem(adult, k=2, options=options)
    found = repair(problem, np.arange(len(adult)) // 2)
    assert np.bincount(found).min() >= 2
    assert all(rule.holds(found, int(found.max()) + 1).all() for rule in problem.rules)
    assert found.max() + 1 > 1000  # no more was joined than had to be
