"""Pages about people with several rows: what is counted is named, and few people are not shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.people import People
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.report.page import html_report
from discreet.report.sections.utility import marginals
from discreet.report.subject import make_subject

VALUES = st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcd")), min_size=8, max_size=40)


def published(
    table: dc.Table, k: int = 3, *, unit: str = "one person, who may have several rows"
) -> Release[dc.Table]:
    """Return a release of all rows as they are."""
    claim = Guarantee(
        model="k-anonymity", parameters={"k": k}, unit=unit, columns=table.columns,
        not_protected=("Much.",),
    )  # fmt: skip
    return Release(data=table, guarantee=claim, input_rows=np.arange(table.n_rows))


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_no_value_of_few_people_is_on_a_public_page(rows: list[tuple[int, str]]) -> None:
    table = dc.Table.from_frame(
        {"who": [who for who, _ in rows], "x": [x for _, x in rows]}, person="who"
    )
    [found] = marginals(make_subject(published(table), original=table))
    holders = {x: {who for who, each in rows if each == x} for _, x in rows}
    shown = {row.label for row in found.rows if row.before is not None} & set(holders)
    assert all(len(holders[x]) >= 3 for x in shown)
    if shown != set(holders) and found.n_before is not None:  # what is pooled is of enough, too
        assert len(set().union(*(holders[x] for x in set(holders) - shown))) >= 3


def test_a_value_with_many_rows_of_one_person_is_pooled() -> None:
    who = [0] * 50 + list(range(1, 41))
    table = dc.Table.from_frame({"who": who, "x": ["rare"] * 50 + ["b", "c"] * 20}, person="who")
    [found] = marginals(make_subject(published(table), original=table))
    assert "rare" not in {row.label for row in found.rows if row.before is not None}
    plain = replace(table, people=None)
    [rows] = marginals(make_subject(published(plain, unit="one row"), original=plain))
    assert "rare" in {row.label for row in rows.rows}


@pytest.mark.parametrize("internal", [True, False])
def test_what_is_counted_is_named(internal: bool) -> None:  # noqa: FBT001
    base = dc.datasets.census(120, seed=1).select(["sex", "region"])
    table = replace(base, people=People.of("who", np.arange(120) // 2))
    page = html_report(published(table), original=table, internal=internal)
    assert "What is protected: one person, who may have several rows" in page
    assert "original (people)" in page
    assert ("release (people)" in page) == internal
    assert ("release (rows)" in page) != internal
    assert ("Rows of exactly one person match" in page) == internal
    assert "Unique records" not in page
    plain = html_report(published(base, unit="one row"), original=base, internal=internal)
    assert "What is protected: one row" in plain
    assert "Unique records" in plain
    assert "(people)" not in plain
