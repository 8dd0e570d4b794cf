"""Forest: every row points at a near one until all trees are large enough, then trees are cut.

Following pointers puts rows into trees, and no pointer costs more than its row must lose in any
k-anonymous table. Trees that grew too large are cut where that leaves enough rows on both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet import _native
from discreet.generalize.clusters import costs_of_32_bits, repair
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import given_table, limits_of
from discreet.limits import limit_shares, search
from discreet.release.event import Event
from discreet.utility.node_costs import is_monotone

if TYPE_CHECKING:
    from typing import Unpack

    import numpy as np
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem
    from discreet.generalize.rules import Options
    from discreet.limits import Limits
    from discreet.release.release import Release


def forest(table: object, *, k: int, **options: Unpack[Options]) -> Release:
    r"""Return a k-anonymous release that loses at most 3(k - 1) times the least possible.

    .. math::
        \Pi(D, g_F(D)) = \sum_{T \in F} |T| \, d(T) \le 3 (k - 1) \cdot \mathrm{OPT}

    where :math:`F` are the parts into which trees are cut, :math:`d(T)` what each row of a part
    loses, and OPT the least that a k-anonymous table can lose.

    Parameters
    ----------
    table : Table or frame
        The original.
    k : int
        Least size of a group, at least 1.
    **limits : Limits
        ``max_memory`` and ``progress``.
    **options : Options
        Hierarchies, columns, measure of loss and rules, as for every method.

    Returns
    -------
    Release
        Its loss has the ratio if it is proved: for at least two rows in a group, without
        weights and rules, and with a measure by which no node costs more than its parent.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows, or not even all of them together obey a rule.
    ParameterError
        If an option does not fit the table.
    HierarchyError
        If a value is not a leaf of its hierarchy.

    Notes
    -----
    Guarantee: k-anonymity of the generalized columns, and the rules asked for. Weights do not
    change the groups. With ``k = 1`` rows stay as they are.

    Equal rows are found by hashing and the nearest of other rows in an order in which rows that
    begin alike stand together: quadratic at worst, and linear memory.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, theorem 4.3.2,
    algorithms 4 and 5. Step 3 of algorithm 5 takes the first subtrees with at least, not
    exactly, k rows. Trees are cut wherever that leaves k rows on both sides, not only those
    with more than 3(k - 1): the proof needs an upper limit only, and cutting never costs.

    Examples
    --------
    >>> import discreet as dc
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 2, 4]})
    >>> release = forest(people, k=2, hierarchies={"number": tree})
    >>> release.data.to_frame()["number"].to_list()
    ['low', 'low', 'high', 'high']
    >>> release.loss.ratio
    3.0
    """
    table = given_table(table, options)
    problem = state_problem(table, k=k, options=options)
    linking, repairing = limit_shares(limits_of(options), (0.0, 0.7 if problem.rules else 1.0, 1.0))
    clusters = forest_clusters(problem, **linking)
    if problem.rules:
        clusters = repair(problem, clusters, **repairing)
    step = Event(name="forest", parameters={"k": problem.k, "loss": problem.loss})
    return clustered_release(
        table, problem=problem, options=options, clusters=clusters, events=(step,),
        ratio=_ratio(problem),
    )  # fmt: skip


def forest_clusters(problem: Problem, **limits: Unpack[Limits]) -> NDArray[np.int64]:
    """Return the cluster of each row: k to 3(k - 1) rows each, or one row if k is 1.

    Parameters
    ----------
    problem : Problem
        Its rules and weights are not looked at.
    **limits : Limits
        ``max_memory`` and ``progress``.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f", "m"]})
    >>> forest_clusters(state_problem(people, k=2, options={})).tolist()
    [1, 0, 1, 0]
    """
    trees, records = problem.records.hierarchies, problem.records
    leaves = [column.astype("uint32") for column in records.leaves.T]
    with search(
        f"a forest of trees of {problem.k:,} rows", "Use fewer columns", **limits
    ) as running:
        targets = _native.grow_forest(
            [tree.parent for tree in trees], costs_of_32_bits(problem), leaves, problem.k,
            running.control, running.progress,
        )  # fmt: skip
        return _native.cut_forest(targets, problem.k, running.control)


def _ratio(problem: Problem) -> float | None:
    """Return the proved ratio of theorem 4.3.2, if its assumptions hold."""
    monotone = all(map(is_monotone, problem.records.hierarchies, problem.costs))
    if problem.k < 2 or problem.rules or problem.weights is not None or not monotone:
        return None
    return 3.0 * (problem.k - 1)
