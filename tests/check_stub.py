"""Compares the committed stub of the compiled module with the one nanobind writes of it.

``python tests/check_stub.py`` fails on any difference; ``--write`` renews the stub.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import discreet._native

STUB = Path(__file__).parents[1] / "src/discreet/_native/__init__.pyi"


def generated() -> str:
    """Return the stub of the module as built, formatted as the rest of the code."""
    stubgen = importlib.import_module("nanobind.stubgen")  # has no types
    writer = stubgen.StubGen(discreet._native)
    writer.put(discreet._native)
    stub = writer.get().replace(
        "from typing", "from collections.abc import Callable\nfrom typing", 1
    )
    ruff = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "stub.pyi", "-"]
    run = subprocess.run(ruff, input=stub, text=True, capture_output=True, check=True)
    return str(run.stdout)


if __name__ == "__main__":
    if "--write" in sys.argv:
        STUB.write_text(generated())
    elif STUB.read_text() != generated():
        sys.exit("The stub differs from the built module: run make stub.")
