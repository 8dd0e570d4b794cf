"""How little any grouping can lose: a bound for this very table, to judge a result by."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import LimitError
from discreet.generalize.cover_candidates import MAX_ITEMSETS, Candidates, closed_sets
from discreet.generalize.gen_cover import gen_cover
from discreet.generalize.records import Records
from discreet.generalize.whole_costs import whole_costs
from discreet.mine.limits import search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.gen_cover import Cover
    from discreet.generalize.problem import Problem
    from discreet.mine.limits import Limits

ROUNDS = 8
_PART_ITEMSETS = 1_000_000


def lower_bound(
    problem: Problem,
    *,
    candidates: Candidates | None = None,
    cover: Cover | None = None,
    limits: Limits | None = None,
) -> float:
    r"""Return a mean cost of a cell that no clusters of at least ``k`` rows come below.

    Every row :math:`R` is given a bound :math:`y_R` such that no ``k`` rows under one closed
    set have bounds of more than ``k`` times its cost:

    .. math::
        \max_{T \subseteq S, |T| = k} \; \sum_{R \in T} y_R \le k \, d(S)
        \quad \text{for all closed } S, |S| \ge k

    A cluster has at least ``k`` rows, so it pays at least the sum of its rows' bounds, and all
    clusters together at least :math:`\sum_R y_R`.

    Parameters
    ----------
    problem : Problem
        Rows, costs, and ``k``. Rules only make the least loss larger.
    candidates : Candidates, optional
        All closed sets, if they are there already.
    cover : Cover, optional
        A cover by them, whose prices are a good first guess of the bounds.
    limits : Limits, optional
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Notes
    -----
    The bounds are a feasible solution of the dual of the linear program of covers. From any
    weights :math:`w`, they are

    .. math::
        y_R = w_R \min_{S \ni R} \frac{k \, d(S)}{\max_{T \subseteq S, |T| = k} \sum_T w}

    and with the bounds as the next weights none of them falls. Equal weights give the cost of
    the cheapest closed set above each row, its distance to its ``k - 1`` nearest rows; the
    first weights here are the roots of the prices that rows pay in :func:`gen_cover`, which end
    higher. Rows with weights in the loss keep the bound from equal weights. If there are too
    many closed sets, columns are halved until there are not, and the bounds of the parts added:
    costs add up over columns. The result is rounded down by more than the error of its sums.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, section 4.2
    for the linear program's covers. The bound is not in the thesis.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "a", "b"]})
    >>> round(lower_bound(state_problem(people, k=2, options={})), 6)
    0.666667
    """
    if problem.k == 1:
        return 0.0
    if candidates is not None and candidates.is_complete:
        bounds = _row_bounds(problem, candidates, cover, limits or {})
    else:
        most = (limits or {}).get("max_itemsets", MAX_ITEMSETS)
        given: Limits = {**(limits or {}), "max_itemsets": most}
        bounds = _by_parts(problem, given, is_too_wide=candidates is not None)
    weighted = bounds if problem.weights is None else bounds * problem.weights
    n_people = problem.n_rows if problem.weights is None else math.fsum(problem.weights)
    rounding = (problem.k + 8 * len(problem.costs)) * 2.0**-52
    return math.fsum(weighted) / n_people / len(problem.costs) * (1 - rounding)


def _by_parts(problem: Problem, limits: Limits, *, is_too_wide: bool) -> NDArray[np.float64]:
    """Return bounds from all columns at once, or the sum of those of two halves."""
    if not is_too_wide:
        try:
            nodes = closed_sets(problem, k=problem.k, limits=limits)
        except LimitError:
            is_too_wide = True
        else:
            return _row_bounds(problem, Candidates(nodes=nodes, is_complete=True), None, limits)
    n_columns = len(problem.costs)
    if n_columns == 1:
        return np.zeros(problem.n_rows)  # nothing is known
    fewer: Limits = {**limits, "max_itemsets": min(limits["max_itemsets"], _PART_ITEMSETS)}
    halves = (slice(0, n_columns // 2), slice(n_columns // 2, n_columns))
    low, high = (_by_parts(_part(problem, half), fewer, is_too_wide=False) for half in halves)
    return low + high


def _part(problem: Problem, columns: slice) -> Problem:
    """Return the problem of some of the columns."""
    records = problem.records
    some = Records(
        columns=records.columns[columns],
        hierarchies=records.hierarchies[columns],
        leaves=records.leaves[:, columns],
    )
    return replace(problem, records=some, costs=problem.costs[columns], rules=())


def _row_bounds(
    problem: Problem, candidates: Candidates, cover: Cover | None, limits: Limits
) -> NDArray[np.float64]:
    """Return the bound of each row, from all closed sets."""
    whole = whole_costs(problem)
    weights, rounds = np.ones(problem.n_rows), 1
    if problem.weights is None:
        chosen = cover or gen_cover(problem, candidates=candidates, limits=limits)
        weights, rounds = np.sqrt(chosen.prices), ROUNDS
    with search("a lower bound", "Raise k or use fewer columns", **limits) as running:
        bounds = _native.row_bounds(
            [tree.parent for tree in problem.records.hierarchies],
            list(np.ascontiguousarray(problem.records.leaves.T.astype(np.uint32))),
            list(whole.costs),
            candidates.nodes, problem.k, weights, rounds, running.control, running.progress,
        )  # fmt: skip
    return bounds / whole.parts
