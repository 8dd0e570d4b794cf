"""Randomized transactions in a Parquet file that says by itself what was done.

The operator and the list of items stand in the metadata of the file. Sets are lists of items,
or bitmaps: for dense sets bitmaps take a tenth of the space and of the time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from discreet import _native, checks
from discreet.data.files.packed import find_file
from discreet.data.files.source import open_parquet
from discreet.data.item_sets import check_labels
from discreet.data.transactions import Transactions
from discreet.errors import DataError
from discreet.limits import search
from discreet.randomize.operators.base import Randomized, lists_of
from discreet.randomize.operators.kinds import operator_from_dict

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from typing import Self, Unpack

    from numpy.typing import NDArray

    from discreet.data.item_sets import Labels
    from discreet.limits import Limits
    from discreet.randomize.operators.base import Operator


Form: TypeAlias = Literal["lists", "bitmaps"]

FORMS = ("lists", "bitmaps")

METADATA = "discreet.randomized"

VERSION = 1

READ_STEP = 1 << 14  # transactions read at a time


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
        self, size: int = READ_STEP
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]]:
        """Yield the transactions as offsets, items and true sizes, some at a time.

        Parameters
        ----------
        size : int
            How many at a time.
        """
        size = checks.whole("size", size, at_least=1)
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
        self, size: int = READ_STEP
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int32]]]:
        """Yield the rows of a file of bitmaps, and the true sizes, some at a time."""
        size = checks.whole("size", size, at_least=1)
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
    stated = pl.read_parquet_metadata(file).get(METADATA)
    if stated is None:
        raise DataError(
            f"{file} does not say how it was randomized; it must be written by randomize_file."
        )
    about = _read_about(file, stated)
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


def _read_about(file: Path, stated: str) -> dict[str, Any]:
    try:
        about = json.loads(stated)
    except ValueError as error:
        raise DataError(f"{file}: what it says of itself cannot be read ({error}).") from None
    keys = {"version", "operator", "items", "experimental"}
    if not isinstance(about, dict) or set(about) != keys or about["version"] != VERSION:
        raise DataError(f"{file} was written by another version; this one reads {VERSION}.")
    return about


# Items as places in a stated list, many at a time.

SPAN = 1 << 24  # numbers within this of each other are looked up in a table, others searched


@dataclass(frozen=True)
class ItemCodes:
    """A public list of items, all integers or all text.

    Attributes
    ----------
    labels : tuple of int, or tuple of str
        The items; the code of each is its place.

    Examples
    --------
    >>> ItemCodes.of([30, 10]).encode(pl.Series([10, 30, 10]), "here").tolist()
    [1, 0, 1]
    """

    labels: Labels

    @classmethod
    def of(cls, items: Iterable[object]) -> Self:
        """Return the list checked: labels of one kind, each once, at least one."""
        labels = check_labels(items)
        if not labels:
            raise DataError("The list of items is empty; state every item that may occur.")
        return cls(labels)

    @property
    def is_text(self) -> bool:
        """Whether the items are text."""
        return isinstance(self.labels[0], str)

    @property
    def dtype(self) -> pl.DataType:
        """The kind of column that holds items."""
        if self.is_text:
            return pl.String()
        return pl.Int32() if self._decoded.dtype == np.int32 else pl.Int64()

    def numbers(self, codes: NDArray[np.int32]) -> NDArray[np.int32] | NDArray[np.int64]:
        """Return the integer labels of codes; text stays in codes."""
        if self.is_text or self._is_identity:
            return codes
        labels: NDArray[np.int32] | NDArray[np.int64] = self._decoded[codes]
        return labels

    @cached_property
    def _decoded(self) -> NDArray[np.int32] | NDArray[np.int64]:
        labels = np.array(self.labels, np.int64)
        is_small = labels.min() >= -(2**31) and labels.max() < 2**31
        return labels.astype(np.int32) if is_small else labels

    @cached_property
    def _is_identity(self) -> bool:
        return np.array_equal(self._decoded, np.arange(len(self.labels)))

    def encode(self, items: pl.Series, where: str) -> NDArray[np.int32]:
        """Return the codes of items, or raise DataError naming one that is not in the list."""
        if items.len() == 0:
            return np.empty(0, np.int32)
        if items.null_count():
            raise DataError(f"{where}: an item is missing; drop it or name it.")
        if isinstance(items.dtype, pl.Categorical | pl.Enum):
            items = items.cast(pl.String)
        if not (items.dtype.is_integer() or isinstance(items.dtype, pl.String)):
            raise DataError(
                f"{where}: items are of kind {items.dtype}; make them text or integers."
            )
        if self.is_text != isinstance(items.dtype, pl.String):
            stated, found = ("text", "integers") if self.is_text else ("integers", "text")
            raise DataError(f"{where}: items are {found}, but those of the list are {stated}.")
        codes = self._of_text(items) if self.is_text else self._of_numbers(items)
        if codes.min() < 0:
            unknown = items[int(np.argmin(codes))]
            raise DataError(f"{where}: item {unknown!r} is not in the list of items; add it there.")
        return codes

    @cached_property
    def _table(self) -> pl.DataFrame:
        codes = np.arange(len(self.labels), dtype=np.int32)
        return pl.DataFrame({"item": pl.Series(self.labels, dtype=pl.String), "code": codes})

    def _of_text(self, items: pl.Series) -> NDArray[np.int32]:
        frame = items.alias("item").to_frame()
        joined = frame.join(self._table, on="item", how="left", maintain_order="left")
        return joined["code"].fill_null(-1).to_numpy()

    @cached_property
    def _numbers(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The labels in ascending order, and the code of each."""
        labels = np.array(self.labels, np.int64)
        order = np.argsort(labels).astype(np.int32)
        return labels[order], order

    @cached_property
    def _by_number(self) -> NDArray[np.int32] | None:
        """The code of every number from the least label to the greatest, -1 between them."""
        ascending, codes = self._numbers
        if int(ascending[-1]) - int(ascending[0]) >= SPAN:
            return None
        table = np.full(int(ascending[-1]) - int(ascending[0]) + 1, -1, np.int32)
        table[ascending - ascending[0]] = codes
        return table

    def _of_numbers(self, items: pl.Series) -> NDArray[np.int32]:
        ascending, codes = self._numbers
        if items.dtype == pl.UInt64:  # what does not fit 64 bits with a sign is not in the list
            items = items.cast(pl.Int64, strict=False).fill_null(int(ascending[0]) - 1)
        numbers = items.cast(pl.Int64).to_numpy()
        if self._is_identity and numbers.min() >= 0 and numbers.max() < len(codes):
            return numbers.astype(np.int32)
        outside = (numbers < ascending[0]) | (numbers > ascending[-1])
        if self._by_number is not None:
            found = self._by_number[np.where(outside, 0, numbers - ascending[0])]
        else:
            place = np.minimum(np.searchsorted(ascending, numbers), len(codes) - 1)
            found = np.where(ascending[place] == numbers, codes[place], np.int32(-1))
        found[outside] = -1
        return found


# How many randomized transactions of each true size hold an itemset, from bitmaps.
#
# The transactions are read once, into one bitmap for each item; any number of itemsets is then
# counted without reading them again.

COUNT_STEP = 1 << 16  # transactions handed over at a time

REMEDY = "Mine fewer items or transactions"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SizedSupports:
    """Randomized transactions as bitmaps, in a group for each true size.

    Attributes
    ----------
    operator : Operator
        What was applied.
    labels : tuple of int, or tuple of str
        What each item stands for, null items last.
    dummies : int
        How many null items there are.
    sizes : tuple of int
        The true sizes, ascending.
    counts : array of int64
        Number of transactions of each size.
    bitmaps : _native.SizedBitmaps
        What they hold: an eighth of a byte for each transaction and item.
    """

    operator: Operator
    labels: Labels
    dummies: int
    sizes: tuple[int, ...]
    counts: NDArray[np.int64]
    bitmaps: _native.SizedBitmaps

    @property
    def n_items(self) -> int:
        """Number of items that stand for something; they come first."""
        return len(self.labels) - self.dummies

    @classmethod
    def of(cls, randomized: Randomized, **limits: Unpack[Limits]) -> Self:
        """Return the bitmaps of transactions in memory."""
        sets = randomized.transactions
        cuts = [sets.offsets[at : at + COUNT_STEP + 1] for at in range(0, len(sets), COUNT_STEP)]
        batches = (
            (cut - cut[0], sets.items[cut[0] : cut[-1]], randomized.sizes[at : at + COUNT_STEP])
            for at, cut in zip(range(0, len(sets), COUNT_STEP), cuts, strict=True)
        )
        return cls.from_batches(
            batches,
            operator=randomized.operator,
            labels=sets.labels,
            dummies=randomized.dummies,
            sizes=tuple(randomized.n_of_size()),
            **limits,
        )

    @classmethod
    def of_file(cls, file: RandomizedFile, **limits: Unpack[Limits]) -> Self:
        """Return the bitmaps of transactions in a file, which need not fit the memory."""
        sizes = tuple(file.n_of_size)
        if file.form == "lists":
            return cls.from_batches(
                file.batches(),
                operator=file.operator,
                labels=file.labels,
                dummies=0,
                sizes=sizes,
                **limits,
            )
        bitmaps = _native.SizedBitmaps(len(file.labels), len(sizes))
        for words, of_sizes in file.bitmap_batches():
            groups = np.searchsorted(sizes, of_sizes).astype(np.int32)
            with search("bitmaps of the transactions", REMEDY, **limits) as running:
                bitmaps.add_bitmaps(np.ascontiguousarray(words).ravel(), groups, running.control)
        return cls._made(bitmaps, file.operator, file.labels, 0, sizes)

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]],
        *,
        operator: Operator,
        labels: Labels,
        dummies: int,
        sizes: tuple[int, ...],
        **limits: Unpack[Limits],
    ) -> Self:
        """Return the bitmaps of transactions that come as offsets, items and true sizes."""
        bitmaps = _native.SizedBitmaps(len(labels), len(sizes))
        known = np.array(sizes, np.int32)
        for offsets, items, of_sizes in batches:
            groups = np.searchsorted(known, of_sizes).astype(np.int32)
            with search("bitmaps of the transactions", REMEDY, **limits) as running:
                bitmaps.add(offsets, items, groups, running.control)
        return cls._made(bitmaps, operator, labels, dummies, sizes)

    @classmethod
    def _made(
        cls,
        bitmaps: _native.SizedBitmaps,
        operator: Operator,
        labels: Labels,
        dummies: int,
        sizes: tuple[int, ...],
    ) -> Self:
        return cls(
            operator=operator,
            labels=labels,
            dummies=dummies,
            sizes=sizes,
            counts=bitmaps.group_sizes,
            bitmaps=bitmaps,
        )

    def supports(self, itemsets: NDArray[np.int32], **limits: Unpack[Limits]) -> NDArray[np.int64]:
        """Return the supports of itemsets, a row each, in each size, a column each.

        Parameters
        ----------
        itemsets : array of int32, a row for each itemset
            Items as places in `labels`. Rows that begin alike should follow each other.
        """
        size = itemsets.shape[1]
        with search(f"supports of itemsets of {size} items", REMEDY, **limits) as running:
            return self.bitmaps.supports(
                np.ascontiguousarray(itemsets, np.int32).ravel(),
                size,
                running.control,
                running.progress,
            )
