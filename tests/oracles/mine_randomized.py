"""Apriori on randomized transactions with a scan for each candidate, one estimate at a time."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from discreet.errors import InfeasibleError
from discreet.randomize import support

if TYPE_CHECKING:
    from discreet.data.item_sets import Label
    from discreet.randomize import Estimate, Randomized


def mine_randomized(
    randomized: Randomized, min_frequency: float, max_size: int, sigmas: float
) -> dict[frozenset[Label], Estimate]:
    """Return the itemsets found with their estimates (section 4.5 of the paper)."""
    candidates = [frozenset([label]) for label in randomized.real_labels]
    found: dict[frozenset[Label], Estimate] = {}
    for size in range(1, max_size + 1):
        try:
            estimates = {items: support(randomized, items) for items in candidates}
        except InfeasibleError:
            break
        kept = {
            items
            for items, estimate in estimates.items()
            if estimate.support >= min_frequency - sigmas * estimate.sigma
        }
        found |= {
            items: estimate
            for items, estimate in estimates.items()
            if estimate.support >= min_frequency
        }
        unions = {first | second for first, second in combinations(kept, 2)}
        candidates = [
            items
            for items in unions
            if len(items) == size + 1 and all(items - {item} in kept for item in items)
        ]
    return found
