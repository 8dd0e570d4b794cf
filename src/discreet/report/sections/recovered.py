"""What can be learnt of everybody from randomized reports: the commonest items, recovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import InfeasibleError
from discreet.randomize.recovery import support, support_weights
from discreet.report.blocks import Figure, Grid, Note, Section
from discreet.report.charts import bars
from discreet.report.text import label, percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.randomize.estimate import Estimate
    from discreet.randomize.randomized import Randomized
    from discreet.randomize.release import RandomizedRelease
    from discreet.report.blocks import Block

MOST_SHOWN = 20


def recovered_section(release: RandomizedRelease) -> Section | None:
    """Return the commonest items with intervals; None if nothing was sent."""
    data = release.data
    if not len(data) or not data.real_labels:
        return None
    block: Block
    try:
        order = np.argsort(-_frequencies(data), kind="stable")[:MOST_SHOWN]
        names = [data.real_labels[code] for code in order.tolist()]
        block = _figure([(label(name), support(data, [name])) for name in names])
    except InfeasibleError as error:
        block = Note(tone="warning", title="Nothing can be recovered", text=str(error))
    return Section(
        name="recovered",
        title="What can be learnt of everybody",
        lead="Chance works on many reports in a known way, so shares of people can be recovered. "
        "These figures are computed from the released reports alone and tell nothing more of "
        "anybody.",
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


def _figure(found: list[tuple[str, Estimate]]) -> Figure:
    title = "The commonest items"
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
