"""Cells that were filled after the mechanism: what that costs, and what it hides from a check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims

FROM = "the release alone"


def is_imputed(claims: Claims) -> bool:
    """Say whether the last step filled cells from nothing but the release.

    What is computed from the output of a differentially private mechanism, and from nothing
    else, is as private as that output: for every set of outcomes of the second step there is a
    set of outcomes of the first that leads there, with the same probabilities.
    """
    steps = claims.events
    return bool(steps) and steps[-1].name == "impute" and steps[-1].parameters.get("source") == FROM


def check_imputed(claims: Claims) -> tuple[Check, ...]:
    """Return what filled cells leave open; nothing if none were filled.

    Parameters
    ----------
    claims : Claims
        Of a release with rows.

    Returns
    -------
    tuple of Check
        At most one check, left open: classes were formed before cells were filled.
    """
    if not is_imputed(claims):
        return ()
    detail = (
        "Cells were filled after classes had been formed, so their sizes cannot be counted from "
        "these rows. To see them, verify the release as it was before that step."
    )
    return (Check(name="classes", passed=None, detail=detail),)
