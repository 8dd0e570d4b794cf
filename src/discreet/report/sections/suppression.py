"""Which cells have no value: by column, and how many together in a row.

On public pages this is read off the release alone, where everybody can count it: which of the
empty cells were missing from the start would be a figure about few people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.report.blocks import Columns, Fact, Facts, Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import bars, heat_map
from discreet.report.levels import generalized_columns
from discreet.report.text import counted, label, percent
from discreet.utility.changes import cells_changed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject

MAX_COLUMNS = 40


def hidden_cells(table: Table) -> list[int]:
    """Return the number of cells without a value in each column.

    Examples
    --------
    >>> from discreet import Table
    >>> hidden_cells(Table.from_frame({"sex": ["f", None], "job": ["a", "a"]}))
    [1, 0]
    """
    return [int(_is_hidden(table, name).sum()) for name in table.columns]


def hidden_together(table: Table) -> NDArray[np.int64]:
    """Return, by column, how many rows have 0, 1, 2, ... empty cells, this column's among them.

    Examples
    --------
    >>> from discreet import Table
    >>> hidden_together(Table.from_frame({"sex": ["f", None], "job": [None, None]})).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    hidden = np.array([_is_hidden(table, name) for name in table.columns])
    together = hidden.sum(axis=0)
    return np.array([np.bincount(together[row], minlength=len(hidden) + 1) for row in hidden])


def suppression_section(subject: Subject) -> Section | None:
    """Return what was suppressed, and where; None if values were generalized instead."""
    if generalized_columns(subject.release):
        return None
    data = subject.data
    columns = list(data.columns)
    together = hidden_together(data)
    by_column = together.sum(axis=1).tolist()
    what = "without a value"
    blocks: list[Block] = [Facts(facts=_facts(subject))] if _facts(subject) else []
    if subject.internal and subject.before is not None and subject.rows is not None:
        lost = cells_changed(subject.before, data, rows=subject.rows)
        order = [lost.columns.index(name) for name in columns]
        together = lost.suppressed_together[order]
        by_column = lost.suppressed_by_column[order].tolist()
        what = "suppressed"
        blocks.append(Paragraph(text=lost.sentence))
    if not data.n_rows:
        blocks.append(Note(text="No row was released, so there are no cells to count."))
    elif not sum(by_column):
        blocks.append(Note(text=f"No cell of the release is {what}.", tone="good"))
    else:
        figures = [
            _by_column(columns, by_column, data.n_rows, what),
            _together(columns, together, what),
        ]
        blocks.append(Columns(figures=figures))
    return Section(
        name="suppression",
        title="What was left out",
        lead="Protection here means leaving out: single cells are blanked, whole rows may be "
        "dropped. These figures show where, so that nobody reads a gap as a finding.",
        blocks=blocks,
    )


def _is_hidden(table: Table, name: str) -> NDArray[np.bool_]:
    column = table.column(name)
    code = column.missing_code
    return np.zeros(table.n_rows, bool) if code is None else column.codes == code


def _facts(subject: Subject) -> list[Fact]:
    """Return what the steps counted."""
    counts: dict[str, int] = {}
    for event in subject.release.events:
        counts.update(event.counts)
    found = []
    cells, hidden = counts.get("n_cells"), counts.get("n_cells_suppressed")
    if hidden is not None:
        share = percent(hidden / cells) if cells else f"{hidden:,}"
        more = f"{hidden:,} of {cells:,} cells" if cells else ""
        found.append(Fact(name="cells blanked, dropped rows included", value=share, more=more))
    rows = counts.get("n_rows")
    of_rows = f"of {counted(rows, 'row')}" if rows else ""
    for name, words in (
        ("n_rows_dropped", "rows dropped"),
        ("n_rows_suppressed", "rows blanked completely"),
    ):
        if name in counts:
            found.append(Fact(name=words, value=f"{counts[name]:,}", more=of_rows))
    return found


def _by_column(columns: list[str], counts: list[int], n_rows: int, what: str) -> Figure:
    order = sorted(range(len(columns)), key=lambda place: (-counts[place], place))
    shares = [counts[place] / n_rows for place in order]
    names = [label(columns[place]) for place in order]
    words = f"Most cells {what} are in {names[0]}: {percent(shares[0])} of its rows."
    title = f"Cells {what}, by column"
    return Figure(
        title=title,
        words=words,
        svg=bars(
            names[:MAX_COLUMNS],
            {what: shares[:MAX_COLUMNS]},
            colours=["hidden"],
            title=title,
            words=words,
            axis=f"share of released rows {what}",
        ),
        table=Grid(
            caption=title,
            header=("column", "cells", "share of rows"),
            rows=[
                (name, f"{counts[place]:,}", percent(share))
                for name, place, share in zip(names, order, shares, strict=True)
            ],
            numeric=frozenset((1, 2)),
        ),
    )


def _together(columns: list[str], together: NDArray[np.int64], what: str) -> Figure:
    """Return the map of columns by number of such cells in the row."""
    last = int(np.flatnonzero(together.sum(axis=0))[-1])
    shown = together[:, 1 : last + 1].tolist()
    sizes = [str(size) for size in range(1, last + 1)]
    names = [label(name) for name in columns]
    title = f"How many cells of a row are {what}, by column"
    words = (
        "A line is a column. The further right its dark fields lie, the more other cells of the "
        "same row are empty too."
    )
    return Figure(
        title=title,
        words=words,
        svg=heat_map(
            names[:MAX_COLUMNS],
            sizes,
            shown[:MAX_COLUMNS],
            title=title,
            words=words,
            axis=f"cells {what} in the row",
        ),
        table=Grid(
            caption=f"{title}: rows of the release",
            header=("column", *sizes),
            rows=[
                (name, *(f"{count:,}" for count in line))
                for name, line in zip(names, shown, strict=True)
            ],
            numeric=frozenset(range(1, last + 1)),
        ),
    )
