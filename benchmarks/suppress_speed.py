"""How long suppression takes, each measurement in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, cast

from measure import peak_above, reset_peak
from results_page import header, line
from suppress_part import Part, load_table

import discreet as dc
from discreet.assess.uniqueness import uniqueness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suppress_part import Options

ADULT = "lucs/adult.D*.num.xz"
ARX_ADULT = "adult_arx/adult.csv.xz"
THETAS = (1, 5, 10, 50)
TASKS = ("file to release", "table to release", "mark", "list")
RELEASING = TASKS[:2]  # what the others need fits into memory that loading has freed
MANY_ROWS = 2_400_000
SUDA2_SECONDS = 0.33  # sdcMicro's, stated in the specification


class Job(TypedDict):
    """What to time."""

    task: str  # file to release, table to release, mark, list or scores
    path: str  # of the table; empty for an invented census
    n_rows: int  # of the census
    theta: int
    threads: int
    repeat: int


class Timing(TypedDict):
    """Best of the repetitions; memory is the peak above what was held before the calls."""

    first_cpu: float  # of the first call, which loads what is loaded late
    cpu: float
    wall: float
    memory_mb: float | None


def speed_part(options: Options) -> Part:
    """Time everything; quick runs take a small census."""
    rows: list[dict[str, object]] = []
    absent = []
    adult, arx = options.file(ADULT), options.file(ARX_ADULT)
    if adult is None and not options.is_quick:
        absent.append(f"Speed on Adult: no {ADULT}")
    with tempfile.TemporaryDirectory() as folder:
        sample = Path(folder) / "census.csv"
        if options.is_quick:
            dc.write_table(_census(500), sample)
        small = adult or (sample if options.is_quick else None)
        if small is not None:
            for theta in THETAS[:1] if options.is_quick else THETAS:
                name = "Adult (LUCS)" if adult else "census"
                rows += [_row(name, task, theta, small) for task in TASKS]
        scored = arx or (sample if options.is_quick else None)
        if scored is not None:
            rows.append(_row("Adult (ARX)" if arx else "census", "scores", 1, scored))
    n_rows = 1000 if options.is_quick else MANY_ROWS
    for threads, theta in ((1, 4), (2, 4), (2, 49)):
        name = f"invented census, {n_rows:,} x 10"
        rows.append(_row(name, "table to release", theta, None, n_rows, threads=threads, repeat=1))
    return Part(title="speed", lines=list(_page(rows)), rows=rows, absent=absent)


def _row(
    data: str,
    task: str,
    theta: int,
    path: Path | None,
    n_rows: int = 0,
    *,
    threads: int = 1,
    repeat: int = 3,
) -> dict[str, object]:
    job: Job = {
        "task": task, "path": str(path or ""), "n_rows": n_rows, "theta": theta,
        "threads": threads, "repeat": repeat,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, __file__, json.dumps(job)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{done.stderr}\nFAILED: {data}, {task}, theta={theta}")
    timing = cast(Timing, json.loads(done.stdout))
    print(data, task, theta, timing, file=sys.stderr, flush=True)
    return {"data": data, "task": task, "theta": theta, "threads": threads, **timing}


def _page(rows: list[dict[str, object]]) -> Iterator[str]:
    yield (
        "*File to release*: reading the file and `k_mii` with k = theta + 1, no report. *Table to "
        "release*: `k_mii` alone. *Mark* and *list*: `mark_cells` and `minimal_infrequent`, the "
        "database made before. *Scores*: `uniqueness` with SUDA scores on the quasi-identifiers; "
        f"sdcMicro's SUDA2 is stated to need {SUDA2_SECONDS} s, on a machine "
        "that is not named. *First* is the first call of a process, with what it loads late."
    )
    yield ""
    yield from header(
        ["data", "task", "theta", "threads", "first CPU s", "best CPU s", "elapsed s", "MB"]
    )
    for row in rows:
        memory = row["memory_mb"]
        yield line([
            str(row["data"]), str(row["task"]), str(row["theta"]), str(row["threads"]),
            f"{row['first_cpu']:.3f}", f"{row['cpu']:.3f}", f"{row['wall']:.3f}",
            f"{memory:.0f}" if memory is not None and row["task"] in RELEASING else "-",
        ])  # fmt: skip


def _census(n_rows: int) -> dc.Table:
    census = dc.datasets.census(n_rows)
    return census.select(census.quasi)


def _call(job: Job) -> Callable[[], object]:
    """Return what is timed; everything before it is done here."""
    path, theta, threads = job["path"], job["theta"], job["threads"]
    if job["task"] == "file to release":
        return lambda: dc.k_mii(load_table(path), k=theta + 1, threads=threads)
    table = load_table(path) if path else _census(job["n_rows"])
    if job["task"] == "table to release":
        return lambda: dc.k_mii(table, k=theta + 1, threads=threads)
    if job["task"] == "scores":
        known = [name for name in table.columns if name != "salary-class"]
        return lambda: uniqueness(table, columns=known)
    database = dc.mine.Database.from_table(table)
    mine = dc.mine.mark_cells if job["task"] == "mark" else dc.mine.minimal_infrequent
    return lambda: mine(database, theta=theta, threads=threads)


def measure(job: Job) -> Timing:
    """Return the best of the repetitions."""
    call = _call(job)
    held = reset_peak()
    cpu, wall = [], []
    for _ in range(job["repeat"]):
        start_cpu, start_wall = time.process_time(), time.perf_counter()
        call()
        cpu.append(time.process_time() - start_cpu)
        wall.append(time.perf_counter() - start_wall)
    return {"first_cpu": cpu[0], "cpu": min(cpu), "wall": min(wall), "memory_mb": peak_above(held)}


if __name__ == "__main__":
    print(json.dumps(measure(cast(Job, json.loads(sys.argv[1])))))
