"""Differential privacy of synthetic rows, recomputed from the quantities that were measured.

Rows are drawn from measured quantities alone, so that the claim is about these: how much one
row changes them, how much noise each got, and what that costs in all. That the noise was drawn
cannot be seen in the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb, prod
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.certificate import (
    CHOOSE,
    DRAW,
    LIMIT,
    NEIGHBOURS_OF_PEOPLE,
    SEVERAL_ROWS,
    fault_of_choice,
    rows_of_each,
    show,
)
from discreet.verify.chance import (
    Cost,
    added,
    as_decimal,
    check_cells,
    check_noise,
    is_within_delta,
    least_chance,
)
from discreet.verify.original import check_identifying
from discreet.verify.outcome import Check, Findings

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims, Step, Value
    from discreet.verify.evidence import Evidence


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

# How the model begins where lists of values were read from the table; in version 1 it did not.
IF_PUBLIC = "Only if the lists of values are public: "

OF_OTHER_TRUST = {
    "central": ("randomize_cells",),
    "local": ("measure_counts", "measure_dependence", "select_values", LIMIT),
}

_OF_MEASURED = ("what", "columns", "law", "scale", "sensitivity", "n_numbers")

# All that each step may state: the claim would not cover anything else.
STEPS = {
    CHOOSE: (),
    LIMIT: ("rows_per_person",),
    "select_values": ("columns", "law", "scale", "sensitivity", "tau", "delta"),
    "list_values": (
        "column",
        "n_values",
        "is_public",
        "values",
        "can_be_missing",
        "n_selected",
        "other",
    ),
    "measure_counts": _OF_MEASURED,
    "measure_dependence": _OF_MEASURED,
    "randomize_cells": ("column", "epsilon", "p", "q"),
    DRAW: ("trust", "generator", "label", "law", "n_measured", "spent", "spent_in"),
}

UNSEEN = {
    "central": "that noise was really drawn, and rows from noisy measurements alone",
    "local": "that cells were really randomized, and rows drawn from randomized cells alone",
}

UNSEEN_LISTS = "that the lists of values were public, without which the figures do not hold"

READ = (
    "The lists of values were read from the table: that a value occurs at all is not covered by "
    "the claim."
)

_ROUNDING = Fraction(1, 10**12)  # the stated sum is rounded up to twelve digits


def check_synthetic(evidence: Evidence) -> Findings:
    """Return the checks of the claim on synthetic rows, and further ones.

    Parameters
    ----------
    evidence : Evidence
        The claim has model, epsilon and delta; its events are the lists of values, every
        measured quantity and the draw. Of an original the number of rows is looked at, and whether
        the release is nearer to it than noise leaves it.

    Returns
    -------
    Findings
        The claim holds if steps, quantities, sum and cost do. Beside it the released values,
        and what is not checkable from the files.
    """
    original = evidence.original
    n_original = evidence.rows.height if original is None else original.n_rows
    claim, more = _check_claim(evidence.claims, evidence.rows, n_original)
    if original is not None:
        detail = "Rows were drawn, so none of them is held against a row of the original."
        more = (*more, Check(name="original", passed=None, detail=detail))
        if all(check.passed for check in claim):
            more = (*more, check_noise(original, evidence.rows, _cost(evidence.claims)))
    return Findings(claim=claim, checks=(*claim, *more))


def _cost(claims: Claims) -> Cost:
    """Return what one row replaced by another costs, by the sum that was found right."""
    draw = claims.step(DRAW)
    spent = None if draw is None else draw.parameters.get("spent")
    assert draw is not None
    assert isinstance(spent, int | Fraction)
    law = draw.parameters["law"]
    if law == "gaussian":
        return Cost(rho=float(spent))
    return Cost(epsilon=float(spent) * (1 if law == "randomized response" else 2))


def _check_claim(
    claims: Claims, rows: pl.DataFrame, n_original: int
) -> tuple[tuple[Check, ...], tuple[Check, ...]]:
    """Return the checks of the claim, and those beside it."""
    steps = _check_steps(claims)
    if not steps.passed:
        return (steps,), ()
    draw = claims.step(DRAW)
    assert draw is not None
    try:
        lists = read_lists(claims)
        if draw.parameters["trust"] == "local":
            sizes = {name: listed.n_values for name, listed in lists.items()}
            cells, spent = check_cells(claims, sizes)
            total = _check_sum(draw, spent, len(lists))
            claim = (steps, cells, total, _check_loss(claims, spent))
        else:
            measured, law = read_measured(claims), str(draw.parameters["law"])
            n_rows = rows_of_each(claims)
            selected = check_selection(claims, lists, law=law, n_rows=n_rows)
            spent = added([entry.cost for entry in measured]) + selected.rho
            loss = _check_loss(claims, spent) if law == "laplace" else None
            claim = (  # type: ignore[assignment]  # of another length
                steps,
                *selected.checks,
                check_entries(measured, lists, law=law, n_rows=n_rows),
                _check_sum(draw, spent, len(measured)),
                loss or _check_rho(claims, spent, besides=selected.delta),
            )
    except DataError as error:
        return (steps, Check(name="measured", passed=False, detail=str(error))), ()
    more = [*check_identifying(claims, rows, None), check_values(rows, lists)]
    unseen = UNSEEN[str(draw.parameters["trust"])]
    more.append(Check(name="noise", passed=None, detail=f"Not seen: {unseen}.", unseen=unseen))
    if not all(each.is_public or each.n_selected is not None for each in lists.values()):
        more.append(Check(name="lists of values", passed=None, detail=READ, unseen=UNSEEN_LISTS))
    return claim, (*more, *_check_size(claims, n_original))


def _check_steps(claims: Claims) -> Check:
    """Return whether model, neighbours, law and steps are such as the claim is proved for."""
    # A step that is not known could have looked at the table again, at a cost that nobody counts.
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
    model = MODELS[law]
    if claims.version > 1 and any(
        event.parameters.get("is_public") is not True and "n_selected" not in event.parameters
        for event in claims.events
        if event.name == "list_values"
    ):
        model = IF_PUBLIC + model
    if claims.model != model:
        return f"Noise of the law '{law}' with such lists of values is for the model '{model}'."
    fault = fault_of_choice(claims)
    of_people = claims.unit == SEVERAL_ROWS  # with the step that proves it
    neighbours = (NEIGHBOURS_OF_PEOPLE if of_people else NEIGHBOURS)[trust]
    if fault is not None or claims.neighbours != neighbours:
        return fault or f"The claim is proved between {neighbours}, which it does not say."
    if any(event.name in OF_OTHER_TRUST[trust] for event in claims.events):
        return f"A release of {trust} trust has steps of the other kind."
    for event in claims.events:
        beside = [*event.counts, *sorted(event.parameters.keys() - STEPS[event.name])]
        if beside:
            return f"The step '{event.name}' states '{beside[0]}', which the claim does not cover."
    return None


def _check_sum(draw: Step, spent: Fraction, n_measured: int) -> Check:
    """Return whether the quantities listed are as many, and cost as much, as was stated."""
    stated, number = draw.parameters.get("spent"), draw.parameters.get("n_measured")
    if number != n_measured:
        detail = f"{n_measured} measured quantities are listed, and {show(number)} were measured."
        return Check(name="sum", passed=False, detail=detail)
    # Rounded up when it was written, so that it is never below what is added up here.
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


def _check_rho(claims: Claims, rho: Fraction, *, besides: Fraction) -> Check:
    """Return whether rho, and a delta that is spent besides, are worth what is claimed."""
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
    if besides:
        figures += f", beside a delta of {show(besides)} for the selection of values,"
    if besides >= delta or not is_within_delta(rho, epsilon=epsilon, delta=delta - besides):
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


# Quantities measured with noise: what each costs, and whether one row can change it more.

LAWS = ("gaussian", "laplace")

# How much one row, added or removed, changes the dependence of one pair: at most 4; r rows 4 r.
_OF_A_PAIR = 4

_POWER = {"gaussian": 2, "laplace": 1}  # of a change of one number, as it counts


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
        _read_measurement(event)
        for event in claims.events
        if event.name in ("measure_counts", "measure_dependence")
    ]


def check_entries(
    measured: list[Measured], lists: dict[str, ValueList], *, law: str, n_rows: int = 1
) -> Check:
    """Return whether sensitivities are large enough, and nothing that is always measured lacks.

    Counts of one or two columns change by r in all, at most r of them in one cell, by r rows; each
    dependence of P pairs by at most 4 r, which is 16 r r P in squares (Gaussian noise) or 4 r P in
    sum (Laplace noise).

    Parameters
    ----------
    measured : list of Measured
        All quantities.
    lists : dict of str to ValueList
        The columns with their numbers of values.
    law : str
        Of all noise.
    n_rows : int
        The most rows of one person.
    """
    varied = [name for name, listed in lists.items() if listed.n_counted > 1]
    n_pairs = comb(sum(listed.n_values > 1 for listed in lists.values()), 2)
    fault = next(
        filter(
            None, (_measurement_fault(entry, lists, law, n_pairs, n_rows) for entry in measured)
        ),
        None,
    )
    if fault is None:
        fault = _missing(measured, varied, n_pairs)
    if fault is not None:
        return Check(name="measured", passed=False, detail=fault)
    detail = (
        f"Each of {len(measured)} quantities states at least as much change by "
        f"{_rows(n_rows)} as there can be."
    )
    return Check(name="measured", passed=True, detail=detail)


def _measurement_fault(
    entry: Measured, lists: dict[str, ValueList], law: str, n_pairs: int, n_rows: int
) -> str | None:
    """Return what is wrong with a quantity, in words; None if nothing is."""
    name = f"The counts of {', '.join(entry.columns)}" if entry.columns else "The dependences"
    if entry.law != law:
        return f"{name}: the noise is {entry.law}, that of the release {law}."
    if not set(entry.columns) <= set(lists):
        return f"{name} are of a column that has no list of values."
    if entry.columns:
        listed = [lists[column] for column in entry.columns]
        least, n_numbers = n_rows ** _POWER[law], prod(one.n_values for one in listed)
        if len(listed) == 1:
            n_numbers = listed[0].n_counted
    else:
        least, n_numbers = (_OF_A_PAIR * n_rows) ** _POWER[law] * n_pairs, n_pairs
    if entry.n_numbers != n_numbers:
        return f"{name} are {n_numbers} numbers, and {entry.n_numbers} are stated."
    # A larger one is safe: then the noise is larger than it had to be.
    if entry.sensitivity < least:
        return (
            f"{name} can change by {least} through {_rows(n_rows)}, and noise was fitted to "
            f"{entry.sensitivity}."
        )
    return None


def _rows(n_rows: int) -> str:
    return "one row" if n_rows == 1 else f"the {n_rows} rows of one person"


def _missing(measured: list[Measured], varied: list[str], n_pairs: int) -> str | None:
    """Return which quantity that the mechanism always measures is not listed."""
    columns = {entry.columns for entry in measured}
    for name in varied:
        # An omitted entry would make the sum of costs too small.
        if (name,) not in columns:
            return f"The counts of {name} are not listed, and rows cannot be drawn without them."
    if n_pairs and sum(not entry.columns for entry in measured) != 1:
        return "The dependences of pairs, by which pairs are chosen, are not listed once."
    return None if columns else "No measured quantity is listed."


def _read_measurement(event: Step) -> Measured:
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


# Values that were selected with noise: what that costs, and who could pass the threshold alone.

MOST_SCALE = 2**80  # of the variance, far above any that leaves a count worth having


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The check of a selection of values, if there was one, and what it costs."""

    checks: tuple[Check, ...] = ()
    rho: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)


def check_selection(
    claims: Claims, lists: dict[str, ValueList], *, law: str, n_rows: int = 1
) -> Selection:
    """Return whether a value of one person alone is selected with no more chance than is stated.

    A row has one value in each of m columns, and people are counted: r rows of a person change at
    most m r counts by 1, which is m r in squares, and at most m r values are theirs alone, each
    with a count of 1.

    Raises
    ------
    DataError
        If the selection is not stated wholly, or lists do not say whether they were selected.
    """
    given = [event.parameters for event in claims.events if event.name == "select_values"]
    chosen = {name for name, listed in lists.items() if listed.n_selected is not None}
    if not given and not chosen:
        return Selection()
    columns = given[0].get("columns") if len(given) == 1 else None
    if not isinstance(columns, tuple) or sorted(columns) != sorted(lists) or chosen != set(lists):
        raise DataError("Values are selected once, of all columns, and these lists were not.")
    numbers = [given[0].get(name) for name in ("scale", "sensitivity", "tau", "delta")]
    if any(isinstance(n, bool) or not isinstance(n, int | Fraction) for n in numbers):
        raise DataError("The noise, the threshold or the delta of the selection is not stated.")
    scale, sensitivity, tau, delta = (Fraction(n) for n in numbers)  # type: ignore[arg-type]
    m = len(columns) * n_rows
    if not (0 < scale <= MOST_SCALE and 2 <= tau <= MOST_SCALE and 0 <= delta < 1):
        raise DataError("The noise, the threshold or the delta of the selection is out of range.")
    if tau.denominator != 1 or law != "gaussian" or given[0].get("law") != law:
        raise DataError("Values are selected by whole counts with Gaussian noise.")
    if sensitivity < m:
        raise DataError(f"A person changes {m} counts of values, and {sensitivity} are stated.")
    if m * least_chance(int(tau) - 1, scale) > as_decimal(delta):
        detail = f"A value of one person alone passes {tau} with more chance than {show(delta)}."
        check = Check(name="selection of values", passed=False, detail=detail)
    else:
        detail = f"A value of one person alone passes {tau} with a chance of at most {show(delta)}."
        check = Check(name="selection of values", passed=True, detail=detail)
    return Selection(checks=(check,), rho=sensitivity / (2 * scale), delta=delta)


# The lists of values that a release of synthetic rows states, and whether its rows keep to them.


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueList:
    """The values of one column: how many and, if they are public, which, as texts.

    ``texts`` holds None if cells may be missing; it is None itself if the list is not public.
    ``n_selected`` is how many were selected with noise, all but ``other``; None if none was.
    """

    n_values: int
    is_public: bool
    texts: frozenset[str | None] | None
    n_selected: int | None = None

    @property
    def n_counted(self) -> int:
        """How many counts the column has alone: of selected values, one more is of all others."""
        return self.n_values if self.n_selected is None else self.n_selected + 1


def read_lists(claims: Claims) -> dict[str, ValueList]:
    """Return the list of values of each released column.

    Raises
    ------
    DataError
        If a released column has no list, or two, or a list contradicts itself.
    """
    found: dict[str, ValueList] = {}
    for event in claims.events:
        if event.name != "list_values":
            continue
        column, n_values = event.parameters.get("column"), event.parameters.get("n_values")
        if not isinstance(column, str) or column in found:
            raise DataError("A list of values names no column, or one that has a list.")
        if type(n_values) is not int or n_values < 1:
            raise DataError(
                f"It is not stated how many values column '{column}' can have.", column=column
            )
        is_public = event.parameters.get("is_public") is True
        selected, other = event.parameters.get("n_selected"), event.parameters.get("other")
        if selected is not None and (
            type(selected) is not int
            or is_public
            or selected != n_values - (other is not None)
            or (other is not None and other not in _texts(event.parameters))
        ):
            raise DataError(f"The selected values of column '{column}' are not stated as they are.")
        if not is_public and selected is None and "values" in event.parameters:
            raise DataError(
                f"The values of column '{column}' are disclosed, and are not public.", column=column
            )
        texts = _texts(event.parameters) if is_public or selected is not None else None
        if texts is not None and len(texts) != n_values:
            raise DataError(
                f"Column '{column}' has {len(texts)} values, and {n_values} stated.", column=column
            )
        found[column] = ValueList(
            n_values=n_values, is_public=is_public, texts=texts, n_selected=selected
        )
    if set(found) != set(claims.column_names):
        raise DataError("The columns with a list of values are not those that are released.")
    return found


def check_values(rows: pl.DataFrame, lists: dict[str, ValueList]) -> Check:
    """Return whether all released values are on the lists; if those are secret, their number."""
    for name, listed in lists.items():
        values = {None if value is None else str(value) for value in rows[name].unique().to_list()}
        if listed.texts is not None and not values <= listed.texts:
            detail = f"Column '{name}' has a value that is not on its list."
            return Check(name="values", passed=False, detail=detail)
        if len(values) > listed.n_values:
            detail = f"Column '{name}' has {len(values)} values, and {listed.n_values} are stated."
            return Check(name="values", passed=False, detail=detail)
    detail = "Released values are on the lists stated, or no more than these have."
    return Check(name="values", passed=True, detail=detail)


def _texts(parameters: dict[str, Value]) -> frozenset[str | None]:
    values = parameters.get("values")
    if not isinstance(values, tuple):
        raise DataError("A public list of values is not stated.")
    missing = (None,) if parameters.get("can_be_missing") is True else ()
    return frozenset((*values, *missing))
