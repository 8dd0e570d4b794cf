"""Rules on groups against their definitions in plain Python and against the measures of risk."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from math import exp, inf, log, nan
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog  # type: ignore[import-untyped]

import discreet as dc
from discreet.assess.anonymity import diversity
from discreet.assess.classes import equivalence_classes
from discreet.errors import ParameterError
from discreet.generalize.rules import DISTANCES, Options, Rule, make_rules
from tests.examples import examples

TREE = dc.Hierarchy.from_mapping({"*": {"pq": ["p", "q"], "rst": {"rs": ["r", "s"], "t": []}}})
Distance = Literal["equal", "ordered", "hierarchical"]
LEVELS = st.sampled_from([1, 2, 3])
TIMES = st.sampled_from(["0.1", "0.3", "0.5", "1", "1.1", "2", "3"])
SHARES = st.sampled_from(["0", "0.1", "0.2", "0.25", "0.4", "0.5", "1"])


@st.composite
def grouped(draw: st.DrawFn) -> dc.Table:
    """Draw rows with a sensitive value and a group."""
    row = st.tuples(st.sampled_from("pqrst"), st.sampled_from("ABC"))
    rows = draw(st.lists(row, min_size=1, max_size=14))
    columns = {"ill": [value for value, _ in rows], "group": [group for _, group in rows]}
    return dc.Table.from_frame(columns, roles={"ill": "sensitive"})


def only_rule(table: dc.Table, options: Options, k: int = 2) -> Rule:
    (rule,) = make_rules(table, k=k, options=options)
    return rule


def verdicts(table: dc.Table, rule: Rule) -> dict[str, bool]:
    names = [str(value) for value in table.values("group")]
    return dict(zip(names, rule.holds(table.codes("group"), len(names)).tolist(), strict=True))


def counts_of(table: dc.Table) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for value, group in table.to_frame("polars").rows():
        counts.setdefault(group, Counter())[value] += 1
    return counts


@given(table=grouped(), low=LEVELS)
def test_distinct(table: dc.Table, low: int) -> None:
    found = verdicts(table, only_rule(table, {"l": low}))
    assert found == {name: len(count) >= low for name, count in counts_of(table).items()}


@given(table=grouped(), low=st.sampled_from([1, 1.5, 2, 2.5, 3]))
def test_entropy(table: dc.Table, low: float) -> None:
    found = verdicts(table, only_rule(table, {"l": low, "diversity": "entropy"}))
    for name, count in counts_of(table).items():
        shares = [n / count.total() for n in count.values()]
        assert found[name] == (exp(-sum(p * log(p) for p in shares)) >= low - 1e-9)


@given(table=grouped(), low=LEVELS, times=TIMES)
def test_recursive(table: dc.Table, low: int, times: str) -> None:
    found = verdicts(
        table, only_rule(table, {"l": low, "c": float(times), "diversity": "recursive"})
    )
    for name, count in counts_of(table).items():
        ranked = sorted(count.values(), reverse=True)
        assert found[name] == (ranked[0] < Fraction(times) * sum(ranked[low - 1 :]))


def test_recursive_is_strict_where_floats_are_not() -> None:
    values = ["p"] * 11 + ["q"] * 10  # 11 < 1.1 * 10 is false, but true in floats
    table = dc.Table.from_frame({"ill": values, "group": ["A"] * 21}, roles={"ill": "sensitive"})
    options: Options = {"l": 2, "c": 1.1, "diversity": "recursive"}
    assert verdicts(table, only_rule(table, options)) == {"A": False}


def apart(kind: str, one: str, other: str, values: list[str]) -> float:
    """How far apart two values are."""
    if one == other:
        return 0.0
    if kind == "equal":
        return 1.0
    if kind == "ordered":
        return abs(values.index(one) - values.index(other)) / (len(values) - 1)
    pair = {one, other}
    return 1 / 3 if pair in ({"p", "q"}, {"r", "s"}) else 2 / 3 if pair <= set("rst") else 1.0


def moved(kind: str, count: Counter[str], overall: Counter[str]) -> float:
    """The earth mover's distance as the transport problem it is; of members, each on its own."""
    values = sorted(overall)
    if kind == "members":
        return max(abs(count[v] / count.total() - overall[v] / overall.total()) for v in values)
    cost = [apart(kind, one, other, values) for one in values for other in values]
    n = len(values)
    leaving = [[i // n == row for i in range(n * n)] for row in range(n)]
    coming = [[i % n == row for i in range(n * n)] for row in range(n)]
    shares = [c[v] / c.total() for c in (count, overall) for v in values]
    return float(linprog(cost, A_eq=np.array(leaving + coming, float), b_eq=shares).fun)


@examples(40)
@given(table=grouped(), near=SHARES, kind=st.sampled_from(DISTANCES))
def test_closeness(table: dc.Table, near: str, kind: Distance) -> None:
    options: Options = {"t": float(near), "distance": kind, "hierarchies": {"ill": TREE}}
    found = verdicts(table, only_rule(table, options))
    counts = counts_of(table)
    overall = sum(counts.values(), Counter[str]())
    for name, count in counts.items():
        assert found[name] == (moved(kind, count, overall) <= float(near) + 1e-9)


@given(table=grouped(), low=LEVELS, times=TIMES, near=SHARES)
def test_all_agree_with_the_measures_of_risk(
    table: dc.Table, low: int, times: str, near: str
) -> None:
    seen = diversity(
        "ill",
        table.column("ill"),
        equivalence_classes(table, ["group"]),
        order=table.values("ill"),
        hierarchy=TREE,
    )
    c, t = float(times), float(near)
    assert seen.t_ordered is not None
    assert seen.t_hierarchical is not None
    expected: list[tuple[Options, bool]] = [
        ({"l": low}, seen.distinct >= low),
        ({"l": low, "diversity": "entropy"}, seen.entropy >= low - 1e-9),
        ({"l": low, "c": c, "diversity": "recursive"}, seen.is_recursive(c=c, l=low)),
        ({"t": t}, seen.t_equal <= t + 1e-9),
        ({"t": t, "distance": "ordered"}, seen.t_ordered <= t + 1e-9),
        (
            {"t": t, "distance": "hierarchical", "hierarchies": {"ill": TREE}},
            seen.t_hierarchical <= t + 1e-9,
        ),
    ]
    for options, holds in expected:
        assert all(verdicts(table, only_rule(table, options)).values()) == holds, options


@given(table=grouped(), low=LEVELS, times=TIMES, near=SHARES)
def test_groups_that_obey_still_do_together(
    table: dc.Table, low: int, times: str, near: str
) -> None:
    t, trees = float(near), {"ill": TREE}
    of_level: list[Options] = [
        {"l": low},
        {"l": low, "diversity": "entropy"},
        {"l": low, "c": float(times), "diversity": "recursive"},
        {"t": t},
        {"t": t, "distance": "ordered"},
        {"t": t, "distance": "hierarchical", "hierarchies": trees},
    ]
    joined = table.with_column("group", np.zeros(table.n_rows, np.int64), ["all"])
    for options in of_level:
        rule = only_rule(table, options)
        if all(verdicts(table, rule).values()):
            assert verdicts(joined, rule) == {"all": True}


def test_rows_in_no_group_count_for_the_whole_only() -> None:
    table = dc.Table.from_frame({"ill": list("ppqq")}, roles={"ill": "sensitive"})
    rule = only_rule(table, {"t": 0.25})
    some = np.array([0, 0, 0, -1])
    assert rule.holds(some, 1).tolist() == [True]  # 2/3 of p, and 1/2 in the table
    assert rule.holds(np.array([0, 0, -1, -1]), 1).tolist() == [False]
    assert rule.of_rows(np.array([0, 1])).holds(np.zeros(2, np.int64), 1).tolist() == [True]


def test_many_groups_are_judged_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    values, groups = list("ppqqpqpq"), [0, 0, 1, 1, 2, 2, 3, 3]
    table = dc.Table.from_frame({"ill": values}, roles={"ill": "sensitive"})
    rule = only_rule(table, {"t": 0.4})
    whole = rule.holds(np.array(groups), 4).tolist()
    monkeypatch.setattr("discreet.generalize.rules._CELLS", 4)
    assert rule.holds(np.array(groups), 4).tolist() == whole == [False, False, True, True]


def test_rules_of_several_columns_and_households() -> None:
    table = dc.Table.from_frame(
        {"ill": list("pqpq"), "pay": list("xxyy"), "home": [1, 1, 2, 3]},
        roles={"ill": "sensitive", "pay": "sensitive"},
    )
    rules = make_rules(table, k=3, options={"l": 2, "t": 0.5, "households": "home"})
    assert [(rule.column, rule.kind, rule.level) for rule in rules] == [
        ("ill", "share", 2), ("ill", "member_closeness", 0.5),
        ("pay", "share", 2), ("pay", "member_closeness", 0.5),
        ("home", "distinct", 3),
    ]  # fmt: skip
    alone = table.with_column("home", [0, 1, 2, 3], [1, 2, 3, 4])
    rules = make_rules(alone, k=3, options={"l": 2, "t": 0.5, "households": "home"})
    assert [rule.kind for rule in rules[:2]] == ["distinct", "closeness"]
    one = make_rules(table, k=2, options={"l": 2, "sensitive": ["pay"]})
    assert [rule.column for rule in one] == ["pay"]
    assert make_rules(table, k=2, options={}) == ()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l": 0.5}, "l=0.5 must be at least 1"),
        ({"l": 1.5}, "whole number of values for distinct"),
        ({"l": nan}, "l=nan must be a number"),
        ({"l": inf}, "l=inf must be a number"),
        ({"l": "two"}, "l='two' must be a number"),
        ({"l": True}, "l=True must be a number"),
        ({"t": -0.1}, "t=-0.1 must be from 0 to 1"),
        ({"t": 1.5}, "t=1.5 must be from 0 to 1"),
        ({"t": nan}, "t=nan must be a number"),
        ({"l": 2, "diversity": "recursive"}, "Give c, with"),
        ({"l": 2, "c": 1}, "Give c, with"),
        ({"c": 1, "diversity": "recursive"}, "and only then"),
        ({"l": 2, "c": 0, "diversity": "recursive"}, "c=0 must be above 0"),
        ({"l": 2, "c": nan, "diversity": "recursive"}, "c=nan must be a number"),
        ({"l": 1.5, "c": 1, "diversity": "recursive"}, "whole number of values for recursive"),
        ({"l": 2, "diversity": "entropic"}, "Did you mean 'entropy'"),
        ({"t": 0.1, "distance": "order"}, "Did you mean 'ordered'"),
        ({"t": 0.1, "distance": "hierarchical"}, "needs the hierarchy of column 'ill'"),
        ({"l": 2, "sensitive": []}, "Give sensitive"),
        ({"l": 2, "sensitive": "ill"}, "list of names"),
        ({"l": 2, "sensitive": ["il"]}, "Did you mean 'ill'"),
        ({"households": "hom"}, "Did you mean 'home'"),
    ],
)
def test_refused(options: Options, message: str) -> None:
    table = dc.Table.from_frame({"ill": list("pq"), "home": list("ab")}, roles={"ill": "sensitive"})
    with pytest.raises(ParameterError, match=message):
        make_rules(table, k=2, options=options)


def test_numbers_of_every_kind_are_taken() -> None:
    table = dc.Table.from_frame({"ill": list("pq")}, roles={"ill": "sensitive"})
    for low in (2, 2.0, Decimal(2), Fraction(2), np.int64(2), np.float64(2)):
        options: Options = {"l": low}  # type: ignore[typeddict-item]
        assert only_rule(table, options).level == 2
