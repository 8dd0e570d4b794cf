"""Hierarchies that go with a release: stated in a file, certified, read back."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import DataError, GuaranteeError, HierarchyError
from discreet.release.certificate import json_schema, read_certificate
from discreet.release.event import Event
from discreet.release.hierarchies import Node, read_hierarchies, restated, stated_hierarchy
from discreet.release.release import Release
from tests.release.claims import k_anonymity

DAYS = dc.Hierarchy.dates([date(2024, 1, 30), date(2024, 1, 31), date(2024, 5, 1)])
NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})


def released(**hierarchies: dc.Hierarchy) -> Release:
    data = dc.Table.from_frame({name: ["x", "x"] for name in ("age", "sex", *hierarchies)})
    return Release(data=data, guarantee=k_anonymity(), hierarchies=hierarchies)


def test_they_come_back_as_they_were(tmp_path: Path) -> None:
    release = released(number=NUMBERS, day=DAYS)
    loaded = Release.load(release.save(tmp_path / "out"))
    assert loaded == release
    assert loaded.hierarchies == {}
    again = Release.load(tmp_path / "out", hierarchies={"number": NUMBERS, "day": DAYS})
    assert again.trees() == release.trees() == {"number": NUMBERS, "day": DAYS}
    assert again == release


def test_what_is_suppressed_later_is_stated_no_more(tmp_path: Path) -> None:
    data = dc.Table.from_frame({"age": ["x"] * 3, "sex": ["x"] * 3, "number": ["low", "3", "high"]})
    release = Release(data=data, guarantee=k_anonymity(), hierarchies={"number": NUMBERS})
    assert [node.label for node in release.stated["number"].nodes] == ["*", "high", "3", "low"]
    less = data.with_column("number", [0, 0, 1], ["low", None])
    loaded = Release.load(release.save(tmp_path / "out"))
    for one in (release, loaded):
        after = one.after(Event(name="hide"), data=less)
        assert [node.label for node in after.stated["number"].nodes] == ["*", "low"]
    assert restated(release.stated["number"], ["3"]).find("3") == Node("3", 1, 0)


def test_a_release_without_them_has_no_such_file(tmp_path: Path) -> None:
    folder = released().save(tmp_path / "out")
    assert sorted(path.name for path in folder.iterdir()) == ["certificate.json", "data.parquet"]
    certificate = read_certificate((folder / "certificate.json").read_text())
    assert certificate.hierarchies_sha256 is None
    assert "hierarchies" not in (folder / "certificate.json").read_text()
    assert "hierarchies_sha256" in json_schema()["properties"]
    assert "hierarchies_sha256" not in json_schema()["required"]


def test_another_release_replaces_it_whole(tmp_path: Path) -> None:
    released(number=NUMBERS).save(tmp_path / "out")
    released().save(tmp_path / "out", overwrite=True)
    assert not (tmp_path / "out" / "hierarchies.json").exists()


@pytest.mark.parametrize("change", ["edit", "remove", "add"])
def test_a_changed_file_is_noticed(tmp_path: Path, change: str) -> None:
    given = {} if change == "add" else {"number": NUMBERS}
    folder = released(**given).save(tmp_path / "out")
    path = folder / "hierarchies.json"
    if change == "edit":
        path.write_text(path.read_text() + "\n")
    elif change == "remove":
        path.unlink()
    else:
        path.write_text("{}")
    with pytest.raises(GuaranteeError, match=r"hierarchies\.json"):
        Release.load(folder)


def test_a_hierarchy_of_no_column_is_refused() -> None:
    data = dc.Table.from_frame({"age": ["x"], "sex": ["x"]})
    with pytest.raises(GuaranteeError, match=r"A hierarchy speaks of column 'aeg'.*'age'"):
        Release(data=data, guarantee=k_anonymity(), hierarchies={"aeg": NUMBERS})


def test_what_would_not_come_back_is_refused() -> None:
    with pytest.raises(HierarchyError, match="'job' cannot be stated"):
        stated_hierarchy("job", dc.Hierarchy.flat(["a\ud800", "b"]), ["a\ud800"])
    one = dc.Hierarchy.from_levels([(17, "x", "*"), (1, "x", "*"), ("17", "y", "*"), (2, "y", "*")])
    with pytest.raises(HierarchyError, match="'age' cannot be stated"):
        stated_hierarchy("age", one, ["17"])


def test_which_values_occur_is_not_told() -> None:
    mixed = dc.Hierarchy.from_levels([(17, "young", "*"), ("18", "young", "*"), (40, "*")])
    stated = stated_hierarchy("age", mixed, [17, "18"])
    assert [node.label for node in stated.nodes] == ["*", "young", "17", "18"]


def test_a_single_value() -> None:
    for tree in (dc.Hierarchy.flat(["a"]), dc.Hierarchy.from_levels([("a",)])):
        assert len(stated_hierarchy("x", tree, tree.labels).nodes) == tree.full.n_nodes


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"version": 1, "columns": 3}',
        '{"version": 1, "columns": {"a": 1}}',
        '{"version": 2, "columns": {"a": []}}',
        '{"version": 2, "columns": {"a": [["x", 0, 1]]}}',
        '{"version": 2, "columns": {"a": [["x", null, -1]]}}',
    ],
)
def test_texts_that_hold_no_hierarchies(text: str) -> None:
    with pytest.raises(DataError, match=r"hierarchies\.json"):
        read_hierarchies(text)
    with pytest.raises(DataError, match="newer discreet"):
        read_hierarchies(json.dumps({"version": 3, "columns": {}}))
