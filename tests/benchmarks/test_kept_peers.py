"""The figures of peers of synthesis that are kept are of the peers of today."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from synthesize_data import SETS
from synthesize_methods import PEERS
from synthesize_runs import EPSILONS, KEPT, runs

import discreet as dc

PINNED = (KEPT.parent / "requirements-synthesis-peers.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("data", SETS)
def test_all_were_measured_with_the_pinned_version(data: str) -> None:
    kept: dict[str, dict[str, Any]] = json.loads((KEPT / f"{data}.json").read_text("utf-8"))
    version = " ".join(re.findall(r"^(dpmm)==(\S+)$", PINNED, re.MULTILINE)[0])
    assert set(kept) <= {run.stem for run in runs([data], list(PEERS), list(EPSILONS))}
    assert {run.stem for run in runs([data], list(PEERS), [1.0])} <= set(kept)
    for result in kept.values():
        assert "absent" in result or ("fidelity" in result and result["version"] == version)


def test_figures_are_kept_beside_those_that_other_processes_keep(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import synthesize_runs

    monkeypatch.setattr(synthesize_runs, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(synthesize_runs, "FOLDER", tmp_path / "results")
    first, second = runs(["adult"], ["MST"], [1.0, 2.0])
    synthesize_runs._keep(first, {"absent": "ended after 300 CPU seconds"})
    assert synthesize_runs.known(second) == {}
    assert synthesize_runs._too_long(second) == "not tried: at 1 ended after 300 CPU seconds"
    synthesize_runs._keep(second, {"fidelity": {}})
    assert synthesize_runs.known(first)["absent"].startswith("ended")
    assert synthesize_runs.known(second) == {"fidelity": {}}
    assert synthesize_runs._too_long(first) is None


@pytest.mark.parametrize(
    ("reason", "left"),
    [
        (None, {"attacks": {}, "cpu of train": {}}),
        ("ended after 1 CPU seconds", {"attacks": {}, "cpu of train": {}}),
        ("the peers are not installed", {"attacks": {}, "cpu of train": {}, "fidelity": {}}),
    ],
)
def test_measuring_anew_loses_nothing_without_the_peer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reason: str | None, left: dict[str, Any]
) -> None:
    import synthesize_runs
    from synthesize_data import Parts
    from synthesize_methods import METHODS, Absent, Made, Task

    def peer(task: Task) -> Made:
        if reason is not None:
            raise Absent(reason)
        return Made(task.table, 1.0, 2.0, "peer 1")

    monkeypatch.setattr(synthesize_runs, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(synthesize_runs, "FOLDER", tmp_path / "results")
    monkeypatch.setitem(METHODS, "AIM", peer)
    (run,) = runs(["adult"], ["AIM"], [1.0])
    table = dc.Table.from_frame({"x": ["a", "b"]})
    synthesize_runs._keep(run, {"fidelity": {}, "cpu of train": {}, "attacks": {}})
    result = synthesize_runs.make(run, Parts(table, table, table, "x"), ["fidelity"], 1, anew=True)
    assert result == reason
    known = synthesize_runs.known(run)
    assert {name: known[name] for name in left} == left
    assert ("fidelity" in known) == ("fidelity" in left)
    assert known.get("absent") == (reason if "fidelity" not in left else None)
    assert known.get("cpu of whole") == (None if reason else {"fit": 1.0, "sample": 2.0})
    assert synthesize_runs._path(run, "whole").exists() == (reason is None)


def test_a_peer_that_took_too_long_is_not_tried_with_more_when_measured_anew(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import synthesize_runs
    from synthesize_data import Parts
    from synthesize_methods import METHODS, Absent, Made, Task

    tried = []

    def peer(task: Task) -> Made:
        tried.append(task.epsilon)
        raise Absent("ended after 1 CPU seconds")

    monkeypatch.setattr(synthesize_runs, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(synthesize_runs, "FOLDER", tmp_path / "results")
    monkeypatch.setitem(METHODS, "AIM", peer)
    table = dc.Table.from_frame({"x": ["a", "b"]})
    for run in runs(["adult"], ["AIM"], [0.5, 1.0, 2.0]):
        synthesize_runs._keep(run, {"absent": "ended after 1 CPU seconds", "date": "2026-11-17"})
        synthesize_runs.make(run, Parts(table, table, table, "x"), ["fidelity"], 1, anew=True)
        assert "ended after 1 CPU seconds" in synthesize_runs.known(run)["absent"]
    assert tried == [0.5]
