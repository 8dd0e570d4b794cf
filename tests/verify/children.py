"""Verify hostile folders in a process of its own, whose memory is bounded."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MEMORY = 3 * 1024**3  # address space, of which libraries take more than 1 GiB
SECONDS = 300  # guards against hanging only

_CHILD = """
import json, resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
from discreet.errors import DiscreetError
from discreet.verify import verify_release
for name, path, limits in json.load(sys.stdin):
    print("\\n" + json.dumps(["begun", name]), flush=True)
    try:
        found = verify_release(path, **limits).to_dict()
    except DiscreetError as error:
        found = {{"error": str(error)}}
    print("\\n" + json.dumps(["done", name, found]), flush=True)
"""


def verified_apart(
    paths: Mapping[str, Path], limits: Mapping[str, int] | None = None
) -> dict[str, dict[str, Any]]:
    """Return what the verifier says of each folder or zip, by name."""
    asked = [(name, str(path), dict(limits or {})) for name, path in paths.items()]
    child = subprocess.run(
        [sys.executable, "-c", _CHILD.format(memory=MEMORY)],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    lines = [json.loads(line) for line in child.stdout.splitlines() if line.startswith("[")]
    found = {name: rest[0] for kind, name, *rest in lines if kind == "done"}
    assert set(found) == set(paths), (lines[-1:], child.returncode, child.stderr[-2000:])
    return found
