"""Calls a kernel under limits and labels what comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.mine.itemsets import Counts, Itemsets
from discreet.mine.limits import search, size_limit

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet import _native
    from discreet.mine.database import Database
    from discreet.mine.limits import Limits
    from discreet.progress import Progress


class Lister(Protocol):
    """A kernel that returns offsets, items and supports."""

    def __call__(
        self,
        database: _native.Database,
        threshold: int,
        max_size: int,
        control: _native.Control,
        progress: Progress | None,
        /,
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Search ``database`` and return every itemset found."""


class Counter(Protocol):
    """A kernel that returns the number of itemsets by size."""

    def __call__(
        self,
        database: _native.Database,
        threshold: int,
        max_size: int,
        control: _native.Control,
        progress: Progress | None,
        /,
    ) -> NDArray[np.int64]:
        """Search ``database`` and return how many itemsets there are of each size."""


REMEDY = {
    "frequent": "Raise min_support, set max_size, mine closed or maximal itemsets",
    "closed": "Raise min_support, set max_size, mine maximal itemsets",
    "maximal": "Raise min_support, set max_size",
    "minimal infrequent": "Set max_size, use fewer columns",
    "non-derivable": "Raise min_support, set max_size",
}


def list_itemsets(
    kind: str,
    kernel: Lister,
    database: Database,
    threshold: int,
    max_size: int | None,
    **limits: Unpack[Limits],
) -> Itemsets:
    """Return all itemsets a listing kernel finds."""
    size = size_limit(max_size)
    with search(_words(kind, threshold), REMEDY[kind], **limits) as running:
        offsets, items, supports = kernel(
            database.native, threshold, size, running.control, running.progress
        )
    return Itemsets(
        kind=kind,
        offsets=offsets,
        items=items,
        supports=supports,
        labels=database.labels,
        n_rows=database.n_rows,
    )


def count_itemsets(
    kind: str,
    kernel: Counter,
    database: Database,
    threshold: int,
    max_size: int | None,
    **limits: Unpack[Limits],
) -> Counts:
    """Return how many itemsets a counting kernel finds."""
    size = size_limit(max_size)
    with search(_words(kind, threshold), REMEDY[kind], **limits) as running:
        by_size = kernel(database.native, threshold, size, running.control, running.progress)
    return Counts(kind=kind, by_size=tuple(by_size.tolist()), n_rows=database.n_rows)


def with_empty(itemsets: Itemsets) -> Itemsets:
    """Return the itemsets with the empty one, contained in every row, put first."""
    return Itemsets(
        kind=itemsets.kind,
        offsets=np.concatenate([[0], itemsets.offsets]),
        items=itemsets.items,
        supports=np.concatenate([[itemsets.n_rows], itemsets.supports]),
        labels=itemsets.labels,
        n_rows=itemsets.n_rows,
    )


def _words(kind: str, threshold: int) -> str:
    return f"{kind} itemsets (threshold {threshold:,})"
