"""Every definition of the mining engine, carried out word by word on tiny inputs.

Nothing here is clever and nothing is shared with the code under test. Transactions are collections
of hashable items, supports are counted by looking at every transaction, and candidates are all
subsets of all transactions (an itemset that never occurs is never of interest). The empty itemset
is left out of every result.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence

Item = TypeVar("Item", bound="Hashable")


def subsets(items: Collection[Item]) -> Iterator[frozenset[Item]]:
    """Yield all subsets, the empty one and the set itself included."""
    distinct = list(set(items))
    for size in range(len(distinct) + 1):
        yield from map(frozenset, combinations(distinct, size))


def support(transactions: Sequence[Collection[Item]], itemset: Collection[Item]) -> int:
    return sum(set(itemset) <= set(transaction) for transaction in transactions)


def occurring(transactions: Sequence[Collection[Item]]) -> dict[frozenset[Item], int]:
    """Return every non-empty itemset of support at least 1."""
    found = {itemset for transaction in transactions for itemset in subsets(transaction) if itemset}
    return {itemset: support(transactions, itemset) for itemset in found}


def frequent(
    transactions: Sequence[Collection[Item]], min_support: int
) -> dict[frozenset[Item], int]:
    everything = occurring(transactions)
    return {itemset: count for itemset, count in everything.items() if count >= min_support}


def closed(
    transactions: Sequence[Collection[Item]], min_support: int
) -> dict[frozenset[Item], int]:
    found = frequent(transactions, min_support)
    return {
        itemset: count
        for itemset, count in found.items()
        if not any(itemset < other and count == found[other] for other in found)
    }


def maximal(
    transactions: Sequence[Collection[Item]], min_support: int
) -> dict[frozenset[Item], int]:
    found = frequent(transactions, min_support)
    return {
        itemset: count
        for itemset, count in found.items()
        if not any(itemset < other for other in found)
    }


def minimal_infrequent(
    transactions: Sequence[Collection[Item]], theta: int
) -> dict[frozenset[Item], int]:
    """Return what occurs at most theta times while every proper subset, even {}, exceeds it."""
    return {
        itemset: count
        for itemset, count in occurring(transactions).items()
        if count <= theta
        and all(
            support(transactions, subset) > theta
            for subset in subsets(itemset)
            if subset != itemset
        )
    }


def chain(value: Hashable, parent_of: Mapping[Any, Hashable]) -> list[Hashable]:
    """Return a value and its ancestors, the nearest first.

    Any in the type of a hierarchy: labels are of any type, and a mapping is invariant in its keys.
    """
    found = [value]
    while found[-1] in parent_of:
        found.append(parent_of[found[-1]])
    return found


def generalized(
    records: Sequence[Sequence[Hashable]],
    hierarchies: Sequence[Mapping[Any, Hashable]],
    k: int,
) -> dict[tuple[Hashable, ...], int]:
    """Return every itemset of one hierarchy node per column that at least k records support."""
    above = [
        [chain(value, parent_of) for value, parent_of in zip(record, hierarchies, strict=True)]
        for record in records
    ]
    found = {itemset for chains in above for itemset in product(*chains)}
    supports = {
        itemset: sum(
            all(node in nodes for node, nodes in zip(itemset, chains, strict=True))
            for chains in above
        )
        for itemset in found
    }
    return {itemset: count for itemset, count in supports.items() if count >= k}


def generalized_closed(
    records: Sequence[Sequence[Hashable]],
    hierarchies: Sequence[Mapping[Any, Hashable]],
    k: int,
) -> dict[tuple[Hashable, ...], int]:
    """Return those of `generalized` without a proper specialization of equal support."""
    found = generalized(records, hierarchies, k)

    def specializes(low: tuple[Hashable, ...], high: tuple[Hashable, ...]) -> bool:
        return low != high and all(
            above in chain(below, parent_of)
            for below, above, parent_of in zip(low, high, hierarchies, strict=True)
        )

    return {
        itemset: count
        for itemset, count in found.items()
        if not any(count == found[other] and specializes(other, itemset) for other in found)
    }


class Rule(NamedTuple):
    """What an association rule says, in exact numbers."""

    support: int
    confidence: Fraction
    lift: Fraction


def rules(
    transactions: Sequence[Collection[Item]], min_support: int, min_confidence: Fraction
) -> dict[tuple[frozenset[Item], frozenset[Item]], Rule]:
    """Return every rule from one non-empty itemset to another, disjoint one."""
    found = {}
    for itemset, count in frequent(transactions, min_support).items():
        for body in subsets(itemset):
            head = itemset - body
            if body and head:
                confidence = Fraction(count, support(transactions, body))
                share = Fraction(support(transactions, head), len(transactions))
                if confidence >= min_confidence:
                    found[body, head] = Rule(count, confidence, confidence / share)
    return found


def deduction_bounds(
    supports: Mapping[frozenset[Item], int], itemset: frozenset[Item]
) -> tuple[int, int]:
    """Return the bounds on the support of an itemset that its proper subsets imply.

    For every X in I, with the sum over all J with X <= J < I,

        delta_X = sum over J of (-1) ** (|I - J| + 1) * supp(J)

    bounds supp(I) from above if |I - X| is odd and from below if it is even (Calders and Goethals,
    "Mining All Non-Derivable Frequent Itemsets", PKDD 2002, theorem 1). `supports` holds the
    support of every proper subset, of the empty one too.
    """
    lower = [0]
    upper: list[int] = []
    for start in subsets(itemset):
        if start == itemset:
            continue
        delta = sum(
            (-1) ** (len(itemset - between) + 1) * supports[between]
            for between in subsets(itemset)
            if start <= between < itemset
        )
        (upper if len(itemset - start) % 2 else lower).append(delta)
    return max(lower), min(upper)


def non_derivable(
    transactions: Sequence[Collection[Item]], min_support: int
) -> dict[frozenset[Item], int]:
    """Return the frequent itemsets whose support is not implied by those of their subsets."""
    found = {}
    for itemset, count in frequent(transactions, min_support).items():
        known = {subset: support(transactions, subset) for subset in subsets(itemset)}
        lower, upper = deduction_bounds(known, itemset)
        assert lower <= count <= upper
        if lower < upper:
            found[itemset] = count
    return found
