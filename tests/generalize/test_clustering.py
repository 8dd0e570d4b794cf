"""Closures of clusters, their costs, and the tables they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.classes import equivalence_classes
from discreet.errors import GuaranteeError, HierarchyError, InfeasibleError, ParameterError
from discreet.generalize import closures, encode_records, generalization_costs
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import Options
from discreet.utility import loss, node_costs
from tests.adult_arx import adult_arx
from tests.examples import examples

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
LETTERS = dc.Hierarchy.from_mapping({"*": {"ab": ["a", "b"], "c": []}})
TREES = {"number": NUMBERS, "letter": LETTERS}
CLOSED = [(1, "a"), (1, "b"), (2, "a"), (3, "c"), (4, "c"), (3, "c")]
Rows = Sequence[Sequence[object]]


def table(rows: Rows, names: Sequence[str] = ("number", "letter")) -> dc.Table:
    return dc.Table.from_frame({name: [row[j] for row in rows] for j, name in enumerate(names)})


def shown_by(
    people: dc.Table,
    *,
    clusters: Sequence[int] | np.ndarray,
    k: int,
    hierarchies: Mapping[str, dc.Hierarchy] | None = None,
) -> dc.Table:
    """Return what is released for these clusters, in the order of the original."""
    options: Options = {} if hierarchies is None else {"hierarchies": hierarchies}
    problem = state_problem(people, k=k, options=options)
    found = clustered_release(
        people, problem=problem, options=options, clusters=clusters, events=()
    )
    assert found.input_rows is not None
    return found.data.take(np.argsort(found.input_rows))


def costs_of(rows: Rows, clusters: Sequence[int]) -> list[Fraction]:
    records = encode_records(table(rows), hierarchies=TREES)
    nodes = closures(records, clusters=clusters)
    found = generalization_costs(nodes, costs=[node_costs(tree) for tree in records.hierarchies])
    return [Fraction(cost).limit_denominator(1000) for cost in found]


@pytest.mark.parametrize(
    ("rows", "cost"),
    [
        ([0, 1, 2, 3, 4, 5], "2"),
        ([0, 1, 2], "5/6"),
        ([3, 4, 5], "1/3"),
        ([0, 1], "1/2"),
        ([0, 2], "1/3"),
        ([3, 5], "0"),
    ],
)
def test_cost_of_the_closed_sets(rows: list[int], cost: str) -> None:  # 002-closed
    assert costs_of([CLOSED[row] for row in rows], [0] * len(rows)) == [Fraction(cost)]


def test_costs_without_one_record() -> None:  # 002-alg7
    bits = dc.Hierarchy.flat([0, 1])
    rows = [(1, "a", 0), (1, "a", 0), (3, "c", 1), (1, "b", 0)]
    found = []
    for out in range(4):
        rest = table([row for i, row in enumerate(rows) if i != out], ["number", "letter", "bit"])
        records = encode_records(rest, hierarchies={**TREES, "bit": bits})
        nodes = closures(records, clusters=[0, 0, 0])
        (cost,) = generalization_costs(nodes, costs=[node_costs(t) for t in records.hierarchies])
        found.append(Fraction(-3 * cost).limit_denominator(1000))
    assert found == [Fraction(-9), Fraction(-9), Fraction(-3, 2), Fraction(-9)]


def test_the_clusters_of_the_closed_example() -> None:  # 002-closed
    people = table(CLOSED)
    shown = shown_by(people, clusters=[7, 7, 7, 2, 2, 2], k=3, hierarchies=TREES)
    assert shown.to_frame().rows() == [("low", "ab")] * 3 + [("high", "c")] * 3
    seen = loss(people, shown, hierarchies=TREES)
    assert Fraction(seen.total).limit_denominator(1000) == Fraction(7, 2)


def lowest(tree: dc.Hierarchy, leaves: set[int]) -> int:
    above = [n for n in range(tree.n_nodes) if leaves <= set(tree.leaves_under(n))]
    return min(above, key=lambda node: int(tree.leaf_counts[node]))


@st.composite
def clustered(draw: st.DrawFn) -> tuple[dc.Hierarchy, list[int], list[int]]:
    """Draw a tree of up to four levels, leaves of rows, and clusters."""
    n_leaves = draw(st.integers(1, 8))
    paths = [
        (f"v{leaf}", *(f"g{level}.{leaf // width}" for level, width in enumerate((2, 4))), "*")
        if draw(st.booleans())
        else (f"v{leaf}", f"v{leaf}", f"g1.{leaf // 4}", "*")
        for leaf in range(n_leaves)
    ]
    tree = dc.Hierarchy.from_levels(paths)
    rows = draw(st.lists(st.integers(0, tree.n_leaves - 1), min_size=1, max_size=10))
    ids = draw(st.lists(st.integers(-2, 2), min_size=len(rows), max_size=len(rows)))
    return tree, rows, ids


@examples(150)
@given(clustered())
def test_closures_are_the_smallest_nodes_above(
    drawn: tuple[dc.Hierarchy, list[int], list[int]],
) -> None:
    tree, rows, ids = drawn
    people = dc.Table.from_frame({"v": [tree.leaves[leaf] for leaf in rows]})
    nodes = closures(encode_records(people, hierarchies={"v": tree}), clusters=ids)
    expected = [
        lowest(tree, {leaf for leaf, at in zip(rows, ids, strict=True) if at == cluster})
        for cluster in sorted(set(ids))
    ]
    assert nodes[:, 0].tolist() == expected
    least = min(ids.count(cluster) for cluster in ids)
    if least < 2:
        return
    shown = shown_by(people, clusters=ids, k=least, hierarchies={"v": tree})
    seen = loss(people, shown, hierarchies={"v": tree})
    by_cluster = dict(zip(sorted(set(ids)), node_costs(tree)[nodes[:, 0]], strict=True))
    assert seen.by_row.tolist() == [by_cluster[cluster] for cluster in ids]


def test_columns_not_used_stay_and_names_go() -> None:
    people = dc.Table.from_frame(
        {"name": ["x", "y"], "age": [1, 1], "sex": ["f", "m"], "ill": ["no", "yes"]},
        roles={"name": "identifying", "ill": "sensitive"},
    )
    shown = shown_by(people, clusters=[0, 0], k=2)
    assert shown.to_frame().rows() == [(1, "*", "no"), (1, "*", "yes")]
    assert shown.sensitive == ("ill",)
    assert people.to_frame().rows()[0] == ("x", 1, "f", "no")


def test_missing_values_are_leaves() -> None:
    people = dc.Table.from_frame({"v": ["a", "b", None, None]})
    shown = shown_by(people, clusters=[0, 0, 1, 1], k=2)
    assert shown.to_frame()["v"].to_list() == ["*", "*", None, None]
    assert loss(people, shown).by_row.tolist() == [1, 1, 0, 0]


def test_too_few_rows() -> None:
    with pytest.raises(InfeasibleError, match=r"6 rows, fewer than k=7.*Lower k"):
        shown_by(table(CLOSED), clusters=[0] * 6, k=7, hierarchies=TREES)
    with pytest.raises(InfeasibleError, match="no rows"):
        encode_records(table(CLOSED).take(np.array([], np.int64)))


def test_a_group_that_is_too_small_is_never_released() -> None:
    with pytest.raises(GuaranteeError, match="A group has 1 rows, fewer than k=2"):
        shown_by(table(CLOSED), clusters=[0, 0, 0, 0, 0, 9], k=2, hierarchies=TREES)


def test_refused_options() -> None:
    people = table(CLOSED)
    records = encode_records(people)
    for clusters in ([0, 0], [0.5] * 6):
        with pytest.raises(ParameterError, match="one integer for each of the 6 rows"):
            closures(records, clusters=clusters)
    with pytest.raises(ParameterError, match="Did you mean 'number'"):
        encode_records(people, hierarchies={"numbr": NUMBERS})
    with pytest.raises(ParameterError, match="no column to generalize"):
        encode_records(people, columns=[])


def test_two_nodes_that_read_the_same_are_refused() -> None:
    tree = dc.Hierarchy.from_levels([("a", "a", "*"), ("b", "a", "*"), ("c", "c", "*")])
    people = dc.Table.from_frame({"v": ["a", "a", "a", "b"]})
    with pytest.raises(HierarchyError, match="two nodes that both read 'a'"):
        shown_by(people, clusters=[0, 0, 1, 1], k=2, hierarchies={"v": tree})


def test_adult_in_tens(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    ids = np.empty(adult.n_rows, np.int64)
    order = np.lexsort([adult.codes(name) for name in adult.quasi])
    ids[order] = np.minimum(np.arange(adult.n_rows) // 10, adult.n_rows // 10 - 1)
    shown = shown_by(adult, clusters=ids, k=10, hierarchies=trees)
    assert equivalence_classes(shown, adult.quasi).sizes.min() >= 10
    records = encode_records(adult, hierarchies=trees)
    nodes = closures(records, clusters=ids)
    costs = generalization_costs(nodes, costs=[node_costs(tree) for tree in records.hierarchies])
    seen = loss(adult, shown, hierarchies=trees)
    assert seen.by_row == pytest.approx(costs[ids])
    assert 0 < seen.mean < 1
