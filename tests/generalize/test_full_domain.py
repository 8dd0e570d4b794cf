"""Datafly and Incognito against plain versions, all vectors of levels, and real data."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.anonymity import diversity
from discreet.assess.classes import equivalence_classes
from discreet.errors import InfeasibleError, LimitError, ParameterError
from discreet.generalize.full_domain import FullDomain, datafly, incognito
from discreet.generalize.problem import Problem, state_problem
from discreet.generalize.release import LossSummary
from discreet.generalize.rules import Options
from tests.adult_arx import adult_arx
from tests.examples import examples
from tests.strategies import Record, TableWithHierarchies, tables_with_hierarchies

Levels = tuple[int, ...]
TREES = tables_with_hierarchies(max_columns=3, max_records=12)
SHARES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])
RULES: list[Options] = [{}, {"l": 2}, {"l": 1.5, "diversity": "entropy"}, {"t": 0.3}]


def table_of(records: list[Record]) -> dc.Table:
    columns = {f"c{j}": [record[j] for record in records] for j in range(len(records[0]))}
    ill = ["xyz"[(sum(map(ord, record)) + row) % 3] for row, record in enumerate(records)]
    return dc.Table.from_frame(
        {**columns, "ill": ill, "w": [1 + row % 3 for row in range(len(records))]},
        roles={"ill": "sensitive", "w": "insensitive"},
    )


def given_to(drawn: TableWithHierarchies, options: Options) -> Options:
    trees = {f"c{j}": dc.Hierarchy.from_parents(p) for j, p in enumerate(drawn.hierarchies)}
    return {"hierarchies": trees, **options}


def posed(drawn: TableWithHierarchies, k: int, options: Options) -> Problem | None:
    if len(drawn.records) < k:
        return None
    try:
        return state_problem(table_of(drawn.records), k=k, options=given_to(drawn, options))
    except InfeasibleError:
        return None


def at_level(tree: dc.Hierarchy, leaf: int, level: int) -> int:
    """The node that a leaf shows: its lowest one at most ``depth - level`` steps from the root."""
    full = tree.full  # a group of one is a level
    return next(
        node for node in (leaf, *full.ancestors(leaf)) if full.depths[node] <= full.depth - level
    )


def shown_at(problem: Problem, levels: Levels) -> list[Levels]:
    trees = problem.records.hierarchies
    return [
        tuple(at_level(*cell) for cell in zip(trees, row, levels, strict=True))
        for row in problem.records.leaves.tolist()
    ]


def obeys(rule: Options, inside: list[str], everybody: list[str]) -> bool:
    counts, overall = Counter(inside), Counter(everybody)
    shares = [n / counts.total() for n in counts.values()]
    if "t" in rule:
        moved = sum(
            abs(Fraction(counts[v], counts.total()) - Fraction(n, overall.total()))
            for v, n in overall.items()
        )
        return moved / 2 <= Fraction("0.3")
    if "diversity" in rule:
        return exp(-sum(p * log(p) for p in shares)) >= 1.5 - 1e-9
    return "l" not in rule or len(counts) >= 2


def plain_drop(problem: Problem, rule: Options, ill: list[str], levels: Levels) -> set[int]:
    shown = shown_at(problem, levels)
    classes: dict[Levels, list[int]] = {}
    for row, cells in enumerate(shown):
        classes.setdefault(cells, []).append(row)
    kept = [rows for rows in classes.values() if len(rows) >= problem.k]
    while True:
        everybody = [ill[row] for rows in kept for row in rows]
        good = [rows for rows in kept if obeys(rule, [ill[row] for row in rows], everybody)]
        if good == kept:
            return set(range(problem.n_rows)) - {row for rows in kept for row in rows}
        kept = good


def plain_loss(problem: Problem, levels: Levels, dropped: set[int]) -> float:
    weights = [1.0] * problem.n_rows if problem.weights is None else problem.weights.tolist()
    total = 0.0
    for row, cells in enumerate(shown_at(problem, levels)):
        for costs, tree, shown in zip(
            problem.costs, problem.records.hierarchies, cells, strict=True
        ):
            node = tree.node_of_full[shown]
            total += weights[row] * float(costs[-1] if row in dropped else costs[node])
    return total / sum(weights) / len(problem.costs)


def all_levels(problem: Problem) -> list[Levels]:
    return list(product(*(range(tree.full.depth + 1) for tree in problem.records.hierarchies)))


def summary(release: dc.Release) -> LossSummary:
    assert isinstance(release.loss, LossSummary)
    return release.loss


def ill_of(drawn: TableWithHierarchies) -> list[str]:
    return [str(v) for v in table_of(drawn.records).to_frame("polars")["ill"].to_list()]


@examples(80)
@given(
    drawn=TREES,
    k=st.integers(1, 4),
    share=SHARES,
    rule=st.sampled_from(RULES),
    is_weighted=st.booleans(),
)
def test_incognito_is_the_best_of_all_levels(
    drawn: TableWithHierarchies, k: int, share: float, rule: Options, *, is_weighted: bool
) -> None:
    options: Options = {**rule, "weights": "w"} if is_weighted else rule
    problem = posed(drawn, k, options)
    if problem is None:
        return
    allowed, ill = Fraction(str(share)) * problem.n_rows, ill_of(drawn)
    dropped = {levels: plain_drop(problem, rule, ill, levels) for levels in all_levels(problem)}
    least = min(
        (plain_loss(problem, levels, rows), len(rows))
        for levels, rows in dropped.items()
        if len(rows) <= allowed
    )
    release = incognito(table_of(drawn.records), k=k, max_dropped=share, **given_to(drawn, options))
    assert summary(release).loss == pytest.approx(least[0])
    assert summary(release).n_dropped <= allowed
    assert release.data.n_rows == problem.n_rows - summary(release).n_dropped
    assert release.data.n_rows > 0  # to raise all columns to the root loses no more


@given(drawn=TREES, k=st.integers(1, 4), share=SHARES, rule=st.sampled_from(RULES))
def test_datafly_raises_the_column_with_most_values(
    drawn: TableWithHierarchies, k: int, share: float, rule: Options
) -> None:
    problem = posed(drawn, k, rule)
    if problem is None:
        return
    trees, ill = problem.records.hierarchies, ill_of(drawn)
    levels = [0] * len(trees)
    while len(plain_drop(problem, rule, ill, tuple(levels))) > share * problem.n_rows + 1e-9:
        columns = list(zip(*shown_at(problem, tuple(levels)), strict=True))
        counts = [
            len(set(column)) if level < tree.full.depth else 0
            for column, level, tree in zip(columns, levels, trees, strict=True)
        ]
        levels[counts.index(max(counts))] += 1
    dropped = plain_drop(problem, rule, ill, tuple(levels))
    release = datafly(table_of(drawn.records), k=k, max_dropped=share, **given_to(drawn, rule))
    assert release.events[0].parameters["levels"] == tuple(
        f"c{j}: {level} of {tree.full.depth}"
        for j, (level, tree) in enumerate(zip(levels, trees, strict=True))
    )
    assert release.input_rows is not None
    assert set(release.input_rows.tolist()) == set(range(problem.n_rows)) - dropped
    assert release.events[0].all_counts["n_rows_dropped"] == len(dropped)
    assert summary(release).loss == pytest.approx(plain_loss(problem, tuple(levels), dropped))


@examples(60)
@given(drawn=TREES, k=st.integers(2, 4), is_diverse=st.booleans())
def test_higher_levels_lose_no_more_rows(
    drawn: TableWithHierarchies, k: int, *, is_diverse: bool
) -> None:
    problem = posed(drawn, k, {"l": 2} if is_diverse else {})
    if problem is None:
        return
    domain = FullDomain.of(problem)
    n_lost = {levels: domain.n_rows(domain.to_drop(levels)) for levels in all_levels(problem)}
    for levels, lost in n_lost.items():
        for place in range(len(levels)):
            higher = (*levels[:place], levels[place] + 1, *levels[place + 1 :])
            assert n_lost.get(higher, 0) <= lost


def test_fewer_columns_and_higher_levels_can_lose_more_rows_by_entropy() -> None:
    # Mixed rows are kept at level 0 of both columns; joined with rows all alike they are lost.
    cells = ["p1x", "p1y", "p2x"] * 2 + ["r1x", "r1y", "r2y"] * 4
    table = dc.Table.from_frame(
        {name: [cell[j] for cell in cells] for j, name in enumerate(("c", "d", "ill"))},
        roles={"ill": "sensitive"},
    )
    options: Options = {"l": 1.9, "diversity": "entropy"}
    domain = FullDomain.of(state_problem(table, k=2, options=options))
    lost = {levels: domain.n_rows(domain.to_drop(levels)) for levels in product((0, 1), (0, 1))}
    assert lost == {(0, 0): 6, (0, 1): 18, (1, 0): 6, (1, 1): 0}
    release = incognito(table, k=2, max_dropped=0.4, **options)
    assert summary(release).n_dropped == 6
    assert summary(release).loss == pytest.approx(1 / 3)


@pytest.mark.parametrize("method", [datafly, incognito])
def test_levels_of_a_hierarchy_that_is_not_balanced(method: object) -> None:
    tree = dc.Hierarchy.from_mapping({"*": {"pq": ["p", "q"], "r": []}})
    table = dc.Table.from_frame({"c": list("pqrr")})
    release = (datafly if method is datafly else incognito)(table, k=2, hierarchies={"c": tree})
    assert release.data.to_frame("polars")["c"].to_list() == ["r", "r", "pq", "pq"]
    assert release.events[0].parameters["levels"] == ("c: 1 of 2",)


def test_rows_stay_where_dropping_them_loses_the_same() -> None:
    table = dc.Table.from_frame({"c": list("pqrs")})
    assert incognito(table, k=2, max_dropped=1).data.to_frame("polars")["c"].to_list() == ["*"] * 4
    assert datafly(table, k=2, max_dropped=1).data.n_rows == 0


def test_small_and_plain_cases() -> None:
    table = dc.Table.from_frame({"a": list("ppqq"), "b": list("xxxx")})
    for method in (datafly, incognito):
        assert summary(method(table, k=2)).loss == 0
        assert summary(method(table, k=1)).loss == 0
        assert summary(method(table, k=3)).loss == 0.5
        same = dc.Table.from_frame({"b": list("xxxx")})
        assert summary(method(same, k=4)).loss == 0


def test_households_in_classes() -> None:
    table = dc.Table.from_frame({"a": list("pppqqq"), "home": list("hhhijk")})
    for method in (datafly, incognito):
        release = method(table, k=2, max_dropped=0, households="home")
        assert release.data.to_frame("polars").rows() == [("*",)] * 6
        some = method(table, k=2, max_dropped=0.5, households="home")
        assert some.data.to_frame("polars").rows() == [("q",)] * 3


@pytest.mark.parametrize("share", [-0.1, 1.1, True, "half", float("nan")])
def test_refused_shares(share: float) -> None:
    table = dc.Table.from_frame({"a": list("ppqq")})
    for method in (datafly, incognito):
        with pytest.raises(ParameterError, match=r"max_dropped=.* must be .*from 0 to 1"):
            method(table, k=2, max_dropped=share)


def test_limits_and_progress() -> None:
    table = dc.Table.from_frame({"a": list("ppqr"), "b": list("xyxy")})
    with pytest.raises(LimitError, match=r"9 combinations .* more than max_nodes=8.* raise"):
        incognito(table, k=2, max_nodes=8)
    for method in (datafly, incognito):
        seen: list[float] = []
        method(table, k=4, progress=seen.append)
        assert seen == sorted(seen)
        assert seen[-1] == 1


def test_adult(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    best = incognito(adult, k=10, hierarchies=trees, l=2)
    first = datafly(adult, k=10, hierarchies=trees, l=2, max_dropped=0)
    for release in (best, first):
        classes = equivalence_classes(release.data, adult.quasi)
        assert classes.sizes.min() >= 10
        seen = diversity("salary-class", release.data.column("salary-class"), classes)
        assert seen.distinct == 2
        assert release.data.n_rows == adult.n_rows
    assert 0.6 < summary(best).loss <= summary(first).loss
    some = datafly(adult, k=10, hierarchies=trees)
    assert 0 < summary(some).n_dropped <= 301


def test_a_group_of_one_is_shown_where_its_level_is() -> None:
    days = ["2024-01-31", "2024-01-30", "2024-02-01", "2024-02-01"]
    lines = [(day, day[:7], day[:4], "*") for day in dict.fromkeys(days)]
    tree = dc.Hierarchy.from_levels(lines)
    table = dc.Table.from_frame({"day": days})
    for method in (incognito, datafly):
        release = method(table, k=2, hierarchies={"day": tree})
        shown = release.data.to_frame("polars")["day"].to_list()
        assert shown == ["2024-01"] * 2 + ["2024-02"] * 2
        assert release.events[0].parameters["levels"] == ("day: 1 of 3",)
        assert summary(release).loss == pytest.approx(0.25)  # of a day: no loss at all
        assert dc.utility.loss(table, release).total == pytest.approx(1.0)  # of two rows, half
        labels = [node.label for node in release.stated["day"].nodes]
        assert labels == ["*", "2024", "2024-01", "2024-02"]  # and no day


LEAVES = st.lists(st.integers(0, 7), min_size=4, max_size=12)
METHODS = (dc.generalize.set_cover, dc.generalize.agglomerative, dc.generalize.forest,
           dc.generalize.mondrian)  # fmt: skip


@examples(40)
@given(cells=LEAVES, k=st.integers(2, 4), at=st.lists(st.integers(0, 2), min_size=8, max_size=8))
def test_clusters_do_not_see_groups_of_one(cells: list[int], k: int, at: list[int]) -> None:
    plain = [[f"v{i}", f"g{i // 2}", f"h{i // 4}", "*"] for i in range(8)]
    table = dc.Table.from_frame({"x": [f"v{i}" for i in cells], "y": [str(i % 2) for i in cells]})
    chained = [
        [row[0], *[f"only {row[0]}"] * (n > 0), *row[1:]] for row, n in zip(plain, at, strict=True)
    ]
    chained = [[*row[:-1], "all", "*"] for row in chained]
    before, after = dc.Hierarchy.from_levels(plain), dc.Hierarchy.from_levels(chained)
    assert after.labels == before.labels
    for method in METHODS:
        one, two = (method(table, k=k, hierarchies={"x": tree}) for tree in (before, after))
        assert one.data.to_frame("polars").equals(two.data.to_frame("polars"))
        assert summary(one).loss == summary(two).loss
