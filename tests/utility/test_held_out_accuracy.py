"""Models trained on one table and tested on rows held out."""

from __future__ import annotations

import json

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.utility import held_out_accuracy
from tests.utility.releases import recoded


def ruled(n_rows: int, *, broken: float = 0.0) -> dc.Table:
    """Column y equals x, but for a share of the rows; z is noise."""
    rng = np.random.default_rng(n_rows)
    x = rng.integers(3, size=n_rows)
    y = np.where(rng.random(n_rows) < broken, (x + 1) % 3, x)
    values = ["a", "b", "c"]
    return dc.Table.from_codes(
        {"x": x, "y": y, "z": rng.integers(3, size=n_rows)}, dict.fromkeys("xyz", values)
    )


def test_a_rule_is_learnt_through_labels_and_a_broken_one_counted() -> None:
    train, test = recoded(ruled(200)), ruled(100, broken=0.2)
    seen = held_out_accuracy(train, test, target="y", n_trees=5, n_repeats=2, rng=1)
    right = float((test.codes("x") == test.codes("y")).mean())
    assert 0.7 < right < 0.9
    for accuracies in seen.models.values():
        assert accuracies.values == (right, right)
    assert (seen.n_train, seen.n_test) == (200, 100)
    assert seen.majority < 0.6
    assert "y of 100 held-out rows" in seen.sentence
    assert len(seen.preview().rows) == 4
    json.dumps(seen.to_dict())


def test_synthetic_data_without_the_rule_does_not_teach_it() -> None:
    """Whatever is said for each of three values by chance, not all three are right."""
    noise = ruled(300)
    shuffled = noise.with_column(
        "y", np.random.default_rng(2).permutation(noise.codes("y")), noise.values("y")
    )
    seen = held_out_accuracy(shuffled, ruled(200), target="y", models=["naive_bayes"])
    accuracy = seen.models["naive_bayes"].mean
    assert accuracy is not None
    assert accuracy < 0.75


def test_rows_without_a_target_are_left_out() -> None:
    rows = dc.Table.from_frame({"x": ["a", "b", "a"], "y": ["p", "q", None]})
    seen = held_out_accuracy(rows, rows, target="y", models=["decision_tree"])
    assert (seen.n_train, seen.n_test, seen.models["decision_tree"].mean) == (2, 2, 1)
    with pytest.raises(DataError, match="No row of held_out"):
        held_out_accuracy(rows, rows.take([2]), target="y")


def test_mistakes_are_named() -> None:
    rows = ruled(5)
    with pytest.raises(ParameterError, match="target"):
        held_out_accuracy(rows, rows, target="q")
    with pytest.raises(ParameterError, match="n_repeats"):
        held_out_accuracy(rows, rows, target="y", n_repeats=0)
    with pytest.raises(DataError, match="no column 'z'"):
        held_out_accuracy(rows.select(["x", "y"]), rows, target="y")
