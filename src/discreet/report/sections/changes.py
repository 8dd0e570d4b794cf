"""Which cells have no value: by column, and how many together in a row.

On public pages this is read off the release alone, where everybody can count it: which of the
empty cells were missing from the start would be a figure about few people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.anonymity import anonymity
from discreet.generalize.release import LossSummary
from discreet.report.blocks import Columns, Fact, Facts, Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import bars, heat_map, stacked_bars
from discreet.report.subject import LEVELS, column_levels, generalized_columns
from discreet.report.text import counted, label, percent
from discreet.utility.changes import cells_changed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.assess.anonymity import Anonymity
    from discreet.data.table import Table
    from discreet.report.blocks import Block
    from discreet.report.subject import ColumnLevels, Subject


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


# What values became: how far up their hierarchies cells are shown, column by column.

_COLOURS = ("after", "step1", "step2", "step3", "step4")


def generalization_section(subject: Subject) -> Section | None:
    """Return what generalization did; None for releases made in another way."""
    if not generalized_columns(subject.release):
        return None
    blocks: list[Block] = []
    found = column_levels(subject.release)
    if subject.data.n_rows:
        blocks.append(Facts(facts=_level_facts(subject, found)))
        blocks.append(_figure(found))
        blocks.append(_losses(found))
    else:
        blocks.append(Note(text="No row was released, so there are no cells to count."))
    if subject.internal and isinstance(subject.release.loss, LossSummary):
        blocks.append(_summary(subject.release.loss))
    return Section(
        name="generalization",
        title="What values became",
        lead="Protection here means telling less: a cell shows a group of values in place of the "
        "value, so that rows become alike. Before, every cell showed its value; this is how many "
        "still do, and how far up the others went.",
        blocks=blocks,
    )


def _level_facts(subject: Subject, found: Sequence[ColumnLevels]) -> list[Fact]:
    kept = sum(each.shares[0] for each in found) / len(found)
    hidden = sum(each.shares[-1] for each in found) / len(found)
    facts = [
        Fact(name="of these cells still show their value", value=percent(kept)),
        Fact(name="are hidden completely", value=percent(hidden)),
        Fact(
            name="of what a cell can tell is lost, on average",
            value=percent(sum(each.loss for each in found) / len(found)),
            more="LM loss of the released rows",
        ),
    ]
    for event in subject.release.events:
        dropped = event.counts.get("n_rows_dropped")
        if event.name == "generalize" and dropped:
            facts.append(Fact(name="rows dropped", value=f"{dropped:,}"))
    return facts


def _figure(found: Sequence[ColumnLevels]) -> Figure:
    drawn = found[:MAX_COLUMNS]
    names = [label(each.column) for each in drawn]
    title = "How far up their hierarchy cells are shown"
    least = min(found, key=lambda each: each.shares[0])
    words = (
        f"{label(least.column)} shows the fewest values as they were: {percent(least.shares[0])} "
        "of its cells."
    )
    return Figure(
        title=title,
        words=words,
        svg=stacked_bars(
            names,
            {name: [each.shares[i] for each in drawn] for i, name in enumerate(LEVELS)},
            colours=_COLOURS,
            title=title,
            words=words,
            axis="share of released cells",
            width=620,
        ),
        table=Grid(
            caption=title,
            header=("column", *LEVELS),
            rows=[(label(each.column), *map(percent, each.shares)) for each in found],
            numeric=frozenset(range(1, len(LEVELS) + 1)),
        ),
    )


def _losses(found: Sequence[ColumnLevels]) -> Grid:
    ordered = sorted(found, key=lambda each: -each.loss)
    return Grid(
        caption="What each column lost",
        header=("column", "LM loss", "hierarchy"),
        rows=[
            (
                label(each.column),
                f"{each.loss:.4f}",
                "published with the release" if each.has_hierarchy else "none: kept or hidden",
            )
            for each in ordered
        ],
        numeric=frozenset((1,)),
        note="The LM loss of a cell is the share of the other values of its column that it could "
        "be as well: 0 if it shows its value, 1 if it is hidden. Rows that were dropped are not "
        "counted here.",
    )


def _summary(loss: LossSummary) -> Grid:
    rows = [("loss of all rows, dropped ones as hidden", f"{loss.loss:.4f}")]
    if loss.before is not None:
        gain = "" if not loss.before else f" ({percent(1 - loss.loss / loss.before)} less since)"
        rows.append(("before rows were moved between groups", f"{loss.before:.4f}{gain}"))
    if loss.least is not None:
        rows.append(("no choice of groups loses less than", f"{loss.least:.4f}"))
    if loss.ratio is not None:
        rows.append(("proved: before moving, at most so many times the least", f"{loss.ratio:.4f}"))
    rows.append(("groups of rows that show the same", f"{loss.n_groups:,}"))
    return Grid(
        caption=f"How near the least possible loss ({loss.measure}), for internal use",
        header=("what", "figure"),
        rows=rows,
        numeric=frozenset((1,)),
        note="These figures are computed from the original, and are not for publication.",
    )


# How many rows look alike: the sizes of groups of equal rows, before and after.

STARTS = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)


def classes_section(subject: Subject) -> Section:
    """Return the sizes of groups of rows that look alike."""
    blocks: list[Block] = []
    if subject.data.n_rows:
        after = anonymity(subject.data, columns=subject.columns, sensitive=())
        before = None
        if subject.before is not None and subject.before.n_rows:
            before = anonymity(subject.before, columns=subject.columns, sensitive=())
        blocks.append(_class_figure(before, after, starts(subject.k)))
    else:
        blocks.append(Note(text="No row was released, so there are no groups."))
    return Section(
        name="groups",
        title="Safety in numbers",
        lead="People who look alike hide each other. Each bar shows the share of rows that are "
        "in groups of this many equal rows; a suppressed cell counts as a value of its own.",
        blocks=blocks,
    )


def starts(k: int | None) -> tuple[int, ...]:
    """Return where the bars begin, one of them at k.

    Examples
    --------
    >>> starts(7)[:5]
    (1, 2, 5, 7, 10)
    """
    return tuple(sorted({*STARTS, *([] if k is None else [k])}))


def by_step(found: Anonymity, at: Sequence[int]) -> list[tuple[int, int]]:
    """Return the number of groups and of rows in them from each start to the next.

    Examples
    --------
    >>> by_step(anonymity({"a": [1, 2, 2]}), (1, 2, 5))
    [(1, 1), (1, 2), (0, 0)]
    """
    ends = (*at[1:], None)
    inside = [
        [pair for pair in found.n_classes_by_size if low <= pair[0] and (not end or pair[0] < end)]
        for low, end in zip(at, ends, strict=True)
    ]
    return [(sum(n for _, n in pairs), sum(size * n for size, n in pairs)) for pairs in inside]


def _class_figure(before: Anonymity | None, after: Anonymity, at: Sequence[int]) -> Figure:
    sides = {"original": before, "release": after} if before else {"release": after}
    steps = {name: by_step(found, at) for name, found in sides.items()}
    used = [place for place in range(len(at)) if any(each[place][1] for each in steps.values())]
    names = [_name(at, place) for place in used]
    shares = {
        name: [each[place][1] / sides[name].n_rows for place in used]
        for name, each in steps.items()
    }
    title = "Rows by the size of the group they are in"
    words = f"The smallest group of the release has {after.k:,} rows."
    if before:
        alone = before.n_rows_below(2) / before.n_rows
        words += f" In the original {percent(alone)} of the rows were like no other."
    header = ["rows in the group"]
    for name in steps:
        header += [f"{name}: share of rows", f"{name}: groups"]
    return Figure(
        title=title,
        words=words,
        svg=bars(
            names,
            shares,
            colours=["before", "after"] if before else ["after"],
            title=title,
            words=words,
            axis="share of rows",
            width=620,
        ),
        table=Grid(
            caption=title,
            header=header,
            rows=[_row(place, names, used, steps, shares) for place in range(len(used))],
            numeric=frozenset(range(1, len(header))),
        ),
    )


def _row(
    place: int,
    names: Sequence[str],
    used: Sequence[int],
    steps: dict[str, list[tuple[int, int]]],
    shares: dict[str, list[float]],
) -> tuple[str, ...]:
    cells = [names[place]]
    for name, each in steps.items():
        cells += [percent(shares[name][place]), f"{each[used[place]][0]:,}"]
    return tuple(cells)


def _name(at: Sequence[int], place: int) -> str:
    low = at[place]
    if place + 1 == len(at):
        return f"{low:,} or more"
    last = at[place + 1] - 1
    if low == 1 and last == 1:
        return "alone"
    return f"{low:,}" if last == low else f"{low:,} to {last:,}"
