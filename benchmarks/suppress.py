"""Measure suppression: loss beside its peers and the thesis, what is left to see, and speed.

Each part writes its own piece of RESULTS.md and a JSON file in results/. ``--quick`` runs all of
it on small invented data, as a test that it runs.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from results_page import machine, machine_in_words, today, was_busy, write_part
from suppress_adult import adult_part
from suppress_dp import dp_part
from suppress_paper import paper_part
from suppress_part import Options
from suppress_speed import speed_part

import discreet as dc

if TYPE_CHECKING:
    from suppress_part import Part

HERE = Path(__file__).parent
BUSY = (
    "The machine was busy with other work: elapsed seconds say nothing, CPU seconds are too high. "
    "Run this part again on a quiet one before quoting its times."
)
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
    for name in options.part or PARTS:
        start = time.perf_counter()
        part = PARTS[name](wanted)
        about: dict[str, object] = {
            "date": today(),
            "command": _command(),
            "minutes": round((time.perf_counter() - start) / 60, 1),
            "repeats": wanted.n_repeats,
            "machine": machine(),
            "was_busy": was_busy(),
            "versions": {"discreet": dc.__version__},
        }
        write(options.output, name, part, about)


def write(folder: Path, name: str, part: Part, about: dict[str, object]) -> None:
    """Write a part as soon as it is done, as JSON and onto the page."""
    (folder / "results").mkdir(parents=True, exist_ok=True)
    file = folder / "results" / f"suppress-{name}.json"
    file.write_text(json.dumps({**about, "rows": part.rows}, indent=1) + "\n", encoding="utf-8")
    introduction = (
        f"{about['date']}, `{about['command']}`. {machine_in_words(machine())}; discreet "
        f"{dc.__version__}. CPU seconds; how this is measured: [README.md](README.md)."
    )
    if about["was_busy"]:
        introduction += f" **{BUSY}**"
    lines = [f"# Suppression: {part.title}", "", introduction, "", *part.lines]
    if part.absent:
        lines += ["", "Not run:", "", *(f"- {reason}" for reason in part.absent)]
    write_part(folder / "RESULTS.md", f"suppress-{name}", "\n".join(lines))


def _command() -> str:
    """Return the command without the folder for the results."""
    given = sys.argv[1:]
    if "--output" in given:
        place = given.index("--output")
        given = given[:place] + given[place + 2 :]
    return " ".join(["python", "benchmarks/suppress.py", *given])


if __name__ == "__main__":
    main()
