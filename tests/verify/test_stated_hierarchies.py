"""The hierarchies that a release states: every tampering with their file is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.release.hierarchies import hierarchies_text, node_heights, stated_hierarchy
from discreet.verify import verify_release
from discreet.verify.hierarchies import contradiction, read_stated, whole_tree
from tests.examples import examples
from tests.verify.folders import check, edit, failed, in_order
from tests.verify.generalized_folders import TABLE, WHOLE, saved


def restate(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the hierarchies and, as an attacker would, certify the changed ones."""
    path = folder / "hierarchies.json"
    values = json.loads(path.read_text())
    change(values["columns"])
    path.write_text(json.dumps(values, ensure_ascii=False, sort_keys=True) + "\n")

    def recertify(certificate: dict[str, Any]) -> None:
        certificate["hierarchies_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    return edit(folder, recertify)


def test_the_file_edited(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    path = folder / "hierarchies.json"
    path.write_text(path.read_text().replace("food", "feed"))
    found = verify_release(folder)
    assert "files" in failed(found)
    assert check(found, "files").detail == "hierarchies.json was changed after it was certified."


def test_a_released_group_taken_out_of_the_file(tmp_path: Path) -> None:
    def drop(columns: dict[str, Any]) -> None:
        columns["job"] = [columns["job"][0]]

    found = verify_release(restate(saved(tmp_path), drop))
    assert failed(found) == ["hierarchies"]
    assert "Column 'job' shows" in check(found, "hierarchies").detail


def test_a_value_that_is_not_released_put_into_the_file(tmp_path: Path) -> None:
    def add(columns: dict[str, Any]) -> None:
        columns["job"].append(["astronaut", 0, 0])

    found = verify_release(restate(saved(tmp_path), add))
    assert failed(found) == ["hierarchies"]
    assert "has 'astronaut', which is neither released" in check(found, "hierarchies").detail


def test_groups_dealt_to_others(tmp_path: Path) -> None:
    def swap(columns: dict[str, Any]) -> None:
        nodes = columns["age"]
        one, other = next(
            (one, other)
            for one in nodes
            for other in nodes
            if one[2] == other[2] and one[1] is not None and one[1] != other[1]
        )
        one[0], other[0] = other[0], one[0]
        columns["age"] = in_order(nodes)

    folder = restate(saved(tmp_path), swap)
    assert verify_release(folder).answer != "refuted"  # labels are not read
    found = verify_release(folder, original=TABLE, hierarchies=WHOLE)
    assert failed(found) == ["given hierarchies"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda columns: columns.pop("age"), "'age' was generalized by a hierarchy that"),
        (lambda columns: columns.update(zip=columns["age"]), "'zip', which is not released"),
        (lambda columns: columns.update(age=[]), "'age' has no nodes"),
        (lambda columns: columns["age"][0].pop(), "'age' has no nodes"),
        (lambda columns: columns["age"][1].__setitem__(0, 3), "'age' has no nodes"),
        (lambda columns: columns["age"][1].__setitem__(2, 10**400), "more than 19 digits"),
        (lambda columns: columns["age"][1].__setitem__(1, 1), "that does not come after"),
        (lambda columns: columns["age"][1].__setitem__(1, None), "that does not come after"),
        (lambda columns: columns["age"][0].__setitem__(2, 1), "that is not lower than"),
        (lambda columns: columns["age"].extend([["7", 0, 0], ["7", 0, 0]]), "one value twice"),
    ],
)
def test_a_file_that_states_no_hierarchy(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    found = verify_release(restate(saved(tmp_path), change))
    assert "hierarchies" in failed(found)
    assert words in check(found, "hierarchies").detail


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b'{"version": 3, "columns": {}}', b'{"version": "2", "columns": {}}', b"\xff",
        b'{"version": 1, "columns": {}}', b'{"version": 2, "columns": []}',
    ],
)  # fmt: skip
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
    lines = [["1", "x", "low", "*"], ["2", "low", "low2", "*"], ["3", "x3", "low", "*"]]
    text = {"version": 1, "columns": {"n": {"version": 1, "name": "n", "levels": lines}}}
    tree = read_stated(json.dumps(text).encode())["n"]
    under = {place for start, stop in tree.spans["low"] for place in range(start, stop)}
    assert under == {tree.place_of["1"], tree.place_of["2"], tree.place_of["3"]}


@st.composite
def trees(draw: st.DrawFn) -> tuple[dc.Hierarchy, list[str]]:
    """Draw a hierarchy of up to twelve values, and labels that are released of it."""
    n = draw(st.integers(1, 12))
    rows = [(f"v{i}", f"g{i // 2}", f"h{i // 6}", "*") for i in range(n)]
    tree = dc.Hierarchy.from_levels(rows, name="x")
    labels = sorted({str(label) for label in tree.full.labels})
    return tree, draw(st.lists(st.sampled_from(labels), unique=True, max_size=6))


@given(case=trees())
@examples(80)
def test_what_is_stated_is_what_is_released_and_what_is_above(
    case: tuple[dc.Hierarchy, list[str]],
) -> None:
    given, released = case
    stated = stated_hierarchy("x", given, released)
    tree = given.full  # a group of one is stated where it, or what it holds, is released
    nodes = {node for node, label in enumerate(tree.labels) if label in released}
    wanted = {tree.root, *nodes, *(up for node in nodes for up in tree.ancestors(node))}
    if tree.n_nodes == 1:
        assert [node.label for node in stated.nodes] == (released or ["*"])
        return
    heights = node_heights(tree)
    assert sorted((node.label, node.height) for node in stated.nodes) == sorted(
        (str(tree.labels[node]), heights[node]) for node in wanted
    )
    read = read_stated(hierarchies_text({"x": stated}).encode(), version=2)["x"]
    whole = whole_tree("x", given, ())
    assert contradiction(read, whole) is None
    assert {label for label in released if label in read.spans} == set(released)
    assert {*read.place_of} == {label for label in released if label in tree.leaves}
    if len(wanted) > 2 and tree.n_leaves > 2:
        lowest = min(wanted, key=lambda node: heights[node])
        other = dc.Hierarchy.from_levels(
            [row for row in tree.to_levels() if row[0] != tree.labels[lowest]] or [("a", "*")]
        )
        if heights[lowest] == 0:  # a value that the checker's hierarchy lacks
            assert contradiction(read, whole_tree("x", other, ())) is not None
