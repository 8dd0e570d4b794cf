"""Clusters joined until each has k rows and obeys the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.generalize.clustering import closures, generalization_costs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.generalize.problem import Problem


def repair(problem: Problem, clusters: ArrayLike) -> NDArray[np.int64]:
    r"""Return clusters that have at least ``k`` rows each and obey all rules.

    The smallest cluster that does not is joined with the one for which the loss grows least,

    .. math:: (w_S + w_T) \, d(S \cup T) - w_S \, d(S) - w_T \, d(T)

    where :math:`w` is the weight of a cluster's rows and :math:`d` the cost of its closure,
    until there is none. At last all rows are one cluster, which obeys the rules, as
    :func:`~discreet.generalize.problem.state_problem` has made sure.

    Parameters
    ----------
    problem : Problem
        Rows, costs, ``k`` and rules.
    clusters : array of integers
        The cluster of each row.

    Returns
    -------
    array of int64
        The cluster of each row, numbered from 0.

    Notes
    -----
    Guarantee: none of its own, and no bound on the loss: this is a heuristic. Time grows with
    the clusters that do not obey times all clusters.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "ill": ["a", "b", "a", "a"]},
    ...                              roles={"ill": "sensitive"})
    >>> repair(state_problem(people, k=2, options={"l": 2}), [0, 0, 1, 1]).tolist()
    [0, 0, 0, 0]
    """
    groups = _Groups(problem, np.unique(np.asarray(clusters), return_inverse=True)[1].reshape(-1))
    broken = groups.broken()
    while len(broken):
        smallest = broken[np.lexsort((broken, groups.sizes[broken]))[0]]
        target = groups.nearest(int(smallest))
        groups.join(int(smallest), target)
        broken = broken[broken != smallest]
        if groups.is_broken(target):
            broken = np.union1d(broken, [target])
        else:
            broken = broken[broken != target]
    return np.unique(groups.group_of, return_inverse=True)[1].reshape(-1)


class _Groups:
    """Clusters that can be joined: the first and last leaf, rows, weight and cost of each."""

    def __init__(self, problem: Problem, group_of: NDArray[np.int64]) -> None:
        n_groups = int(group_of.max()) + 1
        leaves, order = problem.records.leaves, np.argsort(group_of, kind="stable")
        starts = np.searchsorted(group_of[order], np.arange(n_groups))
        self.problem, self.group_of = problem, group_of.copy()
        self.rows = np.split(order, starts[1:])
        self.first = np.minimum.reduceat(leaves[order], starts, axis=0)
        self.last = np.maximum.reduceat(leaves[order], starts, axis=0)
        self.sizes = np.bincount(group_of)
        self.weights = np.bincount(group_of, problem.weights)
        self.costs = generalization_costs(
            closures(problem.records, clusters=group_of), costs=problem.costs
        )
        self.levels = [tree.level_nodes() for tree in problem.records.hierarchies]
        self.is_alive = np.ones(n_groups, bool)

    def broken(self) -> NDArray[np.int64]:
        """Return the groups that are too small or break a rule."""
        is_broken = self.sizes < self.problem.k
        for rule in self.problem.rules:
            is_broken |= ~rule.holds(self.group_of, len(self.sizes))
        return np.flatnonzero(is_broken)

    def is_broken(self, group: int) -> bool:
        """Say whether one group is too small or breaks a rule."""
        alone = np.full(len(self.group_of), -1, np.int64)
        alone[self.rows[group]] = 0
        return bool(self.sizes[group] < self.problem.k) or not all(
            rule.holds(alone, 1)[0] for rule in self.problem.rules
        )

    def nearest(self, group: int) -> int:
        """Return the other group that is cheapest to join with; the first of several."""
        joined = self._joined_costs(group)
        weights = self.weights + self.weights[group]
        growth = weights * joined - self.weights * self.costs
        growth[group] = np.inf
        growth[~self.is_alive] = np.inf
        return int(growth.argmin())

    def join(self, group: int, target: int) -> None:
        """Put the rows of a group into another one."""
        self.costs[target] = self._joined_costs(group)[target]
        self.group_of[self.rows[group]] = target
        self.rows[target] = np.concatenate([self.rows[target], self.rows[group]])
        self.rows[group] = self.rows[group][:0]
        np.minimum(self.first[target], self.first[group], out=self.first[target])
        np.maximum(self.last[target], self.last[group], out=self.last[target])
        self.sizes[target] += self.sizes[group]
        self.weights[target] += self.weights[group]
        self.sizes[group], self.is_alive[group] = 0, False

    def _joined_costs(self, group: int) -> NDArray[np.float64]:
        """Return the cost of the closure of each group joined with one."""
        total = np.zeros(len(self.sizes))
        for place, (levels, costs) in enumerate(zip(self.levels, self.problem.costs, strict=True)):
            up = levels[np.minimum(self.first[:, place], self.first[group, place])]
            down = levels[np.maximum(self.last[:, place], self.last[group, place])]
            lowest = (up == down).argmax(axis=1)  # where first and last leaf meet
            total += costs[up[np.arange(len(up)), lowest]]
        return total
