"""Datafly: raise the column with most values until few rows stand out, and drop those."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.generalize.full_domain import FullDomain, full_domain_release, most_dropped
from discreet.generalize.problem import state_problem

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.generalize.problem import Options
    from discreet.mine.limits import Limits
    from discreet.progress import Progress
    from discreet.release.release import Release


def datafly(
    table: Table,
    *,
    k: int,
    max_dropped: float = 0.01,
    limits: Limits | None = None,
    **options: Unpack[Options],
) -> Release:
    """Return a k-anonymous release in which each column is shown at one level.

    As long as more than so many rows are in classes that are too small or break a rule, the
    column that shows the most distinct values goes up one level of its hierarchy, the first of
    several. Rows that still stand out then are dropped.

    Parameters
    ----------
    table : Table
        One row for each person. Identifying columns are left out.
    k : int
        Least size of a class, at least 1.
    max_dropped : float
        Share of the rows that may be dropped, from 0 to 1.
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
    problem = state_problem(table, k=k, options=options)
    allowed = most_dropped(problem, max_dropped)
    domain = FullDomain.of(problem)
    levels = datafly_levels(domain, allowed=allowed, progress=(limits or {}).get("progress"))
    return full_domain_release(
        table, domain=domain, options=options, levels=levels,
        method="datafly", max_dropped=max_dropped,
    )  # fmt: skip


def datafly_levels(
    domain: FullDomain, *, allowed: int, progress: Progress | None = None
) -> tuple[int, ...]:
    """Return the level of each column at which at most so many rows stand out.

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
