"""Pages about people with several rows: what is counted is named, and few people are not shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.people import People
from discreet.generalize.rules import Options
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
    assert ("people in the smallest equivalence class" in page) == internal
    assert ("which are of 60 people" in page) == internal
    assert ("at most 2 people of the original share" in page) == internal
    assert "In the original" in page
    assert "of the rows have values that no other person has" in page
    if internal:
        assert "people in the class" in page
        assert "of 60 people (" in page
    else:  # whose the released rows are is not on a public page
        assert "rows or people in the class" in page
        assert "original (by people)" in page
        assert "rows in the smallest equivalence class" in page
    assert "Unique records" not in page
    plain = html_report(published(base, unit="one row"), original=base, internal=internal)
    assert "What is protected: one row" in plain
    assert "Unique records" in plain
    assert "(people)" not in plain


HOMES = {"home": [0] * 6 + list(range(1, 41)), "x": ["seldom"] * 6 + ["b", "c"] * 20}


def test_a_value_with_many_rows_of_one_household_is_pooled() -> None:
    """Where households are protected, they are counted, and named."""
    table = dc.Table.from_frame(HOMES, categorical=True)
    release = dc.mondrian(table, k=3, households="home")
    assert release.guarantee.unit == "one household"
    subject = make_subject(release, original=table)
    [found] = marginals(subject)
    assert "seldom" not in {row.label for row in found.rows if row.before is not None}
    page = html_report(release, original=table)
    assert "What is protected: one household" in page
    assert "original (households)" in page
    assert "fewer than 3 households of the original" in page
    assert "no other household has" in page
    assert "seldom" not in page
    plain = dc.mondrian(table, k=3, columns=["x"])
    assert "seldom" in html_report(plain, original=table)


@pytest.mark.parametrize("options", [{"households": "home"}, {"person": "home"}])
def test_an_original_that_does_not_say_whose_its_rows_are_is_not_shown(
    options: Options,
) -> None:
    release = dc.mondrian(HOMES, k=3, **options)
    bare = {"x": HOMES["x"]}
    subject = make_subject(release, original=bare)
    assert subject.before is None
    assert subject.rows is None
    page = html_report(release, original=bare)
    assert "does not say which rows are of one" in page
    assert "seldom" not in page
    assert "in the original" not in page
    assert make_subject(release, original=bare, internal=True).before is not None
