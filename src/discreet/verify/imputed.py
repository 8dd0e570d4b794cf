"""Null cells filled after a release was made: what that leaves of its claim.

Differential privacy holds for whatever is computed from a release alone, at no cost. A claim
about equal rows does not: filling makes equal rows differ, and is recomputed as any other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.evidence import class_sizes
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims, Step
    from discreet.verify.evidence import Evidence

IMPUTE = "impute"
ALONE = "the release alone"
NAME = "imputed cells"
LOST = (
    " Cells were imputed after the rows had been made alike, and draws make them differ: the "
    "claim was for the release before that step. Publish that one."
)


def is_imputed(claims: Claims) -> bool:
    """Say whether cells of a release were filled after it was made, by its events."""
    return any(event.name == IMPUTE for event in claims.events)


def check_source(step: Step) -> Check | None:
    """Return what is wrong with a step ``impute`` that ought to cost nothing.

    Parameters
    ----------
    step : Step
        One event ``impute``.

    Returns
    -------
    Check or None
        None if it states that its values come from the release alone. Failed if it does not,
        left open if it states more than is known here.
    """
    if step.parameters.get("source") != ALONE:
        detail = f"impute does not state that its values come from {ALONE}. Others are not free."
        return Check(name="steps", passed=False, detail=detail)
    more = sorted(set(step.parameters) - {"source", "max_context"})
    if more:
        detail = f"This verifier does not know what '{more[0]}' of impute does to the claim."
        return Check(name="steps", passed=None, detail=detail)
    return None


def check_imputed(evidence: Evidence, suppress: Step) -> Check:
    """Return whether filled rows can come from classes of at least k equal rows.

    A value is filled in only where its column showed it, which was in a whole class. So every
    value is in at least k rows; and a row that fewer than k rows equal now has a filled cell.

    Parameters
    ----------
    evidence : Evidence
        The last events are ``impute``.
    suppress : Step
        The event ``k_suppress`` before them.

    Returns
    -------
    Check
        Necessary, not sufficient: which cells were filled is not in the files.
    """
    k, rows = suppress.parameters.get("k"), evidence.rows
    stated = [e.counts.get("n_cells_imputed") for e in evidence.claims.events if e.name == IMPUTE]
    n_visible = rows.height * rows.width - sum(rows.null_count().row(0))
    n_filled = sum(n for n in stated if n is not None)
    if type(k) is not int or k < 1:
        return Check(name=NAME, passed=False, detail="k_suppress does not state its k.")
    if None in stated or n_filled > n_visible:
        detail = "impute does not state how many cells it filled, or more than there are."
        return Check(name=NAME, passed=False, detail=detail)
    rare = [name for name in rows.columns if _least(rows[name], k) < k]
    if rare:
        detail = (
            f"Column '{rare[0]}' has a value in fewer than {k} rows: no class of {k} showed it, "
            "so that nothing could be filled in from there."
        )
        return Check(name=NAME, passed=False, detail=detail)
    n_small = int((class_sizes(rows, rows.columns) < k).sum()) if rows.height else 0
    if n_small > n_filled:
        detail = (
            f"{n_small:,} rows are in classes of fewer than {k}, and {n_filled:,} cells are said "
            "to be filled: some of these rows were never in a class that may be released."
        )
        return Check(name=NAME, passed=False, detail=detail)
    detail = (
        f"{n_filled:,} cells were filled from the release, by its steps, which costs nothing. "
        f"Every value is in at least {k} rows, as values of whole classes are."
    )
    return Check(name=NAME, passed=True, detail=detail)


def _least(column: pl.Series, k: int) -> int:
    """Return in how many rows the rarest value of a column is; k if it has no value."""
    counts = column.drop_nulls().unique_counts().to_numpy()
    return int(counts.min()) if len(counts) else k


def left_open_by_imputing(evidence: Evidence) -> tuple[Check, ...]:
    """Return what filled rows no longer show of a release by sampling.

    Parameters
    ----------
    evidence : Evidence
        Claims and released rows.

    Returns
    -------
    tuple of Check
        The classes, left open, if the release is imputed and differentially private.
    """
    claims = evidence.claims
    if not is_imputed(claims) or "differential privacy" not in claims.model:
        return ()
    detail = (
        "Not recomputed: which cells were filled is not in the files, so that filled rows do not "
        "show whether they were in classes of k, nor sorted. Both rest on the stated steps; the "
        "release before imputing shows them. Delta and total are recomputed from the parameters."
    )
    return (Check(name="classes", passed=None, detail=detail),)
