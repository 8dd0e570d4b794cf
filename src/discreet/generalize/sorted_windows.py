"""Closures of rows that are neighbours in a sorted table: few sets, of which many are good."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.generalize.clustering import closures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem

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
            keys[-1] = keys[-1] * tree.n_nodes + nodes[records.leaves[:, place]]
            n_codes *= tree.n_nodes
    return np.lexsort(keys[::-1])
