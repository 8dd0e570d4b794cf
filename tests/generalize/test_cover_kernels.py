"""Covers, clusters and bounds: the kernels against eager twins and the definitions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import _native
from tests.examples import examples
from tests.oracles.set_cover import (
    ClosedSet,
    closure,
    clusters_of,
    greedy_cover,
    least_total,
    subsets,
    under,
)

Row = tuple[int, ...]


class Case(NamedTuple):
    """Rows over hierarchies with whole costs of nodes, and k."""

    parents: list[list[int]]
    costs: list[list[int]]
    rows: Sequence[Row]
    k: int

    def cost(self, nodes: Row) -> int:
        return sum(of[node] for of, node in zip(self.costs, nodes, strict=True))

    def cost_of_rows(self, rows: frozenset[int]) -> int:
        return self.cost(closure(self.parents, [self.rows[row] for row in rows]))

    def closed(self) -> list[Row]:
        arrays = self.arrays()
        weights = np.ones(len(self.rows), np.int64)
        nodes, _ = _native.generalized_closed(
            arrays[0], arrays[1], weights, self.k, _native.Control()
        )
        return [tuple(row) for row in nodes.tolist()]

    def arrays(
        self,
    ) -> tuple[list[NDArray[np.int32]], list[NDArray[np.uint32]], list[NDArray[np.int64]]]:
        return (
            [np.array(parent, np.int32) for parent in self.parents],
            [np.array([row[c] for row in self.rows], np.uint32) for c in range(len(self.parents))],
            [np.array(of, np.int64) for of in self.costs],
        )

    def cover(
        self, nodes: list[Row], *, by_rows: bool, threads: int = 1
    ) -> list[tuple[int, list[int]]]:
        offsets, rows, sets = _native.gen_cover(
            *self.arrays(), matrix(nodes), self.k, by_rows, _native.Control(threads)
        )
        return [
            (number, rows[start:stop].tolist())
            for number, start, stop in zip(sets.tolist(), offsets[:-1], offsets[1:], strict=True)
        ]

    def bounds(self, nodes: list[Row], weights: list[float], rounds: int) -> NDArray[np.float64]:
        given = np.array(weights, np.float64)
        return _native.row_bounds(
            *self.arrays(), matrix(nodes), self.k, given, rounds, _native.Control(2)
        )


def matrix(nodes: list[Row]) -> NDArray[np.int32]:
    return np.array(nodes, np.int32).reshape(len(nodes), -1)


@st.composite
def columns(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """Draw a tree of up to 7 nodes, its leaves, and costs that never fall towards the root."""
    n = draw(st.integers(1, 7))
    parent = [-1] + [draw(st.integers(0, v - 1)) for v in range(1, n)]
    leaves = sorted(set(range(n)) - set(parent))
    cost = [0] * n
    for v in reversed(range(n)):
        if v not in leaves:
            below = max(cost[c] for c in range(n) if parent[c] == v)
            cost[v] = below + draw(st.integers(0, 3))
    return parent, leaves, cost


@st.composite
def cases(draw: st.DrawFn, max_rows: int = 10) -> Case:
    drawn = draw(st.lists(columns(), min_size=1, max_size=3))
    row = st.tuples(*(st.sampled_from(leaves) for _, leaves, _ in drawn))
    k = draw(st.integers(2, 4))
    rows = draw(st.lists(row, min_size=k, max_size=max_rows))
    return Case([parent for parent, _, _ in drawn], [cost for *_, cost in drawn], rows, k)


@examples(120)
@given(case=cases(max_rows=14), by_rows=st.booleans())
def test_lazy_is_eager(case: Case, *, by_rows: bool) -> None:  # 002-6
    closed = case.closed()
    sets = [ClosedSet(under(case.parents, case.rows, nodes), case.cost(nodes)) for nodes in closed]
    expected = greedy_cover(sets, n_rows=len(case.rows), k=case.k, by_rows=by_rows)
    assert case.cover(closed, by_rows=by_rows) == expected
    assert case.cover(closed, by_rows=by_rows, threads=3) == expected


@examples(60)
@given(case=cases(max_rows=8), by_rows=st.booleans())
def test_every_step_is_the_best_of_all_subsets(case: Case, *, by_rows: bool) -> None:  # 002-5
    left = set(range(len(case.rows)))

    def rho(rows: frozenset[int]) -> Fraction | None:
        n_new = len(rows & left)
        paid = case.cost_of_rows(rows) * (len(rows) if by_rows else 1)
        return Fraction(paid, n_new) if n_new else None

    every = list(subsets(len(case.rows), k=case.k))
    for _, rows in case.cover(case.closed(), by_rows=by_rows):
        assert case.k <= len(rows) <= 2 * case.k - 1
        best = min(value for value in map(rho, every) if value is not None)
        assert rho(frozenset(rows)) == best
        left -= set(rows)
    assert not left


def closed_case() -> Case:  # 002-closed: values 1, 2, 3, 4 are leaves 3..6, a, b, c are 2, 3, 4
    numbers, letters = [-1, 0, 0, 1, 1, 2, 2], [-1, 0, 1, 1, 0]
    records = [(3, 2), (3, 3), (4, 2), (5, 4), (6, 4), (5, 4)]
    return Case([numbers, letters], [[6, 2, 2, 0, 0, 0, 0], [6, 3, 0, 0, 0]], records, 2)


def test_known_answer_002_closed() -> None:
    case = closed_case()
    closed = case.closed()
    by_number = [rows for _, rows in case.cover(closed, by_rows=False)]
    assert by_number == [[3, 5], [0, 2], [3, 4, 5], [0, 1]]
    assert clusters(by_number, 6, 2) == [[0, 1, 2], [3, 4, 5]]
    by_rows = [rows for _, rows in case.cover(closed, by_rows=True)]
    assert by_rows == [[3, 5], [0, 2], [3, 4], [0, 1]]
    assert clusters(by_rows, 6, 2) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("by_rows", [False, True])
def test_equal_rows_are_covered_by_one_set_again_and_again(*, by_rows: bool) -> None:
    # 002-duplicates: zero-cost sets first, and chosen more than once.
    case = Case([[-1, 0, 0]], [[9, 0, 0]], [(1,)] * 13 + [(2,)], 3)
    covered = case.cover(case.closed(), by_rows=by_rows)
    assert [number for number, _ in covered] == [1, 1, 1, 0]
    assert [rows for _, rows in covered[:3]] == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12]]
    assert covered[3][1] == [0, 1, 13]  # two that their cluster can spare


def test_no_cluster_is_asked_for_more_than_it_can_spare() -> None:
    case = Case([[-1, 0, 0, 0]], [[9, 0, 0, 0]], [(1,)] * 4 + [(2,)] * 4 + [(3,)], 3)
    covered = [rows for _, rows in case.cover(case.closed(), by_rows=True)]
    assert covered == [[0, 1, 2, 3], [4, 5, 6, 7], [0, 4, 8]]
    assert clusters(covered, 9, 3) == [[0, 4, 8], [1, 2, 3], [5, 6, 7]]


def clusters(cover: list[list[int]], n_rows: int, k: int) -> list[list[int]]:
    offsets = np.cumsum([0, *map(len, cover)])
    rows = np.array([row for some in cover for row in some], np.int64)
    found = _native.cover_to_clusters(offsets, rows, n_rows, k)
    return [np.flatnonzero(found == cluster).tolist() for cluster in range(found.max() + 1)]


@pytest.mark.parametrize(
    ("cover", "n_rows", "expected"),
    [
        pytest.param([[0, 1], [1, 2]], 3, [[0, 1, 2]], id="002-alg2-merge"),
        pytest.param([[0, 1, 2], [2, 3]], 4, [[0, 1], [2, 3]], id="002-alg2-shrink"),
        pytest.param([[0, 1], [0, 1]], 2, [[0, 1]], id="the same set twice"),
        pytest.param([[0, 1], [0, 1, 2]], 3, [[0, 1, 2]], id="one in another"),
        pytest.param([[0, 1], [2, 3], [1, 2]], 4, [[0, 1], [2, 3]], id="joined, then shrunk"),
    ],
)
def test_clusters_of_small_covers(
    cover: list[list[int]], n_rows: int, expected: list[list[int]]
) -> None:
    assert clusters(cover, n_rows, 2) == expected


@examples(120)
@given(data=st.data(), k=st.integers(1, 5))
def test_clusters_are_disjoint_and_of_the_right_size(data: st.DataObject, k: int) -> None:
    n_rows = data.draw(st.integers(k, 16))
    rows = st.lists(
        st.integers(0, n_rows - 1), min_size=k, max_size=min(2 * k - 1, n_rows), unique=True
    )
    cover = [sorted(some) for some in data.draw(st.lists(rows, max_size=8))]
    missing = sorted(set(range(n_rows)) - {row for some in cover for row in some})
    for row in missing:
        others = [other for other in range(n_rows) if other != row]
        cover.append(sorted([row, *others[: k - 1]]))
    found = clusters(cover, n_rows, k)
    assert found == clusters_of(cover, k=k)
    assert sorted(row for cluster in found for row in cluster) == list(range(n_rows))
    assert all(k <= len(cluster) <= 2 * k - 1 for cluster in found)


@examples(100)
@given(case=cases(max_rows=9), rounds=st.integers(1, 4), data=st.data())
def test_bounds_are_feasible_and_below_the_least(
    case: Case, rounds: int, data: st.DataObject
) -> None:
    n_rows = len(case.rows)
    weights = data.draw(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 9.0]), min_size=n_rows, max_size=n_rows)
    )
    closed = case.closed()
    found = case.bounds(closed, weights, rounds)
    for nodes in closed:
        rows = under(case.parents, case.rows, nodes)
        largest = sorted(found[sorted(rows)])[-case.k :]
        assert sum(largest) <= case.k * case.cost(nodes) + 1e-9
    assert found.sum() <= least_total(n_rows, k=case.k, cost=case.cost_of_rows) + 1e-9
    assert (case.bounds(closed, weights, rounds + 1) >= found - 1e-9).all()


def test_equal_weights_give_the_cheapest_set_above_each_row() -> None:
    case = closed_case()
    assert case.bounds(case.closed(), [1.0] * 6, 1).tolist() == [2, 3, 2, 0, 2, 0]
    by_number = case.bounds(case.closed(), [1.0, 1.0, 1.0, 0.0, 1.0, 0.0], 4)
    assert by_number.sum() > 9


def many_rows(seed: int, n_columns: int) -> tuple[Case, list[Row]]:
    """Return 1,701 rows, with values of three rows in the first column, and closures of some."""
    random = np.random.default_rng(seed)
    n_rows, k = 1701, 2
    first = [-1, *[0] * 27, *(1 + v // 21 for v in range(567))]
    others = [-1, 0, 0, 1, 1, 1, 2, 2]
    columns = [np.repeat(np.arange(28, 595), 3)]
    columns += [random.choice([3, 4, 5, 6, 7], n_rows) for _ in range(n_columns - 1)]
    rows = [tuple(row) for row in random.permutation(np.column_stack(columns)).tolist()]
    parents = [first, *[others] * (n_columns - 1)]
    costs = [[90, *[20] * 27, *[0] * 567], *[[30, 10, 7, 0, 0, 0, 0, 0]] * (n_columns - 1)]
    by_value = sorted(range(n_rows), key=lambda row: rows[row])
    picked = [by_value[at : at + 2] for at in range(0, n_rows, 3)]  # two of three of one value
    picked += [by_value[at : at + 5] for at in range(0, n_rows - 5, 17)]
    picked += [random.choice(n_rows, 2, replace=False).tolist() for _ in range(50)]
    found = {closure(parents, [rows[row] for row in some]) for some in picked}
    return Case(parents, costs, rows, k), sorted({(0,) * n_columns, *found})


@pytest.mark.parametrize("n_columns", [2, 9])
def test_many_rows(n_columns: int) -> None:
    """Rare nodes, several times of indexing what is left, more columns than one vector."""
    case, nodes = many_rows(n_columns, n_columns)
    cost = np.array([case.cost(some) for some in nodes])
    is_in = np.ones((len(nodes), len(case.rows)), bool)
    for c, parent in enumerate(case.parents):
        below = np.eye(len(parent), dtype=bool)
        for node in reversed(range(1, len(parent))):  # parents have smaller numbers here
            below[parent[node]] |= below[node]
        is_in &= below[matrix(nodes)[:, c]][:, [row[c] for row in case.rows]]
    left = np.ones(len(case.rows), bool)
    for number, rows in case.cover(nodes, by_rows=True):
        n_new = np.minimum(is_in[:, left].sum(axis=1), 2 * case.k - 1)
        paid = cost * np.maximum(case.k, n_new) / np.maximum(n_new, 1)
        first = np.lexsort((-n_new, np.where(n_new, paid, np.inf)))[0]
        assert number == first
        assert is_in[number, rows].all()
        new = np.flatnonzero(is_in[number] & left).tolist()
        if len(new) > 2 * case.k - 1:
            new = new[: min(2 * case.k - 1, len(new) - case.k)]
        assert [row for row in rows if left[row]] == new
        left[rows] = False
    assert not left.any()
    weights = [1.0 + row % 7 + (row % 97 == 0) * 30 for row in range(len(case.rows))]
    found = case.bounds(nodes, weights, 3)
    for inside, own in zip(is_in, cost, strict=True):
        assert np.sort(found[inside])[-case.k :].sum() <= case.k * own + 1e-9


BAD_INPUT: dict[str, dict[str, object]] = {
    "a node of set 1 is none": {"nodes": [(0, 0), (0, 9)]},
    "do not cover all rows": {"nodes": [(1, 1)]},
    "set 0 holds fewer than k rows": {"nodes": [(3, 3), (0, 0)]},
    "column 0: there must be one cost per node": {"costs": [[0], [6, 3, 0, 0, 0]]},
    "column 1: a cost is negative": {"costs": [[6, 2, 2, 0, 0, 0, 0], [-1] * 5]},
    "column 1: a cost is negative or too large": {"costs": [[0] * 7, [2**62] * 5]},
    "k must be": {"k": 7},
    "column 0: the code of row 0 is not a leaf": {"rows": [(0, 2)] * 6},
    "of each column": {"costs": [[6, 2, 2, 0, 0, 0, 0]]},
}


@pytest.mark.parametrize("told", BAD_INPUT)
def test_bad_input_is_refused(told: str) -> None:
    case = closed_case()
    changed = dict(BAD_INPUT[told])
    nodes = changed.pop("nodes", case.closed())
    with pytest.raises(ValueError, match=told):
        case._replace(**changed).cover(nodes, by_rows=True)  # type: ignore[arg-type]


def test_bad_weights_and_rounds_are_refused() -> None:
    case = closed_case()
    for weights, rounds in (
        ([1.0] * 5, 1),
        ([-1.0] * 6, 1),
        ([float("nan")] * 6, 1),
        ([1.0] * 6, 0),
    ):
        with pytest.raises(ValueError, match=r"weight|round"):
            case.bounds(case.closed(), weights, rounds)


@pytest.mark.parametrize(
    ("cover", "n_rows", "told"),
    [
        ([[0, 1], [2]], 3, "set 1 has not k to 2k-1 rows"),
        ([[0, 1, 2, 3]], 4, "set 0 has not k to 2k-1 rows"),
        ([[1, 0]], 2, "ascending"),
        ([[0, 3]], 3, "ascending"),
        ([[0, 1]], 3, "leaves out a row"),
    ],
)
def test_a_bad_cover_is_refused(cover: list[list[int]], n_rows: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        clusters(cover, n_rows, 2)


def test_the_memory_limit() -> None:
    case, nodes = many_rows(0, 2)
    given = (*case.arrays(), matrix(nodes), 2)
    with pytest.raises(_native.LimitReached) as limit:
        _native.gen_cover(*given, True, _native.Control(1, max_memory=1000))
    assert limit.value.args == ("memory", 1000)
    with pytest.raises(_native.LimitReached) as limit:
        _native.row_bounds(*given, np.ones(1701), 2, _native.Control(1, max_memory=1000))
    assert limit.value.args == ("memory", 1000)


def test_an_exception_in_progress_stops_the_cover() -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise Enough

    n_rows = 200_000  # no two alike, and each set covers two: long enough to be stopped
    parent = np.concatenate(([-1], np.zeros(n_rows // 2), 1 + np.arange(n_rows) // 2))
    nodes = np.arange(n_rows // 2 + 1, dtype=np.int32)[:, None]
    leaves = [np.arange(n_rows // 2 + 1, n_rows // 2 + 1 + n_rows, dtype=np.uint32)]
    costs = [np.zeros(len(parent), np.int64)]
    with pytest.raises(Enough):
        _native.gen_cover(
            [parent.astype(np.int32)], leaves, costs, nodes, 2, True, _native.Control(), stop
        )
