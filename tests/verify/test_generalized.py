"""Releases by generalization: what they state is checked, and every tampering named."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import GuaranteeError
from discreet.generalize.make_rules import make_rules
from discreet.generalize.problem import Options, state_problem
from discreet.generalize.release import nodes_release
from discreet.verify import verify_release
from tests.generalize.releases import ILLS, TREES, chunked, people
from tests.verify.folders import check, edit, exact, failed, replace_data

TABLE = people()


def saved(folder: Path, *, k: int = 5, size: int | None = None, **options: Unpack[Options]) -> Path:
    return chunked(TABLE, k=k, size=size, **options).save(folder / "release")


def restate(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the hierarchies and, as an attacker would, certify the changed ones."""
    path = folder / "hierarchies.json"
    values = json.loads(path.read_text())
    change(values["columns"])
    path.write_text(json.dumps(values))

    def recertify(certificate: dict[str, Any]) -> None:
        certificate["hierarchies_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    return edit(folder, recertify)


def with_cells(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    """Change the released rows and certify the changed ones."""
    buffer = io.BytesIO()
    change(pl.read_parquet(folder / "data.parquet")).write_parquet(buffer)
    return replace_data(folder, buffer.getvalue())


def in_first_class(column: str, value: object) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Show another value in all rows of the first class, so that it stays a class."""

    def change(rows: pl.DataFrame) -> pl.DataFrame:
        same = pl.all_horizontal(
            pl.col(name).eq_missing(pl.col(name).first()) for name in ("age", "job", "sex")
        )
        return rows.with_columns(pl.when(same).then(pl.lit(value)).otherwise(column).alias(column))

    return change


def change_event(name: str, **parameters: object) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        (event,) = [event for event in values["events"] if event["name"] == name]
        event["parameters"] |= parameters

    return change


def claim(**parameters: object) -> Callable[[dict[str, Any]], None]:
    return lambda values: values["guarantee"]["parameters"].update(parameters)


# Honest releases


RULES: list[Options] = [
    {},
    {"l": 2},
    {"l": 1.5, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 3},
    {"t": 0.5},
    {"t": 0.5, "distance": "ordered"},
    {"t": 0.5, "distance": "hierarchical", "hierarchies": {**TREES, "ill": ILLS}},
    {"l": 2, "t": 0.6},
]


@pytest.mark.parametrize("options", RULES, ids=str)
def test_honest_releases_pass(tmp_path: Path, options: Options) -> None:
    folder = saved(tmp_path, size=15, **options)
    for original in (None, TABLE):
        found = verify_release(folder, original=original)
        assert found.passed, found.sentence
        assert not found.failed
    assert check(found, "hierarchies").passed
    assert check(found, "rows of original").passed
    assert check(found, "values of original").passed


def test_what_is_stated(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    stated = json.loads((folder / "hierarchies.json").read_text())
    assert stated["version"] == 1
    assert sorted(stated["columns"]) == ["age", "job"]  # sex was made from the rows
    certificate = json.loads((folder / "certificate.json").read_text())
    assert any("without looking" in each for each in certificate["guarantee"]["assumptions"])
    made, loaded = chunked(TABLE, k=5), dc.Release.load(folder)
    assert loaded.data.to_frame().equals(made.data.to_frame())
    assert loaded.hierarchies == made.hierarchies
    assert loaded.events == made.events
    assert loaded.hierarchies["age"].leaf_counts.tolist() == TREES["age"].leaf_counts.tolist()


def test_without_hierarchies_there_is_no_file(tmp_path: Path) -> None:
    folder = saved(tmp_path, hierarchies={})
    assert not (folder / "hierarchies.json").exists()
    assert "hierarchies_sha256" not in (folder / "certificate.json").read_text()
    found = verify_release(folder, original=TABLE)
    assert found.passed
    assert "kept or hidden" in check(found, "hierarchies").detail


def test_a_csv_file_and_a_plain_frame(tmp_path: Path) -> None:
    folder = chunked(TABLE, k=5, t=0.9, distance="ordered").save(tmp_path / "out", format="csv")
    found = verify_release(folder, original=TABLE.to_frame())
    assert found.passed, found.sentence
    assert not found.failed


# Values that are no nodes


@pytest.mark.parametrize(
    ("column", "value"), [("age", "37.5"), ("job", "pilot"), ("age", "*!"), ("job", None)]
)
def test_a_value_that_is_no_node(tmp_path: Path, column: str, value: object) -> None:
    found = verify_release(with_cells(saved(tmp_path), in_first_class(column, value)))
    assert failed(found) == ["hierarchies"]
    detail = check(found, "hierarchies").detail
    assert f"Column '{column}' shows" in detail
    assert ("an empty cell" if value is None else repr(value)) in detail
    assert "row 1 of the data" in detail


def test_a_value_that_a_column_without_hierarchy_never_had(tmp_path: Path) -> None:
    folder = with_cells(saved(tmp_path), in_first_class("sex", "x"))
    assert verify_release(folder).passed  # nobody else can tell
    found = verify_release(folder, original=TABLE)
    assert failed(found) == ["values of original"]
    assert "Column 'sex' shows 'x' (row 1 of the data)" in check(found, "values of original").detail


def test_a_value_outside_the_hierarchy_of_a_release_by_suppression(tmp_path: Path) -> None:
    release = dc.k_mii(TABLE.select(["job", "sex"]), k=12)
    assert None in release.data.values("job")
    trees = {"job": dc.Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "nurse": []}})}
    folder = replace(release, hierarchies=trees).save(tmp_path / "out")
    found = verify_release(folder)
    assert failed(found) == ["hierarchies"]
    assert "Column 'job' shows 'coder'" in check(found, "hierarchies").detail
    whole = replace(release, hierarchies={"job": TREES["job"]}).save(tmp_path / "whole")
    assert verify_release(whole, original=TABLE).passed


@pytest.mark.parametrize("columns", ["age", "job"])
def test_a_node_that_does_not_contain_the_original(tmp_path: Path, columns: str) -> None:
    folder = saved(tmp_path)
    first = pl.read_parquet(folder / "data.parquet").row(0, named=True)
    tree = TREES[columns]
    path = {tree.node_of(first[columns]), *tree.ancestors(tree.node_of(first[columns]))}
    caught = 0
    others = [node for node in range(tree.n_nodes) if node not in path]
    for node in others[:: max(1, len(others) // 8)]:
        label = str(tree.labels[node])
        (tmp_path / str(node)).mkdir()
        changed = with_cells(saved(tmp_path / str(node)), in_first_class(columns, label))
        assert verify_release(changed).passed
        found = verify_release(changed, original=TABLE)
        caught += not found.passed
        if found.failed:
            assert failed(found) == ["rows of original"]
            assert f"'{label}'" in check(found, "rows of original").detail
    assert caught == len(others[:: max(1, len(others) // 8)])


def test_a_sensitive_value_changed(tmp_path: Path) -> None:
    def change(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(ill=pl.lit("break"))

    found = verify_release(with_cells(saved(tmp_path), change), original=TABLE)
    assert failed(found) == ["rows of original"]
    assert "Column 'ill': 120 released rows show 'break'" in check(found, "rows of original").detail


def test_more_rows_than_there_were(tmp_path: Path) -> None:
    found = verify_release(saved(tmp_path), original=TABLE.take(np.arange(119)))
    assert failed(found) == ["rows of original"]
    assert (
        "120 rows are released, and the original has 119" in check(found, "rows of original").detail
    )


# The file of hierarchies


def test_the_file_edited(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    path = folder / "hierarchies.json"
    path.write_text(path.read_text().replace("cook", "chef"))
    found = verify_release(folder)
    assert "files" in failed(found)
    assert check(found, "files").detail == "hierarchies.json was changed after it was certified."


def test_a_value_taken_out_of_the_file(tmp_path: Path) -> None:
    def drop(columns: dict[str, Any]) -> None:
        columns["job"]["levels"] = [line for line in columns["job"]["levels"] if line[0] != "nurse"]

    folder = restate(saved(tmp_path), drop)
    found = verify_release(folder, original=TABLE)
    assert not found.passed
    assert any("column 'job'" in each.detail.lower() for each in found.failed)


def test_values_dealt_to_other_groups(tmp_path: Path) -> None:
    def swap(columns: dict[str, Any]) -> None:
        lines = columns["age"]["levels"]
        groups = [line[1:] for line in lines]
        for line, above in zip(lines, groups[20:] + groups[:20], strict=True):
            line[1:] = above

    folder = restate(saved(tmp_path), swap)
    assert verify_release(folder).passed  # labels are not read
    assert failed(verify_release(folder, original=TABLE)) == ["rows of original"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda columns: columns.pop("age"), "'age' was generalized by a hierarchy that"),
        (lambda columns: columns.update(zip=columns["age"]), "'zip', which is not released"),
        (lambda columns: columns["age"].update(levels=[]), "'age' has no lines"),
        (lambda columns: columns["age"]["levels"][0].pop(), "'age' has lines of different len"),
        (lambda columns: columns["age"]["levels"][0].append(3), "'age' has no lines from a value"),
        (lambda columns: columns["age"]["levels"][0].__setitem__(-1, "all"), "different roots"),
        (lambda columns: columns["age"]["levels"].append(columns["age"]["levels"][0]), "two lines"),
    ],
)
def test_a_file_that_states_no_hierarchy(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    found = verify_release(restate(saved(tmp_path), change))
    assert "hierarchies" in failed(found)
    assert words in check(found, "hierarchies").detail


@pytest.mark.parametrize("content", [b"", b"[]", b'{"version": 2, "columns": {}}', b"\xff"])
def test_a_file_that_is_something_else(tmp_path: Path, content: bytes) -> None:
    folder = saved(tmp_path)
    (folder / "hierarchies.json").write_bytes(content)

    def recertify(values: dict[str, Any]) -> None:
        values["hierarchies_sha256"] = hashlib.sha256(content).hexdigest()

    assert "hierarchies" in failed(verify_release(edit(folder, recertify)))


def test_the_file_taken_away(tmp_path: Path) -> None:
    folder = edit(saved(tmp_path), lambda values: values.pop("hierarchies_sha256"))
    (folder / "hierarchies.json").unlink()
    found = verify_release(folder)
    assert failed(found) == ["hierarchies"]
    assert "does not state" in check(found, "hierarchies").detail


def test_labels_that_stand_for_several_groups() -> None:
    from discreet.verify.stated import read_stated

    lines = [["1", "x", "low", "*"], ["2", "low", "low2", "*"], ["3", "x3", "low", "*"]]
    text = {"version": 1, "columns": {"n": {"version": 1, "name": "n", "levels": lines}}}
    tree = read_stated(json.dumps(text).encode())["n"]
    under = {place for start, stop in tree.spans["low"] for place in range(start, stop)}
    assert under == {tree.place_of["1"], tree.place_of["2"], tree.place_of["3"]}


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

    found = verify_release(edit(folder, demote), original=TABLE)
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
    assert found.passed
    assert check(found, "columns without rules").passed is None
    assert "home" in check(found, "columns without rules").detail


def test_households_are_never_passed(tmp_path: Path) -> None:
    folder = chunked(TABLE, k=5, size=15, households="home").save(tmp_path / "out")
    alone = verify_release(folder)
    assert alone.passed
    assert check(alone, "households").passed is None
    assert "cannot be recomputed" in check(alone, "households").detail
    found = verify_release(folder, original=TABLE)
    assert check(found, "households").passed is None
    assert "of at least 5" in check(found, "households").detail
    one_home = TABLE.with_column("home", np.zeros(TABLE.n_rows, int), [0])
    found = verify_release(folder, original=one_home)
    assert failed(found) == ["households"]


def test_weights_are_not_held_against_the_original(tmp_path: Path) -> None:
    folder = chunked(TABLE, k=5, weights="weight").save(tmp_path / "out")
    found = verify_release(folder, original=TABLE)
    assert found.passed, found.sentence
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
                nodes=problem.records.leaves, is_dropped=groups == 3, events=(),
            )  # fmt: skip
        except GuaranteeError:
            assert not passed  # what holds at one t holds at larger ones
            release = nodes_release(
                table, problem=replace(problem, rules=make_rules(table, k=2, options=options)),
                options={**options, "t": near}, nodes=problem.records.leaves,
                is_dropped=groups == 3, events=(),
            )  # fmt: skip
            folder = release.save(tmp_path / f"{near}")
            assert failed(verify_release(folder)) == ["t-closeness"]
            continue
        passed += 1
        folder = release.save(tmp_path / f"{near}")
        found = verify_release(folder, original=table)
        assert found.passed, found.sentence
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
        is_dropped=table.codes("group") == 1, events=(),
    )  # fmt: skip
    found = verify_release(release.save(tmp_path / "out"), original=table)
    assert found.passed
    assert check(found, "closeness to original").passed is None
    assert "Rows were dropped" in check(found, "closeness to original").detail
