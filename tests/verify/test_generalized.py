"""Releases by generalization: honest ones pass, and values that are no nodes are named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.generalize.rules import Options
from discreet.verify import verify_release
from tests.generalize.releases import ILLS, TREES, chunked
from tests.verify.folders import check, failed, spoken
from tests.verify.generalized_folders import TABLE, WHOLE, saved, with_cells


def in_first_class(column: str, value: object) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Show another value in all rows of the first class, so that it stays a class."""

    def change(rows: pl.DataFrame) -> pl.DataFrame:
        same = pl.all_horizontal(
            pl.col(name).eq_missing(pl.col(name).first()) for name in ("age", "job", "sex")
        )
        return rows.with_columns(pl.when(same).then(pl.lit(value)).otherwise(column).alias(column))

    return change


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
        found = verify_release(folder, original=original, hierarchies=WHOLE if original else None)
        assert found.answer != "refuted", found.sentence
        assert not found.failed
    assert check(found, "hierarchies").passed
    assert check(found, "rows of original").passed
    assert check(found, "values of original").passed


def test_what_is_stated(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    stated = json.loads((folder / "hierarchies.json").read_text())
    assert stated["version"] == 2
    assert sorted(stated["columns"]) == ["age", "job"]  # sex was made from the rows
    certificate = json.loads((folder / "certificate.json").read_text())
    assert any("without looking" in each for each in certificate["guarantee"]["assumptions"])
    made, loaded = chunked(TABLE, k=5), dc.Release.load(folder)
    assert loaded.data.to_frame().equals(made.data.to_frame())
    assert loaded.stated == made.stated
    assert loaded.events == made.events
    assert (made.hierarchies, loaded.hierarchies) == (TREES, {})
    assert loaded.trees(TREES) == TREES
    with pytest.raises(ParameterError, match="states only what it shows"):
        loaded.trees()


def test_no_value_that_is_not_released_travels_along(tmp_path: Path) -> None:
    folder = saved(tmp_path, size=30)
    rows = pl.read_parquet(folder / "data.parquet")
    stated = json.loads((folder / "hierarchies.json").read_text())["columns"]
    for name, nodes in stated.items():
        shown = set(rows[name].to_list())
        tree = TREES[name]
        above = {
            str(tree.labels[up]) for label in shown for up in tree.ancestors(tree.node_of(label))
        }
        labels = [label for label, _, _ in nodes]
        assert {*labels} == shown | above
        assert not {str(leaf) for leaf in tree.leaves} & ({*labels} - shown)
        # Nor does how many there are: only labels, parents and heights are stated.
        assert all(len(node) == 3 and node[2] <= tree.depth for node in nodes)


def test_without_the_hierarchies_what_is_below_is_not_checked(tmp_path: Path) -> None:
    found = verify_release(saved(tmp_path), original=TABLE)
    assert found.answer == "verified"
    for name in ("values of original", "rows of original"):
        assert check(found, name).passed is None
        assert "are not published" in check(found, name).detail
    (tmp_path / "two").mkdir()
    too_many = verify_release(
        with_cells(saved(tmp_path / "two"), lambda rows: rows.with_columns(ill=pl.lit("break"))),
        original=TABLE,
    )
    assert failed(too_many) == ["rows of original"]


def test_a_given_hierarchy_that_is_another(tmp_path: Path) -> None:
    jobs = dc.Hierarchy.from_mapping(
        {"*": {"food": ["nurse", "baker"], "tech": ["coder", "tester"], "care": ["cook"]}}
    )
    folder = with_cells(saved(tmp_path), in_first_class("job", "cook"))
    found = verify_release(folder, original=TABLE, hierarchies={**TREES, "job": jobs})
    assert failed(found) == ["given hierarchies"]
    assert "'job'" in check(found, "given hierarchies").detail


def test_without_hierarchies_there_is_no_file(tmp_path: Path) -> None:
    folder = saved(tmp_path, hierarchies={})
    assert not (folder / "hierarchies.json").exists()
    assert "hierarchies_sha256" not in (folder / "certificate.json").read_text()
    found = verify_release(folder, original=TABLE, hierarchies=WHOLE)
    assert found.answer != "refuted"
    assert "kept or suppressed" in check(found, "hierarchies").detail


def test_a_csv_file_and_a_plain_frame(tmp_path: Path) -> None:
    folder = chunked(TABLE, k=5, t=0.9, distance="ordered").save(tmp_path / "out", format="csv")
    found = verify_release(folder, original=TABLE.to_frame())
    assert found.answer != "refuted", found.sentence
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
    assert verify_release(folder).answer != "refuted"  # nobody else can tell
    found = verify_release(folder, original=TABLE, hierarchies=WHOLE)
    assert failed(found) == ["values of original"]
    assert "Column 'sex' shows 'x' (row 1 of the data)" in check(found, "values of original").detail


def test_a_value_outside_the_hierarchy_of_a_release_by_suppression(tmp_path: Path) -> None:
    release = dc.k_mii(TABLE.select(["job", "sex"]), k=12)
    assert None in release.data.values("job")
    trees = {"job": dc.Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "nurse": []}})}
    folder = spoken(replace(release, hierarchies=trees).save(tmp_path / "out"))
    found = verify_release(folder)
    assert failed(found) == ["hierarchies"]
    assert "Column 'job' shows 'coder'" in check(found, "hierarchies").detail
    given = replace(release, hierarchies={"job": TREES["job"]})
    whole = spoken(given.save(tmp_path / "whole"))
    assert failed(verify_release(whole, original=TABLE)) == ["side files"]  # nothing went by it


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
        assert verify_release(changed).answer != "refuted"
        found = verify_release(changed, original=TABLE, hierarchies=WHOLE)
        caught += found.answer == "refuted"
        if found.failed:
            assert failed(found) == ["rows of original"]
            assert f"'{label}'" in check(found, "rows of original").detail
    assert caught == len(others[:: max(1, len(others) // 8)])


def test_a_sensitive_value_changed(tmp_path: Path) -> None:
    def change(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(ill=pl.lit("break"))

    found = verify_release(with_cells(saved(tmp_path), change), original=TABLE, hierarchies=WHOLE)
    assert failed(found) == ["rows of original"]
    assert "Column 'ill': 120 released rows show 'break'" in check(found, "rows of original").detail


def test_more_rows_than_there_were(tmp_path: Path) -> None:
    found = verify_release(saved(tmp_path), original=TABLE.take(np.arange(119)))
    assert failed(found) == ["rows of original"]
    assert (
        "120 rows are released, and the original has 119" in check(found, "rows of original").detail
    )
