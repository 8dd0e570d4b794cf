"""Select-a-size operators: keep some items of the transaction, insert others at random.

How many items are kept, and how likely another item is inserted, is a law for each size. All
that can be said of the operator follows from these laws.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.randomize.bulk import BulkRandomizer
from discreet.randomize.local_epsilon import gamma_of_law
from discreet.randomize.operators.operator import Operator
from discreet.randomize.transition import all_present, inverse, transition_matrix

if TYPE_CHECKING:
    from fractions import Fraction

    from discreet.data.transactions import Transactions
    from discreet.noise import Noise
    from discreet.randomize.matrix import Matrix


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
    >>> from fractions import Fraction
    >>> SizeLaw((Fraction(1, 3), Fraction(2, 3)), Fraction(1, 5)).m
    1
    """

    keep: tuple[Fraction, ...]
    rho: Fraction
    _hash: int = field(init=False, repr=False, compare=False)  # laws are keys of every cache

    def __post_init__(self) -> None:
        if not self.keep or min(self.keep) < 0 or sum(self.keep) != 1:
            raise ParameterError(
                f"The {len(self.keep)} chances of keeping 0, 1, ... items of a transaction must "
                f"be at least 0 and sum to 1, not to {sum(self.keep)}."
            )
        if not 0 < self.rho < 1:
            raise ParameterError(f"rho={self.rho} must be above 0 and below 1.")
        object.__setattr__(self, "_hash", hash((self.keep, self.rho)))

    def __hash__(self) -> int:
        return self._hash

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
        sizes = np.unique(transactions.sizes).tolist()
        n_items = transactions.n_items
        bulk = BulkRandomizer.of(self, sizes=sizes, n_items=n_items, key=noise.key())
        return bulk.randomize(transactions)
