"""Itemsets drawn with whole weights by support: mined where frequent, else by rejection."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from discreet.mine.database import Database, Item
from discreet.mine.frequent import count_frequent, frequent
from discreet.synthesize.domains import domain_codes
from discreet.synthesize.exponential import exp_below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from discreet.data.column import Label
    from discreet.data.table import Table
    from discreet.mine.limits import Limits
    from discreet.noise import Noise

WEIGHT_BITS = 256
_TRIALS = 16  # about so many uniform itemsets are drawn for one that is kept, at most
_WORD = 32


def weights_by_support(exponent: Fraction, *, theta: int) -> list[int]:
    r"""Return whole weights of the supports 0 to theta, in steps of at most e to the exponent.

    .. math:: w_\theta = 2^{256}, \qquad w_{s} = \lceil w_{s+1} / E \rceil, \qquad E \le e^c

    Notes
    -----
    :math:`w_{s+1} \le E w_s` by the rounding, so one step never passes :math:`e^c`: the
    guarantee is exact. The chances are those of the exponential up to the rounding, which is
    about 2**-256 of the largest weight.

    Examples
    --------
    >>> from fractions import Fraction
    >>> weights = weights_by_support(Fraction(1, 2), theta=2)
    >>> [round(weight / weights[0], 4) for weight in weights]
    [1.0, 1.6487, 2.7183]
    """
    growth = exp_below(exponent, bits=WEIGHT_BITS)
    found = [1 << WEIGHT_BITS]
    for _ in range(theta):
        found.append(-(-found[-1] * growth.denominator // growth.numerator))
    return found[::-1]


class ItemsetDrawer:
    """The mined itemsets by weight, and the table for counting all others.

    Parameters
    ----------
    table : Table
        One row per person.
    values : mapping of str to tuple
        The values of each column.
    weights : sequence of int
        Of supports 0 to theta, never falling, at least 1.
    least : int or None
        Support from which on itemsets are mined, from 1 to theta; None finds one for which few
        draws are rejected.
    include_empty : bool
        Whether the empty itemset may be drawn.
    limits : Limits
        Of the mining.
    """

    def __init__(
        self,
        table: Table,
        values: Mapping[str, tuple[Label, ...]],
        *,
        weights: Sequence[int],
        least: int | None = None,
        include_empty: bool = False,
        limits: Limits,
    ) -> None:
        self.names, self.values = tuple(values), tuple(values.values())
        self.weights, self.include_empty = weights, include_empty
        self.codes = [domain_codes(table, name, one) for name, one in values.items()]
        self.n_rows, self.theta = table.n_rows, len(weights) - 1
        self.n_all = prod(len(one) + 1 for one in self.values)  # the empty one included
        database = Database.from_table(table, columns=self.names, **limits)
        self.least = self._least_support(database, limits) if least is None else least
        self.found = frequent(
            database, min_support=self.least, include_empty=include_empty, **limits
        )
        capped = np.minimum(self.found.supports, self.theta)
        self.order = np.argsort(capped, kind="stable")
        levels, starts = np.unique(capped[self.order], return_index=True)
        self.bounds = [*starts.tolist(), len(capped)]
        self.rest = weights[self.least - 1]  # B: no itemset that was not mined weighs more
        sizes = np.diff(self.bounds).tolist()
        above = [
            (weights[level] - self.rest) * size
            for level, size in zip(levels.tolist(), sizes, strict=True)
        ]
        self.sums = list(accumulate(above))

    def draw(self, noise: Noise) -> frozenset[Item]:
        """Return one itemset, with a chance proportional to the weight of its support.

        A mined one of weight w is returned for w - B tickets here and for B below, where it is
        one of N; any other for B w / B below.
        """
        mined = self.sums[-1] if self.sums else 0
        while True:
            ticket = _below(noise, mined + self.n_all * self.rest)
            if ticket < mined:
                return self._mined(bisect_right(self.sums, ticket), noise)
            chosen = self._uniform(noise)
            if not chosen and not self.include_empty:
                continue
            weight = self.weights[min(self.theta, self._support(chosen))]
            if weight >= self.rest or _below(noise, self.rest) < weight:
                return frozenset(Item(self.names[j], self.values[j][c]) for j, c in chosen.items())

    def _mined(self, level: int, noise: Noise) -> frozenset[Item]:
        """Return one of the mined itemsets of a level, all alike."""
        start, end = self.bounds[level], self.bounds[level + 1]
        place = start + int(noise.integers(end - start, 1)[0])
        items = self.found[int(self.order[place])].items
        return frozenset(item for item in items if isinstance(item, Item))

    def _uniform(self, noise: Noise) -> dict[int, int]:
        """Return for each column one of its values, or none, all itemsets alike."""
        picked = [int(noise.integers(len(values) + 1, 1)[0]) for values in self.values]
        return {j: code for j, code in enumerate(picked) if code < len(self.values[j])}

    def _support(self, chosen: Mapping[int, int]) -> int:
        rows = np.arange(self.n_rows)
        for j, code in chosen.items():
            rows = rows[self.codes[j][rows] == code]
        return len(rows)

    def _least_support(self, database: Database, limits: Limits) -> int:
        """Return the largest support to mine from for which few draws are rejected."""
        n_top = count_frequent(database, min_support=self.theta, **limits).total
        kept = n_top * self.weights[-1] + self.n_all * self.weights[0]
        return max(1, bisect_right(self.weights, _TRIALS * kept // self.n_all, hi=self.theta))


def _below(noise: Noise, bound: int) -> int:
    """Return a uniform whole number below a bound of any length."""
    bits = (bound - 1).bit_length()
    n_words = -(-bits // _WORD)
    while True:
        found = 0
        for word in noise.integers(1 << _WORD, n_words).tolist():
            found = found << _WORD | word
        found >>= n_words * _WORD - bits
        if found < bound:
            return found
