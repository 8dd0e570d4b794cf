"""The utility of the release: distances of cross tables, patterns, predictions.

On public pages figures are means over many cross tables, in whole per cent: the exact ones
describe the original too closely, and the worst ones name what was rare.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.release.contents import shown_cells
from discreet.report.blocks import Columns, Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import bars
from discreet.report.subject import columns_with_values, counted_of
from discreet.report.text import counted, label, listed, percent
from discreet.utility.itemset_fidelity import itemset_fidelity
from discreet.utility.learning import learning_utility
from discreet.utility.marginal_fidelity import marginal_fidelity
from discreet.utility.pairs import InGroups, in_groups, pair_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject
    from discreet.utility.itemset_fidelity import ItemsetFidelity


SEED = 1

MAX_SETS = 60

MAX_ITEMSETS = 200_000

MIN_FREQUENCY = 0.05

_STEPS = (MIN_FREQUENCY, 0.1, 0.2, 0.5, 1.0)

_SIZES = {1: "single columns", 2: "pairs of columns", 3: "triples of columns"}


def utility_section(subject: Subject) -> Section | None:
    """Return the utility of the release, or None if there is nothing to compare with."""
    before = subject.before
    if before is None or not before.n_rows or not subject.data.n_rows:
        return None
    release, same = subject.release, same_groups(subject, before)
    blocks: list[Block] = _on_groups(same)
    unknown = [name for name in release.stated if name not in release.hierarchies]
    if unknown:
        names = listed(label(name) for name in unknown)
        text = f"The release shows groups of {names}, and this page was made without the "
        text += "hierarchies that say what they hold: a group counts as a value of its own."
        blocks.append(Note(text=text))
    blocks += [_distances(subject, same), _patterns(subject, same)]
    blocks += _learning(subject, same) if subject.internal else []
    return Section(
        name="use",
        title="Utility",
        lead="The original and the release were compared. The closer their answers, the more "
        "useful the release.",
        blocks=blocks,
    )


def same_groups(subject: Subject, before: Table) -> InGroups:
    """Return original and release in the same groups, where the page knows what they hold."""
    release = subject.release  # whole trees are known while it is made, or given: never published
    if release.kind != "rows":
        return InGroups(before, subject.data, ())
    return in_groups(before, shown_cells(release), release.hierarchies)


def _on_groups(same: InGroups) -> list[Block]:
    """Return what to say of groups that are compared with groups."""
    if not same.columns:
        return []
    names = listed(label(name) for name in same.columns)
    text = f"Groups are compared with groups: in {names}, each value stands for the largest group "
    return [Paragraph(text=f"{text}in the release that holds it.")]


def _distances(subject: Subject, same: InGroups) -> Grid:
    digits = 2 if subject.internal else 0
    found = marginal_fidelity(same.original, same.release, max_sets=MAX_SETS, rng=SEED)
    header = ["counts of", "rows to be moved, on average", "without suppressed cells"]
    header += ["worst", "worst columns"] if subject.internal else []
    rows = []
    for size, n_possible in found.n_possible.items():
        n_compared = len(found.of_size(size))
        sample = f" ({n_compared} of {n_possible:,} drawn)" if n_compared < n_possible else ""
        cells = [
            _SIZES[size] + sample,
            percent(found.mean(size), digits),
            percent(found.mean(size, "total_variation_visible"), digits),
        ]
        if subject.internal:
            worst = found.worst(size)
            cells += [
                percent(worst.total_variation, digits),
                " and ".join(label(name) for name in worst.columns),
            ]
        rows.append(cells)
    return Grid(
        caption="Distance of counts in the release from those in the original",
        header=header,
        rows=rows,
        numeric=frozenset((1, 2, 3)),
        note="Share of the rows that would have to be moved to another value to make both tables "
        "agree (total variation): 0% means equal. The second figure ignores rows with suppressed "
        "cells, so it shows whether the visible values are biased.",
    )


def _patterns(subject: Subject, same: InGroups) -> Grid | Note:
    share, before = MIN_FREQUENCY, same.original
    if not subject.internal:  # nothing that few people have in common, with a wide margin
        most_rows = 1 if before.people is None else before.people.most_rows
        wide = 10 * subject.least * most_rows / before.n_rows
        share = next((step for step in _STEPS if step >= wide), 1.0)  # not how many rows there are
    try:
        found = itemset_fidelity(
            before, same.release, min_frequency=share, max_size=4, max_itemsets=MAX_ITEMSETS
        )
    except LimitError:
        return Note(text="There are too many frequent combinations to compare them here.")
    return Grid(
        caption=f"Frequent combinations of up to 4 values, those in at least {percent(share)} of "
        "the rows",
        header=("question", "answer"),
        rows=_pattern_rows(found, 2 if subject.internal else 0),
        numeric=frozenset((1,)),
    )


def _pattern_rows(found: ItemsetFidelity, digits: int) -> list[tuple[str, str]]:
    rows = [
        (
            "Share of those in the original that the release also shows",
            percent(found.recall, digits),
        ),
        ("Share of those in the release that are correct", percent(found.precision, digits)),
    ]
    if found.nfd is not None:
        rows.append(("Error of their frequencies, on average", percent(found.nfd, digits)))
    return rows


MAX_LEARNT, MAX_FEATURES = 5_000, 400  # rows, and values of all columns: seconds, not minutes


def _learning(subject: Subject, same: InGroups) -> list[Block]:
    """Return how well the first sensitive column is predicted; quick, for a first impression."""
    before, after, rows = same.original, same.release, subject.rows
    sensitive = [name for name in before.sensitive if len(before.values(name)) > 1]
    if not sensitive or before.n_columns < 2 or importlib.util.find_spec("sklearn") is None:
        return []
    if rows is None and after.n_rows != before.n_rows:
        return []
    max_values = max(MAX_FEATURES // before.n_columns, 10)
    n_values = {pair.name: len(pair.labels) - 1 for pair in pair_columns(before, after)}
    blocks: list[Block] = [
        Note(
            text=f"Whether {label(name)} can be predicted was not tried: it has "
            f"{n_values[name]:,} values, and no model learns so many. Cut it into bins to see."
        )
        for name in sensitive
        if n_values[name] > max_values
    ]
    targets = [name for name in sensitive if n_values[name] <= max_values]
    if not targets:
        return blocks
    note = ""
    if before.n_rows > MAX_LEARNT:
        before, after, rows = _some(before, after, rows)
        note = f"Tried with {MAX_LEARNT:,} records drawn at random. "
    found = learning_utility(
        before,
        after,
        target=targets[0],
        rows=rows,
        models=["decision_tree", "naive_bayes"],
        n_repeats=1,
        max_values=max_values,
        rng=SEED,
    )
    shares = [
        (each.model.replace("_", " "), percent(each.original.mean), percent(each.release.mean))
        for each in found.models
        if each.original.mean is not None and each.release.mean is not None
    ]
    if not shares or found.majority.mean is None:
        return blocks
    if found.pooled:
        names = listed(label(name) for name in found.pooled)
        note += f"Only the {max_values - 1} commonest values of {names} were learnt from, the "
        note += "others as one."
    commonest = percent(found.majority.mean)
    grid = Grid(
        caption=f"How often {label(targets[0])} is predicted correctly",
        header=("trained on", "the original", "the release"),
        rows=[*shares, ("always the most common value", commonest, commonest)],
        numeric=frozenset((1, 2)),
        note=note.strip(),
    )
    return [*blocks, grid]


def _some(
    before: Table, after: Table, rows: NDArray[np.int64] | None
) -> tuple[Table, Table, NDArray[np.int64]]:
    """Return some rows of the original, those released that came from them, and from which."""
    kept = np.sort(np.random.default_rng(SEED).permutation(before.n_rows)[:MAX_LEARNT])
    source = np.arange(before.n_rows) if rows is None else rows
    here = np.flatnonzero(np.isin(source, kept))
    return before.take(kept), after.take(here), np.searchsorted(kept, source[here])


# How often each value occurs, before and after, column by column.

MAX_FIGURES = 40


def marginals_section(subject: Subject) -> Section:
    """Return one figure for each column."""
    blocks: list[Block] = []
    found = marginals(subject)
    n_left = subject.data.n_columns - len(found)
    if n_left:
        blocks.append(
            Note(text=f"{counted(n_left, 'column')} of which over 95% is suppressed: not shown.")
        )
    if subject.before is not None:
        blocks += _on_groups(same_groups(subject, subject.before))
    if subject.before is not None and not subject.internal:
        _, who = counted_of(subject.before)
        blocks.append(
            Paragraph(
                text=f"Values that fewer than {subject.least} {who} of the original have are "
                f"pooled as “rarer values”, and shares of the original are rounded to whole "
                f"percent, so that subtraction does not disclose suppressed values."
            )
        )
    if not subject.data.n_rows and subject.before is None:
        blocks.append(Note(text="No row was released, so there are no values to count."))
    else:
        figures = [_figure(each, internal=subject.internal) for each in found[:MAX_FIGURES]]
        blocks.append(Columns(figures=figures))
    if len(found) > MAX_FIGURES:
        blocks.append(
            Note(text=f"{len(found) - MAX_FIGURES} more columns are not drawn; see the release.")
        )
    compared = "Before and after" if subject.before is not None else "After"
    return Section(
        name="values",
        title="Distribution of values",
        lead=f"{compared}, column by column: the share of the rows that has each value. "
        "Bars of equal length mean that the distribution is the same.",
        blocks=blocks,
    )


def _figure(found: Marginal, *, internal: bool) -> Figure:
    names = [row.label for row in found.rows]
    after = [row.after_share for row in found.rows]
    before = [row.before_share for row in found.rows]
    with_before = found.n_before is not None
    title = f"Values of {label(found.column)}"
    empty = next((row.after_share for row in found.rows if row.label == MISSING_ROW), 0.0)
    words = f"{percent(empty or 0)} of the released rows have no value here."
    if found.withheld:
        words += f" {found.withheld}"
    drawn = [place for place, row in enumerate(found.rows) if row.is_drawn]
    shares: dict[str, list[float | None]] = {"original": before} if with_before else {}
    shares["release"] = [*after]
    rows = [
        (
            row.label,
            *((row.before_words,) if with_before and internal else ()),
            *((_share(row.before_share),) if with_before else ()),
            f"{row.after:,}",
            _share(row.after_share),
        )
        for row in found.rows
    ]
    header = ["value"]
    header += ["rows of the original"] if with_before and internal else []
    header += ["share of the original"] if with_before else []
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


# The counts of one column's values, and which of them may be shown.
#
# On public pages values that few rows of the original have are pooled. A pool of one value, or of
# few rows, could be worked out from the total, so that the next rarer values join it.

RARER, OTHERS, MISSING_ROW = "rarer values", "other values", "no value"

MAX_BARS, MAX_ROWS = 20, 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalRow:
    """One value, or several pooled: rows and shares, None where they may not be shown."""

    label: str
    before: int | None
    before_share: float | None
    before_words: str
    after: int
    after_share: float
    is_drawn: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Marginal:
    """One column; ``n_before`` is None if the original is not spoken of."""

    column: str
    rows: tuple[MarginalRow, ...]
    n_before: int | None
    n_after: int
    withheld: str = ""


def pooled(
    counts: Mapping[str, int],
    least: int,
    together: Callable[[Sequence[str]], int] | None = None,
) -> frozenset[str] | None:
    """Return the values to be shown as one, so that none of fewer than ``least`` rows is shown.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of the original with each value, at least 1; or people, where these are known.
    least : int
        How many rows, or people, a value must have to be shown.
    together : callable, optional
        Returns how many have one of some values: people with several rows may have several.

    Returns
    -------
    frozenset of str or None
        Empty if every value may be shown; else at least two values with together at least
        ``least`` rows. None if no such pool exists: then nothing may be shown.

    Examples
    --------
    >>> sorted(pooled({"a": 60, "b": 30, "c": 4, "d": 3}, 5) or ())
    ['c', 'd']
    >>> sorted(pooled({"a": 60, "b": 30, "c": 4}, 5) or ())
    ['b', 'c']
    """
    order = sorted(counts, key=lambda name: (counts[name], name))
    n_rare = sum(count < least for count in counts.values())
    if not n_rare:
        return frozenset()
    for size in range(max(n_rare, 2), len(order) + 1):
        some = order[:size]
        n = sum(counts[name] for name in some) if together is None else together(some)
        if n >= least:
            return frozenset(order[:size])
    return None


def marginals(subject: Subject) -> list[Marginal]:
    """Return the counts of every column, as far as they may be shown."""
    if subject.before is None:
        return [_after_only(subject, name) for name in columns_with_values(subject)]
    same = same_groups(subject, subject.before)
    order = {name: subject.before.values(name) for name in subject.before.columns}
    found = []
    visible = {*columns_with_values(subject)}
    for pair in pair_columns(same.original, same.release):
        if pair.name not in visible:
            continue
        before = np.bincount(pair.original, minlength=len(pair.labels)).tolist()
        after = np.bincount(pair.release, minlength=len(pair.labels)).tolist()
        rank = {value: place for place, value in enumerate(order[pair.name])}
        places = sorted(
            range(len(pair.labels)), key=lambda i: (rank.get(pair.labels[i], len(rank)), i)
        )
        counts = [(pair.labels[i], before[i], after[i]) for i in places]
        pool = _pool(subject, pair.original, counts, places)
        found.append(_compared(subject, pair.name, counts, pool))
    return found


def _pool(
    subject: Subject,
    codes: NDArray[np.integer],
    counts: Sequence[tuple[object, int, int]],
    places: Sequence[int],
) -> frozenset[str] | None:
    """Return which values are shown as one, by their numbers as texts: labels may look alike."""
    assert subject.before is not None
    there = {  # a group, which no row of the original shows, is held by those that show it now
        str(i): before or after
        for i, (value, before, after) in enumerate(counts)
        if before or (after and value is not None)
    }
    people = subject.before.people
    if people is None:
        return pooled(there, subject.least)
    # Many rows of a value may be of one person: then few people have it.
    held = people.count(codes, len(places))
    there |= {str(i): int(held[place]) for i, place in enumerate(places) if held[place]}

    def together(names: Sequence[str]) -> int:
        has_one = np.isin(codes, [places[int(name)] for name in names])
        groups = [there[name] for name in names if not held[places[int(name)]]]
        return max([len(np.unique(people.codes[has_one])), *groups])

    return pooled(there, subject.least, together)


def _after_only(subject: Subject, column: str) -> Marginal:
    values, n_rows = subject.data.values(column), subject.data.n_rows
    counts = np.bincount(subject.data.codes(column), minlength=len(values)).tolist()
    held = {str(i): n for i, n in enumerate(counts) if n and values[i] is not None}
    pool = pooled(held, subject.least)
    if pool is None:
        reason = f"Its values have too few rows (under {subject.least}) to be shown here."
        return Marginal(column=column, rows=(), n_before=None, n_after=n_rows, withheld=reason)
    alone = [i for i in range(len(counts)) if str(i) not in pool]
    kept = [alone[place] for place in _most([counts[i] for i in alone], MAX_BARS)]
    rows = [_row(_name(values[i]), None, 0, counts[i], n_rows) for i in kept]
    rest = sum(counts) - sum(counts[i] for i in kept)
    if len(kept) < len(counts):
        rows.append(_row(RARER if pool else OTHERS, None, 0, rest, n_rows))
    return Marginal(column=column, rows=tuple(rows), n_before=None, n_after=n_rows)


def _compared(
    subject: Subject,
    column: str,
    counts: Sequence[tuple[object, int, int]],
    pool: frozenset[str] | None,
) -> Marginal:
    """Return one column of both tables; on public pages rare values pooled, counts rounded."""
    assert subject.before is not None
    n_before, n_after = subject.before.n_rows, subject.data.n_rows
    names = [str(i) for i in range(len(counts))]  # labels may look alike; places do not
    if pool is None:
        bare = _after_only(subject, column)
        reason = f"The original has too few rows (under {subject.least}) to be shown here."
        return Marginal(
            column=column, rows=bare.rows, n_before=None, n_after=n_after, withheld=reason
        )
    limit = MAX_ROWS if subject.internal else MAX_BARS
    alone = [i for i, name in enumerate(names) if name not in pool and counts[i][0] is not None]
    bigger = _most([counts[i][1] + counts[i][2] for i in alone], limit)
    drawn = set(_most([counts[i][1] + counts[i][2] for i in alone], MAX_BARS))
    rows = [
        _row(
            label(counts[alone[place]][0]),
            rounded(counts[alone[place]][1], subject.unit),
            n_before,
            counts[alone[place]][2],
            n_after,
            is_drawn=place in drawn,
        )
        for place in bigger
    ]
    rest = [i for place, i in enumerate(alone) if place not in set(bigger)]
    rest += [int(name) for name in pool]
    # The cells without a value stand apart; what few of them the original had is in the pool.
    shown = [i for i in rest if counts[i][0] is not None]
    if rest:
        both = sum(counts[i][1] for i in rest), sum(counts[i][2] for i in shown)
        title = RARER if pool else OTHERS
        rows.append(_row(title, rounded(both[0], subject.unit), n_before, both[1], n_after))
    for i, (value, before, after) in enumerate(counts):
        if value is None and (before or after):
            missing = None if names[i] in pool else rounded(before, subject.unit)
            rows.append(_row(MISSING_ROW, missing, n_before, after, n_after))
    if not subject.internal:
        rows = [_in_percent(row) for row in rows]
    return Marginal(column=column, rows=tuple(rows), n_before=n_before, n_after=n_after)


def _in_percent(row: MarginalRow) -> MarginalRow:
    """Return a line with a rounded share: exact ones say how many rows the original has."""
    share = None if row.before_share is None else round(row.before_share, 2)
    return replace(row, before_share=share)


def rounded(count: int, unit: int) -> int:
    """Return a count to the nearest unit, halves up.

    Examples
    --------
    >>> rounded(14, 10), rounded(15, 10), rounded(7, 1)
    (10, 20, 7)
    """
    return (2 * count + unit) // (2 * unit) * unit


def _row(
    name: str,
    before: int | None,
    n_before: int,
    after: int,
    n_after: int,
    *,
    is_drawn: bool = True,
) -> MarginalRow:
    return MarginalRow(
        label=name,
        before=before,
        before_share=None if before is None or not n_before else min(before / n_before, 1.0),
        before_words="not shown" if before is None else f"{before:,}",
        after=after,
        after_share=after / n_after if n_after else 0.0,
        is_drawn=is_drawn,
    )


def _name(value: object) -> str:
    return MISSING_ROW if value is None else label(value)


def _most(counts: Sequence[int], limit: int) -> list[int]:
    """Return the places of the largest counts, in their order."""
    order = sorted(range(len(counts)), key=lambda place: (-counts[place], place))
    return sorted(order[:limit])
