"""k-anonymity: every row is equal to at least k - 1 others in the columns of the claim."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.evidence import class_sizes, small_classes
from discreet.verify.imputed import LOST, is_imputed
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence

NAME = "k-anonymity"


def check_k_anonymity(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether the smallest class of equal rows has k members.

    A suppressed cell is a value of its own, equal to other suppressed cells only. The rows are
    taken as they are: if cells were imputed, the claim must hold for the filled rows.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameter ``k`` and names its columns.

    Returns
    -------
    tuple of Check
        One check.

    References
    ----------
    L. Sweeney (2002), k-anonymity: a model for protecting privacy, definition 3.
    """
    claims = evidence.claims
    k, columns = claims.parameters.get("k"), claims.covered
    unknown = [name for name in columns if name not in claims.column_names]
    if type(k) is not int or k < 1 or not columns or unknown:
        detail = (
            f"The claim is about column '{unknown[0]}', which is not released."
            if unknown
            else "The claim lacks its k, a whole number from 1, or its columns."
        )
        return (Check(name=NAME, passed=False, detail=detail),)
    listed = ", ".join(columns)
    if not evidence.rows.height:
        return (Check(name=NAME, passed=True, detail="No rows are released."),)
    sizes = class_sizes(evidence.rows, columns)
    fault = small_classes(sizes, k)
    if fault:
        why = LOST if is_imputed(claims) else ""
        return (Check(name=NAME, passed=False, detail=f"In {listed}: {fault}.{why}"),)
    detail = f"In {listed}: the smallest class of equal rows has {sizes.min()}, k is {k}."
    return (Check(name=NAME, passed=True, detail=detail),)
