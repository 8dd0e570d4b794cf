"""Plots of the generalization benchmark, like figures 9.1 to 9.10 of the thesis."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

if TYPE_CHECKING:
    from pathlib import Path


def draw(name: str, rows: list[dict[str, Any]], folder: Path) -> list[tuple[Path, str]]:
    """Write the plots of a part; return their files and what each shows."""
    folder.mkdir(exist_ok=True)
    kept = ("case", "method", "k", "elapsed", "loss", "n_rows")
    frame = pl.DataFrame([{field: row[field] for field in kept} for row in rows])
    if name == "growth":
        by_rows = frame.filter(pl.col("case") == "Adult, ARX, 9 columns")
        by_columns = frame.filter(pl.col("case") != "Adult, ARX, 9 columns")
        return [
            _lines(by_rows, ("n_rows", "elapsed", "method"), folder / "generalize-rows.svg",
                   ("rows", "elapsed seconds", "Time against rows, k = 50"), logs=(True, True)),
            _lines(by_columns, ("k", "elapsed", "case"), folder / "generalize-columns.svg",
                   ("k", "elapsed seconds", "Time by number of columns"), logs=(False, True)),
        ]  # fmt: skip
    made = []
    for place, case in enumerate(frame["case"].unique(maintain_order=True)):
        of_case = frame.filter(pl.col("case") == case)
        for field, axis in (("loss", "loss"), ("elapsed", "elapsed seconds")):
            file = folder / f"generalize-{name}-{place}-{field}.svg"
            words = ("k", axis, f"{case}: {axis} against k")
            logs = (False, field != "loss")
            made.append(_lines(of_case, ("k", field, "method"), file, words, logs=logs))
    return made


def _lines(
    frame: pl.DataFrame,
    fields: tuple[str, str, str],
    file: Path,
    words: tuple[str, str, str],
    *,
    logs: tuple[bool, bool],
) -> tuple[Path, str]:
    """Write one chart as SVG: fields along, up and by colour; words for the axes and the title."""
    along, up, title = words
    x, y, colour = fields
    scales = [alt.Scale(type="log" if is_log else "linear") for is_log in logs]
    chart = (
        alt.Chart(frame, title=title, width=420, height=280)
        .mark_line(point=True)
        .encode(
            x=alt.X(f"{x}:Q", title=along, scale=scales[0]),
            y=alt.Y(f"{y}:Q", title=up, scale=scales[1]),
            color=alt.Color(f"{colour}:N", title=None, sort=None),
        )
    )
    chart.save(str(file))
    return file, title
