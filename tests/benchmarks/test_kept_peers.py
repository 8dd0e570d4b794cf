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

PINNED = (KEPT.parent / "requirements-synthesis-peers.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("data", SETS)
def test_all_were_measured_with_the_pinned_version(data: str) -> None:
    kept: dict[str, dict[str, Any]] = json.loads((KEPT / f"{data}.json").read_text("utf-8"))
    version = " ".join(re.findall(r"^(dpmm)==(\S+)$", PINNED, re.MULTILINE)[0])
    assert set(kept) <= {run.stem for run in runs([data], list(PEERS), list(EPSILONS))}
    assert {run.stem for run in runs([data], list(PEERS), [1.0])} <= set(kept)
    for told in kept.values():
        assert "absent" in told or ("fidelity" in told and told["version"] == version)


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


def test_what_is_measured_anew_is_forgotten_and_the_rest_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import synthesize_runs

    monkeypatch.setattr(synthesize_runs, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(synthesize_runs, "FOLDER", tmp_path / "results")
    (run,) = runs(["adult"], ["AIM"], [1.0])
    of_whole: dict[str, Any] = {"cpu of whole": {}, "fidelity": {}}
    of_train: dict[str, Any] = {"cpu of train": {}, "attacks": {}}
    synthesize_runs._keep(run, {"absent": "ended", **of_whole, **of_train})
    for which in ("whole", "train"):
        path = synthesize_runs._path(run, which)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    synthesize_runs.forget(run, ["fidelity"])
    assert synthesize_runs.known(run) == of_train
    assert not synthesize_runs._path(run, "whole").exists()
    assert synthesize_runs._path(run, "train").exists()
