"""Several collections of patterns of one source in a ledger."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import CompositionWarning
from discreet.mine import Itemsets
from discreet.patterns import additive, derive, pattern_release, suppressive
from discreet.release.ledger import Ledger
from discreet.release.release import Release

BASKETS = dc.Transactions.from_iterable([{"a", "b"}] * 18 + [{"a"}] * 4 + [{"b"}] * 3)


def collection(k: int = 3, min_support: int = 18) -> Release[Itemsets]:
    return pattern_release(additive(BASKETS, k=k, min_support=min_support), source=BASKETS)


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger.open(tmp_path / "ledger.sqlite")


def test_a_derived_collection_is_no_reason_to_warn(ledger: Ledger) -> None:
    first = collection()
    ledger.record(first, source="baskets")
    smaller = derive(first, min_support=20)
    ledger.record(smaller, source="baskets")
    assert ledger.record(derive(smaller, min_support=22), source="baskets").number == 3


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (collection(min_support=10), "(release 1), and this one goes down to 10"),
        (collection(min_support=19), "made anew"),
        (collection(k=4), "k = 3), and this one has k = 4"),
        (
            pattern_release(suppressive(BASKETS, k=3, min_support=18), source=BASKETS),
            "by additive sanitization), and this one was made by suppressive sanitization",
        ),
        (derive(collection(), min_support=20), "made anew"),  # of another run
    ],
)  # fmt: skip
def test_others_are_warned_of(ledger: Ledger, second: Release, words: str) -> None:
    ledger.record(collection(), source="baskets")
    with pytest.warns(CompositionWarning) as told:
        ledger.record(second, source="baskets")
    (said,) = [str(each.message) for each in told]
    assert words in said
    assert "Sanitize once, at the smallest min_support you need, and derive the others" in said


def test_beside_releases_of_rows_the_usual_warning_stands(ledger: Ledger) -> None:
    people = dc.Table.from_frame({"sex": ["f"] * 5})
    ledger.record(dc.k_mii(people, k=3), source="people")
    with pytest.warns(CompositionWarning, match="Who holds both can combine them"):
        ledger.record(collection(), source="people")
    with pytest.warns(CompositionWarning, match="single out people"):
        ledger.record(dc.k_mii(people, k=2), source="people")


def test_sources_are_apart(ledger: Ledger) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ledger.record(collection(), source="one")
        others = dc.Transactions.from_iterable([{"a", "b"}] * 19)
        another = pattern_release(additive(others, k=4, min_support=18), source=others)
        ledger.record(another, source="two")
