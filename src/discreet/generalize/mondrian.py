"""Mondrian over hierarchies: all rows are one group, and groups are split while they can be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet import checks
from discreet.assess.classes import equal_codes
from discreet.generalize.clusters import closures, generalization_costs
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import given_table
from discreet.release.event import Event

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem
    from discreet.generalize.rules import Options
    from discreet.limits import Progress
    from discreet.release.release import Release


Choose: TypeAlias = Literal["loss", "span"]

CHOICES: tuple[Choose, ...] = get_args(Choose)


def mondrian(
    table: object,
    *,
    k: int,
    choose: Choose = "loss",
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
    closure: how much the loss falls for each bit of the row's group that the split gives. Parts
    of ``k`` rows cannot be split, so bits are what a group has to spend.

    Parameters
    ----------
    table : Table or frame
        One row for each person. Identifying columns are not released.
    k : int
        Least size of a class, at least 1.
    choose : {"loss", "span"}
        How columns are chosen: as above, or the one whose node costs most, which is the rule
        of the paper. The first of several.
    **limits : Limits
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
    table = given_table(table, options)
    checks.one_of("choose", choose, CHOICES)
    problem = state_problem(table, k=k, options=options)
    progress = options.get("progress")
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
        # All groups of one depth are split at once, by array operations over all their rows.
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
            # By bit, so that a split into many small parts does not win for their number: they
            # cannot be split again.
            gain = _fall(problem, groups, parts) / np.where(is_whole, 1, _bits(groups, parts))
        # A group whose rows all fall into one part is not split by this column.
        gain = np.where(is_whole, -np.inf, gain)
        # Of equal gains the first column wins, so that the result does not depend on the order of
        # rows.
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


# Groups of rows, each split along one column into the children of its closure's node.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """Disjoint groups of rows: ``of[i]``, from 0, is the group of row ``rows[i]``; none is empty.

    Attributes
    ----------
    rows, of : array of int64
        Rows of the table, and the group of each.
    nodes : array of int32, groups by columns
        The closure of each group.
    """

    rows: NDArray[np.int64]
    of: NDArray[np.int64]
    nodes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.nodes)


def split_groups(problem: Problem, groups: Groups, *, place: int) -> NDArray[np.int64]:
    """Return the part of each row, if every group is split along one column.

    Rows that lie under the same child of the closure's node stay together. Children with
    fewer than ``k`` rows, or that break a rule, form one part; while that part is too small or
    breaks a rule itself, it takes in the smallest of the other children.

    Parameters
    ----------
    problem : Problem
        With ``k`` and the rules.
    groups : Groups
        Every group has ``k`` rows and obeys the rules.
    place : int
        The column.

    Returns
    -------
    array of int64
        Numbers from 0; every part has ``k`` rows, obeys the rules and lies in one group. A group
        that cannot be split is one part.

    Notes
    -----
    Linear in rows, times the number of children that have to be joined for the rules; with
    ``k`` alone, one is enough.
    """
    children = _children(problem, groups, place)
    pairs = equal_codes([groups.of, children], len(groups.rows))
    pair_of, group_of = pairs.class_of, groups.of[pairs.first]
    # Children that are large enough stand alone; the others are put together into one part. If that
    # is too small, the smallest of the large ones joins it, until all obey.
    is_alone = _obeys(problem, groups.rows, pair_of, pairs.sizes)
    # The smallest child of a group first, whatever the order of rows.
    by_size = np.lexsort((children[pairs.first], pairs.sizes, group_of))
    while True:
        parts, part_of = np.unique(
            np.where(is_alone, len(groups) + np.arange(len(pairs)), group_of), return_inverse=True
        )
        sizes = np.bincount(part_of, pairs.sizes).astype(np.int64)
        is_bad = ~_obeys(problem, groups.rows, part_of[pair_of], sizes)
        lacking = parts[is_bad]  # a bad part has the number of its group
        waiting = by_size[is_alone[by_size] & np.isin(group_of[by_size], lacking)]
        if not len(waiting):
            return part_of[pair_of]
        is_alone[waiting[np.unique(group_of[waiting], return_index=True)[1]]] = False


def _children(problem: Problem, groups: Groups, place: int) -> NDArray[np.int32]:
    """Return the child of its group's node that each row lies under; the node itself if a leaf."""
    tree = problem.records.hierarchies[place]
    depth = tree.depths[groups.nodes[:, place]] + 1
    level = np.maximum(tree.depth - depth, 0)  # levels are counted from the deepest leaf
    leaves = problem.records.leaves[groups.rows, place]
    return np.asarray(tree.level_nodes()[leaves, level[groups.of]])


def _obeys(
    problem: Problem,
    rows: NDArray[np.int64],
    part_of: NDArray[np.integer],
    sizes: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which parts have k rows and obey every rule."""
    obeys = sizes >= problem.k
    if problem.rules:
        everywhere = np.full(problem.n_rows, -1, np.int64)
        everywhere[rows] = part_of
        for rule in problem.rules:
            obeys &= rule.holds(everywhere, len(sizes))
    return obeys
