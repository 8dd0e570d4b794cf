"""What a release by generalization claims, and what it says was done."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.release.event import Event
from discreet.release.guarantee import Guarantee
from discreet.release.wording import UNIT, always_open, other_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.column import Label
    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.generalize.problem import Options, Problem

HOUSEHOLDS = (
    "That every class has rows of at least k households rests on who made the release: the column "
    "that tells them apart is not in it, so nobody else can count them."
)
UNSEEN = (
    "The hierarchies were made without looking at the rows, or what they tell is accepted: they "
    "are published, with all the values they list."
)


def final_events(
    problem: Problem, options: Options, shown: Table, *, n_dropped: int
) -> tuple[Event, ...]:
    """Return what every method does in the end: show nodes, level weights, keep to rules."""
    columns = tuple(name for name in problem.records.columns if name in shown.columns)
    given = options.get("hierarchies") or {}
    events = [
        Event(
            name="generalize",
            parameters={
                "columns": columns,
                "hierarchies": tuple(name for name in columns if name in given),
                "loss": problem.loss,
            },
            counts={"n_rows_dropped": n_dropped},
        )
    ]
    weights = options.get("weights")
    if weights is not None and weights in shown.columns:
        events.append(Event(name="mean_weights", parameters={"column": weights}))
    if problem.rules:
        events.append(Event(name="obey_rules", parameters=_rule_words(problem, options, shown)))
    return tuple(events)


def _rule_words(
    problem: Problem, options: Options, shown: Table
) -> dict[str, str | tuple[str, ...] | None]:
    """Return the columns of the rules, sensitive ones without any, and orders of values."""
    households = options.get("households")
    ruled = dict.fromkeys(rule.column for rule in problem.rules if rule.column != households)
    left_out = tuple(name for name in shown.sensitive if ruled and name not in ruled)
    words: dict[str, str | tuple[str, ...] | None] = {
        "sensitive": tuple(ruled),
        "not_ruled": left_out,
        "households": households,
    }
    if options.get("t") is not None and options.get("distance") == "ordered":
        for name in ruled:
            values = [value for value in shown.values(name) if value is not None]
            if not _is_sorted(values):  # a file does not tell the order of categories
                words[f"order of {name}"] = tuple(map(str, values))
    return words


def _is_sorted(values: Sequence[Label]) -> bool:
    return all(low < high for low, high in pairwise(values))  # type: ignore[operator]  # of one type


def used_hierarchies(problem: Problem, options: Options, shown: Table) -> dict[str, Hierarchy]:
    """Return the given hierarchies that were used; a flat one of the rows would list them."""
    used = {*problem.records.columns}
    if options.get("t") is not None and options.get("distance") == "hierarchical":
        used |= {rule.column for rule in problem.rules if rule.kind == "closeness"}
    given = options.get("hierarchies") or {}
    return {name: given[name] for name in shown.columns if name in used and name in given}


def claim_of(problem: Problem, options: Options, shown: Table) -> Guarantee:
    """Return the claim: k-anonymity, and what rules add to it."""
    parameters: dict[str, int | Fraction | str] = {"k": problem.k}
    words = ["k-anonymity"]
    low, near = options.get("l"), options.get("t")
    if low is not None:
        words.append("l-diversity")
        parameters["l"] = Fraction(str(low))
        parameters["diversity"] = options.get("diversity", "distinct")
        if options.get("c") is not None:
            parameters["c"] = Fraction(str(options["c"]))
    if near is not None:
        words.append("t-closeness")
        parameters["t"] = Fraction(str(near))
        parameters["distance"] = options.get("distance", "equal")
    assumptions: tuple[str, ...] = ("Every row of the input is another person.",)
    if used_hierarchies(problem, options, shown):
        assumptions = (*assumptions, UNSEEN)
    model = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    columns = tuple(name for name in problem.records.columns if name in shown.columns)
    return Guarantee(
        model=model,
        parameters=parameters,
        unit=UNIT,
        columns=columns,
        assumptions=assumptions,
        not_protected=_left_open(shown, columns, options),
    )


def _left_open(shown: Table, columns: tuple[str, ...], options: Options) -> tuple[str, ...]:
    """Return what the claim does not cover; weights are the same in all rows of a class."""
    told = [name for name in shown.columns if name != options.get("weights")]
    households = () if options.get("households") is None else (HOUSEHOLDS,)
    return (*always_open("groups are shown"), *other_columns(told, columns), *households)
