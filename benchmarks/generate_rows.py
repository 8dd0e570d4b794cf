"""Measure how fast synthetic rows are drawn into Parquet, and the memory it takes.

    python benchmarks/generate_rows.py

writes the part ``generate-rows`` of RESULTS.md: Adult, 200,000 and
two million rows, each in a process of its own. Memory must not grow with the rows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import peak_above, reset_peak
from results_page import header, line, machine, machine_in_words, today, was_busy, write_part
from synthesize_data import SETS, parts_of

from discreet.synthesize import Synthesizer

HERE = Path(__file__).parent
EPSILONS = (1.0,)
NUMBERS = (200_000, 2_000_000)


def run(epsilon: float, n_rows: int) -> dict[str, Any]:
    """Fit, then measure drawing into a file."""
    parts = parts_of("adult")
    made = Synthesizer(epsilon, delta=1e-9, domains=parts.domains, label=parts.label, seed=1).fit(
        parts.whole
    )
    with tempfile.TemporaryDirectory() as folder:
        held = reset_peak()
        cpu, wall = time.process_time(), time.perf_counter()
        path = made.write(Path(folder) / "rows.parquet", n_rows)
        return {
            "elapsed": time.perf_counter() - wall,
            "cpu": time.process_time() - cpu,
            "memory_mb": peak_above(held),
            "file_mb": path.stat().st_size / 1e6,
            "n_layers": made.model.to_dict()["n_layers"],
        }


def main() -> None:
    """Measure all, each in a fresh process, and write the part."""
    parser = argparse.ArgumentParser(description="Measure how fast synthetic rows are drawn.")
    parser.add_argument("--job", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(json.dumps(run(float(options.job[0]), int(options.job[1]))))
        return
    if not SETS["adult"].path.exists():
        sys.exit("Adult is not below $DISCREET_DATA.")
    load, rows = os.getloadavg()[0], []
    for epsilon in EPSILONS:
        for n_rows in NUMBERS:
            done = subprocess.run(
                [sys.executable, __file__, "--job", str(epsilon), str(n_rows)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            got = json.loads(done.stdout)
            per_minute = 60 * n_rows / got["elapsed"]
            rows.append([
                f"{epsilon:g}", str(got["n_layers"]), f"{n_rows:,}", f"{got['elapsed']:.1f}",
                f"{got['cpu']:.1f}", f"{per_minute:,.0f}", f"{got['memory_mb'] or 0:.0f}",
                f"{got['file_mb']:.1f}",
            ])  # fmt: skip
            print(rows[-1], file=sys.stderr, flush=True)
    names = ("epsilon", "layers", "rows", "s", "CPU s", "rows a minute", "MB", "file MB")
    busy = " The machine was busy with other work." if was_busy() else ""
    text = (
        f"# Synthetic data: rows drawn into a file\n\n{today()}, `python "
        f"benchmarks/generate_rows.py`. {machine_in_words(machine())}, load average {load:.1f} at "
        f"the start.{busy}\n\nAdult (LUCS), 15 columns, central trust, delta = 1e-9; into Parquet "
        "with zstd, all cores. *MB* is the peak above what was held before.\n\n"
        + "\n".join([*header(names), *map(line, rows)])
    )
    write_part(HERE / "RESULTS.md", "generate-rows", text)
    print(text)


if __name__ == "__main__":
    main()
