"""The one encoded form that tables and transactions turn into before mining.

Items are numbered; in a table an item is a pair (column, value) and the items of one
column have consecutive numbers. Equal rows of a table collapse into one weighted row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _native
from discreet.data.table import Table
from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.mine.limits import search

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.limits import Limits

MAX_ROWS = 2**31 - 1


class Item(NamedTuple):
    """One value of one column of a table."""

    column: str
    value: Hashable

    def __str__(self) -> str:
        return f"{self.column}={'(missing)' if self.value is None else self.value}"


class Database:
    """Weighted transactions of numbered items, ready to be mined.

    Made by :meth:`of`, :meth:`from_table` or :meth:`from_transactions`; every miner accepts
    it in place of the table, which saves encoding the table again.

    Examples
    --------
    >>> import discreet as dc
    >>> db = Database.of(dc.Transactions.from_iterable([{"a", "b"}, {"a", "b"}, {"b"}]))
    >>> db.n_rows, db.labels
    (3, ('a', 'b'))
    """

    __slots__ = (
        "_positions",
        "column_of",
        "columns",
        "group_of",
        "items",
        "labels",
        "n_rows",
        "native",
        "offsets",
        "weights",
    )

    def __init__(
        self,
        *,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        weights: NDArray[np.int64],
        labels: Sequence[Hashable],
        columns: Sequence[str] = (),
        column_of: NDArray[np.int32] | None = None,
        group_of: NDArray[np.int32] | None = None,
    ) -> None:
        self.offsets, self.items, self.weights = offsets, items, weights
        self.labels = tuple(labels)
        self.columns = tuple(columns)
        self.column_of = np.empty(0, np.int32) if column_of is None else column_of
        self.group_of = group_of
        self.n_rows = int(weights.sum())
        if self.n_rows > MAX_ROWS:
            raise DataError(f"{self.n_rows:,} rows are more than the engine's {MAX_ROWS:,}.")
        self.native = _native.Database(offsets, items, weights, len(self.labels), self.column_of)
        self._positions: dict[Hashable, int] | None = None

    @property
    def n_transactions(self) -> int:
        """Number of stored transactions: distinct rows of a table."""
        return len(self.weights)

    @property
    def n_items(self) -> int:
        """Number of items, those that never occur included."""
        return len(self.labels)

    @property
    def is_table(self) -> bool:
        """Whether items are values of columns, of which a row has one each."""
        return bool(self.columns)

    def __repr__(self) -> str:
        kind = f"{len(self.columns)} columns" if self.is_table else "transactions"
        return (
            f"Database({kind}, {self.n_rows:,} rows, {self.n_transactions:,} distinct, "
            f"{self.n_items:,} items)"
        )

    def code(self, label: Hashable) -> int:
        """Return the number of an item, given as in ``labels``."""
        if self._positions is None:
            self._positions = {known: code for code, known in enumerate(self.labels)}
        try:
            return self._positions[label]
        except KeyError:
            hint = did_you_mean(str(label), map(str, self.labels))
            raise ParameterError(f"No item {label!r} in these data. {hint}") from None

    @classmethod
    def of(cls, data: object, **limits: Unpack[Limits]) -> Database:
        """Return the database of a Table, Transactions, frame, or of itself."""
        if isinstance(data, Database):
            return data
        if isinstance(data, Transactions):
            return cls.from_transactions(data)
        if isinstance(data, Table):
            return cls.from_table(data, **limits)
        return cls.from_table(Table.from_frame(data), **limits)

    @classmethod
    def from_transactions(cls, transactions: Transactions) -> Database:
        """Return the database of a set of transactions; each keeps its place."""
        return cls(
            offsets=transactions.offsets,
            items=transactions.items,
            weights=np.ones(len(transactions), np.int64),
            labels=transactions.labels,
        )

    @classmethod
    def from_table(
        cls, table: Table, *, columns: Iterable[str] | None = None, **limits: Unpack[Limits]
    ) -> Database:
        """Return the database of a table, equal rows collapsed.

        Parameters
        ----------
        table : Table
            The table.
        columns : iterable of str, optional
            Columns to use; all but the identifying ones by default.
        **limits : Limits
            Threads, limits and progress.

        Returns
        -------
        Database
            One weighted transaction for each distinct row; ``group_of`` tells which.
        """
        names = table_columns(table, columns)
        codes = [table.codes(name).astype(np.uint32) for name in names]
        values = [table.values(name) for name in names]
        with search("equal rows", "Use fewer columns", **limits) as running:
            first, weights, group_of = _native.collapse(
                codes, table.n_rows, running.control, running.progress
            )
        starts = np.cumsum([0, *(len(column) for column in values)])
        items = np.empty((len(first), len(names)), np.int32)
        for place, column in enumerate(codes):
            items[:, place] = column[first] + starts[place]
        return cls(
            offsets=np.arange(len(first) + 1, dtype=np.int64) * len(names),
            items=items.reshape(-1),
            weights=weights,
            labels=[
                Item(name, value)
                for name, column in zip(names, values, strict=True)
                for value in column
            ],
            columns=names,
            column_of=np.repeat(np.arange(len(names), dtype=np.int32), np.diff(starts)),
            group_of=group_of,
        )


def table_columns(table: Table, columns: Iterable[str] | None) -> tuple[str, ...]:
    """Return the columns to use: those given, or all but the identifying ones."""
    if columns is None:
        return tuple(name for name in table.columns if name not in table.identifying)
    return table.select(columns).columns
