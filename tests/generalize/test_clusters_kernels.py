"""Rows moved between clusters while the loss falls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.generalize.clusters import closures, improve_clusters, mean_loss, repair
from discreet.generalize.problem import Problem, state_problem
from discreet.generalize.rules import Options
from tests.adult_arx import adult_arx

TREES = {
    "number": dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}}),
    "letter": dc.Hierarchy.from_mapping({"*": {"ab": ["a", "b"], "cd": ["c", "d"]}}),
}
RULES: tuple[Options, ...] = (
    {},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 3.0},
    {"t": 0.4},
    {"households": "home"},
    {"weights": "weight"},
)


def loss_of(problem: Problem, clusters: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    ids = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    return mean_loss(problem, closures(problem.records, clusters=ids)[ids])


@st.composite
def tables(draw: st.DrawFn, *, least: int = 6, most: int = 14) -> dc.Table:
    n_rows = draw(st.integers(least, most))
    cells = st.tuples(
        st.integers(1, 4), st.sampled_from("abcd"), st.sampled_from("xyz"), st.integers(0, 5),
        st.integers(1, 3),
    )  # fmt: skip
    rows = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    rows[:6] = [(1 + i % 4, "abcd"[i % 4], "xyz"[i % 3], i, 1) for i in range(6)]
    names = ("number", "letter", "ill", "home", "weight")
    frame = {
        name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)
    }
    return dc.Table.from_frame(
        frame, roles={"ill": "sensitive", "home": "identifying"}, categorical=True
    )


@pytest.mark.parametrize("rules", RULES)
@given(table=tables(), k=st.integers(1, 3), data=st.data())
def test_loss_never_rises_and_rules_hold(
    rules: Options, table: dc.Table, k: int, data: st.DataObject
) -> None:
    options: Options = {"hierarchies": TREES, "columns": ["number", "letter"], **rules}
    problem = state_problem(table, k=k, options=options)
    drawn = data.draw(st.lists(st.integers(0, 4), min_size=len(table), max_size=len(table)))
    before = repair(problem, drawn)
    after = improve_clusters(problem, before, threads=1)
    assert loss_of(problem, after) <= loss_of(problem, before) + 1e-12
    assert np.bincount(after).min() >= k
    n_groups = int(after.max()) + 1
    assert all(rule.holds(after, n_groups).all() for rule in problem.rules)
    assert after.tolist() == improve_clusters(problem, before, threads=3).tolist()


@given(table=tables(), k=st.integers(2, 3))
def test_no_single_row_is_better_off_elsewhere(table: dc.Table, k: int) -> None:
    options: Options = {"hierarchies": TREES, "columns": ["number", "letter"]}
    problem = state_problem(table, k=k, options=options)
    found = improve_clusters(problem, repair(problem, np.arange(len(table)) // k))
    least, sizes = loss_of(problem, found), np.bincount(found)
    for row in range(len(table)):
        if sizes[found[row]] == k:
            continue
        for target in range(len(sizes)):
            moved = found.copy()
            moved[row] = target
            assert loss_of(problem, moved) >= least - 1e-9


def test_what_cannot_be_better_stays() -> None:
    table = dc.Table.from_frame({"number": [1, 1, 3, 3]}, categorical=True)
    problem = state_problem(table, k=2, options={"hierarchies": {"number": TREES["number"]}})
    assert improve_clusters(problem, [5, 5, 2, 2]).tolist() == [0, 0, 1, 1]
    assert improve_clusters(problem, [0, 0, 0, 0]).tolist() == [0, 0, 1, 1]
    equal = dc.Table.from_frame({"sex": ["f"] * 5})
    assert loss_of(state_problem(equal, k=2, options={}), np.zeros(5, np.int64)) == 0


def test_clusters_that_do_not_fit_are_refused() -> None:
    table = dc.Table.from_frame({"number": [1, 1, 3, 3]}, categorical=True)
    problem = state_problem(table, k=2, options={})
    with pytest.raises(ParameterError, match="fewer than k=2"):
        improve_clusters(problem, [0, 0, 0, 1])
    with pytest.raises(ParameterError, match="one integer for each"):
        improve_clusters(problem, [0, 0])


def test_adult_from_rows_in_order(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    some = adult.take(np.arange(0, 30_000, 10))
    problem = state_problem(some, k=10, options={"hierarchies": trees})
    order = np.lexsort(problem.records.leaves.T)
    start = np.empty(len(some), np.int64)
    start[order] = np.arange(len(some)) // 10
    found = improve_clusters(problem, start)
    assert np.bincount(found).min() >= 10
    assert loss_of(problem, found) < 0.7 * loss_of(problem, start)
