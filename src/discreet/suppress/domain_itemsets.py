"""Every single value and every pair of values that columns can have, counted or not.

All of them are there, those that no row has included: which ones occur is nobody's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


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
                hidden = fine[:, first] & fine[:, second] & ~seen
                marks[:, first] |= hidden
                marks[:, second] |= hidden
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
