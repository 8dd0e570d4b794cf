"""A code table: itemsets in cover order, how often each is used, and the bits that costs.

Every row is the disjoint union of the elements that cover it, so that the table and the codes
of the rows give the data back.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _native
from discreet.data.frames.export import as_kind
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.mine.database import Database
from discreet.mine.itemsets import list_column
from discreet.mine.limits import search
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.frames.kinds import FrameKind
    from discreet.mine.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodeTable(Result):
    r"""Elements in cover order with their usages and supports; single items come last.

    .. math:: L(D \mid CT) = \sum_{X \in CT} u_X \log_2 \frac{S}{u_X}, \qquad
        L(CT \mid D) = \sum_{X \in CT,\, u_X > 0} \Bigl(\log_2 \frac{S}{u_X} +
        \sum_{i \in X} \log_2 \frac{\sum_j s_j}{s_i}\Bigr)

    where :math:`u_X` is the number of rows whose cover has X, :math:`S` the sum of the usages and
    :math:`s_i` the support of item i. Element ``e`` is ``items[offsets[e]:offsets[e + 1]]``;
    items are numbered by falling support, as in ``labels``.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    usages: NDArray[np.int64]
    supports: NDArray[np.int64]
    labels: tuple[Hashable, ...]
    n_rows: int
    n_accepted: int

    def __len__(self) -> int:
        return len(self.usages)

    def __repr__(self) -> str:
        return (
            f"CodeTable({self.n_itemsets:,} itemsets used, {self.total_bits:,.0f} bits, "
            f"{self.compression_ratio:.1%} of {self.standard_bits:,.0f})"
        )

    @property
    def itemsets(self) -> tuple[frozenset[Hashable], ...]:
        """The elements as sets of labels, in cover order."""
        return tuple(
            frozenset(self.labels[code] for code in self.items[begin:end])
            for begin, end in pairwise(self.offsets)
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each element."""
        return np.diff(self.offsets)

    @property
    def n_itemsets(self) -> int:
        """Number of elements with two items or more that are used."""
        return int(((self.sizes > 1) & (self.usages > 0)).sum())

    @property
    def code_lengths(self) -> NDArray[np.float64]:
        """Bits of each element's code; infinite for elements that are not used."""
        return _code_lengths(self.usages)

    @property
    def data_bits(self) -> float:
        """Length of the data, L(D | CT)."""
        used = self.usages > 0
        return float(self.usages[used] @ self.code_lengths[used])

    @property
    def table_bits(self) -> float:
        """Length of the table, L(CT | D): used elements only."""
        standard = np.concatenate([[0.0], np.cumsum(self._item_lengths()[self.items])])
        of_items = standard[self.offsets[1:]] - standard[self.offsets[:-1]]
        used = self.usages > 0
        return float(self.code_lengths[used].sum() + of_items[used].sum())

    @property
    def total_bits(self) -> float:
        """Length of data and table together: what Krimp makes small."""
        return self.data_bits + self.table_bits

    @property
    def standard_bits(self) -> float:
        """Length of the data in the standard code, which has single items only."""
        supports = self._item_supports()
        return float(supports @ self._item_lengths())

    @property
    def compression_ratio(self) -> float:
        """Total length as a share of the standard length of the data; lower is better."""
        standard = self.standard_bits
        return self.total_bits / standard if standard else 1.0

    def cover(
        self, rows: object, **limits: Unpack[Limits]
    ) -> list[tuple[frozenset[Hashable], ...]]:
        """Return for each row the elements that cover it, in the order they were taken."""
        covers, elements, group_of = self._covers(rows, **limits)
        itemsets = self.itemsets
        found = [
            tuple(itemsets[element] for element in elements[begin:end])
            for begin, end in pairwise(covers)
        ]
        return [found[group] for group in group_of]

    def encoded_lengths(
        self, data: object, *, smoothing: int = 0, **limits: Unpack[Limits]
    ) -> NDArray[np.float64]:
        """Return the bits of each row's cover.

        Parameters
        ----------
        data : Database, Table, Transactions or frame
            Rows of items that the table knows.
        smoothing : int, default 0
            Added to every usage, at least 0; with 1 (Laplace) no code is infinite.
        **limits : Limits
            Limits and progress.

        Returns
        -------
        numpy.ndarray
            One length for each row; infinite where an element of usage 0 covers.

        Raises
        ------
        DataError
            If a row has an item that the table does not know.
        """
        if smoothing < 0:
            raise ParameterError(f"smoothing={smoothing} must be at least 0.")
        covers, elements, group_of = self._covers(data, **limits)
        lengths = _code_lengths(self.usages + smoothing)[elements]
        row_of = np.repeat(np.arange(len(covers) - 1), np.diff(covers))
        bits = np.bincount(row_of, lengths, len(covers) - 1)
        return bits[group_of].astype(np.float64)

    def preview(self) -> Preview:
        """Return the first ten elements in cover order."""
        rows = [
            (", ".join(words), f"{self.usages[e]:,}", f"{self.supports[e]:,}")
            for e, words in enumerate(self._in_words(10))
        ]
        return Preview(title=repr(self), header=("items", "usage", "support"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the lengths and the elements as text with usages and supports."""
        return {
            "n_rows": self.n_rows,
            "n_accepted": self.n_accepted,
            "data_bits": self.data_bits,
            "table_bits": self.table_bits,
            "total_bits": self.total_bits,
            "standard_bits": self.standard_bits,
            "elements": [
                {"items": words, "usage": int(usage), "support": int(support)}
                for words, usage, support in zip(
                    self._in_words(len(self)), self.usages, self.supports, strict=True
                )
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with columns items (list of text), size, usage, support and bits."""
        import polars as pl

        frame = pl.DataFrame(
            {
                "items": list_column(self.labels, self.offsets, self.items),
                "size": self.sizes,
                "usage": self.usages,
                "support": self.supports,
                "bits": self.code_lengths,
            }
        )
        return as_kind(frame, kind)

    def _in_words(self, n: int) -> list[list[str]]:
        return [
            [str(self.labels[code]) for code in self.items[begin:end]]
            for begin, end in zip(self.offsets[:n], self.offsets[1 : n + 1], strict=False)
        ]

    def _item_supports(self) -> NDArray[np.int64]:
        return self.supports[len(self) - len(self.labels) :]

    def _item_lengths(self) -> NDArray[np.float64]:
        """Return the standard code's length of each item, 0 for those that never occur."""
        lengths = _code_lengths(self._item_supports())
        return np.where(np.isinf(lengths), 0.0, lengths)

    def _covers(
        self, data: object, **limits: Unpack[Limits]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Return the covers of stored transactions, and which of them each row is."""
        database = Database.of(data, **limits)
        known = self._recoded(database)
        with search("covers", "Give fewer rows", **limits) as running:
            covers, elements = _native.krimp_cover(
                known.native, self.offsets, self.items, running.control, running.progress
            )
        if database.group_of is not None:
            return covers, elements, database.group_of.astype(np.int64)
        return covers, elements, np.arange(database.n_transactions)

    def _recoded(self, database: Database) -> Database:
        """Return the database with this table's numbers of items."""
        if database.labels == self.labels and not database.is_table:
            return database
        place = {label: code for code, label in enumerate(self.labels)}
        codes = np.array([place.get(label, -1) for label in database.labels], np.int32)
        items = codes[database.items]
        if len(items) and items.min() < 0:
            unknown = database.labels[database.items[int(items.argmin())]]
            hint = did_you_mean(str(unknown), map(str, self.labels))
            raise DataError(f"The code table has no item {str(unknown)!r}. {hint}")
        return renumbered(database, codes, self.labels)


def renumbered(
    database: Database, codes: NDArray[np.int32], labels: tuple[Hashable, ...]
) -> Database:
    """Return the same transactions with other numbers of items, ascending in each."""
    row_of = np.repeat(np.arange(database.n_transactions), np.diff(database.offsets))
    items = codes[database.items]
    return Database(
        offsets=database.offsets,
        items=items[np.lexsort((items, row_of))],
        weights=database.weights,
        labels=labels,
        group_of=database.group_of,
    )


def _code_lengths(usages: NDArray[np.int64]) -> NDArray[np.float64]:
    lengths = np.full(len(usages), np.inf)
    used = usages > 0
    lengths[used] = np.log2(usages.sum() / usages[used])
    return lengths
