"""Figures 1 to 3 of the paper, computed anew: what can be discovered, and what that takes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from discreet.randomize import lowest_discoverable_support, tune

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.randomize import CutAndPaste

MANY = 5_000_000
# The paper's own values are not legible in the copy at hand; these are ours, for every size.
S_MAX = [Fraction(1, 20) / 2**k for k in range(10)]
LEVELS = [Fraction(percent, 100) for percent in (30, 40, 50, 60, 70, 80, 90, 95)]
TEXT = """\
Lowest discoverable support: four sigmas from 0. Five million transactions of 5 items, breach level
50 % and K = 5 where nothing else is said (K = 7 in the third). Largest supports assumed: 5 % for
one item, half of it for each item more. The paper's own are not legible in our copy, so that the
shapes compare, not the values.
"""
COUNTS = (500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000)


def tuned(m: int, cutoff: int, breach: Fraction) -> CutAndPaste:
    """Return the operator with the least rho below the breach level."""
    operator: CutAndPaste = tune(
        [m], s_max=S_MAX[:m], breach=breach, cutoffs=[cutoff], repair=True
    ).operator
    return operator


def lowest(operator: CutAndPaste, m: int, n: int, k: int) -> float:
    """Return the lowest discoverable support in percent."""
    return 100 * lowest_discoverable_support(operator, k=k, sizes={m: n})


def figures() -> dict[str, list[dict[str, Any]]]:
    """Return the points of each figure."""
    by_level = {level: tuned(5, 5, level) for level in LEVELS}
    by_size = {m: tuned(m, 7, Fraction(1, 2)) for m in range(1, 11)}
    half = by_level[Fraction(1, 2)]
    return {
        "breach level, %": [
            {"along": 100 * float(level), "k": k, "support": lowest(operator, 5, MANY, k)}
            for level, operator in by_level.items()
            for k in (1, 2, 3)
        ],
        "transactions": [
            {"along": n, "k": k, "support": lowest(half, 5, n, k)}
            for n in COUNTS
            for k in (1, 2, 3)
        ],
        "size of transactions": [
            {"along": m, "k": k, "support": lowest(operator, m, MANY, k)}
            for m, operator in by_size.items()
            for k in (1, 2, 3)
            if k <= m
        ],
    }


def figures_part(folder: Path) -> str:
    """Draw the figures and return their text."""
    folder.mkdir(exist_ok=True)
    lines = [TEXT]
    for number, (along, points) in enumerate(figures().items(), 1):
        file = folder / f"randomize-figure-{number}.svg"
        scale = alt.Scale(type="log" if along == "transactions" else "linear", zero=False)
        frame = pl.DataFrame(points).with_columns(pl.format("{} items", "k").alias("itemsets"))
        chart = (
            alt.Chart(frame, title=f"Lowest discoverable support by {along}", width=420, height=280)
            .mark_line(point=True)
            .encode(
                x=alt.X("along:Q", title=along, scale=scale),
                y=alt.Y("support:Q", title="support, %", scale=alt.Scale(type="log")),
                color=alt.Color("itemsets:N", title=None),
            )
        )
        chart.save(str(file))
        shown = ", ".join(
            f"{point['along']:,.0f}: {point['support']:.3f} %"
            for point in points
            if point["k"] == 3
        )
        lines.append(f"![{along}](plots/{file.name})\n\nItemsets of 3 by {along}: {shown}.\n")
    return "\n".join(lines)
