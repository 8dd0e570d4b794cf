"""Covers by closed sets: the kernel against an eager twin and the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.examples import examples
from tests.generalize.cover_cases import Case, cases, closed_case, clusters, many_rows, matrix
from tests.oracles.set_cover import (
    ClosedSet,
    greedy_cover,
    subsets,
    under,
)


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
