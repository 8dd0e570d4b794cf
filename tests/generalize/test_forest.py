"""Forest: its proof on all clusterings of few rows, its bounds, and real data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.classes import equivalence_classes
from discreet.errors import HierarchyError, InfeasibleError, LimitError, ParameterError
from discreet.generalize.clusters import MOST_OF_32_BITS, closures, costs_of_32_bits, mean_loss
from discreet.generalize.forest import forest, forest_clusters
from discreet.generalize.problem import Problem, state_problem
from discreet.generalize.release import LossSummary
from discreet.release.release import Release
from discreet.utility.node_costs import CellMeasure
from tests.adult_arx import adult_arx
from tests.examples import examples
from tests.oracles import clusterings

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
LETTERS = dc.Hierarchy.from_mapping({"*": {"ab": ["a", "b"], "c": []}})
TREES = {"number": NUMBERS, "letter": LETTERS}
MEASURES = st.sampled_from(["lm", "entropy", "suppression"])


def people(rows: Sequence[tuple[object, ...]]) -> dc.Table:
    return dc.Table.from_frame(
        {name: [row[j] for row in rows] for j, name in enumerate(("number", "letter"))}
    )


def oracle(problem: Problem) -> clusterings.Rows:
    return clusterings.Rows(
        parents=[tree.parent.tolist() for tree in problem.records.hierarchies],
        costs=[costs.tolist() for costs in problem.costs],
        leaves=list(map(tuple, problem.records.leaves.tolist())),
    )


def summary(release: Release) -> LossSummary:
    assert isinstance(release.loss, LossSummary)
    return release.loss


few = st.lists(
    st.tuples(st.sampled_from([1, 2, 3, 4]), st.sampled_from(["a", "b", "c"])),
    min_size=2,
    max_size=9,
)


@examples(60)
@given(rows=few, data=st.data(), measure=MEASURES)
def test_never_more_than_the_proved_ratio(
    rows: list[tuple[object, ...]], data: st.DataObject, measure: CellMeasure
) -> None:
    k = data.draw(st.integers(2, min(4, len(rows))))
    table = people(rows)
    release = forest(table, k=k, hierarchies=TREES, loss=measure)
    assert summary(release).ratio == 3 * (k - 1)
    problem = state_problem(table, k=k, options={"hierarchies": TREES, "loss": measure})
    twin = oracle(problem)
    least = clusterings.least_loss(twin, k)
    lost = summary(release).loss * len(rows) * 2
    assert least - 1e-6 <= lost <= 3 * (k - 1) * least + 1e-6
    grown = clusterings.grown_forest(twin, k)
    assert clusterings.forest_weight(twin, grown) <= least + 1e-6  # lemma 4.3.3


@examples(60)
@given(rows=few, k=st.integers(1, 9))
def test_sizes_are_within_their_bounds(rows: list[tuple[object, ...]], k: int) -> None:
    table = people(rows)
    if k > len(rows):
        with pytest.raises(InfeasibleError, match=f"{len(rows)} rows, fewer than k={k}"):
            forest(table, k=k, hierarchies=TREES)
        return
    problem = state_problem(table, k=k, options={"hierarchies": TREES})
    sizes = np.bincount(forest_clusters(problem))
    assert sizes.min() >= k
    assert sizes.max() <= max(1, 3 * (k - 1))


def test_one_row_is_a_group_if_k_is_one() -> None:
    release = forest(people([(1, "a"), (3, "c"), (1, "a")]), k=1, hierarchies=TREES)
    assert release.data.to_frame().rows() == [(1, "a"), (1, "a"), (3, "c")]
    assert (summary(release).loss, summary(release).ratio) == (0, None)


def test_all_rows_in_one_group() -> None:
    release = forest(people([(1, "a"), (3, "a"), (1, "b")]), k=3, hierarchies=TREES)
    assert release.data.to_frame().rows() == [("*", "ab")] * 3


def test_equal_rows_lose_nothing() -> None:
    release = forest(people([(1, "a")] * 7), k=2, hierarchies=TREES)
    assert release.data.to_frame().rows() == [(1, "a")] * 7
    assert summary(release).loss == 0


def test_one_column_and_what_is_told() -> None:
    table = dc.Table.from_frame({"number": [1, 2, 3, 4], "name": list("wxyz")})
    release = forest(table, k=2, hierarchies={"number": NUMBERS}, columns=["number"])
    assert release.data.to_frame()["number"].to_list() == ["low", "low", "high", "high"]
    assert release.events[0].to_dict()["parameters"] == {"k": 2, "loss": "lm"}
    assert release.guarantee.parameters == {"k": 2}


def test_no_ratio_where_nothing_is_proved() -> None:
    table = dc.Table.from_frame({"number": [1, 1, 2, 3, 3, 4], "w": [1, 2, 3, 4, 5, 6]})
    trees = {"number": NUMBERS}
    weighted = forest(table, k=2, hierarchies=trees, columns=["number"], weights="w")
    rare = dc.Table.from_frame({"number": [1] * 97 + [2, 3, 4]})
    plain = forest(rare, k=2, hierarchies=trees, loss="plain_entropy")
    assert summary(weighted).ratio is None
    assert summary(plain).ratio is not None  # nodes that cost more than one above are left out


def test_refused_options() -> None:
    table = people([(1, "a"), (3, "c")])
    with pytest.raises(ParameterError, match="k=0"):
        forest(table, k=0)
    with pytest.raises(HierarchyError, match="'c'"):
        forest(table, k=2, hierarchies={"letter": dc.Hierarchy.flat(["a", "b"])})
    with pytest.raises(LimitError, match="bytes needed"):
        forest(table, k=2, max_memory=10)


def test_rounded_costs_keep_order_and_what_costs_nothing() -> None:
    table = dc.Table.from_frame({"number": [1] * 9999 + [2, 3, 4]})
    problem = state_problem(
        table, k=2, options={"hierarchies": {"number": NUMBERS}, "loss": "entropy"}
    )
    (costs,), (whole,) = problem.costs, costs_of_32_bits(problem)
    assert ((whole > 0) == (costs > 0)).all()
    assert (np.diff(whole[np.argsort(costs)]) >= 0).all()
    assert whole.max() == MOST_OF_32_BITS
    flat = dc.Table.from_frame({"only": ["x", "x"]})
    assert costs_of_32_bits(state_problem(flat, k=2, options={}))[0].max() == 0


def test_adult_sample(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    sample = adult.take(np.arange(0, 30_000, 10))
    release = forest(sample, k=50, hierarchies=trees)
    assert equivalence_classes(release.data, adult.quasi).sizes.min() >= 50
    problem = state_problem(sample, k=50, options={"hierarchies": trees})
    clusters = forest_clusters(problem)
    assert np.bincount(clusters).max() <= 147
    nodes = closures(problem.records, clusters=clusters)[clusters]
    assert summary(release).loss == pytest.approx(mean_loss(problem, nodes))
    assert 0.2 < summary(release).loss < 0.8
