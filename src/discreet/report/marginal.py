"""The counts of one column's values, and which of them may be shown.

On public pages values that few rows of the original have are pooled. A pool of one value, or of
few rows, could be worked out from the total, so that the next rarer values join it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.report.text import label
from discreet.utility.pairs import pair_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discreet.report.subject import Subject

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


def pooled(counts: Mapping[str, int], least: int) -> frozenset[str] | None:
    """Return the values to be shown as one, so that none of fewer than ``least`` rows is told.

    Parameters
    ----------
    counts : mapping of str to int
        Rows of the original with each value, at least 1.
    least : int
        How many rows a value must have to be shown.

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
        if sum(counts[name] for name in order[:size]) >= least:
            return frozenset(order[:size])
    return None


def marginals(subject: Subject) -> list[Marginal]:
    """Return the counts of every column, as far as they may be shown."""
    if subject.before is None:
        return [_after_only(subject, name) for name in subject.data.columns]
    order = {name: subject.before.values(name) for name in subject.before.columns}
    found = []
    for pair in pair_columns(subject.before, subject.data):
        before = np.bincount(pair.original, minlength=len(pair.labels)).tolist()
        after = np.bincount(pair.release, minlength=len(pair.labels)).tolist()
        rank = {value: place for place, value in enumerate(order[pair.name])}
        places = sorted(
            range(len(pair.labels)), key=lambda i: (rank.get(pair.labels[i], len(rank)), i)
        )
        counts = [(pair.labels[i], before[i], after[i]) for i in places]
        found.append(_compared(subject, pair.name, counts))
    return found


def _after_only(subject: Subject, column: str) -> Marginal:
    values, n_rows = subject.data.values(column), subject.data.n_rows
    counts = np.bincount(subject.data.codes(column), minlength=len(values)).tolist()
    kept = _most(counts, MAX_BARS)
    rows = [_row(_name(values[i]), None, 0, counts[i], n_rows) for i in kept]
    rest = sum(counts) - sum(counts[i] for i in kept)
    if len(kept) < len(counts):
        rows.append(_row(OTHERS, None, 0, rest, n_rows))
    return Marginal(column=column, rows=tuple(rows), n_before=None, n_after=n_rows)


def _compared(subject: Subject, column: str, counts: Sequence[tuple[object, int, int]]) -> Marginal:
    """Return one column of both tables; on public pages rare values pooled, counts rounded."""
    assert subject.before is not None
    n_before, n_after = subject.before.n_rows, subject.data.n_rows
    names = [str(i) for i in range(len(counts))]  # labels may look alike; places do not
    there = {name: before for name, (_, before, _) in zip(names, counts, strict=True) if before}
    pool = pooled(there, subject.least)
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
    return Marginal(column=column, rows=tuple(rows), n_before=n_before, n_after=n_after)


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
