"""Costs of nodes as whole numbers, so that sums and ratios of them are compared exactly."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem

MOST_PARTS = 2**40


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WholeCosts:
    """Node ``v`` of column ``j`` costs ``costs[j][v] / parts``, or a little more if not exact."""

    costs: tuple[NDArray[np.int64], ...]
    parts: int
    is_exact: bool


def whole_costs(problem: Problem) -> WholeCosts:
    """Return the costs of a problem's nodes as multiples of one small part.

    Notes
    -----
    The costs of ``lm``, ``tree`` and ``suppression`` are fractions; if their common denominator
    is at most :math:`2^{40}`, nothing is lost. All others are rounded down to multiples of
    :math:`2^{-40}`, which keeps a parent at least as dear as its children.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> ages = dc.Hierarchy.from_mapping({"*": {"young": [20, 30], "old": [60, 70]}})
    >>> people = dc.Table.from_frame({"age": [20, 30, 60], "sex": ["f", "m", "f"]})
    >>> problem = state_problem(people, k=2, options={"hierarchies": {"age": ages}})
    >>> found = whole_costs(problem)
    >>> found.parts, [costs.tolist() for costs in found.costs]
    (3, [[0, 0, 0, 0, 1, 1, 3], [0, 0, 3]])
    """
    parts = _denominator(problem)
    is_exact = parts is not None and parts <= MOST_PARTS
    if parts is None or not is_exact:
        parts = MOST_PARTS
    turn = np.rint if is_exact else np.floor
    costs = tuple(turn(of_column * parts).astype(np.int64) for of_column in problem.costs)
    return WholeCosts(costs=costs, parts=parts, is_exact=is_exact)


def _denominator(problem: Problem) -> int | None:
    """Return the common denominator of all costs, None if they are no fractions."""
    trees = problem.records.hierarchies
    if problem.loss == "lm":
        return lcm(*(max(tree.n_leaves - 1, 1) for tree in trees))
    if problem.loss == "tree":
        return lcm(*(max(tree.depth, 1) for tree in trees))
    return 1 if problem.loss == "suppression" else None
