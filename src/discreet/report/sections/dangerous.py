"""For internal pages only: the combinations of values by which people would have been found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.assess.look import look
from discreet.errors import LimitError
from discreet.report.blocks import Grid, Note, Paragraph, Section
from discreet.report.text import counted, label

if TYPE_CHECKING:
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject

N_SHOWN = 20
MAX_SIZE = 3
MAX_ITEMSETS = 5_000_000


def dangerous_section(subject: Subject) -> Section | None:
    """Return the most dangerous combinations of the original; None on public pages."""
    before = subject.before
    if not subject.internal or before is None or not before.n_rows:
        return None
    theta = max((subject.k or 2) - 1, 1)
    try:
        seen = look(
            before.select(subject.columns),
            theta=theta,
            max_size=MAX_SIZE,
            n_shown=N_SHOWN,
            max_itemsets=MAX_ITEMSETS,
        )
    except LimitError:
        blocks: list[Block] = [
            Note(text="There are too many dangerous combinations to list them.", tone="warning")
        ]
    else:
        rows = [
            (
                " and ".join(label(item) for item in found.items),
                f"{found.support:,}",
                f"{found.n_of_these_columns:,}",
            )
            for found in seen.combinations
        ]
        blocks = [Paragraph(text=seen.sentence)]
        if rows:
            title = "The most dangerous combinations in the original, one for each set of columns"
            header = ("combination", "rows that have it", "combinations of these columns")
            blocks.append(Grid(caption=title, header=header, rows=rows, numeric=frozenset((1, 2))))
    return Section(
        name="dangerous",
        title="Who would have been found",
        lead="The smallest combinations of values that at most "
        f"{counted(theta, 'row')} of the original share. Whoever knows these values about "
        "somebody would find that person in the original.",
        blocks=blocks,
    )
