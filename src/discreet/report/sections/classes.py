"""How many rows look alike: the sizes of groups of equal rows, before and after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.assess.anonymity import anonymity
from discreet.report.blocks import Figure, Grid, Note, Section
from discreet.report.charts import bars
from discreet.report.text import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.assess.anonymity import Anonymity
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject

STARTS = (1, 2, 5, 10, 20, 50, 100, 1000, 10_000)


def classes_section(subject: Subject) -> Section:
    """Return the sizes of groups of rows that look alike."""
    blocks: list[Block] = []
    if subject.data.n_rows:
        after = anonymity(subject.data, columns=subject.columns, sensitive=())
        before = None
        if subject.before is not None and subject.before.n_rows:
            before = anonymity(subject.before, columns=subject.columns, sensitive=())
        blocks.append(_figure(before, after, starts(subject.k)))
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


def _figure(before: Anonymity | None, after: Anonymity, at: Sequence[int]) -> Figure:
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
