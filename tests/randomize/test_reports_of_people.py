"""Epsilon is that of a report: what all reports of a person disclose together is stated."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.people import People
from discreet.errors import ParameterError
from discreet.randomize import CutAndPaste

BASKETS = dc.Transactions.from_iterable([["tea", "milk"], ["milk"], ["jam"]] * 20)
OF_PEOPLE = replace(BASKETS, people=People.of("who", np.arange(60) // 6))
OPERATOR = CutAndPaste(3, rho="1/4")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.integers(1, 4))
def test_at_most_so_many_rows_of_each(who: list[int], most: int) -> None:
    people = People.of("who", np.array(who))
    order = np.random.default_rng(len(who)).permutation(len(who))
    rows = people.some_rows_each(order, most)
    assert rows.tolist() == sorted(set(rows.tolist()))
    kept = Counter(np.array(who)[rows].tolist())
    assert kept == {each: min(n, most) for each, n in Counter(who).items()}
    assert people.some_rows_each(order, 1).tolist() == people.one_row_each(order).tolist()
    # The first of each person in the order.
    for each in set(who):
        theirs = [row for row in order.tolist() if who[row] == each]
        assert {row for row in rows.tolist() if who[row] == each} == set(theirs[:most])


def test_the_certificate_states_both(tmp_path: Path) -> None:
    release = dc.randomize_transactions(
        OF_PEOPLE, operator=OPERATOR, items=["jam", "milk", "tea"], reports_per_person=4
    )
    claim = release.guarantee
    assert len(release.data) == 40
    assert claim.unit == "one transaction, of several that one person may send"
    total = math.ceil(4 * Fraction(claim.parameters["epsilon"]) * 10**4) / 10**4
    assert f"4 of them have 4 times epsilon, that is {total:.4f}." in " ".join(claim.not_protected)
    assert "a person sends at most 4" in claim.assumptions[0]
    assert release.events[0].parameters["reports_per_person"] == 4
    assert release.data.people is None
    assert dc.verify_release(release.save(tmp_path / "out")).answer != "refuted"
    less = tuple(text.replace("4 times epsilon", "2 times epsilon") for text in claim.not_protected)
    wrong = replace(release, guarantee=replace(claim, not_protected=less))
    assert dc.verify_release(wrong.save(tmp_path / "wrong")).answer == "refuted"


def test_one_report_each_is_assumed_where_nothing_is_known() -> None:
    release = dc.randomize_transactions(BASKETS, operator=OPERATOR)
    assert release.guarantee.unit == "one transaction, which is what one person sends"
    assert "epsilon times the number of different values" in release.guarantee.assumptions[0]


def test_how_many_is_asked_where_people_may_have_several() -> None:
    with pytest.raises(ParameterError, match="epsilon is that of one") as caught:
        dc.randomize_transactions(OF_PEOPLE, operator=OPERATOR)
    assert caught.value.parameter == "reports_per_person"
    with pytest.raises(ParameterError, match="know whose they are"):
        dc.randomize_transactions(BASKETS, operator=OPERATOR, reports_per_person=2)
