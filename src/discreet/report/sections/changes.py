"""Which cells have no value: by column, and how many together in a row.

On public pages this is counted in the release alone, as any reader can: how many of the empty
cells were missing from the start would be a figure about few people.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.anonymity import anonymity
from discreet.generalize.release import LossSummary
from discreet.release.contents import generalized_columns
from discreet.report.blocks import Columns, Fact, Facts, Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import bars, heat_map, stacked_bars
from discreet.report.subject import LEVELS, column_levels, counted_of, shown_columns
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


def suppressed_cells(table: Table) -> list[int]:
    """Return the number of cells without a value in each column.

    Examples
    --------
    >>> from discreet import Table
    >>> suppressed_cells(Table.from_frame({"sex": ["f", None], "job": ["a", "a"]}))
    [1, 0]
    """
    return [int(_is_suppressed(table, name).sum()) for name in table.columns]


def suppressed_together(table: Table) -> NDArray[np.int64]:
    """Return, by column, how many rows have 0, 1, 2, ... empty cells, this column's among them.

    Examples
    --------
    >>> from discreet import Table
    >>> suppressed_together(Table.from_frame({"sex": ["f", None], "job": [None, None]})).tolist()
    [[0, 0, 1], [0, 1, 1]]
    """
    empty = np.array([_is_suppressed(table, name) for name in table.columns])
    if not len(empty):
        return np.zeros((0, 1), np.int64)
    together = empty.sum(axis=0)
    return np.array([np.bincount(together[row], minlength=len(empty) + 1) for row in empty])


def suppression_section(subject: Subject) -> Section | None:
    """Return what was suppressed, and where; None if values were generalized instead."""
    if generalized_columns(subject.release):
        return None
    data = subject.data
    columns = list(shown_columns(subject))
    together = suppressed_together(data.select(columns))
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
    elif not columns:
        blocks.append(Note(text="Over 95% of every column is suppressed."))
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
        title="Suppressed cells and records",
        lead="Single cells were suppressed, and records may be suppressed as a whole. These "
        "figures show where: do not read a gap as a finding.",
        blocks=blocks,
    )


def _is_suppressed(table: Table, name: str) -> NDArray[np.bool_]:
    column = table.column(name)
    code = column.missing_code
    return np.zeros(table.n_rows, bool) if code is None else column.codes == code


def _facts(subject: Subject) -> list[Fact]:
    """Return what the steps counted."""
    counts: dict[str, int] = {}
    for event in subject.release.events:
        counts.update(event.counts)
    found = []
    cells, n = counts.get("n_cells"), counts.get("n_cells_suppressed")
    if n is not None:
        share = percent(n / cells) if cells else f"{n:,}"
        more = f"{n:,} of {cells:,} cells" if cells else ""
        name = "suppressed cells, those of suppressed records included"
        found.append(Fact(name=name, value=share, more=more))
    rows = counts.get("n_rows")
    of_rows = f"of {counted(rows, 'row')}" if rows else ""
    for name, words in (
        ("n_rows_dropped", "suppressed records"),
        ("n_rows_suppressed", "rows with all cells suppressed"),
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
            colours=["suppressed"],
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
    title = f"Cells {what} in a row, by column"
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


# How far up their hierarchies cells are shown, column by column.

_COLOURS = ("after", "step1", "step2", "step3", "step4")


def generalization_section(subject: Subject) -> Section | None:
    """Return what generalization did; None for releases made in another way."""
    if not generalized_columns(subject.release):
        return None
    blocks: list[Block] = []
    visible = shown_columns(subject)
    found = [each for each in column_levels(subject.release) if each.column in visible]
    if subject.data.n_rows and found:
        blocks.append(Facts(facts=_level_facts(subject, found)))
        blocks.append(_figure(found))
        if subject.internal and all(each.loss is not None for each in found):
            blocks.append(_losses(found))
    else:
        blocks.append(Note(text="No row was released, so there are no cells to count."))
    if subject.internal and isinstance(subject.release.loss, LossSummary):
        blocks.append(_summary(subject.release.loss))
    return Section(
        name="generalization",
        title="Generalized values",
        lead="A cell may show a group of values in place of its value, so that rows become equal. "
        "These figures show how many cells keep their value, and how far the others were "
        "generalized.",
        blocks=blocks,
    )


def _level_facts(subject: Subject, found: Sequence[ColumnLevels]) -> list[Fact]:
    kept = sum(each.shares[0] for each in found) / len(found)
    suppressed = sum(each.shares[-1] for each in found) / len(found)
    facts = [
        Fact(name="of these cells keep their value", value=percent(kept)),
        Fact(name="are suppressed", value=percent(suppressed)),
    ]
    if not subject.internal:
        return facts  # losses would disclose how many values a column has
    losses = [each.loss for each in found if each.loss is not None]
    if len(losses) == len(found):
        facts.append(
            Fact(
                name="share of information lost, on average",
                value=percent(sum(losses) / len(losses)),
                more="LM loss of the released rows",
            )
        )
    for event in subject.release.events:
        dropped = event.counts.get("n_rows_dropped")
        if event.name == "generalize" and dropped:
            facts.append(Fact(name="suppressed records", value=f"{dropped:,}"))
    return facts


def _figure(found: Sequence[ColumnLevels]) -> Figure:
    drawn = found[:MAX_COLUMNS]
    names = [label(each.column) for each in drawn]
    title = "Level of generalization, by column"
    fewest = min(found, key=lambda each: each.shares[0])
    words = (
        f"{label(fewest.column)} keeps the fewest values: {percent(fewest.shares[0])} of its cells."
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
    ordered = sorted(found, key=lambda each: -(each.loss or 0))
    return Grid(
        caption="Information lost, by column",
        header=("column", "LM loss", "hierarchy"),
        rows=[
            (
                label(each.column),
                f"{each.loss:.4f}",
                "given" if each.has_hierarchy else "none: kept or suppressed",
            )
            for each in ordered
        ],
        numeric=frozenset((1,)),
        note="The LM loss of a cell is the share of the other values of its column that it could "
        "have as well: 0 if it keeps its value, 1 if it is suppressed. Suppressed records are not "
        "counted here.",
    )


def _summary(loss: LossSummary) -> Grid:
    rows = [("loss of all rows, suppressed records included", f"{loss.loss:.4f}")]
    if loss.before is not None:
        gain = "" if not loss.before else f" ({percent(1 - loss.loss / loss.before)} less since)"
        rows.append(("before rows were moved between clusters", f"{loss.before:.4f}{gain}"))
    if loss.least is not None:
        rows.append(("lower bound on the loss of any clustering", f"{loss.least:.4f}"))
    if loss.ratio is not None:
        rows.append(("proved before moving: at most this multiple of it", f"{loss.ratio:.4f}"))
    rows.append(("equivalence classes", f"{loss.n_groups:,}"))
    return Grid(
        caption=f"Distance to the smallest possible loss ({loss.measure}), for internal use",
        header=("what", "figure"),
        rows=rows,
        numeric=frozenset((1,)),
        note="These figures are computed from the original, and are not for publication.",
    )


# The sizes of equivalence classes, before and after.

STARTS = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)


def classes_section(subject: Subject) -> Section:
    """Return the sizes of equivalence classes."""
    blocks: list[Block] = []
    if subject.data.n_rows:
        after = anonymity(subject.data, columns=subject.columns, sensitive=())
        before = None
        if subject.before is not None and subject.before.n_rows:
            before = anonymity(subject.before, columns=subject.columns, sensitive=())
        who = {"release": counted_of(subject.data)}
        if before is not None and subject.before is not None:
            who = {"original": counted_of(subject.before), **who}
        blocks.append(
            _class_figure(before, after, who, starts(subject.k), internal=subject.internal)
        )
    else:
        blocks.append(Note(text="No row was released, so there are no classes."))
    return Section(
        name="groups",
        title="Equivalence classes",
        lead="An attacker cannot distinguish the records of one equivalence class. Each bar shows "
        "the share of rows in classes of this size; a suppressed cell is a value of its own.",
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
    """Return the number of classes and of rows in them from each start to the next.

    Examples
    --------
    >>> by_step(anonymity({"a": [1, 2, 2]}), (1, 2, 5))
    [(1, 1), (1, 2), (0, 0)]
    """
    ends = (*at[1:], None)
    inside = [
        [each for each in found.sizes() if low <= each[0] and (not end or each[0] < end)]
        for low, end in zip(at, ends, strict=True)
    ]
    return [(sum(n for _, n, _ in each), sum(n for _, _, n in each)) for each in inside]


def _class_figure(
    before: Anonymity | None,
    after: Anonymity,
    who: dict[str, tuple[str, str]],
    at: Sequence[int],
    *,
    internal: bool,
) -> Figure:
    sides = {"original": before, "release": after} if before else {"release": after}
    if any(each != "rows" for _, each in who.values()):
        sides = {f"{name} (by {who[name][1]})": found for name, found in sides.items()}
    steps = {name: by_step(found, at) for name, found in sides.items()}
    used = [place for place in range(len(at)) if any(each[place][1] for each in steps.values())]
    names = [_name(at, place) for place in used]
    shares = {
        name: [each[place][1] / sides[name].n_rows for place in used]
        for name, each in steps.items()
    }
    title = "Rows by the size of their equivalence class"
    words = f"The smallest class of the release has {counted(after.k, *who['release'])}."
    if before:
        unique = percent(before.n_rows_below(2) / before.n_rows)
        words += (
            f" In the original {unique} of the records were unique."
            if before.n_people is None
            else f" In the original {unique} of the rows have values that no other "
            f"{who['original'][0]} has."
        )
    # With shares the number of classes of the original would say how many rows it has.
    counted_in = [name for name, found in sides.items() if internal or found is after]
    counts = dict.fromkeys(many for _, many in who.values())
    header = [f"{' or '.join(reversed(counts))} in the class"]
    for name in steps:
        header += [f"{name}: share of rows"]
        header += [f"{name}: classes"] if name in counted_in else []
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
            rows=[
                _row(place, names, used, steps, shares, counted_in=counted_in)
                for place in range(len(used))
            ],
            numeric=frozenset(range(1, len(header))),
        ),
    )


def _row(
    place: int,
    names: Sequence[str],
    used: Sequence[int],
    steps: dict[str, list[tuple[int, int]]],
    shares: dict[str, list[float]],
    *,
    counted_in: Sequence[str],
) -> tuple[str, ...]:
    cells = [names[place]]
    for name, each in steps.items():
        cells.append(percent(shares[name][place]))
        if name in counted_in:
            cells.append(f"{each[used[place]][0]:,}")
    return tuple(cells)


def _name(at: Sequence[int], place: int) -> str:
    low = at[place]
    if place + 1 == len(at):
        return f"{low:,} or more"
    last = at[place + 1] - 1
    if low == 1 and last == 1:
        return "unique"
    return f"{low:,}" if last == low else f"{low:,} to {last:,}"


# What was mended before anything else; on internal pages alone.


def repairs_section(table: Table) -> Section | None:
    """Return how many cells each rule of the policy's repairs changed; None if there are none."""
    if not table.repaired:
        return None
    rows = [
        [each.column, rule, f"{n:,}"] for each in table.repaired for rule, n in each.counts.items()
    ]
    blocks: list[Block] = [
        Grid(
            caption="Cells that each rule changed",
            header=("Column", "Rule", "Cells"),
            rows=rows,
            numeric=frozenset((2,)),
        )
    ]
    for each in table.repaired:
        if each.n_ambiguous:
            shown = "; ".join(each.ambiguous)
            more = " The first of them" if each.n_ambiguous > len(each.ambiguous) else " They are"
            blocks.append(
                Note(
                    title=f"{each.column}: {counted(each.n_ambiguous, 'ambiguous cell')}",
                    text=f"Nothing in the column says which reading is right.{more}: {shown}.",
                    tone="warning",
                )
            )
    return Section(
        name="repairs",
        title="Repaired cells",
        lead="The policy says how messy cells were read before the table was protected. Nothing "
        "else was changed. These counts are about the original: they are not for publication.",
        blocks=blocks,
    )
