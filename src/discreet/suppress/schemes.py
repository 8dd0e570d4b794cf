"""Where the rule comes from that says which cells of a row are suppressed.

Each scheme is given the rows that train it, if any, and marks cells of the rows to be published.
What it marks in a row depends on that row and on what was learnt, never on other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.mine.database import Database
from discreet.mine.infrequent import mark_itemsets, minimal_infrequent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.table import Table
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
