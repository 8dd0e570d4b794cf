"""The paper's generator: a dependent code tree of the itemsets that Krimp finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.mine.database import Item
from discreet.synthesize.krimp.code_tree import code_tree
from discreet.synthesize.krimp.krimp import krimp
from discreet.synthesize.rows import RowModel
from discreet.synthesize.supports import estimate_support

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.table import Table
    from discreet.limits import Progress
    from discreet.synthesize.krimp.code_tree import Probability
    from discreet.synthesize.response import Sanitized


MIN_SHARE = 0.01

THRESHOLD = 0.02

MAX_NODES = 20_000


def fit_tree(
    rows: Table,
    *,
    domain: Mapping[str, tuple[Label, ...]],
    probability: Probability,
    progress: Progress | None = None,
) -> RowModel:
    """Return the code tree of what Krimp finds in rows that may be looked at freely.

    Parameters
    ----------
    rows : Table
        Randomized cells, or rows drawn from another model: never the data themselves.
    domain : mapping
        Columns in the order of drawing, with their values.
    probability : callable
        The estimated shares of itemsets, see
        :func:`~discreet.synthesize.krimp.code_tree.code_tree`.
    progress : callable, optional
        Of Krimp.

    Notes
    -----
    Candidates are closed itemsets in one row of a hundred, unions those in one of fifty, or in
    twice that as often as it takes for a tree of 20,000 nodes at most: the budget is spent when the
    tree is made, and a coarser one costs nothing. It is coarse even where nothing is randomized:
    on Adult its pairs of values are off by a total variation of 0.06, many times as much as the
    rows of :func:`~discreet.synthesize.pairs.fit_pairs`.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, sections 3.4.2 to 3.4.4.
    """
    names = list(domain)
    table = krimp(
        rows.select(names), min_support=max(1, round(MIN_SHARE * rows.n_rows)), progress=progress
    )
    used = [
        frozenset(item for item in items if isinstance(item, Item))
        for items, usage in zip(table.itemsets, table.usages, strict=True)
        if usage > 0 and len(items) > 1
    ]
    threshold = THRESHOLD
    while True:
        try:
            tree = code_tree(
                used, domain=domain, probability=probability, threshold=threshold,
                max_nodes=MAX_NODES,
            )  # fmt: skip
        except LimitError:
            threshold *= 2
            if threshold > 1:
                raise
        else:
            return RowModel(tree=tree)


# Shares of rows that have an itemset: counted, or estimated from randomized cells.


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
