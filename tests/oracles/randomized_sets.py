"""Laws of randomized transactions by enumeration: every draw followed, every set counted.

A law is a dict from the randomized set to its exact probability; nothing is shared with the
code under test. The items are 0 to n - 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

Items = frozenset[int]
Law = dict[Items, Fraction]


def select_a_size(transaction: Items, n_items: int, keep: Sequence[Fraction], rho: Fraction) -> Law:
    """Definition 7: keep j items drawn without replacement, toss a coin for every other item."""
    outside = sorted(set(range(n_items)) - transaction)
    law: Law = {}
    for j, chance in enumerate(keep):
        choices = list(combinations(sorted(transaction), j))
        for kept in choices:
            for inserted, weight in coins(outside, rho):
                add(law, frozenset(kept) | inserted, chance / len(choices) * weight)
    return law


def cut_and_paste(transaction: Items, n_items: int, cutoff: int, rho: Fraction) -> Law:
    """Definition 8: keep up to K items for certain, toss a coin for every other item."""
    law: Law = {}
    for drawn in range(cutoff + 1):
        choices = list(combinations(sorted(transaction), min(drawn, len(transaction))))
        for kept in choices:
            others = sorted(set(range(n_items)) - set(kept))
            for inserted, weight in coins(others, rho):
                add(law, frozenset(kept) | inserted, weight / (cutoff + 1) / len(choices))
    return law


def uniform(transaction: Items, n_items: int, p: Fraction) -> Law:
    """Replace every item with chance p; as many distinct new items, uniformly from outside."""
    outside = sorted(set(range(n_items)) - transaction)
    law: Law = {}
    for replaced, weight in coins(sorted(transaction), p):
        choices = list(combinations(outside, len(replaced)))
        for new in choices:
            add(law, transaction - replaced | frozenset(new), weight / len(choices))
    return law


def coins(items: Sequence[int], rho: Fraction) -> Iterator[tuple[Items, Fraction]]:
    """Yield every subset with its chance, every item being in with chance rho."""
    for tosses in product([False, True], repeat=len(items)):
        chosen = frozenset(item for item, toss in zip(items, tosses, strict=True) if toss)
        yield chosen, rho ** len(chosen) * (1 - rho) ** (len(items) - len(chosen))


def add(law: Law, outcome: Items, weight: Fraction) -> None:
    law[outcome] = law.get(outcome, Fraction(0)) + weight


def all_of_size(n_items: int, m: int) -> list[Items]:
    return [frozenset(chosen) for chosen in combinations(range(n_items), m)]


def transition(
    law_of: Callable[[Items], Mapping[Items, Fraction]], n_items: int, m: int, k: int
) -> list[list[Fraction]]:
    """Return p[l -> l'] for A = {0, ..., k - 1}, and check that it depends on l alone."""
    itemset = frozenset(range(k))
    columns: dict[int, list[Fraction]] = {}
    for transaction in all_of_size(n_items, m):
        column = [Fraction(0)] * (k + 1)
        for outcome, weight in law_of(transaction).items():
            column[len(outcome & itemset)] += weight
        assert columns.setdefault(len(transaction & itemset), column) == column
    return [[columns[x][row] for x in sorted(columns)] for row in range(k + 1)]


def two_set_transition(
    law_of: Callable[[Items], Mapping[Items, Fraction]], n_items: int, m: int, sizes: Sequence[int]
) -> dict[tuple[int, int], dict[tuple[int, int], Fraction]]:
    """Return p[(lA, lB) -> (lA', lB')] as columns, for disjoint A and B."""
    first = frozenset(range(sizes[0]))
    second = frozenset(range(sizes[0], sum(sizes)))
    columns: dict[tuple[int, int], dict[tuple[int, int], Fraction]] = {}
    for transaction in all_of_size(n_items, m):
        column: dict[tuple[int, int], Fraction] = {}
        for outcome, weight in law_of(transaction).items():
            after = len(outcome & first), len(outcome & second)
            column[after] = column.get(after, Fraction(0)) + weight
        before = len(transaction & first), len(transaction & second)
        assert columns.setdefault(before, column) == column
    return columns


def gamma(laws: Iterable[Mapping[Items, Fraction]]) -> Fraction | None:
    """Return the largest ratio of chances of one outcome under two laws, None if unbounded."""
    listed = list(laws)
    outcomes = set().union(*listed)
    largest = Fraction(1)
    for outcome in outcomes:
        chances = [law.get(outcome, Fraction(0)) for law in listed]
        if min(chances) == 0 < max(chances):
            return None
        if max(chances) > 0:
            largest = max(largest, max(chances) / min(chances))
    return largest


def breach(
    prior: Mapping[Items, Fraction],
    law_of: Callable[[Items], Mapping[Items, Fraction]],
    itemset: Items,
    item: int,
) -> Fraction:
    """Return P[item in t | A inside t'] by Bayes' rule, Definition 4."""
    seen = with_item = Fraction(0)
    for transaction, weight in prior.items():
        chance = sum(
            (q for outcome, q in law_of(transaction).items() if itemset <= outcome), Fraction(0)
        )
        seen += weight * chance
        with_item += weight * chance * (item in transaction)
    return with_item / seen


def posterior(
    prior: Mapping[Items, Fraction],
    law_of: Callable[[Items], Mapping[Items, Fraction]],
    has: Callable[[Items], bool],
) -> Fraction:
    """Return the largest chance of a property given the whole randomized transaction."""
    laws = {transaction: law_of(transaction) for transaction in prior}
    largest = Fraction(0)
    for outcome in set().union(*laws.values()):
        weights = {t: prior[t] * law.get(outcome, Fraction(0)) for t, law in laws.items()}
        total = sum(weights.values(), Fraction(0))
        if total:
            of_it = sum((weight for t, weight in weights.items() if has(t)), Fraction(0))
            largest = max(largest, of_it / total)
    return largest
