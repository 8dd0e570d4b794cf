"""Time detection and sanitization of inference channels, and write its part of RESULTS.md.

Ours and the naive detector (algorithm 1: inclusion and exclusion for every pair, plain Python) run
on the same collections, each measurement in a process of its own. Both must count the same
channels and sanitized collections must have none, or the run stops: a benchmark is also a test.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from measure import peak_above, reset_peak
from mining import BMS1, CHESS, KOSARAK, MUSHROOM, RETAIL
from results_page import machine, write_part

if TYPE_CHECKING:
    from collections.abc import Callable

    from mining import Data

    from discreet.mine import Itemsets

HERE = Path(__file__).parent
CASES: list[tuple[Data, tuple[float, ...]]] = [
    (MUSHROOM, (0.6, 0.4, 0.3, 0.2)),
    (CHESS, (0.9, 0.8)),
    (RETAIL, (0.01, 0.005, 0.002)),
    (KOSARAK, (0.01, 0.005, 0.002)),
    (BMS1, (0.003, 0.002, 0.001)),
]
SHORT = 0.2  # CPU seconds: what takes less is called again, by ours and by the naive detector
TASKS = ("from data", "from collection", "additive", "suppressive", "naive")
RATIO = "naive / from collection"
ADDED = ("n_added", "n_added_first_fit", "n_added_at_least", "n_removed")


def naive(published: Itemsets, k: int) -> int:
    """Return the number of channels, by inclusion and exclusion for every pair (algorithm 1)."""
    supports = {frozenset(items): support for items, support in published}
    supports[frozenset()] = published.n_rows
    n_channels = 0
    for outer in supports:
        for size in range(len(outer) + 1):
            for inside in map(frozenset, combinations(outer, size)):
                rest = outer - inside
                count = sum(
                    (-1) ** more * supports[inside.union(part)]
                    for more in range(len(rest) + 1)
                    for part in combinations(rest, more)
                )
                n_channels += 0 < count < k
    return n_channels


def run(task: str, path: str, share: float, k: int, repeat: int) -> dict[str, Any]:
    """Measure one task in this process."""
    import discreet as dc
    from discreet.patterns import additive, channels, suppressive

    database = dc.mine.Database.of(dc.load(path))
    published = dc.mine.frequent(database, min_frequency=share, include_empty=True)
    calls: dict[str, Callable[[], Any]] = {
        "from data": lambda: channels(database, k=k, min_frequency=share, count_all=False),
        "from collection": lambda: channels(published, k=k),
        "additive": lambda: additive(published, k=k),
        "suppressive": lambda: suppressive(database, k=k, min_frequency=share),
        "naive": lambda: naive(published, k),
    }
    held = reset_peak()
    seconds: list[float] = []
    answer: Any = None  # of the kind that the task gives
    while len(seconds) <= repeat or sum(seconds[1:]) < SHORT:
        start = time.process_time()
        answer = calls[task]()
        seconds.append(time.process_time() - start)
        if seconds[-1] > 5:
            break
    seconds = seconds[1:] or seconds  # the first call also loads modules
    # The clock of a process may tick in milliseconds, so that the mean of many calls counts.
    figures = {"cpu": fmean(seconds), "memory_mb": peak_above(held), "n_itemsets": len(published)}
    if task == "naive":
        return figures | {"n_channels": answer}
    if task.startswith("from"):
        return figures | {"n_channels": answer.n_channels, "n_maximal": len(answer)}
    if len(channels(answer.published, k=k, count_all=False)):
        sys.exit(f"{task} left channels in {path} at {share}")
    return figures | {"rounds": answer.rounds, **{name: getattr(answer, name) for name in ADDED}}


def measured(task: str, path: Path, share: float, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one task in a fresh process."""
    job = [task, str(path), str(share), str(options.k), str(options.repeat)]
    seconds = (options.timeout, options.timeout + 5)  # of CPU: a busy machine does not matter
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--job", *job],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, seconds),
    )  # fmt: skip
    if done.returncode == -signal.SIGXCPU:
        return {"skipped": f"> {options.timeout} s"}
    if done.returncode:
        sys.exit(f"{done.stderr}\nFAILED: {task} at {share}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def shown(seconds: float) -> str:
    """Return a time to be read: short ones in milliseconds."""
    return f"{seconds:.2f} s" if seconds >= 0.1 else f"{seconds * 1000:.3g} ms"


def row(data: Data, share: float, path: Path, options: argparse.Namespace) -> list[str]:
    """Return one line of the table."""
    got = {task: measured(task, path, share, options) for task in TASKS}
    collection, slow = got["from collection"], got["naive"]
    if (
        "n_channels" in slow
        and "n_channels" in collection
        and (slow["n_channels"] != collection["n_channels"])
    ):
        sys.exit(f"DISAGREEMENT: {slow} {collection}")
    more, fewer = got["additive"], got["suppressive"]
    ratio = slow["cpu"] / collection["cpu"] if "cpu" in slow and "cpu" in collection else None
    cells = [
        data.name,
        f"{share:.1%}",
        f"{collection.get('n_itemsets', 0):,}",
        f"{collection.get('n_channels', '-'):,}" if collection.get("n_channels") else "-",
        f"{collection.get('n_maximal', 0):,}",
        *(shown(each["cpu"]) if "cpu" in each else each["skipped"] for each in got.values()),
        "-" if ratio is None else f"{ratio:,.1f}" if ratio < 10 else f"{ratio:,.0f}",
        f"{more['n_added']:,} / {more['n_added_first_fit']:,} / {more['n_added_at_least']:,}"
        if "cpu" in more else "-",
        f"{fewer['n_removed']:,} in {fewer['rounds']}" if "cpu" in fewer else "-",
        " / ".join(f"{got[task].get('memory_mb') or 0:.0f}" for task in TASKS),
    ]  # fmt: skip
    print(" | ".join(cells), file=sys.stderr, flush=True)
    return cells


def behind(rows: list[list[str]], header: tuple[str, ...]) -> str:
    """Return in words which cases are not ten times as fast as the naive detector."""
    ours, naively, at = (header.index(name) for name in ("from collection", "naive", RATIO))
    cases = [
        f"{cells[0]} at {cells[1]} ({cells[naively]} against {cells[ours]})"
        for cells in rows
        if cells[at] != "-" and float(cells[at].replace(",", "")) < 10
    ]
    if not cases:
        return "Ours is at least ten times as fast as the naive detector wherever that finishes."
    return (
        "Ours is at least ten times as fast as the naive detector wherever that finishes, but for "
        f"{', '.join(cases)}: to start a thread and to call numpy takes that long."
    )


def main() -> None:
    """Run all cases and write the results."""
    parser = argparse.ArgumentParser(description="Time detection and sanitization of channels.")
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--data", action="append", help="only this data set; may be repeated")
    parser.add_argument("--repeat", type=int, default=3, help="mean of this many calls")
    parser.add_argument("--timeout", type=int, default=120, help="CPU seconds for one process")
    parser.add_argument("--job", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        task, path, share, k, repeat = options.job
        print(json.dumps(run(task, path, float(share), int(k), int(repeat))))
        return
    root, load = Path(os.environ.get("DISCREET_DATA", "")), os.getloadavg()[0]
    rows = [
        row(data, share, root / data.file, options)
        for data, shares in CASES
        if (root / data.file).exists() and (not options.data or data.name in options.data)
        for share in shares
    ]
    header = (
        "data", "support", "itemsets", "channels", "maximal", *TASKS, RATIO,
        "added: best / first-fit / at least", "rows removed", "MB",
    )  # fmt: skip
    about = machine()
    text = (
        "# Publishing patterns: detection and sanitization\n\n"
        f"{datetime.now(tz=UTC).date().isoformat()}, "
        f"`python {' '.join(['benchmarks/patterns.py', *sys.argv[1:]])}`, k = {options.k}. "
        f"{about['cpu']} ({about['architecture']}, {about['cores']} cores, {about['memory']}), "
        f"{about['system']}, Python {about['python']}, load average {load:.1f} at the start.\n\n"
        f"CPU time of all threads, mean of up to {options.repeat} calls after a first one, of "
        f"more where they take less than {SHORT:g} s together. *From data* finds the maximal "
        "channels and mines for them; *from collection* also counts all channels, as *naive* does "
        "(algorithm 1 in plain Python). *Additive* starts from the collection, *suppressive* from "
        "the data. *MB* is the peak of each of the five above what was held before. *At least* is "
        "what any choice of closed itemsets must add. *>* n: stopped after n CPU seconds. "
        f"{behind(rows, header)}\n\n"
    )
    lines = [header, ("---",) * len(header), *rows]
    text += "".join(f"| {' | '.join(line)} |\n" for line in lines)
    write_part(HERE / "RESULTS.md", "patterns", text)
    print(text)


if __name__ == "__main__":
    main()
