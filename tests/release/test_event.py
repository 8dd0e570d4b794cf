"""Events: exact, immutable, the same after JSON."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction

import pytest

from discreet.errors import DataError, ParameterError
from discreet.release.event import Event, restrict_to_part

STEP = Event(
    name="sample",
    parameters={
        "beta": Fraction(1, 3),
        "columns": ("a", "b"),
        "shuffled": True,
        "domain": None,
        "scheme": "public",
        "theta": 4,
    },
    counts={"n_rows": 0},
)


def test_round_trip() -> None:
    assert Event.from_dict(json.loads(json.dumps(STEP.to_dict(), sort_keys=True))) == STEP
    assert pickle.loads(pickle.dumps(STEP)) == STEP  # noqa: S301  made here
    assert STEP.to_dict()["parameters"] == {
        "beta": {"exact": "1/3", "decimal": "0.333333333334"},
        "columns": ["a", "b"],
        "shuffled": True,
        "domain": None,
        "scheme": "public",
        "theta": 4,
    }


def test_it_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        STEP.counts["n_rows"] = 1  # type: ignore[index]
    with pytest.raises(TypeError):
        STEP.parameters["theta"] = 1  # type: ignore[index]


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": 3},
        {"counts": {"n": -1}},
        {"counts": {"n": True}},
        {"counts": {"n": 1.5}},
        {"parameters": {"columns": [1]}},
        {"parameters": {"table": object()}},
    ],
)
def test_refuses_what_json_cannot_hold(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        Event(**{"name": "x", **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{}, {"name": "x"}, {"name": "x", "parameters": {}, "counts": {}, "more": 1}]
)
def test_refuses_changed_json(wrong: dict[str, object]) -> None:
    with pytest.raises(DataError):
        Event.from_dict(wrong)


def test_only_an_event_that_says_so_is_of_one_part() -> None:
    assert restrict_to_part("region", "north", n_rows=7).part == ("region", "north")
    assert STEP.part is None
    assert Event(name="x", parameters={"composition": "parallel"}).part is None
