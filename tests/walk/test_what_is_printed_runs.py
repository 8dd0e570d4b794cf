"""Whatever ``init`` and ``choose`` print runs as it stands, on thirty kinds of files."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.walk.files import FILES

Run = Callable[..., Outcome]

TABLES = [name for name in FILES if name != "baskets"]


def stated(policy: Path) -> None:
    """State whose the rows are, as the policy asks where a column of people repeats."""
    text = policy.read_text()
    if "discreet run stops until you state" in text:
        policy.write_text(text.replace("# person = ", "person = ", 1))


@pytest.mark.parametrize("name", TABLES)
def test_a_drafted_policy_runs(
    name: str, discreet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = FILES[name](tmp_path)
    monkeypatch.chdir(tmp_path)
    drafted = discreet("init", file.name, "-o", "policy.toml")
    assert drafted.code == 0, drafted.err
    stated(tmp_path / "policy.toml")
    ran = discreet("run", "policy.toml", "-o", "out")
    assert ran.code == 0, ran.err
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert certificate["guarantee"]["parameters"]["k"] == 5
    assert discreet("verify", "out", "--original", file.name).code == 0


@pytest.mark.parametrize("promise", ["k-anonymity", "differential-privacy", "small-groups"])
@pytest.mark.parametrize("name", FILES)
def test_a_chosen_command_runs(
    name: str, promise: str, discreet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = FILES[name](tmp_path)
    monkeypatch.chdir(tmp_path)
    publish = "table"
    if name == "baskets":
        publish = "transactions" if promise == "differential-privacy" else "patterns"
    chosen = discreet(
        "choose", file.name, "--publish", publish, "--promise", promise, "--to", "partner"
    )
    assert chosen.code == 0, chosen.err
    lines = [line for line in chosen.out.splitlines() if line.startswith("  discreet ")]
    assert lines
    for line in lines[:1] if promise != "k-anonymity" else lines:
        words = shlex.split(line)
        folder = tmp_path / f"out{lines.index(line)}"
        words[words.index("-o") + 1] = str(folder)
        ran = discreet(*words[1:], "--no-report")
        assert ran.code == 0, (line, ran.err)
        assert (folder / "certificate.json").exists()
