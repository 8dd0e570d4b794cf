"""What values became: how far up their hierarchies cells are shown, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.generalize.loss_summary import LossSummary
from discreet.report.blocks import Fact, Facts, Figure, Grid, Note, Section
from discreet.report.levels import LEVELS, column_levels, generalized_columns
from discreet.report.stacked import stacked_bars
from discreet.report.text import label, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.report.blocks import Block
    from discreet.report.levels import ColumnLevels
    from discreet.report.subject import Subject

MAX_COLUMNS = 40
_COLOURS = ("after", "step1", "step2", "step3", "step4")


def generalization_section(subject: Subject) -> Section | None:
    """Return what generalization did; None for releases made in another way."""
    if not generalized_columns(subject.release):
        return None
    blocks: list[Block] = []
    found = column_levels(subject.release)
    if subject.data.n_rows:
        blocks.append(Facts(facts=_facts(subject, found)))
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


def _facts(subject: Subject, found: Sequence[ColumnLevels]) -> list[Fact]:
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
