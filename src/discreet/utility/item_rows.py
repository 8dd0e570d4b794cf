"""Both tables as rows of the same numbered items, and supports counted in either.

An item is a value of a column and has one number in both tables, so that itemsets mined from
one can be looked up in the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.mine.database import Database, Item

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets
    from discreet.utility.pairs import PairedColumn

CHUNK = 2**24  # bytes of bitmaps intersected at a time


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


def merge_itemsets(first: Itemsets, second: Itemsets) -> Merged:
    """Return the itemsets found in either of two results that number their items alike.

    Examples
    --------
    >>> import discreet as dc
    >>> first = dc.frequent(dc.Transactions.from_iterable([{1, 2}]), min_support=1)
    >>> second = dc.frequent(dc.Transactions.from_iterable([{1}, {2}]), min_support=1)
    >>> merge_itemsets(first, second).first, merge_itemsets(first, second).second
    (array([0, 1, 2]), array([0, 1]))
    """
    sizes: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
    items: list[NDArray[np.int32]] = [np.empty(0, np.int32)]
    places: list[list[NDArray[np.int64]]] = [[np.empty(0, np.int64)], [np.empty(0, np.int64)]]
    n_before = 0
    for size in np.union1d(first.sizes, second.sizes).tolist():
        rows = [
            found.items[np.repeat(found.sizes == size, found.sizes)].reshape(-1, size)
            for found in (first, second)
        ]
        distinct, place = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
        for known, part in zip(places, np.split(place, [len(rows[0])]), strict=True):
            known.append(part + n_before)
        n_before += len(distinct)
        sizes.append(np.full(len(distinct), size, np.int64))
        items.append(distinct.reshape(-1))
    return Merged(
        offsets=np.cumsum(np.concatenate(sizes)),
        items=np.concatenate(items),
        first=np.concatenate(places[0]),
        second=np.concatenate(places[1]),
    )


def supports_in(
    database: Database, merged: Merged, *, found: Itemsets, places: NDArray[np.int64]
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
    """
    known = np.zeros(len(merged.offsets) - 1, bool)
    known[places] = True
    supports = np.empty(len(known), np.int64)
    supports[places] = found.supports
    supports[~known] = count_supports(
        database, merged.offsets, merged.items, which=np.flatnonzero(~known)
    )
    return supports, known


def count_supports(
    database: Database,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    *,
    which: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return how many rows contain each of some itemsets, by intersecting bitmaps of rows.

    Parameters
    ----------
    database : Database
        Rows of weight 1.
    offsets, items : arrays of int
        Itemset ``i`` is ``items[offsets[i]:offsets[i + 1]]``, not empty.
    which : array of int
        The itemsets to count.

    Examples
    --------
    >>> import discreet as dc
    >>> database = dc.mine.Database.of(dc.Transactions.from_iterable([{1, 2}, {2}, {2, 3}]))
    >>> offsets, items = np.array([0, 1, 3]), np.array([1, 0, 2], np.int32)
    >>> count_supports(database, offsets, items, which=np.array([0, 1]))
    array([3, 0])
    """
    bitmaps = _bitmaps(database)
    sizes = np.diff(offsets)[which]
    supports = np.zeros(len(which), np.int64)
    for size in np.unique(sizes).tolist():
        here = np.flatnonzero(sizes == size)
        step = max(1, CHUNK // max(size * bitmaps.shape[1] * 8, 1))
        for part in (here[i : i + step] for i in range(0, len(here), step)):
            chosen = bitmaps[items[offsets[which[part]][:, None] + np.arange(size)]]
            common = np.bitwise_and.reduce(chosen, axis=1)
            supports[part] = np.bitwise_count(common).sum(axis=1, dtype=np.int64)
    return supports


def _bitmaps(database: Database) -> NDArray[np.uint64]:
    """Return one row of bits for each item: which rows of the database contain it."""
    n_words = -(-database.n_transactions // 64)
    bitmaps = np.zeros((database.n_items, n_words * 8), np.uint8)
    rows = np.repeat(np.arange(database.n_transactions), np.diff(database.offsets))
    order = np.argsort(database.items, kind="stable")
    cuts = np.cumsum(np.bincount(database.items, minlength=database.n_items))
    for item, members in enumerate(np.split(rows[order], cuts[:-1]) if len(cuts) else []):
        contained = np.zeros(n_words * 64, bool)
        contained[members] = True
        bitmaps[item] = np.packbits(contained)
    return bitmaps.view(np.uint64)
