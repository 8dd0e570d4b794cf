"""Closed generalized itemsets by the kernel, and the trees above its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet import _native

if TYPE_CHECKING:
    from collections.abc import Sequence


Parents: TypeAlias = list[int]
Sets: TypeAlias = list[tuple[tuple[int, ...], int]]
Table: TypeAlias = tuple[list[NDArray[np.int32]], list[NDArray[np.uint32]], NDArray[np.int64]]


def mine(
    parents: list[Parents],
    rows: Sequence[tuple[int, ...]],
    weights: list[int],
    k: int,
    threads: int = 1,
) -> Sets:
    arguments = arrays(parents, rows, weights)
    nodes, supports = _native.generalized_closed(*arguments, k, _native.Control(threads))
    assert nodes.shape == (len(supports), len(parents))
    assert nodes.dtype == np.int32
    assert supports.dtype == np.int64
    n_sets = _native.count_generalized_closed(*arguments, k, _native.Control(threads))
    assert n_sets == len(supports)
    return [
        (tuple(set_), support)
        for set_, support in zip(nodes.tolist(), supports.tolist(), strict=True)
    ]


def arrays(parents: list[Parents], rows: Sequence[tuple[int, ...]], weights: list[int]) -> Table:
    return (
        [np.array(parent, np.int32) for parent in parents],
        [np.array([row[c] for row in rows], np.uint32) for c in range(len(parents))],
        np.array(weights, np.int64),
    )


def above(parent: Parents, node: int) -> list[int]:
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path
