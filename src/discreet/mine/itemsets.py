"""Itemsets with their supports, stored as columns and labelled only when looked at."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet import checks
from discreet.data.frames import as_kind, write_frame
from discreet.errors import DataError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence
    from pathlib import Path

    import altair as alt
    import polars as pl
    from numpy.typing import NDArray

    from discreet.data.column import FrameKind


class Itemset(NamedTuple):
    """A set of items and the number of rows that contain it."""

    items: frozenset[Hashable]
    support: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(Result):
    """How many itemsets there are, by size; the itemsets themselves were never stored."""

    kind: str
    by_size: tuple[int, ...]
    n_rows: int

    @property
    def total(self) -> int:
        """Number of itemsets of all sizes."""
        return sum(self.by_size)

    def preview(self) -> Preview:
        """Return one row for each size that occurs."""
        rows = [(str(size), f"{n:,}") for size, n in enumerate(self.by_size) if n]
        return Preview(
            title=f"{self.total:,} {self.kind} itemsets", header=("items", "itemsets"), rows=rows
        )

    def to_dict(self) -> dict[str, object]:
        """Return kind, n_itemsets, n_rows and the counts by size."""
        return {
            "kind": self.kind,
            "n_itemsets": self.total,
            "n_rows": self.n_rows,
            "by_size": list(self.by_size),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Itemsets(Result):
    """Itemsets with supports, in canonical order: by size, then by item number.

    Iterating gives ``(items, support)`` pairs with items as labels. The arrays ``offsets``,
    ``items`` and ``supports`` hold the same without labels: itemset ``i`` is
    ``items[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{1, 2}, {1, 2}, {2}])
    >>> found = dc.mine.frequent(baskets, min_support=2)
    >>> [(sorted(items), support) for items, support in found]
    [([1], 2), ([2], 3), ([1, 2], 2)]
    """

    kind: str
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.int64]
    labels: tuple[Hashable, ...]
    n_rows: int

    def __len__(self) -> int:
        return len(self.supports)

    def __getitem__(self, index: int) -> Itemset:
        if not -len(self) <= index < len(self):
            raise IndexError(f"itemset {index} of {len(self)}")
        index %= len(self)
        codes = self.items[self.offsets[index] : self.offsets[index + 1]]
        return Itemset(frozenset(self.labels[code] for code in codes), int(self.supports[index]))

    def __iter__(self) -> Iterator[Itemset]:
        return (self[index] for index in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Itemsets):
            return NotImplemented
        return self.n_rows == other.n_rows and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Itemsets({len(self):,} {self.kind}, from {self.n_rows:,} rows)"

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each itemset."""
        return np.diff(self.offsets)

    def in_words(self, index: int) -> list[str]:
        """Return the items of one itemset as text, in canonical order."""
        codes = self.items[self.offsets[index] : self.offsets[index + 1]]
        return [str(self.labels[code]) for code in codes]

    def preview(self) -> Preview:
        """Return the first ten itemsets."""
        rows = [
            (", ".join(self.in_words(i)) or "(empty)", f"{self.supports[i]:,}")
            for i in range(min(10, len(self)))
        ]
        return Preview(title=repr(self), header=("items", "support"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return kind, n_itemsets, n_rows and the itemsets as text."""
        return {
            "kind": self.kind,
            "n_itemsets": len(self),
            "n_rows": self.n_rows,
            "itemsets": [
                {"items": self.in_words(i), "support": int(self.supports[i])}
                for i in range(len(self))
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with columns items (list of text), size, support and frequency."""
        return as_kind(self._frame(), kind)

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write to ``.parquet`` or ``.csv`` (items joined by a blank), whole or not at all."""
        write_frame(self._frame(), path, overwrite=overwrite)

    def plot(self) -> alt.Chart:
        """Return a chart of how many itemsets there are of each size."""
        import altair as alt
        import polars as pl

        sizes, n_itemsets = np.unique(self.sizes, return_counts=True)
        frame = pl.DataFrame({"items": sizes, "itemsets": n_itemsets})
        chart: alt.Chart = alt.Chart(frame).mark_bar().encode(x="items:O", y="itemsets:Q")
        return chart

    def to_mlxtend(self) -> Any:  # noqa: ANN401  a pandas frame, and pandas has no types
        """Return a pandas frame as mlxtend makes: ``support`` (share) and ``itemsets``."""
        shares = self.supports / max(self.n_rows, 1)
        columns = {"support": shares, "itemsets": [items for items, _ in self]}
        return importlib.import_module("pandas").DataFrame(columns)

    @classmethod
    def from_mlxtend(cls, frame: Any, *, n_rows: int) -> Itemsets:  # noqa: ANN401  as above
        """Return the itemsets of a frame made by mlxtend, shares turned back into counts.

        Parameters
        ----------
        frame : pandas.DataFrame
            With columns ``support`` (share) and ``itemsets`` (frozensets).
        n_rows : int
            Number of rows that were mined.

        Raises
        ------
        DataError
            If a column is missing or a share is no multiple of ``1 / n_rows``.
        """
        import narwhals.stable.v2 as nw

        n_rows = checks.whole("n_rows", n_rows, at_least=0)
        columns = nw.from_native(frame, eager_only=True)
        for name in ("support", "itemsets"):
            if name not in columns.columns:
                raise DataError(
                    f"Column {name!r} is missing; expected mlxtend's frame.", column=name
                )
        shares = np.asarray(columns["support"].to_list(), float)
        supports = np.rint(shares * n_rows).astype(np.int64)
        wrong = np.flatnonzero(np.abs(supports - shares * n_rows) > 1e-6 * max(n_rows, 1))
        if len(wrong):
            raise DataError(
                f"Row {wrong[0]}: support {shares[wrong[0]]} is no whole number of {n_rows} rows; "
                "check n_rows."
            )
        sets = columns["itemsets"].to_list()
        return cls.from_mapping(dict(zip(sets, supports.tolist(), strict=True)), n_rows=n_rows)

    @classmethod
    def from_mapping(
        cls,
        supports: Mapping[frozenset[Any], int],  # labels of any type: mappings are invariant
        *,
        n_rows: int,
        kind: str = "given",
    ) -> Itemsets:
        """Return itemsets from a mapping of sets to supports, in canonical order.

        Examples
        --------
        >>> Itemsets.from_mapping({frozenset("ab"): 2, frozenset("a"): 3}, n_rows=4)
        Itemsets(2 given, from 4 rows)
        """
        n_rows = checks.whole("n_rows", n_rows, at_least=0)
        labels = sorted({item for items in supports for item in items}, key=_natural)
        code_of = {label: code for code, label in enumerate(labels)}
        coded = sorted(
            (len(items), sorted(code_of[item] for item in items), support)
            for items, support in supports.items()
        )
        return cls(
            kind=kind,
            offsets=np.cumsum([0, *(size for size, _, _ in coded)], dtype=np.int64),
            items=np.array([code for _, codes, _ in coded for code in codes], np.int32),
            supports=np.array([support for _, _, support in coded], np.int64),
            labels=tuple(labels),
            n_rows=n_rows,
        )

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        return pl.DataFrame(
            {
                "items": list_column(self.labels, self.offsets, self.items),
                "size": self.sizes,
                "support": self.supports,
                "frequency": self.supports / max(self.n_rows, 1),
            }
        )


def list_column(
    labels: Sequence[Hashable], offsets: NDArray[np.int64], items: NDArray[np.int32]
) -> pl.Series:
    """Return sets of item numbers as a polars column of lists of text."""
    import polars as pl

    names = pl.Series([str(label) for label in labels], dtype=pl.String)
    sizes = np.diff(offsets)
    cells = pl.DataFrame(
        {"row": np.repeat(np.arange(len(sizes)), sizes), "item": names.gather(items)}
    )
    lists = cells.group_by("row", maintain_order=True).agg("item")
    rows = pl.DataFrame({"row": np.arange(len(sizes))}).join(
        lists, on="row", how="left", maintain_order="left"
    )
    return rows["item"].fill_null([])


def _natural(label: Hashable) -> tuple[str, object]:
    """Order labels of one type by value and labels of different types by type."""
    return (type(label).__name__, label if isinstance(label, int | float | str) else str(label))


# Which itemsets of a collection have an item, as bits: containment by whole words at a time.

CHUNK_WORDS = 2**22  # words gathered at a time: 32 MB


@dataclass(frozen=True, slots=True)
class ItemBits:
    """For each item, the itemsets of a collection that have it.

    Itemset ``s`` is bit ``s % 64`` of word ``s // 64``.

    Examples
    --------
    >>> from discreet.mine.itemsets import Itemsets
    >>> sets = Itemsets.from_mapping({frozenset("a"): 3, frozenset("ab"): 2}, n_rows=4)
    >>> ItemBits.of(sets).n_supersets(sets).tolist()
    [2, 1]
    """

    n_sets: int
    row_of: NDArray[np.int64]  # by item; the last row is that of items that no itemset has
    bits: NDArray[np.uint64]

    @classmethod
    def of(cls, sets: Itemsets) -> ItemBits:
        """Return the bits of a collection."""
        used, rows = np.unique(sets.items, return_inverse=True)
        row_of = np.full(len(sets.labels), len(used), np.int64)
        row_of[used] = np.arange(len(used))
        bits = np.zeros((len(used) + 1, (len(sets) + 63) // 64), np.uint64)
        which = np.repeat(np.arange(len(sets)), sets.sizes)
        bit = np.left_shift(np.uint64(1), (which % 64).astype(np.uint64))
        np.bitwise_or.at(bits.reshape(-1), rows * bits.shape[1] + which // 64, bit)
        return cls(len(sets), row_of, bits)

    def having_all(
        self, offsets: NDArray[np.int64], items: NDArray[np.int32]
    ) -> NDArray[np.uint64]:
        """Return, for each of some sets of items, the itemsets that have all of it."""
        found = np.empty((len(offsets) - 1, self.bits.shape[1]), np.uint64)
        for rows, part in self._reduced(np.bitwise_and, offsets, items, ~np.uint64(0)):
            found[rows] = part
        if self.n_sets % 64:  # no itemset is behind the last one
            found[:, -1] &= np.uint64((1 << self.n_sets % 64) - 1)
        return found

    def having_any(
        self, offsets: NDArray[np.int64], items: NDArray[np.int32]
    ) -> NDArray[np.uint64]:
        """Return, for each of some sets of items, the itemsets that have one item of it."""
        found = np.empty((len(offsets) - 1, self.bits.shape[1]), np.uint64)
        for rows, part in self._reduced(np.bitwise_or, offsets, items, np.uint64(0)):
            found[rows] = part
        return found

    def n_supersets(self, itemsets: Itemsets) -> NDArray[np.int64]:
        """Return how many of the collection's itemsets contain each of some other itemsets."""
        n = np.empty(len(itemsets), np.int64)
        everything = ~np.uint64(0)
        for rows, part in self._reduced(
            np.bitwise_and, itemsets.offsets, itemsets.items, everything
        ):
            n[rows] = np.bitwise_count(part).sum(axis=1, dtype=np.int64)
        n[itemsets.sizes == 0] = self.n_sets
        return n

    def _reduced(
        self,
        operation: np.ufunc,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        of_nothing: np.uint64,
    ) -> Iterator[tuple[slice, NDArray[np.uint64]]]:
        """Yield slices of the sets and the bits of their items joined by an operation."""
        n_sets, n_words = len(offsets) - 1, max(self.bits.shape[1], 1)
        low = 0
        while low < n_sets:
            enough = offsets[low] + max(CHUNK_WORDS // n_words, 1)
            high = max(int(np.searchsorted(offsets, enough, side="right")) - 1, low + 1)
            here = offsets[low : high + 1]
            joined = np.full((high - low, self.bits.shape[1]), of_nothing)
            filled = np.flatnonzero(np.diff(here) > 0)
            if len(filled):
                gathered = self.bits[self.row_of[items[here[0] : here[-1]]]]
                joined[filled] = operation.reduceat(gathered, here[filled] - here[0], axis=0)
            yield slice(low, high), joined
            low = high


def unpacked(bits: NDArray[np.uint64], n: int) -> NDArray[np.bool_]:
    """Return rows of bits as rows of ``n`` booleans."""
    words = np.ascontiguousarray(bits).astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(words, axis=1, count=n, bitorder="little").view(np.bool_)
