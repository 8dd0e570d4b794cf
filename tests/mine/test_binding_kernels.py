"""Whatever arrays come through the binding, the answer is a result or an error, never a crash."""

from __future__ import annotations

import threading
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native

small = st.integers(-3, 12)
arrays = st.lists(small, max_size=8)


@given(arrays, arrays, arrays, small, arrays)
def test_database_takes_sound_arrays_only(
    offsets: list[int], items: list[int], weights: list[int], n_items: int, column_of: list[int]
) -> None:
    sound = _is_sound(offsets, items, weights, n_items, column_of)
    if sound:
        database = _database(offsets, items, weights, n_items, column_of)
        assert database.total_weight == sum(weights)
    else:
        with pytest.raises(ValueError, match=r"\w"):
            _database(offsets, items, weights, n_items, column_of)


@pytest.mark.parametrize("dtype", [np.int32, np.float64, np.uint64, np.complex128, object])
def test_database_refuses_other_types(dtype: type) -> None:
    with pytest.raises(TypeError):
        _native.Database(
            np.array([0], dtype),
            np.array([], np.int32),
            np.array([], np.int64),
            0,
            np.array([], np.int32),
        )


def test_database_refuses_more_rows_than_the_engine_counts() -> None:
    with pytest.raises(ValueError, match="2\\^31"):
        _database([0, 0, 0], [], [2**30, 2**30], 0, [])


def test_database_keeps_its_own_copy() -> None:
    weights = np.array([3], np.int64)
    database = _native.Database(
        np.array([0, 0], np.int64), np.array([], np.int32), weights, 0, np.array([], np.int32)
    )
    weights[0] = -1
    assert database.total_weight == 3


@given(
    st.integers(0, 4).flatmap(lambda n: st.lists(st.tuples(*[st.integers(0, 3)] * n), max_size=40))
)
def test_collapse_groups_equal_rows(rows: list[tuple[int, ...]]) -> None:
    width = len(rows[0]) if rows else 0
    columns = [np.array([row[j] for row in rows], np.uint32) for j in range(width)]
    first, count, group_of = _native.collapse(columns, len(rows), _native.Control())
    expected = Counter(rows)
    assert [rows[i] for i in first] == list(expected)
    assert count.tolist() == list(expected.values())
    assert [rows[first[g]] for g in group_of] == rows


def test_collapse_grows_its_table() -> None:
    codes = np.arange(100_000, dtype=np.uint32)[::-1].copy()
    first, count, group_of = _native.collapse([codes, codes], len(codes), _native.Control())
    assert first.tolist() == group_of.tolist() == list(range(100_000))
    assert count.tolist() == [1] * 100_000


def test_collapse_refuses_columns_of_other_length() -> None:
    with pytest.raises(ValueError, match="n_rows"):
        _native.collapse([np.zeros(3, np.uint32)], 4, _native.Control())
    with pytest.raises(ValueError, match="n_rows"):
        _native.collapse([], -1, _native.Control())


def test_memory_limit_is_named() -> None:
    with pytest.raises(_native.LimitReached) as reached:
        _native.collapse([np.zeros(99, np.uint32)], 99, _native.Control(max_memory=10))
    assert reached.value.args == ("memory", 10)


def test_kernels_run_in_any_thread() -> None:
    results: list[int] = []

    def work() -> None:
        first, _, _ = _native.collapse([np.zeros(99, np.uint32)], 99, _native.Control())
        results.append(len(first))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1] * 8


def _database(
    offsets: list[int], items: list[int], weights: list[int], n_items: int, column_of: list[int]
) -> _native.Database:
    return _native.Database(
        np.array(offsets, np.int64),
        np.array(items, np.int32),
        np.array(weights, np.int64),
        n_items,
        np.array(column_of, np.int32),
    )


def _is_sound(  # noqa: PLR0911  one line for each rule
    offsets: list[int], items: list[int], weights: list[int], n_items: int, column_of: list[int]
) -> bool:
    if n_items < 0 or len(offsets) != len(weights) + 1 or min(weights, default=1) < 1:
        return False
    if offsets[0] != 0 or offsets[-1] != len(items) or offsets != sorted(offsets):
        return False
    if column_of and (len(column_of) != n_items or column_of != sorted(column_of)):
        return False
    if any(not 0 <= column <= item for item, column in enumerate(column_of)):
        return False
    for start, end in pairwise(offsets):
        row = items[start:end]
        if row != sorted(set(row)) or any(not 0 <= item < n_items for item in row):
            return False
        if column_of and len({column_of[item] for item in row}) < len(row):
            return False
    return True
