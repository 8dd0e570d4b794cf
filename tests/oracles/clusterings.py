"""Clusterings of few rows: the best of all, and the linkage algorithms carried out word by word.

Nothing here is clever and nothing is shared with the code under test. A column is a hierarchy,
the parent of each node and -1 for the root, with a cost of each node; rows are nodes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TypeAlias

Parents: TypeAlias = Sequence[int]
Cluster: TypeAlias = tuple[int, ...]
Distance: TypeAlias = Callable[["Rows", Cluster, Cluster], float]


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Rows over hierarchies with costs; weights are 1 if not given."""

    parents: Sequence[Parents]
    costs: Sequence[Sequence[float]]
    leaves: Sequence[tuple[int, ...]]
    weights: Sequence[float] = ()

    def __len__(self) -> int:
        return len(self.leaves)

    def cost(self, cluster: Iterable[int]) -> float:
        """Return d(S), what each row of a cluster loses: the costs of the lowest nodes above."""
        total: float = 0
        columns = zip(*(self.leaves[row] for row in cluster), strict=True)
        for parent, costs, leaves in zip(self.parents, self.costs, columns, strict=True):
            paths = [above(parent, leaf) for leaf in set(leaves)]
            total += costs[next(node for node in paths[0] if all(node in path for path in paths))]
        return total

    def weight(self, cluster: Cluster) -> float:
        return sum(self.weights[row] for row in cluster) if self.weights else len(cluster)

    def loss(self, clusters: Iterable[Cluster]) -> float:
        return sum(len(cluster) * self.cost(cluster) for cluster in clusters)

    def first_equal(self, row: int) -> int:
        return self.leaves.index(self.leaves[row])


def above(parent: Parents, node: int) -> list[int]:
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path


def least_loss(rows: Rows, k: int) -> float:
    """Return the loss of the best of all clusterings into clusters of at least k rows."""

    @cache
    def least(left: frozenset[int]) -> float:
        if not left:
            return 0
        first, *others = sorted(left)
        return min(
            (
                len(some) * rows.cost(some) + least(left - set(some))
                for size in range(k - 1, len(others) + 1)
                for rest in combinations(others, size)
                if (some := (first, *rest)) and not 0 < len(left) - len(some) < k
            ),
            default=float("inf"),
        )

    return least(frozenset(range(len(rows))))


def grown_forest(rows: Rows, k: int) -> list[int]:
    """Return the row that each points at, -1 for none: algorithm 4, rows in their order."""
    target = [-1] * len(rows)
    for row in range(len(rows)):
        tree = tree_of(target, row)
        if len(tree) >= k:
            continue

        def key(other: int, row: int = row) -> tuple[float, bool, int, int]:
            is_other = rows.leaves[other] != rows.leaves[row]
            return rows.cost((row, other)), is_other, rows.first_equal(other), other

        target[row] = min(set(range(len(rows))) - tree, key=key)
    return target


def tree_of(target: Sequence[int], row: int) -> set[int]:
    """Return the rows that hang together with a row."""
    tree = {row}
    while True:
        more = {t for r, t in enumerate(target) if r in tree and t >= 0}
        more |= {r for r, t in enumerate(target) if t in tree}
        if more <= tree:
            return tree
        tree |= more


def forest_weight(rows: Rows, target: Sequence[int]) -> float:
    return sum(rows.cost((row, other)) for row, other in enumerate(target) if other >= 0)


def cut_forest(target: Sequence[int], k: int) -> list[set[int]]:
    """Return the parts of trees: algorithm 5 as long as it leaves k rows on both sides."""
    depth = [len(above(target, row)) for row in range(len(target))]
    trees = {frozenset(tree_of(target, row)) for row in range(len(target))}
    parts: list[set[int]] = []
    waiting = [set(tree) for tree in trees]
    while waiting:
        tree = waiting.pop()
        cut = _cut_off(tree, target, depth, k)
        if cut:
            waiting += [cut, tree - cut]
        else:
            parts.append(tree)
    return parts


def _cut_off(tree: set[int], target: Sequence[int], depth: Sequence[int], k: int) -> set[int]:
    """Return the rows to cut off a tree, or none; a part of several trees is never cut again."""

    def under(row: int) -> set[int]:
        below = {row}
        while more := {r for r in tree - below if target[r] in below}:
            below |= more
        return below

    heavy = [row for row in tree if len(under(row)) >= k]
    if not heavy:
        return set()
    u = min(heavy, key=lambda row: (-depth[row], row))
    if len(tree) - len(under(u)) >= k:
        return under(u)
    children = [row for row in tree if target[row] == u]
    cut: set[int] = set()
    for child in sorted(children, key=lambda row: (-len(under(row)), row)):
        cut |= under(child)
        if len(cut) >= k:
            return cut if len(tree) - len(cut) >= k else set()
    return set()


def change(rows: Rows, a: Cluster, b: Cluster) -> float:
    """Return the distance of equation (5.2)."""
    own = rows.weight(a) * rows.cost(a) + rows.weight(b) * rows.cost(b)
    return (rows.weight(a) + rows.weight(b)) * rows.cost((*a, *b)) - own


def ratio(least: float) -> Distance:
    return lambda rows, a, b: rows.cost((*a, *b)) / (rows.cost(a) + rows.cost(b) + least)


def agglomerated(rows: Rows, k: int, *, modified: bool, distance: Distance) -> list[Cluster]:
    """Return the clusters of algorithm 6 or, if modified, 7."""
    done: list[Cluster] = []
    living: list[Cluster] = []  # in the order in which they came into being
    for row in range(len(rows)):
        if rows.first_equal(row) == row:
            equal = [other for other in range(len(rows)) if rows.first_equal(other) == row]
            full = len(equal) // k * k
            done += [tuple(equal[at : at + k]) for at in range(0, full, k)]
            living += [tuple(equal[full:])] if equal[full:] else []
    while len(living) > 1:
        pairs = [(old, young) for young in range(len(living)) for old in range(young)]
        old, young = min(pairs, key=lambda pair: distance(rows, *(living[i] for i in pair)))
        united = tuple(sorted((*living[old], *living[young])))
        living = [one for place, one in enumerate(living) if place not in (old, young)]
        if len(united) < k:
            living.append(united)
            continue
        kept, given_back = shrunk(rows, united, k) if modified else (united, ())
        done.append(kept)
        for first in sorted({rows.first_equal(row) for row in given_back}):
            living.append(tuple(row for row in given_back if rows.first_equal(row) == first))
    for row in sorted(row for cluster in living for row in cluster):
        place = min(range(len(done)), key=lambda place: change(rows, (row,), done[place]))
        done[place] = (*done[place], row)
    return done


def shrunk(rows: Rows, cluster: Cluster, k: int) -> tuple[Cluster, Cluster]:
    """Return k rows of a cluster and those given back, ascending: algorithm 7."""
    kept, given_back = list(cluster), []
    while len(kept) > k:
        gains = [without(rows, kept, row) for row in kept]
        given_back.append(kept.pop(gains.index(max(gains))))
    return tuple(kept), tuple(sorted(given_back))


def without(rows: Rows, cluster: Sequence[int], row: int) -> float:
    """Return dist(S, S without R) of equation (5.2), unweighted: their union is S."""
    rest = [other for other in cluster if other != row]
    union, size = rows.cost(cluster), len(cluster)
    return size * union - size * union - len(rest) * rows.cost(rest)
