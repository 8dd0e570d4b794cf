"""Cells under k-ary randomized response: what the chances that are stated cost."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.operator_law import is_at_least_log
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims, Step
    from discreet.verify.value_lists import ValueList


def check_cells(claims: Claims, lists: dict[str, ValueList]) -> tuple[Check, Fraction]:
    r"""Return whether the chances of every column fit its epsilon, and the sum of these.

    .. math:: p + (k - 1) q = 1, \qquad \ln (p / q) \le \varepsilon_j

    where :math:`k` is the number of values of the column, :math:`p` the chance that a cell keeps
    its value and :math:`q` that of each other value.

    Raises
    ------
    DataError
        If a column has no chances, or two.
    """
    found: dict[str, Fraction] = {}
    for event in claims.events:
        if event.name != "randomize_cells":
            continue
        column, epsilon, p, q = _read(event)
        if column in found or column not in lists:
            raise DataError("Chances are stated twice for a column, or for one without a list.")
        found[column] = epsilon
        fault = _fault(lists[column].n_values, epsilon, p, q)
        if fault is not None:
            detail = f"Column '{column}': {fault}."
            return Check(name="cells", passed=False, detail=detail), sum(
                found.values(), Fraction(0)
            )
    if set(found) != set(lists):
        raise DataError("Not every released column states how its cells were randomized.")
    detail = "In every column the chances stated have an epsilon of at most that stated."
    return Check(name="cells", passed=True, detail=detail), sum(found.values(), Fraction(0))


def _fault(n_values: int, epsilon: Fraction, p: Fraction, q: Fraction) -> str | None:
    """Return what is wrong with the chances of a column; None if nothing is."""
    if not 0 <= q <= p <= 1 or p + (n_values - 1) * q != 1:
        return f"p and q are no chances for {n_values} values"
    if n_values == 1:
        return None
    if q == 0:
        return "cells always keep their value, so that there is no epsilon"
    if not is_at_least_log(epsilon, p / q):
        return f"ln(p/q) is above the epsilon of {float(epsilon):.6g} that is stated"
    return None


def _read(event: Step) -> tuple[str, Fraction, Fraction, Fraction]:
    column = event.parameters.get("column")
    numbers = [event.parameters.get(name) for name in ("epsilon", "p", "q")]
    if not isinstance(column, str):
        raise DataError("Chances are stated without their column.")
    read = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | Fraction) or number < 0:
            raise DataError(f"The chances of column '{column}' are not stated.")
        read.append(Fraction(number))
    return column, *read  # type: ignore[return-value]  # three of them
