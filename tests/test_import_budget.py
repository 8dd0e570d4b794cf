"""What a start loads: heavy libraries only when they are used."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

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


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nimport json\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    names: list[str] = json.loads(run.stdout.splitlines()[-1])
    return {name.partition(".")[0] for name in names}


def test_import_discreet_loads_no_third_party_but_numpy() -> None:
    before = loaded_by("pass")
    third_party = loaded_by("import discreet") - before - set(sys.stdlib_module_names)
    assert third_party <= {"numpy", "discreet", "_discreet_editable"}


@pytest.mark.parametrize(
    "command",
    [
        "",
        "collect",
        "collect serve",
        "demo",
        "hierarchy",
        "hierarchy build",
        "init",
        "ledger",
        "look",
        "mine",
        "patterns",
        "plan",
        "protect",
        "report",
        "run",
        "verify",
    ],
)
def test_help_loads_typer_rich_and_what_they_need_only(command: str) -> None:
    code = (
        f"sys.argv = ['discreet', *{command.split()!r}, '--help']\n"
        "from discreet.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass"
    )
    loaded = loaded_by(code)
    assert "typer" in loaded
    assert not loaded & (HEAVY | {"numpy"})
