"""RESULTS.md, to which each benchmark writes its own part and leaves the others alone."""

from __future__ import annotations

import os
import platform
import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path


def machine() -> dict[str, str]:
    """Return what the figures depend on; no names of hosts or users."""
    listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=False).stdout
    fields = dict(line.split(":", 1) for line in listed.splitlines() if ":" in line)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cpu": fields.get("Model name", platform.machine()).strip(),
        "architecture": platform.machine(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": platform.system(),
        "python": platform.python_version(),
    }


def was_busy() -> bool:
    """Say whether more processes wanted to run in the last quarter of an hour than could."""
    return os.getloadavg()[2] > (os.cpu_count() or 1)


def machine_in_words(where: dict[str, str]) -> str:
    """Return the machine as a line of the page has it."""
    return (
        f"{where['cpu']} ({where['architecture']}, {where['cores']} cores, {where['memory']}), "
        f"{where['system']}, Python {where['python']}"
    )


def today() -> str:
    """Return the date of a run."""
    return datetime.now(tz=UTC).date().isoformat()


def write_part(page: Path, name: str, text: str) -> None:
    """Put a benchmark's text on the page, in the place of what it wrote before."""
    start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
    part = f"{start}\n{text.strip()}\n{end}\n"
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    if start in old and end in old:
        before, rest = old.split(start, 1)
        after = rest.split(end, 1)[1].lstrip("\n")
        new = f"{before}{part}" + (f"\n{after}" if after else "")
    else:
        new = f"{old.rstrip()}\n\n{part}" if old.strip() else part
    page.write_text(new, encoding="utf-8")


def header(names: Sequence[str]) -> Iterator[str]:
    """Yield the first two lines of a table."""
    yield line(names)
    yield line(["---"] * len(names))


def line(cells: Iterable[str]) -> str:
    """Return one line of a table."""
    return f"| {' | '.join(cells)} |"
