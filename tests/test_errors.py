"""Errors carry fields, and every face makes its own words of them."""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings

import pytest

from discreet import errors
from discreet.errors import DataError, DiscreetWarning, ParameterError, Worded

EVERY = [
    kind
    for _, kind in inspect.getmembers(errors, inspect.isclass)
    if issubclass(kind, Worded) and kind is not Worded
]


def option_words(name: str, value: object) -> str:
    return f"--{name}" if value is ... else f"--{name} {value}"


@pytest.mark.parametrize("kind", EVERY)
def test_errors_and_warnings_can_be_copied_and_sent_to_another_process(kind: type[Worded]) -> None:
    error = kind(
        "{k} is wrong in {z}.",
        parameter="k",
        column="zip",
        remedy="Leave {k} out.",
        options={"k": 1},
    )
    for other in (copy.copy(error), copy.deepcopy(error), pickle.loads(pickle.dumps(error))):  # noqa: S301  our own bytes
        assert type(other) is kind
        assert str(other) == str(error) == "k=1 is wrong in {z}. Leave k=1 out."
        assert (other.parameter, other.column, other.remedy) == ("k", "zip", "Leave {k} out.")
        assert other.words(option_words) == "--k 1 is wrong in {z}. Leave --k 1 out."


def test_a_plain_message_is_the_message_and_has_no_fields() -> None:
    error = DataError("The set {a} is there twice.")
    assert str(error) == "The set {a} is there twice."
    assert (error.parameter, error.column, error.remedy) == (None, None, None)


def test_a_parameter_is_named_alone_where_no_value_is_shown() -> None:
    error = ParameterError("Give one of {a} and {b}.", options={"a": ..., "b": ...})
    assert str(error) == "Give one of a and b."
    assert error.words(option_words) == "Give one of --a and --b."


def test_a_value_that_looks_like_a_name_is_shown_as_it_is() -> None:
    error = ParameterError("{a} is wrong.", options={"a": "{b}", "b": 1})
    assert str(error) == "a='{b}' is wrong."


def test_where_it_happened_is_said_before_it_and_keeps_the_fields() -> None:
    error = ParameterError("{k} is wrong.", parameter="k", remedy="Mend it.", options={"k": 1})
    there = error.inside("In the original")
    assert type(there) is ParameterError
    assert str(there) == "In the original: k=1 is wrong. Mend it."
    assert there.words(option_words) == "In the original: --k 1 is wrong. Mend it."
    assert there.parameter == "k"


def test_one_parameter_is_named_with_two_values() -> None:
    error = ParameterError("{k} is wrong.", remedy="Take {k:new}.", options={"k": 1, "k:new": 2})
    assert str(error) == "k=1 is wrong. Take k=2."
    assert error.words(option_words) == "--k 1 is wrong. Take --k 2."


def test_a_warning_carries_fields() -> None:
    with pytest.warns(DiscreetWarning, match="k=1 is little") as caught:
        warnings.warn(DiscreetWarning("{k} is little.", options={"k": 1}), stacklevel=1)
    assert isinstance(caught[0].message, DiscreetWarning)
    assert caught[0].message.words(option_words) == "--k 1 is little."
