"""Risk, uniqueness and attacks count people where it is known whose each row is."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.assess import journalist_risk, marketer_risk, prosecutor_risk
from discreet.errors import DataError

Row = tuple[int, str, str]  # a person and two values
VISITS = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from("ab"), st.sampled_from("xyz")),
    min_size=1, max_size=18,
)  # fmt: skip


def table(rows: list[Row]) -> dc.Table:
    who, first, second = zip(*rows, strict=True)
    return dc.Table.from_frame(
        {"who": list(who), "a": list(first), "b": list(second)}, person="who"
    )


def holders(rows: list[Row]) -> dict[tuple[str, str], set[int]]:
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for who, *values in rows:
        found[values[0], values[1]].add(who)
    return found


@settings(max_examples=60, deadline=None)
@given(VISITS)
def test_prosecutor_risk_of_people(rows: list[Row]) -> None:
    of = holders(rows)
    risks: dict[int, float] = defaultdict(float)
    for who, a, b in rows:
        risks[who] = max(risks[who], 1 / len(of[a, b]))
    found = prosecutor_risk(table(rows), threshold=0.4)
    assert found.n_people == len(risks)
    assert found.highest == max(risks.values())
    assert found.mean == pytest.approx(sum(risks.values()) / len(risks))
    assert found.n_at_risk == sum(risk > 0.4 for risk in risks.values())
    assert found.at_risk_rate == found.n_at_risk / len(risks)
    assert f"of {len(risks):,} people" in found.sentence
    assert marketer_risk(table(rows)).mean == found.mean
    everybody = journalist_risk(table(rows), population=table(rows + rows), threshold=0.4)
    assert everybody.highest == found.highest
    assert everybody.mean == pytest.approx(found.mean)
    sampled = journalist_risk(table(rows), sampling_rate=1.0)
    assert sampled.mean == pytest.approx(found.mean)


def test_many_rows_of_one_person_hide_nobody() -> None:
    rows: list[Row] = [(0, "a", "x")] * 9 + [(1, "b", "y"), (2, "b", "y")]
    found = prosecutor_risk(table(rows), threshold=0.5)
    assert (found.highest, found.n_at_risk, found.counted) == (1.0, 1, "people")
    plain = prosecutor_risk(table(rows).to_polars(), threshold=0.5)
    assert (plain.highest, plain.n_at_risk, plain.counted) == (0.5, 0, "rows")


def test_a_register_has_a_row_for_each_person() -> None:
    rows: list[Row] = [(0, "a", "x")] * 3
    register = dc.Table.from_frame({"a": ["a", "a"], "b": ["x", "x"]})
    assert journalist_risk(table(rows), population=register).highest == 0.5
    lacking = table([(0, "a", "x"), (1, "a", "x")])
    with pytest.raises(DataError, match="fewer people in the population"):
        journalist_risk(lacking, population=table(rows))
