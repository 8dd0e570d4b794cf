"""Supports from randomized cells: exact means and variances by enumeration, known answers."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.synthesize import (
    Channel,
    Sanitized,
    estimate_support,
    expected_errors,
    randomized_response,
)
from discreet.synthesize.estimate_support import _by_rows, _with_subsets, row_sums
from tests.examples import examples

SIZES = {"a": 2, "b": 3, "c": 2}
CHANNELS = {
    "a": Channel(column="a", values=(0, 1), epsilon=Fraction(3, 2)),
    "b": Channel(column="b", values=(0, 1, 2), epsilon=Fraction(1)),
    "c": Channel(column="c", values=(0, 1), epsilon=Fraction(2)),
}
Row = tuple[int, ...]


def sanitized(rows: Sequence[Row], channels: dict[str, Channel]) -> Sanitized:
    codes = {name: [row[j] for row in rows] for j, name in enumerate(channels)}
    values = {name: one.values for name, one in channels.items()}
    table = Table.from_codes(codes, values)
    return Sanitized(
        table=table, channels=tuple(channels.values()), domains_are_public=True, is_secure=True
    )


def chance(row: Row, sent: Row, channels: dict[str, Channel]) -> float:
    cells = zip(row, sent, channels.values(), strict=True)
    return math.prod(float(one.p if x == y else one.q) for x, y, one in cells)


def all_itemsets(channels: dict[str, Channel]) -> list[dict[str, int]]:
    choices = product(*([*range(one.size), None] for one in channels.values()))
    return [
        {name: v for name, v in zip(channels, choice, strict=True) if v is not None}
        for choice in choices
    ]


@pytest.mark.parametrize("names", ["ab", "ac", "abc"])
def test_means_and_variances_by_enumeration(names: str) -> None:
    """All outputs of a tiny table: unbiased, the variance of 003-8, its estimate unbiased."""
    channels = {name: CHANNELS[name] for name in names}
    rows = [tuple(row[: len(names)]) for row in [(0, 0, 1), (1, 1, 1)]]
    outputs = list(product(*(range(one.size) for one in channels.values())))
    itemsets = all_itemsets(channels)
    mean, square, variance = (np.zeros(len(itemsets)) for _ in range(3))
    for sent in product(outputs, repeat=2):
        weight = math.prod(chance(x, y, channels) for x, y in zip(rows, sent, strict=True))
        found = estimate_support(sanitized(list(sent), channels), itemsets)
        mean += weight * found.supports
        square += weight * found.supports**2
        variance += weight * found.unbiased_variances
    for i, itemset in enumerate(itemsets):
        asked = [(list(channels).index(name), value) for name, value in itemset.items()]
        support = np.mean([all(row[j] == value for j, value in asked) for row in rows])
        true = true_variance(rows, asked, list(channels.values()), float(support))
        assert mean[i] == pytest.approx(support, abs=1e-9)
        assert square[i] - mean[i] ** 2 == pytest.approx(true, abs=1e-9)
        assert variance[i] == pytest.approx(true, abs=1e-9)


def true_variance(
    rows: Sequence[Row], asked: list[tuple[int, int]], channels: list[Channel], support: float
) -> float:
    products = [
        math.prod(
            channels[j].matched if row[j] == value else channels[j].unmatched for j, value in asked
        )
        for row in rows
    ]
    return (float(np.mean(products)) - support) / len(rows)


@examples(40)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1)), min_size=1))
def test_all_itemsets_at_once_as_one_by_one(rows: list[Row]) -> None:
    itemsets = all_itemsets(CHANNELS)
    together = estimate_support(sanitized(rows, CHANNELS), itemsets)
    for i, itemset in enumerate(itemsets):
        g = [
            math.prod(
                float(
                    (Fraction(row[list(CHANNELS).index(name)] == value) - one.q) / (one.p - one.q)
                )
                for name, value in itemset.items()
                for one in [CHANNELS[name]]
            )
            for row in rows
        ]
        assert together.supports[i] == pytest.approx(np.mean(g), abs=1e-9)
        variance = np.sum(np.square(g) - g) / len(rows) ** 2
        assert together.unbiased_variances[i] == pytest.approx(variance, abs=1e-9)


def test_supports_over_a_column_add_up_to_those_without_it() -> None:
    rows = [(0, 0, 1), (1, 1, 1), (0, 2, 0), (0, 2, 1)]
    sent = sanitized(rows, CHANNELS)
    parts = estimate_support(sent, [{"a": 0, "b": value} for value in range(3)]).supports
    assert parts.sum() == pytest.approx(estimate_support(sent, {"a": 0}).supports[0])


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1)), min_size=1),
    st.lists(st.dictionaries(st.integers(0, 2), st.integers(0, 2)), max_size=5),
)
def test_from_supports_as_row_by_row(rows: list[Row], asked: list[dict[int, int]]) -> None:
    itemsets = [tuple(sorted(one.items())) for one in asked]
    columns = list(np.array(rows, np.int64).T)
    weights = [(1.5, -0.25), (3.0, 0.5), (2.0, -1.0)]
    assert _with_subsets(itemsets) is not None
    for one, other in zip(
        row_sums(itemsets, columns=columns, weights=weights),
        _by_rows(itemsets, columns, weights),
        strict=True,
    ):
        assert one == pytest.approx(other, abs=1e-9)


def test_itemsets_without_their_subsets_are_summed_row_by_row() -> None:
    assert _with_subsets([tuple((j, 0) for j in range(40))]) is None


def test_many_columns_do_not_overflow() -> None:
    names = [f"c{i}" for i in range(40)]
    channels = {
        name: Channel(column=name, values=tuple(range(9)), epsilon=Fraction(30)) for name in names
    }
    rows = [tuple((i * j) % 9 for j in range(40)) for i in range(6)] * 2
    found = estimate_support(
        sanitized(rows, channels), {name: rows[1][j] for j, name in enumerate(names)}
    )
    assert found.supports[0] == pytest.approx(1 / 6, abs=1e-9)


def test_known_003_kary() -> None:
    channels = {
        "c1": Channel(column="c1", values=(0, 1), epsilon=Fraction(math.log(3))),
        "c2": Channel(column="c2", values=(0, 1, 2), epsilon=Fraction(math.log(4))),
    }
    assert [float(one.p) for one in channels.values()] == pytest.approx([3 / 4, 2 / 3], abs=1e-12)
    assert [float(one.q) for one in channels.values()] == pytest.approx([1 / 4, 1 / 6], abs=1e-12)
    rows = [(0, 0)] * 4 + [(0, 1)] * 2 + [(1, 0)] * 2 + [(1, 2)] * 2
    sent = sanitized(rows, channels)
    found = estimate_support(sent, {"c1": 0, "c2": 0})
    assert found.supports[0] == pytest.approx(0.7666666666666667, abs=1e-9)
    assert found.unbiased_variances[0] == pytest.approx(0.19277777777777771, abs=1e-9)
    assert float(sent.accounting().row) == pytest.approx(2.4849066497880004, abs=1e-9)
    for row, weight in {(0, 0): 2.5, (0, 1): -0.5, (1, 0): -5 / 6, (1, 2): 1 / 6}.items():
        alone = estimate_support(sanitized([row], channels), {"c1": 0, "c2": 0})
        assert alone.supports[0] == pytest.approx(weight, abs=1e-9)


def test_a_negative_variance_is_flagged_not_hidden() -> None:
    rows: list[Row] = [(1, 2)] * 3
    found = estimate_support(
        sanitized(rows, {name: CHANNELS[name] for name in "ab"}), [{"a": 0, "b": 0}, {"a": 0}]
    )
    assert found.unbiased_variances[0] < 0
    assert found.is_clipped.tolist() == [True, False]
    assert found.standard_errors[0] == 0
    assert found.preview().rows[0][2] == "unknown"
    assert found.to_dict()["is_clipped"] == [True, False]
    assert found.to_frame()["is_clipped"].to_list() == [True, False]


def test_itemsets_of_the_engine_and_pairs_are_taken() -> None:
    people = Table.from_frame({"sex": ["f", "m", "f", "f"], "job": ["a", "b", "a", "a"]})
    sent = randomized_response(people, epsilon=40, seed=1)
    mined = dc.mine.frequent(people, min_support=1)
    found = estimate_support(sent, mined)
    assert len(found) == len(mined)
    assert found.supports == pytest.approx(mined.supports / 4, abs=1e-6)
    pairs = estimate_support(sent, [[("sex", "f"), ("job", "a")], []])
    assert pairs.supports == pytest.approx([0.75, 1], abs=1e-6)
    assert pairs.unbiased_variances[1] == 0
    assert len(estimate_support(sent, [])) == 0
    assert "2 itemsets" in repr(pairs)


def test_errors() -> None:
    sent = sanitized([(0, 0, 1)], CHANNELS)
    for wrong, message in [
        ({"d": 0}, "No column 'd'"),
        ({"a": 7}, "no value 7"),
        ([[("a", 0), ("a", 1)]], "twice"),
        ([3], "no itemset"),
        (["abc"], "no itemset"),
    ]:
        with pytest.raises(ParameterError, match=message):
            estimate_support(sent, wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no rows"):
        estimate_support(sanitized([], CHANNELS), {"a": 0})


NURSERY = Path(os.environ.get("DISCREET_DATA", ""), "lucs/nursery.D32.N12960.C5.num")


@pytest.mark.skipif(not NURSERY.is_file(), reason="DISCREET_DATA has no lucs/nursery")
@pytest.mark.parametrize("split", ["equal", "pairs"])
def test_real_data_are_as_far_off_as_was_expected(split: Literal["equal", "pairs"]) -> None:
    rows = [tuple(map(int, line.split())) for line in NURSERY.read_text("ascii").splitlines()]
    table = Table.from_frame({f"c{j}": [row[j] for row in rows] for j in range(9)})
    sent = randomized_response(table, epsilon=9, split=split, seed=1)
    mined = dc.mine.frequent(table, min_support=1, max_size=3)
    found = estimate_support(sent, mined)
    errors = found.supports - mined.supports / len(rows)
    expected = expected_errors(table, epsilon=9, split=split).errors
    for size in (1, 2, 3):
        here = mined.sizes == size
        assert np.sqrt(np.mean(errors[here] ** 2)) == pytest.approx(expected[size - 1], rel=0.25)
    scores = errors / found.standard_errors
    assert np.abs(scores).max() < 7  # some thousands of itemsets, p below 1e-9 for all
    assert 0.8 < scores.std() < 1.2
