"""What a differentially private release says of itself: its steps and its guarantee.

Both follow from the plan alone. No number in them was counted in the protected table.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.release.event import Event
from discreet.release.guarantee import ADD_REMOVE, Guarantee
from discreet.release.wording import UNIT

if TYPE_CHECKING:
    from discreet.release.event import Option
    from discreet.suppress.dp_plan import Plan

MODEL = "(epsilon, delta)-differential privacy"
SEEDED = "made with a seed, from which all draws can be repeated"
NOT_PROTECTED = (
    "Several rows of one person: n rows together have n times the epsilon, and more delta.",
    "A row, against whoever is told which rows were sampled or trained the scheme.",
    "What can be learnt about a person from others, such as relatives, whose rows are there.",
    "The number of rows released, which tells about how many rows the table has.",
)


def dp_events(plan: Plan) -> tuple[Event, ...]:
    """Return the steps of a plan, in order."""
    learnt: dict[str, Option] = {
        "scheme": plan.scheme,
        "epsilon": plan.scheme_epsilon,
        "delta": None if plan.scheme_epsilon is None else Fraction(0),
        "theta": plan.theta,
    }
    if plan.scheme == "dp":
        learnt |= {
            "max_size": 2,
            "n_columns": len(plan.columns),
            "sensitivity": plan.sensitivity,
            "noise": "discrete Laplace",
            "scale": plan.scale,
        }
    steps = [
        Event(name="learn_scheme", parameters=learnt),
        Event(name="suppress_by_scheme", parameters={"columns": plan.columns}),
        Event(name="bernoulli_sample", parameters={"beta": plan.beta}),
        Event(
            name="k_suppress",
            parameters={"k": plan.k, "epsilon": plan.epsilon, "delta": plan.delta},
        ),
    ]
    if plan.split_rate is not None:
        steps.insert(0, Event(name="split_rows", parameters={"split_rate": plan.split_rate}))
    return tuple(steps)


def dp_guarantee(plan: Plan, *, domain_is_public: bool, is_secure: bool) -> Guarantee:
    """Return the guarantee of a plan."""
    assumptions = [
        "The options were chosen without looking at the table.",
        "Which rows were sampled, the random draws and the key of the fingerprint stay secret.",
    ]
    not_protected = list(NOT_PROTECTED)
    if plan.scheme == "public":
        assumptions.append(
            "The scheme comes from a public table, which was not made from the protected one."
        )
    elif plan.scheme == "split":
        not_protected.insert(
            0,
            "Rows of the training part, which every row is in with the probability that delta "
            "begins with: the scheme shows what they hold.",
        )
    elif domain_is_public:
        assumptions.append("The lists of values that columns can have are public.")
    else:
        assumptions.append(
            "The lists of values were read from the data, which the guarantee does not cover."
        )
    return Guarantee(
        model=MODEL,
        parameters={"epsilon": plan.total_epsilon, "delta": plan.total_delta},
        unit=UNIT,
        neighbours=ADD_REMOVE,
        columns=plan.columns,
        assumptions=tuple(assumptions),
        not_protected=tuple(not_protected),
        experimental=not is_secure,
        experimental_reason=None if is_secure else SEEDED,
    )
