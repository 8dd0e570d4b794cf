"""Rows as groups: distinct sets of items, and how many rows are each of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.mine.database import Database
from discreet.mine.itemsets import Itemsets

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

Row: TypeAlias = tuple[int, ...]
Groups: TypeAlias = dict[Row, int]


def groups_of(database: Database, items: Iterable[int]) -> Groups:
    """Return the distinct rows of a database with only some of its items, with their numbers."""
    kept = np.zeros(database.n_items + 1, bool)
    kept[list(items)] = True
    within = kept[database.items]
    cuts = np.concatenate([[0], np.cumsum(within)])[database.offsets].tolist()
    left = database.items[within].tolist()
    counts: Counter[Row] = Counter()
    for start, end, weight in zip(cuts, cuts[1:], database.weights.tolist(), strict=False):
        counts[tuple(left[start:end])] += weight
    return dict(counts)


def recoded(groups: Groups, old: tuple[Hashable, ...], new: tuple[Hashable, ...]) -> Groups:
    """Return groups with the items numbered as in other labels, which have all of them."""
    if old == new:
        return groups
    code_of = {label: code for code, label in enumerate(new)}
    return {
        tuple(sorted(code_of[old[item]] for item in row)): count for row, count in groups.items()
    }


def database_of(groups: Groups, labels: tuple[Hashable, ...]) -> Database:
    """Return groups as a database of weighted transactions."""
    rows = sorted(row for row, count in groups.items() if count)
    return Database(
        offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        items=np.array([item for row in rows for item in row], np.int32),
        weights=np.array([groups[row] for row in rows], np.int64),
        labels=labels,
    )


def itemsets_of(groups: Groups, labels: tuple[Hashable, ...]) -> Itemsets:
    """Return groups as a collection: distinct rows, with their numbers as supports."""
    rows = sorted((row for row, count in groups.items() if count), key=lambda row: (len(row), row))
    return Itemsets(
        kind="rows",
        offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        items=np.array([item for row in rows for item in row], np.int32),
        supports=np.array([groups[row] for row in rows], np.int64),
        labels=labels,
        n_rows=sum(groups.values()),
    )
