"""What is wrong with a policy, in plain words: which key, which value, and what fits there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, get_args

from pydantic import BaseModel

from discreet.errors import did_you_mean
from discreet.policy.methods import METHODS
from discreet.policy.model import Policy

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Place: TypeAlias = tuple[str | int, ...]

# What fits, by pydantic's name of the error.
_KINDS = {
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "tuple_type": "a list of texts in quotes",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "string_too_short": "not empty",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong: where in the policy, and a sentence about it."""

    place: Place
    sentence: str


def first_problem(error: ValidationError) -> Problem:
    """Return the first thing that pydantic found wrong with a policy.

    Examples
    --------
    >>> from pydantic import ValidationError
    >>> try:
    ...     Policy(source={"file": "a.csv"}, method={"name": "k-mii", "k": 1})
    ... except ValidationError as error:
    ...     print(first_problem(error).sentence)
    k is at least 2, not 1.
    """
    # An unknown key often explains a missing one, so it comes first.
    errors = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    first = errors[0]
    place = _without_tag(tuple(first["loc"]))
    return Problem(place=place, sentence=_sentence(first, place))


def _without_tag(place: Place) -> Place:
    """Return a place without the name of the method, which pydantic puts into it."""
    if place[:1] == ("method",) and len(place) > 1 and place[1] in METHODS:
        return (place[0], *place[2:])
    return place


def _sentence(error: ErrorDetails, place: Place) -> str:
    """Return what is wrong in one or two sentences."""
    kind, given, name = error["type"], error["input"], _named(place)
    about = error.get("ctx", {})
    if kind in _KINDS:
        return f"{name} is {_KINDS[kind]}, not {_shown(given)}."
    if kind == "missing":
        inside = f" in [{'.'.join(map(str, place[:-1]))}]" if place[:-1] else ""
        return f"{name} is missing{inside}: give it."
    if kind == "union_tag_not_found":
        return f"The method has no name. {did_you_mean('', METHODS)}"
    if kind == "union_tag_invalid":
        return f"There is no method {about['tag']!r}. {did_you_mean(about['tag'], METHODS)}"
    if kind == "greater_than_equal":
        return f"{name} is at least {about['ge']}, not {given}."
    longer = {"extra_forbidden": _unknown, "literal_error": _no_choice, "value_error": _refused}
    return longer[kind](error, place) if kind in longer else f"{name}: {error['msg']}."


def _unknown(error: ErrorDetails, place: Place) -> str:
    """Say that a key does not belong there, and where it does."""
    section = f"[{'.'.join(map(str, place[:-1]))}]" if place[:-1] else "a policy"
    method = ""
    if place[0] == "method":
        section = f"method '{error['loc'][1]}'"
        method = _method_with(str(place[-1]))
    hint = did_you_mean(str(place[-1]), _known(error["loc"][:-1]))
    return f"There is no '{place[-1]}' in {section}.{method} {hint}"


def _no_choice(error: ErrorDetails, place: Place) -> str:
    """Say which words fit."""
    given, expected = error["input"], error["ctx"]["expected"]
    fitting = [each.strip("'") for part in expected.split(", ") for each in part.split(" or ")]
    hint = did_you_mean(given, fitting) if isinstance(given, str) else ""
    closest = f" {hint}" if hint.startswith("Did") else ""
    return f"{_named(place)} is {' or '.join(map(repr, fitting))}, not {_shown(given)}.{closest}"


def _refused(error: ErrorDetails, place: Place) -> str:
    """Say what one of our own checks found."""
    said = str(error["ctx"]["error"]).rstrip(".")
    if place[0] == "method" and len(place) == 2:
        return f"{place[-1]} is {said}."
    if "domains" in place:
        return f"The domain of column '{place[-1]}' is {said}."
    if "bins" in place:
        return f"The bins of column '{place[-1]}': {said[0].lower()}{said[1:]}."
    return f"{said[0].upper()}{said[1:]}."


def _named(place: Place) -> str:
    """Return how a person calls a key."""
    if place[:1] == ("roles",) and len(place) == 2:
        return f"The role of column '{place[1]}'"
    if place and isinstance(place[-1], int):
        return f"Member {place[-1] + 1} of {place[-2]}"
    return f"[{place[0]}]" if len(place) == 1 else str(place[-1])


def _known(location: tuple[str | int, ...]) -> list[str]:
    """Return the keys that fit at a place."""
    model: type[BaseModel] = Policy
    for part in location:
        if part in METHODS:
            model = METHODS[str(part)]
            continue
        annotation: object = model.model_fields[str(part)].annotation
        kinds = (annotation, *get_args(annotation))
        model = next(
            (each for each in kinds if isinstance(each, type) and issubclass(each, BaseModel)),
            model,
        )
    return list(model.model_fields)


def _method_with(option: str) -> str:
    """Return which methods know an option, if any does."""
    methods = [name for name, options in METHODS.items() if option in options.model_fields]
    return f" It belongs to {' and '.join(methods)}." if methods else ""


def _shown(given: object) -> str:
    """Return a value as a policy writes it, roughly."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, dict):
        return "a table"
    if isinstance(given, list | tuple):
        return "a list"
    return repr(given) if isinstance(given, str) else str(given)
