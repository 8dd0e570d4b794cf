"""Claims that hold as stated and still say little: for a person to judge."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.verify.certificate import show
from discreet.verify.imputed import IMPUTE
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence


def check_weakness(evidence: Evidence) -> tuple[Check, ...]:
    """Return what a reader of a differentially private release should know.

    Parameters
    ----------
    evidence : Evidence
        Claims, released rows and perhaps the original.

    Returns
    -------
    tuple of Check
        None passed or failed, each left open: a delta of at least one over the number of rows,
        which publishing a few rows as they are would satisfy; and counts beside the release.

    Notes
    -----
    The number of rows of the original is not published. It is at least that of the release, so
    a delta that is too large for the released rows is too large.
    """
    claims, matched = evidence.claims, evidence.matched
    if "differential privacy" not in claims.model:
        return ()
    checks = []
    n_rows = evidence.rows.height if matched is None else matched.original.height
    delta = claims.parameters.get("delta", Fraction(0))
    if isinstance(delta, Fraction) and delta * n_rows >= 1:
        detail = (
            f"delta = {show(delta)} is at least one over {n_rows:,} rows: publishing some rows as "
            "they are would satisfy it."
        )
        checks.append(Check(name="size of delta", passed=None, detail=detail))
    # How many cells were imputed is computed from the release, and covered as it is.
    counted = [event.name for event in claims.events if event.counts and event.name != IMPUTE]
    if counted:
        detail = (
            f"{', '.join(counted)}: states counts. Whether the claim covers them cannot be seen."
        )
        checks.append(Check(name="counts", passed=None, detail=detail))
    return tuple(checks)
