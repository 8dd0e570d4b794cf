"""Rows over small hierarchies with costs of nodes, to be covered by the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import _native
from tests.oracles.set_cover import (
    closure,
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


def closed_case() -> Case:  # 002-closed: values 1, 2, 3, 4 are leaves 3..6, a, b, c are 2, 3, 4
    numbers, letters = [-1, 0, 0, 1, 1, 2, 2], [-1, 0, 1, 1, 0]
    records = [(3, 2), (3, 3), (4, 2), (5, 4), (6, 4), (5, 4)]
    return Case([numbers, letters], [[6, 2, 2, 0, 0, 0, 0], [6, 3, 0, 0, 0]], records, 2)


def clusters(cover: list[list[int]], n_rows: int, k: int) -> list[list[int]]:
    offsets = np.cumsum([0, *map(len, cover)])
    rows = np.array([row for some in cover for row in some], np.int64)
    found = _native.cover_to_clusters(offsets, rows, n_rows, k)
    return [np.flatnonzero(found == cluster).tolist() for cluster in range(found.max() + 1)]


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
