"""Agglomerative: hand-made tables, sizes, options, and real data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.classes import equivalence_classes
from discreet.errors import InfeasibleError, LimitError, ParameterError
from discreet.generalize.agglomerative import Linkage, agglomerative, agglomerative_clusters
from discreet.generalize.clusters import closures, mean_loss
from discreet.generalize.problem import state_problem
from discreet.generalize.release import LossSummary
from discreet.generalize.rules import Options
from discreet.release.release import Release
from tests.adult_arx import adult_arx
from tests.examples import examples
from tests.oracles import clusterings

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
LETTERS = dc.Hierarchy.from_mapping({"*": {"ab": ["a", "b"], "c": []}})
TREES = {"number": NUMBERS, "letter": LETTERS}
CLOSED = [(1, "a"), (1, "b"), (2, "a"), (3, "c"), (4, "c"), (3, "c")]
every_way = pytest.mark.parametrize(
    ("modified", "linkage"),
    [(modified, linkage) for modified in (True, False) for linkage in get_args(Linkage)],
)
few = st.lists(
    st.tuples(st.sampled_from([1, 2, 3, 4]), st.sampled_from(["a", "b", "c"])),
    min_size=1,
    max_size=10,
)


def summary(release: Release) -> LossSummary:
    assert isinstance(release.loss, LossSummary)
    return release.loss


def people(rows: Sequence[tuple[object, ...]]) -> dc.Table:
    return dc.Table.from_frame(
        {name: [row[j] for row in rows] for j, name in enumerate(("number", "letter"))}
    )


@every_way
def test_the_closed_example_reaches_its_optimum(*, modified: bool, linkage: Linkage) -> None:
    """The table of 002-closed, whose best clustering loses 7/2."""
    release = agglomerative(
        people(CLOSED), k=3, hierarchies=TREES, modified=modified, linkage=linkage
    )
    assert release.data.to_frame().rows() == [("low", "ab")] * 3 + [("high", "c")] * 3
    assert summary(release).loss * 12 == pytest.approx(7 / 2)
    assert summary(release).ratio is None


@every_way
@examples(40)
@given(rows=few, k=st.integers(1, 10))
def test_sizes_are_within_their_bounds(
    *, modified: bool, linkage: Linkage, rows: list[tuple[object, ...]], k: int
) -> None:
    table = people(rows)
    if k > len(rows):
        with pytest.raises(InfeasibleError, match=f"{len(rows)} rows, fewer than k={k}"):
            agglomerative(table, k=k, hierarchies=TREES)
        return
    problem = state_problem(table, k=k, options={"hierarchies": TREES})
    sizes = np.bincount(agglomerative_clusters(problem, modified=modified, linkage=linkage))
    assert sizes.min() >= k
    assert sizes.max() <= max(1, 2 * k - 1 if modified else 3 * k - 3)


@examples(40)
@given(rows=few.filter(lambda rows: len(rows) > 1), data=st.data())
def test_never_less_than_the_least(rows: list[tuple[object, ...]], data: st.DataObject) -> None:
    k = data.draw(st.integers(2, min(4, len(rows))))
    table = people(rows)
    release = agglomerative(table, k=k, hierarchies=TREES)
    problem = state_problem(table, k=k, options={"hierarchies": TREES})
    twin = clusterings.Rows(
        parents=[tree.parent.tolist() for tree in problem.records.hierarchies],
        costs=[costs.tolist() for costs in problem.costs],
        leaves=list(map(tuple, problem.records.leaves.tolist())),
    )
    assert summary(release).loss * len(rows) * 2 >= clusterings.least_loss(twin, k) - 1e-9


def test_a_complete_cluster_gives_rows_back() -> None:
    """Two pairs of near rows unite; the modified algorithm keeps three rows and gives one back."""
    tree = dc.Hierarchy.from_mapping(
        {"*": {"left": {"l1": ["a", "b"], "l2": ["c", "d"]}, "right": ["e", "f", "g"]}}
    )
    table = dc.Table.from_frame({"v": ["a", "b", "c", "d", "e", "f"]})
    sizes = {
        modified: sorted(
            np.bincount(
                agglomerative_clusters(
                    state_problem(table, k=3, options={"hierarchies": {"v": tree}}),
                    modified=modified,
                    linkage="change",
                )
            )
        )
        for modified in (True, False)
    }
    assert sizes == {True: [3, 3], False: [6]}


@every_way
def test_one_row_is_a_group_if_k_is_one(*, modified: bool, linkage: Linkage) -> None:
    table = people([(1, "a"), (3, "c"), (1, "a")])
    release = agglomerative(table, k=1, hierarchies=TREES, modified=modified, linkage=linkage)
    assert release.data.to_frame().rows() == [(1, "a"), (1, "a"), (3, "c")]


@every_way
def test_all_rows_in_one_group(*, modified: bool, linkage: Linkage) -> None:
    table = people([(1, "a"), (3, "a"), (1, "b")])
    release = agglomerative(table, k=3, hierarchies=TREES, modified=modified, linkage=linkage)
    assert release.data.to_frame().rows() == [("*", "ab")] * 3


@every_way
def test_equal_rows_lose_nothing(*, modified: bool, linkage: Linkage) -> None:
    table = people([(1, "a")] * 7)
    release = agglomerative(table, k=3, hierarchies=TREES, modified=modified, linkage=linkage)
    assert release.data.to_frame().rows() == [(1, "a")] * 7


def test_weights_change_what_is_close() -> None:
    """Alone the numbers would be hidden; but where rows are heavy, two light ones unite first."""
    table = dc.Table.from_frame(
        {"number": [1, 2, 2, 1], "letter": ["a", "a", "b", "b"], "w": [10, 1, 1, 10]}
    )
    options: Options = {"hierarchies": TREES, "columns": ["number", "letter"]}
    plain = state_problem(table, k=2, options=options)
    heavy = state_problem(table, k=2, options={**options, "weights": "w"})
    assert agglomerative_clusters(plain, linkage="change").tolist() == [0, 0, 1, 1]
    assert agglomerative_clusters(heavy, linkage="change").tolist() == [1, 0, 0, 1]
    assert agglomerative_clusters(heavy, linkage="ratio").tolist() == [0, 0, 1, 1]


def test_what_is_told() -> None:
    release = agglomerative(people(CLOSED), k=2, hierarchies=TREES, modified=False)
    assert release.events[0].to_dict()["parameters"] == {
        "k": 2, "loss": "lm", "modified": False, "linkage": "ratio",
    }  # fmt: skip
    assert release.guarantee.parameters == {"k": 2}


def test_refused_options() -> None:
    table = people(CLOSED)
    with pytest.raises(ParameterError, match=r"linkage='rato'.*Did you mean 'ratio'"):
        agglomerative(table, k=2, linkage="rato")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="k=0"):
        agglomerative(table, k=0)
    with pytest.raises(ParameterError, match="threads=-1"):
        agglomerative(table, k=2, threads=-1)
    with pytest.raises(LimitError, match="bytes needed"):
        agglomerative(table, k=2, max_memory=10)


def test_adult_sample(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    sample = adult.take(np.arange(0, 30_000, 10))
    release = agglomerative(sample, k=50, hierarchies=trees, threads=2)
    assert equivalence_classes(release.data, adult.quasi).sizes.min() >= 50
    problem = state_problem(sample, k=50, options={"hierarchies": trees})
    for modified in (True, False):
        for linkage in get_args(Linkage):
            clusters = agglomerative_clusters(problem, modified=modified, linkage=linkage)
            sizes = np.bincount(clusters)
            assert sizes.min() >= 50
            assert sizes.max() <= (99 if modified else 147)
            nodes = closures(problem.records, clusters=clusters)[clusters]
            assert 0.2 < mean_loss(problem, nodes) < 0.5
