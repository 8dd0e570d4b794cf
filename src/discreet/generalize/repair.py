"""Clusters joined until each has k rows and obeys the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.generalize.cost_table import cost_table, group_rules
from discreet.mine.limits import search

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.generalize.problem import Problem
    from discreet.mine.limits import Limits


def repair(
    problem: Problem, clusters: ArrayLike, *, limits: Limits | None = None
) -> NDArray[np.int64]:
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
    limits : Limits, optional
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
    with search("clusters that obey", "Use fewer rows", **(limits or {})) as running:
        found = _native.repair_clusters(
            cost_table(problem), group_rules(problem), problem.k, ids.astype(np.int32),
            running.control, running.progress,
        )  # fmt: skip
    return np.unique(found, return_inverse=True)[1].reshape(-1)
