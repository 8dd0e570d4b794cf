"""Incognito: of all generalizations with one level for each column, the one that loses least.

Which levels are enough is settled for single columns first, then for pairs, and so on: levels
that leave small classes in some columns leave them in more columns too, and where levels are
enough, higher ones are.
"""

from __future__ import annotations

from functools import reduce
from itertools import combinations
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes
from discreet.errors import LimitError
from discreet.generalize.clustering import generalization_costs
from discreet.generalize.full_domain import FullDomain, full_domain_release, most_dropped
from discreet.generalize.problem import state_problem

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.table import Table
    from discreet.generalize.problem import Options, Problem
    from discreet.mine.limits import Limits
    from discreet.progress import Progress
    from discreet.release.release import Release

MAX_NODES = 2_000_000
DIGITS = 12  # of losses that are compared


def incognito(
    table: Table,
    *,
    k: int,
    max_dropped: float = 0.0,
    max_nodes: int = MAX_NODES,
    limits: Limits | None = None,
    **options: Unpack[Options],
) -> Release:
    r"""Return the k-anonymous release of least loss in which each column is shown at one level.

    Of all vectors of levels :math:`(h_1, \dots, h_r)` at which the rows :math:`D` in classes
    that are too small or break a rule are few enough, it is one with the least

    .. math:: \sum_{R \notin D} \sum_j c_j(R(j) \text{ at level } h_j) + |D| \sum_j c_j(A_j)

    where :math:`c_j` is the cost of a node and :math:`A_j` the root of column :math:`j`.
    The rows :math:`D` are dropped.

    Parameters
    ----------
    table : Table
        One row for each person. Identifying columns are left out.
    k : int
        Least size of a class, at least 1.
    max_dropped : float
        Share of the rows that may be dropped, from 0 to 1.
    max_nodes : int
        Most nodes of all lattices together, which is the product over the columns of their
        levels, root and values included, plus 1.
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
    LimitError
        If there are more than ``max_nodes`` nodes.
    ParameterError
        If an option does not fit the table.
    HierarchyError
        If a value is not a leaf of its hierarchy.

    Notes
    -----
    Guarantee: k-anonymity in the columns generalized, and the rules asked for. The loss is the
    least of all full-domain generalizations, which is far from the least of all.

    Levels are those of :mod:`~discreet.generalize.full_domain`. When a level is raised or a
    column left out, classes are only joined. Then a class of ``k`` rows, or with so many
    distinct values, stays one, so the rows in other classes become fewer or stay as many, and
    nodes below one that is not enough need no look. Classes that *all* are diverse by entropy
    or recursively, or close, stay so when joined; but one that is may lose it to one that is
    not. So these rules take part in the search only if no row may be dropped. With dropped rows
    the least loss need not be at the lowest levels: nodes are then tried in the order of what
    they lose before rows are dropped, until that alone is more than the best.

    Classes of each set of columns are rolled up from those at the highest levels below all its
    candidates, the super-root of the paper. Time is the number of nodes looked at, a
    few percent of all, times classes there; memory grows with distinct rows, columns and levels.

    References
    ----------
    K. LeFevre, D. DeWitt, R. Ramakrishnan (2005), Incognito: Efficient Full-Domain
    K-Anonymity, section 3.1, and the super-roots of section 3.3.

    Examples
    --------
    >>> import discreet as dc
    >>> ages = dc.Hierarchy.intervals([21, 24, 33, 38], steps=[10])
    >>> people = dc.Table.from_frame({"age": [21, 24, 33, 38], "sex": ["f", "f", "m", "m"]})
    >>> incognito(people, k=2, hierarchies={"age": ages}).data.to_frame().rows()
    [('[20, 30)', 'f'), ('[20, 30)', 'f'), ('[30, 40)', 'm'), ('[30, 40)', 'm')]
    """
    problem = state_problem(table, k=k, options=options)
    allowed = most_dropped(problem, max_dropped)
    check_size(problem, max_nodes)
    domain = FullDomain.of(problem)
    levels = best_levels(domain, allowed=allowed, progress=(limits or {}).get("progress"))
    return full_domain_release(
        table, domain=domain, options=options, levels=levels,
        method="incognito", max_dropped=max_dropped,
    )  # fmt: skip


def best_levels(
    domain: FullDomain, *, allowed: int, progress: Progress | None = None
) -> tuple[int, ...]:
    """Return the level of each column at which the loss is least.

    Parameters
    ----------
    domain : FullDomain
        What rows show at every level.
    allowed : int
        Most rows that may be dropped.
    progress : callable, optional
        Called with the share of the sets of columns done.
    """
    places = range(len(domain.shown))
    # Of sets of one column fewer, which levels are enough; without columns all rows are alike.
    known: dict[tuple[int, ...], NDArray[np.bool_]] = {(): np.ones((), bool)}
    n_done = 0
    for size in range(1, len(places) + 1):
        found = {}
        for columns in combinations(places, size):
            candidates = np.ones([len(domain.shown[column]) for column in columns], bool)
            for at in range(size):
                candidates &= np.expand_dims(known[columns[:at] + columns[at + 1 :]], at)
            found[columns] = _enough(domain, allowed, columns, candidates)
            n_done += 1
            if progress is not None:
                progress(n_done / (2 ** len(places) - 1))
        known = found
    return _cheapest(domain, allowed, known[tuple(places)])


def _enough(
    domain: FullDomain, allowed: int, columns: tuple[int, ...], candidates: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return at which levels of some columns few enough rows are in classes to be dropped."""
    nodes = np.argwhere(candidates)  # each after those below it
    shown = [domain.shown[column] for column in columns]
    lowest = zip(shown, nodes.min(axis=0), strict=True)  # at most as high as any candidate
    whole = equal_codes([column[level] for column, level in lowest], len(domain.distinct))
    counts = np.bincount(whole.class_of, domain.distinct.sizes)
    shown = [column[:, whole.first] for column in shown]
    is_enough = np.zeros_like(candidates)
    for levels in map(tuple, nodes.tolist()):
        if is_enough[levels]:
            continue
        at = [column[level] for column, level in zip(shown, levels, strict=True)]
        classes = equal_codes(at, len(whole))
        sizes = np.bincount(classes.class_of, counts)
        is_lost = sizes < domain.problem.k
        if sizes[is_lost].sum() <= allowed:
            is_lost |= _breaks(domain, allowed, classes, whole)
            if sizes[is_lost].sum() <= allowed:
                is_enough[tuple(slice(level, None) for level in levels)] = True
    return is_enough


def _breaks(
    domain: FullDomain, allowed: int, classes: Classes, whole: Classes
) -> NDArray[np.bool_]:
    """Return which classes break a rule that takes part in the search."""
    breaks = np.zeros(len(classes), bool)
    for rule in domain.problem.rules:
        if not allowed or rule.kind == "distinct":
            by_row = classes.class_of[whole.class_of][domain.distinct.class_of]
            breaks |= ~rule.holds(by_row, len(classes))
    return breaks


def _cheapest(domain: FullDomain, allowed: int, is_enough: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the levels of least loss, of those that are enough; the first of several."""
    costs = domain.problem.costs
    weights = _weights(domain)
    by_level = [
        of_nodes[nodes] @ weights for of_nodes, nodes in zip(costs, domain.shown, strict=True)
    ]
    # What each node loses if no row is dropped; rounded, so that what loses the same ties.
    whole = np.round(reduce(np.add.outer, by_level), DIGITS)
    everything = sum(float(of_nodes[-1]) for of_nodes in costs)
    best, least = domain.depths, (inf, 0)
    for place in np.argsort(np.where(is_enough, whole, inf), axis=None, kind="stable").tolist():
        levels = tuple(int(level) for level in np.unravel_index(place, is_enough.shape))
        if not is_enough[levels] or (whole[levels], 0) >= least:
            break
        is_dropped = domain.to_drop(levels)
        n_dropped = domain.n_rows(is_dropped)
        if n_dropped <= allowed:
            shown = np.column_stack(domain.nodes(levels))[is_dropped].astype(np.int32)
            more = (everything - generalization_costs(shown, costs=costs)) @ weights[is_dropped]
            loss = (round(float(whole[levels] + more), DIGITS), n_dropped)
            best, least = (levels, loss) if loss < least else (best, least)
    return best


def _weights(domain: FullDomain) -> NDArray[np.float64]:
    """Return the share of each distinct row in the loss."""
    weights = np.bincount(domain.distinct.class_of, domain.problem.weights)
    return np.asarray(weights / weights.sum())


def check_size(problem: Problem, max_nodes: int = MAX_NODES) -> None:
    """Raise LimitError if there are more combinations of levels than can be looked at."""
    n_nodes = prod(tree.depth + 2 for tree in problem.records.hierarchies)
    if n_nodes > max_nodes:
        raise LimitError(
            f"There are {n_nodes:,} combinations of columns and levels to look at, more than "
            f"max_nodes={max_nodes:,}. Use fewer columns or lower hierarchies, or raise max_nodes."
        )
