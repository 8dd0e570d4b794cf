"""The support floor: what a released row shows, more than theta rows of the original had."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from discreet.verify.imputed import LOST, is_imputed
from discreet.verify.matching import supports
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence

NAME = "support floor"


def check_support_floor(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether every released row is contained in more than theta rows of the original.

    A released row is reduced to the cells it shows in the columns of the claim. The claim is
    about the original, so that it cannot be recomputed from the release alone.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameter ``theta`` and names its columns; a ``floor`` larger than
        ``theta + 1`` is held to.

    Returns
    -------
    tuple of Check
        One check, left open without the original.
    """
    claims, matched = evidence.claims, evidence.matched
    theta, floor = claims.parameters.get("theta"), claims.parameters.get("floor", 0)
    columns = claims.covered or claims.column_names
    unknown = [name for name in columns if name not in claims.column_names]
    if type(theta) is not int or theta < 0 or type(floor) is not int or unknown:
        detail = (
            f"The claim is about column '{unknown[0]}', which is not released."
            if unknown
            else "The claim lacks its theta, a whole number from 0, or has a floor that is none."
        )
        return (Check(name=NAME, passed=False, detail=detail),)
    if matched is None:
        detail = (
            "It is a claim about the original, and cannot be recomputed from the release alone. "
            "Whoever has the original can: give it."
        )
        return (Check(name=NAME, passed=None, detail=detail),)
    absent = [name for name in columns if name in matched.absent]
    apart = [name for name in columns if name in matched.other_type and name in matched.invented]
    if absent or apart:
        detail = f"Column '{(absent + apart)[0]}' cannot be compared with the original."
        return (Check(name=NAME, passed=None, detail=detail),)
    floor = max(theta + 1, floor)
    found = supports(matched, columns, progress=evidence.progress)
    if found.is_empty():
        return (Check(name=NAME, passed=True, detail="No rows are released."),)
    least = int(found["support"].to_numpy().min())
    if least < floor:
        n_low = int(found.filter(pl.col("support") < floor)["n_released"].sum())
        detail = (
            f"{n_low:,} released rows show a combination of values that fewer than {floor} rows "
            f"of the original have; the rarest occurs in {least}."
            f"{LOST if is_imputed(claims) else ''}"
        )
        return (Check(name=NAME, passed=False, detail=detail),)
    detail = (
        f"What each row shows, at least {floor} rows of the original have; the least is {least:,}."
    )
    return (Check(name=NAME, passed=True, detail=detail),)
