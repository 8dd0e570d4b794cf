"""Items as places in a stated list, many at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.data.item_sets import check_labels
from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.item_sets import Labels

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
