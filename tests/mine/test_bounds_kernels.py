"""Deduction rules and non-derivable itemsets: the kernels against the definition."""

from __future__ import annotations

import contextlib
import itertools
import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.examples import examples

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

Itemset: TypeAlias = tuple[int, ...]
Supports: TypeAlias = dict[Itemset, int]


def subsets(itemset: Itemset) -> Iterable[Itemset]:
    return itertools.chain.from_iterable(
        itertools.combinations(itemset, size) for size in range(len(itemset) + 1)
    )


def by_formula(itemset: Itemset, supports: Supports) -> tuple[int, int]:
    """Every rule on its own: delta_I = sum over I <= Z < X of (-1)^(|X-Z|+1) supp(Z)."""
    lower, upper = [0], list[int]()
    for part in subsets(itemset):
        if part == itemset:
            continue
        delta = sum(
            (-1) ** (len(itemset) - len(z) + 1) * supports[z]
            for z in subsets(itemset)
            if z != itemset and set(part) <= set(z)
        )
        (upper if (len(itemset) - len(part)) % 2 else lower).append(delta)
    return max(lower), min(upper)


def by_mask(itemset: Itemset, supports: Supports) -> NDArray[np.int64]:
    masks = range(2 ** len(itemset))
    chosen = (tuple(x for i, x in enumerate(itemset) if mask >> i & 1) for mask in masks)
    return np.array([supports.get(z, -1) for z in chosen], np.int64)


def count_all(transactions: list[set[int]], weights: list[int], items: list[int]) -> Supports:
    return {
        itemset: sum(
            weight
            for transaction, weight in zip(transactions, weights, strict=True)
            if set(itemset) <= transaction
        )
        for itemset in subsets(tuple(items))
    }


# --- bounds ------------------------------------------------------------------------


@examples(300)
@given(
    transactions=st.lists(st.sets(st.integers(0, 4)), max_size=12),
    n=st.integers(1, 5),
)
def test_bounds_equal_the_formula_and_hold(transactions: list[set[int]], n: int) -> None:
    supports = count_all(transactions, [1] * len(transactions), list(range(n)))
    itemset = tuple(range(n))
    lower, upper = _native.bounds(by_mask(itemset, supports))
    assert (lower, upper) == by_formula(itemset, supports)
    assert lower <= supports[itemset] <= upper


@examples(40)
@given(
    rows=st.lists(st.integers(0, 7), min_size=1, max_size=5),
)
def test_bounds_are_tight(rows: list[int]) -> None:
    """Every support between them, and no other, is that of some database.

    A database over three items is its eight cell counts; all of the same size with the
    same supports of proper subsets are tried.
    """

    def supports_of(cells: tuple[int, ...]) -> list[int]:
        return [sum(n for cell, n in enumerate(cells) if cell & z == z) for z in range(8)]

    own = supports_of(tuple(rows.count(cell) for cell in range(8)))
    possible = set()
    for bars in itertools.combinations(range(len(rows) + 7), 7):
        edges = (-1, *bars, len(rows) + 7)
        other = supports_of(tuple(b - a - 1 for a, b in itertools.pairwise(edges)))
        if other[:7] == own[:7]:
            possible.add(other[7])
    lower, upper = _native.bounds(np.array(own, np.int64))
    assert possible == set(range(lower, upper + 1))


def test_known_answer_004_example17() -> None:
    published = {"": 22, "a": 14, "b": 14, "c": 13, "ab": 9, "ac": 8, "bc": 5}
    supports = {tuple("abc".index(c) for c in word): s for word, s in published.items()}
    assert _native.bounds(by_mask((0, 1, 2), supports)) == (3, 3)


def test_known_answer_004_running() -> None:
    words = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
    transactions = [{"abcde".index(c) for c in word} for word in words]
    supports = count_all(transactions, [1] * 12, list(range(5)))
    cde = (2, 3, 4)
    assert [supports[z] for z in subsets(cde)] == [12, 9, 10, 11, 9, 9, 10, 9]
    assert _native.bounds(by_mask(cde, supports)) == by_formula(cde, supports) == (9, 9)
    # The empty set alone leaves an item free; {a} and {b} give the Bonferroni bounds.
    assert _native.bounds(by_mask((0,), supports)) == (0, 12)
    assert _native.bounds(by_mask((0, 1), supports)) == (9 + 8 - 12, 8)


def test_the_last_entry_is_ignored() -> None:
    assert _native.bounds(np.array([9, 4, 5, -7])) == _native.bounds(np.array([9, 4, 5, 2**40]))


def test_twenty_four_items() -> None:
    # Ten rows with all items: each proper subset has support 10, and so has the set.
    assert _native.bounds(np.full(2**24, 10)) == (10, 10)


def test_contradictory_supports_cross() -> None:
    assert _native.bounds(np.array([2, 2, 2, 0])) == (2, 2)
    assert _native.bounds(np.array([1, 2, 2, 0])) == (3, 2)


@pytest.mark.parametrize(
    "supports",
    [[], [1], [1, 2, 3], [-1, 0], [2**31, 0], np.zeros(2**25, np.int64)],
    ids=["none", "one", "three", "negative", "large", "25 items"],
)
def test_bad_supports_are_refused(supports: list[int] | NDArray[np.int64]) -> None:
    with pytest.raises(ValueError, match="supports must"):
        _native.bounds(np.array(supports, np.int64))


def test_other_types_are_refused() -> None:
    bad: Any  # on purpose: what the stub forbids
    for bad in (np.zeros(4), np.zeros(4, np.int32), np.zeros((2, 2), np.int64), [1, 2], None):
        with pytest.raises(TypeError):
            _native.bounds(bad)


# --- non-derivable itemsets --------------------------------------------------------


def database(
    transactions: list[set[int]], weights: list[int], n_items: int, column_of: list[int]
) -> _native.Database:
    return _native.Database(
        np.cumsum([0, *map(len, transactions)], dtype=np.int64),
        np.array([item for transaction in transactions for item in sorted(transaction)], np.int32),
        np.array(weights, np.int64),
        n_items,
        np.array(column_of, np.int32),
    )


def mine(
    data: _native.Database, min_support: int, max_size: int = 99, threads: int = 1
) -> list[tuple[Itemset, int, int, int]]:
    control = _native.Control(threads)
    offsets, items, supports, lower, upper = _native.non_derivable(
        data, min_support, max_size, control
    )
    assert control.n_found == len(supports)
    return [
        (
            tuple(items[offsets[i] : offsets[i + 1]].tolist()),
            int(supports[i]),
            int(lower[i]),
            int(upper[i]),
        )
        for i in range(len(supports))
    ]


def brute_force(
    supports: Supports, min_support: int, max_size: int
) -> list[tuple[Itemset, int, int, int]]:
    found = []
    for itemset in sorted(supports, key=lambda z: (len(z), z)):
        if itemset and len(itemset) <= max_size and supports[itemset] >= min_support:
            lower, upper = by_formula(itemset, supports)
            assert lower <= supports[itemset] <= upper
            if lower != upper:
                found.append((itemset, supports[itemset], lower, upper))
    return found


@examples(250)
@given(
    transactions=st.lists(st.sets(st.integers(0, 4)), max_size=24),
    min_support=st.integers(1, 4),
    max_size=st.integers(1, 5) | st.just(99),
    data=st.data(),
)
def test_transactions_equal_brute_force(
    transactions: list[set[int]], min_support: int, max_size: int, data: st.DataObject
) -> None:
    n = len(transactions)
    weights = data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n) | st.just([1] * n))
    supports = count_all(transactions, weights, list(range(5)))
    expected = brute_force(supports, min_support, max_size)
    for threads in (1, 2, 3):
        found = mine(database(transactions, weights, 6, []), min_support, max_size, threads)
        assert found == expected


@examples(150)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 1)] * 3), max_size=30),
    min_support=st.integers(1, 4),
)
def test_tables_equal_brute_force(rows: list[tuple[int, int, int]], min_support: int) -> None:
    transactions = [{2 * column + value for column, value in enumerate(row)} for row in rows]
    supports = count_all(transactions, [1] * len(rows), list(range(6)))
    data = database(transactions, [1] * len(rows), 6, [0, 0, 1, 1, 2, 2])
    assert mine(data, min_support) == brute_force(supports, min_support, 99)


def test_all_cells_filled_goes_to_the_full_size() -> None:
    """Every subset of six items once: nothing follows but the whole from its size."""
    transactions = [set(z) for z in subsets(tuple(range(6)))]
    supports = count_all(transactions, [1] * 64, list(range(6)))
    found = mine(database(transactions, [1] * 64, 6, []), 1)
    assert found == brute_force(supports, 1, 99)
    assert found[-1] == ((0, 1, 2, 3, 4, 5), 1, 0, 2)


def test_nothing_from_nothing() -> None:
    assert mine(database([], [], 0, []), 1) == []
    assert mine(database([set(), set()], [1, 4], 3, []), 1) == []
    assert mine(database([{0}], [3], 1, []), 4) == []
    # An item in every row is not derivable from their number, but it hits the bound.
    assert mine(database([{0, 1}], [3], 2, []), 1) == [((0,), 3, 0, 3), ((1,), 3, 0, 3)]


def test_bad_arguments_are_refused() -> None:
    data = database([{0}], [1], 1, [])
    with pytest.raises(ValueError, match="min_support"):
        _native.non_derivable(data, 0, 5, _native.Control())
    with pytest.raises(ValueError, match="max_size"):
        _native.non_derivable(data, 1, 0, _native.Control())
    nothing: Any = None  # on purpose: what the stub forbids
    with pytest.raises(TypeError):
        _native.non_derivable(nothing, 1, 1, _native.Control())


@examples(200)
@given(data=st.data())
def test_malformed_databases_never_crash(data: st.DataObject) -> None:
    number = st.integers(-1, 4) | st.sampled_from([2**31 - 1, -(2**31)])
    numbers = st.lists(number, max_size=6)
    with contextlib.suppress(TypeError, ValueError):
        _native.non_derivable(
            _native.Database(
                np.array([0, *data.draw(numbers)], np.int64),
                np.array(data.draw(numbers), np.int32),
                np.array(data.draw(numbers), np.int64),
                data.draw(st.integers(-1, 6)),
                np.array(data.draw(numbers), np.int32),
            ),
            data.draw(number),
            data.draw(number),
            _native.Control(),
        )


def scattered(n_items: int, n_rows: int) -> _native.Database:
    random = np.random.default_rng(3)
    return database(
        [set(np.flatnonzero(random.random(n_items) < 0.5).tolist()) for _ in range(n_rows)],
        [1] * n_rows,
        n_items,
        [],
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_limits_are_obeyed(threads: int) -> None:
    data = scattered(14, 800)
    n_found = len(mine(data, 5, threads=threads))
    assert n_found > 1000
    _native.non_derivable(data, 5, 99, _native.Control(threads, max_itemsets=n_found))
    with pytest.raises(_native.LimitReached) as limit:
        _native.non_derivable(data, 5, 99, _native.Control(threads, max_itemsets=n_found - 1))
    assert limit.value.args == ("itemsets", n_found - 1)
    with pytest.raises(_native.LimitReached) as limit:
        _native.non_derivable(data, 5, 99, _native.Control(threads, max_memory=100_000))
    assert limit.value.args == ("memory", 100_000)


def test_an_exception_in_progress_stops_the_search() -> None:
    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _native.non_derivable(scattered(60, 3000), 2, 99, _native.Control(2), stop)


@pytest.mark.parametrize(
    ("name", "min_support", "n_found"),
    [("mushroom.dat", 812, 4346), ("chess.dat", 1918, 1593), ("BMS-WebView-2.dat.xz", 77, 19132)],
)
def test_real_data_is_bounded_by_the_formula(name: str, min_support: int, n_found: int) -> None:
    file = Path(os.environ.get("DISCREET_DATA", "")) / "fimi" / name
    if "DISCREET_DATA" not in os.environ or not file.is_file():
        pytest.skip(f"DISCREET_DATA does not name a folder with fimi/{name}")
    content = file.read_bytes()
    text = lzma.decompress(content) if name.endswith("xz") else content
    transactions = [set(map(int, line.split())) for line in text.splitlines()]
    n_items = max(map(max, filter(None, transactions))) + 1
    data = database(transactions, [1] * len(transactions), n_items, [])
    found = mine(data, min_support)
    assert len(found) == n_found
    for threads in (2, 3):
        assert mine(data, min_support, threads=threads) == found
    supports: Supports = {(): len(transactions)}
    supports |= {itemset: support for itemset, support, _, _ in found}
    for itemset, support, lower, upper in found:
        assert lower <= support <= upper
        assert lower < upper
        # Every proper subset is non-derivable too, so its support is at hand.
        assert (lower, upper) == _native.bounds(by_mask(itemset, supports))
    rows_of: dict[int, set[int]] = {}
    for t, transaction in enumerate(transactions):
        for item in transaction:
            rows_of.setdefault(item, set()).add(t)
    for itemset, support, _, _ in found[:: max(1, len(found) // 500)]:
        assert len(set.intersection(*(rows_of[item] for item in itemset))) == support
