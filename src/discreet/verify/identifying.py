"""Whether anything that names people was released: by its role, and by how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.outcome import Check
from discreet.verify.weights import weights_column

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims
    from discreet.verify.matching import Matched

_UNIQUE_RATE = 0.9
_LEAST_VISIBLE = 20


def check_identifying(
    claims: Claims, rows: pl.DataFrame, matched: Matched | None
) -> tuple[Check, ...]:
    """Return whether a released column is identifying, and which ones look as if they were.

    Parameters
    ----------
    claims : Claims
        Roles as certified.
    rows : DataFrame
        The released rows.
    matched : Matched, optional
        The original, whose roles count too.

    Returns
    -------
    tuple of Check
        The roles; and, left open for a person to judge, columns in which at least nine of ten
        visible cells have a value of their own, and quasi-identifiers outside the claim.
    """
    checks = [_check_roles(claims, matched)]
    telling = [name for name in rows.columns if _looks_identifying(rows[name])]
    if telling:
        detail = (
            f"In {', '.join(telling)} almost every visible cell has a value of its own, as names "
            "and numbers of people have. Look whether it identifies them."
        )
        checks.append(Check(name="identifying values", passed=None, detail=detail))
    covered, levelled = set(claims.covered), weights_column(claims)
    outside = [
        column.name
        for column in claims.columns
        if column.role == "quasi" and covered and column.name not in covered | {levelled}
    ]
    if outside:
        detail = f"{', '.join(outside)}: may be known from elsewhere, and outside the claim."
        checks.append(Check(name="columns outside", passed=None, detail=detail))
    return tuple(checks)


def _check_roles(claims: Claims, matched: Matched | None) -> Check:
    """Return whether no released column has the role identifying, here or in the original."""
    certified = [column.name for column in claims.columns if column.role == "identifying"]
    before = () if matched is None else matched.identifying
    for names, where in ((certified, "its certificate"), (before, "the original")):
        if names:
            detail = f"Column '{names[0]}' is released, and is identifying by {where}."
            return Check(name="roles", passed=False, detail=detail)
    detail = "No released column is declared identifying. What nobody declared is not seen here."
    return Check(name="roles", passed=True, detail=detail)


def _looks_identifying(column: pl.Series) -> bool:
    visible = column.drop_nulls()
    return len(visible) >= _LEAST_VISIBLE and visible.n_unique() >= _UNIQUE_RATE * len(visible)
