"""Inference channels by their definitions, word by word, on tiny inputs."""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING

from tests.oracles import brute_force

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

Set = frozenset[str]
Pair = tuple[Set, Set]


def subsets(items: Collection[str]) -> Iterator[Set]:
    ordered = sorted(items)
    sizes = (combinations(ordered, size) for size in range(len(ordered) + 1))
    return map(frozenset, chain.from_iterable(sizes))


def published(rows: Sequence[Set], sigma: int) -> dict[Set, int]:
    """Frequent itemsets with supports, the empty one included."""
    return {frozenset(): len(rows), **brute_force.frequent(rows, sigma)}


def cell(rows: Sequence[Set], inside: Set, outer: Set) -> int:
    """Rows that hold of the outer set exactly the inner one."""
    return sum(row & outer == inside for row in rows)


def naive_channels(supports: dict[Set, int], k: int) -> dict[Pair, int]:
    """Algorithm 1: inclusion and exclusion for every pair."""
    found = {}
    for outer in supports:
        for inside in subsets(outer):
            between = [inside | more for more in subsets(outer - inside)]
            count = sum((-1) ** len(middle - inside) * supports[middle] for middle in between)
            if 0 < count < k:
                found[inside, outer] = count
    return found


def maximal_channels(rows: Sequence[Set], sigma: int, k: int) -> dict[Pair, int]:
    """Definition 16, repaired: no strictly larger pair within a frequent set has any row."""
    supports = published(rows, sigma)
    pairs = [(inside, outer) for outer in supports for inside in subsets(outer)]
    counts = {pair: cell(rows, *pair) for pair in pairs}

    def is_larger(pair: Pair, other: Pair) -> bool:
        return pair != other and pair[0] <= other[0] and pair[1] - pair[0] <= other[1] - other[0]

    return {
        pair: count
        for pair, count in counts.items()
        if 0 < count < k
        and not any(is_larger(pair, other) and counts[other] > 0 for other in pairs)
    }
