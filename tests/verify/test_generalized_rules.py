"""Rules that a generalized release keeps: raised or left out, they are caught; dropped rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import GuaranteeError
from discreet.generalize.problem import state_problem
from discreet.generalize.release import nodes_release
from discreet.generalize.rules import Options, make_rules
from discreet.release.event import Event
from discreet.verify import verify_release
from tests.generalize.releases import ILLS, chunked
from tests.verify.folders import check, edit, exact, failed
from tests.verify.generalized_folders import TABLE, WHOLE, saved, with_cells

FOREST = (Event(name="forest", parameters={"k": 2, "loss": "lm"}),)  # whichever: rows are given


def change_event(name: str, **parameters: object) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        (event,) = [event for event in values["events"] if event["name"] == name]
        event["parameters"] |= parameters

    return change


def claim(**parameters: object) -> Callable[[dict[str, Any]], None]:
    return lambda values: values["guarantee"]["parameters"].update(parameters)


# Rules


@pytest.mark.parametrize(
    ("options", "change", "caught"),
    [
        ({"l": 2}, claim(l=4), "l-diversity"),
        ({"l": 2}, claim(diversity="recursive", c=exact("0.1")), "l-diversity"),
        ({"l": 2}, claim(diversity="mixed"), "l-diversity"),
        ({"l": 1.5, "diversity": "entropy"}, claim(l=exact("2.99")), "l-diversity"),
        ({"l": 2, "diversity": "recursive", "c": 3}, claim(c=exact("0.5")), "l-diversity"),
        ({"t": 0.5}, claim(t=exact("0.01")), "t-closeness"),
        ({"t": 0.5}, claim(t=2), "t-closeness"),
        ({"t": 0.5}, claim(distance="hierarchical"), "t-closeness"),
        ({"t": 0.5, "distance": "ordered"}, claim(t=exact("0.01")), "t-closeness"),
    ],
)
def test_a_rule_raised(
    tmp_path: Path, options: Options, change: Callable[[dict[str, Any]], None], caught: str
) -> None:
    found = verify_release(edit(saved(tmp_path, size=15, **options), change))
    assert failed(found) == [caught]


def test_the_column_of_a_broken_rule_is_named(tmp_path: Path) -> None:
    found = verify_release(edit(saved(tmp_path, size=15, l=2), claim(l=4)))
    detail = check(found, "l-diversity").detail
    assert "In column 'ill' 5 classes are not" in detail
    assert "such as that of row 1 of the data" in detail


@pytest.mark.parametrize("named", [[], ["age"], ["nothing"], "ill", ["home"]])
def test_a_sensitive_column_taken_out(tmp_path: Path, named: object) -> None:
    folder = edit(saved(tmp_path, size=15, l=2), change_event("obey_rules", sensitive=named))
    found = verify_release(folder)
    assert failed(found) == ["sensitive columns"]
    if named == ["home"]:
        assert "Column 'ill' is sensitive" in check(found, "sensitive columns").detail


def test_a_sensitive_column_whose_role_was_changed(tmp_path: Path) -> None:
    folder = edit(saved(tmp_path, size=15, l=2), change_event("obey_rules", sensitive=["home"]))

    def demote(values: dict[str, Any]) -> None:
        for column in values["data"]["columns"]:
            column["role"] = "insensitive" if column["name"] == "ill" else column["role"]

    found = verify_release(edit(folder, demote), original=TABLE, hierarchies=WHOLE)
    assert "sensitive columns" in failed(found)


def test_the_step_of_the_rules_taken_out(tmp_path: Path) -> None:
    def drop(values: dict[str, Any]) -> None:
        values["events"] = [each for each in values["events"] if each["name"] != "obey_rules"]

    found = verify_release(edit(saved(tmp_path, size=15, l=2), drop))
    assert failed(found) == ["sensitive columns"]


def test_sensitive_columns_without_a_rule_are_told(tmp_path: Path) -> None:
    table = TABLE.with_roles(home="sensitive")
    folder = chunked(table, k=5, size=15, l=2, sensitive=["ill"]).save(tmp_path / "out")
    found = verify_release(folder, original=table)
    assert found.answer != "refuted"
    assert check(found, "columns without rules").passed is None
    assert "home" in check(found, "columns without rules").detail


def test_households_are_never_passed(tmp_path: Path) -> None:
    folder = chunked(TABLE, k=5, size=15, households="home").save(tmp_path / "out")
    alone = verify_release(folder)
    assert alone.answer != "refuted"
    assert check(alone, "households").passed is None
    assert "not checkable from the files" in check(alone, "households").detail
    found = verify_release(folder, original=TABLE, hierarchies=WHOLE)
    assert check(found, "households").passed is None
    assert "of at least 5" in check(found, "households").detail
    one_home = TABLE.with_column("home", np.zeros(TABLE.n_rows, int), [0])
    found = verify_release(folder, original=one_home)
    assert failed(found) == ["households"]


def test_weights_are_not_held_against_the_original(tmp_path: Path) -> None:
    folder = chunked(TABLE, k=5, weights="weight").save(tmp_path / "out")
    found = verify_release(folder, original=TABLE, hierarchies=WHOLE)
    assert found.answer != "refuted", found.sentence
    assert "in age, job, sex, ill, home" in check(found, "rows of original").detail
    assert check(found, "weights").passed

    def change(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(weight=pl.int_range(pl.len()).cast(pl.Float64))

    found = verify_release(with_cells(folder, change))
    assert failed(found) == ["weights"]
    assert "Column 'weight'" in check(found, "weights").detail.replace("In column", "Column")


# Rows that were dropped


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_left_after_dropping_is_what_is_claimed(
    tmp_path: Path,
    seed: int,
    distance: Any,  # noqa: ANN401
) -> None:
    rng = np.random.default_rng(seed)
    groups, ills = rng.integers(0, 4, 60), rng.choice(["break", "cold", "flu"], 60)
    groups[ills == "flu"] = 3  # all rows with this value are in one class, which goes
    table = dc.Table.from_frame(
        {"group": groups.tolist(), "ill": ills.tolist()}, roles={"ill": "sensitive"}
    )
    options: Options = {"distance": distance, "t": 1.0, "hierarchies": {"ill": ILLS}}
    passed = 0
    for near in (0.05, 0.1, 0.15, 0.2, 0.3, 0.5):
        problem = state_problem(table, k=2, options={**options, "t": 1.0})
        problem = replace(problem, rules=make_rules(table, k=2, options={**options, "t": near}))
        try:
            release = nodes_release(
                table, problem=problem, options={**options, "t": near},
                nodes=problem.records.leaves, is_dropped=groups == 3, events=FOREST,
            )  # fmt: skip
        except GuaranteeError:
            assert not passed  # what holds at one t holds at larger ones
            release = nodes_release(
                table, problem=replace(problem, rules=make_rules(table, k=2, options=options)),
                options={**options, "t": near}, nodes=problem.records.leaves,
                is_dropped=groups == 3, events=FOREST,
            )  # fmt: skip
            folder = release.save(tmp_path / f"{near}")
            assert failed(verify_release(folder)) == ["t-closeness"]
            continue
        passed += 1
        folder = release.save(tmp_path / f"{near}")
        found = verify_release(folder, original=table)
        assert found.answer != "refuted", found.sentence
        assert not found.failed
    assert passed


def test_farther_from_the_original_than_from_what_is_left(tmp_path: Path) -> None:
    table = dc.Table.from_frame(
        {"group": [0, 0, 0, 0, 1, 1, 1, 1], "ill": ["a", "b", "a", "b", "c", "c", "c", "c"]},
        roles={"ill": "sensitive"},
    )
    options: Options = {"t": 0.1}
    problem = replace(
        state_problem(table, k=2, options={"t": 1}), rules=make_rules(table, k=2, options=options)
    )
    release = nodes_release(
        table, problem=problem, options=options, nodes=problem.records.leaves,
        is_dropped=table.codes("group") == 1, events=FOREST,
    )  # fmt: skip
    found = verify_release(release.save(tmp_path / "out"), original=table)
    assert found.answer != "refuted"
    assert check(found, "closeness to original").passed is None
    assert "Records were suppressed" in check(found, "closeness to original").detail


def test_values_that_read_the_same_are_one_value(tmp_path: Path) -> None:
    folder = saved(tmp_path, sensitive=["ill"], l=2)
    ills = ["flu", "Flu", "flu\u200b"] * 200
    with_cells(
        folder,
        lambda rows: rows.with_columns(ill=pl.Series(ills[: rows.height])).sort(rows.columns),
    )
    found = dc.verify_release(folder)
    assert "l-diversity" in [check.name for check in found.failed]
