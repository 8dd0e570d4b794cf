"""Leaks by their definition: all compatible databases of few items, all Boolean patterns."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Supports = dict[frozenset[str], int]


@cache
def all_databases(n_rows: int, n_items: int) -> NDArray[np.int16]:
    """Return every way of putting rows into cells: one line for each database."""
    n_cells = 1 << n_items
    if n_cells == 1:
        return np.array([[n_rows]], np.int16)
    bars = np.array(
        list(combinations_with_replacement(range(n_rows + 1), n_cells - 1)), np.int16
    ).reshape(-1, n_cells - 1)
    ends = np.concatenate(
        [np.zeros((len(bars), 1), np.int16), bars, np.full((len(bars), 1), n_rows, np.int16)],
        axis=1,
    )
    return np.diff(ends, axis=1)


def compatible(
    supports: Supports, n_rows: int, items: str, sigma: int | None = None
) -> NDArray[np.int64]:
    """Return the databases with these supports, and smaller ones than sigma for all others."""
    found = all_databases(n_rows, len(items)).astype(np.int64)
    masks = np.arange(1 << len(items))
    for mask in masks[1:].tolist():
        subset = frozenset(item for place, item in enumerate(items) if mask >> place & 1)
        counts = found[:, masks & mask == mask].sum(axis=1)
        if subset in supports:
            found = found[counts == supports[subset]]
        elif sigma is not None:
            found = found[counts < sigma]
    return found


def leaking_patterns(databases: NDArray[np.int64], k: int) -> list[int]:
    """Return the Boolean patterns, as sets of cells, known to have at least 1 and below k rows."""
    n_cells = databases.shape[1]
    patterns = np.arange(1 << n_cells)
    chosen = (patterns[:, None] >> np.arange(n_cells) & 1).astype(np.int64)
    counts = databases @ chosen.T
    is_leak = (counts.min(axis=0) > 0) & (counts.max(axis=0) < k)
    return [int(pattern) for pattern in patterns[is_leak]]


def leaking_conjunctions(databases: NDArray[np.int64], items: str, k: int) -> set[tuple[str, str]]:
    """Return the conjunctions (inside, outside) known to have at least 1 and below k rows."""
    masks = np.arange(1 << len(items))
    found = set()
    for inside in masks.tolist():
        for outside in masks[masks & inside == 0].tolist():
            counts = databases[:, masks & (inside | outside) == inside].sum(axis=1)
            if counts.min() > 0 and counts.max() < k:
                found.add((spelled(inside, items), spelled(outside, items)))
    return found


def spelled(mask: int, items: str) -> str:
    return "".join(item for place, item in enumerate(items) if mask >> place & 1)
