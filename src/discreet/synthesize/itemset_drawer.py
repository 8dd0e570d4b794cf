"""Itemsets drawn with whole weights by support: mined where frequent, else by rejection."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from math import log2, prod
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.listed_values import listed_codes
from discreet.data.table import Table
from discreet.errors import LimitError
from discreet.mine.database import Database, Item
from discreet.mine.frequent import count_frequent, frequent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.mine.limits import Limits
    from discreet.noise import Noise
    from discreet.synthesize.support_weights import SupportWeights, Weight

MAX_SUM_BITS = 1 << 29  # of all sums of weights together: 64 MB
_TRIALS = 16  # about so many uniform itemsets are drawn for one that is kept, at most
_WORD = 32
_NEAR = 64


class ItemsetDrawer:
    """The mined itemsets by weight, and the table for counting all others.

    Parameters
    ----------
    table : Table
        One row per person.
    values : mapping of str to tuple
        The values of each column.
    weights : SupportWeights
        Of all supports.
    least : int or None
        Support from which on itemsets are mined, from 1 to theta; None finds one for which few
        draws are rejected.
    include_empty : bool
        Whether the empty itemset may be drawn.
    limits : Limits
        Of the mining.

    Raises
    ------
    LimitError
        If mined itemsets have so different weights that their sums pass 64 MB.
    """

    def __init__(
        self,
        table: Table,
        values: Mapping[str, tuple[Label, ...]],
        *,
        weights: SupportWeights,
        least: int | None = None,
        include_empty: bool = False,
        limits: Limits,
    ) -> None:
        self.names, self.values = tuple(values), tuple(values.values())
        self.weights, self.include_empty = weights, include_empty
        codes = {name: listed_codes(table, name, one) for name, one in values.items()}
        self.codes = list(codes.values())
        self.n_rows = table.n_rows
        self.n_all = prod(len(one) + 1 for one in self.values)  # the empty one included
        self.highest = self.n_rows if include_empty else max(map(_most_frequent, self.codes))
        database = Database.from_table(Table.from_codes(codes, dict(values)), **limits)
        self.least = self._least_support(database, limits) if least is None else least
        self.found = frequent(
            database, min_support=self.least, include_empty=include_empty, **limits
        )
        capped = np.minimum(self.found.supports, weights.theta)
        self.order = np.argsort(capped, kind="stable")
        levels, starts = np.unique(capped[self.order], return_index=True)
        self.bounds = [*starts.tolist(), len(capped)]
        # B: no itemset that was not mined weighs more
        self.rest = weights.of(min(self.least - 1, self.highest))
        self.sums = self._sums([weights.of(level) for level in levels.tolist()])

    def draw(self, noise: Noise) -> frozenset[Item]:
        """Return one itemset, with a chance proportional to the weight of its support.

        A mined one of weight w is returned for w - B tickets here and for B below, where it is
        one of N; any other for B w / B below.
        """
        mined = self.sums[-1] if self.sums else 0
        while True:
            ticket = _below(noise, mined + self.n_all * self.rest.mantissa)
            if ticket < mined:
                return self._mined(bisect_right(self.sums, ticket), noise)
            chosen = self._uniform(noise)
            if not chosen and not self.include_empty:
                continue
            weight = self.weights.of(self._support(chosen))
            if weight >= self.rest or _is_kept(noise, weight, self.rest):
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

    def _sums(self, weights: list[Weight]) -> list[int]:
        """Return the running sums of w - B over the mined itemsets by level.

        They are in units of the power of two of B, which divides all of them.
        """
        n_bits = weights[-1].over(self.rest.power).bit_length() if weights else 0
        if n_bits * len(weights) > MAX_SUM_BITS:
            raise LimitError(
                f"The itemsets of support {self.least:,} or more have {len(weights):,} weights of "
                f"up to {n_bits:,} bits, too long to add up. Leave min_support out, so that fewer "
                f"are mined; or lower epsilon or theta={self.weights.theta:,}."
            )
        sizes = np.diff(self.bounds).tolist()
        return list(
            accumulate(
                (weight.over(self.rest.power) - self.rest.mantissa) * size
                for weight, size in zip(weights, sizes, strict=True)
            )
        )

    def _least_support(self, database: Database, limits: Limits) -> int:
        """Return the largest support to mine from for which few draws are rejected.

        It changes no chance, so logarithms need not be exact. The itemsets of the highest support
        are among those kept, so that sums of the weights of mined ones are never long.
        """
        top = max(1, min(self.weights.theta, self.highest))
        n_top = count_frequent(database, min_support=top, **limits).total + self.include_empty
        kept = log2(self.n_all) + self.weights.of(0).log2()
        if n_top:
            kept = float(np.logaddexp2(kept, log2(n_top) + self.weights.of(top).log2()))
        most = log2(_TRIALS) + kept - log2(self.n_all)
        return max(1, bisect_right(range(top), most, key=lambda s: self.weights.of(s).log2()))


def _most_frequent(codes: NDArray[np.int64]) -> int:
    """Return how many rows have the most frequent value of a column."""
    return int(np.bincount(codes).max()) if len(codes) else 0


def _is_kept(noise: Noise, weight: Weight, bound: Weight) -> bool:
    """Return True with a chance of the weight divided by a bound that is not below it.

    The second number is drawn for one in 2**63 or fewer, so no draw is long.
    """
    apart = bound.power - weight.power
    near = min(apart, _NEAR)
    return (
        _below(noise, bound.mantissa << near) < weight.mantissa
        and _below(noise, 1 << (apart - near)) == 0
    )


def _below(noise: Noise, bound: int) -> int:
    """Return a uniform whole number below a bound of any length."""
    bits = (bound - 1).bit_length()
    n_words = -(-bits // _WORD)
    while True:
        words = noise.integers(1 << _WORD, n_words).astype(">u4")
        found = int.from_bytes(words.tobytes(), "big") >> (n_words * _WORD - bits)
        if found < bound:
            return found
