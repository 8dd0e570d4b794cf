"""The exact distribution of what a mechanism releases, every draw put in its place in turn.

The mechanism is the real code: it asks its noise for draws, is given each possible answer, and
what it asked for (rates, scales) says how likely that answer was. Rows of one value are
exchangeable, so states are counted and not listed; ``every_mask`` lists them all where the
order of rows matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

Row = tuple[int, ...]
Counts = Mapping[Row, int]
Law = dict[Hashable, Fraction]
Mask = NDArray[np.bool_]
FAR = 10**9  # noise that decides every comparison


@dataclass
class Script:
    """Noise that answers as told and remembers what it was asked for."""

    masks: list[Mask]
    added: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    is_secure: bool = True
    rates: list[Fraction] = field(default_factory=list)
    scale: Fraction | None = None

    def bernoulli(self, p: Fraction | float, size: int) -> Mask:
        self.rates.append(Fraction(p))
        answer = self.masks[len(self.rates) - 1]
        assert len(answer) == size
        return answer

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:
        self.scale = Fraction(scale)
        assert len(self.added) == size
        return self.added

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  of the parts nobody should ask for
        raise AssertionError(f"unexpected draw: {name}")


Mechanism = Callable[[NDArray[np.int64], Script], Hashable]


def rows_of(counts: Counts) -> NDArray[np.int64]:
    return np.array([row for row, n in counts.items() for _ in range(n)], np.int64).reshape(
        sum(counts.values()), len(next(iter(counts)))
    )


def with_row(counts: Counts, row: Row) -> dict[Row, int]:
    return {**counts, row: counts.get(row, 0) + 1}


def _states(counts: Counts, *, splits: bool) -> Iterator[tuple[int, Mask, Mask]]:
    """Yield in how many ways so many rows of each value train and are sampled, and masks.

    Rows that train are drawn into the sample too, which a mechanism has to ignore.
    """
    choices = [
        [(t, s) for t in range(n + 1 if splits else 1) for s in range(n - t + 1)]
        for n in counts.values()
    ]
    for chosen in product(*choices):
        ways, trains, sampled = 1, list[bool](), list[bool]()
        for n, (t, s) in zip(counts.values(), chosen, strict=True):
            ways *= math.comb(n, t) * math.comb(n - t, s)
            trains += [True] * t + [False] * (n - t)
            sampled += [True] * (t + s) + [False] * (n - t - s)
        yield ways, np.array(trains, bool), np.array(sampled, bool)


def every_mask(counts: Counts) -> Iterator[tuple[int, Mask, Mask]]:
    n = sum(counts.values())
    for sampled in product([False, True], repeat=n):
        yield 1, np.zeros(n, bool), np.array(sampled, bool)


def _chance(script: Script, trains: Mask, sampled: Mask) -> Fraction:
    """Return how likely the masks were, by the rates that were asked for."""
    *split, beta = script.rates
    n_free = int((~trains).sum())
    n_sampled = int((sampled & ~trains).sum())
    chance = beta**n_sampled * (1 - beta) ** (n_free - n_sampled)
    if split:
        chance *= split[0] ** int(trains.sum()) * (1 - split[0]) ** n_free
    return chance


def law(
    counts: Counts,
    mechanism: Mechanism,
    *,
    splits: bool = False,
    states: Callable[[Counts], Iterator[tuple[int, Mask, Mask]]] | None = None,
) -> Law:
    """Return the law of a mechanism that draws masks only: who trains, who is sampled."""
    rows, found = rows_of(counts), Law()
    for ways, trains, sampled in (
        _states(counts, splits=splits) if states is None else states(counts)
    ):
        script = Script([trains, sampled] if splits else [sampled])
        outcome = mechanism(rows, script)
        assert len(script.rates) == 1 + splits
        found[outcome] = found.get(outcome, Fraction(0)) + ways * _chance(script, trains, sampled)
    assert math.isclose(sum(found.values()), 1, rel_tol=1e-9)
    return found


def law_with_noise(
    counts: Counts,
    mechanism: Mechanism,
    *,
    itemsets_of: Callable[[Row], Sequence[int]],
    n_itemsets: int,
    theta: int,
) -> Law:
    """Return the law of a mechanism that compares noisy supports with theta as well.

    Only whether an itemset passes matters, and only for itemsets of rows that are published.
    """
    rows, found = rows_of(counts), Law()
    for ways, trains, sampled in _states(counts, splits=True):
        published = {tuple(row) for row in rows[sampled & ~trains].tolist()}
        asked = sorted({i for row in published for i in itemsets_of(row)})
        support = dict.fromkeys(asked, 0)
        for row in rows[trains].tolist():
            for i in set(itemsets_of(tuple(row))) & set(asked):
                support[i] += 1
        for passes in product([False, True], repeat=len(asked)):
            added = np.full(n_itemsets, -FAR)
            added[[i for i, passed in zip(asked, passes, strict=True) if passed]] = FAR
            script = Script([trains, sampled], added)
            outcome = mechanism(rows, script)
            assert script.scale is not None
            chance = ways * _chance(script, trains, sampled)
            chance *= chance_to_pass(list(support.values()), passes, theta, script.scale)
            found[outcome] = found.get(outcome, Fraction(0)) + chance
    assert math.isclose(sum(found.values()), 1, rel_tol=1e-9)
    return found


@cache
def laplace_above(x: int, scale: Fraction) -> float:
    """Return P[X > x] for discrete Laplace noise."""
    if x < 0:
        return 1 - laplace_above(-x - 1, scale)
    q = math.exp(-1 / scale)
    return q ** (x + 1) / (1 + q)


def chance_to_pass(
    supports: Sequence[int], passes: Sequence[bool], theta: int, scale: Fraction
) -> Fraction:
    """Return how likely it is that these supports plus noise are above theta, and no others."""
    chance = 1.0
    for support, passed in zip(supports, passes, strict=True):
        above = laplace_above(theta - support, scale)
        chance *= above if passed else 1 - above
    return Fraction(chance)
