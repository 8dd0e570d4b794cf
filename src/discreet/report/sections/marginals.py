"""How often each value occurs, before and after, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report.blocks import Columns, Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import bars
from discreet.report.marginal import MISSING_ROW, marginals
from discreet.report.text import label, percent

if TYPE_CHECKING:
    from discreet.report.blocks import Block
    from discreet.report.marginal import Marginal
    from discreet.report.subject import Subject

MAX_FIGURES = 40


def marginals_section(subject: Subject) -> Section:
    """Return one figure for each column."""
    blocks: list[Block] = []
    found = marginals(subject)
    if subject.before is not None and not subject.internal:
        blocks.append(
            Paragraph(
                text=f"Values that fewer than {subject.least} rows of the original have are put "
                f"together as “rarer values”, and counts of the original are rounded to the "
                f"nearest {subject.unit}, so that nobody can work out by subtraction what a "
                "suppressed cell held."
            )
        )
    if not subject.data.n_rows and subject.before is None:
        blocks.append(Note(text="No row was released, so there are no values to count."))
    else:
        blocks.append(Columns(figures=[_figure(each) for each in found[:MAX_FIGURES]]))
    if len(found) > MAX_FIGURES:
        blocks.append(
            Note(text=f"{len(found) - MAX_FIGURES} more columns are not drawn; see the release.")
        )
    compared = "Before and after" if subject.before is not None else "After"
    return Section(
        name="values",
        title="What the values look like now",
        lead=f"{compared}, column by column: which share of the rows has each value. "
        "Bars of equal length mean that the column still tells the same.",
        blocks=blocks,
    )


def _figure(found: Marginal) -> Figure:
    names = [row.label for row in found.rows]
    after = [row.after_share for row in found.rows]
    before = [row.before_share for row in found.rows]
    with_before = found.n_before is not None
    title = f"Values of {label(found.column)}"
    hidden = next((row.after_share for row in found.rows if row.label == MISSING_ROW), 0.0)
    words = f"{percent(hidden or 0)} of the released rows have no value here."
    if found.withheld:
        words += f" {found.withheld}"
    drawn = [place for place, row in enumerate(found.rows) if row.is_drawn]
    shares: dict[str, list[float | None]] = {"original": before} if with_before else {}
    shares["release"] = [*after]
    rows = [
        (
            row.label,
            *((row.before_words, _share(row.before_share)) if with_before else ()),
            f"{row.after:,}",
            _share(row.after_share),
        )
        for row in found.rows
    ]
    header = ["value"]
    header += ["rows of the original", "share of the original"] if with_before else []
    header += ["rows of the release", "share of the release"]
    return Figure(
        title=title,
        words=words,
        svg=bars(
            [names[place] for place in drawn],
            {key: [each[place] for place in drawn] for key, each in shares.items()},
            colours=["before", "after"] if with_before else ["after"],
            title=title,
            words=words,
            axis="share of rows",
        ),
        table=Grid(
            caption=title,
            header=header,
            rows=rows,
            numeric=frozenset(range(1, len(header))),
        ),
    )


def _share(share: float | None) -> str:
    return "not shown" if share is None else percent(share)
