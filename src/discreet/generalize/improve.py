"""Clusters made better by moving rows between them.

Whatever made the clusters, some rows are dearer where they are than elsewhere. Rows move while
the loss falls; no cluster gets smaller than k or breaks a rule on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError
from discreet.generalize.clustering import closures
from discreet.generalize.cost_table import cost_table, group_rules
from discreet.generalize.release import mean_loss
from discreet.mine.limits import search

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.generalize.problem import Problem
    from discreet.mine.limits import Limits


def improve_clusters(
    problem: Problem, clusters: ArrayLike, *, limits: Limits | None = None
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
        :func:`~discreet.generalize.repair.repair`.
    limits : Limits, optional
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
    ids = _checked(problem, clusters)
    with search("better clusters", "Use fewer rows", **(limits or {})) as running:
        found = _native.improve_clusters(
            cost_table(problem), group_rules(problem), problem.k, ids.astype(np.int32),
            running.control, running.progress,
        )  # fmt: skip
    better = _in_order(found)
    return better if _loss(problem, better) < _loss(problem, ids) else _in_order(ids)


def _checked(problem: Problem, clusters: ArrayLike) -> NDArray[np.int64]:
    given = np.asarray(clusters)
    if given.shape != (problem.n_rows,) or given.dtype.kind not in "iu":
        raise ParameterError(
            f"clusters has shape {given.shape} and type {given.dtype}; it needs one integer for "
            f"each of the {problem.n_rows:,} rows."
        )
    numbers, ids, sizes = np.unique(given, return_inverse=True, return_counts=True)
    ids = ids.reshape(-1)
    if sizes.min() < problem.k:
        small = int(sizes.argmin())
        raise ParameterError(
            f"Cluster {numbers[small]} has {sizes[small]:,} rows, fewer than k={problem.k:,}. Call "
            "repair first."
        )
    for rule in problem.rules:
        obeys = rule.holds(ids, len(numbers))
        if not obeys.all():
            raise ParameterError(
                f"Cluster {numbers[int(obeys.argmin())]} breaks the rule of column "
                f"'{rule.column}' ({rule.kind}, {rule.level:g}). Call repair first."
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
