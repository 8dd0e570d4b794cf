"""What a start loads: heavy libraries only when they are used."""

from __future__ import annotations

import json
import subprocess
import sys

HEAVY = {
    "polars",
    "pandas",
    "pyarrow",
    "duckdb",
    "scipy",
    "sklearn",
    "altair",
    "narwhals",
    "psycopg",
    "jinja2",
    "vl_convert",
    "fastapi",
    "uvicorn",
}


COMMANDS = (
    "",
    "choose",
    "collect",
    "collect serve",
    "demo",
    "diff",
    "hierarchy",
    "hierarchy build",
    "init",
    "ledger",
    "look",
    "mine",
    "patterns",
    "plan",
    "protect",
    "protect set-cover",
    "report",
    "run",
    "synthesize",
    "verify",
)
TELL = """
import json, sys
def tell(what):
    print("\\nLOADED", json.dumps([what, sorted(sys.modules)]))
"""
HELP = f"""
from discreet.cli import main
for command in {COMMANDS!r}:
    sys.argv = ["discreet", *command.split(), "--help"]
    try:
        main()
    except SystemExit:
        tell(command)
"""


def loaded_by(code: str) -> dict[str, set[str]]:
    """Return the packages loaded at each call of ``tell`` in code that a new process runs."""
    run = subprocess.run(
        [sys.executable, "-c", TELL + code], capture_output=True, text=True, check=True
    )
    told = [line for line in run.stdout.splitlines() if line.startswith("LOADED ")]
    found = [json.loads(line.removeprefix("LOADED ")) for line in told]
    return {what: {name.partition(".")[0] for name in names} for what, names in found}


def test_import_discreet_loads_no_third_party_but_numpy() -> None:
    loaded = loaded_by("tell('before')\nimport discreet\ntell('after')")
    third_party = loaded["after"] - loaded["before"] - set(sys.stdlib_module_names)
    assert third_party <= {"numpy", "discreet", "_discreet_editable"}


def test_help_loads_typer_rich_and_what_they_need_only() -> None:
    """In one process, so that the first command of those that fail is the one to blame."""
    loaded = loaded_by(HELP)
    assert list(loaded) == [*COMMANDS]
    assert "typer" in loaded[""]
    heavy = {command: names & (HEAVY | {"numpy"}) for command, names in loaded.items()}
    assert not {command: names for command, names in heavy.items() if names}


def test_records_of_methods_load_nothing_that_computes() -> None:
    loaded = loaded_by("tell('before')\nimport discreet.release.methods\ntell('after')")
    third_party = loaded["after"] - loaded["before"] - set(sys.stdlib_module_names)
    assert third_party <= {"discreet", "_discreet_editable"}
