"""What a table of drawn rows promises to those it was learnt from, and what it does not."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING

from discreet.release.event import Event
from discreet.release.guarantee import ADD_REMOVE, Guarantee
from discreet.release.wording import UNIT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.column import Label
    from discreet.release.event import Option
    from discreet.synthesize.spending import Spent
    from discreet.synthesize.synthesizer import KrimpSynthesizer

PURE = "differential privacy"
APPROXIMATE = "(epsilon, delta)-differential privacy"
LOCAL = "local differential privacy"
ANY_ROWS = "any two rows that one person could have"
SEEDED = "made with a seed, from which all draws can be repeated"

CHOSEN = (
    "The options, the number of rows if it was given, and the columns were chosen without looking "
    "at the table."
)
SECRET = "The random draws, the key of the fingerprint and the table itself stay secret."  # noqa: S105  no password
CENTRAL = "Whoever ran this saw the table as it is, and is trusted to have added the noise stated."
RANDOMIZED = (
    "Every cell was randomized alone, with the chances stated, before anything was learnt from it. "
    "Whoever ran this on a table of true cells saw them, and is trusted with that."
)
ONE_ROW = "Every person has one row. Whoever has n rows loses n times epsilon, and more delta."
PUBLIC = (
    "The lists of values that columns can have, and the types of columns, were made without "
    "looking at the table."
)
TAKEN = (
    "The lists of values were read from the table, and the guarantee does not cover that: a value "
    "that is drawn, or counted in the number of values stated, says that somebody has it, however "
    "rare it is."
)
PURPOSE = (
    "What is true of the population can be learnt, and with it something about people who are not "
    "in the table: that is the purpose."
)
RELATIVES = (
    "What can be learnt about a person from others, such as relatives, whose rows are there."
)
N_ROWS = "The number of rows of the table, which is not hidden at all under local trust."
ACCURACY = (
    "Rows are drawn from noisy counts of single columns and pairs: they are nobody's, and what "
    "depends on more columns at once may be wrong. The guarantee says nothing about accuracy."
)
DIGITS = 10**12  # of the sum of all costs, whose exact denominator can be thousands of digits long
REPEATED = "Several releases of the same source: what they cost adds up."


def synthetic_claim(made: KrimpSynthesizer, *, columns: tuple[str, ...]) -> Guarantee:
    """Return the claim that holds for everything drawn from a fitted synthesizer.

    Parameters
    ----------
    made : KrimpSynthesizer
        Fitted.
    columns : tuple of str
        Those that are published.
    """
    local = made.trust == "local"
    parameters = {"epsilon": made.epsilon}
    if made.delta:
        parameters["delta"] = made.delta
    return Guarantee(
        model=LOCAL if local else APPROXIMATE if made.delta else PURE,
        parameters=parameters,
        unit=UNIT,
        neighbours=ANY_ROWS if local else ADD_REMOVE,
        columns=columns,
        assumptions=(
            CHOSEN,
            SECRET,
            RANDOMIZED if local else CENTRAL,
            ONE_ROW,
            *((PUBLIC,) if made.domains_are_public else ()),
        ),
        not_protected=(
            *(() if made.domains_are_public else (TAKEN,)),
            *((N_ROWS,) if local else ()),
            PURPOSE,
            RELATIVES,
            ACCURACY,
            REPEATED,
        ),
        experimental=not made.is_secure,
        experimental_reason=None if made.is_secure else SEEDED,
    )


def synthetic_events(
    made: KrimpSynthesizer, *, domain: Mapping[str, tuple[Label, ...]]
) -> tuple[Event, ...]:
    """Return what was done: lists of values, every measured quantity, and the draw.

    Parameters
    ----------
    made : KrimpSynthesizer
        Fitted.
    domain : mapping of str to tuple
        The values of each published column.

    Notes
    -----
    Lists that were read from the table are not repeated here, only how long they are.
    """
    listed = [
        list_event(name, values, is_public=made.domains_are_public)
        for name, values in domain.items()
    ]
    if made.sanitized is not None:
        measured = [
            Event(
                name="randomize_cells",
                parameters={
                    "column": one.column, "epsilon": one.epsilon, "p": one.p, "q": one.q,
                },
            )
            for one in made.sanitized.channels
        ]  # fmt: skip
        spent = sum((one.epsilon for one in made.sanitized.channels), Fraction(0))
        law = "randomized response"
    else:
        measured = [measured_event(entry) for entry in made.entries]
        spent = sum((entry.cost for entry in made.entries), Fraction(0))
        law = "gaussian" if made.delta else "laplace"
    drawn = Event(
        name="draw_rows",
        parameters={
            "trust": made.trust, "generator": made.generator, "label": made.label, "law": law,
            "n_measured": len(measured), "spent": _up(spent),
            "spent_in": "rho" if law == "gaussian" else "epsilon",
        },
    )  # fmt: skip
    return (*listed, *measured, drawn)


def list_event(column: str, values: tuple[Label, ...], *, is_public: bool) -> Event:
    """Return which values a column can have; only how many if that is not public.

    Examples
    --------
    >>> told = list_event("sex", ("f", "m", None), is_public=True).parameters
    >>> told["n_values"], told["values"], told["can_be_missing"]
    (3, ('f', 'm'), True)
    >>> "values" in list_event("sex", ("f", "m", None), is_public=False).parameters
    False
    """
    told: dict[str, Option] = {"column": column, "n_values": len(values), "is_public": is_public}
    if is_public:
        told["values"] = tuple(str(value) for value in values if value is not None)
        told["can_be_missing"] = None in values
    return Event(name="list_values", parameters=told)


def measured_event(entry: Spent) -> Event:
    """Return one measured quantity: what, with which noise, and how much one row changes it."""
    name = "measure_counts" if entry.columns else "measure_dependence"
    return Event(
        name=name,
        parameters={
            "what": entry.what, "columns": entry.columns, "law": entry.law, "scale": entry.scale,
            "sensitivity": entry.sensitivity, "n_numbers": entry.n_numbers,
        },
    )  # fmt: skip


def _up(cost: Fraction) -> Fraction:
    """Return a cost rounded up to twelve digits after the point.

    Examples
    --------
    >>> _up(Fraction(1, 3))
    Fraction(166666666667, 500000000000)
    """
    return Fraction(ceil(cost * DIGITS), DIGITS)
