"""The kernels for minimal infrequent itemsets against brute force and known answers."""

from __future__ import annotations

import lzma
import os
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Itemset = tuple[int, ...]


class Rows(NamedTuple):
    """Weighted transactions and, for a table, the column of each item."""

    transactions: list[Itemset]
    weights: list[int]
    n_items: int
    column_of: list[int]

    @property
    def n_rows(self) -> int:
        return sum(self.weights)

    def native(self) -> _native.Database:
        lengths = [len(transaction) for transaction in self.transactions]
        return _native.Database(
            np.cumsum([0, *lengths], dtype=np.int64),
            np.array([i for t in self.transactions for i in t], dtype=np.int32),
            np.array(self.weights, dtype=np.int64),
            self.n_items,
            np.array(self.column_of, dtype=np.int32),
        )

    def support(self, itemset: Itemset) -> int:
        wanted = set(itemset)
        return sum(
            weight
            for transaction, weight in zip(self.transactions, self.weights, strict=True)
            if wanted.issubset(transaction)
        )


def table(rows: Sequence[Sequence[object]], weights: Sequence[int] | None = None) -> Rows:
    """Encode rows of values; one transaction for each row, equal ones not collapsed."""
    columns = list(zip(*rows, strict=True))
    ids: dict[tuple[int, object], int] = {}
    column_of = []
    for column, values in enumerate(columns):
        for value in dict.fromkeys(values):
            ids[column, value] = len(ids)
            column_of.append(column)
    transactions = [tuple(ids[c, value] for c, value in enumerate(row)) for row in rows]
    return Rows(transactions, list(weights or [1] * len(rows)), len(ids), column_of)


def brute_force(rows: Rows, theta: int, max_size: int) -> list[tuple[Itemset, int]]:
    """Every itemset that occurs, tested by the definition, in canonical order."""
    occurring = {
        itemset
        for transaction in rows.transactions
        for size in range(1, min(max_size, len(transaction)) + 1)
        for itemset in combinations(transaction, size)
    }
    found = []
    for itemset in sorted(occurring, key=lambda itemset: (len(itemset), itemset)):
        support = rows.support(itemset)
        subsets = (itemset[:i] + itemset[i + 1 :] for i in range(len(itemset)))
        # Support only falls as items are added, so the largest proper subsets decide.
        if support <= theta and all(rows.support(subset) > theta for subset in subsets):
            found.append((itemset, support))
    return found


def listed(
    rows: Rows, theta: int, max_size: int = 99, threads: int = 1
) -> list[tuple[Itemset, int]]:
    control = _native.Control(threads=threads)
    offsets, items, supports = _native.minimal_infrequent(rows.native(), theta, max_size, control)
    assert [str(array.dtype) for array in (offsets, items, supports)] == ["int64", "int32", "int64"]
    assert control.n_found == len(supports)
    return [
        (tuple(items[offsets[i] : offsets[i + 1]].tolist()), int(support))
        for i, support in enumerate(supports)
    ]


def counted(rows: Rows, theta: int, max_size: int = 99, threads: int = 1) -> dict[int, int]:
    control = _native.Control(threads=threads)
    by_size = _native.count_minimal_infrequent(rows.native(), theta, max_size, control)
    assert by_size.dtype == np.int64
    assert by_size[0] == 0
    return {size: int(n) for size, n in enumerate(by_size) if n}


def marked(rows: Rows, theta: int, max_size: int = 99, threads: int = 1) -> list[int]:
    control = _native.Control(threads=threads)
    marks = _native.mark_cells(rows.native(), theta, max_size, control)
    assert marks.dtype == np.uint8
    return [int(mark) for mark in marks]


def marks_of(rows: Rows, found: list[tuple[Itemset, int]]) -> list[int]:
    marks = []
    for transaction in rows.transactions:
        inside = [set(itemset) for itemset, _ in found if set(itemset).issubset(transaction)]
        marks += [int(any(item in itemset for itemset in inside)) for item in transaction]
    return marks


@st.composite
def tables(draw: st.DrawFn) -> Rows:
    n_columns = draw(st.integers(1, 8))
    n_values = [draw(st.integers(1, 4)) for _ in range(n_columns)]
    row = st.tuples(*(st.integers(0, n - 1) for n in n_values))
    rows = draw(st.lists(row, max_size=24))
    starts = [sum(n_values[:column]) for column in range(n_columns)]
    return Rows(
        [tuple(start + value for start, value in zip(starts, r, strict=True)) for r in rows],
        draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows))),
        sum(n_values),
        [column for column, n in enumerate(n_values) for _ in range(n)],
    )


@st.composite
def transactions(draw: st.DrawFn) -> Rows:
    n_items = draw(st.integers(0, 9))
    row = st.sets(st.integers(0, n_items - 1)) if n_items else st.just(set[int]())
    rows = draw(st.lists(row, max_size=24))
    return Rows(
        [tuple(sorted(r)) for r in rows],
        draw(st.lists(st.integers(1, 4), min_size=len(rows), max_size=len(rows))),
        n_items,
        [],
    )


@given(
    rows=st.one_of(tables(), transactions()),
    theta=st.integers(0, 12),
    max_size=st.sampled_from([1, 2, 3, 4, 99]),
)
def test_equals_brute_force(rows: Rows, theta: int, max_size: int) -> None:
    expected = brute_force(rows, theta, max_size)
    if rows.n_rows <= theta:
        assert expected == []  # a singleton's only proper subset is in too few rows
    for threads in (1, 2, 3):
        assert listed(rows, theta, max_size, threads) == expected
        by_size = dict(Counter(len(itemset) for itemset, _ in expected))
        assert counted(rows, theta, max_size, threads) == by_size
        assert marked(rows, theta, max_size, threads) == marks_of(rows, expected)


def random_table(seed: int, n_rows: int, n_values: Sequence[int]) -> Rows:
    """Skewed, with some columns that follow others, as in real tables."""
    rng = np.random.default_rng(seed)
    columns: list[NDArray[np.int64]] = []
    for n in n_values:
        column = np.minimum(rng.geometric(0.35, n_rows) - 1, n - 1)
        if columns and rng.random() < 0.5:
            follows = rng.random(n_rows) < 0.9
            column = np.where(follows, columns[rng.integers(len(columns))] % n, column)
        columns.append(column)
    return table(np.column_stack(columns).tolist(), rng.integers(1, 4, n_rows).tolist())


def by_columns(rows: Rows, theta: int) -> tuple[dict[int, int], list[int]]:
    """Numbers by size, and marks, from the supports of all rows in each set of columns."""
    values = np.array(rows.transactions)
    weights = np.array(rows.weights)
    n_columns = values.shape[1]
    support: dict[tuple[int, ...], NDArray[np.int64]] = {(): np.full(len(weights), rows.n_rows)}
    numbers: Counter[int] = Counter()
    marks = np.zeros(values.shape, dtype=int)
    for size in range(1, n_columns + 1):
        for columns in combinations(range(n_columns), size):
            _, first, inverse = np.unique(
                values[:, columns], axis=0, return_index=True, return_inverse=True
            )
            counts = np.bincount(inverse.ravel(), weights).astype(int)
            support[columns] = counts[inverse.ravel()]
            minimal = support[columns] <= theta
            for i in range(size):
                minimal &= support[columns[:i] + columns[i + 1 :]] > theta
            numbers[size] += int(minimal[first].sum())
            marks[np.ix_(np.flatnonzero(minimal), np.array(columns))] = 1
    return {size: n for size, n in numbers.items() if n}, marks.ravel().tolist()


@pytest.mark.parametrize("theta", [0, 1, 3, 10, 100])
@pytest.mark.parametrize("seed", range(3))
def test_equals_supports_in_all_sets_of_columns(seed: int, theta: int) -> None:
    rows = random_table(seed, 2000, [2, 3, 12, 5, 2, 40, 4])
    numbers, marks = by_columns(rows, theta)
    assert counted(rows, theta, threads=2) == numbers
    assert marked(rows, theta, threads=2) == marks
    by_size = Counter(len(itemset) for itemset, _ in listed(rows, theta, threads=3))
    assert dict(by_size) == numbers


@pytest.mark.parametrize("rare", [0.1, 0.4])
@pytest.mark.parametrize("n_columns", [64, 65, 130])
def test_marks_in_one_or_several_words_a_row(n_columns: int, rare: float) -> None:
    rng = np.random.default_rng(n_columns)
    values = (rng.random((60, n_columns)) < rare) * rng.integers(1, 3, (60, n_columns))
    values[:, 5:-5] = 0  # columns that count only for their number
    rows = table(values.tolist(), rng.integers(1, 4, 60).tolist())
    for theta in (2, 8):
        expected = marks_of(rows, listed(rows, theta))
        assert 0 < sum(expected) < len(expected)
        for threads in (1, 2):
            assert marked(rows, theta, threads=threads) == expected


@pytest.mark.parametrize("theta", [1, 4])
def test_sparse_transactions(theta: int) -> None:
    rng = np.random.default_rng(5)
    draws = [
        np.unique((rng.pareto(0.7, rng.integers(0, 9)) * 20).astype(int) % 6000) for _ in range(600)
    ]
    rows = Rows([tuple(draw.tolist()) for draw in draws], [1] * 600, 6000, [])
    expected = by_levels_of_occurring(rows, theta)
    assert listed(rows, theta, threads=2) == expected
    assert marked(rows, theta, threads=2) == marks_of(rows, expected)


def by_levels_of_occurring(rows: Rows, theta: int) -> list[tuple[Itemset, int]]:
    supports = Counter(
        itemset
        for transaction in rows.transactions
        for size in range(1, len(transaction) + 1)
        for itemset in combinations(transaction, size)
    )
    return [
        (itemset, n)
        for itemset, n in sorted(supports.items(), key=lambda pair: (len(pair[0]), pair[0]))
        if n <= theta
        and (
            len(itemset) == 1
            or all(supports[itemset[:i] + itemset[i + 1 :]] > theta for i in range(len(itemset)))
        )
    ]


@pytest.mark.parametrize("name", ["minimal_infrequent", "count_minimal_infrequent", "mark_cells"])
def test_arguments_out_of_range(name: str) -> None:
    database = table(["ab", "ac"]).native()
    with pytest.raises(ValueError, match="theta"):
        getattr(_native, name)(database, -1, 3, _native.Control())
    with pytest.raises(ValueError, match="max_size"):
        getattr(_native, name)(database, 1, 0, _native.Control())


def test_nothing_in_nothing() -> None:
    for rows in (Rows([], [], 0, []), Rows([], [], 3, []), Rows([()], [3], 2, [])):
        for theta in (0, 1, 5):
            assert listed(rows, theta) == []
            assert counted(rows, theta) == {}
            assert marked(rows, theta) == []


def test_huge_theta() -> None:
    rows = table(["ab", "ac"])
    assert listed(rows, 2**62) == []
    assert marked(rows, 2**62) == [0, 0, 0, 0]


# Known answers.


def test_only_itemsets_that_occur_000_mii_positive_support() -> None:
    assert listed(table(["ax", "ax", "by", "by"]), 1) == []


def test_every_pair_000_thm23_strong() -> None:
    rows = table([(1, 1), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2), (2, 2)])
    assert [itemset for itemset, _ in listed(rows, 2)] == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert marked(rows, 2) == [1] * 14


def test_too_few_rows_000_mii_m_le_theta() -> None:
    assert listed(table(["a", "a"]), 2) == []


@pytest.mark.parametrize(("theta", "expected"), [(1, 375), (4, 375), (5, 30), (24, 30), (25, 0)])
def test_orthogonal_array_000_oa_counts(theta: int, expected: int) -> None:
    rows = table(
        [[*((a + b * x) % 5 for x in range(5)), b] for a, b in product(range(5), repeat=2)]
    )
    assert sum(counted(rows, theta).values()) == len(listed(rows, theta)) == expected


def test_most_of_six_rows_000_6x4() -> None:
    rows = table(["0000", "0111", "0222", "1012", "1120", "1201"])
    assert len(listed(rows, 1)) == 36


# Limits, interruption, progress.


def wide(n_columns: int = 22, n_rows: int = 400) -> Rows:
    values = np.random.default_rng(1).integers(0, 3, (n_rows, n_columns))
    return table(values.tolist())


@pytest.mark.parametrize("threads", [1, 2])
def test_limit_of_itemsets(threads: int) -> None:
    rows = wide(8)
    n = len(listed(rows, 3))
    _native.minimal_infrequent(rows.native(), 3, 99, _native.Control(threads, n))
    for kernel in (_native.minimal_infrequent, _native.count_minimal_infrequent):
        with pytest.raises(_native.LimitReached) as caught:
            kernel(rows.native(), 3, 99, _native.Control(threads, n - 1))
        assert caught.value.args == ("itemsets", n - 1)


@pytest.mark.parametrize(
    "kernel", [_native.minimal_infrequent, _native.count_minimal_infrequent, _native.mark_cells]
)
def test_limit_of_memory(kernel: object) -> None:
    assert callable(kernel)
    with pytest.raises(_native.LimitReached) as caught:
        kernel(wide(8, 4000).native(), 3, 99, _native.Control(1, max_memory=1000))
    assert caught.value.args == ("memory", 1000)


@pytest.mark.parametrize(
    "kernel", [_native.minimal_infrequent, _native.count_minimal_infrequent, _native.mark_cells]
)
def test_progress_may_stop_the_run(kernel: object) -> None:
    seen = []

    class StopError(Exception):
        pass

    def progress(fraction: float) -> None:
        seen.append(fraction)
        raise StopError

    assert callable(kernel)
    with pytest.raises(StopError):  # the whole search would take minutes
        kernel(wide(40, 20000).native(), 2, 99, _native.Control(threads=2), progress)
    assert len(seen) == 1
    assert 0 <= seen[0] <= 1


# Real data.

DATA = Path(os.environ.get("DISCREET_DATA", "")) / "lucs"
needs_data = pytest.mark.skipif(
    "DISCREET_DATA" not in os.environ or not DATA.is_dir(),
    reason="set DISCREET_DATA to the folder of data sets",
)


def lucs(name: str) -> Rows:
    """The rows of modal length, one item for each column, equal rows collapsed."""
    (path,) = DATA.glob(f"{name}.D*")
    content = path.read_bytes()
    text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
    rows = [tuple(map(int, line.split())) for line in text.splitlines()]
    modal = Counter(map(len, rows)).most_common(1)[0][0]
    collapsed = Counter(row for row in rows if len(row) == modal)
    return table(list(collapsed), list(collapsed.values()))


@needs_data
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("breast", [9, 18, 26, 41]),
        ("iris", [48, 82, 57, 20]),
        ("pageBlocks", [118, 76, 73, 43]),
        ("adult", [39464, 36137, 28995, 13149]),
    ],
)
def test_counts_of_real_data(name: str, counts: list[int]) -> None:
    rows = lucs(name)
    for theta, expected in zip([1, 5, 10, 50], counts, strict=True):
        assert sum(counted(rows, theta, threads=2).values()) == expected


@needs_data
def test_negative_border_of_adult() -> None:
    rows, theta = lucs("adult"), 5
    covers = np.zeros((rows.n_items, len(rows.weights)), dtype=bool)
    for r, transaction in enumerate(rows.transactions):
        covers[list(transaction), r] = True
    weights = np.array(rows.weights)

    def support(itemset: Itemset) -> int:
        return int(weights[covers[list(itemset)].all(axis=0)].sum())

    found = listed(rows, theta)
    assert len(set(found)) == 36137
    marks = np.zeros_like(covers)
    for itemset, n in found[::7]:
        assert support(itemset) == n
        assert 1 <= n <= theta
        assert all(support(subset) > theta for subset in combinations(itemset, len(itemset) - 1))
    for itemset, _ in found:
        inside = np.flatnonzero(covers[list(itemset)].all(axis=0))
        marks[np.ix_(np.array(itemset), inside)] = True
    expected = [bool(marks[i, r]) for r, t in enumerate(rows.transactions) for i in t]
    assert [bool(mark) for mark in marked(rows, theta)] == expected
