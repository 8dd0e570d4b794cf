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
    return isinstance(value, tuple) and {*value} <= {*claims.column_names}


def _covered(value: Value, claims: Claims) -> bool:
    return value == claims.covered


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
    names = "|".join(map(re.escape, claims.column_names))
    pattern = re.compile(rf"({names}): [0-9]+ of [0-9]+")
    return isinstance(value, tuple) and all(pattern.fullmatch(text) for text in value)


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
    """

    publishes: str | tuple[str, ...]
    models: tuple[str, ...]
    parameters: dict[str, Kind] = field(default_factory=dict)
    counts: tuple[str, ...] = ()


_LOSS = _one_of("lm", "entropy", "tree", "suppression", "plain_entropy")
_CLUSTER: dict[str, Kind] = {"k": whole, "loss": _LOSS}
_DOMAIN: dict[str, Kind] = {**_CLUSTER, "max_dropped": _number, "levels": _levels}
_SANITIZED: dict[str, Kind] = {"k": whole, "min_support": whole}
_SENT: dict[str, Kind] = {
    "epsilon_by_size": _sizes, "items_are_public": _flag, "n_items": whole, "n_null_items": whole,
}  # fmt: skip
_MEASURED: dict[str, Kind] = {
    "columns": _columns, "law": _one_of("gaussian", "laplace"), "n_numbers": whole,
    "scale": _number, "sensitivity": whole,
}  # fmt: skip


def _what(value: Value, claims: Claims) -> bool:
    """Say whether a text names counts of columns, and says nothing else."""
    names = "|".join(map(re.escape, claims.column_names))
    pattern = rf"dependence of each pair of columns|counts of ({names})( and ({names}))?"
    return isinstance(value, str) and bool(re.fullmatch(pattern, value))


_MEASURED["what"] = _what

STEPS: dict[str, Known] = {
    "restrict_to_part": Known(
        ROWS, (CLASSES, FLOOR, APPROXIMATE),
        {"composition": _one_of("parallel"), "partition": _name, "part": _name},
    ),
    "mii_suppress": Known(
        ROWS, (CLASSES, FLOOR),
        {
            "theta": whole, "columns": _columns, "sample_size?": whole, "theta_of_sample?": whole,
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
    "suppress_by_scheme": Known(ROWS, (APPROXIMATE,), {"columns": _columns}),
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
        ROWS, (CLASSES,), {"columns": _columns, "hierarchies": _columns, "loss": _LOSS}
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
    return None


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
