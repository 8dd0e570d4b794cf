"""A release as a chart: drawn from what is published, for every kind."""

from __future__ import annotations

from typing import Any

import pytest

import discreet as dc
from discreet import patterns, randomize

PEOPLE = dc.datasets.census(200, seed=1).select(["sex", "education", "income"])
TREES = {"education": dc.datasets.census_hierarchies()["education"]}
BASKETS = dc.Transactions.from_iterable([["tea", "milk"], ["milk"], ["jam", "tea"], []] * 20)
OPERATOR = randomize.CutAndPaste(cutoff=3, rho="1/4")


def rows_of(release: dc.Release[Any]) -> list[dict[str, Any]]:
    """Return the rows that a chart is drawn from."""
    (values,) = release.plot().to_dict()["datasets"].values()
    found: list[dict[str, Any]] = values
    return found


def shares(release: dc.Release, shows: str) -> dict[str, float]:
    return {row["column"]: row["share"] for row in rows_of(release) if row["shows"] == shows}


def test_rows_show_how_much_was_suppressed() -> None:
    release = dc.mii_suppress(PEOPLE, theta=4)
    lost = dc.utility.cells_changed(PEOPLE, release)
    by_column = dict(zip(lost.columns, lost.suppressed_by_column / PEOPLE.n_rows, strict=True))
    assert shares(release, "suppressed or missing") == pytest.approx(by_column)
    assert set(shares(release, "group").values()) == {0.0}


def test_rows_show_how_much_was_generalized() -> None:
    release = dc.mondrian(PEOPLE, k=5, columns=["sex", "education"], hierarchies=TREES)
    leaves = set(TREES["education"].leaves)
    column = release.data["education"].to_list()
    root = TREES["education"].labels[TREES["education"].root]
    groups = sum(label not in leaves and label != root for label in column) / len(column)
    assert 0 < groups == pytest.approx(shares(release, "group")["education"])
    assert shares(release, "value")["income"] == 1
    for name in release.data.columns:
        total = sum(row["share"] for row in rows_of(release) if row["column"] == name)
        assert total == pytest.approx(1)


def test_synthetic_rows_show_their_values() -> None:
    release = dc.synthetic_release(PEOPLE, epsilon=2, n_rows=50, seed=1, domains="from-data")
    drawn = {(row["column"], row["value"]): row["share"] for row in rows_of(release)}
    women = release.data["sex"].to_list().count(PEOPLE.values("sex")[0]) / 50
    assert drawn["sex", str(PEOPLE.values("sex")[0])] == pytest.approx(women)


def test_patterns_show_their_supports() -> None:
    release = patterns.additive_release(BASKETS, k=3, min_support=20)
    assert {row["itemset"]: row["support"] for row in rows_of(release)} == {
        ", ".join(sorted(map(str, items))): support for items, support in release.data
    }


def test_transactions_show_sizes_as_published_and_as_they_were() -> None:
    release = randomize.randomize_transactions(BASKETS, operator=OPERATOR, seed=1)
    rows = rows_of(release)
    true = {row["items"]: row["transactions"] for row in rows if row["size"] == "true"}
    assert true == {0: 20, 1: 20, 2: 40}
    published = sum(row["transactions"] for row in rows if row["size"] == "published")
    assert published == len(BASKETS)


def test_a_release_without_rows_is_drawn_too() -> None:
    with pytest.warns(Warning, match="No row is left"):
        release = dc.k_mii(PEOPLE.head(3), k=5)
    assert {row["share"] for row in rows_of(release)} == {0.0}
