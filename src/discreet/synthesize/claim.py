"""What a table of synthetic rows guarantees those it was learnt from, and what was done for it."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Literal, Protocol

from discreet.release.event import Event
from discreet.release.guarantee import (
    IF_PUBLIC,
    NEIGHBOURS_OF,
    ONE_ROW,
    SEVERAL_ROWS,
    Guarantee,
    assumed_of,
    chosen_of,
)
from discreet.synthesize.budget import measured_event
from discreet.synthesize.private_values import FROM_DATA, PRIVATE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.column import Label
    from discreet.release.event import Option
    from discreet.synthesize.budget import Spent
    from discreet.synthesize.private_values import Threshold
    from discreet.synthesize.response import Sanitized


class Fitted(Protocol):
    """What a claim is made from: a fitted synthesizer."""

    epsilon: Fraction
    delta: Fraction
    trust: Literal["central", "local"]
    generator: Literal["marginals", "krimp"]
    label: str | None
    lists: str
    unit: str
    is_secure: bool
    entries: tuple[Spent, ...]
    sanitized: Sanitized | None
    threshold: Threshold | None
    others: dict[str, str | None]


PURE = "differential privacy"

APPROXIMATE = "(epsilon, delta)-differential privacy"

LOCAL = "local differential privacy"

ANY_ROWS = "any two rows that one person could have"

ANY_ROWS_OF_ONE = "any rows that one person could have, of which one is chosen"

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

N_TIMES = "Several rows of one person: n rows together have n times the epsilon, and more delta."

PUBLIC = (
    "The lists of values that columns can have, and the types of columns, were made without "
    "looking at the table."
)

SELECTED = (
    "The types that columns have in the table, if it was read as a frame, were chosen without "
    "looking at its rows; the values were selected with noise, within epsilon and delta."
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

N_ROWS = "The number of rows of the table, which is disclosed under local trust."

N_PEOPLE = "The number of people of the table, which is disclosed under local trust."

ACCURACY = (
    "Rows are drawn from noisy counts of single columns and pairs: they are synthetic, and what "
    "depends on more columns at once may be wrong. The guarantee says nothing about accuracy."
)

DIGITS = 10**12  # of the sum of all costs, whose exact denominator can be thousands of digits long

REPEATED = "Several releases of the same source: what they cost adds up."


def synthetic_claim(made: Fitted, *, columns: tuple[str, ...]) -> Guarantee:
    """Return the claim that holds for everything drawn from a fitted synthesizer.

    Parameters
    ----------
    made : Synthesizer
        Fitted.
    columns : tuple of str
        Those that are published.
    """
    local = made.trust == "local"
    parameters = {"epsilon": made.epsilon}
    if made.delta:
        parameters["delta"] = made.delta
    model = LOCAL if local else APPROXIMATE if made.delta else PURE
    taken = made.lists == FROM_DATA
    several = made.unit == SEVERAL_ROWS
    any_rows = ANY_ROWS_OF_ONE if several else ANY_ROWS
    return Guarantee(
        model=IF_PUBLIC + model if taken else model,
        parameters=parameters,
        unit=made.unit,
        neighbours=any_rows if local else NEIGHBOURS_OF[made.unit],
        columns=columns,
        assumptions=(
            CHOSEN,
            SECRET,
            RANDOMIZED if local else CENTRAL,
            *assumed_of(made.unit),
            *chosen_of(made.unit)[1],
            *((PUBLIC,) if made.lists == "public" else ()),
            *((SELECTED,) if made.lists == PRIVATE else ()),
        ),
        not_protected=(
            *((TAKEN,) if taken else ()),
            *((N_PEOPLE if several else N_ROWS,) if local else ()),
            *((N_TIMES,) if made.unit == ONE_ROW else ()),
            PURPOSE,
            RELATIVES,
            ACCURACY,
            REPEATED,
        ),
        experimental=not made.is_secure,
        experimental_reason=None if made.is_secure else SEEDED,
    )


def synthetic_events(made: Fitted, *, domain: Mapping[str, tuple[Label, ...]]) -> tuple[Event, ...]:
    """Return what was done: choice of rows, lists of values, all that was measured, and the draw.

    Parameters
    ----------
    made : Synthesizer
        Fitted.
    domain : mapping of str to tuple
        The values of each published column.

    Notes
    -----
    Lists that were read from the table are not repeated here, only how long they are; those that
    were selected with noise are.
    """
    listed = [
        list_event(name, values, is_public=made.lists == "public")
        if made.threshold is None
        else selected_event(name, values, other=made.others[name])
        for name, values in domain.items()
    ]
    if made.threshold is not None:
        listed.insert(0, made.threshold.event)
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
        selection = Fraction(0) if made.threshold is None else made.threshold.rho
        spent = sum((entry.cost for entry in made.entries), selection)
        law = "gaussian" if made.delta else "laplace"
    drawn = Event(
        name="draw_rows",
        parameters={
            "trust": made.trust, "generator": made.generator, "label": made.label, "law": law,
            "n_measured": len(measured), "spent": _up(spent),
            "spent_in": "rho" if law == "gaussian" else "epsilon",
        },
    )  # fmt: skip
    return (*chosen_of(made.unit)[0], *listed, *measured, drawn)


def list_event(column: str, values: tuple[Label, ...], *, is_public: bool) -> Event:
    """Return which values a column can have; only how many if that is not public.

    Examples
    --------
    >>> stated = list_event("sex", ("f", "m", None), is_public=True).parameters
    >>> stated["n_values"], stated["values"], stated["can_be_missing"]
    (3, ('f', 'm'), True)
    >>> "values" in list_event("sex", ("f", "m", None), is_public=False).parameters
    False
    """
    stated: dict[str, Option] = {"column": column, "n_values": len(values), "is_public": is_public}
    if is_public:
        stated["values"] = tuple(str(value) for value in values if value is not None)
        stated["can_be_missing"] = None in values
    return Event(name="list_values", parameters=stated)


def selected_event(column: str, values: tuple[Label, ...], *, other: str | None) -> Event:
    """Return which values a column can have that were selected with noise.

    Examples
    --------
    >>> stated = selected_event("sex", ("f", "m", "other"), other="other").parameters
    >>> stated["values"], stated["n_selected"], stated["other"]
    (('f', 'm', 'other'), 2, 'other')
    """
    return Event(
        name="list_values",
        parameters={
            "column": column, "n_values": len(values), "is_public": False,
            "values": tuple(str(value) for value in values if value is not None),
            "can_be_missing": None in values, "n_selected": len(values) - (other is not None),
            "other": other,
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
