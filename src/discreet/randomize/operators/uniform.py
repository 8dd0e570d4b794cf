"""Uniform randomization: every item is replaced, with one chance, by an item of others."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, ClassVar, cast

import numpy as np

from discreet.data.transactions import Transactions
from discreet.errors import ParameterError
from discreet.randomize.local_epsilon import gamma_of_uniform
from discreet.randomize.matrix import invert
from discreet.randomize.operators.operator import Operator
from discreet.randomize.probability import as_text, inner_probability
from discreet.randomize.transition import why_singular

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from numpy.typing import NDArray

    from discreet.noise import Noise
    from discreet.randomize.matrix import Matrix
    from discreet.randomize.probability import Number


@dataclass(frozen=True, init=False)
class Uniform(Operator):
    r"""Uniform randomization: r ~ Bin(m, p) of the m items give way to r new ones.

    Every item is replaced with chance p, independently; the r new items are distinct and drawn
    uniformly from those that were not in the transaction.

    Parameters
    ----------
    p : probability
        Above 0 and below 1.

    Notes
    -----
    **Guarantee.** Local differential privacy among transactions of one size, but with an
    epsilon that grows with the number of items: an item that is seen is seldom there by
    chance. It is here for comparison. The paper leaves open which items are the new ones; this
    is the definition that keeps the size.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 2.

    Examples
    --------
    >>> round(Uniform(0.8).local_epsilon(3, n_items=10_000), 1)
    21.7
    """

    kind: ClassVar[str] = "uniform"
    p: Fraction

    def __init__(self, p: Number) -> None:
        object.__setattr__(self, "p", inner_probability("p", p))

    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Raise ParameterError if a transaction holds more than half of the items."""
        for m in sizes:
            _check_room(m, n_items)

    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return the transition matrix in exact fractions, for ``n_items`` items in all."""
        if n_items is None:
            raise ParameterError(
                "Uniform randomization inserts the rarer the more items there are: give n_items."
            )
        _check_room(m, n_items)
        if not 0 <= k <= n_items:
            raise ParameterError(f"k={k} must be the size of an itemset, 0 to {n_items}.")
        return _transition(self.p, m, k, n_items)

    def inverse(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return Q with Q P = 1 in exact fractions, for ``n_items`` items in all."""
        return _inverse(self.exact_transition(m, k, n_items=n_items), why_singular(m, k))

    def gamma(self, m: int, n_items: int) -> Fraction:
        """Return the largest ratio of chances among transactions of m items."""
        _check_room(m, n_items)
        return gamma_of_uniform(self.p, m, n_items)

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it.

        Examples
        --------
        >>> Uniform(0.8).to_dict()
        {'operator': 'uniform', 'p': '4/5'}
        """
        return {"operator": self.kind, "p": as_text(self.p)}

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""
        cls._check_kind(given, {"p"})
        return cls(cast("Number", given["p"]))

    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        offsets, n_items = transactions.offsets, transactions.n_items
        row = np.repeat(np.arange(len(transactions)), transactions.sizes)
        taken = row * n_items + transactions.items  # keys of items that are not new
        replaced = noise.bernoulli(self.p, row.size)
        place = np.arange(row.size) - offsets[row]
        new = np.empty(row.size, np.int64)
        for slot in range(int(transactions.sizes.max(initial=0))):
            todo = np.flatnonzero(replaced & (place == slot))
            new[todo] = _draw_outside(row[todo], taken, n_items, noise)
            taken = np.sort(np.concatenate([taken, new[todo]]))
        keys = np.sort(np.where(replaced, new, row * n_items + transactions.items))
        return Transactions.from_csr(offsets, keys % max(1, n_items), transactions.labels)


def _draw_outside(
    rows: NDArray[np.int64], taken: NDArray[np.int64], n_items: int, noise: Noise
) -> NDArray[np.int64]:
    """Return one item for each row as a key, uniform among those not taken, by trying."""
    out = np.empty(rows.size, np.int64)
    todo = np.arange(rows.size)
    while todo.size:
        keys = rows[todo] * n_items + noise.integers(n_items, size=todo.size)
        at = np.minimum(np.searchsorted(taken, keys), taken.size - 1)
        is_free = taken[at] != keys
        out[todo[is_free]] = keys[is_free]
        todo = todo[~is_free]
    return out


@lru_cache(maxsize=1024)
def _transition(p: Fraction, m: int, k: int, n_items: int) -> Matrix:
    """Return p[l -> l'] by the number q of kept items of A, and r of replaced ones."""
    size = min(k, m)
    rows = [[Fraction(0)] * (size + 1) for _ in range(k + 1)]
    for before in range(size + 1):
        if k - before > n_items - m:
            continue  # such a transaction does not exist
        for kept in range(before + 1):
            chance = comb(before, kept) * (1 - p) ** kept * p ** (before - kept)
            for others in range(m - before + 1):
                r = before - kept + others
                weight = chance * comb(m - before, others)
                weight *= p**others * (1 - p) ** (m - before - others)
                for new in range(min(k - before, r) + 1):
                    ways = comb(k - before, new) * comb(n_items - m - k + before, r - new)
                    rows[kept + new][before] += weight * Fraction(ways, comb(n_items - m, r))
    return tuple(map(tuple, rows))


@lru_cache(maxsize=1024)
def _inverse(matrix: Matrix, reason: str) -> Matrix:
    return invert(matrix, reason=reason)


def _check_room(m: int, n_items: int) -> None:
    if not 0 <= 2 * m <= n_items:
        raise ParameterError(
            f"A transaction of {m} of {n_items} items leaves too few others to replace all of "
            "them. Uniform randomization takes sizes up to half the number of items."
        )
