"""Frequent, closed and maximal itemsets by the kernels: listed and counted."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from discreet import _native

Rows = list[tuple[frozenset[int], int]]  # items and weight
Found = dict[tuple[int, ...], int]
NO_LIMIT = 2**31 - 1
KINDS = ("frequent", "closed", "maximal")


def database(rows: Rows, n_items: int, column_of: Iterable[int] = ()) -> _native.Database:
    lists = [sorted(items) for items, _ in rows]
    return _native.Database(
        np.cumsum([0, *map(len, lists)], dtype=np.int64),
        np.array(list(itertools.chain.from_iterable(lists)), dtype=np.int32),
        np.array([weight for _, weight in rows], dtype=np.int64),
        n_items,
        np.array(list(column_of), dtype=np.int32),
    )


def unpack(result: tuple[Any, Any, Any]) -> list[tuple[tuple[int, ...], int]]:
    offsets, items, supports = (array.tolist() for array in result)
    return [
        (tuple(items[begin:end]), support)
        for begin, end, support in zip(offsets[:-1], offsets[1:], supports, strict=True)
    ]


def mine(
    kind: str,
    db: _native.Database,
    min_support: int,
    *,
    max_size: int = NO_LIMIT,
    threads: int = 1,
) -> list[tuple[tuple[int, ...], int]]:
    miner = getattr(_native, kind)
    return unpack(miner(db, min_support, max_size, _native.Control(threads=threads)))


def count(
    kind: str,
    db: _native.Database,
    min_support: int,
    *,
    max_size: int = NO_LIMIT,
    threads: int = 1,
) -> list[int]:
    counter = getattr(_native, f"count_{kind}")
    by_size = counter(db, min_support, max_size, _native.Control(threads=threads)).tolist()
    assert by_size[0] == 0
    return [int(n) for n in np.trim_zeros(by_size, "b")] or [0]


def sizes(itemsets: Iterable[tuple[int, ...]]) -> list[int]:
    counts: list[int] = np.bincount([len(x) for x in itemsets], minlength=1).tolist()
    return counts


def canonical(found: Found) -> list[tuple[tuple[int, ...], int]]:
    return sorted(found.items(), key=lambda pair: (len(pair[0]), pair[0]))


def random_rows(seed: int, *, n_rows: int, n_items: int, length: int) -> Rows:
    """Rows with a few popular items and many rare ones, so that every search form is met."""
    rng = np.random.default_rng(seed)
    popularity = np.minimum(0.97, length / np.arange(1, n_items + 1))
    drawn = rng.random((n_rows, n_items)) < popularity
    return [
        (frozenset(np.flatnonzero(row).tolist()), int(weight))
        for row, weight in zip(drawn, rng.integers(1, 3, n_rows), strict=True)
    ]


def condense(frequent: Found) -> dict[str, Found]:
    not_closed, not_maximal = set(), set()
    for itemset, support in frequent.items():
        for i in range(len(itemset)):
            part = itemset[:i] + itemset[i + 1 :]
            not_maximal.add(part)
            if part and frequent[part] == support:
                not_closed.add(part)
    return {
        "frequent": frequent,
        "closed": {x: s for x, s in frequent.items() if x not in not_closed},
        "maximal": {x: s for x, s in frequent.items() if x not in not_maximal},
    }
