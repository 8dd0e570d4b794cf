"""Broken inputs of every kind are read, or refused by a DiscreetError; nothing else comes out."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import GuaranteeError, HierarchyError
from discreet.release.release import Release
from tests.fuzz.targets import COMPAT, TARGETS, Fuzzer, files_of, signed

# `make fuzz` goes on where this ends: a million inputs in a night.
COUNTS = {
    "csv": 800, "parquet": 800, "excel": 500, "stats": 10, "policy": 1000, "hierarchy": 1000,
    "stored-hierarchy": 800, "folder": 250, "certificate": 400,
}  # fmt: skip


@pytest.mark.parametrize("name", TARGETS)
def test_broken_inputs_are_read_or_refused(name: str, tmp_path: Path) -> None:
    fuzzer = Fuzzer(name, tmp_path)
    ended = {fuzzer.run(number) for number in range(COUNTS[name])}
    assert "read" in ended
    assert "an error without words" not in ended
    if name not in {"folder", "certificate"}:  # of those, checks fail and nothing is raised
        assert ended - {"read"}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_whole_is_read_and_inputs_are_the_same_each_time(name: str) -> None:
    fuzzer = Fuzzer(name, Path("unused"), seed=3)
    assert fuzzer.seeds
    assert fuzzer.input(5) == Fuzzer(name, Path("unused"), seed=3).input(5)
    changed = {number for number in range(40) if fuzzer.input(number) not in fuzzer.seeds}
    assert len(changed) > 30


def test_a_wrong_error_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.fuzz import targets

    def read(path: Path) -> object:
        raise KeyError(path)

    csv = TARGETS["csv"]
    monkeypatch.setitem(targets.TARGETS, "csv", targets.Target(csv.seeds, csv.broken, read))
    with pytest.raises(KeyError):
        Fuzzer("csv", tmp_path).run(0)


# What was found.


@pytest.mark.parametrize("label", [[], ["x"], {}, {"a": 1}])
def test_labels_of_a_stored_hierarchy_are_values(label: object) -> None:
    stored = {"version": 1, "name": "job", "levels": [["a", label, "*"]]}
    with pytest.raises(HierarchyError, match="has a label that is a list"):
        Hierarchy.from_dict(stored)


def test_damaged_transactions_are_an_error_with_a_name(tmp_path: Path) -> None:
    files = files_of(COMPAT / "randomized-uniform")
    rng = random.Random(1)
    for _ in range(30):
        at = rng.randrange(len(files["data.parquet"]))
        broken = {**files, "data.parquet": files["data.parquet"][:at]}
        for name, content in signed(broken, json.loads(files["certificate.json"])).items():
            (tmp_path / name).write_bytes(content)
        with pytest.raises(GuaranteeError, match=r"data\.parquet cannot be read"):
            Release.load(tmp_path)
