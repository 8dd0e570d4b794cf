"""Where the rule comes from that says which cells of a row are suppressed.

Each scheme is given the rows that train it, if any, and marks cells of the rows to be published.
What it marks in a row depends on that row and on what was learnt, never on other rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Protocol, cast

import numpy as np

from discreet.data.domains import (
    as_text,
    labels_of_texts,
    listed_codes,
    listed_like,
    listed_values,
    text_order,
)
from discreet.data.table import Table
from discreet.mine.database import Database
from discreet.mine.infrequent import mark_itemsets, minimal_infrequent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.domains import DomainsLike
    from discreet.limits import Limits
    from discreet.noise import Noise

    Marks = NDArray[np.bool_]
    Rows = NDArray[np.int64]


class Scheme(Protocol):
    """What says which cells are suppressed."""

    @property
    def split_rate(self) -> Fraction | None:
        """Share of the rows that train it, or None if no row does."""

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:
        """Return the rule learnt from rows, given by place: from other rows to their marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DpScheme:
    """An allow list of values and pairs, by noisy supports in the training part.

    An itemset is allowed if its support plus noise is above ``theta``. One row changes
    ``itemsets.sensitivity`` supports by one each, so the list is
    (sensitivity / scale)-differentially private for the rows that train it.
    """

    codes: NDArray[np.int64]
    itemsets: DomainItemsets
    split_rate: Fraction
    theta: int
    scale: Fraction

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:
        """Return the rule of the allow list."""
        supports = self.itemsets.supports(self.codes[training])
        # Noise on every itemset that could occur, not only on those that do: an allow list of
        # occurring ones would disclose that they occur.
        allowed = supports + noise.discrete_laplace(self.scale, len(self.itemsets)) > self.theta
        return lambda rows: self.itemsets.marks(self.codes[rows], allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicScheme:
    """Minimal infrequent itemsets of a public table; values that it lacks are marked too."""

    table: Table
    public: Table
    theta: int
    limits: Limits
    split_rate: None = None

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:  # noqa: ARG002
        """Return the rule of the public table; no row of the protected one trains it."""
        return _infrequent_in(self.public, self.table, self.theta, self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitScheme:
    """Minimal infrequent itemsets of the training part as it is: no protection for its rows."""

    table: Table
    split_rate: Fraction
    theta: int
    limits: Limits

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:  # noqa: ARG002
        """Return the rule of the training part."""
        return _infrequent_in(self.table.take(training), self.table, self.theta, self.limits)


def _infrequent_in(
    learnt_from: Table, table: Table, theta: int, limits: Limits
) -> Callable[[Rows], Marks]:
    """Return the rule that marks what is infrequent in one table in rows of another."""
    columns = table.columns
    if learnt_from.n_rows <= theta:  # the empty set is infrequent: nothing may be seen
        return lambda rows: np.ones((len(rows), len(columns)), np.bool_)
    seen = Database.from_table(learnt_from, columns=columns, **limits)
    infrequent = minimal_infrequent(seen, theta=theta, **limits)

    def marks(rows: Rows) -> Marks:
        applied = table.take(rows)
        found = mark_itemsets(Database.from_table(applied, **limits), infrequent, **limits)
        for place, name in enumerate(columns):
            # A value that the scheme has never seen has support 0 there: it is infrequent.
            known = set(learnt_from.values(name))
            new = np.array([value not in known for value in applied.values(name)], np.bool_)
            found[:, place] |= new[applied.codes(name)] if len(new) else False
        return found

    return marks


# Every single value and every pair of values that columns can have, counted or not.
#
# All of them are there, those that no row has included: which ones occur is confidential.


@dataclass(frozen=True, slots=True)
class DomainItemsets:
    """All itemsets of one or two items over columns with so many values each.

    They are numbered: first the values of each column, then the pairs of the first and second
    column, of the first and third, and so on.

    Examples
    --------
    >>> pairs = DomainItemsets((2, 3))
    >>> len(pairs), pairs.sensitivity
    (11, 3)
    >>> pairs.supports(np.array([[0, 2], [1, 2]])).tolist()
    [1, 1, 0, 0, 2, 0, 0, 1, 0, 0, 1]
    """

    sizes: tuple[int, ...]

    def __len__(self) -> int:
        squares = sum(size * size for size in self.sizes)
        return sum(self.sizes) + (sum(self.sizes) ** 2 - squares) // 2

    @property
    def sensitivity(self) -> int:
        """In how many itemsets a row is: one for each column and each pair of columns."""
        return len(self.sizes) + comb(len(self.sizes), 2)

    def supports(self, codes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of rows in each itemset."""
        out = np.empty(len(self), np.int64)
        for begin, columns in self._blocks():
            cells, n_cells = self._cells(codes, columns)
            out[begin : begin + n_cells] = np.bincount(cells, minlength=n_cells)
        return out

    def marks(self, codes: NDArray[np.int64], allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return the cells that lie in a minimal itemset of their row that is not allowed.

        Parameters
        ----------
        codes : array of int, rows by columns
            The rows.
        allowed : array of bool
            Whether each itemset may be seen.

        Returns
        -------
        array of bool, rows by columns
            A value that is not allowed is marked alone; of a pair that is not allowed, although
            both its values are, both cells are marked.
        """
        fine = np.empty(codes.shape, np.bool_)
        marks = np.zeros(codes.shape, np.bool_)
        for begin, columns in self._blocks():
            cells, _ = self._cells(codes, columns)
            seen = allowed[begin + cells]
            if len(columns) == 1:
                fine[:, columns[0]] = seen
                marks[:, columns[0]] = ~seen
            else:
                first, second = columns
                # A pair counts only if both of its values are allowed: else the value alone is the
                # minimal itemset, and the other cell may stay. Blocks of single columns come first,
                # so `fine` is complete here.
                rare = fine[:, first] & fine[:, second] & ~seen
                marks[:, first] |= rare
                marks[:, second] |= rare
        return marks

    def _blocks(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield where the itemsets of each column and pair of columns begin."""
        begin = 0
        for columns in self._sets():
            yield begin, columns
            begin += int(np.prod([self.sizes[column] for column in columns]))

    def _sets(self) -> Iterator[tuple[int, ...]]:
        every = range(len(self.sizes))
        yield from combinations(every, 1)
        yield from combinations(every, 2)

    def _cells(
        self, codes: NDArray[np.int64], columns: tuple[int, ...]
    ) -> tuple[NDArray[np.int64], int]:
        """Return the place of each row's itemset in its block, and the size of the block."""
        place = codes[:, columns[0]]
        n_places = self.sizes[columns[0]]
        for column in columns[1:]:
            place = place * self.sizes[column] + codes[:, column]
            n_places *= self.sizes[column]
        return place, n_places


# The values that each column can have, in one order, whatever the table looks like.
#
# A list of values is public if it comes from a schema, a hierarchy or another table. Codes are
# places in the sorted list, and the last one stands for missing and suppressed cells alike.


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDomains:
    """The sorted values of each column, ``None`` always there and last."""

    columns: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...]
    is_public: bool

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each column."""
        return tuple(len(values) for values in self.values)

    @property
    def suppressed(self) -> NDArray[np.int64]:
        """The code of a missing or suppressed cell, for each column."""
        return np.array([len(values) - 1 for values in self.values], np.int64)

    def encode(self, table: Table) -> NDArray[np.int64]:
        """Return the codes of a table, rows by columns.

        Raises
        ------
        DataError
            If a value is not in its column's list, before anything is made of the table.
        """
        codes = np.empty((table.n_rows, len(self.columns)), np.int64)
        for place, (name, values) in enumerate(zip(self.columns, self.values, strict=True)):
            codes[:, place] = listed_codes(table, name, values)
        return codes

    def decode(self, rows: NDArray[np.int64], like: Table) -> Table:
        """Return the table of some rows of codes; its types follow from the lists alone."""
        values = dict(zip(self.columns, self.values, strict=True))
        codes = {name: rows[:, j] for j, name in enumerate(self.columns)}
        return Table.from_codes(codes, values, like=listed_like(values, like))


# The values of columns without lists, as texts: no value is released that the scheme has not seen.
#
# How a column was read, and with it type and order of its values, can depend on a row that is not
# drawn: one word among numbers makes texts of them all. Texts are compared, sorted by themselves,
# and become numbers again where everything that is released, or everything public, is a number.


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnTexts:
    """The sorted texts of each column, missing last, and what they are called if that is public."""

    columns: tuple[str, ...]
    texts: tuple[tuple[str | None, ...], ...]
    labels: tuple[Mapping[str | None, Label], ...] | None

    @classmethod
    def of(cls, table: Table, *, public: Table | None) -> ColumnTexts:
        """Return the texts of a table and of a public one, which says what they are called."""
        tables = (table,) if public is None else (table, public)
        texts = tuple(
            (*sorted({as_text(v) for t in tables for v in t.values(name)} - {None}, key=text_order),
             None)
            for name in table.columns
        )  # fmt: skip
        labels = None if public is None else tuple(
            {as_text(value): value for value in public.values(name)} for name in table.columns
        )  # fmt: skip
        return cls(columns=table.columns, texts=texts, labels=labels)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of texts of each column."""
        return tuple(len(texts) for texts in self.texts)

    @property
    def suppressed(self) -> NDArray[np.int64]:
        """The code of a missing or suppressed cell, for each column."""
        return np.array([len(texts) - 1 for texts in self.texts], np.int64)

    def as_texts(self, table: Table) -> Table:
        """Return a table with its values as texts."""
        codes = self.encode(table)
        named = {name: codes[:, j] for j, name in enumerate(self.columns)}
        made = Table.from_codes(named, dict(zip(self.columns, self.texts, strict=True)))
        return replace(
            made, people=table.people, one_row_per_person=table.one_row_per_person
        )  # fmt: skip

    def encode(self, table: Table) -> NDArray[np.int64]:
        """Return the codes of a table, rows by columns."""
        codes = np.empty((table.n_rows, len(self.columns)), np.int64)
        for j, (name, texts) in enumerate(zip(self.columns, self.texts, strict=True)):
            place = {text: number for number, text in enumerate(texts)}
            of_code = np.array([place[as_text(value)] for value in table.values(name)], np.int64)
            codes[:, j] = of_code[table.codes(name)] if table.n_rows else 0
        return codes

    def decode(self, rows: NDArray[np.int64], like: Table) -> Table:
        """Return the table of some rows of codes, as what is released, or public, says alone."""
        codes, values = {}, {}
        for j, (name, texts) in enumerate(zip(self.columns, self.texts, strict=True)):
            present, codes[name] = np.unique(rows[:, j], return_inverse=True)
            found = [texts[code] for code in present]
            if self.labels is None:
                values[name] = labels_of_texts(found)
            else:
                # A cell that the scheme did not suppress has a value of the public table.
                values[name] = tuple(None if t is None else self.labels[j][t] for t in found)
        # A column of categories lists what is released; no other type of a frame goes on.
        shown = {
            name: (*(v for v in found if v is not None), None) for name, found in values.items()
        }
        plain = listed_like(shown, like)
        return Table.from_codes(codes, values, like=plain)


def column_domains(
    table: Table, *, columns: tuple[str, ...], domains: DomainsLike | None = None
) -> ColumnDomains:
    """Return the values that columns can have, as given, or read from the table.

    Parameters
    ----------
    table : Table
        Read only if no domains are given.
    columns : tuple of str
        The columns.
    domains : mapping or Table, optional
        Column to an iterable of values or a :class:`Hierarchy`; or a public table whose
        values are meant. Columns not asked for are passed over.

    Returns
    -------
    ColumnDomains
        Sorted, so that the order discloses nothing.

    Raises
    ------
    ParameterError
        If a column has no list.
    DataError
        If a list mixes types or repeats a value.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["m", "m"]})
    >>> column_domains(people, columns=("sex",), domains={"sex": ["m", "f"]}).values
    (('f', 'm', None),)
    """
    source = table if domains is None else domains
    values = tuple(_sorted(listed_values(source, name)) for name in columns)
    return ColumnDomains(columns=columns, values=values, is_public=domains is not None)


def _sorted(listed: list[Label]) -> tuple[Label, ...]:
    """Return the values sorted, None last."""
    # All of one type, so they can be compared.
    present = cast("list[str]", [value for value in listed if value is not None])
    return (*sorted(present), None)
