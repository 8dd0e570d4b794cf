"""Covers by closed sets, straight from the definitions: eager, on sets of row numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

Rows = frozenset[int]


class ClosedSet(NamedTuple):
    """Rows under some nodes, and the cost of the nodes."""

    rows: Rows
    cost: int


def closure(parents: Sequence[Sequence[int]], rows: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """Return the lowest node above all rows in each column."""
    nodes = []
    for column, parent in enumerate(parents):
        paths = [_above(parent, row[column]) for row in rows]
        nodes.append(next(node for node in paths[0] if all(node in path for path in paths)))
    return tuple(nodes)


def under(
    parents: Sequence[Sequence[int]], rows: Sequence[Sequence[int]], nodes: Sequence[int]
) -> Rows:
    """Return the numbers of the rows under all nodes."""
    return frozenset(
        number
        for number, row in enumerate(rows)
        if all(
            node in _above(parent, leaf)
            for parent, node, leaf in zip(parents, nodes, row, strict=True)
        )
    )


def _above(parent: Sequence[int], node: int) -> list[int]:
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path


def greedy_cover(
    sets: Sequence[ClosedSet], *, n_rows: int, k: int, by_rows: bool
) -> list[tuple[int, list[int]]]:
    """Return the sets in the order of choice, as (number, rows); every key anew at each step."""
    left = set(range(n_rows))
    clusters: list[set[int]] = []
    chosen = []

    def key(number: int) -> tuple[Fraction, int, int]:
        n_new = min(len(sets[number].rows & left), 2 * k - 1)
        paid = max(k, n_new) if by_rows else 1
        return Fraction(paid * sets[number].cost, n_new), -n_new, number

    while left:
        number = min((n for n in range(len(sets)) if sets[n].rows & left), key=key)
        new = sorted(sets[number].rows & left)
        if len(new) > 2 * k - 1:
            new = new[: min(2 * k - 1, len(new) - k) if by_rows else 2 * k - 1]
        covered = sorted(sets[number].rows - left)
        wanted = max(k, len(new)) - len(new)
        if not by_rows and len(sets[number].rows) <= 2 * k - 1:
            wanted = len(covered)
        rows = sorted(new + _fillers(covered, clusters, k, wanted))
        left -= set(new)
        add_to_clusters(clusters, rows, k)
        chosen.append((number, rows))
    return chosen


def _fillers(covered: list[int], clusters: list[set[int]], k: int, wanted: int) -> list[int]:
    """Return covered rows, those first that their clusters can give away."""
    of = {row: place for place, cluster in enumerate(clusters) for row in cluster}
    spare = {place: len(cluster) - k for place, cluster in enumerate(clusters)}
    given: list[int] = []
    others: list[int] = []
    for row in covered:
        if len(given) < wanted and spare[of[row]] > 0:
            spare[of[row]] -= 1
            given.append(row)
        else:
            others.append(row)
    return given + others[: wanted - len(given)]


def add_to_clusters(clusters: list[set[int]], rows: Sequence[int], k: int) -> None:
    """Add a set to disjoint clusters of k to 2k-1 rows, by the steps of algorithm 2."""
    own = set(rows)
    clusters.append(own)
    for row in rows:
        other = next((c for c in clusters if c is not own and row in c), None)
        if other is None or row not in own:
            continue
        if len(other) > k:
            other.remove(row)
        elif len(own) > k:
            own.remove(row)
        else:
            own |= other
            clusters[:] = [c for c in clusters if c is not other]


def clusters_of(cover: Sequence[Sequence[int]], *, k: int) -> list[list[int]]:
    """Return the clusters that algorithm 2 makes of a cover, in the order of their first rows."""
    clusters: list[set[int]] = []
    for rows in cover:
        add_to_clusters(clusters, rows, k)
    return sorted(sorted(cluster) for cluster in clusters)


def subsets(n_rows: int, *, k: int) -> Iterator[Rows]:
    """Return all sets of k to 2k-1 rows: what Gen-Cover chooses from."""
    for size in range(k, min(2 * k - 1, n_rows) + 1):
        yield from map(frozenset, combinations(range(n_rows), size))


def least_total(n_rows: int, *, k: int, cost: Callable[[Rows], int]) -> int:
    """Return the least sum of |S| cost(S) over all ways to part the rows into sets of k or more."""
    best: dict[Rows, int] = {frozenset(): 0}

    def least(rows: Rows) -> int:
        if rows not in best:
            first, *others = sorted(rows)
            totals = []
            for size in range(k - 1, len(rows)):
                rest = len(rows) - size - 1
                if rest and (rest < k or size + 1 >= 2 * k):  # larger sets can be parted
                    continue
                for some in combinations(others, size):
                    group = frozenset((first, *some))
                    totals.append(len(group) * cost(group) + least(rows - group))
            best[rows] = min(totals)
        return best[rows]

    return least(frozenset(range(n_rows)))
