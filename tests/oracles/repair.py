"""Clusters joined until they obey, by the definition: every join is priced anew."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from discreet.generalize.clusters import _scaled_costs, _scaled_weights
from discreet.generalize.problem import Problem


def joined_until_they_obey(problem: Problem, clusters: Iterable[int]) -> set[frozenset[int]]:
    """Return the clusters as sets of rows: smallest first, joined where the cost grows least."""
    weights = _scaled_weights(problem)
    costs = _scaled_costs(problem, int(weights.sum()))
    parents = [tree.parent for tree in problem.records.hierarchies]

    def cost(rows: frozenset[int]) -> int:
        leaves = problem.records.leaves[sorted(rows)]
        nodes = [closure(set(leaves[:, j].tolist()), parents[j]) for j in range(len(costs))]
        weight = int(weights[sorted(rows)].sum())
        return weight * sum(int(costs[j][node]) for j, node in enumerate(nodes))

    def obeys(rows: frozenset[int]) -> bool:
        alone = np.full(problem.n_rows, -1)
        alone[list(rows)] = 0
        return len(rows) >= problem.k and all(rule.holds(alone, 1)[0] for rule in problem.rules)

    numbers = np.unique(np.asarray(list(clusters)), return_inverse=True)[1].reshape(-1)
    groups = {
        int(group): frozenset(np.flatnonzero(numbers == group).tolist()) for group in set(numbers)
    }
    while broken := sorted((len(rows), group) for group, rows in groups.items() if not obeys(rows)):
        source = groups.pop(broken[0][1])
        growth = {g: cost(source | rows) - cost(rows) for g, rows in groups.items()}
        target = min(growth, key=lambda group: (growth[group], group))
        groups[target] |= source
    return set(groups.values())


def closure(nodes: set[int], parent: np.ndarray) -> int:
    """Return the lowest node above all of these: children have smaller numbers than parents."""
    while len(nodes) > 1:
        lowest = min(nodes)
        nodes = (nodes - {lowest}) | {int(parent[lowest])}
    return nodes.pop()
