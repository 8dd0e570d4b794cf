"""A witness: data that anybody can look at, in which no group is small, with the same patterns.

Whoever sees the collection cannot tell the true data from the witness; so nothing can be inferred
that is false there, and there every group has no member or at least k.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.verify.pattern_rows import Items, PatternRows

NAME = "witness"


def check_witness(stated: PatternRows, *, k: int, min_support: int, n_rows: int) -> Check:
    """Return whether the witness has these patterns and no others, and no small group.

    Parameters
    ----------
    stated : PatternRows
        Published supports, and the rows of the witness with their numbers.
    k, min_support, n_rows : int
        Of the claim.

    Returns
    -------
    Check
        Passed if every row of the witness is there at least k times, they number ``n_rows``,
        every published support is that of the witness, and no other itemset reaches
        ``min_support`` there.

    Notes
    -----
    That no other itemset is frequent is seen on the smallest ones that are not published: an
    item, or an itemset all of whose parts are published.
    """
    if not stated.witness:
        return Check(name=NAME, passed=False, detail="The witness that is claimed is not there.")
    fewest, total = min(stated.witness.values()), sum(stated.witness.values())
    if fewest < k or total != n_rows:
        detail = (
            f"A row of the witness is there {fewest} times only, k is {k}."
            if fewest < k
            else f"The witness has {total:,} rows, and {n_rows:,} are claimed."
        )
        return Check(name=NAME, passed=False, detail=detail)
    counts = _Counts(stated.witness)
    for items, support in stated.supports.items():
        if counts.of(items) != support:
            detail = f"{sorted(items)} has another support in the witness than is published."
            return Check(name=NAME, passed=False, detail=detail)
    for items in _smallest_unpublished(stated):
        if counts.of(items) >= min_support:
            detail = f"{sorted(items)} is as frequent in the witness as what is published."
            return Check(name=NAME, passed=False, detail=detail)
    detail = (
        f"{len(stated.witness):,} different rows, each at least {k} times, have just the published "
        "itemsets with their supports."
    )
    return Check(name=NAME, passed=True, detail=detail)


class _Counts:
    """Supports in a database of weighted rows, by one line of booleans for each item."""

    def __init__(self, rows: dict[Items, int]) -> None:
        self._weights = np.array(list(rows.values()), np.int64)
        self._with_item: dict[str, NDArray[np.bool_]] = {}
        for place, items in enumerate(rows):
            for item in items:
                line = self._with_item.setdefault(item, np.zeros(len(rows), bool))
                line[place] = True
        self._nowhere = np.zeros(len(rows), bool)

    def of(self, items: Items) -> int:
        within = np.ones(len(self._weights), bool)
        for item in items:
            within &= self._with_item.get(item, self._nowhere)
        return int(self._weights[within].sum())


def _smallest_unpublished(stated: PatternRows) -> Iterator[Items]:
    """Yield the itemsets that are not published although all their parts are."""
    known = stated.supports
    items = sorted({item for row in stated.witness for item in row})
    frequent = [item for item in items if frozenset({item}) in known]
    yield from (frozenset({item}) for item in items if frozenset({item}) not in known)
    for itemset in known:
        largest = max(itemset, default="")
        for item in frequent:
            longer = itemset | {item}
            if item <= largest or longer in known or not itemset:
                continue
            if all(longer - {other} in known for other in longer):
                yield longer
