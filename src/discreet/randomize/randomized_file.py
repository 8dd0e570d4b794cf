"""Randomized transactions in a Parquet file that says by itself what was done.

The operator and the list of items stand in the metadata of the file. Sets are lists of items,
or bitmaps: for dense sets bitmaps take a tenth of the space and of the time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from discreet.data.files.find import find_file
from discreet.data.files.parquet import open_parquet
from discreet.data.transactions import Transactions
from discreet.errors import DataError
from discreet.randomize.bulk import lists_of
from discreet.randomize.item_codes import ItemCodes
from discreet.randomize.operators.from_dict import operator_from_dict
from discreet.randomize.randomized import Randomized

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from discreet.data.item_sets import Labels
    from discreet.randomize.operators.operator import Operator

Form: TypeAlias = Literal["lists", "bitmaps"]
FORMS = ("lists", "bitmaps")
METADATA = "discreet.randomized"
VERSION = 1
STEP = 1 << 14  # transactions read at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomizedFile:
    """A file of randomized transactions.

    Attributes
    ----------
    path : pathlib.Path
        The file: column ``items`` (lists of labels) or ``bitmap`` (words of 64 bits, the first
        item in the lowest bit of the first), and ``size``, the true size.
    operator : Operator
        What was applied.
    labels : tuple of int, or tuple of str
        The public list of items.
    experimental : bool
        Whether a seed was used.
    form : {"lists", "bitmaps"}
        How the sets are held.
    n_of_size : dict
        Number of transactions of each true size, sizes ascending.
    """

    path: Path
    operator: Operator
    labels: Labels
    experimental: bool
    form: Form
    n_of_size: dict[int, int]

    def __len__(self) -> int:
        return sum(self.n_of_size.values())

    def batches(
        self, size: int = STEP
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]]:
        """Yield the transactions as offsets, items and true sizes, some at a time.

        Parameters
        ----------
        size : int
            How many at a time.
        """
        if self.form == "bitmaps":
            for words, sizes in self.bitmap_batches(size):
                yield (*lists_of(words, len(self.labels)), sizes)
            return
        codes = ItemCodes(self.labels)
        for frame in pl.scan_parquet(self.path, glob=False).collect_batches(chunk_size=size):
            lists = frame["items"]
            lengths = lists.list.len()
            offsets = np.concatenate([[0], np.cumsum(lengths.to_numpy(), dtype=np.int64)])
            flat = lists.filter(lengths > 0).explode()
            yield offsets, codes.encode(flat, str(self.path)), _sizes(frame)

    def bitmap_batches(
        self, size: int = STEP
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int32]]]:
        """Yield the rows of a file of bitmaps, and the true sizes, some at a time."""
        for frame in pl.scan_parquet(self.path, glob=False).collect_batches(chunk_size=size):
            words = frame["bitmap"].arr.explode().to_numpy().reshape(frame.height, -1)
            yield words, _sizes(frame)

    def read(self) -> Randomized:
        """Return all transactions in memory."""
        parts = list(self.batches())
        lengths = np.concatenate(
            [np.diff(offsets) for offsets, _, _ in parts] or [np.empty(0, int)]
        )
        items = np.concatenate([items for _, items, _ in parts] or [np.empty(0, np.int32)])
        sizes = np.concatenate([sizes for _, _, sizes in parts] or [np.empty(0, np.int32)])
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        return Randomized(
            transactions=Transactions.from_csr(offsets, items, self.labels),
            sizes=sizes,
            operator=self.operator,
            experimental=self.experimental,
        )


def open_randomized(path: str | os.PathLike[str]) -> RandomizedFile:
    """Return a file that `randomize_file` wrote, opened: nothing but sizes is read yet.

    Parameters
    ----------
    path : path
        A Parquet file.

    Raises
    ------
    DataError
        If it is not a file of randomized transactions, or its parts contradict each other.
    """
    file = find_file(path)
    frame = open_parquet(file)
    told = pl.read_parquet_metadata(file).get(METADATA)
    if told is None:
        raise DataError(
            f"{file} does not say how it was randomized; it must be written by randomize_file."
        )
    about = _read_about(file, told)
    form: Form = "bitmaps" if "bitmap" in frame.schema else "lists"
    labels = ItemCodes.of(about["items"]).labels
    expected = pl.Array(pl.UInt64, -(-len(labels) // 64))
    is_right = (
        frame.schema["bitmap"] == expected
        if form == "bitmaps"
        else isinstance(frame.schema.get("items"), pl.List)
    )
    if "size" not in frame.schema or not is_right:
        raise DataError(f"{file} has not the columns of randomized transactions: {frame.schema}.")
    counts = pl.scan_parquet(file, glob=False).group_by("size").len().sort("size").collect()
    return RandomizedFile(
        path=file,
        operator=operator_from_dict(about["operator"]),
        labels=labels,
        experimental=bool(about["experimental"]),
        form=form,
        n_of_size=dict(zip(counts["size"].to_list(), counts["len"].to_list(), strict=True)),
    )


def metadata(operator: Operator, labels: Labels, *, experimental: bool) -> dict[str, str]:
    """Return what a file of randomized transactions says of itself."""
    about = {
        "version": VERSION,
        "operator": operator.to_dict(),
        "items": list(labels),
        "experimental": experimental,
    }
    return {METADATA: json.dumps(about)}


def _sizes(frame: pl.DataFrame) -> NDArray[np.int32]:
    return frame["size"].cast(pl.Int32).to_numpy()


def _read_about(file: Path, told: str) -> dict[str, Any]:
    try:
        about = json.loads(told)
    except ValueError as error:
        raise DataError(f"{file}: what it says of itself cannot be read ({error}).") from None
    keys = {"version", "operator", "items", "experimental"}
    if not isinstance(about, dict) or set(about) != keys or about["version"] != VERSION:
        raise DataError(f"{file} was written by another version; this one reads {VERSION}.")
    return about
