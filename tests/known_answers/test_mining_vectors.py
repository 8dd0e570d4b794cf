"""Exact inputs and outputs of the papers' examples, checked by enumeration.

The name in each test's id is that of the vector; 000, 002 and 004 are the papers on
suppression (ten Tusscher 2024), generalization (Kenig 2009) and patterns (Atzori et al. 2008).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product

import pytest

import discreet as dc
from discreet.mine import Item, Itemsets

RUNNING = ["abcde"] * 6 + ["abde", "ae"] + ["cde"] * 3 + ["ab"]


def table(rows: Sequence[Sequence[Hashable]]) -> dc.Table:
    return dc.Table.from_frame({f"c{j}": [row[j] for row in rows] for j in range(len(rows[0]))})


def miis(rows: Sequence[Sequence[Hashable]], theta: int) -> set[frozenset[tuple[int, Hashable]]]:
    return {
        frozenset((int(item.column[1:]), item.value) for item in items if isinstance(item, Item))
        for items, _ in dc.mine.minimal_infrequent(table(rows), theta=theta)
    }


def letters(rows: Sequence[str]) -> dc.Transactions:
    return dc.Transactions.from_iterable([set(row) for row in rows])


def spelled(found: Itemsets) -> dict[str, int]:
    return {"".join(sorted(map(str, items))): support for items, support in found}


@pytest.mark.parametrize(
    ("rows", "theta", "expected"),
    [
        pytest.param(["ax", "ax", "by", "by"], 1, [], id="000-mii-positive-support"),
        pytest.param(["a", "a"], 2, [], id="000-mii-m-le-theta"),
        pytest.param(
            [(1, 1), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2), (2, 2)],
            2,
            [((0, a), (1, b)) for a in (1, 2) for b in (1, 2)],
            id="000-thm23-strong",
        ),
    ],
)
def test_minimal_infrequent(
    rows: Sequence[Sequence[Hashable]],
    theta: int,
    expected: list[tuple[tuple[int, Hashable], ...]],
) -> None:
    assert miis(rows, theta) == {frozenset(itemset) for itemset in expected}


@pytest.mark.parametrize(("theta", "count"), [(1, 375), (4, 375), (5, 30), (24, 30), (25, 0)])
def test_000_oa_counts(theta: int, count: int) -> None:
    rows = [(*((a + b * x) % 5 for x in range(5)), b) for a in range(5) for b in range(5)]
    assert len(miis(rows, theta)) == count


def test_000_6x4() -> None:
    rows = ["0000", "0111", "0222", "1012", "1120", "1201"]
    assert dc.mine.count_minimal_infrequent(table(rows), theta=1).total == 36


def test_002_charm() -> None:
    found = dc.mine.closed(letters(["acdef", "abe", "cef", "acdf", "cef"]), min_support=2)
    assert spelled(found) == {"a": 3, "e": 4, "ae": 2, "cf": 4, "cef": 3, "acdf": 2}


def test_002_closed() -> None:
    records = [("1", "a"), ("1", "b"), ("2", "a"), ("3", "c"), ("4", "c"), ("3", "c")]
    trees = {
        "c0": dc.Hierarchy.from_mapping({"12": ["1", "2"], "34": ["3", "4"]}, root="*"),
        "c1": dc.Hierarchy.from_mapping({"*": [{"ab": ["a", "b"]}, "c"]}),
    }
    found = dc.mine.generalized_closed(table(records), trees, k=2)
    assert {
        tuple(found.in_words(i).values()): int(found.supports[i]) for i in range(len(found))
    } == {
        ("*", "*"): 6,
        ("12", "ab"): 3,
        ("34", "c"): 3,
        ("1", "ab"): 2,
        ("12", "a"): 2,
        ("3", "c"): 2,
    }


def test_004_running() -> None:
    data = letters(RUNNING)
    frequent = dc.mine.frequent(data, min_support=8, include_empty=True)
    closed = dc.mine.closed(data, min_support=8, include_empty=True)
    assert spelled(frequent) == {
        "": 12,
        "a": 9,
        "b": 8,
        "c": 9,
        "d": 10,
        "e": 11,
        "ab": 8,
        "ae": 8,
        "cd": 9,
        "ce": 9,
        "de": 10,
        "cde": 9,
    }
    assert spelled(closed) == {
        "": 12,
        "a": 9,
        "e": 11,
        "ab": 8,
        "ae": 8,
        "de": 10,
        "cde": 9,
    }


def test_004_running_bounds_of_an_unpublished_itemset() -> None:
    """Of abe the published collection says only what its subsets ab, ae and e say."""
    published = dc.mine.frequent(letters(RUNNING), min_support=8)
    bounds = dc.mine.bounds(published, "abe")
    assert bounds.lower <= 7 <= bounds.upper <= 8


def test_004_example17() -> None:
    supports = {"a": 14, "b": 14, "c": 13, "ab": 9, "ac": 8, "bc": 5}
    published = Itemsets.from_mapping(
        {frozenset(name): support for name, support in supports.items()}, n_rows=22
    )
    bounds = dc.mine.bounds(published, "abc")
    assert (bounds.lower, bounds.upper) == (3, 3)
    assert bounds.is_exact


def test_003_nursery_fis() -> None:
    sizes = (3, 5, 4, 4, 3, 2, 3, 3)
    factorial = table(list(product(*(range(size) for size in sizes))))
    assert dc.mine.count_frequent(factorial, min_frequency=0.1).by_size[1:3] == (27, 104)
    assert dc.mine.count_frequent(factorial, min_frequency=0.1).total == 131
