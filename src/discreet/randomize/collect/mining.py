"""What the collected transactions tell of the originals, as the service says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.randomize.mining import mine_randomized

if TYPE_CHECKING:
    from discreet.randomize.randomized import Randomized

MAX_CANDIDATES = 1_000_000  # of one question


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
        ``n_transactions``, ``min_frequency``, ``itemsets``, those of the largest estimates first,
        and ``stopped``: why larger ones were not looked for, if it was not for want of any.

    Raises
    ------
    DiscreetError
        If the question cannot be answered, as for itemsets that the operator hides.
    """
    found, stopped = [], None
    if len(randomized):
        mined = mine_randomized(
            randomized, min_frequency=min_frequency, max_size=max_size, max_itemsets=MAX_CANDIDATES
        )
        found, stopped = mined.to_frame().to_dicts(), mined.stopped
    found.sort(key=lambda row: (-row["support"], len(row["items"]), row["items"]))
    return {
        "n_transactions": len(randomized),
        "min_frequency": min_frequency,
        "itemsets": found,
        "stopped": stopped,
    }
