"""Install the newest wheel of a folder into an empty environment and use it; run by ``make wheel``.

The environment sees no compiler: ``PATH`` is its own folder only, and of the lock it gets what
running needs, without the tools that build.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = ("cmake", "nanobind", "ninja", "scikit-build-core")
USE = """
import discreet as dc
people = dc.datasets.census(400, seed=1).select(["sex", "region", "education"])
release = dc.k_mii(people, k=5)
folder = release.save("release")
print(dc.verify_release(folder).sentence)
assert dc.verify_release(folder).answer == "verified"
"""


def without_tools(lock: str) -> str:
    """Return a lock without the packages that only building needs."""
    pieces = re.split(r"\n(?=[a-z])", lock)
    kept = [piece for piece in pieces if re.split("==", piece, maxsplit=1)[0] not in TOOLS]
    assert len(pieces) - len(kept) == len(TOOLS)
    return "\n".join(kept).rstrip("\n") + "\n"


def main(folder: str, lock: str) -> None:
    wheel = max(Path(folder).resolve().glob("*.whl"), key=lambda path: path.stat().st_mtime)
    with tempfile.TemporaryDirectory() as place:
        environment = Path(place) / "environment"
        run = [sys.executable, "-m", "venv", "--without-pip", str(environment)]
        subprocess.run(run, check=True)
        python = environment / "bin" / "python"
        pip = [sys.executable, "-m", "pip", "--quiet", "--python", str(python), "install"]
        only = ["--only-binary", ":all:", "--no-deps"]
        needed = Path(place) / "requirements.lock"
        needed.write_text(without_tools(Path(lock).read_text("utf-8")), "utf-8")
        subprocess.run([*pip, *only, "--require-hashes", "-r", str(needed)], check=True)
        subprocess.run([*pip, *only, str(wheel)], check=True)
        alone = {"PATH": str(environment / "bin"), "HOME": place}
        subprocess.run([str(python), "-c", USE], check=True, cwd=place, env=alone)
        discreet = [str(environment / "bin" / "discreet"), "demo", "--rows", "400", "-o", "demo"]
        subprocess.run(discreet, check=True, cwd=place, env=alone)
    sys.stdout.write(f"{wheel.name} works where there is nothing else.\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
