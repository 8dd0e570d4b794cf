"""What one randomized report tells about the person who sent it, for every size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from discreet.randomize.posterior import protection
from discreet.report.blocks import Figure, Grid, Section
from discreet.report.charts import bars
from discreet.report.text import counted

if TYPE_CHECKING:
    from discreet.randomize.posterior import Protection
    from discreet.randomize.release import RandomizedRelease

PRIORS = ("1/100", "1/20", "1/5")


def protection_section(release: RandomizedRelease) -> Section:
    """Return local epsilon and the best an attacker can make of a report, size by size."""
    data = release.data
    counts = data.n_of_size()
    found = protection(data.operator, sizes=counts, n_items=data.n_items, priors=PRIORS)
    return Section(
        name="protection",
        title="What one report tells",
        lead="Whoever sees the report of one person can guess better than before what that person "
        "has. The bounds hold for anything that is true of some sets and not of others, whatever "
        "else the attacker knows.",
        blocks=[_figure(found, counts)],
    )


def _figure(found: tuple[Protection, ...], counts: dict[int, int]) -> Figure:
    names = [counted(one.size, "item") for one in found]
    after = [float(one.posteriors[0][1]) for one in found]
    title = "What is true with a chance of 1 % before, at most after the report"
    words = f"At most {_up(max(after, default=0.0))} for the size that is protected least."
    return Figure(
        title=title,
        words=words,
        svg=bars(names, {"chance": after}, colours=["after"], title=title, words=words,
                 axis="chance after the report"),
        table=Grid(
            caption="Epsilon and chances after the report, by size of the transaction",
            header=("size", "transactions", "epsilon", "1 % becomes", "5 %", "20 %"),
            rows=[(name, f"{counts[one.size]:,}", f"{math.ceil(one.epsilon * 1000) / 1000:.3f}",
                   *(_up(float(bound)) for _, bound in one.posteriors))
                  for name, one in zip(names, found, strict=True)],
            numeric=frozenset((1, 2, 3, 4, 5)),
        ),
    )  # fmt: skip


def _up(chance: float) -> str:
    """Return a chance in percent, rounded up.

    Examples
    --------
    >>> _up(0.4701)
    '47.1 %'
    """
    return f"{math.ceil(chance * 1000 - 1e-9) / 10:.1f} %"
