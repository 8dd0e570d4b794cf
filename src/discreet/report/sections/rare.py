"""The rare combinations that suppression took away, by size, and the support floor they leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import LimitError
from discreet.report.blocks import Fact, Facts, Figure, Grid, Note, Section
from discreet.report.charts import bars
from discreet.report.text import counted, percent
from discreet.suppress.summary import suppression_summary

if TYPE_CHECKING:
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject
    from discreet.suppress.summary import SuppressionSummary

MAX_COMBINATIONS = 5_000_000  # a page is not worth a longer search


def rare_section(subject: Subject) -> Section | None:
    """Return the rare combinations of the original, if suppression by them can be seen here."""
    steps = [event for event in subject.release.events if event.name == "mii_suppress"]
    if subject.before is None or subject.rows is None or not steps:
        return None
    if "sample_size" in steps[0].parameters:
        return None  # what was suppressed were combinations rare in a sample
    theta = steps[0].parameters["theta"]
    blocks: list[Block]
    try:
        found = suppression_summary(subject.before, subject.release, max_itemsets=MAX_COMBINATIONS)
    except LimitError:
        text = f"There are more than {MAX_COMBINATIONS:,} rare combinations; they were not listed."
        blocks = [Note(text=text)]
    else:
        blocks = _blocks(found, exact=subject.internal)
    return Section(
        name="rare",
        title="Rare combinations",
        lead=f"A combination of values that at most {theta} rows of the original share, and of "
        "which every part is shared by more, is how somebody would be singled out. All cells in "
        "such combinations were blanked.",
        blocks=blocks,
    )


def _blocks(found: SuppressionSummary, *, exact: bool) -> list[Block]:
    """Return the floor, and the combinations by size: as shares only on public pages."""
    total = sum(found.n_miis_by_size)
    facts = [
        Fact(
            name="input rows share what a row shows, at the least", value=f"{found.support_floor:,}"
        )
    ]
    if not total:
        return [Facts(facts=facts), Note(text="There was no rare combination.", tone="good")]
    if exact:
        facts.append(Fact(name="rare combinations", value=f"{total:,}"))
    sizes = [(size, n) for size, n in enumerate(found.n_miis_by_size) if n]
    names = [counted(size, "value") for size, _ in sizes]
    shares = [n / total for _, n in sizes]
    most = names[max(range(len(shares)), key=shares.__getitem__)]
    title, words = "Rare combinations by size", f"Most rare combinations have {most}."
    rows = [
        (name, *([f"{n:,}"] if exact else []), percent(share))
        for name, (_, n), share in zip(names, sizes, shares, strict=True)
    ]
    figure = Figure(
        title=title,
        words=words,
        svg=bars(names, {"combinations": shares}, colours=["before"], title=title, words=words,
                 axis="share of rare combinations"),
        table=Grid(
            caption=title,
            header=("size", *(["combinations"] if exact else []), "share"),
            rows=rows,
            numeric=frozenset(range(1, 3 if exact else 2)),
        ),
    )  # fmt: skip
    return [Facts(facts=facts), figure]
