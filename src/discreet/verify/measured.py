"""Quantities measured with noise: what each costs, and whether one row can change it more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims, Step
    from discreet.verify.value_lists import ValueList

LAWS = ("gaussian", "laplace")
# How much one row, added or removed, changes the dependence of one pair: at most 4.
_OF_A_PAIR = {"gaussian": 16, "laplace": 4}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One quantity: its columns (none for the dependences of all pairs) and its noise."""

    columns: tuple[str, ...]
    law: str
    scale: Fraction
    sensitivity: int
    n_numbers: int

    @property
    def cost(self) -> Fraction:
        """Rho of discrete Gaussian noise, epsilon of discrete Laplace noise."""
        return self.sensitivity / (self.scale * (2 if self.law == "gaussian" else 1))


def read_measured(claims: Claims) -> list[Measured]:
    """Return all measured quantities that a certificate states.

    Raises
    ------
    DataError
        If one is not stated wholly.
    """
    return [
        _read(event)
        for event in claims.events
        if event.name in ("measure_counts", "measure_dependence")
    ]


def check_entries(measured: list[Measured], lists: dict[str, ValueList], *, law: str) -> Check:
    """Return whether sensitivities are large enough, and nothing that is always measured lacks.

    Counts of one or two columns change by 1 in one cell; each dependence of P pairs by at most
    4, which is 16 P in squares (Gaussian noise) or 4 P in sum (Laplace noise).

    Parameters
    ----------
    measured : list of Measured
        All quantities.
    lists : dict of str to ValueList
        The columns with their numbers of values.
    law : str
        Of all noise.
    """
    varied = [name for name, listed in lists.items() if listed.n_values > 1]
    n_pairs = comb(len(varied), 2)
    fault = next(filter(None, (_fault(entry, lists, law, n_pairs) for entry in measured)), None)
    if fault is None:
        fault = _missing(measured, varied, n_pairs)
    if fault is not None:
        return Check(name="measured", passed=False, detail=fault)
    detail = (
        f"Each of {len(measured)} quantities states at least as much change by one row as there "
        "can be."
    )
    return Check(name="measured", passed=True, detail=detail)


def _fault(entry: Measured, lists: dict[str, ValueList], law: str, n_pairs: int) -> str | None:
    """Return what is wrong with a quantity, in words; None if nothing is."""
    name = f"The counts of {', '.join(entry.columns)}" if entry.columns else "The dependences"
    if entry.law != law:
        return f"{name}: the noise is {entry.law}, that of the release {law}."
    if not set(entry.columns) <= set(lists):
        return f"{name} are of a column that has no list of values."
    if entry.columns:
        least, n_numbers = 1, prod(lists[column].n_values for column in entry.columns)
    else:
        least, n_numbers = _OF_A_PAIR[law] * n_pairs, n_pairs
    if entry.n_numbers != n_numbers:
        return f"{name} are {n_numbers} numbers, and {entry.n_numbers} are stated."
    if entry.sensitivity < least:
        return (
            f"{name} can change by {least} through one row, and noise was fitted to "
            f"{entry.sensitivity}."
        )
    return None


def _missing(measured: list[Measured], varied: list[str], n_pairs: int) -> str | None:
    """Return which quantity that the mechanism always measures is not listed."""
    columns = [entry.columns for entry in measured]
    for name in varied:
        if (name,) not in columns:
            return f"The counts of {name} are not listed, and rows cannot be drawn without them."
    if n_pairs and columns.count(()) != 1:
        return "The dependences of pairs, by which pairs are chosen, are not listed once."
    return None if columns else "No measured quantity is listed."


def _read(event: Step) -> Measured:
    given = event.parameters
    columns, law, scale = given.get("columns"), given.get("law"), given.get("scale")
    sensitivity, n_numbers = given.get("sensitivity"), given.get("n_numbers")
    if (
        not isinstance(columns, tuple)
        or len(columns) != len(set(columns))
        or len(columns) > 2
        or (event.name == "measure_counts") != bool(columns)
        or not isinstance(law, str)
        or law not in LAWS
        or isinstance(scale, bool)
        or not isinstance(scale, int | Fraction)
        or scale <= 0
        or type(sensitivity) is not int
        or sensitivity < 0
        or type(n_numbers) is not int
    ):
        raise DataError("A measured quantity does not state its columns, noise or sensitivity.")
    return Measured(
        columns=columns, law=law, scale=Fraction(scale), sensitivity=sensitivity,
        n_numbers=n_numbers,
    )  # fmt: skip
