"""Measure randomization and what is recovered from it, and write the parts of RESULTS.md.

``speed``: throughput and memory of randomizing and mining five million transactions, beside plain
numpy. ``paper``: the protocol of the paper's tables on real transactions. ``figures``: its figures
1 to 3, computed anew. Every timed measurement is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from randomize_data import baskets, write_baskets
from randomize_paper import paper_part
from randomize_plots import figures_part
from results_page import header, line, machine, machine_in_words, today, was_busy, write_part

import discreet as dc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from randomize_job import Job

HERE = Path(__file__).parent
FULL = 5_000_000
SOCCER = "0.353"  # rho of transactions of five items in the paper's experiment
PARTS = ("speed", "paper", "figures")


def measured(task: str, folder: Path, n: int, **changed: str) -> dict[str, Any]:
    """Measure a task in a fresh process."""
    job: Job = {
        "task": task, "n": n, "rho": changed.get("rho", SOCCER),
        "source": str(folder / f"{n}.parquet"), "target": str(folder / "randomized.parquet"),
        "form": changed.get("form", "bitmaps"),
        "compression": changed.get("compression", "uncompressed"),
    }  # fmt: skip
    print(job, file=sys.stderr, flush=True)
    if task == "file" and not Path(job["source"]).exists():
        write_baskets(n, Path(job["source"]))
    done = subprocess.run(
        [sys.executable, str(HERE / "randomize_job.py"), json.dumps(job)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stderr}\nFAILED: {job}")
    found: dict[str, Any] = json.loads(done.stdout)
    shown = {name: value for name, value in found.items() if not isinstance(value, list)}
    print(f"  {shown}", file=sys.stderr, flush=True)
    return found


def rates(folder: Path, n: int) -> Iterator[list[str]]:
    """Yield a line for each way of randomizing, the peer first."""
    few, fifth = max(10_000, n // 50), n // 5
    peer: dict[str, float] = {}
    zstd = {"form": "lists", "compression": "zstd"}
    cases: list[tuple[str, str, int, dict[str, str]]] = [
        ("numpy, not secure, in memory", "numpy", few, {}),
        ("memory to memory", "memory", fifth, {}),
        ("Parquet to Parquet, bitmaps", "file", fifth, {}),
        ("Parquet to Parquet, bitmaps", "file", n, {}),
        ("Parquet to Parquet, lists, uncompressed", "file", fifth, {"form": "lists"}),
        ("Parquet to Parquet, lists, zstd", "file", fifth, zstd),
        ("numpy, not secure, in memory", "numpy", few, {"rho": "0.02"}),
        ("Parquet to Parquet, lists, zstd", "file", fifth, zstd | {"rho": "0.02"}),
        ("Parquet to Parquet, lists, zstd", "file", n, zstd | {"rho": "0.02"}),
    ]
    for name, task, count, changed in cases:
        values = measured(task, folder, count, **changed)
        rate, rho = count / values["elapsed"], changed.get("rho", SOCCER)
        if task == "numpy":
            peer[rho] = values["cpu"] / count
        yield [
            name, rho, f"{count:,}", f"{values['elapsed']:.2f}", f"{values['cpu']:.2f}",
            f"{rate:,.0f}", f"{peer[rho] * count / values['cpu']:.1f}",
            f"{values['memory_mb'] or 0:.0f}",
            f"{values['file_mb']:.0f}" if "file_mb" in values else "-",
        ]  # fmt: skip


def quality(found: list[list[int]], n: int) -> Iterator[list[str]]:
    """Yield how many of the true itemsets were found, by size."""
    rows = baskets(n)
    sets = dc.Transactions.from_csr(range(0, n * 5 + 1, 5), rows.ravel(), range(1000))
    known = dc.mine.frequent(sets, min_frequency=0.002, max_size=3)
    true = {tuple(sorted(one.items)) for one in known}  # type: ignore[type-var]
    mined = set(map(tuple, found))
    for size in (1, 2, 3):
        right = {items for items in true if len(items) == size}
        ours = {items for items in mined if len(items) == size}
        counts = (len(right), len(right & ours), len(right - ours), len(ours - right))
        yield [str(size), *(f"{count:,}" for count in counts)]


def speed_part(n: int) -> str:
    """Return throughput, memory and mining of n transactions."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        head = (
            "way",
            "rho",
            "transactions",
            "s",
            "CPU s",
            "a second",
            "numpy / ours, CPU",
            "MB",
            "file MB",
        )
        lines = [*header(head), *map(line, rates(folder, n))]
        measured("file", folder, n)  # the last one written has another rho
        mined = measured("mine", folder, n)
        measured("file", folder, n // 5)
        pairs, peer = (measured(task, folder, n // 5) for task in ("pairs", "numpy pairs"))
        if pairs["supports"] != peer["supports"]:
            sys.exit("DISAGREEMENT: supports of pairs")
        each = [1e6 * values["cpu"] / values["n_pairs"] for values in (pairs, peer)]
        return "\n".join(
            [
                *lines, "",
                (f"**Mining** the {n:,} transactions of rho {SOCCER} from their file of bitmaps, "
                f"itemsets of up to 3 items from 0.2 % on: {mined['elapsed']:.1f} s, "
                f"{mined['cpu']:.1f} CPU s, {mined['memory_mb'] or 0:.0f} MB, reading included; "
                f"{' + '.join(f'{count:,}' for count in mined['n_candidates'])} candidates of 1 to "
                f"3 items. In {n // 5:,} of them a pair takes {each[0]:.1f} CPU microseconds, "
                f"{each[1]:.1f} by numpy's `bitwise_count` on packed bits, "
                f"{each[1] / each[0]:.1f} times as long."), "",
                *header(("items", "true itemsets", "found", "false drops", "false positives")),
                *map(line, quality(mined["itemsets"], n)),
            ]
        )  # fmt: skip


TITLES = {
    "speed": "Randomized transactions: throughput and mining",
    "paper": "Randomized transactions: the paper's tables on other data",
    "figures": "Randomized transactions: figures 1 to 3 of the paper",
}
ABOUT = {
    "speed": "Transactions of 5 items out of 1000, cut-and-paste with K = 7. Rates are by elapsed "
    "time on all cores, and other work on the machine lowers them; comparisons are by CPU time. "
    "*MB* is the peak above what was held before: compare it between rows that "
    "differ only in the number of transactions.",
    "paper": "",
    "figures": "",
}


def main() -> None:
    """Run the parts asked for; only a full run is written to the page."""
    parser = argparse.ArgumentParser(description="Measure randomization.")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this; may be repeated")
    parser.add_argument("-n", type=int, default=FULL, help="transactions of the speed part")
    options = parser.parse_args()
    for part in options.part or PARTS:
        load = os.getloadavg()[0]
        if part == "speed":
            text = speed_part(options.n)
        elif part == "paper":
            text = paper_part()
        else:
            text = figures_part(HERE / "plots")
        busy = " The machine was busy with other work." if was_busy() else ""
        page = (
            f"# {TITLES[part]}\n\n{today()}, `python benchmarks/randomize.py --part {part}`. "
            f"{machine_in_words(machine())}, load average {load:.1f} at the start.{busy}\n\n"
            f"{ABOUT[part]}\n\n{text}\n"
        )
        print(page)
        if options.n == FULL or part != "speed":
            write_part(HERE / "RESULTS.md", f"randomize-{part}", page.replace("\n\n\n\n", "\n\n"))


if __name__ == "__main__":
    main()
