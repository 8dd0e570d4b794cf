"""Transactions: sets of items, held as sorted integer codes, and whose they are if that is known.

Three arrays say all: `offsets` cuts `items` into transactions, and an item is a place in
`labels`. They are read-only, so a `Transactions` can be shared between threads and results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from discreet.data.item_sets import check_labels, encode_sets, sorted_sets, take_sets
from discreet.data.people import check_statement, same_people
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.item_sets import Label, Labels
    from discreet.data.people import People
    from discreet.data.transaction_frames import FrameKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Transactions:  # noqa: PLW1641 - arrays inside: equal, but no keys
    """Sets of items, immutable, as offsets into one array of item codes.

    Build one with `from_iterable`, `from_frame`, `from_long`, `from_onehot` or `from_csr`,
    or read a file with `discreet.data.files.fimi.read_transactions`.

    Attributes
    ----------
    offsets : array of int64
        Transaction i holds ``items[offsets[i]:offsets[i + 1]]``.
    items : array of int32
        Item codes, ascending within a transaction, each at most once.
    labels : tuple of int, or tuple of str
        What each code stands for. All integers or all text, each label once.
    n_repeated : int
        Occurrences dropped because the transaction already held the item.
    people : People, optional
        Whose each transaction is, if a column said so; a person may have several.
    one_row_per_person : bool
        Whether it is stated that every transaction is another person.

    Notes
    -----
    Two are equal if labels and sets are, in order. Constructors that find the labels sort them.

    Examples
    --------
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"], []])
    >>> baskets
    Transactions: 3 transactions, 2 items, 3 occurrences, mean size 1.00
    >>> baskets.labels, baskets.items.tolist(), baskets.offsets.tolist()
    (('milk', 'tea'), [0, 1, 0], [0, 2, 3, 3])
    >>> baskets[1]
    frozenset({'milk'})
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    labels: Labels
    n_repeated: int = 0
    people: People | None = None
    one_row_per_person: bool = False

    @classmethod
    def from_csr(cls, offsets: ArrayLike, items: ArrayLike, labels: Sequence[Label]) -> Self:
        """Return transactions from offsets and codes; sorts each and drops repeats.

        Parameters
        ----------
        offsets : integers, one more than transactions
            Starts at 0, never falls, ends at the number of codes.
        items : integers
            Codes from 0 to ``len(labels) - 1``.
        labels : sequence of int, or of str
            What each code stands for, each once.

        Raises
        ------
        DataError
            If the arrays do not fit together or a label is neither text nor integer.

        Examples
        --------
        >>> Transactions.from_csr([0, 3], [1, 0, 1], ["a", "b"]).n_repeated
        1
        """
        names = check_labels(labels)
        cuts, codes, n_repeated = sorted_sets(offsets, items, len(names))
        return cls(offsets=cuts, items=codes, labels=names, n_repeated=n_repeated)

    @classmethod
    def from_iterable(cls, transactions: Iterable[Iterable[Label]]) -> Self:
        """Return transactions from sets, lists or any iterables of labels.

        Parameters
        ----------
        transactions : iterable of iterables of int, or of str
            A string is refused as a transaction: it would fall apart into letters.

        Raises
        ------
        DataError
            If a transaction is a string or holds anything but text or integers.

        Examples
        --------
        >>> Transactions.from_iterable([{3, 1}, [2, 2]]).items.tolist()
        [0, 2, 1]
        """
        return cls.from_csr(*encode_sets(transactions))

    @classmethod
    def from_frame(cls, frame: object, *, items: str, person: str | None = None) -> Self:
        """Return transactions from a list column of a polars, pandas, pyarrow or duckdb frame.

        Parameters
        ----------
        frame : dataframe
            One row for each transaction.
        items : str
            The column whose cells are lists of integers or of text. An empty list is an
            empty transaction; a missing list or item is an error.
        person : str, optional
            The column that says whose each transaction is.

        Raises
        ------
        DataError
            If the column is absent, not made of lists, or holds missing values.

        Examples
        --------
        >>> import polars as pl
        >>> Transactions.from_frame(pl.DataFrame({"basket": [["a", "b"], []]}), items="basket")
        Transactions: 2 transactions, 2 items, 2 occurrences, mean size 1.00
        """
        from discreet.data.transaction_frames import csr_of_lists, people_of_lists

        made = cls.from_csr(*csr_of_lists(frame, items))
        return made if person is None else replace(made, people=people_of_lists(frame, person))

    @classmethod
    def from_long(
        cls,
        frame: object,
        *,
        id: str,  # noqa: A002 - reads best
        item: str,
        person: str | None = None,
    ) -> Self:
        """Return transactions from a frame with one row for each item of each transaction.

        Parameters
        ----------
        frame : dataframe
            Rows of one transaction need not stand together.
        id : str
            The column that says which transaction; they come in order of first appearance.
        item : str
            The column of items, integers or text.
        person : str, optional
            The column that says whose each transaction is.

        Raises
        ------
        DataError
            If a column is absent, holds missing values or is of another kind, or a transaction
            is of two people.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"who": [7, 3, 7], "what": ["a", "b", "b"]})
        >>> [sorted(basket) for basket in Transactions.from_long(frame, id="who", item="what")]
        [['a', 'b'], ['b']]
        """
        from discreet.data.transaction_frames import csr_of_long, people_of_long

        made = cls.from_csr(*csr_of_long(frame, id, item))
        return made if person is None else replace(made, people=people_of_long(frame, id, person))

    @classmethod
    def from_onehot(cls, frame: object) -> Self:
        """Return transactions from a frame of booleans with one column for each item.

        Parameters
        ----------
        frame : dataframe
            Boolean columns without missing values; their names become the labels.

        Raises
        ------
        DataError
            If a column is not boolean or has missing values.

        Examples
        --------
        >>> import polars as pl
        >>> Transactions.from_onehot(pl.DataFrame({"a": [True, False], "b": [True, True]}))[0]
        frozenset({...})
        """
        from discreet.data.transaction_frames import csr_of_onehot

        return cls.from_csr(*csr_of_onehot(frame))

    @property
    def n_transactions(self) -> int:
        """Number of transactions, empty ones included."""
        return self.offsets.size - 1

    @property
    def n_items(self) -> int:
        """Number of different items, that is of labels."""
        return len(self.labels)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each transaction."""
        return np.diff(self.offsets)

    @property
    def supports(self) -> NDArray[np.int64]:
        """Number of transactions that hold each item."""
        return np.bincount(self.items, minlength=self.n_items)

    def take(self, which: ArrayLike) -> Self:
        """Return the transactions at the given places, or where a mask is true.

        Labels stay, used or not.

        Examples
        --------
        >>> Transactions.from_iterable([[1], [2], [3]]).take([2, 0])[0]
        frozenset({3})
        """
        offsets, items = take_sets(self.offsets, self.items, which)
        taken = self.from_csr(offsets, items, self.labels)
        people = None if self.people is None else self.people.take(np.asarray(which))
        return replace(taken, people=people, one_row_per_person=self.one_row_per_person)

    def stating(self, *, one_row_per_person: bool = False) -> Self:
        """Return the transactions knowing that every one is another person, if that is stated."""
        check_statement(None, one_row_per_person, known=self.people)
        return replace(self, one_row_per_person=True) if one_row_per_person else self

    def united(self) -> Self:
        """Return one transaction for each person, with the items of all of theirs.

        Raises
        ------
        ParameterError
            If nothing says whose each transaction is.

        Examples
        --------
        >>> import polars as pl
        >>> frame = pl.DataFrame({"who": [7, 7, 3], "basket": [["a"], ["b", "a"], []]})
        >>> baskets = Transactions.from_frame(frame, items="basket", person="who")
        >>> [sorted(basket) for basket in baskets.united()]
        [[], ['a', 'b']]
        """
        if self.people is None:
            raise ParameterError(
                "Nothing says whose each transaction is.",
                parameter="person",
                remedy="Name the column when the transactions are made, as person=.",
            )
        owners = np.repeat(self.people.codes, self.sizes)
        order = np.argsort(owners, kind="stable")
        n_items = np.bincount(owners, minlength=self.people.n_people)
        offsets = np.concatenate([[0], np.cumsum(n_items)])
        made = self.from_csr(offsets, self.items[order], self.labels)
        return replace(made, one_row_per_person=True)

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401 - of the library asked for
        """Return a frame with one list column, ``items``.

        Examples
        --------
        >>> Transactions.from_iterable([["b", "a"], []]).to_frame().to_dict(as_series=False)
        {'items': [['a', 'b'], []]}
        """
        from discreet.data.transaction_frames import Csr, lists_frame

        return lists_frame(Csr(self.offsets, self.items, self.labels), kind)

    def to_long(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401 - of the library asked for
        """Return a frame with a row for each occurrence: ``transaction`` (from 0) and ``item``.

        Empty transactions leave no row.

        Examples
        --------
        >>> Transactions.from_iterable([["b", "a"], ["a"]]).to_long().rows()
        [(0, 'a'), (0, 'b'), (1, 'a')]
        """
        from discreet.data.transaction_frames import Csr, long_frame

        return long_frame(Csr(self.offsets, self.items, self.labels), kind)

    def to_onehot(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401 - of the library asked for
        """Return a frame of booleans with a column for each item, named by its label as text.

        Examples
        --------
        >>> Transactions.from_iterable([[1, 2], [2]]).to_onehot().rows()
        [(True, True), (False, True)]
        """
        from discreet.data.transaction_frames import Csr, onehot_frame

        return onehot_frame(Csr(self.offsets, self.items, self.labels), kind)

    def __len__(self) -> int:
        return self.n_transactions

    def __iter__(self) -> Iterator[frozenset[Label]]:
        cuts = self.offsets.tolist()
        names = [self.labels[code] for code in self.items.tolist()]
        for start, end in pairwise(cuts):
            yield frozenset(names[start:end])

    @overload
    def __getitem__(self, place: int) -> frozenset[Label]: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: int | slice) -> frozenset[Label] | Self:
        if isinstance(place, slice):
            return self.take(np.arange(self.n_transactions)[place])
        at = range(self.n_transactions)[place]
        codes = self.items[self.offsets[at] : self.offsets[at + 1]]
        return frozenset(self.labels[code] for code in codes.tolist())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Transactions):
            return NotImplemented
        return (
            self.labels == other.labels
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.items, other.items)
            and self.one_row_per_person == other.one_row_per_person
            and same_people(self.people, other.people)
        )

    def __repr__(self) -> str:
        mean = self.items.size / max(1, self.n_transactions)
        n = None if self.people is None else self.people.n_people
        of = "" if n is None else f" of {n:,} {'person' if n == 1 else 'people'}"
        return (
            f"Transactions: {self.n_transactions:,} transactions{of}, {self.n_items:,} items, "
            f"{self.items.size:,} occurrences, mean size {mean:.2f}"
        )


def as_transactions(data: object) -> Transactions:
    """Return the transactions that a public function was given, whatever form they came in.

    Parameters
    ----------
    data : Transactions, frame, iterable of sets or Release
        Transactions are returned as they are; of a release of transactions those that are
        published. A frame has one column of lists, or only columns of booleans, one for each
        item.

    Returns
    -------
    Transactions
        What the functions of this package work on.

    Raises
    ------
    DataError
        If a frame is of neither form, or a transaction is a text or holds anything but text and
        whole numbers.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_transactions(pa.table({"tea": [True, False], "milk": [True, True]}))
    Transactions: 2 transactions, 2 items, 3 occurrences, mean size 1.50
    >>> as_transactions([{"tea", "milk"}, {"milk"}]).labels
    ('milk', 'tea')
    """
    if isinstance(data, Transactions):
        return data
    # A release is known by its data: the class itself stands in a layer above.
    published = getattr(data, "data", None)
    if isinstance(published, Transactions):
        return published
    if isinstance(data, Sequence | AbstractSet | Iterator):
        return Transactions.from_iterable(data)
    from discreet.data.transaction_frames import csr_of_frame

    return Transactions.from_csr(*csr_of_frame(data))
