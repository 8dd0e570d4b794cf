"""What the collected transactions tell of the originals, as the service says it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.randomize.randomized import Randomized

MAX_ITEMSETS = 100_000  # of one answer


def mine_campaign(
    randomized: Randomized, *, min_frequency: float, max_size: int | None = 3
) -> dict[str, object]:
    """Return the itemsets that are frequent among the originals, with estimates, as JSON.

    Parameters
    ----------
    randomized : Randomized
        What was collected.
    min_frequency : float
        Least share of the originals, above 0 and at most 1.
    max_size : int, optional
        Largest itemset.

    Returns
    -------
    dict
        ``n_transactions``, ``min_frequency`` and ``itemsets``, those of the largest estimates
        first.

    Raises
    ------
    DiscreetError
        If the question cannot be answered, as for itemsets that the operator hides.
    """
    from discreet.randomize.mining import mine_randomized

    found = []
    if len(randomized):
        frame = mine_randomized(
            randomized, min_frequency=min_frequency, max_size=max_size, max_itemsets=MAX_ITEMSETS
        ).to_frame()
        found = frame.select("items", "support", "sigma", "is_discoverable").to_dicts()
    for row in found:
        row["items"] = list(row["items"])
        row["sigma"] = row["sigma"] if math.isfinite(row["sigma"]) else None
    found.sort(key=lambda row: (-row["support"], len(row["items"]), row["items"]))
    return {
        "n_transactions": len(randomized),
        "min_frequency": min_frequency,
        "itemsets": found,
    }
