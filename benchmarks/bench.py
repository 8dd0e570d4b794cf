"""Run every benchmark, one after the other, into RESULTS.md, and make the HTML page of it.

    python benchmarks/bench.py                    # all; hours, on the data of $DISCREET_DATA
    python benchmarks/bench.py --only krimp       # some, by the names of --list

A benchmark that fails is reported at the end, and the others still run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import html_page

HERE = Path(__file__).parent
RUNS = {
    "mining": ["mining.py"],
    "suppress": ["suppress.py"],
    "patterns": ["patterns.py"],
    "patterns of the paper": ["patterns_paper.py"],
    "generalize": ["generalize.py"],
    "randomize": ["randomize.py"],
    "krimp": ["synthesize.py", "--part", "krimp"],
    "rows": ["generate_rows.py"],
    "synthetic": ["synthesize.py", "--part", "synthetic"],
}


def run_all(names: list[str]) -> list[str]:
    """Run benchmarks by name and return those that failed."""
    failed = []
    for name in names:
        start = time.perf_counter()
        done = subprocess.run([sys.executable, HERE / RUNS[name][0], *RUNS[name][1:]], check=False)
        minutes = (time.perf_counter() - start) / 60
        print(f"{name}: {minutes:.1f} minutes, exit {done.returncode}", file=sys.stderr, flush=True)
        if done.returncode:
            failed.append(name)
    return failed


def main() -> None:
    """Run what is asked for, then make the page."""
    parser = argparse.ArgumentParser(
        description="Run every benchmark and make the page of results."
    )
    parser.add_argument("--only", action="append", choices=RUNS, help="only this; may be repeated")
    parser.add_argument("--list", action="store_true", help="show the names and end")
    options = parser.parse_args()
    if options.list:
        print("\n".join(RUNS))
        return
    failed = run_all(options.only or list(RUNS))
    html_page.main()
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
