"""What would make epsilon hold on a condition that nobody named: edges from rows, people, lists."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError
from discreet.synthesize import (
    Synthesizer,
    extract,
    plan_synthesis,
    randomized_response,
    synthetic_release,
)

AGES = {"age": [(7 * i) % 90 for i in range(400)], "sex": ["f", "m"] * 200}
LISTS = {"age": ["< 30", "[30, 60)", ">= 60"], "sex": ["f", "m"]}


def table(**bins: Any) -> dc.Table:  # noqa: ANN401
    return dc.Table.from_frame(AGES, bins={"age": bins.get("age", [30, 60])})


QUANTILES = table(age=dc.Bins(quantiles=3))

METHODS: dict[str, Callable[[dc.Table], object]] = {
    "release": lambda t: synthetic_release(t, epsilon=1, delta=1e-6, n_rows=9, seed=1),
    "synthesizer": lambda t: Synthesizer(1, delta=1e-6, seed=1).fit(t),
    "public lists": lambda t: Synthesizer(1, domains=LISTS, seed=1).fit(t),
    "local": lambda t: Synthesizer(1, trust="local", domains=LISTS, seed=1).fit(t),
    "plan": lambda t: plan_synthesis(t, epsilon=1, delta=1e-6),
    "extract": lambda t: extract(t, epsilon=1, theta=50, domains=LISTS, seed=1),
    "cells": lambda t: randomized_response(t, epsilon=1, domains=LISTS, seed=1),
    "dp-mii": lambda t: dc.dp_mii_suppress(
        t, epsilon=1, delta=1e-4, k=5, scheme="public", public=table(), theta=2, seed=1
    ),
    "dp-mii lists": lambda t: dc.dp_mii_suppress(
        t, epsilon=1, delta=1e-4, k=5, domains=LISTS, seed=1
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_edges_that_follow_from_rows_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="quantiles of its rows") as refused:
        METHODS[name](QUANTILES)
    assert refused.value.column == "age"
    assert "edges or a width" in str(refused.value)
    METHODS[name](table())  # edges that were stated are public


def test_edges_from_rows_are_remembered() -> None:
    for made in (
        QUANTILES.take(np.arange(50)),
        QUANTILES.with_roles(sex="sensitive").select(["age"]),
        pickle.loads(pickle.dumps(QUANTILES)),  # noqa: S301  our own bytes
    ):
        assert made.column("age").cut_by_rows
    assert not table(age=10).column("age").cut_by_rows
    assert not table().column("age").cut_by_rows


def test_where_the_condition_comes_first_they_are_allowed() -> None:
    made = synthetic_release(
        QUANTILES, epsilon=1, delta=1e-6, domains="from-data", n_rows=9, seed=1
    )
    assert made.guarantee.model.startswith("Only if the lists of values are public")


def test_lists_from_the_table_are_named_first() -> None:
    people = table()
    found = extract(people, epsilon=1, theta=50, seed=1)
    assert found.preview().title.startswith("Only if the lists")
    found = extract(people, epsilon=1, theta=50, domains=LISTS, seed=1)
    assert "Only if" not in found.preview().title
    assert "only if the lists" in repr(randomized_response(people, epsilon=1, seed=1))
    assert "only if" not in repr(randomized_response(people, epsilon=1, domains=LISTS, seed=1))


def test_one_row_of_each_person_is_drawn_from() -> None:
    # One person has all rows of "x": in rows it would be drawn for certain.
    frame = {"who": [0] * 300 + list(range(1, 61)), "a": ["x"] * 300 + ["y"] * 60}
    visits = dc.Table.from_frame(frame, person="who")
    lists = {"a": ["x", "y"]}
    found = extract(visits, epsilon=4, theta=50, domains=lists, seed=1)
    assert [str(item) for item in next(iter(found.itemsets))] == ["a=y"]
    assert found.unit == "one person, who may have several rows"
    sent = randomized_response(visits, epsilon=4, domains=lists, seed=1)
    assert sent.n_rows == 61
    assert sent.table.people is None
