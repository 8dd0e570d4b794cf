"""Mondrian over hierarchies: all rows are one group, and groups are split while they can be."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet.errors import ParameterError, did_you_mean
from discreet.generalize.clustering import closures, generalization_costs
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.split_groups import Groups, split_groups
from discreet.release.event import Event

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.generalize.problem import Options, Problem
    from discreet.mine.limits import Limits
    from discreet.progress import Progress
    from discreet.release.release import Release

Choose: TypeAlias = Literal["loss", "span"]
CHOICES: tuple[Choose, ...] = get_args(Choose)


def mondrian(
    table: Table,
    *,
    k: int,
    choose: Choose = "loss",
    limits: Limits | None = None,
    **options: Unpack[Options],
) -> Release:
    r"""Return a k-anonymous release by splitting groups of rows from the top down.

    All rows are one group at first. A group is split along one column into the rows under each
    child of the node that it shows there. Children with fewer than ``k`` rows, or that break a
    rule, are joined, if need be with the smallest of the others. A column whose rows end up in
    one part cannot be split; a group without a column to split is final and shows its closure.

    Of the columns that can be split, it is the one with the greatest

    .. math:: \frac{|S| \, d(S) - \sum_i |S_i| \, d(S_i)}
        {|S| \log_2 |S| - \sum_i |S_i| \log_2 |S_i|}

    where :math:`S_i` are the parts of the group :math:`S` and :math:`d` is the cost of a
    closure: how much the loss falls for each bit of the row's group that the split tells. Parts
    of ``k`` rows cannot be split, so bits are what a group has to spend.

    Parameters
    ----------
    table : Table
        One row for each person. Identifying columns are left out.
    k : int
        Least size of a class, at least 1.
    choose : {"loss", "span"}
        How columns are chosen: as above, or the one whose node costs most, which is the rule
        of the paper. The first of several.
    limits : Limits, optional
        Only ``progress`` is used.
    **options : Options
        Hierarchies, columns, loss, rules, weights, households.

    Returns
    -------
    Release
        Rows sorted by what they show.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows, or all rows together break a rule.
    ParameterError
        If an option does not fit the table.
    HierarchyError
        If a value is not a leaf of its hierarchy.

    Notes
    -----
    Guarantee: k-anonymity in the columns generalized, and the rules asked for; none on the
    loss, this is a heuristic.

    All groups are split at the same time, each along a column of its own. Time is the depth of
    the splits times columns squared times what sorting the rows takes; memory grows with rows
    and columns. The paper cuts ordered values at their median; a hierarchy has children instead.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan (2006), Mondrian Multidimensional K-Anonymity, the
    top-down greedy algorithm for strict partitions.

    Examples
    --------
    >>> import discreet as dc
    >>> ages = dc.Hierarchy.intervals([21, 24, 33, 38], steps=[10])
    >>> people = dc.Table.from_frame({"age": [21, 24, 33, 38, 38], "sex": list("fmmmm")})
    >>> mondrian(people, k=2, hierarchies={"age": ages}).data.to_frame().rows()
    [('[20, 30)', '*'), ('[20, 30)', '*'), ('[30, 40)', 'm'), ('[30, 40)', 'm'), ('[30, 40)', 'm')]
    """
    if choose not in CHOICES:
        raise ParameterError(f"There is no choose={choose!r}. {did_you_mean(str(choose), CHOICES)}")
    problem = state_problem(table, k=k, options=options)
    progress = (limits or {}).get("progress")
    clusters = mondrian_clusters(problem, choose=choose, progress=progress)
    done = Event(
        name="mondrian", parameters={"k": problem.k, "loss": problem.loss, "choose": choose}
    )
    return clustered_release(
        table, problem=problem, options=options, clusters=clusters, events=(done,)
    )


def mondrian_clusters(
    problem: Problem, *, choose: Choose = "loss", progress: Progress | None = None
) -> NDArray[np.int64]:
    """Return the cluster of each row, as :func:`mondrian` makes them.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f", "m"]})
    >>> mondrian_clusters(state_problem(people, k=2, options={})).tolist()
    [0, 1, 0, 1]
    """
    cluster_of = np.zeros(problem.n_rows, np.int64)
    rows, parts, n_clusters = np.arange(problem.n_rows), np.zeros(problem.n_rows, np.int64), 0
    while len(rows):
        groups = _groups(problem, rows, np.unique(parts, return_inverse=True)[1].reshape(-1))
        parts, is_split = _best_parts(problem, groups, choose)
        done = ~is_split[groups.of]
        found, cluster = np.unique(groups.of[done], return_inverse=True)
        cluster_of[rows[done]] = n_clusters + cluster.reshape(-1)
        n_clusters += len(found)
        rows, parts = rows[~done], parts[~done]
        if progress is not None:
            progress(1 - len(rows) / problem.n_rows)
    return cluster_of


def _groups(problem: Problem, rows: NDArray[np.int64], of: NDArray[np.int64]) -> Groups:
    """Return groups of rows, numbered from 0, with their closures."""
    some = replace(problem.records, leaves=problem.records.leaves[rows])
    return Groups(rows=rows, of=of, nodes=closures(some, clusters=of))


def _best_parts(
    problem: Problem, groups: Groups, choose: Choose
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the part of each row by the best column of its group, and which groups have one."""
    best = np.full(len(groups), -np.inf)
    chosen = np.zeros(len(groups.rows), np.int64)
    for place, costs in enumerate(problem.costs):
        parts = _groups(problem, groups.rows, split_groups(problem, groups, place=place))
        group_of = np.empty(len(parts), np.int64)
        group_of[parts.of] = groups.of
        is_whole = np.bincount(group_of) == 1
        gain = costs[groups.nodes[:, place]]
        if choose == "loss":
            gain = _fall(problem, groups, parts) / np.where(is_whole, 1, _bits(groups, parts))
        gain = np.where(is_whole, -np.inf, gain)
        is_better = gain > best
        best[is_better] = gain[is_better]
        rows = is_better[groups.of]
        chosen[rows] = place * problem.n_rows + parts.of[rows]  # no two columns share a number
    return chosen, best > -np.inf


def _fall(problem: Problem, groups: Groups, parts: Groups) -> NDArray[np.float64]:
    """Return how much less the rows of each group lose if they show the closures of parts."""
    before = generalization_costs(groups.nodes, costs=problem.costs)[groups.of]
    after = generalization_costs(parts.nodes, costs=problem.costs)[parts.of]
    weights = 1.0 if problem.weights is None else problem.weights[groups.rows]
    return np.asarray(np.bincount(groups.of, (before - after) * weights), np.float64)


def _bits(groups: Groups, parts: Groups) -> NDArray[np.float64]:
    """Return how many bits it takes to say in which parts the rows of each group are."""
    log_sizes = (
        np.log2(np.bincount(groups.of))[groups.of] - np.log2(np.bincount(parts.of))[parts.of]
    )
    return np.asarray(np.bincount(groups.of, log_sizes), np.float64)
