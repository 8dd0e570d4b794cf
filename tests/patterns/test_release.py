"""Sanitized collections as releases, and what is derived from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError, GuaranteeError, InfeasibleError, ParameterError
from discreet.mine import Itemsets
from discreet.patterns import (
    Certified,
    Sanitized,
    additive,
    certified,
    channels,
    derive,
    pattern_release,
    read_patterns,
    suppressive,
)
from discreet.release.guarantee import Guarantee

BASKETS = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
PEOPLE = dc.Table.from_frame(
    {
        "sex": ["f", "m"] * 20,
        "job": ["cook", "clerk", "cook", "nurse"] * 10,
        "ill": ["no"] * 37 + ["yes"] * 3,
    }
)


def made(method: str, data: object = BASKETS, min_support: int = 8) -> Sanitized | Certified:
    makers = {"additive": additive, "suppressive": suppressive, "certified": certified}
    return makers[method](data, k=3, min_support=min_support)  # type: ignore[operator, no-any-return]


def by_text(itemsets: Itemsets) -> dict[frozenset[str], int]:
    return {frozenset(map(str, items)): support for items, support in itemsets}


@pytest.mark.parametrize("method", ["additive", "suppressive", "certified"])
@pytest.mark.parametrize("format_", ["csv", "parquet"])
@pytest.mark.parametrize("data", [BASKETS, PEOPLE])
def test_there_and_back(
    tmp_path: Path, method: str, format_: Literal["csv", "parquet"], data: dc.Table
) -> None:
    done = made(method, data)
    release = pattern_release(done, source=data)
    loaded = dc.Release.load(release.save(tmp_path / "out", format=format_))
    assert loaded == release
    assert loaded.loss is None
    back = loaded.data
    assert by_text(back) == by_text(done.published)
    assert back.n_rows == done.published.n_rows
    assert not len(channels(back, k=3))
    assert loaded.kind == "patterns"
    assert loaded.fingerprint is not None


def test_rows_are_in_canonical_order(tmp_path: Path) -> None:
    release = pattern_release(made("additive", PEOPLE))
    table = pl.read_parquet(release.save(tmp_path / "out") / "data.parquet")
    columns = json.loads((tmp_path / "out" / "certificate.json").read_text())["data"]["columns"]
    assert {column["role"] for column in columns} == {"insensitive"}
    sets = [json.loads(text) for text in table["items"]]
    assert sets == sorted(sets, key=lambda items: (len(items), items))
    assert all(items == sorted(items) for items in sets)
    assert table.columns == ["items", "support", "kind"]
    assert set(table["kind"]) == {"pattern"}


def test_the_claim_says_what_is_open() -> None:
    release = pattern_release(made("additive"))
    claim = release.guarantee
    assert claim.model == "k-anonymous patterns"
    assert dict(claim.parameters) == {"k": 3, "min_support": 8, "n_rows": 15}
    said = " ".join((*claim.assumptions, *claim.not_protected))
    for words in ("not published", "least support", "Disjunctions", "raised on purpose", "Several"):
        assert words in said
    said = " ".join(pattern_release(made("suppressive")).guarantee.not_protected)
    assert "removed" in said
    assert "raised" not in said


def test_how_much_was_changed_is_not_published(tmp_path: Path) -> None:
    for method in ("additive", "suppressive", "certified"):
        release = pattern_release(made(method))
        assert release.loss is not None
        (event,) = release.events
        assert set(event.parameters) == {"k", "min_support"}
        assert set(event.counts) == {"n_itemsets"}
        text = (release.save(tmp_path / method) / "certificate.json").read_text()
        for secret in ("n_added", "n_removed", "distortion", "n_channels", "average"):
            assert secret not in text


def test_knowing_how_many_were_added_would_undo_it() -> None:
    """Why the number of added transactions stays out: with it, one small group is left."""
    release = pattern_release(made("additive"))
    published = {
        "": 15,
        **{"".join(sorted(i)): s for i, s in by_text(release.data).items()},
    }
    small = []
    for added in published:
        before = {
            items: support - 3 * (set(items) <= set(added)) for items, support in published.items()
        }
        groups = {
            "ab": before["ab"],
            "a": before["a"] - before["ab"],
            "b": before["b"] - before["ab"],
            "": before[""] - before["a"] - before["b"] + before["ab"],
        }
        was_frequent = all(before[items] >= 8 for items in published)
        if was_frequent and min(groups.values()) >= 0 and any(0 < n < 3 for n in groups.values()):
            small.append((added, groups))
    assert small == [("a", {"ab": 8, "a": 1, "b": 3, "": 0})]  # the truth


def test_a_witness_is_released_too(tmp_path: Path) -> None:
    done = made("certified")
    assert isinstance(done, Certified)
    assert done.witness.rows is not None
    release = pattern_release(done)
    assert release.guarantee.model == "k-anonymous patterns, witnessed"
    found = dc.Release.load(release.save(tmp_path / "out", format="csv")).witness
    assert found is not None
    assert by_text(found) == by_text(done.witness.rows)
    assert sum(support for _, support in found) == release.guarantee.parameters["n_rows"]
    assert pattern_release(made("additive")).witness is None
    with pytest.raises(GuaranteeError, match="the rows that prove it"):
        pattern_release(done.sanitized)


def test_what_cannot_be_released() -> None:
    twins = dc.Table.from_frame({"a": ["b=c"] * 9, "a=b": ["c"] * 9})
    with pytest.raises(DataError, match="both written 'a=b=c'"):
        pattern_release(additive(twins, k=3, min_support=8))
    with pytest.raises(InfeasibleError, match="No itemset of at least 13 rows"):
        pattern_release(additive(BASKETS, k=3, min_support=13))
    closed = dc.mine.closed(BASKETS, min_support=8)
    with pytest.raises(DataError, match="closed ones only"):
        pattern_release(additive(closed, k=3, min_support=8))


def test_other_releases_have_no_patterns() -> None:
    release = dc.k_mii(PEOPLE, k=3)
    with pytest.raises(DataError, match="of k-anonymity, not of patterns"):
        read_patterns(release)
    with pytest.raises(ParameterError, match="of k-anonymity, not of patterns"):
        derive(release, min_support=5)  # type: ignore[arg-type]  # what it refuses
    with pytest.raises(GuaranteeError, match="no claim without n_rows"):
        Guarantee(
            model="k-anonymous patterns",
            parameters={"k": 3, "min_support": 8},
            unit="one row",
            not_protected=("All else.",),
        )


@pytest.mark.parametrize("method", ["additive", "suppressive", "certified"])
def test_derived_collections(method: str) -> None:
    release = pattern_release(made(method), source=BASKETS)
    smaller = derive(release, min_support=11)
    kept = {items: n for items, n in by_text(release.data).items() if n >= 11}
    assert by_text(smaller.data) == kept
    assert smaller.data.n_rows == release.data.n_rows
    assert smaller.guarantee.parameters["min_support"] == 11
    assert "discloses nothing more" in " ".join(smaller.guarantee.assumptions)
    assert [event.name for event in smaller.events] == [f"{method}_sanitization", "derive"]
    assert smaller.fingerprint == release.fingerprint
    assert smaller.loss is None
    assert (smaller.witness is None) == (method != "certified")
    assert not len(channels(smaller.data, k=3))
    again = derive(derive(release, min_support=9), min_support=11)
    assert again.data == smaller.data


def test_what_cannot_be_derived() -> None:
    release = pattern_release(made("additive"))
    with pytest.raises(ParameterError, match="below the 8 of the release"):
        derive(release, min_support=7)
    with pytest.raises(InfeasibleError, match="support of 13 or more"):
        derive(release, min_support=13)
    with pytest.raises(ParameterError, match="at least 1"):
        derive(release.data, min_support=0)


@pytest.mark.parametrize(
    ("name", "successor"),
    [
        ("patterns_of", r"release\.data"),
        ("witness_of", r"release\.witness"),
        ("is_pattern_release", "release.kind == 'patterns'"),
    ],
)
def test_names_of_version_0_1_say_what_to_write(name: str, successor: str) -> None:
    with pytest.raises(AttributeError, match=f"{name} is now {successor}"):
        getattr(dc.patterns, name)
    with pytest.raises(AttributeError, match="no attribute 'patterns_off'"):
        dc.patterns.patterns_off  # noqa: B018  what it raises
