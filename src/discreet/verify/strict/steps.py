"""The steps that a certificate may state, with all they may say: one row for each.

A new step is a row of ``STEPS``; a new parameter is an entry of its row, with what it may be. What
can be listed is listed (``_one_of``): free text could promise anything. Names that people choose
(of a part, a campaign, a column that is not released) are short, and have no letters that are not
seen. Counts are of what is released, never of the input.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from discreet.verify.certificate import PATTERNS, ROWS, SYNTHETIC, TRANSACTIONS
from discreet.verify.strict.names import fault_of_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.verify.certificate import Claims, Step, Value

    Kind: TypeAlias = Callable[[Value, Claims], bool]

MAYBE = "?"  # at the end of a name: it may be missing

CLASSES = "k-anonymity"  # alone, or with rules: what begins so
FLOOR = "support floor"
GROUPS = "k-anonymous patterns"
APPROXIMATE = "(epsilon, delta)-differential privacy"
PURE = "differential privacy"
LOCAL = "local differential privacy"

# How a model begins that holds on a condition.
IF_PUBLIC = "Only if the lists of values are public: "
IF_ITEMS_PUBLIC = "Only if the list of items is public: "


def whole(value: Value, _: Claims) -> bool:
    """Say whether a value is a whole number from 0."""
    return type(value) is int and value >= 0


def _number(value: Value, _: Claims) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | Fraction) and value >= 0


def _share(value: Value, claims: Claims) -> bool:
    return _number(value, claims) and isinstance(value, int | Fraction) and value <= 1


def _number_or_none(value: Value, claims: Claims) -> bool:
    return value is None or _number(value, claims)


def _any_number_or_none(value: Value, _: Claims) -> bool:
    return value is None or (not isinstance(value, bool) and isinstance(value, int | Fraction))


def _whole_or_none(value: Value, claims: Claims) -> bool:
    return value is None or whole(value, claims)


def _flag(value: Value, _: Claims) -> bool:
    return isinstance(value, bool)


def _column(value: Value, claims: Claims) -> bool:
    return value in claims.column_names


def _column_or_none(value: Value, claims: Claims) -> bool:
    return value is None or _column(value, claims)


def _columns(value: Value, claims: Claims) -> bool:
    return (
        isinstance(value, tuple)
        and {*value} <= {*claims.column_names}
        and len(set(value)) == len(value)
    )


def _covered(value: Value, claims: Claims) -> bool:
    """Say whether the columns of the claim are named, in whatever order."""
    return isinstance(value, tuple) and sorted(value) == sorted(claims.covered)


def _names(value: Value, claims: Claims) -> bool:
    """Say whether columns of the input are named, those of the claim among them."""
    return (
        isinstance(value, tuple)
        and all(len(name) <= _LONGEST_NAME for name in value)
        and fault_of_names(value) is None
        and {*claims.covered} <= {*value}
    )


def _texts(value: Value, _: Claims) -> bool:
    return isinstance(value, tuple) and all(len(text) <= LONGEST for text in value)


def _name(value: Value, _: Claims) -> bool:
    """Say whether a value is a name, which is no sentence: it promises nothing."""
    return (
        isinstance(value, str)
        and len(value) <= _LONGEST_NAME
        and bool(_NAME.fullmatch(value))
        and fault_of_names([value]) is None
    )


def _name_or_none(value: Value, claims: Claims) -> bool:
    return value is None or _name(value, claims)


def _text_or_none(value: Value, _: Claims) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= LONGEST)


def _levels(value: Value, claims: Claims) -> bool:
    """Say whether every column of the claim has a level."""
    if not isinstance(value, tuple):
        return False
    named = []
    for text in value:
        found = re.fullmatch(r"(.*): ([0-9]{1,5}) of ([0-9]{1,5})", text, re.DOTALL)
        if found is None or int(found[2]) > int(found[3]):
            return False
        named.append(found[1])
    return sorted(named) == sorted(claims.covered)


def _sizes(value: Value, _: Claims) -> bool:
    pattern = re.compile(r"[0-9]{1,6}: [0-9]{1,9}\.[0-9]{4}")
    return isinstance(value, tuple) and all(pattern.fullmatch(text) for text in value)


def _one_of(*words: object) -> Kind:
    return lambda value, _: type(value) in {type(word) for word in words} and value in words


LONGEST = 1000  # letters of a value that is listed

_NAME = re.compile(r"[\w][\w.\-]*( [\w.\-]+){0,3}")

_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Known:
    """A step that is known.

    Attributes
    ----------
    publishes : str or tuple of str
        What it leads to.
    models : tuple of str
        The models it may stand under; ``CLASSES`` and ``GROUPS`` are beginnings.
    parameters : dict of str to callable
        What each parameter may be; a name that ends in ``?`` may be missing.
    counts : tuple of str
        What it may count; none has to be there.
    alone : bool
        Whether rows of classes may be made by this step and no other.
    """

    publishes: str | tuple[str, ...]
    models: tuple[str, ...]
    parameters: dict[str, Kind] = field(default_factory=dict)
    counts: tuple[str, ...] = ()
    alone: bool = False


_LOSS = _one_of("lm", "entropy", "tree", "suppression", "plain_entropy")
_CLUSTER: dict[str, Kind] = {"k": whole, "loss": _LOSS}
_DOMAIN: dict[str, Kind] = {**_CLUSTER, "max_dropped": _share, "levels": _levels}
_SANITIZED: dict[str, Kind] = {"k": whole, "min_support": whole}
_SENT: dict[str, Kind] = {
    "epsilon_by_size": _sizes, "items_are_public": _flag, "n_items": whole, "n_null_items": whole,
}  # fmt: skip
_MEASURED: dict[str, Kind] = {
    "columns": _columns, "law": _one_of("gaussian", "laplace"), "n_numbers": whole,
    "scale": _number, "sensitivity": whole,
}  # fmt: skip


_MEASURED["what"] = lambda value, _: isinstance(value, str)  # held against the columns below

STEPS: dict[str, Known] = {
    "restrict_to_part": Known(
        ROWS, (CLASSES, FLOOR, APPROXIMATE),
        {"composition": _one_of("parallel"), "partition": _name, "part": _name},
    ),
    "mii_suppress": Known(
        ROWS, (CLASSES, FLOOR),
        {
            "theta": whole, "columns": _covered, "sample_size?": whole,
            "max_size?": whole,
        },
    ),
    "enforce_classes": Known(
        ROWS, (CLASSES,), {"k": whole, "leftover": _one_of("drop", "suppress")},
    ),
    "split_rows": Known(ROWS, (APPROXIMATE,), {"split_rate": _number}),
    "learn_scheme": Known(
        ROWS, (APPROXIMATE,),
        {
            "scheme": _one_of("public", "dp", "split"), "epsilon": _number_or_none,
            "delta": _number_or_none, "theta": whole, "max_size?": whole, "n_columns?": whole,
            "sensitivity?": whole, "noise?": _one_of("discrete Laplace"), "scale?": _number,
        },
    ),
    "suppress_by_scheme": Known(ROWS, (APPROXIMATE,), {"columns": _covered}),
    "bernoulli_sample": Known(ROWS, (APPROXIMATE,), {"beta": _number}),
    "k_suppress": Known(
        ROWS, (APPROXIMATE,), {"k": whole, "epsilon": _number, "delta": _number}
    ),
    "impute": Known(
        ROWS, (CLASSES, FLOOR, APPROXIMATE),
        {"source": _one_of("the release alone"), "max_context": whole}, ("n_cells_imputed",),
    ),
    "set_cover": Known(
        ROWS, (CLASSES,),
        {
            **_CLUSTER, "price": _one_of("rows", "set"), "improved": _flag,
            "candidates": _one_of("all closed", "bounded"),
        },
    ),
    "forest": Known(ROWS, (CLASSES,), _CLUSTER),
    "agglomerative": Known(
        ROWS, (CLASSES,), {**_CLUSTER, "modified": _flag, "linkage": _one_of("ratio", "change")}
    ),
    "mondrian": Known(ROWS, (CLASSES,), {**_CLUSTER, "choose": _one_of("loss", "span")}),
    "datafly": Known(ROWS, (CLASSES,), _DOMAIN),
    "incognito": Known(ROWS, (CLASSES,), _DOMAIN),
    "generalize": Known(
        ROWS, (CLASSES,), {"columns": _covered, "hierarchies": _columns, "loss": _LOSS}
    ),
    "obey_rules": Known(
        ROWS, (CLASSES,),
        {"sensitive": _columns, "not_ruled": _columns, "households": _name_or_none},
    ),
    "mean_weights": Known(ROWS, (CLASSES,), {"column": _column}),
    "carry_column": Known(
        ROWS, (CLASSES,),
        {
            "column": _column, "shows": _one_of("mean", "median", "values"),
            "low": _any_number_or_none, "high": _any_number_or_none, "step": _number_or_none,
            "least": _whole_or_none,
        },
    ),
    "additive_sanitization": Known(
        PATTERNS, (GROUPS,), {**_SANITIZED, "quasi?": _covered, "columns?": _names}, ("n_itemsets",)
    ),
    "suppressive_sanitization": Known(
        PATTERNS, (GROUPS,), {**_SANITIZED, "quasi?": _covered, "columns?": _names}, ("n_itemsets",)
    ),
    "certified_sanitization": Known(
        PATTERNS, (GROUPS,), {**_SANITIZED, "quasi?": _covered, "columns?": _names}, ("n_itemsets",)
    ),
    "unite_per_person": Known(PATTERNS, (GROUPS,)),
    "choose_one_per_person": Known(
        (PATTERNS, SYNTHETIC, ROWS), (GROUPS, APPROXIMATE, PURE, LOCAL)
    ),
    "limit_rows_per_person": Known(
        SYNTHETIC, (APPROXIMATE, PURE), {"rows_per_person": whole}
    ),
    "derive": Known(PATTERNS, (GROUPS,), {"min_support": whole}, ("n_itemsets",)),
    "cut_and_paste": Known(TRANSACTIONS, (LOCAL,), _SENT, ("n_transactions",)),
    "select_a_size": Known(TRANSACTIONS, (LOCAL,), _SENT, ("n_transactions",)),
    "uniform": Known(TRANSACTIONS, (LOCAL,), _SENT, ("n_transactions",)),
    "limit_reports": Known(TRANSACTIONS, (LOCAL,), {"reports_per_person": whole}),
    "leave_out_large": Known(TRANSACTIONS, (LOCAL,), {"max_size": whole}, ("n_left_out",)),
    "collect": Known(TRANSACTIONS, (LOCAL,), {"campaign": _name}, ("n_batches",)),
    "list_values": Known(
        SYNTHETIC, (APPROXIMATE, PURE, LOCAL),
        {
            "column": _column, "n_values": whole, "is_public": _flag, "values?": _texts,
            "can_be_missing?": _flag, "n_selected?": whole, "other?": _text_or_none,
        },
    ),
    "select_values": Known(
        SYNTHETIC, (APPROXIMATE,),
        {
            "columns": _columns, "law": _one_of("gaussian"), "scale": _number,
            "sensitivity": whole, "tau": _number, "delta": _number,
        },
    ),
    "measure_counts": Known(SYNTHETIC, (APPROXIMATE, PURE), _MEASURED),
    "measure_dependence": Known(SYNTHETIC, (APPROXIMATE, PURE), _MEASURED),
    "randomize_cells": Known(
        SYNTHETIC, (LOCAL,), {"column": _column, "epsilon": _number, "p": _number, "q": _number}
    ),
    "draw_rows": Known(
        SYNTHETIC, (APPROXIMATE, PURE, LOCAL),
        {
            "trust": _one_of("central", "local"), "generator": _one_of("marginals", "krimp"),
            "label": _column_or_none,
            "law": _one_of("gaussian", "laplace", "randomized response"), "n_measured": whole,
            "spent": _number, "spent_in": _one_of("rho", "epsilon"),
        },
    ),
}  # fmt: skip


def unknown_step(claims: Claims) -> str | None:
    """Return in words what steps state that is not in the table, or None."""
    for step in claims.events:
        known = STEPS.get(step.name)
        if known is None:
            return f"There is no step '{step.name}'."
        stated = claims.model.removeprefix(IF_PUBLIC).removeprefix(IF_ITEMS_PUBLIC)
        under = any(
            stated == model or (model in {CLASSES, GROUPS} and stated.startswith(model))
            for model in known.models
        )
        kinds = (known.publishes,) if isinstance(known.publishes, str) else known.publishes
        if claims.publishes not in kinds or not under:
            return f"The step '{step.name}' does not belong to {claims.model}."
        fault = _fault(step, known, claims)
        if fault is not None:
            return f"The step '{step.name}' {fault}."
    return None if claims.version == 1 else contradiction(claims)


def _fault(step: Step, known: Known, claims: Claims) -> str | None:
    """Return what a step states that it should not, or lacks."""
    allowed = {name.removesuffix(MAYBE): kind for name, kind in known.parameters.items()}
    needed = {name for name in known.parameters if not name.endswith(MAYBE)}
    for name, value in step.parameters.items():
        if step.name == "obey_rules" and name.startswith("order of "):
            kind: Kind | None = _texts if name[9:] in claims.column_names else None
        else:
            kind = allowed.get(name)
        if kind is None:
            return f"states '{name}', which it does not have"
        if not kind(value, claims):
            return f"states a '{name}' that it cannot have"
    lacking = needed - step.parameters.keys()
    if lacking:
        return f"does not state '{min(lacking)}'"
    counted = [name for name in step.counts if name not in known.counts]
    return f"counts '{counted[0]}', which is not published" if counted else None


# What the steps say together: their order, and figures that are those of the claim.

_CLUSTERED = "set_cover|forest|agglomerative|mondrian|datafly|incognito"

_SANITIZATIONS = ("additive_sanitization", "suppressive_sanitization", "certified_sanitization")

# The order of all steps but ``restrict_to_part``, which comes first; for each kind of claim.
_ORDERS: dict[tuple[str, str], str] = {
    (ROWS, CLASSES): (
        "mii_suppress enforce_classes( obey_rules)?( carry_column)*( impute)*|"
        f"({_CLUSTERED}) generalize( mean_weights)?( carry_column)*( obey_rules)?( impute)*"
    ),
    (ROWS, FLOOR): "mii_suppress( impute)*",
    (SYNTHETIC, ""): (
        "((choose_one|limit_rows)_per_person )?(select_values )?(list_values )+"
        "((measure_counts |measure_dependence )+|(randomize_cells )+)draw_rows"
    ),
    (PATTERNS, ""): (f"((unite|choose_one)_per_person )?({'|'.join(_SANITIZATIONS)})( derive)*"),
    (TRANSACTIONS, ""): (
        "(limit_reports )?(leave_out_large )?(collect )?(cut_and_paste|select_a_size|uniform)"
    ),
}


def contradiction(claims: Claims) -> str | None:
    """Return in words where steps contradict each other or the claim, or None.

    A step that names another k than the claim, or one that nobody takes at this place, would say
    something of the release that is not recomputed.
    """
    steps = [step for step in claims.events if step.name != PART]
    n_parts = len(claims.events) - len(steps)
    if claims.events[n_parts:] != tuple(steps):
        return f"The step '{PART}' does not come first"
    parts = [(*step.parameters.items(),) for step in claims.events[:n_parts]]
    if len(set(parts)) < len(parts):
        return f"The step '{PART}' says the same twice"
    of_rows = CLASSES if claims.model.startswith(CLASSES) else claims.model
    order = _ORDERS.get((claims.publishes, of_rows if claims.publishes == ROWS else ""))
    if len(steps) == 1 and STEPS[steps[0].name].alone:
        order = None
    if order is not None and not re.fullmatch(order, " ".join(step.name for step in steps)):
        return f"The steps are not such as {claims.model} is made by, or in another order"
    for step in steps:
        fault = _against_claim(step, claims)
        if fault is not None:
            return f"The step '{step.name}' {fault}"
    return _against_each_other(claims)


PART = "restrict_to_part"


def _against_claim(step: Step, claims: Claims) -> str | None:
    """Return where a step contradicts the claim."""
    said, k = step.parameters, claims.parameters.get("k")
    if step.name != "k_suppress" and "k" in said and said["k"] != k:
        return "states another k than the claim"
    find = _CONTRADICTIONS.get(step.name)
    return None if find is None else find(step, claims)


def _of_cells(step: Step, claims: Claims) -> str | None:
    said, k = step.parameters, claims.parameters.get("k")
    theta = claims.parameters.get("theta") if claims.model == FLOOR else _one_less(k)
    if said["theta"] != theta:
        return "states another theta than the claim has"
    if said.get("max_size") == 0:
        return "states nothing to look for"
    return None


def _of_numbers(step: Step, claims: Claims) -> str | None:
    said, k = step.parameters, claims.parameters.get("k")
    low, high = said["low"], said["high"]
    if said["least"] != (None if said["shows"] == "values" else k):
        return "states another number of people than the k of the claim"
    if isinstance(low, int | Fraction) and isinstance(high, int | Fraction) and low > high:
        return "states ends of which the low one is above the high one"
    return None


def _of_weights(step: Step, claims: Claims) -> str | None:
    column = step.parameters["column"]
    kinds = {each.type for each in claims.columns if each.name == column}
    if column in claims.covered or kinds <= {"text", "boolean", "none"}:
        return "names a column that holds no weights"
    return None


def _of_reports(step: Step, _: Claims) -> str | None:
    return None if step.parameters["reports_per_person"] else "takes no report of anybody"


def _of_measured(step: Step, _: Claims) -> str | None:
    columns = step.parameters["columns"]
    named = " and ".join(columns) if isinstance(columns, tuple) else ""
    due = f"counts of {named}" if named else "dependence of each pair of columns"
    return None if step.parameters["what"] == due else "names other columns than it measured"


def _of_scheme(step: Step, _: Claims) -> str | None:
    said = step.parameters
    of_noise = ("max_size", "n_columns", "sensitivity", "noise", "scale")
    with_noise = said["scheme"] == "dp"
    is_priced = (said["epsilon"], said["delta"]) != (None, None)
    if any((name in said) != with_noise for name in of_noise) or is_priced > with_noise:
        return f"states noise that a {said['scheme']} scheme does not have"
    return None


def _one_less(k: Value) -> int | None:
    return k - 1 if isinstance(k, int) else None


def _fault_of_rules(step: Step, claims: Claims) -> str | None:
    """Return which rules are stated that the model does not have, or the other way round."""
    said, figures = step.parameters, claims.parameters
    ruled, others = said["sensitive"], said["not_ruled"]
    if not isinstance(ruled, tuple) or not isinstance(others, tuple):
        return "names no columns"
    has_rules = claims.model != CLASSES
    if has_rules != bool(ruled) or {*ruled} & {*others} or (others and not ruled):
        return f"is about other columns than {claims.model} can be"
    if not ruled and said["households"] is None:
        return "states no rule"
    if said["households"] is not None and claims.step("mii_suppress") is not None:
        return "names households, which suppression of cells does not count"
    orders = {name[9:] for name in said if name.startswith("order of ")}
    if orders and (figures.get("distance") != "ordered" or not orders <= {*ruled}):
        return "states an order of values that no distance goes by"
    return None


_CONTRADICTIONS: dict[str, Callable[[Step, Claims], str | None]] = {
    "mii_suppress": _of_cells,
    "carry_column": _of_numbers,
    "mean_weights": _of_weights,
    "limit_reports": _of_reports,
    "measure_counts": _of_measured,
    "measure_dependence": _of_measured,
    "learn_scheme": _of_scheme,
    "obey_rules": _fault_of_rules,
}


def _against_each_other(claims: Claims) -> str | None:
    """Return where two steps contradict each other, or the unit of the claim."""
    losses = {step.parameters["loss"] for step in claims.events if "loss" in step.parameters}
    if len(losses) > 1:
        return "The steps state different losses"
    if claims.publishes == PATTERNS:
        return _of_collections(claims)
    if claims.publishes == TRANSACTIONS:
        limited = claims.step("limit_reports") is not None
        if limited != (claims.unit == "one transaction, of several that one person may send"):
            return f"The steps do not make a claim for '{claims.unit}'"
    return None


def _of_collections(claims: Claims) -> str | None:
    """Return where steps that made a collection and derived others contradict each other."""
    made = [step for step in claims.events if "min_support" in step.parameters]
    least = [whole_of(step.parameters["min_support"]) for step in made]
    n_itemsets = [step.counts.get("n_itemsets", 0) for step in made]
    is_one_each = claims.events[0].name in ("unite_per_person", "choose_one_per_person")
    faults = {
        "A collection was derived by a smaller least support than it had": least != sorted(least),
        "The steps state another least support than the claim": (
            least[-1] != claims.parameters.get("min_support")
        ),
        "A collection was derived that has more itemsets than the one before": (
            n_itemsets != sorted(n_itemsets, reverse=True)
        ),
        f"The steps do not make a claim for '{claims.unit}'": (
            is_one_each != claims.unit.startswith("one person, who may have several")
        ),
    }
    return next((words for words, is_so in faults.items() if is_so), None)


def whole_of(value: Value) -> int:
    """Return a whole number, -1 for anything else."""
    return value if type(value) is int else -1
