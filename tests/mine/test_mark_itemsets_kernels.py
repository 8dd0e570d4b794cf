"""The kernel that marks given itemsets against brute force."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import discreet as dc
from discreet import _native
from discreet.errors import LimitError, ParameterError
from discreet.mine import Item, mark_itemsets
from tests.strategies import Record, tables

Items = frozenset[tuple[str, Hashable]]


def as_table(records: list[Record]) -> dc.Table:
    width = len(records[0]) if records else 1
    return dc.Table.from_frame({f"c{j}": [record[j] for record in records] for j in range(width)})


def brute_force(records: list[Record], itemsets: Sequence[Items]) -> list[list[bool]]:
    rows = [frozenset((f"c{j}", value) for j, value in enumerate(record)) for record in records]
    return [
        [
            any((f"c{j}", value) in itemset and itemset <= row for itemset in itemsets)
            for j, value in enumerate(record)
        ]
        for record, row in zip(records, rows, strict=True)
    ]


ITEMS = st.tuples(
    st.sampled_from([f"c{j}" for j in range(8)]), st.sampled_from("pqrsz")
)  # no row has z, some tables lack the later columns
ITEMSETS = st.lists(st.frozensets(ITEMS, max_size=5), max_size=12)


@given(records=tables(), itemsets=ITEMSETS)
def test_equals_brute_force(records: list[Record], itemsets: list[Items]) -> None:
    table, expected = as_table(records), brute_force(records, itemsets)
    for threads in (1, 3):
        assert mark_itemsets(table, itemsets, threads=threads).tolist() == expected


@given(records=tables(max_records=30), data=st.data())
def test_itemsets_that_occur(records: list[Record], data: st.DataObject) -> None:
    """Sets that are parts of rows, so that prefixes are shared and most of them are found."""
    chosen = st.sampled_from(records).flatmap(
        lambda record: st.frozensets(
            st.sampled_from([(f"c{j}", value) for j, value in enumerate(record)])
        )
    )
    itemsets = data.draw(st.lists(chosen, max_size=15)) if records else []
    assert mark_itemsets(as_table(records), itemsets).tolist() == brute_force(records, itemsets)


@given(records=tables(), others=tables(), theta=st.integers(0, 4))
def test_itemsets_mined_from_another_table(
    records: list[Record], others: list[Record], theta: int
) -> None:
    found = dc.mine.minimal_infrequent(as_table(others), theta=theta)
    plain = [frozenset(items) for items, _ in found]
    expected = brute_force(records, plain)  # type: ignore[arg-type]  # items are pairs
    assert mark_itemsets(as_table(records), found).tolist() == expected
    assert mark_itemsets(as_table(records), plain).tolist() == expected


def skewed(n_rows: int, n_columns: int) -> dc.Table:
    rng = np.random.default_rng(5)
    codes = np.minimum(rng.geometric(0.3, (n_rows, n_columns)) - 1, 6)
    names = [f"c{j}" for j in range(n_columns)]
    return dc.Table.from_codes(
        {name: codes[:, j] for j, name in enumerate(names)},
        {name: list(range(7)) for name in names},
    )


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_own_minimal_infrequent_itemsets_mark_what_the_search_marks(threads: int) -> None:
    table = skewed(3000, 7)
    for theta in (1, 20):
        found = dc.mine.minimal_infrequent(table, theta=theta)
        marks = mark_itemsets(table, found, threads=threads)
        assert np.array_equal(marks, dc.mine.mark_cells(table, theta=theta))


def test_sets_within_sets() -> None:
    table = dc.Table.from_frame({"a": ["x", "x", "y"], "b": ["p", "q", "q"], "c": ["u", "u", "v"]})
    given: list[set[tuple[str, Hashable]]] = [
        {("a", "x"), ("b", "q"), ("c", "u")},
        {Item("a", "x")},
        {("a", "x"), ("b", "q")},
        set(),
        {("a", "x"), ("a", "y")},  # two values of one column: in no row
    ]
    assert mark_itemsets(table, given).tolist() == [
        [True, False, False],
        [True, True, True],
        [False, False, False],
    ]


def test_nothing_given_and_nothing_to_mark() -> None:
    table = dc.Table.from_frame({"a": ["x", "y"]})
    assert not mark_itemsets(table, []).any()
    assert mark_itemsets(table.take([]), [{("a", "x")}]).shape == (0, 1)


def test_identifying_columns_take_no_part() -> None:
    frame = {"id": ["1", "2"], "a": ["x", "y"]}
    table = dc.Table.from_frame(frame, roles={"id": "identifying"})
    assert mark_itemsets(table, [{("id", "1")}, {("a", "y")}]).tolist() == [[False], [True]]


def test_bad_parameters_are_named() -> None:
    table = dc.Table.from_frame({"a": ["x", "y"]})
    with pytest.raises(ParameterError, match="needs a table"):
        mark_itemsets(dc.Transactions.from_iterable([{1}]), [])
    with pytest.raises(ParameterError, match=r"Itemset 1 has the item 'x'; .*pair"):
        mark_itemsets(table, [{("a", "x")}, {"x"}])
    with pytest.raises(ParameterError, match="Itemset 0 is 'ab', not a set"):
        mark_itemsets(table, ["ab"])


def pairs() -> tuple[_native.Database, _native.Database]:
    """Every pair of 60 items, in rows that have them all: each is walked a long time."""
    n_rows, n_items = 20_000, 60
    empty = np.empty(0, np.int32)
    rows = _native.Database(
        np.arange(n_rows + 1, dtype=np.int64) * n_items,
        np.tile(np.arange(n_items, dtype=np.int32), n_rows),
        np.ones(n_rows, np.int64),
        n_items + 1,
        empty,
    )
    triples = np.array(
        [(i, j, n_items) for i in range(n_items) for j in range(i)], np.int32
    )  # of which no row has the last item: nothing is ever marked, so nothing is skipped
    triples.sort(axis=1)
    sets = _native.Database(
        np.arange(len(triples) + 1, dtype=np.int64) * 3,
        triples.reshape(-1),
        np.ones(len(triples), np.int64),
        n_items + 1,
        empty,
    )
    return rows, sets


def test_limit_of_memory() -> None:
    rows, sets = pairs()
    with pytest.raises(_native.LimitReached):
        _native.mark_itemsets(rows, sets, _native.Control(max_memory=10_000))
    with pytest.raises(LimitError, match="Give fewer itemsets"):
        mark_itemsets(skewed(2000, 5), dc.mine.minimal_infrequent(skewed(2000, 5), theta=1),
                      max_memory=30_000)  # fmt: skip


def test_progress_may_stop_the_run() -> None:
    told: list[float] = []

    class StopError(Exception):
        pass

    def progress(fraction: float) -> None:
        told.append(fraction)
        raise StopError

    table = skewed(50_000, 14)
    itemsets = dc.mine.minimal_infrequent(table.take(np.arange(2000)), theta=1, max_size=5)
    with pytest.raises(StopError):
        mark_itemsets(dc.mine.Database.of(table), itemsets, progress=progress)
    assert len(told) == 1
    assert 0 <= told[0] < 1


def test_items_must_be_the_same() -> None:
    rows, _ = pairs()
    other: NDArray[np.int32] = np.empty(0, np.int32)
    sets = _native.Database(np.zeros(1, np.int64), other, np.empty(0, np.int64), 3, other)
    with pytest.raises(ValueError, match="same items"):
        _native.mark_itemsets(rows, sets, _native.Control())
