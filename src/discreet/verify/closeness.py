"""t-closeness: in every class a sensitive column is spread nearly as in the whole table."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError
from discreet.verify.certificate import show
from discreet.verify.class_counts import class_counts
from discreet.verify.contents import PARSERS
from discreet.verify.distance import (
    DISTANCES,
    equal_distance,
    hierarchical_distance,
    ordered_distance,
)
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.verify.class_counts import ClassCounts
    from discreet.verify.distance import Distance
    from discreet.verify.evidence import Evidence

NAME, NAME_ORIGINAL = "t-closeness", "closeness to original"
ROUNDING = Fraction(1, 10**11)  # of sums of shares, where the release was made
_LARGEST = 2**62  # integers of 64 bits hold more than this


def check_closeness(evidence: Evidence, columns: tuple[str, ...]) -> Check:
    r"""Return whether sensitive columns are t-close in every class.

    The claim is about the released table: the distance between the shares of the values in a
    class and in all released rows is at most t.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameters ``t`` and ``distance``; the step ``obey_rules`` may state
        an order of values.
    columns : tuple of str
        The sensitive columns, all released.

    Returns
    -------
    Check
        The column, and a row of a class that is not close, are named.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, definition 2 and section 5.
    """
    near = _stated_t(evidence)
    if near is None:
        detail = "The claim lacks t, from 0 to 1, or its distance between values."
        return Check(name=NAME, passed=False, detail=detail)
    return _check(evidence, columns, near, of_original=False)


def check_closeness_to_original(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether classes are as close to the original, whose shares may be others.

    Parameters
    ----------
    evidence : Evidence
        With the original.

    Returns
    -------
    tuple of Check
        None if t-closeness is not claimed. Left open if the column cannot be compared, or if
        a class is too far and rows were dropped: the claim is about the rows that are left.
    """
    claims, near, step = evidence.claims, _stated_t(evidence), evidence.claims.step("obey_rules")
    columns = None if step is None else step.parameters.get("sensitive")
    if near is None or not isinstance(columns, tuple) or not evidence.rows.height:
        return ()
    if not {*columns, *claims.covered} <= {*claims.column_names}:
        return ()
    found = _check(evidence, columns, near, of_original=True)
    made = claims.step("generalize")
    if found.passed is False and made is not None and made.counts.get("n_rows_dropped", 0):
        detail = f"{found.detail} Rows were dropped, and the claim is about those that are left."
        return (replace(found, passed=None, detail=detail),)
    return (found,)


def _stated_t(evidence: Evidence) -> Fraction | None:
    """Return the t of a claim with a distance, if it has both."""
    stated = evidence.claims.parameters
    near, kind = stated.get("t"), stated.get("distance")
    if not isinstance(near, int | Fraction) or not 0 <= near <= 1 or kind not in DISTANCES:
        return None
    return Fraction(near)


def _check(
    evidence: Evidence, columns: tuple[str, ...], near: Fraction, *, of_original: bool
) -> Check:
    """Return whether classes are close to the released table, or to the original."""
    check_name = NAME_ORIGINAL if of_original else NAME
    whole = "the original" if of_original else "all released rows"
    farthest = 0.0
    for name in columns:
        found = class_counts(evidence.rows, evidence.claims.covered, name)
        try:
            keys = _keys(evidence, name, found.values)
            overall = dict(zip(keys, found.overall.tolist(), strict=True))
            if of_original:
                overall = _original_counts(evidence, name)
            measure = _distance(evidence, name, [*keys, *overall])
        except DataError as error:
            detail = f"Column '{name}' cannot be compared: {error}."
            return Check(name=check_name, passed=None if of_original else False, detail=detail)
        worst, wrong = _too_far(found, keys, overall, measure, near)
        farthest = max(farthest, worst)
        if wrong:
            classes = "1 class is" if len(wrong) == 1 else f"{len(wrong):,} classes are"
            detail = (
                f"In column '{name}' {classes} farther than t = {show(near)} from {whole}, such "
                f"as that of row {found.first[wrong].min() + 1} of the data; the farthest by "
                f"{worst:.6g}."
            )
            return Check(name=check_name, passed=False, detail=detail)
    detail = (
        f"In {', '.join(columns)} every class is at most {farthest:.6g} from {whole}; t is "
        f"{show(near)}."
    )
    return Check(name=check_name, passed=True, detail=detail)


def _too_far(
    found: ClassCounts,
    keys: list[object],
    overall: Mapping[object, int],
    measure: Distance,
    near: Fraction,
) -> tuple[float, list[int]]:
    """Return the largest distance of a class, and the classes that are too far, exactly."""
    total = sum(overall.values())
    fits = 2 * total * max(total, int(found.sizes.max())) * measure.n_columns * measure.unit
    kind = np.int64 if fits < _LARGEST else np.object_
    whole = np.zeros(measure.n_columns, kind)
    for key, count in overall.items():
        whole[measure.column_of[key]] += count
    places = [measure.column_of[key] for key in keys]
    limit = (near + ROUNDING) * measure.unit * total
    worst, wrong = 0.0, []
    for low, block in found.blocks():
        spread = np.zeros((len(block), measure.n_columns), kind)
        spread[:, places] = block
        sizes = block.sum(axis=1).tolist()
        # Shares of a class and of the whole, both times size and total.
        moved = measure.work(spread * total - block.sum(axis=1)[:, None] * whole[None, :])
        for place, (work, size) in enumerate(zip(moved.tolist(), sizes, strict=True)):
            worst = max(worst, work / (measure.unit * total * size))
            if work > limit * size:
                wrong.append(low + place)
    return worst, wrong


def _distance(evidence: Evidence, column: str, keys: Iterable[object]) -> Distance:
    """Return the distance of the claim over some values of a column."""
    kind = evidence.claims.parameters["distance"]
    if kind == "equal":
        return equal_distance(keys)
    if kind == "hierarchical":
        tree = evidence.hierarchies.get(column)
        if tree is None:
            raise DataError("its hierarchy is not stated")
        return hierarchical_distance(keys, tree)
    step = evidence.claims.step("obey_rules")
    order = None if step is None else step.parameters.get(f"order of {column}")
    if order is not None and not isinstance(order, tuple):
        raise DataError("the order of its values is not a list")
    return ordered_distance(list(keys), order)


def _original_counts(evidence: Evidence, column: str) -> dict[object, int]:
    """Return how often each value of a column occurs in the original."""
    original = evidence.original
    assert original is not None
    if column not in original.columns:
        raise DataError("the original does not have it")
    values = original.values(column)
    counts = np.bincount(original.codes(column), minlength=len(values)).tolist()
    return dict(zip(_keys(evidence, column, values), counts, strict=True))


def _keys(evidence: Evidence, column: str, values: Iterable[object]) -> list[object]:
    """Return values of a column so that the same ones are equal, from whatever file they come."""
    kind = next(each.type for each in evidence.claims.columns if each.name == column)
    parse = PARSERS.get(kind)
    try:
        return [value if value is None or parse is None else parse(str(value)) for value in values]
    except (ValueError, KeyError, ArithmeticError):
        raise DataError(f"not all its values are of type {kind}") from None
