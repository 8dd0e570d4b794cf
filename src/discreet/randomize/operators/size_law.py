"""Select-a-size operators: keep some items of the transaction, insert others at random.

How many items are kept, and how likely another item is inserted, is a law for each size. All
that can be said of the operator follows from these laws.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.transactions import Transactions
from discreet.errors import ParameterError
from discreet.randomize.local_epsilon import gamma_of_law
from discreet.randomize.operators.operator import Operator
from discreet.randomize.transition import all_present, inverse, transition_matrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.noise import Noise
    from discreet.randomize.matrix import Matrix

CHUNK = 1 << 22  # coins at a time


@dataclass(frozen=True, slots=True)
class SizeLaw:
    """The law of a select-a-size operator for transactions of one size (Definition 7).

    Attributes
    ----------
    keep : tuple of Fraction
        ``keep[j]`` is the chance p_m[j] that j of the m items are kept, j from 0 to m; which
        ones is drawn uniformly without replacement.
    rho : Fraction
        The chance that an item outside the transaction is inserted, above 0 and below 1.

    Examples
    --------
    >>> SizeLaw((Fraction(1, 3), Fraction(2, 3)), Fraction(1, 5)).m
    1
    """

    keep: tuple[Fraction, ...]
    rho: Fraction

    def __post_init__(self) -> None:
        if not self.keep or min(self.keep) < 0 or sum(self.keep) != 1:
            raise ParameterError(
                f"The {len(self.keep)} chances of keeping 0, 1, ... items of a transaction must "
                f"be at least 0 and sum to 1, not to {sum(self.keep)}."
            )
        if not 0 < self.rho < 1:
            raise ParameterError(f"rho={self.rho} must be above 0 and below 1.")

    @property
    def m(self) -> int:
        """The size of the transactions."""
        return len(self.keep) - 1


class SizeLawOperator(Operator):
    """Base of the operators that have a :class:`SizeLaw` for every size."""

    @abstractmethod
    def law(self, m: int) -> SizeLaw:
        """Return the law for transactions of m items, or raise ParameterError."""

    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Raise ParameterError if there is no law for one of these sizes."""
        for m in sizes:
            if m > n_items:
                raise ParameterError(f"A transaction of {m} items does not fit {n_items} items.")
            self.law(m)

    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return the transition matrix in exact fractions; the number of items is no matter."""
        del n_items
        return transition_matrix(self.law(m), m, k)

    def inverse(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return Q with Q P = 1 in exact fractions; the number of items is no matter."""
        del n_items
        return inverse(self.law(m), m, k)

    def all_present(self, m: int, k: int, *, n_items: int | None = None) -> tuple[Fraction, ...]:
        """Return the chances p[l -> k] that all items of an itemset are in the result.

        Examples
        --------
        >>> from discreet.randomize import CutAndPaste
        >>> print(*CutAndPaste(cutoff=2, rho="1/5").all_present(3, 2))
        1/25 7/75 49/225
        """
        del n_items
        return all_present(self.law(m), k)

    def gamma(self, m: int, n_items: int) -> Fraction | None:
        """Return the largest ratio of chances among transactions of m of n_items items.

        Examples
        --------
        >>> from discreet.randomize import CutAndPaste
        >>> operator = CutAndPaste(cutoff=7, rho=0.353)
        >>> operator.local_epsilon(5, n_items=1000)
        6.471298316321646
        """
        return gamma_of_law(self.law(m), m, n_items)

    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        sizes = transactions.sizes
        drawn: list[NDArray[np.int64]] = []  # keys row * n_items + item
        for m in np.unique(sizes).tolist():
            rows = np.flatnonzero(sizes == m)
            step = max(1, CHUNK // max(1, transactions.n_items))
            drawn += [
                self._draw_rows(transactions, rows[start : start + step], m, noise)
                for start in range(0, rows.size, step)
            ]
        keys = np.sort(np.concatenate(drawn)) if drawn else np.empty(0, np.int64)
        row, items = np.divmod(keys, max(1, transactions.n_items))
        offsets = np.searchsorted(row, np.arange(len(transactions) + 1))
        return Transactions.from_csr(offsets, items, transactions.labels)

    def _draw_rows(
        self, transactions: Transactions, rows: NDArray[np.int64], m: int, noise: Noise
    ) -> NDArray[np.int64]:
        """Return the items of randomized rows, all of size m, as keys row * n_items + item."""
        law, n_items = self.law(m), transactions.n_items
        own = transactions.items[transactions.offsets[rows][:, None] + np.arange(m)]
        # Definition 7: a coin for every item outside, the drawn j items inside.
        present = noise.bernoulli(law.rho, rows.size * n_items).reshape(rows.size, n_items)
        n_kept = draw_from(law.keep, rows.size, noise)
        shuffled = shuffle_rows(own, noise)
        present[np.arange(rows.size)[:, None], shuffled] = np.arange(m) < n_kept[:, None]
        row, item = np.nonzero(present)
        return rows[row] * n_items + item


def draw_from(chances: tuple[Fraction, ...], size: int, noise: Noise) -> NDArray[np.int64]:
    """Return numbers 0, 1, ... drawn with exactly these chances.

    Examples
    --------
    >>> from discreet.noise import SeededNoise
    >>> draw_from((Fraction(0), Fraction(1, 2), Fraction(1, 2)), 6, SeededNoise(1)).tolist()
    [...]
    """
    out = np.full(size, len(chances) - 1)
    left, remaining = np.arange(size), Fraction(1)
    for value, chance in enumerate(chances[:-1]):
        if remaining == 0:
            break
        hit = noise.bernoulli(chance / remaining, left.size)
        out[left[hit]] = value
        left, remaining = left[~hit], remaining - chance
    return out


def shuffle_rows(rows: NDArray[np.int32], noise: Noise) -> NDArray[np.int32]:
    """Return every row in an order drawn uniformly from all orders, rows independent.

    Examples
    --------
    >>> from discreet.noise import SeededNoise
    >>> np.sort(shuffle_rows(np.array([[1, 2, 3]], np.int32), SeededNoise(0))).tolist()
    [[1, 2, 3]]
    """
    out, at = rows.copy(), np.arange(len(rows))
    for i in range(rows.shape[1] - 1):  # Fisher and Yates, one column of all rows at a time
        chosen = i + noise.integers(rows.shape[1] - i, size=len(rows))
        out[at, i], out[at, chosen] = out[at, chosen], out[:, i].copy()
    return out
