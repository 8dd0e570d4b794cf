"""Prosecutor, journalist and marketer risk."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.anonymity import anonymity
from discreet.assess.risk import (
    Risk,
    expected_inverse,
    journalist_risk,
    marketer_risk,
    prosecutor_risk,
)
from discreet.errors import DataError
from tests.strategies import Record, tables

TOWN = {
    "sex": list("ffffffmmmmmm"),
    "job": ["baker"] * 3 + ["nurse"] * 3 + ["baker"] * 2 + ["nurse"] * 4,
}


def as_table(records: list[Record]) -> dc.Table:
    n_columns = len(records[0]) if records else 1
    return dc.Table.from_frame({f"c{j}": [r[j] for r in records] for j in range(n_columns)})


@given(records=tables(max_columns=3), threshold=st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 1.0]))
def test_prosecutor_brute_force(records: list[Record], threshold: float) -> None:
    found = prosecutor_risk(as_table(records), threshold=threshold)
    chances = [1 / records.count(record) for record in records]
    assert found.highest == max(chances, default=0)
    assert found.mean == pytest.approx(sum(chances) / max(len(records), 1))
    assert found.n_at_risk == sum(chance > threshold for chance in chances)


@given(everybody=tables(max_columns=3, max_records=12), data=st.data())
def test_population_brute_force(everybody: list[Record], data: st.DataObject) -> None:
    chosen = data.draw(st.sets(st.sampled_from(range(len(everybody))))) if everybody else set()
    records = [everybody[i] for i in sorted(chosen)]
    table, population = as_table(everybody).take(sorted(chosen)), as_table(everybody)
    found = journalist_risk(table, population=population)
    chances = [1 / everybody.count(record) for record in records]
    assert found.highest == max(chances, default=0)
    assert found.mean == pytest.approx(sum(chances) / max(len(records), 1))
    assert found.n_at_risk == sum(chance > 0.2 for chance in chances)
    assert marketer_risk(table, population=population).mean == found.mean
    assert found.highest <= prosecutor_risk(table).highest


@pytest.mark.parametrize("rate", [0.002, 0.03, 0.3, 0.5, 0.51, 0.9, 1.0])
def test_expected_inverse_against_the_law_itself(rate: float) -> None:
    sizes = np.array([1, 2, 3, 7, 29, 30, 31, 60])
    for size, value in zip(
        sizes.tolist(), expected_inverse(sizes, sampling_rate=rate), strict=True
    ):
        # Term by term, P(F = h | f) = C(h-1, f-1) rate^f (1-rate)^(h-f).
        chance, total, h = rate**size, 0.0, size
        if chance == 0.0 or (rate < 0.1 and size > 7):
            assert rate / size <= value < 2 * rate / size
            continue
        rest = 1.0
        while rest > 1e-13 and h < 20_000:
            total, rest = total + chance / h, rest - chance
            chance *= (1 - rate) * h / (h - size + 1)
            h += 1
        assert value == pytest.approx(total, rel=1e-9)
    unique = expected_inverse(np.array([1]), sampling_rate=rate)[0]
    exact = 1.0 if rate == 1 else rate * math.log(1 / rate) / (1 - rate)
    assert unique == pytest.approx(exact)


def test_whole_population_as_a_sample_is_the_prosecutor() -> None:
    table = dc.datasets.census(300)
    table = table.select(table.columns[:3])
    prosecutor = prosecutor_risk(table)
    for other in (
        journalist_risk(table, population=table),
        journalist_risk(table, sampling_rate=1),
        marketer_risk(table),
    ):
        assert (other.highest, other.n_at_risk) == (prosecutor.highest, prosecutor.n_at_risk)
        assert other.mean == pytest.approx(prosecutor.mean)


def test_town() -> None:
    table = dc.Table.from_frame(TOWN)
    found = prosecutor_risk(table, threshold=0.3)
    assert (found.highest, found.mean, found.n_at_risk) == (0.5, 4 / 12, 8)
    assert found.sentence == (
        "An attacker who knows that a person is in the table and knows sex + job finds the right "
        "one with probability at most 50.0%, 33.3% on average; for 8 of 12 rows (66.7%) it is "
        "above 30.0%."
    )
    assert "gets 4.0 of 12 rows (33.3%) right" in marketer_risk(table).sentence
    sample = journalist_risk(table.take([0, 6]), population=table)
    assert sample.highest == 0.5
    assert sample.mean == pytest.approx(5 / 12)
    assert "about" in journalist_risk(table, sampling_rate=0.1).sentence
    assert json.loads(json.dumps(found.to_dict()))["at_risk_rate"] == pytest.approx(2 / 3)
    assert found.preview().rows[0] == ("highest", "0.5000")


@pytest.mark.parametrize(
    ("columns", "highest", "mean"),
    [
        ({"a": []}, 0, 0),
        ({"a": ["x"]}, 1, 1),
        ({"a": ["x"] * 4}, 0.25, 0.25),
        ({"a": [None] * 4, "b": [None] * 4}, 0.25, 0.25),
    ],
    ids=["empty", "one row", "all equal", "all missing"],
)
def test_degenerate_tables(
    columns: dict[str, list[str | None]], highest: float, mean: float
) -> None:
    for found in (
        prosecutor_risk(columns),
        journalist_risk(columns, population=columns),
        marketer_risk(columns, sampling_rate=1.0),
    ):
        assert found.highest == pytest.approx(highest)
        assert found.mean == pytest.approx(mean)
        assert found.sentence


def test_population_must_hold_the_table() -> None:
    with pytest.raises(DataError, match="1 rows are in classes"):
        journalist_risk({"a": ["x", "z"]}, population={"a": ["x", "y"]})
    with pytest.raises(DataError, match="2 rows are in classes"):
        journalist_risk({"a": ["x", "x"]}, population={"a": ["x", "y"]})
    with pytest.raises(DataError, match="rows are in classes"):
        journalist_risk({"a": ["1"]}, population={"a": [1]})


def test_bad_options() -> None:
    risks: list[Callable[..., Risk]] = [
        prosecutor_risk,
        partial(journalist_risk, sampling_rate=0.1),
        marketer_risk,
    ]
    for risk in risks:
        with pytest.raises(ValueError, match="Did you mean 'job'"):
            risk(TOWN, columns=["jop"])
        with pytest.raises(ValueError, match=r"threshold=1\.5"):
            risk(TOWN, threshold=1.5)
    with pytest.raises(ValueError, match="exactly one"):
        journalist_risk(TOWN)
    with pytest.raises(ValueError, match="at most one"):
        marketer_risk(TOWN, population=TOWN, sampling_rate=0.1)
    with pytest.raises(ValueError, match="sampling_rate=2"):
        journalist_risk(TOWN, sampling_rate=2)
    with pytest.raises(ValueError, match="There is no column 'job'"):
        journalist_risk(TOWN, population={"sex": TOWN["sex"]})


def test_adult(public_data: Path) -> None:
    table = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(table, dc.Table)
    measured = anonymity(table, columns=table.columns)
    found = prosecutor_risk(table, columns=table.columns, threshold=0.2)
    assert found.highest == 1 / measured.k
    assert found.mean == pytest.approx(measured.n_classes / measured.n_rows)
    assert found.n_at_risk == measured.n_rows_below(5)
    sample = table.take(np.arange(0, table.n_rows, 10))
    counted = journalist_risk(sample, columns=table.columns, population=table)
    guessed = journalist_risk(sample, columns=table.columns, sampling_rate=0.1)
    # The estimate lies between the naive one and the truth, half of it here: see its notes.
    n_classes = anonymity(sample, columns=table.columns).n_classes
    assert 0.1 * n_classes / sample.n_rows < guessed.mean < counted.mean
    assert guessed.mean == pytest.approx(0.10, abs=0.005)
    assert counted.mean == pytest.approx(0.21, abs=0.005)
    assert counted.mean < prosecutor_risk(sample, columns=table.columns).mean
