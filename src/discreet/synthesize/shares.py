"""Shares of rows that have an itemset: counted, or estimated from randomized cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.synthesize.supports import estimate_support

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.mine.database import Item
    from discreet.synthesize.code_tree import Probability
    from discreet.synthesize.response import Sanitized


def counted_shares(rows: Table) -> Probability:
    """Return a function that counts itemsets in rows, by a bitmap for each value."""
    bits: dict[tuple[str, Hashable], NDArray[np.uint8]] = {
        (name, value): np.packbits(rows.codes(name) == code)
        for name in rows.columns
        for code, value in enumerate(rows.values(name))
    }
    none = np.zeros(-(-rows.n_rows // 8), np.uint8)

    def shares(itemsets: Sequence[frozenset[Item]]) -> list[float]:
        found = []
        for itemset in itemsets:
            having = [bits.get((item.column, item.value), none) for item in itemset]
            both = np.bitwise_and.reduce(having)
            found.append(float(np.bitwise_count(both).sum()) / max(1, rows.n_rows))
        return found

    return shares


def estimated_shares(sanitized: Sanitized) -> Probability:
    """Return a function that estimates itemsets from randomized cells."""

    def shares(itemsets: Sequence[frozenset[Item]]) -> list[float]:
        asked = [{item.column: item.value for item in itemset} for itemset in itemsets]
        return [float(share) for share in estimate_support(sanitized, asked).supports]

    return shares
