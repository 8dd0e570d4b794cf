"""Closed generalized itemsets of Adult, with the hierarchies that come with ARX."""

from __future__ import annotations

import csv
import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet import _native

if TYPE_CHECKING:
    pass
from tests.mine.generalized_closed import Table, above


@pytest.fixture(scope="module")
def adult() -> Table:
    folder = Path(os.environ.get("DISCREET_DATA", "")) / "adult_arx"
    if "DISCREET_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("DISCREET_DATA does not name a folder with adult_arx")
    with lzma.open(folder / "adult.csv.xz", "rt") as file:
        names, *rows = csv.reader(file, delimiter=";")
    parents, leaves = [], []
    for c, name in enumerate(names):
        node: dict[tuple[str, ...], int] = {}
        parent: list[int] = []
        leaf: dict[str, int] = {}
        with (folder / f"adult_hierarchy_{name}.csv").open() as file:
            for path in filter(None, csv.reader(file, delimiter=";")):
                labels = tuple(reversed(path))
                for depth in range(1, len(labels) + 1):
                    if labels[:depth] not in node:
                        node[labels[:depth]] = len(parent)
                        parent.append(node[labels[: depth - 1]] if depth > 1 else -1)
                leaf[path[0]] = node[labels]
        parents.append(np.array(parent, np.int32))
        leaves.append(np.array([leaf[row[c]] for row in rows], np.uint32))
    return parents, leaves, np.ones(len(rows), np.int64)


@pytest.fixture(scope="module")
def below(
    adult: Table,
) -> list[NDArray[np.bool_]]:
    """For each column whether a row (second axis) lies under a node (first axis)."""
    parents, leaves, _ = adult
    return [
        np.array([[v in above(list(p), leaf) for leaf in range(len(p))] for v in range(len(p))])[
            :, column
        ]
        for p, column in zip(parents, leaves, strict=True)
    ]


def test_adult_every_support_is_recounted(adult: Table, below: list[NDArray[np.bool_]]) -> None:
    nodes, supports = _native.generalized_closed(*adult, 500, _native.Control(2))
    assert len(np.unique(nodes, axis=0)) == len(nodes)
    order = np.lexsort((*nodes.T[::-1], -supports))
    assert (order == np.arange(len(order))).all()
    bits = [np.packbits(column, axis=1) for column in below]
    for start in range(0, len(nodes), 1000):
        inside = bits[0][nodes[start : start + 1000, 0]]
        for column, chosen in zip(bits[1:], nodes[start : start + 1000, 1:].T, strict=True):
            inside &= column[chosen]
        counted = np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
        assert (counted == supports[start : start + 1000]).all()


def test_adult_sets_are_closed_and_none_is_missing(
    adult: Table, below: list[NDArray[np.bool_]]
) -> None:
    nodes, supports = _native.generalized_closed(*adult, 50, _native.Control(2))
    assert len(nodes) == 765_152
    parents, leaves, _ = adult

    def closure(rows: NDArray[np.int64]) -> tuple[int, ...]:
        """Lowest common ancestor of the rows' leaves in each column."""
        chosen = []
        for parent, column in zip(parents, leaves, strict=True):
            paths = [above(list(parent), leaf) for leaf in set(column[rows].tolist())]
            shared = set.intersection(*map(set, paths))
            chosen.append(next(node for node in paths[0] if node in shared))
        return tuple(chosen)

    def cover(chosen: tuple[int, ...]) -> NDArray[np.int64]:
        return np.flatnonzero(
            np.logical_and.reduce([b[node] for b, node in zip(below, chosen, strict=True)])
        )

    random = np.random.default_rng(0)
    for i in random.choice(len(nodes), 500, replace=False):
        rows = cover(tuple(nodes[i]))
        assert len(rows) == supports[i]
        assert closure(rows) == tuple(nodes[i])
    found = set(map(tuple, nodes.tolist()))
    for _ in range(500):
        # The closure of any k rows; like rows, or else it is nearly always the root.
        chosen = [random.choice(np.flatnonzero(b[:, random.integers(b.shape[1])])) for b in below]
        rows = cover(tuple(chosen))
        if len(rows) >= 50:
            assert closure(random.choice(rows, 50, replace=False)) in found


def test_adult_is_the_same_for_every_number_of_threads(
    adult: Table,
) -> None:
    nodes, supports = _native.generalized_closed(*adult, 10, _native.Control(1))
    assert len(nodes) == 1_826_609
    for threads in (2, 3):
        assert _native.count_generalized_closed(*adult, 10, _native.Control(threads)) == len(nodes)
        again, counted = _native.generalized_closed(*adult, 10, _native.Control(threads))
        assert (again == nodes).all()
        assert (counted == supports).all()
