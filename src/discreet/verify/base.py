"""An imputed release beside the release that its cells were imputed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.classes import IMPUTE, is_imputed
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims

BASE = "base release"

UNSEEN = "that imputed cells were computed from the base release alone, which was not given"


def check_base(
    claims: Claims, rows: pl.DataFrame, base: tuple[Claims, pl.DataFrame, Check] | None
) -> tuple[Check, ...]:
    """Return whether an imputed release is its base release with empty cells filled.

    Parameters
    ----------
    claims : Claims
        Of the release.
    rows : DataFrame
        Its rows, in the order of those of the base release.
    base : tuple, optional
        Claims, rows and answer of the base release.

    Returns
    -------
    tuple of Check
        None if nothing was imputed and no base release is given. Without a base release, what is
        not seen. Failed if the claims differ, a cell that was not suppressed differs, or a value
        was filled in that its column does not show there.
    """
    if base is None:
        if not is_imputed(claims):
            return ()
        detail = "Give the base release (--base): without it, rows as they were pass for imputed."
        return (Check(name=BASE, passed=None, detail=detail, unseen=UNSEEN),)
    claimed, before, answer = base
    fault = answer.detail if answer.passed is False else _fault(claims, rows, claimed, before)
    if fault:
        return (Check(name=BASE, passed=False, detail=fault),)
    detail = "Every cell that the base release shows is as it was; others have values of it."
    return (Check(name=BASE, passed=True, detail=detail),)


def _fault(claims: Claims, rows: pl.DataFrame, claimed: Claims, before: pl.DataFrame) -> str | None:
    """Return where a release is not its base release with empty cells filled."""
    fault = _fault_of_claims(claims, claimed)
    if fault is not None:
        return fault
    if rows.columns != before.columns or rows.height != before.height:
        return "The base release has other rows or columns."
    for name in rows.columns:
        fault = _fault_of_column(before[name], rows[name])
        if fault is not None:
            return f"Column '{name}' {fault}."
    n_filled = sum(before.null_count().row(0)) - sum(rows.null_count().row(0))
    after = claims.events[len(claimed.events) :]
    stated = sum(event.counts.get("n_cells_imputed", 0) for event in after)
    if stated != n_filled:
        return f"{n_filled:,} cells were imputed, and {stated:,} are stated."
    return None


def _fault_of_claims(claims: Claims, claimed: Claims) -> str | None:
    """Return where the claim is not that of the base release, imputed since."""
    n_steps = len(claimed.events)
    after = [event.name for event in claims.events[n_steps:]]
    if claims.events[:n_steps] != claimed.events or not after or {*after} != {IMPUTE}:
        return "The steps are not those of the base release, with imputing after them."
    for what in ("model", "parameters", "unit", "neighbours", "covered"):
        if getattr(claims, what) != getattr(claimed, what):
            return f"The base release states another claim: its {what} differ."
    return None


def _fault_of_column(was: pl.Series, now: pl.Series) -> str | None:
    """Return where a column is not what it was with empty cells filled."""
    if was.null_count() == len(was):
        return None if now.null_count() == len(now) else "had no value to impute from"
    if was.dtype != now.dtype:
        return "is of another type in the base release"
    changed = was.is_not_null() & was.ne_missing(now)
    if changed.any():
        return f"differs from the base release in row {(changed.arg_max() or 0) + 1} of the data"
    filled = now.filter(was.is_null() & now.is_not_null())
    if not filled.is_in(was.drop_nulls().unique().to_list()).all():
        return "has an imputed value that the base release does not show"
    return None
