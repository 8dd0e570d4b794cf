"""Errors to expect of randomized cells: the mean over all itemsets, and noise called noise."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.synthesize import (
    Channel,
    Synthesizer,
    expected_errors,
    plan_synthesis,
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
    assert weak.is_noise_by_size == (True, True)
    strong = expected_errors(table, epsilon=8, n_rows=10**6)
    assert "noise" not in strong.sentence
    assert not strong.is_noise
    middle = expected_errors(table, epsilon=1, n_rows=1500, frequency=0.2)
    assert middle.is_noise_by_size == (False, True)
    assert middle.is_noise
    assert "two values together" in middle.sentence
    assert weak.to_dict()["is_noise_by_size"] == [True, True]
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


def test_columns_that_are_lost_are_named() -> None:
    sizes = {"ward": 700, "sex": 2, "job": 5}
    found = expected_errors(sizes, epsilon=8, n_rows=2000, split="pairs")
    assert found.lost == ("ward",)
    assert "of 'ward' (off by up to" in found.sentence
    assert found.to_dict()["lost"] == ["ward"]
    assert "ward" in found._repr_html_()
    two = expected_errors({"ward": 700, "sex": 2}, epsilon=8, n_rows=2000, frequency=0.5)
    assert two.is_noise_by_size == (True, True)
    assert 2 * max(two.errors) < 0.5  # supports are within it, and yet half of the columns are lost
    assert "The answer will be noise" in two.sentence
    good = expected_errors(sizes, epsilon=12, n_rows=10**6, split="pairs")
    assert good.lost == ()
    assert "ost in noise" not in good.sentence


@pytest.mark.parametrize("epsilon", [4, 7])
def test_a_wide_column_is_about_as_far_off_as_told(
    epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["discreet.synthesize.pairs"], "N_TRAINED", 8000)
    rng, n = np.random.default_rng(3), 2000
    ward = np.concatenate([np.arange(60), rng.integers(0, 60, n - 60)])
    values = [f"w{j}" for j in range(60)]
    table = Table.from_codes(
        {"ward": ward, "sex": rng.integers(0, 2, n)}, {"ward": values, "sex": ["f", "m"]}
    )
    told = dict(
        plan_synthesis(table, epsilon=epsilon, trust="local", domains="from-data").column_errors
    )["ward"]
    drawn = (
        Synthesizer(epsilon, trust="local", seed=1, domains="from-data").fit(table).sample(20_000)
    )
    shares = dict(zip(drawn.values("ward"), np.bincount(drawn.codes("ward")) / 20_000, strict=True))
    true = np.bincount(ward, minlength=60) / n
    off = sum(abs(shares.get(name, 0) - s) for name, s in zip(values, true, strict=True)) / 2
    assert told / 2 < off < told


def test_errors_beyond_all_rows_are_not_counted_in_percent() -> None:
    found = expected_errors({"a": 2, "b": 3}, epsilon=1e-6, n_rows=100)
    assert "is off by more than 100% of the rows" in found.sentence
