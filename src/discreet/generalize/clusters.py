"""What a group of rows shows, and what that loses: the closure of the group, and its cost.

The closure of some rows has in each column the lowest node above all their values. Leaves of a
hierarchy are numbered so that every group's stand together, so the lowest node above many
leaves is the lowest above the first and the last of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError
from discreet.limits import search

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from numpy.typing import ArrayLike, NDArray

    from discreet.generalize.problem import Problem, Records
    from discreet.limits import Limits


def mean_loss(problem: Problem, nodes: NDArray[np.int32]) -> float:
    """Return the mean cost of a cell, rows by weight, if rows show these nodes.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> mean_loss(state_problem(people, k=2, options={}), np.array([[0], [2], [2]], np.int32))
    0.6666666666666666
    """
    by_row = generalization_costs(nodes, costs=problem.costs)
    return float(np.average(by_row, weights=problem.weights)) / len(problem.costs)


def closures(records: Records, *, clusters: ArrayLike) -> NDArray[np.int32]:
    r"""Return the closure of each cluster: the lowest nodes above all of its records.

    .. math:: \mathrm{cl}(S)_j = \min \{ B \in \bar A_j : R(j) \in B \text{ for all } R \in S \}

    where :math:`\bar A_j` are the nodes of the hierarchy of column :math:`j`.

    Parameters
    ----------
    records : Records
        The rows.
    clusters : array of integers
        The cluster of each row.

    Returns
    -------
    array of int32, clusters by columns
        Nodes, in the order of the clusters' numbers.

    Notes
    -----
    Sorting the rows by cluster dominates; memory grows with rows and columns.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, definition
    4.1.1.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import encode_records
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 2, 3]})
    >>> rows = encode_records(people, hierarchies={"number": tree})
    >>> [tree.labels[node] for node in closures(rows, clusters=[0, 1, 0, 1]).ravel()]
    ['low', 3]
    """
    ids = _checked(clusters, len(records.leaves))
    order = np.argsort(ids, kind="stable")
    starts = np.unique(ids[order], return_index=True)[1]
    ordered = records.leaves[order]
    first = np.minimum.reduceat(ordered, starts, axis=0)
    last = np.maximum.reduceat(ordered, starts, axis=0)
    nodes = np.empty_like(first)
    for place, tree in enumerate(records.hierarchies):
        levels = tree.level_nodes()  # from the leaf up, all at one depth or still the leaf
        up, down = levels[first[:, place]], levels[last[:, place]]
        lowest = (up == down).argmax(axis=1)  # the first level where they meet; the root at last
        nodes[:, place] = up[np.arange(len(up)), lowest]
    return nodes


def generalization_costs(
    nodes: NDArray[np.int32], *, costs: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    r"""Return what each record of a cluster loses, by the cluster's closure.

    .. math:: d(S) = \sum_j c_j(\mathrm{cl}(S)_j), \qquad \mathrm{ANON}(S) = |S| \, d(S)

    where :math:`c_j` are the costs of the nodes of column :math:`j`.

    Parameters
    ----------
    nodes : array of int32, clusters by columns
        Of `closures`.
    costs : sequence of arrays
        One for each column, of :func:`~discreet.utility.node_costs.node_costs`.

    References
    ----------
    B. Kenig (2009), definition 4.1.2.

    Examples
    --------
    >>> import numpy as np
    >>> generalization_costs(np.array([[0, 2], [2, 2]], np.int32), costs=[np.arange(3) / 2] * 2)
    array([1., 2.])
    """
    total = np.zeros(len(nodes))
    for place, of_nodes in enumerate(costs):
        total += of_nodes[nodes[:, place]]
    return total


def _checked(clusters: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    ids = np.asarray(clusters)
    if ids.shape != (n_rows,) or ids.dtype.kind not in "iu":
        raise ParameterError(
            f"clusters has shape {ids.shape} and type {ids.dtype}; it needs one integer for each "
            f"of the {n_rows:,} rows.",
            parameter="clusters",
        )
    return ids.astype(np.int64)


# Costs as kernels take them: whole numbers, whose sums do not depend on the order of adding.
#
# There are three precisions, because kernels do different things with a cost and 64 bits are not
# enough for all of them at once.
# - weighted_cost_table: added up over all rows, times their weights (improve, repair). The total
#   has to fit 61 bits, so the more rows there are, the fewer bits are left to a cost.
# - fraction_costs: multiplied by sizes of sets, and ratios of those compared (set cover and its
#   lower bound). Exact where the loss allows; else rounded down, as a lower bound has to be.
# - costs_of_32_bits: looked up and added for every pair of clusters or rows (agglomerative,
#   forest), so the tables should be small and a row's sum has to fit 31 bits. Rounded up, so that
#   what costs anything still does.

_WEIGHT_BITS = 31  # of the sum of weights that are not whole numbers

_TOTAL_BITS = 61  # of the cost of all rows at the roots

_COST_BITS = 39  # of one node's cost


def weighted_cost_table(problem: Problem) -> _native.CostTable:
    """Return rows, hierarchies and costs for kernels, scaled to whole numbers.

    Sums of whole numbers are exact, so a kernel's choices do not depend on the order in which
    it adds. The costs are rounded to at least 29 binary digits of the largest, fewer only with
    more than 2**30 rows.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> type(weighted_cost_table(state_problem(people, k=2, options={}))).__name__
    'CostTable'
    """
    weights = _scaled_weights(problem)
    return _native.CostTable(
        [tree.parent for tree in problem.records.hierarchies],
        _scaled_costs(problem, int(weights.sum())),
        [np.ascontiguousarray(leaves) for leaves in problem.records.leaves.T],
        weights,
    )


def group_rules(problem: Problem) -> list[_native.GroupRule]:
    """Return the rules on groups for kernels."""
    return [
        _native.GroupRule(
            rule.kind, rule.level, rule.ratio, rule.values, rule.n_values,
            rule.starts, rule.stops, rule.lengths, rule.units, rule.offsets, rule.members,
        )
        for rule in problem.rules
    ]  # fmt: skip


def _scaled_weights(problem: Problem) -> NDArray[np.int64]:
    given = problem.weights
    if given is None:
        return np.ones(problem.n_rows, np.int64)
    is_whole = (given == np.floor(given)).all() and given.sum() < 2.0**_WEIGHT_BITS
    scale = 1.0 if is_whole else 2.0**_WEIGHT_BITS / (given.sum() + problem.n_rows)
    # At least 1: a row of weight 0 would be free to move anywhere.
    return np.maximum(np.rint(given * scale), 1).astype(np.int64)


def _scaled_costs(problem: Problem, weight: int) -> list[NDArray[np.int64]]:
    highest = [float(costs.max()) for costs in problem.costs]
    largest = max(*highest, 0.0)
    if largest == 0:
        return [np.zeros(len(costs), np.int64) for costs in problem.costs]
    # As many bits as leave the dearest table, all rows at all roots, within 61.
    bits = min(_COST_BITS, _TOTAL_BITS - int(np.ceil(np.log2(weight * sum(highest) / largest))))
    return [np.rint(costs / largest * 2.0**bits).astype(np.int64) for costs in problem.costs]


MOST_PARTS = 2**40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FractionCosts:
    """Node ``v`` of column ``j`` costs ``costs[j][v] / parts``, or a little more if not exact."""

    costs: tuple[NDArray[np.int64], ...]
    parts: int
    is_exact: bool


def fraction_costs(problem: Problem) -> FractionCosts:
    """Return the costs of a problem's nodes as multiples of one small part.

    Notes
    -----
    The costs of ``lm``, ``tree`` and ``suppression`` are fractions; if their common denominator
    is at most :math:`2^{40}`, they are exact. All others are rounded down to multiples of
    :math:`2^{-40}`, which keeps a parent at least as dear as its children.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> ages = dc.Hierarchy.from_mapping({"*": {"young": [20, 30], "old": [60, 70]}})
    >>> people = dc.Table.from_frame({"age": [20, 30, 60], "sex": ["f", "m", "f"]})
    >>> problem = state_problem(people, k=2, options={"hierarchies": {"age": ages}})
    >>> found = fraction_costs(problem)
    >>> found.parts, [costs.tolist() for costs in found.costs]
    (3, [[0, 0, 0, 0, 1, 1, 3], [0, 0, 3]])
    """
    parts = _denominator(problem)
    is_exact = parts is not None and parts <= MOST_PARTS
    if parts is None or not is_exact:
        parts = MOST_PARTS
    # Exact costs are whole multiples, up to the rounding of their floats; others are rounded down,
    # so that a bound made of them stays below the true loss.
    turn = np.rint if is_exact else np.floor
    costs = tuple(turn(of_column * parts).astype(np.int64) for of_column in problem.costs)
    return FractionCosts(costs=costs, parts=parts, is_exact=is_exact)


def _denominator(problem: Problem) -> int | None:
    """Return the common denominator of all costs, None if they are no fractions."""
    trees = problem.records.hierarchies
    if problem.loss == "lm":
        return lcm(*(max(tree.n_leaves - 1, 1) for tree in trees))
    if problem.loss == "tree":
        return lcm(*(max(tree.depth, 1) for tree in trees))
    return 1 if problem.loss == "suppression" else None


MOST_OF_32_BITS = 2**30


def costs_of_32_bits(problem: Problem) -> list[NDArray[np.int32]]:
    """Return the costs of nodes, the dearest row being a little more than a thousand million.

    Notes
    -----
    Rounded up: what costs anything still does, and no node comes to cost more than its parent
    that did not before. A row's loss changes by less than a thousand-millionth of the most it
    could lose, for each column.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 4]})
    >>> problem = state_problem(people, k=2, options={"hierarchies": {"number": tree}})
    >>> [costs.tolist() for costs in costs_of_32_bits(problem)]
    [[0, 0, 0, 0, 357913942, 357913942, 1073741824]]
    """
    most = sum(float(costs.max()) for costs in problem.costs)
    scale = MOST_OF_32_BITS / most if most > 0 else 1.0
    return [np.ceil(np.maximum(costs, 0) * scale).astype(np.int32) for costs in problem.costs]


# Clusters made better by moving rows between them.
#
# Whatever made the clusters, some rows are dearer where they are than elsewhere. Rows move while
# the loss falls; no cluster gets smaller than k or breaks a rule on the way.


def improve_clusters(
    problem: Problem, clusters: ArrayLike, **limits: Unpack[Limits]
) -> NDArray[np.int64]:
    r"""Return clusters with the same or a lower loss.

    .. math:: \sum_S \sum_{R \in S} w_R \, d(S), \qquad d(S) = \sum_j c_j(\mathrm{cl}(S)_j)

    where :math:`S` are the clusters, :math:`w_R` the weights of rows (1 by default), and
    :math:`c_j` the costs of the nodes of column :math:`j`.

    Parameters
    ----------
    problem : Problem
        Rows, costs, ``k`` and rules.
    clusters : array of integers
        The cluster of each row; each has at least ``k`` rows and obeys the rules, as after
        :func:`~discreet.generalize.clusters.repair`.
    **limits : Limits
        Threads and progress; the result does not depend on the threads.

    Returns
    -------
    array of int64
        The cluster of each row, numbered from 0 in the order of their first rows.

    Raises
    ------
    ParameterError
        If a cluster has fewer than ``k`` rows or breaks a rule.

    Notes
    -----
    Guarantee: none of its own, and no bound on the loss: this is a heuristic that never makes it
    higher. Clusters may grow beyond :math:`2k - 1` rows on the way, unlike in the thesis: with
    costs that never fall from a node to its parent, cutting such a cluster loses nothing.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f", "m"]})
    >>> improve_clusters(state_problem(people, k=2, options={}), [0, 0, 1, 1]).tolist()
    [0, 1, 0, 1]
    """
    ids = _checked_sizes(problem, clusters)
    with search("better clusters", "Use fewer rows", **limits) as running:
        found = _native.improve_clusters(
            weighted_cost_table(problem), group_rules(problem), problem.k, ids.astype(np.int32),
            running.control, running.progress,
        )  # fmt: skip
    better = _in_order(found)
    # Judged by the true costs: the kernel's rounded ones may see a gain where there is none.
    return better if _loss(problem, better) < _loss(problem, ids) else _in_order(ids)


def _checked_sizes(problem: Problem, clusters: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(clusters)
    if given.shape != (problem.n_rows,) or given.dtype.kind not in "iu":
        raise ParameterError(
            f"clusters has shape {given.shape} and type {given.dtype}; it needs one integer for "
            f"each of the {problem.n_rows:,} rows.",
            parameter="clusters",
        )
    numbers, ids, sizes = np.unique(given, return_inverse=True, return_counts=True)
    ids = ids.reshape(-1)
    if sizes.min() < problem.k:
        small = int(sizes.argmin())
        raise ParameterError(
            f"Cluster {numbers[small]} has {sizes[small]:,} rows, fewer than {{k}}.",
            parameter="clusters",
            remedy="Call repair first.",
            options={"k": problem.k},
        )
    for rule in problem.rules:
        obeys = rule.holds(ids, len(numbers))
        if not obeys.all():
            raise ParameterError(
                f"Cluster {numbers[int(obeys.argmin())]} breaks the rule of column "
                f"'{rule.column}' ({rule.sentence}).",
                parameter="clusters",
                column=rule.column,
                remedy="Call repair first.",
            )
    return ids


def _loss(problem: Problem, ids: NDArray[np.int64]) -> float:
    return mean_loss(problem, closures(problem.records, clusters=ids)[ids])


def _in_order(ids: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the same clusters, numbered in the order of their first rows."""
    _, first, place = np.unique(ids, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    in_order: NDArray[np.int64] = rank[place.reshape(-1)]
    return in_order


# Clusters joined until each has k rows and obeys the rules.


def repair(problem: Problem, clusters: ArrayLike, **limits: Unpack[Limits]) -> NDArray[np.int64]:
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
    **limits : Limits
        Progress; one thread works.

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
    ids = np.unique(np.asarray(clusters), return_inverse=True)[1].reshape(-1)
    with search("clusters that obey", "Use fewer rows", **limits) as running:
        found = _native.repair_clusters(
            weighted_cost_table(problem), group_rules(problem), problem.k, ids.astype(np.int32),
            running.control, running.progress,
        )  # fmt: skip
    return np.unique(found, return_inverse=True)[1].reshape(-1)
