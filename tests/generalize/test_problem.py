"""What a table, k and options pose as a problem, and what is refused before any work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import HierarchyError, InfeasibleError, ParameterError
from discreet.generalize.problem import state_problem
from discreet.generalize.rules import Options
from discreet.utility.node_costs import is_monotone

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
ROLES = {"ill": "sensitive", "name": "identifying", "note": "insensitive"}


def people(**more: list[Any]) -> dc.Table:
    columns = {
        "number": [1, 2, 3, 4, 1, 1],
        "sex": list("fmfmff"),
        "ill": list("aabbab"),
        "name": list("uvwxyz"),
        "note": list("000000"),
    }
    return dc.Table.from_frame({**columns, **more}, roles=ROLES)


def test_what_a_problem_is() -> None:
    problem = state_problem(
        people(), k=2, options={"hierarchies": {"number": NUMBERS}, "l": 2, "loss": "lm"}
    )
    assert problem.records.columns == ("number", "sex")
    assert problem.records.leaves[:, 0].tolist() == [0, 1, 2, 3, 0, 0]
    assert [cost.round(3).tolist() for cost in problem.costs] == [
        [0, 0, 0, 0, 0.333, 0.333, 1],
        [0, 0, 1],
    ]
    assert (problem.k, problem.n_rows, problem.loss) == (2, 6, "lm")
    assert [rule.column for rule in problem.rules] == ["ill"]
    assert problem.weights is None


def test_columns_may_be_chosen_in_any_order_and_once() -> None:
    chosen: Options = {"columns": (name for name in ["sex", "number", "sex"])}
    assert state_problem(people(), k=2, options=chosen).records.columns == ("sex", "number")


def test_columns_with_another_task_are_not_generalized() -> None:
    table = people(weight=[1, 2, 3, 1, 1, 1], home=list("aabbcd"))
    problem = state_problem(table, k=3, options={"weights": "weight", "households": "home"})
    assert problem.records.columns == ("number", "sex")
    assert problem.weights is not None
    assert problem.weights.tolist() == [1, 2, 3, 1, 1, 1]
    assert [(rule.column, rule.level) for rule in problem.rules] == [("home", 3)]


def test_a_sensitive_column_without_a_rule_may_be_generalized() -> None:
    assert state_problem(people(), k=2, options={"columns": ["ill"]}).records.columns == ("ill",)


def test_plain_entropy_prunes_the_hierarchy() -> None:  # 002-entropy-nonmonotone
    table = dc.Table.from_frame({"number": [1] * 97 + [2, 3, 4]})
    problem = state_problem(
        table, k=2, options={"hierarchies": {"number": NUMBERS}, "loss": "plain_entropy"}
    )
    (tree,), (costs,) = problem.records.hierarchies, problem.costs
    assert tree.labels == (1, 2, 3, 4, "low", "*")
    assert costs[-1] == pytest.approx(0.2419, abs=5e-5)
    assert is_monotone(tree, costs)
    for loss in ("lm", "tree", "suppression", "entropy"):
        options: Options = {"hierarchies": {"number": NUMBERS}, "loss": loss}
        assert state_problem(table, k=2, options=options).records.hierarchies == (NUMBERS,)


def test_k_of_one_and_of_all_rows() -> None:
    for k in (1, 6, np.int64(3)):
        assert state_problem(people(), k=int(k), options={}).k == k


@pytest.mark.parametrize("k", [0, -1, True, 2.5, 2.0, "2", None, float("nan")])
def test_a_k_that_is_none(k: Any) -> None:  # noqa: ANN401  wrong on purpose
    with pytest.raises(ParameterError, match=r"k=.* must be (a whole number, )?at least 1"):
        state_problem(people(), k=k, options={})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hierarchy": {"number": NUMBERS}}, "no option 'hierarchy'. Did you mean 'hierarchies'"),
        ({"loss": "dm"}, "There is no loss='dm'"),
        ({"loss": None}, "loss=None"),
        ({"columns": []}, "no column to generalize"),
        ({"columns": ["age"]}, "There is no column 'age'"),
        ({"columns": "sex"}, "list of names"),
        ({"columns": ["name"]}, "'name' is identifying, so it is not released"),
        ({"columns": ["sex", "ill"], "l": 2}, "'ill' is to be generalized and also sensitive"),
        ({"columns": ["sex", "ill"], "t": 0.5}, "'ill' is to be generalized and also sensitive"),
        ({"sensitive": ["sex"], "l": 2}, "'sex' is to be generalized and also sensitive"),
        ({"sensitive": ["name"], "l": 2}, "'name' is sensitive and is also identifying"),
        ({"columns": ["number"], "weights": "number"}, "'number' holds weights"),
        ({"columns": ["number"], "households": "number"}, "also that of households"),
        ({"hierarchies": {"numbr": NUMBERS}}, "Did you mean 'number'"),
        ({"hierarchies": {"number": {"*": [1, 2, 3, 4]}}}, "is no Hierarchy but a dict"),
        ({"weights": "weigth"}, "There is no column 'weigth'"),
        ({"weights": "note"}, "each must be more than 0"),
        ({"weights": "name"}, "but not only numbers"),
        ({"households": "house"}, "There is no column 'house'"),
        ({"l": 0}, "l=0 must be at least 1"),
        ({"t": 2}, "t=2 must be from 0 to 1"),
    ],
)
def test_refused_options(options: Options, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        state_problem(people(), k=2, options=options)


@pytest.mark.parametrize("weight", ["nan", "inf", "-1", "0", None, "x"])
def test_refused_weights(weight: str | None) -> None:
    table = people(weight=["1", "2", "3", "4", "5", weight])
    with pytest.raises(ParameterError, match="Column 'weight' holds weights"):
        state_problem(table, k=2, options={"weights": "weight"})


@pytest.mark.parametrize(
    ("k", "options", "message"),
    [
        (7, {}, "6 rows, fewer than k=7"),
        (2, {"l": 3}, r"Not even all 6 rows .* 'ill' \(distinct, 3\)"),
        (2, {"l": 2.5, "diversity": "entropy"}, "entropy, 2.5"),
        (2, {"l": 2, "c": 1, "diversity": "recursive"}, "recursive, 2"),
        (3, {"households": "sex"}, r"'sex' \(distinct, 3\)"),
    ],
)
def test_what_no_release_can_hold(k: int, options: Options, message: str) -> None:
    with pytest.raises(InfeasibleError, match=message):
        state_problem(people(), k=k, options=options)


def test_no_rows_and_unknown_values() -> None:
    with pytest.raises(InfeasibleError, match="no rows"):
        state_problem(people().take(np.array([], np.int64)), k=2, options={})
    with pytest.raises(HierarchyError, match="lacks 1 of the values: 9"):
        state_problem(
            dc.Table.from_frame({"number": [1, 9]}),
            k=2,
            options={"hierarchies": {"number": NUMBERS}},
        )


def test_a_value_without_a_leaf_gets_help() -> None:
    jobs = dc.Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}})
    table = dc.Table.from_frame({"job": ["cook", "bakr", "bakr", "zzz", None, "x", "y"]})
    for method in (dc.set_cover, dc.generalize.incognito):
        with pytest.raises(HierarchyError) as caught:
            method(table, k=2, hierarchies={"job": jobs})
        assert str(caught.value) == (
            "The hierarchy of column 'job' lacks 5 of the values: 'bakr' (2 rows, first at row 1; "
            "did you mean 'baker'?), 'x' (1 row, first at row 5), 'y' (1 row, first at row 6), ... "
            "2 more. Correct it in the data, or add it: tree.with_leaf('bakr', under='food'); in a "
            "file, a line bakr;food;*"
        )
        assert caught.value.column == "job"
    more = jobs.with_leaf("bakr", under="food")
    with pytest.raises(
        HierarchyError, match=r"with_leaf\('x', under='\*'\); in a file, a line x;\*"
    ):
        dc.set_cover(table, k=2, hierarchies={"job": more})
    only_missing = table.take(np.array([0, 4]))
    with pytest.raises(HierarchyError, match=r"None \(1 row, first at row 1\).*with_leaf\(None\)"):
        dc.set_cover(only_missing, k=2, hierarchies={"job": more})
    with pytest.raises(HierarchyError, match="has the text '1' instead"):
        dc.set_cover({"a": [1, 2]}, k=2, hierarchies={"a": dc.Hierarchy.flat(["1", "2"])})


def test_equal_rows_and_one_value() -> None:
    problem = state_problem(dc.Table.from_frame({"only": ["x"] * 4}), k=2, options={})
    assert [cost.tolist() for cost in problem.costs] == [[0.0]]
