"""Mondrian against a plain version of its definition, its stopping rule, and real data."""

from __future__ import annotations

from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.anonymity import diversity
from discreet.assess.classes import equivalence_classes
from discreet.errors import InfeasibleError, ParameterError
from discreet.generalize.mondrian import Choose, mondrian, mondrian_clusters
from discreet.generalize.problem import Problem, state_problem
from discreet.generalize.release import LossSummary
from discreet.generalize.rules import Options
from tests.adult_arx import adult_arx
from tests.examples import examples
from tests.strategies import Record, TableWithHierarchies, tables_with_hierarchies

Rows = tuple[int, ...]
TREES = tables_with_hierarchies(max_columns=3, max_records=12)


def posed(drawn: TableWithHierarchies, k: int, options: Options | None = None) -> Problem | None:
    """The problem of a table with a sensitive column beside it, if it has enough rows."""
    if len(drawn.records) < k:
        return None
    try:
        return state_problem(table_of(drawn.records), k=k, options=given_to(drawn, options))
    except InfeasibleError:
        return None


def table_of(records: list[Record]) -> dc.Table:
    columns = {f"c{j}": [record[j] for record in records] for j in range(len(records[0]))}
    ill = ["xyz"[sum(map(ord, record)) % 3] for record in records]
    return dc.Table.from_frame({**columns, "ill": ill}, roles={"ill": "sensitive"})


def given_to(drawn: TableWithHierarchies, options: Options | None) -> Options:
    trees = {f"c{j}": dc.Hierarchy.from_parents(p) for j, p in enumerate(drawn.hierarchies)}
    return {"hierarchies": trees, **(options or {})}


def closure(problem: Problem, rows: Rows, place: int) -> int:
    tree = problem.records.hierarchies[place]
    leaves = {int(problem.records.leaves[row, place]) for row in rows}
    above = [node for node in range(tree.n_nodes) if leaves <= set(tree.leaves_under(node))]
    return min(above, key=lambda node: int(tree.leaf_counts[node]))


def cost(problem: Problem, rows: Rows) -> float:
    places = range(len(problem.costs))
    return sum(float(problem.costs[j][closure(problem, rows, j)]) for j in places)


def obeys(problem: Problem, rows: Rows) -> bool:
    group = np.full(problem.n_rows, -1)
    group[list(rows)] = 0
    return len(rows) >= problem.k and all(bool(r.holds(group, 1)[0]) for r in problem.rules)


def parts_of(problem: Problem, rows: Rows, place: int) -> list[Rows]:
    """Children of the closure's node, the bad ones joined, with the smallest others if need be.

    Of equally small ones the child of the lowest number is joined first.
    """
    tree = problem.records.hierarchies[place]
    leaves = problem.records.leaves[:, place]
    children = tree.children(closure(problem, rows, place))
    found = [
        tuple(row for row in rows if int(leaves[row]) in tree.leaves_under(child))
        for child in sorted(children)
    ]
    found = [child for child in found if child] or [rows]
    good = sorted((c for c in found if obeys(problem, c)), key=len)
    pool = tuple(sorted(row for child in found if child not in good for row in child))
    while pool and good and not obeys(problem, pool):
        pool = tuple(sorted(pool + good.pop(0)))
    return [*good, pool] if pool else good


def gain(problem: Problem, rows: Rows, parts: list[Rows], place: int, choose: Choose) -> float:
    if choose == "span":
        return float(problem.costs[place][closure(problem, rows, place)])
    fall = len(rows) * cost(problem, rows) - sum(len(p) * cost(problem, p) for p in parts)
    return fall / (len(rows) * log2(len(rows)) - sum(len(p) * log2(len(p)) for p in parts))


def plain_mondrian(problem: Problem, choose: Choose) -> set[Rows] | None:
    """The groups; None if two columns are as good but for rounding."""
    waiting, final = [tuple(range(problem.n_rows))], set[Rows]()
    while waiting:
        rows = waiting.pop()
        splits = [parts_of(problem, rows, place) for place in range(len(problem.costs))]
        gains = [
            (gain(problem, rows, parts, place, choose), place)
            for place, parts in enumerate(splits)
            if len(parts) > 1
        ]
        if not gains:
            final.add(rows)
            continue
        best, chosen = max(gains, key=lambda pair: (pair[0], -pair[1]))
        if any(abs(g - best) < 1e-9 and j != chosen for g, j in gains) and choose == "loss":
            return None
        waiting += splits[chosen]
    return final


def groups_of(clusters: np.ndarray) -> set[Rows]:
    return {tuple(np.flatnonzero(clusters == c).tolist()) for c in np.unique(clusters)}


RULES: list[Options] = [
    {},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "c": 3, "diversity": "recursive"},
    {"t": 0.4},
]


@examples(120)
@given(
    drawn=TREES,
    k=st.integers(1, 4),
    choose=st.sampled_from(["loss", "span"]),
    rule=st.sampled_from(RULES),
)
def test_it_is_its_definition(
    drawn: TableWithHierarchies, k: int, choose: Choose, rule: Options
) -> None:
    problem = posed(drawn, k, rule)
    if problem is None:
        return
    found = groups_of(mondrian_clusters(problem, choose=choose))
    expected = plain_mondrian(problem, choose)
    assert expected is None or found == expected
    for rows in found:  # the stopping rule
        assert obeys(problem, rows)
        places = range(len(problem.costs))
        assert all(len(parts_of(problem, rows, place)) == 1 for place in places)


@given(drawn=TREES, k=st.integers(2, 4), rule=st.sampled_from(RULES))
def test_releases_hold_what_they_claim(drawn: TableWithHierarchies, k: int, rule: Options) -> None:
    if posed(drawn, k, rule) is None:
        return
    table = table_of(drawn.records)
    release = mondrian(table, k=k, **given_to(drawn, rule))
    quasi = [name for name in table.columns if name != "ill"]
    classes = equivalence_classes(release.data, quasi)
    assert classes.sizes.min() >= k
    seen = diversity("ill", release.data.column("ill"), classes)
    if rule.get("diversity") == "entropy":
        assert seen.entropy >= 1.5 - 1e-9
    elif rule.get("diversity") == "recursive":
        assert seen.is_recursive(c=3, l=2)
    elif "l" in rule:
        assert seen.distinct >= 2
    if "t" in rule:
        assert seen.t_equal <= 0.4 + 1e-9


def people() -> dc.Table:
    return dc.Table.from_frame({"a": list("ppqqppqq"), "b": list("xyxyxyxy")})


def loss_of(release: dc.Release) -> float:
    assert isinstance(release.loss, LossSummary)
    return release.loss.loss


def test_small_and_plain_cases() -> None:
    assert loss_of(mondrian(people(), k=1)) == 0
    assert loss_of(mondrian(people(), k=2)) == 0
    assert loss_of(mondrian(people(), k=8)) == 1
    same = dc.Table.from_frame({"a": ["p"] * 5})
    assert loss_of(mondrian(same, k=2)) == 0
    assert loss_of(mondrian(dc.Table.from_frame({"a": list("ppq")}), k=2)) == 1
    event = mondrian(people(), k=2, choose="span").events[0]
    assert (event.name, dict(event.parameters)) == (
        "mondrian", {"k": 2, "loss": "lm", "choose": "span"},
    )  # fmt: skip


def test_the_loss_falls_by_bits_told() -> None:
    # Either column can be told in full; a takes two bits of a row's group, b takes one.
    table = dc.Table.from_frame({"a": list("ppqqrrss"), "b": list("xyxyxyxy")})
    assert set(mondrian(table, k=2).data.to_frame("polars").rows()) == {("*", "x"), ("*", "y")}
    assert set(mondrian(table, k=2, choose="span").data.to_frame("polars")["b"]) == {"*"}


def test_weights_decide_which_column_is_split() -> None:
    # Splitting a tells the p of the first two rows, splitting b the x of the first and third.
    table = dc.Table.from_frame(
        {"a": list("ppqr"), "b": list("xyxz"), "w": [1, 9, 1, 1], "v": [1, 1, 9, 1]}
    )
    for weights, kept in [("w", ("p", "*")), ("v", ("*", "x"))]:
        shown = mondrian(table, k=2, columns=["a", "b"], weights=weights).data
        rows = shown.select(["a", "b"]).to_frame("polars").rows()
        assert sorted(rows) == sorted([("*", "*")] * 2 + [kept] * 2)


def test_groups_of_several_households() -> None:
    table = dc.Table.from_frame({"a": list("ppppqqqq"), "home": list("hhhiklmn")})
    release = mondrian(table, k=3, households="home")
    assert release.data.columns == ("a",)
    assert loss_of(release) == 1  # all p are of two households
    assert loss_of(mondrian(table, k=3, columns=["a"])) == 0


def test_every_measure_of_loss() -> None:
    tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    table = dc.Table.from_frame({"n": [1] * 9 + [2, 3, 4], "s": list("fmfmfmfmfmfm")})
    for loss in ("lm", "entropy", "tree", "suppression", "plain_entropy"):
        release = mondrian(table, k=2, hierarchies={"n": tree}, loss=loss)
        assert equivalence_classes(release.data, ["n", "s"]).sizes.min() >= 2


def test_progress_and_errors() -> None:
    seen: list[float] = []
    mondrian(people(), k=2, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1
    with pytest.raises(ParameterError, match="Did you mean 'span'"):
        mondrian(people(), k=2, choose="spam")  # type: ignore[arg-type]
    with pytest.raises(InfeasibleError, match="fewer than k=9"):
        mondrian(people(), k=9)


def test_adult(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    release = mondrian(adult, k=10, hierarchies=trees, l=2)
    classes = equivalence_classes(release.data, adult.quasi)
    assert classes.sizes.min() >= 10
    assert diversity("salary-class", release.data.column("salary-class"), classes).distinct == 2
    assert loss_of(mondrian(adult, k=10, hierarchies=trees)) < 0.1 < loss_of(release)
