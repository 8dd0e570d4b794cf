"""Whether a claim says nothing beside what was recomputed: for whom it holds, and its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims

UNITS = (
    "one row",
    "one row, which is one person",
    "one transaction, which is what one person sends",
)
_OF_RULES = ("k", "l", "diversity", "c", "t", "distance")
_OF_PATTERNS = ("k", "min_support", "n_rows")
# The figures that are recomputed for each model.
FIGURES = {
    "k-anonymity": ("k",),
    "k-anonymity and l-diversity": _OF_RULES,
    "k-anonymity and t-closeness": _OF_RULES,
    "k-anonymity, l-diversity and t-closeness": _OF_RULES,
    "support floor": ("theta", "floor"),
    "k-anonymous patterns": _OF_PATTERNS,
    "k-anonymous patterns, witnessed": _OF_PATTERNS,
    "differential privacy": ("epsilon", "delta"),
    "(epsilon, delta)-differential privacy": ("epsilon", "delta"),
    "local differential privacy": ("epsilon",),
}


def check_scope(claims: Claims) -> tuple[Check, ...]:
    """Return what is claimed and cannot follow from the checks of its model.

    Parameters
    ----------
    claims : Claims
        Unit, model and figures.

    Returns
    -------
    tuple of Check
        None if all is in order, or if the model is not known: then the claim is left open.
    """
    found = []
    if claims.unit not in UNITS:
        detail = f"The claim is recomputed for one row or transaction, not for '{claims.unit}'."
        found.append(Check(name="unit", passed=False, detail=detail))
    known = FIGURES.get(claims.model)
    beside = [] if known is None else [name for name in claims.parameters if name not in known]
    if beside:
        detail = f"The claim states '{beside[0]}', which is no figure of {claims.model}."
        found.append(Check(name="figures", passed=False, detail=detail))
    return tuple(found)
