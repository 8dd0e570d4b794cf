"""What one randomized report discloses about the person who sent it, for every size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InfeasibleError
from discreet.randomize.breach import protection
from discreet.randomize.recovery import support, support_weights
from discreet.randomize.release import randomized_of
from discreet.report.blocks import Figure, Grid, Note, Section
from discreet.report.charts import bars
from discreet.report.text import counted, label, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.transactions import Transactions
    from discreet.randomize.breach import Protection
    from discreet.randomize.operators.base import Randomized
    from discreet.randomize.recovery import Estimate
    from discreet.release.release import Release
    from discreet.report.blocks import Block


PRIORS = ("1/100", "1/20", "1/5")


def protection_section(release: Release[Transactions]) -> Section:
    """Return local epsilon and the best an attacker can make of a report, size by size."""
    data = randomized_of(release)
    counts = data.n_of_size()
    found = protection(data.operator, sizes=counts, n_items=data.n_items, priors=PRIORS)
    return Section(
        name="protection",
        title="What one report discloses",
        lead="An attacker who sees the report of one person can guess better than before what that "
        "person has. The bounds hold for any fact about a set, whatever else the attacker knows.",
        blocks=[_figure(found, counts)],
    )


def _figure(found: tuple[Protection, ...], counts: dict[int, int]) -> Figure:
    names = [counted(one.size, "item") for one in found]
    after = [float(one.posteriors[0][1]) for one in found]
    title = "Highest posterior of a fact with a prior of 1 %"
    words = f"At most {_up(max(after, default=0.0))} for the size with the least protection."
    return Figure(
        title=title,
        words=words,
        svg=bars(names, {"posterior": after}, colours=["after"], title=title, words=words,
                 axis="probability after the report"),
        table=Grid(
            caption="Epsilon and posteriors, by size of the transaction",
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


# What can be learnt about the population from randomized reports: the most common items.

MOST_SHOWN = 20


def recovered_section(release: Release[Transactions]) -> Section | None:
    """Return the most common items with intervals; None if nothing was sent."""
    data = randomized_of(release)
    if not len(data) or not data.real_labels:
        return None
    block: Block
    try:
        order = np.argsort(-_frequencies(data), kind="stable")[:MOST_SHOWN]
        names = [data.real_labels[code] for code in order.tolist()]
        block = _recovered_figure([(label(name), support(data, [name])) for name in names])
    except InfeasibleError as error:
        block = Note(tone="warning", title="Nothing can be recovered", text=str(error))
    return Section(
        name="recovered",
        title="Recovered shares",
        lead="The law of the randomization is known, so shares of people can be estimated. These "
        "figures are computed from the released reports alone and disclose nothing more.",
        blocks=[block],
    )


def _frequencies(data: Randomized) -> NDArray[np.float64]:
    """Return the recovered share of people who have each item."""
    sets, n_real = data.transactions, len(data.real_labels)
    size_of = np.repeat(data.sizes, sets.sizes)
    total = np.zeros(n_real)
    for m, n in data.n_of_size().items():
        if m == 0:
            continue
        absent, present = support_weights(data.operator, m, 1, n_items=data.n_items)
        held = np.bincount(sets.items[size_of == m], minlength=data.n_items)[:n_real]
        total += float(absent) * (n - held) + float(present) * held
    return total / len(data)


def _recovered_figure(found: list[tuple[str, Estimate]]) -> Figure:
    title = "The most common items"
    words = "Shares of all people, recovered; the table has the intervals."
    shares = [min(max(one.support, 0.0), 1.0) for _, one in found]
    return Figure(
        title=title,
        words=words,
        svg=bars([name for name, _ in found], {"share": shares}, colours=["after"], title=title,
                 words=words, axis="share of people"),
        table=Grid(
            caption="Recovered shares with 95 % intervals",
            header=("item", "share", "from", "to"),
            rows=[(name, percent(one.support), *map(percent, one.interval(0.95)))
                  for name, one in found],
            numeric=frozenset((1, 2, 3)),
        ),
    )  # fmt: skip
