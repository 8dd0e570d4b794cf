"""Files whose names are not UTF-8: read, shown by escapes, and never a traceback."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome

import discreet as dc
from discreet.errors import ParameterError

Run = Callable[..., Outcome]

ODD = os.fsdecode(b"caf\xe9")  # in Latin 1
SHOWN = r"caf\udce9"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="such names are Linux's")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tables and transactions of both kinds of names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DISCREET_HOME", str(tmp_path))
    table = dc.datasets.census(300, seed=1).select(["sex", "region", "education"])
    for ending in ("csv", "parquet", "xlsx"):
        dc.write_table(table, f"plain.{ending}")
        shutil.copy(f"plain.{ending}", f"{ODD}.{ending}")
    Path("plain.dat").write_text("".join(f"{i % 3} {3 + i % 4}\n" for i in range(300)))
    shutil.copy("plain.dat", f"{ODD}.dat")
    Path("plain.toml").write_text(POLICY)
    Path(f"{ODD}.toml").write_text(POLICY)
    return tmp_path


POLICY = """\
[source]
file = "plain.csv"
one_row_per_person = true

[method]
name = "mondrian"
k = 5

[release]
format = "csv"
"""

READS = [
    "look {}.csv", "look {}.csv --json", "look {}.parquet", "look {}.xlsx", "look {}.dat",
    "choose {}.csv --yes", "choose {}.parquet --yes --json", "choose {}.dat --yes",
    "plan {}.toml -k 5", "run {}.toml -o out",
    "mine frequent {}.csv --min-support 50", "mine frequent {}.dat --min-support 50 -o found.csv",
    "patterns check {}.dat -k 5 --min-support 50", "patterns safety {}.dat -k 5",
    "hierarchy build {}.csv --column region --flat -o region.csv",
    "diff {}.csv {}.parquet --same-order", "ledger {}.sqlite --source survey --epsilon 1",
]  # fmt: skip


@pytest.mark.parametrize("command", READS)
def test_what_reads_a_file_takes_any_name(discreet: Run, command: str) -> None:
    """It ends as with another name, and shows this one by escapes."""
    odd = discreet(*shlex.split(command.replace("{}", ODD)))
    for left in ("out", "found.csv", "sent", "region.csv"):
        path = Path(left)
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    usual = discreet(*shlex.split(command.replace("{}", "plain")))
    assert odd.code == usual.code, odd.err
    assert odd.code < 2, odd.err
    assert "Traceback" not in odd.err
    if "--json" in command and command.startswith("choose"):
        assert json.loads(odd.out)["facts"]["file"] == f"{ODD}.parquet"
    if "plain.csv" in usual.out and command.startswith("look"):
        assert f"{SHOWN}.csv" in odd.out


NO_POLICY = [
    "randomize {}.dat --cutoff 2 --rho 0.25 -o sent",
    "init {}.csv", "plan {}.csv -k 5", "protect k-mii {}.csv -k 5 -o out",
    "protect mondrian {}.parquet -k 5 -o out", "synthesize {}.csv --epsilon 1 --delta 1e-6 -o out",
    "patterns sanitize {}.dat -k 5 --min-support 50 --method certified -o out",
]  # fmt: skip


@pytest.mark.parametrize("command", NO_POLICY)
def test_no_policy_names_such_a_file(discreet: Run, command: str) -> None:
    before = {*Path().iterdir()}
    found = discreet(*shlex.split(command.replace("{}", ODD)))
    said = " ".join(found.err.split())
    assert found.code == 2
    assert "is not UTF-8, and a policy is a file in UTF-8, which cannot name it" in said
    assert "Rename the file" in said
    assert {*Path().iterdir()} == before


WRITES = [
    "init plain.csv -o {}new.toml", "run plain.toml -o {}", "protect k-mii plain.csv -k 5 -o {}",
    "run plain.toml -o out --internal-report {}.html", "demo -o {}",
    "synthesize plain.csv --epsilon 1 --delta 1e-6 -o {}",
    "mine frequent plain.dat --min-support 50 -o {}new.csv",
    "mine frequent plain.dat --min-support 50 -o {}new.parquet",
    "patterns sanitize plain.dat -k 5 --min-support 50 --method certified -o {}",
    "randomize plain.dat --cutoff 2 --rho 0.25 -o {}",
    "hierarchy build plain.csv --column region --flat -o {}new.csv",
    "diff plain.csv {}.csv --same-order -o {}new.parquet",
]  # fmt: skip


@pytest.mark.parametrize("command", WRITES)
def test_nothing_is_written_under_such_a_name(discreet: Run, command: str) -> None:
    before = {*Path().iterdir()}
    found = discreet(*shlex.split(command.replace("{}", ODD)))
    said = " ".join(found.err.split())
    assert found.code == 2
    assert "is not UTF-8, and what is written here must have a name" in said
    assert ascii(ODD)[1:-1] in said
    assert {*Path().iterdir()} == before


def test_a_release_in_such_a_folder(discreet: Run) -> None:
    """It was made elsewhere, and its folder got the name on the way."""
    assert discreet("run", "plain.toml", "-o", "out").code == 0
    Path("out").rename(ODD)
    for command in (
        "verify {}", "verify {} --json", "verify {} --original {}.csv",
        "report {} -o page.html", "diff plain.csv {}",
    ):  # fmt: skip
        found = discreet(*shlex.split(command.replace("{}", ODD)))
        assert found.code == (command.startswith("diff")), (command, found.err)
    found = discreet("report", ODD)
    assert found.code == 2
    assert "is not UTF-8" in found.err
    missing = discreet("verify", f"{ODD}-missing")
    assert missing.code == 2
    assert SHOWN in missing.out + missing.err


def test_python_says_the_same(folder: Path) -> None:
    odd = folder / f"{ODD}.parquet"
    assert dc.read_table(odd).n_rows == 300
    with pytest.raises(ParameterError, match="is not UTF-8"):
        dc.write_table(dc.read_table(odd), folder / f"{ODD}new.csv")
    release = dc.generalize.mondrian(dc.read_table(odd), k=5)
    with pytest.raises(ParameterError, match="is not UTF-8"):
        release.save(folder / ODD)
    with pytest.raises(ParameterError, match="is not UTF-8"):
        dc.policy.make_policy({"source": {"file": odd.name}, "method": {"name": "k-mii", "k": 5}})
