"""The kernels for minimal infrequent itemsets against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
from tests.mine.minimal_infrequent import Itemset, Rows, counted, listed, marked, table


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
