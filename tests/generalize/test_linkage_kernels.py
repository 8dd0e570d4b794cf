"""Forests and agglomeration: the kernels against their twins, and against bad input."""

from __future__ import annotations

import contextlib
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import _native
from tests.examples import examples
from tests.oracles import clusterings
from tests.oracles.clusterings import Rows

Columns: TypeAlias = tuple[
    list[NDArray[np.int32]], list[NDArray[np.int32]], list[NDArray[np.uint32]]
]
LINKAGES = {"change": clusterings.change, "ratio": clusterings.ratio(0.75)}


@st.composite
def some_rows(draw: st.DrawFn) -> Rows:
    """Draw rows over trees of any shape; leaves cost nothing, groups anything, even the less."""
    parents, costs, leaves = [], [], []
    for _ in range(draw(st.integers(1, 3))):
        n = draw(st.integers(1, 9))
        parent = [-1] + [draw(st.integers(max(0, v - 4), v - 1)) for v in range(1, n)]
        cost = [draw(st.integers(0, 4)) if v in parent else 0 for v in range(n)]
        parents.append(parent)
        costs.append(cost)
        leaves.append([v for v in range(n) if v not in parent])
    row = st.tuples(*(st.sampled_from(some) for some in leaves))
    rows = draw(st.lists(row, min_size=1, max_size=14))
    weights = st.lists(st.sampled_from([0.25, 1.0, 4.0]), min_size=len(rows), max_size=len(rows))
    return Rows(parents=parents, costs=costs, leaves=rows, weights=draw(st.just([]) | weights))


def arrays(rows: Rows) -> Columns:
    return (
        [np.array(parent, np.int32) for parent in rows.parents],
        [np.array(cost, np.int32) for cost in rows.costs],
        [np.array(column, np.uint32) for column in zip(*rows.leaves, strict=True)],
    )


def parts(cluster_of: NDArray[np.int64]) -> set[tuple[int, ...]]:
    assert cluster_of.dtype == np.int64
    return {tuple(np.flatnonzero(cluster_of == part).tolist()) for part in set(cluster_of.tolist())}


def agglomerate(
    rows: Rows, k: int, *, modified: bool, linkage: str, threads: int = 1
) -> NDArray[np.int64]:
    weights = np.array(rows.weights or [1.0] * len(rows))
    return _native.agglomerative(
        *arrays(rows), weights, k, modified, linkage, 0.75, _native.Control(threads)
    )


@examples(120)
@given(rows=some_rows(), data=st.data())
def test_grown_forests_equal_their_twin(rows: Rows, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(rows)))
    target = _native.grow_forest(*arrays(rows), k, _native.Control())
    assert target.tolist() == clusterings.grown_forest(rows, k)


@examples(120)
@given(data=st.data())
def test_cut_forests_equal_their_twin(data: st.DataObject) -> None:
    n, k = data.draw(st.integers(0, 24)), data.draw(st.integers(1, 6))
    order = data.draw(st.permutations(range(n)))
    target = [-1] * n
    for place in range(1, n):  # any shape: stars, chains, several trees
        above = data.draw(st.integers(-1, place - 1))
        target[order[place]] = -1 if above < 0 else order[above]
    found = parts(_native.cut_forest(np.array(target, np.int64), k, _native.Control()))
    assert found == {tuple(sorted(part)) for part in clusterings.cut_forest(target, k)}
    for part in found:
        whole = clusterings.tree_of(target, part[0])
        assert set(part) <= whole
        if len(whole) >= k > 1:
            assert k <= len(part) <= 3 * (k - 1)


def test_subtrees_are_taken_until_they_are_k() -> None:  # 002-alg5-ge
    target, tops = [-1], []
    for size in (2, 4, 3, 4):
        tops.append(len(target))
        target += [0, *range(len(target), len(target) + size - 1)]
    found = parts(_native.cut_forest(np.array(target, np.int64), 6, _native.Control()))
    first_two = {*range(tops[1], tops[1] + 4), *range(tops[3], tops[3] + 4)}
    assert found == {tuple(sorted(first_two)), tuple(sorted({*range(14)} - first_two))}


@examples(120)
@given(rows=some_rows(), data=st.data(), modified=st.booleans())
@pytest.mark.parametrize("linkage", LINKAGES)
def test_agglomeration_equals_its_twin(
    *, linkage: str, rows: Rows, data: st.DataObject, modified: bool
) -> None:
    k = data.draw(st.integers(1, min(len(rows), 5)) | st.integers(1, len(rows)))
    found = agglomerate(rows, k, modified=modified, linkage=linkage)
    expected = clusterings.agglomerated(rows, k, modified=modified, distance=LINKAGES[linkage])
    assert parts(found) == {tuple(sorted(cluster)) for cluster in expected}


def test_the_row_given_back_is_the_one_that_costs_most() -> None:  # 002-alg7
    parents = [(4, 4, 5, 5, 6, 6, -1), (3, 3, 4, 4, -1), (2, 2, -1)]
    costs = [(0, 0, 0, 0, 1 / 3, 1 / 3, 1), (0, 0, 0, 1 / 2, 1), (0, 0, 1)]
    rows = Rows(parents=parents, costs=costs, leaves=[(0, 0, 0), (0, 0, 0), (2, 2, 1), (0, 1, 0)])
    gains = [clusterings.without(rows, range(4), row) for row in range(4)]
    assert gains == pytest.approx([-9, -9, -1.5, -9])
    assert clusterings.shrunk(rows, (0, 1, 2, 3), 3) == ((0, 1, 3), (2,))


def many(n_rows: int, seed: int = 1) -> Rows:
    """Draw more rows than a task of the kernel has, with many that are equal or as near."""
    random = np.random.default_rng(seed)
    parents = [[-1, 0, 0, *([1] * 4), *([2] * 4)]] * 3
    costs = [[7, 2, 3] + [0] * 8] * 3
    leaves = random.integers(3, 11, (n_rows, 3)) if n_rows else np.zeros((0, 3), int)
    return Rows(parents=parents, costs=costs, leaves=list(map(tuple, leaves.tolist())))


@pytest.mark.parametrize("modified", [True, False])
@pytest.mark.parametrize("linkage", LINKAGES)
def test_any_number_of_threads_gives_the_same(*, linkage: str, modified: bool) -> None:
    rows = many(2000)
    once, *others = (
        agglomerate(rows, 7, modified=modified, linkage=linkage, threads=threads)
        for threads in (1, 2, 3)
    )
    assert len(set(once.tolist())) > 100
    for other in others:
        assert (other == once).all()


def test_larger_forests_equal_their_twin() -> None:
    rows = many(60)
    target = _native.grow_forest(*arrays(rows), 9, _native.Control())
    assert target.tolist() == clusterings.grown_forest(rows, 9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("linkage", LINKAGES)
def test_larger_agglomerations_equal_their_twin(linkage: str, seed: int) -> None:
    rows = many(24, seed)
    for modified in (True, False):
        found = agglomerate(rows, 5, modified=modified, linkage=linkage)
        distance = LINKAGES[linkage]
        expected = clusterings.agglomerated(rows, 5, modified=modified, distance=distance)
        assert parts(found) == {tuple(sorted(cluster)) for cluster in expected}


def test_progress_ends_at_one_and_memory_is_counted() -> None:
    rows = many(500)
    weights = np.ones(500)
    for modified in (True, False):
        control = _native.Control(2)
        _native.agglomerative(*arrays(rows), weights, 7, modified, "ratio", 1.0, control)
        assert control.fraction == 1.0
        assert control.peak_memory > 500 * 8
    control = _native.Control()
    _native.grow_forest(*arrays(rows), 7, control)
    assert control.fraction == 1.0
    small = {"max_memory": 1000}
    with pytest.raises(_native.LimitReached):
        _native.grow_forest(*arrays(rows), 7, _native.Control(**small))
    with pytest.raises(_native.LimitReached):
        _native.agglomerative(
            *arrays(rows), weights, 7, True, "ratio", 1.0, _native.Control(**small)
        )


def test_an_exception_in_progress_stops_the_search() -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise Enough

    random = np.random.default_rng(2)
    parents = [np.array([-1] + [0] * 40, np.int32)] * 8
    costs = [np.array([9] + [0] * 40, np.int32)] * 8
    leaves = [random.integers(1, 41, 40_000).astype(np.uint32) for _ in range(8)]
    with pytest.raises(Enough):
        _native.agglomerative(
            parents, costs, leaves, np.ones(40_000), 50, True, "ratio", 1.0,
            _native.Control(2), stop,
        )  # fmt: skip


def test_bad_input_is_refused() -> None:
    good = arrays(Rows(parents=[[-1, 0, 0]], costs=[[5, 0, 0]], leaves=[(1,), (2,)]))
    ints, codes = np.zeros(2, np.int32), np.zeros(1, np.uint32)
    huge = np.array([2**31 - 1, 0, 0], np.int32)
    for changed, k, told in [
        (([], [], []), 1, "one array per column"),
        ((good[0], [], good[2]), 1, "one array per column"),
        (([ints], good[1], good[2]), 1, "column 0: .*roots"),
        ((good[0], [ints], good[2]), 1, "column 0: .*one cost per node"),
        ((good[0], [np.array([5, -1, 0], np.int32)], good[2]), 1, "column 0: a cost is below 0"),
        ((good[0], good[1], [codes]), 1, "column 0: .*row 0 is not a leaf"),
        ((good[0] * 2, good[1] * 2, [good[2][0], codes + 1]), 1, "column 1: it has other rows"),
        ((good[0] * 2, [huge] * 2, good[2] * 2), 1, "2\\^31"),
        (good, 0, "k must be at least 1"),
        (good, 3, "at most the number of rows"),
    ]:
        with pytest.raises(ValueError, match=told):
            _native.grow_forest(*changed, k, _native.Control())
        with pytest.raises(ValueError, match=told):
            _native.agglomerative(*changed, np.ones(2), k, True, "ratio", 1.0, _native.Control())
    for weights, linkage, least, told in [
        (np.ones(1), "ratio", 1.0, "one weight per row"),
        (np.array([1.0, np.nan]), "ratio", 1.0, "weight is not between"),
        (np.array([1.0, 0.0]), "ratio", 1.0, "weight is not between"),
        (np.ones(2), "single", 1.0, "linkage must be"),
        (np.ones(2), "ratio", 0.0, "least must be"),
    ]:
        with pytest.raises(ValueError, match=told):
            _native.agglomerative(*good, weights, 2, True, linkage, least, _native.Control())
    for target, k, told in [
        ([1, 0], 1, "circle"),
        ([2, -1], 1, "row 0 points"),
        ([-1], 0, "k must"),
    ]:
        with pytest.raises(ValueError, match=told):
            _native.cut_forest(np.array(target, np.int64), k, _native.Control())


@examples(100)
@given(data=st.data())
def test_malformed_arrays_never_crash(data: st.DataObject) -> None:
    number = st.integers(-2, 4) | st.sampled_from([2**31 - 1, -(2**31)])

    def array(preferred: type[np.generic]) -> Any:  # noqa: ANN401  on purpose: any type
        kind = data.draw(st.just(preferred) | st.sampled_from([np.int32, np.uint32, np.int64]))
        return np.array(data.draw(st.lists(number, max_size=4)), np.int64).astype(kind)

    n = data.draw(st.integers(0, 2))
    columns = ([array(kind) for _ in range(n)] for kind in (np.int32, np.int32, np.uint32))
    parents, costs, leaves = columns
    k = data.draw(st.integers(-1, 3))
    with contextlib.suppress(TypeError, ValueError):
        _native.grow_forest(parents, costs, leaves, k, _native.Control())
    with contextlib.suppress(TypeError, ValueError):
        _native.agglomerative(
            parents, costs, leaves, np.ones(len(leaves[0]) if leaves else 0), k, True, "change",
            1.0, _native.Control(),
        )  # fmt: skip
    with contextlib.suppress(TypeError, ValueError):
        _native.cut_forest(array(np.int64), k, _native.Control())
