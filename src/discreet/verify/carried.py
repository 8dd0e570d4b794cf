"""Whether columns that are only carried along show what the steps say, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.data.table import Table
from discreet.verify.evidence import Side, patterns
from discreet.verify.hierarchies import flat
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.column import Label
    from discreet.verify.certificate import Claims
    from discreet.verify.evidence import Evidence, Pattern
    from discreet.verify.hierarchies import Span, Text

CARRIED = "carried columns"

# Units of privacy of which every row is another one.
ROW_UNITS = ("one row", "one person, who has one row")

_CLOSE = Fraction(1, 10**9)  # a float of a mean is not the mean: how far apart they may be


@dataclass(frozen=True, slots=True, kw_only=True)
class CarriedStep:
    """What a step says of a column.

    Attributes
    ----------
    shows : str
        "mean", "median" or "values".
    low, high, step : Fraction or None
        Numbers are cut off at the first two, and what is shown is a multiple of the third.
    least : int
        A class of which fewer have a number shows none.
    """

    shows: str
    low: Fraction | None
    high: Fraction | None
    step: Fraction | None
    least: int

    @property
    def shown(self) -> str:
        """What rows show, in words."""
        words = "its numbers" if self.shows == "values" else f"the {self.shows} of each class"
        return f"{words}, rounded or cut off" if self.shows == "values" else words

    def treated(self, number: Fraction) -> Fraction:
        """Return a number within its ends."""
        least = number if self.low is None else max(number, self.low)
        return least if self.high is None else min(least, self.high)

    def rounded(self, number: Fraction) -> Fraction:
        """Return the multiple of the step that is nearest, halves up."""
        if self.step is None:
            return number
        return floor(number / self.step + Fraction(1, 2)) * self.step

    def of(self, numbers: list[Fraction]) -> Fraction:
        """Return mean or median of sorted numbers, rounded."""
        n = len(numbers)
        if self.shows == "mean":
            return self.rounded(sum(numbers, Fraction(0)) / n)
        return self.rounded((numbers[(n - 1) // 2] + numbers[n // 2]) / 2)


def carried_columns(claims: Claims) -> dict[str, CarriedStep]:
    """Return the columns that the steps say are only carried along, and what they say of each."""
    found = {}
    for event in claims.events:
        said, column = event.parameters, event.parameters.get("column")
        if event.name != "carry_column" or not isinstance(column, str):
            continue
        low, high, step = (_number(said.get(name)) for name in ("low", "high", "step"))
        least = said.get("least")
        found[column] = CarriedStep(
            shows=str(said.get("shows")), low=low, high=high, step=step or None,
            least=least if type(least) is int else 0,
        )  # fmt: skip
    return found


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return None
    return Fraction(value)


def check_carried(evidence: Evidence, sides: Sequence[Side] | None) -> tuple[Check, ...]:
    """Return whether columns that are carried along show what the steps say.

    Parameters
    ----------
    evidence : Evidence
        Perhaps with the original, of which means and medians are computed again.
    sides : sequence of Side, optional
        Of a generalized release, its columns beside those of the original.

    Returns
    -------
    tuple of Check
        None if no column is carried along. Failed if a column is in the claim, rows of a class
        show different numbers, a number is outside its ends or no multiple of its step, or no
        rows of the original that a class could have been made from have such a mean.

    Notes
    -----
    Which rows of the original a class was made from is not published. Where as many rows fit
    it as it has, these are they, and mean and median are known; where more fit, they lie between
    those of the smallest and of the largest numbers that fit.
    """
    claims, rows = evidence.claims, evidence.rows
    found = carried_columns(claims)
    steps = [event for event in claims.events if event.name == "carry_column"]
    if not steps:
        return ()
    fault = None
    if len(found) < len(steps) or not {*found} <= {*rows.columns} - {*claims.covered}:
        fault = "A step names no column that is outside the claim, or one twice."
    for name, said in found.items():
        fault = fault or _fault(name, said, evidence)
    if fault is not None:
        return (Check(name=CARRIED, passed=False, detail=fault),)
    names = ", ".join(f"{name} ({said.shown})" for name, said in found.items())
    of_classes = sorted({f"{said.shows}s" for said in found.values() if said.shows != "values"})
    if evidence.original is None:
        detail = f"Outside the claim; every class shows one number where one is stated: {names}."
        if of_classes:
            detail += (
                f" That {' and '.join(of_classes)} are those of the class, the original shows."
            )
        return (Check(name=CARRIED, passed=None if of_classes else True, detail=detail),)
    fault, n_exact = _beside_original(evidence, found, sides)
    if fault is not None:
        return (Check(name=CARRIED, passed=False, detail=fault),)
    detail = f"Computed again from the original, {n_exact} of them exactly: {names}."
    if of_classes and not n_exact:
        detail = (
            "No contradiction with the original is seen, but which of its rows a class has is not "
            f"known, so that {' and '.join(of_classes)} are not computed again: {names}."
        )
    return (
        Check(name=CARRIED, passed=None if of_classes and not n_exact else True, detail=detail),
    )


def _fault(name: str, said: CarriedStep, evidence: Evidence) -> str | None:
    """Return what is wrong with the numbers of a column as they are released."""
    claims, rows = evidence.claims, evidence.rows
    numbers = _released(rows[name])
    if numbers is None:
        return f"Column '{name}' is said to show numbers, and does not."
    if said.shows != "values":
        k = claims.parameters.get("k")
        if type(k) is not int or said.least < k:
            return f"Column '{name}' may show the {said.shows} of fewer numbers than k."
        different = rows.select(pl.col(name).n_unique().over(list(claims.covered))).to_series()
        wrong = np.flatnonzero(different.to_numpy() > 1)
        if len(wrong):
            return (
                f"In column '{name}' rows of a class show different numbers, such as row "
                f"{wrong[0] + 1} of the data."
            )
    for number in numbers:
        if said.rounded(said.treated(number)) != number and (
            said.shows == "values" or not _is_near(said, number)
        ):
            return f"Column '{name}' shows a number outside its ends, or no multiple of its step."
    return None


def _released(column: pl.Series) -> frozenset[Fraction] | None:
    """Return the numbers that a column shows, in a text file as texts; None if it has others."""
    try:
        found = column.drop_nulls().unique().to_list()
        return frozenset(Fraction(str(value)) for value in found)
    except ValueError:
        return None


def _is_near(said: CarriedStep, number: Fraction) -> bool:
    """Say whether a number is one that a statistic can be: within the ends, or rounded from it."""
    room = said.step or _CLOSE * max(Fraction(1), abs(number))
    low, high = said.low, said.high
    fits = (low is None or number >= low - room) and (high is None or number <= high + room)
    return fits and (said.step is None or number == said.rounded(number))


def _treated(
    evidence: Evidence, found: dict[str, CarriedStep]
) -> tuple[dict[str, list[Fraction | None]], str | None]:
    """Return the numbers of the original for each of its codes, within their ends, or a fault."""
    assert evidence.original is not None
    numbers: dict[str, list[Fraction | None]] = {}
    for name, said in found.items():
        if name not in evidence.original.columns:
            return {}, f"Column '{name}' is released, and the original does not have it."
        try:
            own = [_fraction(value) for value in evidence.original.values(name)]
        except ValueError:
            return {}, f"Column '{name}' holds numbers, and in the original it does not."
        numbers[name] = [None if number is None else said.treated(number) for number in own]
        could = {said.rounded(number) for number in numbers[name] if number is not None}
        if said.shows == "values" and not (_released(evidence.rows[name]) or could) <= could:
            return {}, f"Column '{name}' shows a number that the original does not lead to."
    return numbers, None


def _beside_original(
    evidence: Evidence, found: dict[str, CarriedStep], sides: Sequence[Side] | None
) -> tuple[str | None, int]:
    """Return where a number cannot come from the original, and how many were computed exactly."""
    original = evidence.original
    assert original is not None
    numbers, fault = _treated(evidence, found)
    known = _suppressed_sides(evidence) if sides is None else sides
    sides = [side for side in known if side.name in evidence.claims.covered]
    are_all = {side.name for side in sides} == {*evidence.claims.covered}
    if fault is not None or not are_all or not evidence.rows.height:
        return fault, 0
    n_exact, of_rows = 0, evidence.claims.unit in ROW_UNITS
    of_classes = {name: said for name, said in found.items() if said.shows != "values"}
    for pattern in patterns(sides) if of_classes else ():
        for name, said in of_classes.items():
            codes = original.codes(name)[pattern.under]
            fits = sorted(n for n in (numbers[name][code] for code in codes) if n is not None)
            value = evidence.rows[name][pattern.row]
            is_exact = len(pattern.under) == pattern.n_released
            if not _could_show(said, value, fits, pattern, exact=is_exact, rows=of_rows):
                return (
                    f"Column '{name}' shows {value!r} in the class of row {pattern.row + 1} of the "
                    f"data, which is not the {said.shows} of rows of the original that fit it."
                ), 0
            n_exact += is_exact
    return None, n_exact


def _could_show(
    said: CarriedStep,
    value: object,
    fits: list[Fraction],
    pattern: Pattern,
    *,
    exact: bool,
    rows: bool,
) -> bool:
    """Say whether a class can show a value, by the numbers of the rows that fit it, sorted."""
    if value is None:  # rows enough may still be of too few people
        return not (exact and rows) or len(fits) < said.least
    n_missing = len(pattern.under) - len(fits)
    n = len(fits) if exact else max(said.least, pattern.n_released - n_missing, 1)
    if n > len(fits) or n < said.least:
        return False
    low, high = said.of(fits[:n]), said.of(fits[-n:])
    number = Fraction(str(value))
    room = _CLOSE * max(Fraction(1), abs(low), abs(high))
    return low - room <= number <= high + room


def _fraction(value: Label) -> Fraction | None:
    return None if value is None else Fraction(str(value))


def _text(value: Label) -> Text:
    return None if value is None else str(value)


def _suppressed_sides(evidence: Evidence) -> list[Side]:
    """Return released and original columns side by side, an empty cell standing for any value."""
    original = evidence.original
    assert original is not None
    released = Table.from_frame(evidence.rows, categorical=True)
    sides = []
    for name in evidence.claims.covered:
        values = [_text(value) for value in original.values(name)]
        labels = [_text(value) for value in released.values(name)]
        tree = flat(values)
        spans: dict[Text, tuple[Span, ...]] = {v: ((i, i + 1),) for i, v in enumerate(values)}
        spans[None] = ((0, len(values)),)
        if any(label not in spans for label in labels):
            return []
        sides.append(
            Side(
                name=name,
                tree=replace(tree, spans=spans),
                places=original.codes(name).astype(np.int64),
                codes=released.codes(name).astype(np.int64),
                labels=labels,
            )
        )
    return sides
