"""Whether a release by generalization could have come from the original."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.verify.closeness import check_closeness_to_original
from discreet.verify.outcome import Check
from discreet.verify.sides import line_up
from discreet.verify.under import patterns

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence
    from discreet.verify.stated import Span
    from discreet.verify.under import Side

ROWS = "rows of original"
# What may follow the step "generalize"; before it stand the steps that chose the groups.
AFTER = frozenset(("obey_rules", "mean_weights"))
_MOST_SHOWN = 6


def check_generalized(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether released values and rows could have come from the original.

    Parameters
    ----------
    evidence : Evidence
        With the original; its steps end with ``generalize`` and what belongs to it.

    Returns
    -------
    tuple of Check
        Values: each is a node above a value of the original. Rows: in each column, and for
        whole rows, no more rows show something than the original has rows under it. And, if
        claimed, t-closeness to the original.

    Notes
    -----
    For a single column the count of each group is all there is to check. For whole rows it is
    necessary, not sufficient: they could still be dealt out so that two released rows rest on
    the same original row.
    """
    values, sides = line_up(evidence)
    checks = [values]
    if values.passed is not False:
        checks.append(_check_rows(evidence, sides))
    return (*checks, *check_closeness_to_original(evidence))


def _check_rows(evidence: Evidence, sides: list[Side]) -> Check:
    """Return whether the original has rows enough, by column and by whole rows."""
    original = evidence.original
    assert original is not None
    before, after = original.n_rows, evidence.rows.height
    step = evidence.claims.step("generalize")
    dropped = 0 if step is None else step.counts.get("n_rows_dropped", 0)
    if after + dropped > before:
        also = f" and {dropped:,} dropped" if dropped else ""
        detail = f"{after:,} rows are released{also}, and the original has {before:,}."
        return Check(name=ROWS, passed=False, detail=detail)
    if not sides or not after:
        detail = "There is nothing to compare with the original."
        return Check(name=ROWS, passed=None, detail=detail)
    for side in sides:
        fault = _too_many(side)
        if fault:
            return Check(name=ROWS, passed=False, detail=fault)
    n_low, worst = 0, -1
    for pattern in patterns(sides, progress=evidence.progress):
        if len(pattern.under) < pattern.n_released:
            n_low += pattern.n_released
            worst = pattern.row if worst < 0 else worst
    if n_low:
        rows = "1 released row shows" if n_low == 1 else f"{n_low:,} released rows show"
        detail = (
            f"{rows} combinations that fewer rows of the original lie under, such as row "
            f"{worst + 1} of the data: {_shown(sides, worst)}."
        )
        return Check(name=ROWS, passed=False, detail=detail)
    some = ""
    if len(sides) < len(evidence.rows.columns):
        some = f", in {', '.join(side.name for side in sides)}"
    detail = f"{after:,} of {before:,} rows; each lies above rows of the original{some}."
    return Check(name=ROWS, passed=True, detail=detail)


def _too_many(side: Side) -> str | None:
    """Return in words which value of a column is shown too often, or None."""
    shown: dict[Span, int] = {}
    label_of: dict[Span, str] = {}
    counts = np.bincount(side.codes, minlength=len(side.labels)).tolist()
    for label, spans, count in zip(side.labels, side.spans, counts, strict=True):
        start, stop = spans[0][0], spans[-1][1]  # all groups of the label, and perhaps more
        for span in side.tree.chains[start]:
            if span[0] <= start and stop <= span[1]:
                shown[span] = shown.get(span, 0) + count
                label_of.setdefault(span, "an empty cell" if label is None else repr(label))
    ordered = np.sort(side.places)
    for span, count in shown.items():
        low, high = np.searchsorted(ordered, span)
        if count > high - low:
            return (
                f"Column '{side.name}': {count:,} released rows show {label_of[span]} or another "
                f"value of its group, and the original has {high - low:,} such rows."
            )
    return None


def _shown(sides: list[Side], row: int) -> str:
    """Return what a released row shows, its first columns."""
    cells = [f"{side.name} {side.labels[side.codes[row]]!r}" for side in sides]
    more = ", ..." if len(cells) > _MOST_SHOWN else ""
    return ", ".join(cells[:_MOST_SHOWN]) + more
