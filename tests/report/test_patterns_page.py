"""Pages about releases of patterns."""

from __future__ import annotations

import pytest

import discreet as dc
from discreet.mine import Itemsets
from discreet.patterns import additive, certified, suppressive
from discreet.patterns.release import pattern_release
from discreet.release.release import Release
from tests.report.pages import parse

EVIL = "<script>alert(1)</script>"
ROWS = [{"a", "b", EVIL}] * 8 + [{"a"}] + [{"b"}] * 3 + [{EVIL, "a"}] * 5
BASKETS = dc.Transactions.from_iterable(ROWS)


def released(method: str) -> Release[Itemsets]:
    if method == "certified":
        return pattern_release(certified(BASKETS, k=3, min_support=8), source=BASKETS)
    make = additive if method == "additive" else suppressive
    return pattern_release(make(BASKETS, k=3, min_support=8), source=BASKETS)


@pytest.mark.parametrize("method", ["additive", "suppressive", "certified"])
def test_a_public_page_shows_what_is_published_and_nothing_more(method: str) -> None:
    release = released(method)
    page = dc.html_report(release)
    titles = [each.text for each in parse(page).all("h2")]
    assert titles == ["In plain words", "Published itemsets", "All figures"]
    assert "The collection as a lattice" in page
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    assert dc.html_report(release, original=BASKETS) == page
    if method == "certified":
        assert "cannot distinguish it from the true data" in page


def test_an_internal_page_tells_the_small_groups_and_the_changes() -> None:
    page = dc.html_report(released("additive"), original=BASKETS, internal=True)
    said = " ".join(parse(page).with_id("disclosure").text.split())
    assert "only 1 row has a, but neither" in said
    assert "Supports before and after" in said
    assert "Groups that are disclosed, by smallest support" in said
    assert EVIL not in page


def test_a_table_projected_on_some_columns() -> None:
    table = dc.datasets.census(400)
    names = table.columns[:3]
    made = additive(table, k=5, min_support=60, columns=names)
    release = pattern_release(made, source=table, columns=names)
    page = dc.html_report(release, original=table, internal=True)
    assert "What the original itemsets disclose" in page


def test_a_large_collection_has_no_picture() -> None:
    table = dc.datasets.census(400)
    release = pattern_release(additive(table, k=5, min_support=20), source=table)
    page = dc.html_report(release)
    assert "The collection as a lattice" not in page
    assert "Most frequent itemsets" in page
