"""The commonest itemsets of every size, which tell how much randomization is needed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.mine import frequent
from discreet.release.exact import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions

MOST_ITEMSETS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxSupport:
    """The largest support of itemsets of one size.

    Attributes
    ----------
    share : Fraction
        Of the transactions.
    itemset : frozenset of labels, or None
        One that has it; None where the share is a bound that no itemset passes.
    """

    share: Fraction
    itemset: frozenset[Label] | None


def max_supports(
    transactions: Transactions, *, sizes: Iterable[int] | None = None
) -> dict[int, tuple[MaxSupport, ...]]:
    """Return the largest support of an itemset of 1, 2, ..., m items, for each size m.

    Parameters
    ----------
    transactions : Transactions
        Of a pilot study or an earlier year: those to be protected are not known yet.
    sizes : iterable of int, optional
        Sizes m of transactions to look at; by default all that occur, but 0.

    Returns
    -------
    dict from m to tuple of MaxSupport
        ``tune(..., s_max={m: [one.share for one in row] for m, row in found.items()})``.

    Notes
    -----
    Among the transactions of one size, the threshold is halved until itemsets of every size
    are frequent. Where that would take more than two million itemsets, the last threshold
    stands as a bound for what was not found: a larger share is the safe side.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["tea", "jam"], ["tea"]])
    >>> {m: [str(one.share) for one in row] for m, row in max_supports(baskets).items()}
    {1: ['1'], 2: ['1', '1/2']}
    """
    found_sizes = np.unique(transactions.sizes).tolist()
    chosen = found_sizes if sizes is None else [whole("a size", m, least=0) for m in sizes]
    return {
        m: _of_size(transactions.take(transactions.sizes == m), m)
        for m in sorted(set(chosen) & set(found_sizes) - {0})
    }


def _of_size(transactions: Transactions, m: int) -> tuple[MaxSupport, ...]:
    """Return the largest supports among transactions that all have m items."""
    n = len(transactions)
    best: dict[int, tuple[int, frozenset[Label]]] = {}
    threshold = bound = n
    while len(best) < m:
        try:
            mined = frequent(transactions, min_support=threshold, max_itemsets=MOST_ITEMSETS)
        except LimitError:
            break
        for k in np.unique(mined.sizes).tolist():
            places = np.flatnonzero(mined.sizes == k)
            top = int(places[np.argmax(mined.supports[places])])
            if k not in best:
                codes = mined.items[mined.offsets[top] : mined.offsets[top + 1]]
                names = frozenset(transactions.labels[code] for code in codes.tolist())
                best[k] = int(mined.supports[top]), names
        bound = threshold - 1
        if threshold == 1:
            break
        threshold = max(1, threshold // 2)
    return tuple(
        MaxSupport(share=Fraction(best[k][0], n), itemset=best[k][1])
        if k in best
        else MaxSupport(share=Fraction(bound, n), itemset=None)
        for k in range(1, m + 1)
    )
