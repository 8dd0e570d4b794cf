"""Full-domain generalization: every value of a column is shown at one level of its hierarchy.

Levels are counted from the leaves that are farthest from the root: level 0 shows every value,
each level shows nodes one step nearer to the root, and a value nearer to the root than others
stays as it is until the others have come up to it. The last level is the root. A group of one
member is a level, though it costs no more than its member.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.classes import equal_codes
from discreet.errors import LimitError
from discreet.generalize.clusters import generalization_costs
from discreet.generalize.problem import state_problem
from discreet.generalize.release import nodes_release
from discreet.generalize.rules import given_table
from discreet.release.event import Event

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.table import Table
    from discreet.generalize.problem import Problem
    from discreet.generalize.rules import Options
    from discreet.limits import Progress
    from discreet.release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FullDomain:
    """The distinct rows of a problem, and what they show at every level.

    Attributes
    ----------
    problem : Problem
        The rows, costs, ``k`` and rules.
    distinct : Classes
        The distinct rows.
    shown : tuple of arrays
        For each column, levels by distinct rows: the node that the row shows, of the tree with
        every level (`Hierarchy.full`).
    costs : tuple of arrays of float
        The cost of each of these nodes.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 2, 1]})
    >>> problem = state_problem(people, k=2, options={"hierarchies": {"number": tree}})
    >>> domain = FullDomain.of(problem)
    >>> [[tree.labels[node] for node in nodes] for nodes in domain.shown[0]]
    [[1, 3, 2], ['low', 'high', 'low'], ['*', '*', '*']]
    >>> domain.to_drop([0]).tolist(), domain.to_drop([1]).tolist()
    ([False, True, True], [False, True, False])
    """

    problem: Problem
    distinct: Classes
    shown: tuple[NDArray[np.uint32], ...]
    costs: tuple[NDArray[np.float64], ...]

    @classmethod
    def of(cls, problem: Problem) -> FullDomain:
        """Return the distinct rows of a problem at every level."""
        records = problem.records
        distinct = equal_codes(list(records.leaves.T), problem.n_rows)
        leaves = records.leaves[distinct.first]
        shown = tuple(
            tree.full.level_nodes().T[:, leaves[:, place]].astype(np.uint32)
            for place, tree in enumerate(records.hierarchies)
        )
        costs = tuple(
            of_nodes[tree.node_of_full]
            for of_nodes, tree in zip(problem.costs, records.hierarchies, strict=True)
        )
        return cls(problem=problem, distinct=distinct, shown=shown, costs=costs)

    @property
    def depths(self) -> tuple[int, ...]:
        """The last level of each column."""
        return tuple(len(nodes) - 1 for nodes in self.shown)

    def nodes(self, levels: Sequence[int]) -> list[NDArray[np.uint32]]:
        """Return for each column what the distinct rows show at its level."""
        return [nodes[level] for nodes, level in zip(self.shown, levels, strict=True)]

    def to_drop(self, levels: Sequence[int]) -> NDArray[np.bool_]:
        """Return which distinct rows are in classes that are too small or break a rule.

        Closeness is to the rows that stay, so classes are dropped until all that stay obey.
        """
        classes = equal_codes(self.nodes(levels), len(self.distinct))
        sizes = np.bincount(classes.class_of, self.distinct.sizes)
        is_dropped = sizes < self.problem.k  # of classes
        by_row = classes.class_of[self.distinct.class_of] if self.problem.rules else None
        # Dropping a class changes the shares of all rows that t-closeness compares with: until
        # nothing changes.
        while by_row is not None and not is_dropped.all():
            kept = np.flatnonzero(~is_dropped[by_row])
            found, class_of = np.unique(by_row[kept], return_inverse=True)
            obeys = np.logical_and.reduce(
                [rule.of_rows(kept).holds(class_of, len(found)) for rule in self.problem.rules]
            )
            if obeys.all():
                break
            is_dropped[found[~obeys]] = True
        return is_dropped[classes.class_of]

    def n_rows(self, is_some: NDArray[np.bool_]) -> int:
        """Return how many rows some of the distinct rows stand for."""
        return int(self.distinct.sizes[is_some].sum())


def full_domain_release(
    table: Table,
    *,
    domain: FullDomain,
    options: Options,
    levels: Sequence[int],
    method: str,
    max_dropped: float,
) -> Release:
    """Return the release in which each column is at its level, without the rows to drop."""
    problem, records = domain.problem, domain.problem.records
    levels_of_rows = np.column_stack(domain.nodes(levels)).astype(np.int32)
    distinct_rows = np.column_stack(
        [
            tree.node_of_full[nodes]
            for tree, nodes in zip(records.hierarchies, levels_of_rows.T, strict=True)
        ]
    )
    is_dropped = domain.to_drop(levels)
    in_words = tuple(
        f"{name}: {level} of {depth}"
        for name, level, depth in zip(records.columns, levels, domain.depths, strict=True)
    )
    event = Event(
        name=method,
        parameters={
            "k": problem.k,
            "loss": problem.loss,
            "max_dropped": checks.share("max_dropped", max_dropped),
            "levels": in_words,
        },
        internal={"n_rows_dropped": domain.n_rows(is_dropped)},
    )
    each = domain.distinct.class_of
    return nodes_release(
        table, problem=problem, options=options, nodes=distinct_rows[each],
        levels=levels_of_rows[each],
        is_dropped=is_dropped[each], events=(event,),
    )  # fmt: skip


def most_dropped(problem: Problem, max_dropped: float) -> int:
    """Return how many rows a share is, or raise ParameterError if it is none.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> rows = state_problem(dc.Table.from_frame({"sex": ["f"] * 100}), k=2, options={})
    >>> most_dropped(rows, 0.29)
    29
    """
    # In floats 0.29 of 100 is 28.99...
    return int(checks.share("max_dropped", max_dropped) * problem.n_rows)


# Incognito: of all generalizations with one level for each column, the one that loses least.
#
# Which levels are enough is settled for single columns first, then for pairs, and so on: levels
# that leave small classes in some columns leave them in more columns too, and where levels are
# enough, higher ones are.

MAX_NODES = 2_000_000

DIGITS = 12  # of losses that are compared


def incognito(
    table: object,
    *,
    k: int,
    max_dropped: float = 0.0,
    max_nodes: int = MAX_NODES,
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
    table : Table or frame
        One row for each person. Identifying columns are not released.
    k : int
        Least size of a class, at least 1.
    max_dropped : float
        Share of the rows that may be dropped, from 0 to 1.
    max_nodes : int
        Most nodes of all lattices together, which is the product over the columns of their
        levels, root and values included, plus 1.
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
    column dropped, classes are only joined. Then a class of ``k`` rows, or with so many
    distinct values, stays one, so the rows in other classes become fewer or stay as many, and
    nodes below one that is not enough need no look. Classes that *all* are diverse by entropy
    or recursively, or close, stay so when joined; but one that is may lose it to one that is
    not. So these rules take part in the search only if no row may be dropped. A share of people
    who have rows in several classes is kept by neither, and takes no part in it. With dropped rows
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
    table = given_table(table, options)
    problem = state_problem(table, k=k, options=options)
    allowed = most_dropped(problem, max_dropped)
    check_size(problem, max_nodes)
    domain = FullDomain.of(problem)
    levels = best_levels(domain, allowed=allowed, progress=options.get("progress"))
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
                # Levels that are not enough for some of the columns cannot be for all: adding a
                # column only splits classes.
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
                # Higher levels only unite classes, so that they need not be looked at.
                is_enough[tuple(slice(level, None) for level in levels)] = True
    return is_enough


def _breaks(
    domain: FullDomain, allowed: int, classes: Classes, whole: Classes
) -> NDArray[np.bool_]:
    """Return which classes break a rule that takes part in the search."""
    breaks = np.zeros(len(classes), bool)
    for rule in domain.problem.rules:
        # If rows may be dropped, uniting a class that obeys with one that does not can break other
        # rules, so that these must not exclude the levels above.
        if rule.kind == "distinct" or (not allowed and rule.is_kept_by_union):
            by_row = classes.class_of[whole.class_of][domain.distinct.class_of]
            breaks |= ~rule.holds(by_row, len(classes))
    return breaks


def _cheapest(domain: FullDomain, allowed: int, is_enough: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the levels of least loss, of those that are enough; the first of several."""
    costs = domain.costs
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
        # Sorted by the loss without dropped rows, which dropping only raises: none that follows is
        # better.
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
    max_nodes = checks.whole("max_nodes", max_nodes, at_least=1)
    n_nodes = prod(tree.full.depth + 2 for tree in problem.records.hierarchies)
    if n_nodes > max_nodes:
        raise LimitError(
            f"There are {n_nodes:,} combinations of columns and levels to look at, more than "
            "{max_nodes}.",
            parameter="max_nodes",
            remedy="Use fewer columns or lower hierarchies, or raise max_nodes.",
            options={"max_nodes": max_nodes},
        )


# Datafly: raise the column with most values until few rows are at risk, and drop those.


def datafly(
    table: object,
    *,
    k: int,
    max_dropped: float = 0.01,
    **options: Unpack[Options],
) -> Release:
    """Return a k-anonymous release in which each column is shown at one level.

    As long as more than so many rows are in classes that are too small or break a rule, the
    column that shows the most distinct values goes up one level of its hierarchy, the first of
    several. Rows that are still at risk then are dropped.

    Parameters
    ----------
    table : Table or frame
        One row for each person. Identifying columns are not released.
    k : int
        Least size of a class, at least 1.
    max_dropped : float
        Share of the rows that may be dropped, from 0 to 1.
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
    loss, which the choice of columns does not look at: this is the oldest heuristic, to
    compare others with. At the root of every column all rows are one class, so it always ends.

    Levels are those of :mod:`~discreet.generalize.full_domain`. The paper takes the share that
    makes ``k`` rows. At most as many passes over the distinct rows as there are levels.

    References
    ----------
    L. Sweeney (2002), Achieving k-anonymity privacy protection using generalization and
    suppression, the core Datafly algorithm.

    Examples
    --------
    >>> import discreet as dc
    >>> ages = dc.Hierarchy.intervals([21, 24, 33, 38], steps=[10])
    >>> people = dc.Table.from_frame({"age": [21, 24, 33, 38, 38], "sex": list("ffmmm")})
    >>> datafly(people, k=2, hierarchies={"age": ages}).data.to_frame().rows()
    [('[20, 30)', 'f'), ('[20, 30)', 'f'), ('[30, 40)', 'm'), ('[30, 40)', 'm'), ('[30, 40)', 'm')]
    """
    table = given_table(table, options)
    problem = state_problem(table, k=k, options=options)
    allowed = most_dropped(problem, max_dropped)
    domain = FullDomain.of(problem)
    levels = datafly_levels(domain, allowed=allowed, progress=options.get("progress"))
    return full_domain_release(
        table, domain=domain, options=options, levels=levels,
        method="datafly", max_dropped=max_dropped,
    )  # fmt: skip


def datafly_levels(
    domain: FullDomain, *, allowed: int, progress: Progress | None = None
) -> tuple[int, ...]:
    """Return the level of each column at which at most so many rows are at risk.

    Parameters
    ----------
    domain : FullDomain
        What rows show at every level.
    allowed : int
        Most rows that may be dropped.
    progress : callable, optional
        Called with the share of all levels that were gone up.
    """
    levels = [0] * len(domain.depths)
    while domain.n_rows(domain.to_drop(levels)) > allowed:
        levels[_most_values(domain, levels)] += 1
        if progress is not None:
            progress(sum(levels) / sum(domain.depths))
    return tuple(levels)


def _most_values(domain: FullDomain, levels: Sequence[int]) -> int:
    """Return the column that shows the most distinct nodes, of those not at their root."""
    n_values = [
        len(np.unique(nodes)) if level < depth else 0
        for nodes, level, depth in zip(domain.nodes(levels), levels, domain.depths, strict=True)
    ]
    return int(np.argmax(n_values))
