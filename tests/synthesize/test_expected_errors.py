"""Errors to expect of randomized cells: the mean over all itemsets, and noise called noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.synthesize import (
    Channel,
    expected_errors,
    split_budget,
)


@pytest.mark.parametrize("split", ["equal", "pairs"])
def test_expected_errors_are_the_mean_over_all_itemsets_of_any_table(split: str) -> None:
    """By the true variance of each itemset, for a table that is far from uniform."""
    sizes = {"a": 2, "b": 3, "c": 4}
    rows = [(0, 0, 0), (0, 0, 1), (0, 2, 3), (0, 0, 0), (1, 0, 0)]
    n, epsilon = len(rows), Fraction(3)
    budget = split_budget(sizes, epsilon=epsilon, split=split)  # type: ignore[arg-type]
    channels = [
        Channel(column=name, values=tuple(range(size)), epsilon=budget[name])
        for name, size in sizes.items()
    ]
    found = expected_errors(sizes, epsilon=epsilon, n_rows=n, split=split)  # type: ignore[arg-type]
    squares: dict[int, list[float]] = {1: [], 2: [], 3: []}
    for itemset in product(*([*range(size), None] for size in sizes.values())):
        places = [j for j, value in enumerate(itemset) if value is not None]
        if places:
            squares[len(places)].append(true_variance(rows, itemset, channels))
    for m in (1, 2, 3):
        assert found.errors[m - 1] == pytest.approx(math.sqrt(np.mean(squares[m])), rel=1e-9)


def true_variance(
    rows: Sequence[tuple[int, ...]], itemset: tuple[int | None, ...], channels: list[Channel]
) -> float:
    """By 003-8: a where a row matches, b where not, less the support."""
    asked = [(j, value) for j, value in enumerate(itemset) if value is not None]
    products = [
        math.prod(
            channels[j].matched if row[j] == value else channels[j].unmatched for j, value in asked
        )
        for row in rows
    ]
    support = np.mean([all(row[j] == value for j, value in asked) for row in rows])
    return float((np.mean(products) - support) / len(rows))


def test_noise_is_called_noise() -> None:
    table = Table.from_frame({"a": [0, 1] * 50, "b": [0, 1, 2, 3] * 25})
    weak = expected_errors(table, epsilon=Fraction(1, 10))
    assert weak.n_rows == 100
    assert "one value" in weak.sentence
    assert "will be noise" in weak.sentence
    assert weak.is_noise == (True, True)
    strong = expected_errors(table, epsilon=8, n_rows=10**6)
    assert "noise" not in strong.sentence
    assert not any(strong.is_noise)
    middle = expected_errors(table, epsilon=1, n_rows=1500, frequency=0.2)
    assert middle.is_noise == (False, True)
    assert "two values together" in middle.sentence
    assert weak.to_dict()["is_noise"] == [True, True]
    assert "noise" in weak._repr_html_()


@pytest.mark.parametrize(
    "wrong", [{"n_rows": 0}, {"n_rows": None}, {"frequency": 0}, {"frequency": 2}, {"epsilon": 0}]
)
def test_bad_expectations(wrong: dict[str, float]) -> None:
    fine: dict[str, float] = {"epsilon": 1, "n_rows": 10}
    with pytest.raises(ParameterError):
        expected_errors({"a": 2}, **{**fine, **wrong})  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="two values"):
        expected_errors({"a": 1}, epsilon=1, n_rows=10)


def test_publishing_at_a_tenth_is_noise_for_the_data_of_the_thesis() -> None:
    """003-10: a bit at epsilon 0.1 of its own, at the sizes of the data sets of the tables."""
    rows = {"led7": 3200, "nursery": 12_960, "adult": 48_842, "msnbc": 989_818}
    expected = {"led7": 0.177, "nursery": 0.088, "adult": 0.045, "msnbc": 0.010}
    for name, n in rows.items():
        found = expected_errors({"bit": 2}, epsilon=0.1, n_rows=n).errors[0]
        assert found == pytest.approx(expected[name], abs=5e-4)
    pair = expected_errors({"x": 2, "y": 2}, epsilon=0.2, n_rows=2_458_285).errors[1]
    assert pair == pytest.approx(0.064, abs=5e-4)
