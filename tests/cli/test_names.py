"""A file without a header is read with ``--names`` as the same file with one."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest
from tests.conftest import Outcome

import discreet as dc

Run = Callable[..., Outcome]
HEADER = "age,sex,town"
NAMED = ("--names", HEADER)
CUT = ("--bins", "age=20,40,60")


@pytest.fixture(autouse=True)
def towns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with the same 300 people with a header and without."""
    draw = random.Random(5)
    rows = [
        f"{draw.randint(18, 79)},{draw.choice('fm')},{draw.choice(('here', 'there', 'far'))}"
        for _ in range(300)
    ]
    (tmp_path / "headed.csv").write_text("\n".join((HEADER, *rows)) + "\n")
    (tmp_path / "bare.csv").write_text("\n".join(rows) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ("mine", "frequent", "--min-support", "20"),
        ("patterns", "check", "-k", "5", "--min-support", "20"),
        ("patterns", "safety", "-k", "5"),
        ("plan", "-k", "2,5"),
        ("synthesize", "--epsilon", "1", "--delta", "1e-6", "--plan"),
    ],
)
def test_same_as_with_a_header(discreet: Run, command: Sequence[str]) -> None:
    headed = discreet(*command, "headed.csv", *CUT, "--json")
    bare = discreet(*command, "bare.csv", *CUT, *NAMED, "--json")
    assert headed.code == bare.code < 2
    assert _without_seconds(headed.out) == _without_seconds(bare.out)


def _without_seconds(text: str) -> list[str]:
    return [line for line in text.splitlines() if "seconds" not in line]


def test_release_is_compared_with_an_original_without_a_header(discreet: Run) -> None:
    protect = ("protect", "k-mii", "bare.csv", "-k", "5", *CUT, *NAMED, "-o", "out")
    assert discreet(*protect).code == 0
    # The folder's policy knows the names; given again, the rest of the policy still counts.
    for names in ((), NAMED):
        assert discreet("verify", "out", "--original", "bare.csv", *names).code == 0
        differences = discreet("diff", "bare.csv", "out", *names)
        assert differences.out == discreet("diff", "headed.csv", "out").out
        page = ("report", "out", "--original", "bare.csv", "-o", "page.html", "--overwrite")
        assert discreet(*page, *names).code == 0
    assert discreet("verify", "out", "--original", "bare.csv", "--names", "a,b").code == 2


def test_release_without_a_policy(discreet: Run, towns: Path) -> None:
    budget = ("--epsilon", "1", "--delta", "1e-6", "--no-report")
    assert discreet("synthesize", "bare.csv", *budget, *CUT, *NAMED, "-o", "drawn").code == 0
    assert pl.read_parquet(towns / "drawn" / "data.parquet").columns == HEADER.split(",")
    dc.Release.load(towns / "drawn").save(towns / "drawn", overwrite=True)  # no policy in it
    page = ("report", "drawn", "--original", "bare.csv", *CUT, "--internal", "-o", "page.html")
    assert discreet(*page).code == 2
    assert discreet(*page, *NAMED).code == 0


def test_two_files_without_a_header(discreet: Run, towns: Path) -> None:
    lines = (towns / "bare.csv").read_text().splitlines()
    (towns / "edited.csv").write_text("\n".join(["99,f,far", *lines[1:]]) + "\n")
    told = discreet("diff", "bare.csv", "edited.csv", "--same-order", *NAMED, "--json")
    assert told.code == 1
    sample = json.loads(told.out)["sample"]
    assert any("age" in change and "99" in change for change in sample)
    assert discreet("diff", "bare.csv", "bare.csv", "--same-order", *NAMED).code == 0


def test_what_comes_next_is_told_with_the_names(discreet: Run) -> None:
    shown = discreet("plan", "bare.csv", "-k", "2", *CUT, *NAMED).out
    assert shown.replace("\n", " ").count(f"--names {HEADER}") == 2


def test_the_chosen_command_runs_as_it_is_told(discreet: Run) -> None:
    found = discreet("choose", "bare.csv", "--yes", "-k", "5", *NAMED, "--json")
    command = shlex.split(json.loads(found.out)["first"]["command"])
    assert command[0] == "discreet"
    assert discreet(*command[1:]).code == 0
    assert f"discreet choose bare.csv --names {HEADER}" in discreet("look", "bare.csv", *NAMED).out


def test_names_that_would_not_be_used_are_refused(discreet: Run) -> None:
    assert discreet("init", "bare.csv", *NAMED, "-o", "policy.toml").code == 0
    assert "change them there" in discreet("plan", "policy.toml", *NAMED).err
    assert "leave --bins" in discreet("mine", "randomized", ".", *NAMED).err
    Path("baskets.dat").write_text("1 2\n")
    assert "no columns to name" in discreet("choose", "baskets.dat", "--yes", *NAMED).err
    check = ("patterns", "check", "bare.csv", "--published", "-k", "5", *NAMED)
    assert "--names" in discreet(*check).err
