"""One order of items and of itemsets for all textbook miners.

Sets have no order that a reader can rely on, so every miner numbers the items first and sorts its
result last. Items that compare with each other are numbered in their natural order, other items
(numbers among strings, say) by the name of their type and their ``repr``. The order of the
transactions never matters.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

Item = TypeVar("Item", bound=Hashable)


def item_ranks(transactions: Iterable[Collection[Item]]) -> dict[Item, int]:
    """Return the number of every item that occurs, counted from 0 in item order.

    Parameters
    ----------
    transactions : iterable of collections of items
        The database; an item may be any hashable object.

    Returns
    -------
    dict
        From item to its number; iterates in item order.

    Examples
    --------
    >>> item_ranks(["ca", "b", "a"])
    {'a': 0, 'b': 1, 'c': 2}
    >>> item_ranks([{("age", 30), ("age", "unknown")}])
    {('age', 'unknown'): 0, ('age', 30): 1}
    """
    # By text first, so that items which are only partly ordered (sets, say) keep a fixed order.
    items = sorted({item for transaction in transactions for item in transaction}, key=_as_text)
    with suppress(TypeError):
        # Any: whether two items compare is for the items to say, at run time.
        items = cast("list[Item]", sorted(cast("list[Any]", items)))
    return {item: rank for rank, item in enumerate(items)}


def in_order(
    itemsets: Mapping[frozenset[Item], int], rank: Mapping[Item, int]
) -> dict[frozenset[Item], int]:
    """Return the same itemsets and supports, smaller itemsets first, then by item order.

    Parameters
    ----------
    itemsets : mapping from itemset to support
        The result of a miner.
    rank : mapping from item to number
        What `item_ranks` returned.

    Returns
    -------
    dict
        From itemset to support.

    Examples
    --------
    >>> found = {frozenset("ab"): 1, frozenset("b"): 2, frozenset("a"): 1}
    >>> ["".join(sorted(itemset)) for itemset in in_order(found, {"a": 0, "b": 1})]
    ['a', 'b', 'ab']
    """
    return dict(
        sorted(
            itemsets.items(),
            key=lambda found: (len(found[0]), sorted(rank[item] for item in found[0])),
        )
    )


def _as_text(item: Hashable) -> tuple[str, str]:
    return type(item).__qualname__, repr(item)
