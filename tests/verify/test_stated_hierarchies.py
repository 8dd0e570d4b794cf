"""The hierarchies that a release states: every tampering with their file is named."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.verify import verify_release
from tests.verify.folders import check, edit, failed
from tests.verify.generalized_folders import TABLE, saved


def restate(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the hierarchies and, as an attacker would, certify the changed ones."""
    path = folder / "hierarchies.json"
    values = json.loads(path.read_text())
    change(values["columns"])
    path.write_text(json.dumps(values))

    def recertify(certificate: dict[str, Any]) -> None:
        certificate["hierarchies_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    return edit(folder, recertify)


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
    assert found.answer == "refuted"
    assert any("column 'job'" in each.detail.lower() for each in found.failed)


def test_values_dealt_to_other_groups(tmp_path: Path) -> None:
    def swap(columns: dict[str, Any]) -> None:
        lines = columns["age"]["levels"]
        groups = [line[1:] for line in lines]
        for line, above in zip(lines, groups[20:] + groups[:20], strict=True):
            line[1:] = above

    folder = restate(saved(tmp_path), swap)
    assert verify_release(folder).answer != "refuted"  # labels are not read
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
    from discreet.verify.evidence import read_stated

    lines = [["1", "x", "low", "*"], ["2", "low", "low2", "*"], ["3", "x3", "low", "*"]]
    text = {"version": 1, "columns": {"n": {"version": 1, "name": "n", "levels": lines}}}
    tree = read_stated(json.dumps(text).encode())["n"]
    under = {place for start, stop in tree.spans["low"] for place in range(start, stop)}
    assert under == {tree.place_of["1"], tree.place_of["2"], tree.place_of["3"]}
