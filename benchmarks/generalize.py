"""Measure generalization: loss and time of every method, and how they grow with the table.

Each part writes its own piece of RESULTS.md, a JSON file in results/ and plots in plots/. Every
measurement is a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from generalize_plots import draw
from results_page import header, line, machine, machine_in_words, today, was_busy, write_part

import discreet as dc

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generalize_job import Job

    from discreet.utility.node_costs import CellMeasure

HERE = Path(__file__).parent
KS = (5, 10, 50, 75, 100, 150, 200)
METHODS = (
    "set cover", "set cover, not improved", "agglomerative", "agglomerative, basic", "forest",
    "Mondrian", "Mondrian, anonypy's rules", "Datafly", "Incognito",
)  # fmt: skip
# Seen elsewhere, with the same hierarchies and measure, 8 columns; could not be run here.
STATED = {
    "ARX local recoding, finest": {5: 0.056, 10: 0.080, 50: 0.152},
    "ARX local recoding": {5: 0.061, 10: 0.085, 50: 0.157},
    "ARX global recoding": {5: 0.234, 10: 0.279, 50: 0.373},
    "ANJANA": {5: 0.33, 10: 0.35, 50: 0.72},
    "Mondrian with free value sets": {5: 0.067, 10: 0.096, 50: 0.187},
}
FIGURES = {
    "least": "no choice loses less than",
    "before": "before improvement",
    "loss": "after",
    "ratio": "proved ratio before improvement",
}
PAST = "past its limit"  # of time, or of combinations that the method itself looks at
COLUMNS = {
    5: "Adult, 5 columns", 8: "Adult, 8 columns", 11: "Adult, 11 columns", 14: "Adult, 14 columns"
}  # fmt: skip


class Part(NamedTuple):
    """Tables to measure on, and how."""

    title: str
    cases: tuple[str, ...]
    measure: CellMeasure = "lm"
    ks: tuple[int, ...] = KS


PARTS = {
    "arx": Part("Adult with ARX's hierarchies", ("Adult, ARX, 8 columns", "Adult, ARX, 9 columns")),
    "adult": Part("Adult, 14 columns (thesis, figures 9.1 and 9.3)", ("Adult, 14 columns",)),
    "entropy": Part(
        "Adult by the entropy measure (figure 9.2)", ("Adult, ARX, 9 columns",), measure="entropy"
    ),
    "nursery": Part("Nursery (figures 9.5 and 9.6)", ("Nursery",)),
    "coil": Part("CoIL 2000 (figures 9.7 and 9.8)", ("CoIL 2000",)),
}


def measured(job: Job, timeout: int) -> dict[str, Any] | None:
    """Measure in a fresh process; None if it took too long or stopped at a limit of its own."""
    print(f"{job}", file=sys.stderr, flush=True)
    command = [sys.executable, str(HERE / "generalize_job.py"), json.dumps(job)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        sys.exit(f"{done.stderr}\nFAILED: {job}")
    found: dict[str, Any] = json.loads(done.stdout)
    if "stopped" in found:
        print(found["stopped"], file=sys.stderr, flush=True)
        return None
    return found


def loss_part(part: Part, options: argparse.Namespace) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the measurements of a part and its lines on the page."""
    rows: list[dict[str, Any]] = []
    lines: list[str] = []
    for case in part.cases:
        found = [
            got
            for method in options.method or METHODS
            for k in options.k or part.ks
            if (got := measured(_job(case, method, k, part.measure), options.timeout))
        ]
        rows += found
        lines += ["", f"**{case}**, {found[0]['n_rows']:,} rows. Loss ({part.measure}):", ""]
        lines += _table(found, "loss", ".4f", stated="8 columns" in case and "ARX" in case)
        lines += ["", "Elapsed seconds, and megabytes at the peak:", ""]
        lines += _table(found, "elapsed", ".1f", also="memory_mb")
        lines += _bounds(found)
    return rows, lines


def _job(case: str, method: str, k: int, measure: CellMeasure) -> Job:
    return {"case": case, "method": method, "k": k, "measure": measure}


def _table(
    rows: list[dict[str, Any]],
    field: str,
    form: str,
    *,
    also: str | None = None,
    stated: bool = False,
) -> Iterator[str]:
    """Yield a table of methods by k."""
    ks = sorted({row["k"] for row in rows})
    yield from header(["method", *(f"k = {k}" for k in ks)])
    for method in dict.fromkeys(row["method"] for row in rows):
        cells = []
        for k in ks:
            at = [row for row in rows if row["method"] == method and row["k"] == k]
            text = format(at[0][field], form) if at else PAST
            if at and also and at[0][also] is not None:
                text += f" / {at[0][also]:.0f}"
            cells.append(text)
        yield line([method, *cells])
    for tool, figures in STATED.items() if stated else ():
        yield line([f"*{tool}, stated*", *(f"{figures[k]}" if k in figures else "" for k in ks)])


def _bounds(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield what is known about the least possible loss, and what improvement gained."""
    best = [row for row in rows if row["method"] == "set cover" and row["summary"]]
    if not best:
        return
    yield from ("", "Set cover beside a lower bound on every choice of groups:", "")
    yield from header(["", *(f"k = {row['k']}" for row in best)])
    for name, words in FIGURES.items():
        values = [row["summary"][name] for row in best]
        yield line([words, *("-" if value is None else f"{value:.4f}" for value in values)])
    for row in best:
        yield from (f"- k = {row['k']}: {text}" for text in row["warnings"])


def growth_part(options: argparse.Namespace) -> tuple[list[dict[str, Any]], list[str]]:
    """Return how set cover and its peers grow with rows and with columns."""
    rows = []
    for n_rows in (30_162, 60_324, 90_486, 120_648, 1_000_000):
        for method in ("set cover", "set cover, not improved", "Mondrian"):
            job = _job("Adult, ARX, 9 columns", method, 50, "lm")
            rows.append(measured({**job, "n_rows": n_rows}, options.timeout))
    lines = ["Rows, k = 50, Adult with 9 columns, grown by crossing rows:", ""]
    lines += header(["rows", "method", "elapsed s", "CPU s", "MB", "loss"])
    for row in filter(None, rows):
        lines.append(
            line([f"{row['n_rows']:,}", row["method"], f"{row['elapsed']:.1f}",
                  f"{row['cpu']:.1f}", f"{row['memory_mb'] or 0:.0f}", f"{row['loss']:.4f}"])
        )  # fmt: skip
    lines += ["", "Columns (figures 9.4 and 9.10), set cover, elapsed seconds / loss:", ""]
    lines += header(["columns", *(f"k = {k}" for k in KS[2:])])
    for n_columns, case in COLUMNS.items():
        got = [measured(_job(case, "set cover", k, "lm"), options.timeout) for k in KS[2:]]
        rows += got
        cells = [f"{g['elapsed']:.1f} / {g['loss']:.4f}" if g else PAST for g in got]
        lines.append(line([str(n_columns), *cells]))
    return [row for row in rows if row], lines


def write(name: str, title: str, rows: list[dict[str, Any]], lines: Sequence[str]) -> None:
    """Write a part as JSON, as plots and onto the page."""
    (HERE / "results").mkdir(exist_ok=True)
    about = {"date": today(), "machine": machine(), "was_busy": was_busy(), "rows": rows}
    file = HERE / "results" / f"generalize-{name}.json"
    file.write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    pictures = draw(name, rows, HERE / "plots")
    shown = [f"![{words}](plots/{path.name})" for path, words in pictures]
    command = " ".join(["python", "benchmarks/generalize.py", *sys.argv[1:]])
    text = f"{today()}, `{command}`. {machine_in_words(machine())}; discreet {dc.__version__}."
    if was_busy():
        text += " **The machine was busy with other work: elapsed seconds are too high.**"
    page = [f"# Generalization: {title}", "", text, *lines, "", *shown]
    write_part(HERE / "RESULTS.md", f"generalize-{name}", "\n".join(page))


def main() -> None:
    """Run the parts and write the results."""
    parser = argparse.ArgumentParser(description="Measure generalization beside its peers.")
    parser.add_argument("--part", action="append", choices=[*PARTS, "growth"], help="only this")
    parser.add_argument("--method", action="append", choices=METHODS, help="only this")
    parser.add_argument("-k", action="append", type=int, help="only this k")
    parser.add_argument("--timeout", type=int, default=600, help="seconds for one measurement")
    options = parser.parse_args()
    if "DISCREET_DATA" not in os.environ:
        sys.exit("Set DISCREET_DATA to the folder with the data.")
    for name in options.part or [*PARTS, "growth"]:
        if name == "growth":
            write(name, "growth with rows and columns", *growth_part(options))
        else:
            write(name, PARTS[name].title, *loss_part(PARTS[name], options))


if __name__ == "__main__":
    main()
