"""Minimal infrequent itemsets by the kernels: listed, counted and marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _native

if TYPE_CHECKING:
    from collections.abc import Sequence


Itemset = tuple[int, ...]


class Rows(NamedTuple):
    """Weighted transactions and, for a table, the column of each item."""

    transactions: list[Itemset]
    weights: list[int]
    n_items: int
    column_of: list[int]

    @property
    def n_rows(self) -> int:
        return sum(self.weights)

    def native(self) -> _native.Database:
        lengths = [len(transaction) for transaction in self.transactions]
        return _native.Database(
            np.cumsum([0, *lengths], dtype=np.int64),
            np.array([i for t in self.transactions for i in t], dtype=np.int32),
            np.array(self.weights, dtype=np.int64),
            self.n_items,
            np.array(self.column_of, dtype=np.int32),
        )

    def support(self, itemset: Itemset) -> int:
        wanted = set(itemset)
        return sum(
            weight
            for transaction, weight in zip(self.transactions, self.weights, strict=True)
            if wanted.issubset(transaction)
        )


def table(rows: Sequence[Sequence[object]], weights: Sequence[int] | None = None) -> Rows:
    """Encode rows of values; one transaction for each row, equal ones not collapsed."""
    columns = list(zip(*rows, strict=True))
    ids: dict[tuple[int, object], int] = {}
    column_of = []
    for column, values in enumerate(columns):
        for value in dict.fromkeys(values):
            ids[column, value] = len(ids)
            column_of.append(column)
    transactions = [tuple(ids[c, value] for c, value in enumerate(row)) for row in rows]
    return Rows(transactions, list(weights or [1] * len(rows)), len(ids), column_of)


def listed(
    rows: Rows, theta: int, max_size: int = 99, threads: int = 1
) -> list[tuple[Itemset, int]]:
    control = _native.Control(threads=threads)
    offsets, items, supports = _native.minimal_infrequent(rows.native(), theta, max_size, control)
    assert [str(array.dtype) for array in (offsets, items, supports)] == ["int64", "int32", "int64"]
    assert control.n_found == len(supports)
    return [
        (tuple(items[offsets[i] : offsets[i + 1]].tolist()), int(support))
        for i, support in enumerate(supports)
    ]


def counted(rows: Rows, theta: int, max_size: int = 99, threads: int = 1) -> dict[int, int]:
    control = _native.Control(threads=threads)
    by_size = _native.count_minimal_infrequent(rows.native(), theta, max_size, control)
    assert by_size.dtype == np.int64
    assert by_size[0] == 0
    return {size: int(n) for size, n in enumerate(by_size) if n}


def marked(rows: Rows, theta: int, max_size: int = 99, threads: int = 1) -> list[int]:
    control = _native.Control(threads=threads)
    marks = _native.mark_cells(rows.native(), theta, max_size, control)
    assert marks.dtype == np.uint8
    return [int(mark) for mark in marks]
