"""Gen-Cover-CF: a cheap cover of all rows by closed sets, greedily and exactly."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet import _native
from discreet.errors import DiscreetWarning, LimitError
from discreet.generalize.clusters import closures, fraction_costs, generalization_costs
from discreet.generalize.problem import Records
from discreet.limits import most_itemsets, search

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem
    from discreet.limits import Limits


Price: TypeAlias = Literal["rows", "set"]

PRICES: tuple[Price, ...] = get_args(Price)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cover:
    """Sets of rows in the order in which they were chosen; together they hold every row.

    Attributes
    ----------
    offsets, rows : arrays of int64
        Set ``i`` has the rows ``rows[offsets[i]:offsets[i + 1]]``, ascending.
    costs : array of float
        What each row of a set costs, by the closed set that it was chosen from.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    costs: NDArray[np.float64]

    @property
    def prices(self) -> NDArray[np.float64]:
        """What each row paid, if a set is shared out among the rows that it newly covered."""
        first = np.unique(self.rows, return_index=True)[1]
        set_of = np.searchsorted(self.offsets, first, side="right") - 1
        n_new = np.bincount(set_of, minlength=len(self.costs))
        return np.asarray((self.costs * np.diff(self.offsets) / np.maximum(n_new, 1))[set_of])


def gen_cover(
    problem: Problem,
    *,
    candidates: Candidates,
    price: Price = "rows",
    **limits: Unpack[Limits],
) -> Cover:
    r"""Return a cover of all rows by sets of ``k`` to ``2k - 1`` rows, each of a closed set.

    Again and again the closed set :math:`S` is chosen that is cheapest for each row :math:`u`
    that it newly covers, and of it a subset of the right size:

    .. math::
        \rho(S) = \frac{w(u) \, d(S)}{u}, \quad u = \min(|S \cap U|, 2k - 1), \quad
        w(u) = \max(k, u) \text{ or } 1

    where :math:`U` are the rows not covered yet, :math:`d(S)` is the cost of the closed set's
    nodes, and :math:`w(u)` how often it is paid: by every row of the subset (``price="rows"``)
    or once (``price="set"``).

    Parameters
    ----------
    problem : Problem
        With ``k`` at least 2. Rules and weights do not count here.
    candidates : Candidates
        Closed sets, each of at least ``k`` rows; together they hold all rows.
    price : {"rows", "set"}
        What is to be small: the loss of all rows, or as in the thesis the sum over sets.
    **limits : Limits
        ``max_memory``, ``progress``.

    Returns
    -------
    Cover
        The same whatever the machine.

    Notes
    -----
    **Choice.** By :math:`\rho`, then larger :math:`u`, then the order of the candidates;
    costs are whole numbers and ratios compared exactly, see :func:`fraction_costs`. Rows are taken
    by number. If :math:`u < k`, rows already covered fill up, those first whose cluster (of
    :func:`cover_to_clusters`) has more than ``k``. With ``price="rows"`` and more than
    :math:`2k - 1` rows, so many are taken that ``k`` or none are left.

    **Exact and lazy.** :math:`\rho` never falls while rows get covered, so a set is counted
    only when its last known key is the least, and taken if it still is. A set is counted about
    once. Time: closed sets times rows not covered yet, 64 at a time.

    **Ratio.** Each step is the best of all subsets of ``k`` to ``2k - 1`` rows, so the cover
    costs at most :math:`H_{2k-1}` times the best one, :math:`H_n = 1 + 1/2 + \dots + 1/n`.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 18
    and lemma 8.0.3; its :math:`\rho` is that of ``price="set"``.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.cover import cover_candidates
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "a", "b"]})
    >>> problem = state_problem(people, k=2, options={})
    >>> cover = gen_cover(problem, candidates=cover_candidates(problem))
    >>> cover.rows.tolist(), cover.offsets.tolist(), cover.costs.tolist()
    ([0, 1, 0, 2], [0, 2, 4], [0.0, 2.0])
    """
    records = problem.records
    remedy = "Raise k or use fewer columns"
    with search(f"a cover (k {problem.k:,})", remedy, **limits) as running:
        offsets, rows, sets = _native.gen_cover(
            [tree.parent for tree in records.hierarchies],
            list(np.ascontiguousarray(records.leaves.T.astype(np.uint32))),
            # Costs as whole numbers over one denominator, so that ties are ties on every machine.
            list(fraction_costs(problem).costs),
            candidates.nodes, problem.k, price == "rows", running.control, running.progress,
        )  # fmt: skip
    costs = generalization_costs(candidates.nodes[sets], costs=problem.costs)
    return Cover(offsets=offsets, rows=rows, costs=costs)


# The closed sets that a cover may use: all of them, or as many as there is room for.

MAX_ITEMSETS = 5_000_000


"""Closed sets to work with, unless the user gives another limit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Closed sets of at least k rows: ``nodes[i, j]`` is the node of column ``j`` in set ``i``."""

    nodes: NDArray[np.int32]
    is_complete: bool

    @property
    def kind(self) -> str:
        """What an event says of them."""
        return "all closed" if self.is_complete else "bounded"


def cover_candidates(problem: Problem, **limits: Unpack[Limits]) -> Candidates:
    r"""Return all closed sets of at least ``k`` rows, or a bounded part of them.

    Parameters
    ----------
    problem : Problem
        Rows over hierarchies, and ``k``.
    **limits : Limits
        ``threads``, ``max_itemsets`` (here 5 million by default), ``max_memory``, ``progress``.

    Returns
    -------
    Candidates
        Every row lies under some of them.

    Warns
    -----
    DiscreetWarning
        If there are more than the limits allow.

    Notes
    -----
    Past a limit the candidates are the closed sets of at least ``2k``, ``4k``, ... rows, the
    first that are at most a quarter of the limit, together with :func:`sorted_windows`.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 16.
    The bounded part is not in the thesis.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["cook", "cook", "baker"]})
    >>> cover_candidates(state_problem(people, k=2, options={})).nodes.tolist()
    [[2, 2], [0, 1]]
    """
    given: Limits = {"max_itemsets": MAX_ITEMSETS, **limits}
    try:
        return Candidates(nodes=closed_sets(problem, k=problem.k, **given), is_complete=True)
    except LimitError as error:
        warnings.warn(
            f"{error} The cover uses a bounded part of them, so that how much it loses is not "
            "proved to be near the least.",
            DiscreetWarning,
            stacklevel=4,  # where set_cover was called
        )
    # Windows alone would cover all rows, with sets of neighbours only; large closed sets add
    # others.
    fewer: Limits = {**given, "max_itemsets": max(1, given["max_itemsets"] // 4)}
    found = [sorted_windows(problem)]
    k = 2 * problem.k
    while k <= problem.n_rows and len(found) == 1:
        try:
            found.append(closed_sets(problem, k=k, **fewer))
        except LimitError:
            k *= 2
    return Candidates(nodes=np.concatenate(found), is_complete=False)


def closed_sets(problem: Problem, *, k: int, **limits: Unpack[Limits]) -> NDArray[np.int32]:
    """Return the nodes of all closed sets of at least ``k`` rows, large sets first.

    Raises
    ------
    LimitError
        If there are more than the limits allow.
    """
    columns = [np.ascontiguousarray(leaf) for leaf in problem.records.leaves.T.astype(np.uint32)]
    remedy = "Raise k, use fewer columns or coarser hierarchies"
    with search(f"closed generalized itemsets (k {k:,})", remedy, **limits) as running:
        first, weights, _ = _native.collapse(columns, problem.n_rows, running.control, None)
        nodes, _ = _native.generalized_closed(
            [tree.parent for tree in problem.records.hierarchies],
            [column[first] for column in columns], weights, k, running.control, running.progress,
        )  # fmt: skip
    return nodes


# Closures of rows that are neighbours in a sorted table: few sets, of which many are good.

MOST_ORDERS = 16

_MOST_CODES = 2**62


def sorted_windows(problem: Problem) -> NDArray[np.int32]:
    """Return closures of ``k`` or a few more rows that follow each other in some order.

    Rows are sorted by their groups right under the roots, those alike by the groups one level
    lower, and so on down to the values, so that neighbours have much in common in all columns.
    Each column comes first in one order, and each order is cut into windows at two places.

    Parameters
    ----------
    problem : Problem
        With at least ``k`` rows.

    Returns
    -------
    array of int32, sets by columns
        Nodes; sets are different, and every row lies under some of them.

    Notes
    -----
    At most 16 orders, so that time is that of sorting the rows so often.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f", "m"], "job": ["a", "a", "a", "b"]})
    >>> sorted_windows(state_problem(people, k=2, options={})).tolist()
    [[0, 0], [1, 2], [2, 2]]
    """
    n_rows, k = problem.n_rows, problem.k
    n_columns = len(problem.records.columns)
    found = []
    for first in range(0, n_columns, -(-n_columns // MOST_ORDERS)):
        order = _by_levels(problem, [*range(first, n_columns), *range(first)])
        for shift in {0, k // 2}:
            windows = np.empty(n_rows, np.int64)
            last = max((n_rows - shift) // k - 1, 0)  # what is left over joins the last window
            windows[order] = np.clip((np.arange(n_rows) - shift) // k, 0, last)
            found.append(closures(problem.records, clusters=windows))
    return np.unique(np.concatenate(found), axis=0)


def _by_levels(problem: Problem, places: list[int]) -> NDArray[np.int64]:
    """Return the rows in order, coarse groups of all columns before fine ones."""
    records = problem.records
    keys = [np.zeros(problem.n_rows, np.int64)]
    n_codes = 1
    for level in range(1, max(tree.depth for tree in records.hierarchies) + 1):
        for place in places:
            tree = records.hierarchies[place]
            if level > tree.depth:
                continue
            if n_codes * tree.n_nodes > _MOST_CODES:  # as many levels in one key as fit
                keys.append(np.zeros(problem.n_rows, np.int64))
                n_codes = 1
            nodes = tree.level_nodes()[:, tree.depth - level]
            # Sorting by codes put together is sorting by all of them, in one comparison.
            keys[-1] = keys[-1] * tree.n_nodes + nodes[records.leaves[:, place]]
            n_codes *= tree.n_nodes
    return np.lexsort(keys[::-1])


# How little any grouping can lose: a bound for this very table, to judge a result by.

ROUNDS = 8

_PART_ITEMSETS = 1_000_000


def lower_bound(
    problem: Problem,
    *,
    candidates: Candidates | None = None,
    cover: Cover | None = None,
    **limits: Unpack[Limits],
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
    **limits : Limits
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
        bounds = _row_bounds(problem, candidates, cover, limits)
    else:
        most = most_itemsets(limits)
        given: Limits = {**limits, "max_itemsets": most}
        bounds = _by_parts(problem, given, is_too_wide=candidates is not None)
    weighted = bounds if problem.weights is None else bounds * problem.weights
    n_people = problem.n_rows if problem.weights is None else math.fsum(problem.weights)
    # Lowered by more than all rounding together: a bound that is a little too high would be false.
    rounding = (problem.k + 8 * len(problem.costs)) * 2.0**-52
    return math.fsum(weighted) / n_people / len(problem.costs) * (1 - rounding)


def _by_parts(problem: Problem, limits: Limits, *, is_too_wide: bool) -> NDArray[np.float64]:
    """Return bounds from all columns at once, or the sum of those of two halves."""
    if not is_too_wide:
        try:
            nodes = closed_sets(problem, k=problem.k, **limits)
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
    # What a row loses in all columns is the sum over both halves, and each half alone can be
    # grouped at least as well: the sum of both bounds is a bound.
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
    whole = fraction_costs(problem)
    weights, rounds = np.ones(problem.n_rows), 1
    if problem.weights is None:
        chosen = cover or gen_cover(problem, candidates=candidates, **limits)
        # Rows that the greedy cover found expensive weigh more; any weights give a valid bound,
        # these a high one.
        weights, rounds = np.sqrt(chosen.prices), ROUNDS
    with search("a lower bound", "Raise k or use fewer columns", **limits) as running:
        bounds = _native.row_bounds(
            [tree.parent for tree in problem.records.hierarchies],
            list(np.ascontiguousarray(problem.records.leaves.T.astype(np.uint32))),
            list(whole.costs),
            candidates.nodes, problem.k, weights, rounds, running.control, running.progress,
        )  # fmt: skip
    return bounds / whole.parts
