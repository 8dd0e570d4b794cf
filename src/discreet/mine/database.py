"""The one encoded form that tables and transactions turn into before mining.

Items are numbered; in a table an item is a pair (column, value) and the items of one
column have consecutive numbers. Equal rows of a table collapse into one weighted row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeAlias, get_args

import numpy as np

from discreet import _native, checks
from discreet.data.table import Table, as_table
from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.limits import search, size_limit
from discreet.mine.itemsets import Counts, Itemsets
from discreet.noise import noise_from

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.people import People
    from discreet.limits import Limits, Progress


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
        "people",
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
        people: NDArray[np.int32] | None = None,
    ) -> None:
        self.offsets, self.items, self.weights = offsets, items, weights
        self.labels = tuple(labels)
        self.columns = tuple(columns)
        self.column_of = np.empty(0, np.int32) if column_of is None else column_of
        self.group_of = group_of
        self.people = people
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
            raise ParameterError(
                f"No item {label!r} in these data.", parameter="items", remedy=hint
            ) from None

    @classmethod
    def of(cls, data: object, *, of_people: bool = False, **limits: Unpack[Limits]) -> Database:
        """Return the database of a Table, Transactions, frame or Release, or of itself."""
        if isinstance(data, Database):
            return data
        published = getattr(data, "data", data)  # of a release
        if isinstance(published, Transactions):
            return cls.from_transactions(published)
        return cls.from_table(as_table(data), of_people=of_people, **limits)

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
        cls,
        table: Table,
        *,
        columns: Iterable[str] | None = None,
        of_people: bool = False,
        **limits: Unpack[Limits],
    ) -> Database:
        """Return the database of a table, equal rows collapsed.

        Parameters
        ----------
        table : Table
            The table.
        columns : iterable of str, optional
            Columns to use; all but the identifying ones by default.
        of_people : bool
            Whether equal rows collapse only together with their people, where these are known:
            ``people`` then says whose each transaction is, for miners that count people.
        **limits : Limits
            Threads, limits and progress.

        Returns
        -------
        Database
            One weighted transaction for each distinct row; ``group_of`` says which.
        """
        names = table_columns(table, columns)
        codes = [table.codes(name).astype(np.uint32) for name in names]
        whose = table.people if of_people else None
        keys = codes if whose is None else [*codes, whose.codes.astype(np.uint32)]
        values = [table.values(name) for name in names]
        with search("equal rows", "Use fewer columns", **limits) as running:
            first, weights, group_of = _native.collapse(
                keys, table.n_rows, running.control, running.progress
            )
        starts = np.cumsum([0, *(len(column) for column in values)])
        items = np.empty((len(first), len(names)), np.int32)
        for place, column in enumerate(codes):
            # Items of a column follow those of the one before: every row is sorted, as kernels want
            # it.
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
            people=None if whose is None else np.ascontiguousarray(whose.codes[first]),
        )


def table_columns(table: Table, columns: Iterable[str] | None) -> tuple[str, ...]:
    """Return the columns to use: those given, or all but the identifying ones."""
    if columns is None:
        return tuple(name for name in table.columns if name not in table.identifying)
    return table.select(columns).columns


# Calls a kernel under limits and labels what comes back.


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


# One threshold from the two ways of giving it: a count or a share.


def least_support(min_support: int | None, min_frequency: float | None, *, n_rows: int) -> int:
    """Return the least support in rows, given as rows or as a share of them.

    A share is read as the decimal it prints as: 0.07 of 100 rows is 7, where binary rounding
    would make it 8.

    Examples
    --------
    >>> least_support(None, 0.07, n_rows=100)
    7
    >>> least_support(7, None, n_rows=5)
    7
    """
    if (min_support is None) == (min_frequency is None):
        raise ParameterError(
            "Give exactly one of {min_support} (rows) and {min_frequency} (share).",
            parameter="min_support",
            options={"min_support": ..., "min_frequency": ...},
        )
    if min_support is not None:
        advice = "For a share of the rows use {min_frequency}."
        return checks.whole("min_support", min_support, at_least=1, remedy=advice)
    advice = "For a number of rows use {min_support}."
    share = checks.exact("min_frequency", min_frequency, above=0, at_most=1, remedy=advice)
    # In exact fractions: 0.07 of 100 rows are 7, which floats would make 8.
    return max(1, math.ceil(share * n_rows))


# One set of items for each person, from rows or transactions of which a person has several.
#
# Supports of itemsets that fit together by inclusion and exclusion count sets of items. Of a person
# with several rows "has a row with a" and "has a row with b" say nothing of a row with both, so
# that people must not be counted over rows that are mined as rows: their transactions are united,
# or one row of each is chosen, before anything is mined.

PerPerson: TypeAlias = Literal["unite", "one"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnePerPerson:
    """What is mined of some data, and how it was made of them.

    Attributes
    ----------
    data : Table or Transactions
        With one row or transaction of each person, if that is known.
    source : Table or Transactions
        What it was made from.
    done : {"unite", "one"}, optional
        None if nothing says whose each row is.
    is_seeded : bool
        Whether rows were chosen by a seed that somebody knows.
    """

    data: Table | Transactions
    source: Table | Transactions
    done: PerPerson | None = None
    is_seeded: bool = False


def one_per_person(
    data: object,
    *,
    per_person: PerPerson | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    seed: int | None = None,
) -> OnePerPerson:
    """Return data with one row or transaction of each person, where it is known whose they are.

    Parameters
    ----------
    data : Table, Transactions, frame or Release
        What is to be mined.
    per_person : {"unite", "one"}, optional
        What becomes of several transactions of one person: they are united into one, or one is
        chosen at random. Of the rows of a table, one is chosen: "one". It is needed if a person
        has several.
    person, one_row_per_person : optional
        Of a frame: the column that says whose each row is, or the statement that every row is
        another person.
    seed : int, optional
        For experiments: the choice can be repeated, by others too.

    Returns
    -------
    OnePerPerson
        Nothing in ``data`` says any longer whose each row was.

    Raises
    ------
    ParameterError
        If a person has several rows and nothing says which to take, or it is said although nothing
        says whose they are.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"who": [1, 1, 2], "basket": [["a"], ["b"], ["a"]]})
    >>> baskets = Transactions.from_frame(frame, items="basket", person="who")
    >>> [sorted(basket) for basket in one_per_person(baskets, per_person="unite").data]
    [['a', 'b'], ['a']]
    >>> len(one_per_person(baskets, per_person="one").data)
    2
    """
    if per_person is not None:
        checks.one_of("per_person", per_person, get_args(PerPerson))
    known = _stated(data, person, one_row_per_person=one_row_per_person)
    if known.people is None:
        if per_person is None and seed is None:
            return OnePerPerson(data=known, source=known)
        option = "seed" if per_person is None else "per_person"
        raise ParameterError(
            f"{{{option}}} says which rows of a person are taken, and nothing says whose each row "
            "is.",
            parameter=option,
            remedy="Name the column, as person=, or leave it out.",
            options={option: seed if per_person is None else per_person},
        )
    done = _checked(known, known.people, per_person)
    if done == "unite":
        assert isinstance(known, Transactions)
        if seed is not None:
            raise ParameterError(
                "Transactions are united, and nothing is chosen by a {seed}.",
                parameter="seed",
                options={"seed": seed},
            )
        return OnePerPerson(data=known.united(), source=known, done=done)
    rows = known.people.one_row_each(noise_from(seed).permutation(len(known)))
    chosen = replace(known.take(rows), people=None, one_row_per_person=True)
    return OnePerPerson(data=chosen, source=known, done=done, is_seeded=seed is not None)


def check_one_each(data: object) -> None:
    """Raise ParameterError if a person has several rows: people would be counted over rows.

    Examples
    --------
    >>> check_one_each(Table.from_frame({"who": [1, 2], "sex": ["f", "m"]}, person="who"))
    """
    people = getattr(getattr(data, "data", data), "people", None)
    if people is not None and people.most_rows > 1:
        raise ParameterError(
            f"Column '{people.column}' names people with several rows, and patterns are counted "
            "over one set of items of each.",
            parameter="person",
            column=people.column,
            remedy="Take one row of each person first, with discreet.mine.one_per_person.",
        )


def _stated(data: object, person: str | None, *, one_row_per_person: bool) -> Table | Transactions:
    """Return data as a table or transactions that know what is stated of people."""
    published = getattr(data, "data", data)  # of a release
    if not isinstance(published, Transactions):
        return as_table(data, person=person, one_row_per_person=one_row_per_person)
    if person is not None:
        raise ParameterError(
            "Transactions have no columns: {person} is named when they are made.",
            parameter="person",
            remedy="Use Transactions.from_frame or from_long with person=.",
            options={"person": person},
        )
    return published.stating(one_row_per_person=one_row_per_person)


def _checked(data: Table | Transactions, people: People, per_person: PerPerson | None) -> PerPerson:
    """Return what is done, or raise ParameterError if it cannot be, or was not said."""
    is_table = isinstance(data, Table)
    if per_person == "unite" and is_table:
        raise ParameterError(
            "Rows of a table have one value in each column and cannot be united: {per_person} is "
            '"one".',
            parameter="per_person",
            options={"per_person": "unite"},
        )
    if per_person is None and people.most_rows > 1:
        what, ways = ("rows", '"one" chooses one of each at random') if is_table else (
            "transactions",
            '"unite" makes one of them, "one" chooses one of each at random',
        )  # fmt: skip
        raise ParameterError(
            f"Column '{people.column}' names people with several {what}, and itemsets are counted "
            "over one set of items of each person.",
            parameter="per_person",
            column=people.column,
            remedy=f"Give {{per_person}}: {ways}.",
            options={"per_person": ...},
        )
    return "one" if per_person is None else per_person
