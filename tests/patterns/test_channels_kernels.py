"""Inference channels against their definitions, the paper's examples and known figures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.mine import Itemsets
from discreet.patterns import Channels, channels
from discreet.patterns.channels import rows_in_channels
from discreet.patterns.collection import select
from tests.oracles import channels as oracle
from tests.strategies import transactions

RUNNING = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
Pairs = dict[tuple[str, str], int]


def pairs(found: Channels) -> Pairs:
    return {
        (spelled(channel.inside), spelled(channel.inside | channel.outside)): channel.support
        for channel in found
    }


def letters(rows: list[str]) -> dc.Transactions:
    return dc.Transactions.from_iterable(list(map(set, rows)))


def spelled(items: frozenset[object]) -> str:
    return "".join(sorted(map(str, items)))


def collection(supports: dict[str, int], n_rows: int, kind: str = "frequent") -> Itemsets:
    return Itemsets.from_mapping(
        {frozenset(items): support for items, support in supports.items() if items},
        n_rows=n_rows,
        kind=kind,
    )


@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(1, 6),
    k=st.integers(2, 5),
)
def test_from_data_and_from_the_collection_agree_with_the_definitions(
    rows: list[frozenset[str]], sigma: int, k: int
) -> None:
    data = dc.Transactions.from_iterable(rows)
    expected = {
        (spelled(inside), spelled(outer)): count
        for (inside, outer), count in oracle.maximal_channels(rows, sigma, k).items()
    }
    supports = oracle.published(rows, sigma)
    everything = oracle.naive_channels(supports, k)
    of_data = channels(data, k=k, min_support=sigma)
    of_all = channels(dc.mine.frequent(data, min_support=sigma), k=k)
    of_closed = channels(dc.mine.closed(data, min_support=sigma), k=k)
    assert pairs(of_data) == pairs(of_all) == pairs(of_closed) == expected
    assert of_data.n_channels == of_all.n_channels == len(everything)
    assert of_data.n_itemsets == of_all.n_itemsets == len(supports)
    assert of_closed.n_channels is None


def test_004_running() -> None:
    data = letters(RUNNING)
    found = channels(data, k=3, min_support=8)
    assert pairs(found) == {
        ("", "cde"): 1, ("a", "ab"): 1, ("a", "ae"): 1, ("de", "cde"): 1, ("e", "cde"): 1,
    }  # fmt: skip
    assert (found.n_itemsets, found.n_channels, found.n_maximal_channels) == (12, 13, 5)


def test_004_sigma6() -> None:
    found = channels(letters(RUNNING), k=3, min_support=6)
    assert (found.n_channels, found.n_maximal_channels) == (56, 3)


def test_004_k_minus_f() -> None:
    rows = ["ad", "bcd", "acd", "bcd", "abcd"]
    found = channels(letters(rows), k=2, min_support=2)
    assert pairs(found) == {("ad", "acd"): 1, ("cd", "bcd"): 1, ("d", "bcd"): 1}


@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(1, 6),
    k=st.integers(2, 5),
)
def test_rows_of_channels(rows: list[frozenset[str]], sigma: int, k: int) -> None:
    found = oracle.maximal_channels(rows, sigma, k)
    expected = [any(row & outer == inside for inside, outer in found) for row in rows]
    marked = rows_in_channels(dc.Transactions.from_iterable(rows), k=k, min_support=sigma)
    assert marked.tolist() == expected


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_threads_do_not_matter(threads: int) -> None:
    table = dc.datasets.census(3000)
    few = channels(table, k=20, min_support=300, threads=threads)
    many = channels(table, k=20, min_support=300)
    assert few.to_dict() == many.to_dict()
    assert len(few) > 0
    published = dc.mine.frequent(table, min_support=100)
    of_some = channels(published, k=40, threads=threads)
    assert of_some.to_dict() == channels(published, k=40, threads=3).to_dict()
    assert len(of_some) > 100


def test_too_many_pairs_are_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    data = letters(RUNNING)
    published = dc.mine.frequent(data, min_support=8)
    n_pairs = sum(2**size for size in published.sizes.tolist())
    for most, n_channels in ((n_pairs, 13), (n_pairs - 1, None)):
        monkeypatch.setattr(sys.modules["discreet.patterns.channels"], "MAX_PAIRS", most)
        for found in (channels(data, k=3, min_support=8), channels(published, k=3)):
            assert (found.n_itemsets, found.n_channels, len(found)) == (12, n_channels, 5)
    assert channels(published, k=3, count_all=False).n_itemsets is None


def test_the_empty_itemset_can_be_anywhere() -> None:
    found = dc.mine.frequent(letters(RUNNING), min_support=8, include_empty=True)
    last = select(found, np.roll(np.arange(len(found)), -1))
    assert channels(last, k=3).to_dict() == channels(found, k=3).to_dict()
    twice = select(found, np.array([0, 0, 1]))
    with pytest.raises(DataError, match="the empty one} is there twice: number 0 and 1"):
        channels(twice, k=3)


def test_the_smallest_groups_come_first() -> None:
    found = channels(dc.datasets.census(3000), k=20, min_support=300)
    supports = [channel.support for channel in found]
    sizes = [(len(c.inside | c.outside), len(c.inside)) for c in found]
    in_order = list(zip(supports, sizes, strict=True))
    assert in_order == sorted(in_order)
    assert found.worst(3) == list(found)[:3]
    frame = found.to_frame()
    assert frame["support"].to_list() == supports
    first = found[0]
    assert set(frame["inside"][0]) == set(map(str, first.inside))
    assert set(frame["outside"][0]) == set(map(str, first.outside))
    assert not first.inside & first.outside


def test_columns_are_projected_on() -> None:
    table = dc.datasets.census(2000)
    some = table.columns[:3]
    found = channels(table, k=10, min_support=200, columns=some)
    assert pairs(found) == pairs(channels(table.select(some), k=10, min_support=200))
    with pytest.raises(ParameterError, match="columns is for tables"):
        channels(dc.mine.frequent(table, min_support=500), k=10, columns=some)


def test_in_words() -> None:
    people = dc.Table.from_frame({"land": ["us"] * 9 + ["fr"], "loss": ["0"] * 8 + ["1"] + ["1"]})
    found = channels(people, k=3, min_support=8)
    assert [str(channel) for channel in found] == [
        "only 1 row has another land than us and another loss than 0",
        "only 1 row has land us and another loss than 0",
    ]
    assert "2 groups of fewer than 3 rows" in found.sentence
    nothing = channels(people, k=2, min_support=10)
    assert nothing.sentence.startswith("These itemsets disclose no group")
    assert nothing.preview().rows == []


@pytest.mark.parametrize(
    ("supports", "told"),
    [
        ({"a": 5, "ab": 3}, "not its part {b}"),
        ({"a": 5, "b": 2, "ab": 3}, "{ab}|{a, b} is in 3 rows, but its part {b} in fewer"),
        ({"a": 12}, "from 0 to n_rows|in fewer"),
        ({"a": 6, "b": 6, "ab": 1}, "would number -1"),
    ],
)
def test_collections_that_cannot_be_are_refused(supports: dict[str, int], told: str) -> None:
    with pytest.raises(DataError, match=told.replace("{", r"\{").replace("}", r"\}")):
        channels(collection(supports, n_rows=10), k=2)


def test_an_itemset_twice_is_refused() -> None:
    once = collection({"a": 5, "b": 4}, n_rows=10)
    twice = Itemsets(
        kind="frequent", offsets=once.offsets, items=once.items * 0, supports=once.supports,
        labels=once.labels, n_rows=10,
    )  # fmt: skip
    with pytest.raises(DataError, match="there twice: number 0 and 1"):
        channels(twice, k=2)


def test_an_empty_itemset_of_few_rows_is_refused() -> None:
    found = Itemsets.from_mapping({frozenset(): 3, frozenset("a"): 2}, n_rows=5)
    with pytest.raises(DataError, match="every row contains it"):
        channels(found, k=2)


@pytest.mark.parametrize("k", [1, 0, 2.5, True])
def test_k_is_checked(k: int) -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        channels(letters(["a"]), k=k, min_support=1)


def test_mushroom(public_data: Path) -> None:  # the paper's example 12
    data = dc.load(public_data / "fimi" / "mushroom.dat")
    found = channels(data, k=10, min_support=4874)
    assert (found.n_itemsets, found.n_channels, found.n_maximal_channels) == (52, 20, 3)
    tops = {frozenset(int(str(item)) for item in c.inside | c.outside) for c in found}
    assert tops == {
        frozenset({85, 86, 39, 34}), frozenset({85, 59, 86, 34}), frozenset({85, 86, 90, 36, 34}),
    }  # fmt: skip
    published = dc.mine.frequent(data, min_support=4874)
    assert pairs(channels(published, k=10)) == pairs(found)


@pytest.mark.parametrize(
    ("name", "share"),
    [("mushroom", 0.2), ("chess", 0.8), ("retail", 0.002), ("BMS-WebView-1", 0.001)],
)
def test_from_data_and_from_the_collection_agree_on_real_data(
    public_data: Path, name: str, share: float
) -> None:
    (path, *_) = sorted((public_data / "fimi").glob(f"{name}*"))
    data = dc.load(path)
    of_data = channels(data, k=10, min_frequency=share)
    of_collection = channels(dc.mine.frequent(data, min_frequency=share), k=10)
    assert of_data.to_dict() == of_collection.to_dict()
    assert len(of_data) > 0
