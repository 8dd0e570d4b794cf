"""Whether every class has rows of several households: a promise that rows alone cannot show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.verify.outcome import Check
from discreet.verify.sides import line_up
from discreet.verify.under import patterns

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence

NAME = "households"
_UNSEEN = (
    "Every class is said to have rows of at least k households. The column that tells them apart "
    "is not released, so that this cannot be recomputed"
)


def check_households(evidence: Evidence) -> tuple[Check, ...]:
    """Return what can be said of a promise about households.

    Parameters
    ----------
    evidence : Evidence
        Perhaps with the original.

    Returns
    -------
    tuple of Check
        None if nothing is promised. Never passed: which rows of the original a class was made
        from is not published. Failed if those that it could have been made from are of fewer
        than k households.
    """
    claims, original = evidence.claims, evidence.original
    step, k = claims.step("obey_rules"), claims.parameters.get("k")
    column = None if step is None else step.parameters.get("households")
    if column is None:
        return ()
    if not isinstance(column, str) or column in claims.column_names or type(k) is not int:
        detail = "obey_rules names no column of households, or one that is released."
        return (Check(name=NAME, passed=False, detail=detail),)
    if original is None or column not in original.columns or claims.step("generalize") is None:
        return (Check(name=NAME, passed=None, detail=f"{_UNSEEN}."),)
    values, sides = line_up(evidence)
    covered = [side for side in sides if side.name in claims.covered]
    if values.passed is False or not covered or not evidence.rows.height:
        return (Check(name=NAME, passed=None, detail=f"{_UNSEEN}."),)
    codes = original.codes(column)
    for pattern in patterns(covered):
        if len(np.unique(codes[pattern.under])) < k:
            detail = (
                f"The class of row {pattern.row + 1} of the data can only have rows of fewer "
                f"than {k} households."
            )
            return (Check(name=NAME, passed=False, detail=detail),)
    detail = f"{_UNSEEN}; the rows of the original that fit each class are of at least {k}."
    return (Check(name=NAME, passed=None, detail=detail),)
