from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.mine import Itemsets
from discreet.utility import distortion
from tests.oracles import channels as oracle
from tests.strategies import transactions


def collection(supports: dict[str, int], n_rows: int, kind: str = "given") -> Itemsets:
    sets = {frozenset(items): support for items, support in supports.items()}
    return Itemsets.from_mapping(sets, n_rows=n_rows, kind=kind)


@given(
    rows=transactions(max_items=4, max_transactions=10),
    other=transactions(max_items=4, max_transactions=10),
    sigma=st.integers(1, 4),
)
def test_it_is_as_defined(
    rows: list[frozenset[str]], other: list[frozenset[str]], sigma: int
) -> None:
    before, after = oracle.published(rows, sigma), oracle.published(other, sigma)
    data = dc.Transactions.from_iterable(other)
    frequent = dc.mine.frequent(dc.Transactions.from_iterable(rows), min_support=sigma)
    change = {items: abs(after.get(items, 0) - support) for items, support in before.items()}
    relative = [change[items] / max(before[items], 1) for items in before]
    for sanitized in (
        dc.mine.frequent(data, min_support=sigma),
        dc.mine.closed(data, min_support=sigma),
    ):
        found = distortion(frequent, sanitized)
        assert found.n_itemsets == len(before)
        assert found.changed_rate == sum(map(bool, change.values())) / len(before)
        assert found.average == pytest.approx(sum(relative) / len(relative))
        assert found.worst == pytest.approx(max(relative))
        assert found.n_added - found.n_removed == len(other) - len(rows)


def test_004_worst_distortion_is_not_always_that_of_the_empty_set() -> None:
    before = collection({"a": 4, "b": 8}, n_rows=10)
    found = distortion(before, collection({"a": 6, "b": 8}, n_rows=12))
    assert found.worst_items == frozenset("a")
    assert (found.worst, found.n_added) == (0.5, 2)
    assert "50.00% at worst (a)" in found.sentence


def test_004_running() -> None:
    before = collection(
        {"a": 9, "b": 8, "c": 9, "d": 10, "e": 11, "ab": 8, "ae": 8, "cd": 9, "ce": 9, "de": 10,
         "cde": 9},
        n_rows=12,
    )  # fmt: skip
    left = collection({"c": 9, "d": 9, "e": 9, "cd": 9, "ce": 9, "de": 9, "cde": 9}, n_rows=9)
    found = distortion(before, left)
    assert (found.n_removed, found.n_itemsets, found.n_lost, found.worst) == (3, 12, 4, 1.0)
    changes = [3 / 12, 1, 1, 1 / 10, 2 / 11, 1, 1, 1 / 10]
    assert found.n_changed == len(changes)
    assert found.average == pytest.approx(sum(changes) / 12)
    # The closed set stands for all of them.
    closed = collection({"cde": 9}, n_rows=9, kind="closed")
    assert distortion(before, closed) == found


def test_it_shows_itself() -> None:
    same = collection({"a": 4}, n_rows=10)
    found = distortion(same, same)
    assert found.sentence == "No support was changed."
    assert found.to_dict()["worst"] == 0
    assert ("transactions added", "0") in found.preview().rows
