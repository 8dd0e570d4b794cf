"""Measure suppression: loss beside its peers and the thesis, what is left to see, and speed.

Writes its part of RESULTS.md and results/suppress.json. ``--quick`` runs all of it on small
invented data, as a test that it runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from results_page import machine, machine_in_words, today, write_part
from suppress_adult import adult_part
from suppress_dp import dp_part
from suppress_paper import paper_part
from suppress_part import Options
from suppress_speed import speed_part

import discreet as dc

if TYPE_CHECKING:
    from suppress_part import Part

HERE = Path(__file__).parent
PARTS = {"speed": speed_part, "adult": adult_part, "dp": dp_part, "paper": paper_part}


def main() -> None:
    """Run the parts and write the results."""
    parser = argparse.ArgumentParser(description="Measure suppression beside its peers.")
    parser.add_argument("--part", action="append", choices=PARTS, help="only this part")
    parser.add_argument(
        "--repeats", type=int, default=3, help="trainings, 0 for none; the thesis has 100"
    )
    parser.add_argument("--quick", action="store_true", help="small invented data, few trees")
    parser.add_argument("--output", type=Path, default=HERE, help="folder for the results")
    options = parser.parse_args()
    wanted = Options(
        n_repeats=1 if options.quick else options.repeats,
        n_trees=5 if options.quick else 100,
        is_quick=options.quick,
    )
    parts: dict[str, Part] = {}
    start = time.perf_counter()
    for name in options.part or PARTS:
        parts[name] = PARTS[name](wanted)
        about: dict[str, object] = {
            "date": today(),
            "command": _command(),
            "minutes": round((time.perf_counter() - start) / 60, 1),
            "repeats": wanted.n_repeats,
            "machine": machine(),
            "versions": {"discreet": dc.__version__},
        }
        write(options.output, parts, about)  # after every part: a run takes minutes
    print((options.output / "RESULTS.md").read_text(encoding="utf-8"))


def write(folder: Path, parts: dict[str, Part], about: dict[str, object]) -> None:
    """Write the parts that are done, as JSON and onto the page."""
    (folder / "results").mkdir(parents=True, exist_ok=True)
    saved = {**about, "parts": {name: part.rows for name, part in parts.items()}}
    file = folder / "results" / "suppress.json"
    file.write_text(json.dumps(saved, indent=1) + "\n", encoding="utf-8")
    introduction = (
        f"{about['date']}, `{about['command']}`. {machine_in_words(machine())}; discreet "
        f"{dc.__version__}. CPU seconds; how this is measured: [README.md](README.md)."
    )
    lines = ["# Suppression: loss, what is left to see, and speed", "", introduction]
    for part in parts.values():
        if part.lines:
            lines += ["", f"## {part.title}", "", *part.lines]
    left_out = [reason for part in parts.values() for reason in part.absent]
    if left_out:
        lines += ["", "## Left out", "", *(f"- {reason}" for reason in left_out)]
    write_part(folder / "RESULTS.md", "suppression", "\n".join(lines))


def _command() -> str:
    """Return the command without the folder for the results."""
    given = sys.argv[1:]
    if "--output" in given:
        place = given.index("--output")
        given = given[:place] + given[place + 2 :]
    return " ".join(["python", "benchmarks/suppress.py", *given])


if __name__ == "__main__":
    main()
