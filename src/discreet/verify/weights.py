"""Whether all rows of a class show one weight, so that weights tell no rows of it apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims

NAME = "weights"


def weights_column(claims: Claims) -> str | None:
    """Return the column in which every class is said to show the mean of its weights, if any."""
    step = claims.step("mean_weights")
    column = None if step is None else step.parameters.get("column")
    return column if isinstance(column, str) else None


def check_weights(claims: Claims, rows: pl.DataFrame) -> tuple[Check, ...]:
    """Return whether every class shows one weight.

    Parameters
    ----------
    claims : Claims
        The step ``mean_weights`` names the column.
    rows : DataFrame
        The released rows.

    Returns
    -------
    tuple of Check
        None if there are no weights.
    """
    if claims.step("mean_weights") is None:
        return ()
    column = weights_column(claims)
    if column not in rows.columns or not {*claims.covered} <= {*rows.columns}:
        detail = "mean_weights names no released column."
        return (Check(name=NAME, passed=False, detail=detail),)
    different = rows.select(pl.col(column).n_unique().over(list(claims.covered))).to_series()
    wrong = np.flatnonzero(different.to_numpy() > 1)
    if len(wrong):
        detail = (
            f"In column '{column}' rows of a class have weights of their own, such as row "
            f"{wrong[0] + 1} of the data."
        )
        return (Check(name=NAME, passed=False, detail=detail),)
    detail = f"In column '{column}' all rows of a class show one weight."
    return (Check(name=NAME, passed=True, detail=detail),)
