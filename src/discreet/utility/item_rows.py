"""Both tables as rows of the same numbered items, and supports counted in either.

An item is a value of a column and has one number in both tables, so that itemsets mined from
one can be looked up in the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _native
from discreet.mine.database import Database, Item
from discreet.mine.limits import search
from discreet.mine.supports import supports as count_supports

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets
    from discreet.mine.limits import Limits
    from discreet.utility.pairs import PairedColumn

REMEDY = "Raise min_frequency, lower max_size"


def item_databases(columns: Sequence[PairedColumn]) -> tuple[Database, Database]:
    """Return original and release as rows of items, numbered alike; hidden cells are no items.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.utility.pairs import pair_columns
    >>> original = dc.Table.from_frame({"sex": ["f", "m"]})
    >>> release = dc.Table.from_frame({"sex": ["m", None]})
    >>> before, after = item_databases(pair_columns(original, release))
    >>> before.items.tolist(), after.items.tolist(), after.offsets.tolist()
    ([0, 1], [1], [0, 1, 1])
    """
    labels = [Item(column.name, label) for column in columns for label in column.labels[:-1]]
    starts = np.cumsum([0, *(column.hidden for column in columns)])
    databases = []
    for side in ("original", "release"):
        cells = [getattr(column, side) for column in columns]
        items = np.empty((len(cells[0]) if cells else 0, len(cells)), np.int32)
        shown = np.empty(items.shape, bool)
        for place, column in enumerate(columns):
            items[:, place] = cells[place] + starts[place]
            shown[:, place] = cells[place] != column.hidden
        databases.append(
            Database(
                offsets=np.concatenate([[0], np.cumsum(shown.sum(axis=1))]).astype(np.int64),
                items=items[shown],
                weights=np.ones(len(items), np.int64),
                labels=labels,
            )
        )
    return databases[0], databases[1]


class Merged(NamedTuple):
    """Itemsets of two results in one canonical order, and the place of each there."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def merge_itemsets(first: Itemsets, second: Itemsets, **limits: Unpack[Limits]) -> Merged:
    """Return the itemsets found in either of two results that number their items alike.

    Examples
    --------
    >>> import discreet as dc
    >>> first = dc.frequent(dc.Transactions.from_iterable([{1, 2}]), min_support=1)
    >>> second = dc.frequent(dc.Transactions.from_iterable([{1}, {2}]), min_support=1)
    >>> merged = merge_itemsets(first, second)
    >>> merged.first.tolist(), merged.second.tolist()
    ([0, 1, 2], [0, 1])
    """
    with search("the itemsets of both results", REMEDY, **limits) as running:
        return Merged(
            *_native.merge_itemsets(
                first.offsets,
                first.items,
                second.offsets,
                second.items,
                running.control,
                running.progress,
            )
        )


def supports_in(
    database: Database,
    merged: Merged,
    *,
    found: Itemsets,
    places: NDArray[np.int64],
    **limits: Unpack[Limits],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the support of every merged itemset in one database, and whether it was found there.

    Parameters
    ----------
    database : Database
        Where to count.
    merged : Merged
        The itemsets.
    found : Itemsets
        Those mined from this database: their supports are known.
    places : array of int
        Where these are among the merged.
    **limits : Limits
        ``threads``, ``max_memory``, ``progress``.
    """
    known = np.zeros(len(merged.offsets) - 1, bool)
    known[places] = True
    supports = np.empty(len(known), np.int64)
    supports[places] = found.supports
    supports[~known] = count_supports(
        database, merged.offsets, merged.items, which=np.flatnonzero(~known), **limits
    )
    return supports, known
