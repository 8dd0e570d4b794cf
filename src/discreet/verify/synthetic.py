"""Differential privacy of drawn rows, recomputed from the quantities that were measured.

Rows are drawn from measured quantities alone, so that the claim is about these: how much one
row changes them, how much noise each got, and what that costs in all. That the noise was drawn
cannot be seen in the rows.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.certificate import show
from discreet.verify.concentrated_delta import is_within_delta
from discreet.verify.identifying import check_identifying
from discreet.verify.measured import check_entries, read_measured
from discreet.verify.outcome import Check
from discreet.verify.randomized_cells import check_cells
from discreet.verify.value_lists import check_values, read_lists

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims, Step

DRAW = "draw_rows"
LOCAL = "local differential privacy"
MODELS = {
    "gaussian": "(epsilon, delta)-differential privacy",
    "laplace": "differential privacy",
    "randomized response": LOCAL,
}
NEIGHBOURS = {
    "central": "tables that differ in one row added or removed",
    "local": "any two rows that one person could have",
}
OF_OTHER_TRUST = {
    "central": ("randomize_cells",),
    "local": ("measure_counts", "measure_dependence"),
}
_OF_MEASURED = ("what", "columns", "law", "scale", "sensitivity", "n_numbers")
# All that each step may tell: whatever else stood there would not be covered by the claim.
STEPS = {
    "list_values": ("column", "n_values", "is_public", "values", "can_be_missing"),
    "measure_counts": _OF_MEASURED,
    "measure_dependence": _OF_MEASURED,
    "randomize_cells": ("column", "epsilon", "p", "q"),
    DRAW: ("trust", "generator", "label", "law", "n_measured", "spent", "spent_in"),
}
UNSEEN = (
    "That noise was drawn as stated, and rows from what was measured alone, cannot be seen in a "
    "release: it rests on whoever made it."
)
READ = (
    "The lists of values were read from the table: that a value occurs at all is not covered by "
    "the claim."
)
_ROUNDING = Fraction(1, 10**12)  # the stated sum is rounded up to twelve digits


def is_synthetic(claims: Claims) -> bool:
    """Say whether a release states that its rows were drawn from a model."""
    return any(event.name == DRAW for event in claims.events)


def check_synthetic(
    claims: Claims, rows: pl.DataFrame, *, n_original: int | None = None
) -> tuple[tuple[Check, ...], tuple[Check, ...]]:
    """Return the checks of the claim on drawn rows, and further ones.

    Parameters
    ----------
    claims : Claims
        Model, epsilon and delta, and as events the lists of values, every measured quantity
        and the draw.
    rows : DataFrame
        The released rows.
    n_original : int, optional
        Rows of the table that the release was made from, if it is at hand.

    Returns
    -------
    tuple of Check
        Steps, quantities, sum and cost: the claim holds if all do.
    tuple of Check
        The released values, and what a release alone cannot prove, left open.
    """
    steps = _check_steps(claims)
    if not steps.passed:
        return (steps,), ()
    draw = claims.step(DRAW)
    assert draw is not None
    try:
        lists = read_lists(claims)
        if draw.parameters["trust"] == "local":
            cells, spent = check_cells(claims, lists)
            total = _check_sum(draw, spent, len(lists))
            claim = (steps, cells, total, _check_loss(claims, spent))
        else:
            measured, law = read_measured(claims), str(draw.parameters["law"])
            spent = sum((entry.cost for entry in measured), Fraction(0))
            claim = (
                steps,
                check_entries(measured, lists, law=law),
                _check_sum(draw, spent, len(measured)),
                (_check_loss if law == "laplace" else _check_rho)(claims, spent),
            )
    except DataError as error:
        return (steps, Check(name="measured", passed=False, detail=str(error))), ()
    more = [*check_identifying(claims, rows, None), check_values(rows, lists)]
    more.append(Check(name="noise", passed=None, detail=UNSEEN))
    if not all(each.is_public for each in lists.values()):
        more.append(Check(name="lists of values", passed=None, detail=READ))
    return claim, (*more, *_check_size(claims, rows.height if n_original is None else n_original))


def _check_steps(claims: Claims) -> Check:
    """Return whether model, neighbours, law and steps are such as the claim is proved for."""
    strange = [event.name for event in claims.events if event.name not in STEPS]
    if strange:
        detail = f"This verifier does not know what the step '{strange[0]}' does to the claim."
        return Check(name="steps", passed=None, detail=detail)
    draw = claims.step(DRAW)
    if draw is None or claims.events[-1].name != DRAW:
        return Check(name="steps", passed=False, detail="Rows are drawn once, as the last step.")
    fault = _fault(claims, str(draw.parameters.get("trust")), str(draw.parameters.get("law")))
    if fault is not None:
        return Check(name="steps", passed=False, detail=fault)
    detail = "Values listed, quantities measured, rows drawn from them: as the claim is proved for."
    return Check(name="steps", passed=True, detail=detail)


def _fault(claims: Claims, trust: str, law: str) -> str | None:
    """Return what does not go together; None if all does."""
    if trust not in NEIGHBOURS or law not in MODELS or (trust == "local") != (MODELS[law] == LOCAL):
        return f"There is no trust {trust!r} with noise of the law {law!r}."
    if claims.model != MODELS[law]:
        return f"Noise of the law '{law}' is for the model '{MODELS[law]}'."
    if claims.neighbours != NEIGHBOURS[trust]:
        return f"The claim is proved between {NEIGHBOURS[trust]}, which it does not say."
    if any(event.name in OF_OTHER_TRUST[trust] for event in claims.events):
        return f"A release of {trust} trust has steps of the other kind."
    for event in claims.events:
        beside = [*event.counts, *sorted(event.parameters.keys() - STEPS[event.name])]
        if beside:
            return f"The step '{event.name}' tells '{beside[0]}', which the claim does not cover."
    return None


def _check_sum(draw: Step, spent: Fraction, n_measured: int) -> Check:
    """Return whether the quantities listed are as many, and cost as much, as was stated."""
    stated, number = draw.parameters.get("spent"), draw.parameters.get("n_measured")
    if number != n_measured:
        detail = f"{n_measured} measured quantities are listed, and {show(number)} were measured."
        return Check(name="sum", passed=False, detail=detail)
    if not isinstance(stated, int | Fraction) or not 0 <= stated - spent < _ROUNDING:
        detail = f"The quantities listed cost {show(spent)} in all, not what is stated."
        return Check(name="sum", passed=False, detail=detail)
    detail = f"All {n_measured} quantities together cost {show(spent)}, added up exactly."
    return Check(name="sum", passed=True, detail=detail)


def _check_loss(claims: Claims, spent: Fraction) -> Check:
    """Return whether epsilons add up to no more than is claimed."""
    epsilon = claims.parameters.get("epsilon")
    if not isinstance(epsilon, Fraction) or claims.parameters.get("delta", 0) != 0:
        return Check(name="epsilon", passed=False, detail="The claim is not an epsilon alone.")
    if spent > epsilon:
        detail = f"The noise costs an epsilon of {show(spent)}, and {show(epsilon)} is claimed."
        return Check(name="epsilon", passed=False, detail=detail)
    detail = f"The noise costs an epsilon of {show(spent)}; {show(epsilon)} is claimed."
    return Check(name="epsilon", passed=True, detail=detail)


def _check_rho(claims: Claims, rho: Fraction) -> Check:
    """Return whether rho is worth the epsilon and delta that are claimed."""
    epsilon, delta = claims.parameters.get("epsilon"), claims.parameters.get("delta")
    if (
        not isinstance(epsilon, Fraction)
        or not isinstance(delta, Fraction)
        or not epsilon > 0
        or not 0 < delta < 1
    ):
        detail = "The claim has no epsilon above 0, or no delta above 0 and below 1."
        return Check(name="epsilon", passed=False, detail=detail)
    figures = f"rho = {show(rho)} at epsilon = {show(epsilon)}"
    if not is_within_delta(rho, epsilon=epsilon, delta=delta):
        detail = f"{figures} has a larger delta than the {show(delta)} that is claimed."
        return Check(name="epsilon", passed=False, detail=detail)
    detail = f"{figures} has a delta of at most {show(delta)}, as is claimed."
    return Check(name="epsilon", passed=True, detail=detail)


def _check_size(claims: Claims, n_rows: int) -> tuple[Check, ...]:
    """Return, for a person to judge, a delta that publishing some rows would satisfy."""
    delta = claims.parameters.get("delta", Fraction(0))
    if not isinstance(delta, Fraction) or delta * n_rows < 1:
        return ()
    detail = (
        f"delta = {show(delta)} is at least one over {n_rows:,} rows: if the table has as many, "
        "publishing some of them as they are would satisfy it."
    )
    return (Check(name="size of delta", passed=None, detail=detail),)
