"""Distances between what two neighbouring tables publish, summed up word by word.

Laws are dicts from outcome to exact probability; nothing is shared with the code under test.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from math import comb
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

Outcome = TypeVar("Outcome", bound="Hashable")


def distance(
    p: Mapping[Outcome, Fraction], q: Mapping[Outcome, Fraction], growth: Fraction
) -> Fraction:
    """Return the smallest delta with p(S) <= growth q(S) + delta for every set S."""
    return sum(
        (max(Fraction(0), weight - growth * q.get(outcome, Fraction(0))))
        for outcome, weight in p.items()
    ) + Fraction(0)


def both_ways(
    p: Mapping[Outcome, Fraction], q: Mapping[Outcome, Fraction], growth: Fraction
) -> Fraction:
    return max(distance(p, q, growth), distance(q, p, growth))


def binomial(n: int, rate: Fraction) -> list[Fraction]:
    return [comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(n + 1)]


def class_law(n: int, rate: Fraction, k: int) -> dict[int, Fraction]:
    """Return the law of what is seen of a class of n equal rows: 0 if fewer than k."""
    law: dict[int, Fraction] = {}
    for j, weight in enumerate(binomial(n, rate)):
        shown = j if j >= k else 0
        law[shown] = law.get(shown, Fraction(0)) + weight
    return law


def sampling_delta(k: int, rate: Fraction, growth: Fraction, n_most: int) -> Fraction:
    """Return the largest distance between classes of n and n + 1 rows, n up to n_most."""
    laws = [class_law(n, rate, k) for n in range(n_most + 2)]
    pairs = pairwise(laws)
    return max(both_ways(smaller, larger, growth) for smaller, larger in pairs)


def release_law(
    rows: Sequence[Hashable],
    rate: Fraction,
    k: int,
    seen: Callable[[Sequence[Hashable]], Hashable],
) -> dict[Hashable, Fraction]:
    """Return the law of a release: all samples of the rows, small classes dropped, as seen."""
    law: dict[Hashable, Fraction] = {}
    for taken in product([False, True], repeat=len(rows)):
        sample = [row for row, is_taken in zip(rows, taken, strict=True) if is_taken]
        sizes = Counter(sample)
        kept = [row for row in sample if sizes[row] >= k]
        weight = rate ** len(sample) * (1 - rate) ** (len(rows) - len(sample))
        outcome = seen(kept)
        law[outcome] = law.get(outcome, Fraction(0)) + weight
    return law
