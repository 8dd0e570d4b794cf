"""Krimp straight from its definitions: every row covered anew for every question."""

from __future__ import annotations

from itertools import combinations
from math import log2
from typing import TypeAlias

Itemset: TypeAlias = tuple[int, ...]
Rows: TypeAlias = list[frozenset[int]]

TIE = 1e-6


def support(itemset: Itemset, rows: Rows) -> int:
    return sum(row.issuperset(itemset) for row in rows)


def cover_order(table: set[Itemset], rows: Rows) -> list[Itemset]:
    return sorted(table, key=lambda x: (-len(x), -support(x, rows), x))


def candidate_order(candidates: list[Itemset], rows: Rows) -> list[Itemset]:
    return sorted(candidates, key=lambda x: (-support(x, rows), -len(x), x))


def cover(row: frozenset[int], ordered: list[Itemset]) -> list[Itemset]:
    left, taken = set(row), []
    for itemset in ordered:
        if left.issuperset(itemset):
            left.difference_update(itemset)
            taken.append(itemset)
    assert not left
    return taken


def usages(table: set[Itemset], rows: Rows) -> dict[Itemset, int]:
    ordered = cover_order(table, rows)
    counts = dict.fromkeys(ordered, 0)
    for row in rows:
        for itemset in cover(row, ordered):
            counts[itemset] += 1
    return counts


def lengths(counts: dict[Itemset, int], rows: Rows) -> tuple[float, float]:
    """Return L(D | CT) and L(CT | D)."""
    total, n_items = sum(counts.values()), sum(map(len, rows))
    used = {itemset: count for itemset, count in counts.items() if count}
    data = sum(count * log2(total / count) for count in used.values())
    table = sum(
        log2(total / count) + sum(log2(n_items / support((item,), rows)) for item in itemset)
        for itemset, count in used.items()
    )
    return data, table


def total(table: set[Itemset], rows: Rows) -> float:
    return sum(lengths(usages(table, rows), rows))


def lowered(before: set[Itemset], now: set[Itemset], rows: Rows) -> list[Itemset]:
    """Return the elements that are used less, in cover order."""
    old, new = usages(before, rows), usages(now, rows)
    return [x for x in new if len(x) > 1 and x in old and new[x] < old[x]]


def prune(table: set[Itemset], left: list[Itemset], rows: Rows) -> set[Itemset]:
    while left:
        itemset = left.pop(0)
        used = usages(table, rows)[itemset] > 0
        without = table - {itemset}
        if total(without, rows) > total(table, rows) + TIE:
            continue
        more = lowered(table, without, rows)
        table = without
        if used:
            counts = usages(table, rows)
            left = sorted([*left, *(x for x in more if x not in left)], key=counts.__getitem__)
    return table


def krimp(rows: Rows, candidates: list[Itemset], *, pruned: bool) -> dict[Itemset, int]:
    """Return the code table with its usages, in cover order."""
    table: set[Itemset] = {(item,) for row in rows for item in row}
    for candidate in candidate_order([x for x in candidates if len(x) > 1], rows):
        more = table | {candidate}
        if total(more, rows) >= total(table, rows) - TIE:
            continue
        left = lowered(table, more, rows)
        table = prune(more, left, rows) if pruned else more
    return usages(table, rows)


def frequent(rows: Rows, min_support: int, *, closed: bool) -> list[Itemset]:
    items = sorted({item for row in rows for item in row})
    found = {
        x: support(x, rows) for size in range(1, len(items) + 1) for x in combinations(items, size)
    }
    kept = [x for x, count in found.items() if count >= min_support]
    if not closed:
        return kept
    return [
        x
        for x in kept
        if all(found[y] < found[x] for y in found if len(y) == len(x) + 1 and set(x) < set(y))
    ]
