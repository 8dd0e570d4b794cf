"""Integer programs by HiGHS, with every solution checked in exact integers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPTIMAL, LIMIT, INFEASIBLE = 0, 1, 2
MAX_NODES = 2_000
NO_SIDE = 2**62  # stands for no bound on this side


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solution:
    """What the solver found.

    Attributes
    ----------
    point : ndarray or None
        Values of the variables, whole numbers that satisfy every constraint exactly; None if
        nothing was found.
    is_infeasible : bool
        Whether it is proved that there is no solution.
    bound : float
        What the objective cannot go below; minus infinity if unknown.
    """

    point: NDArray[np.int64] | None
    is_infeasible: bool
    bound: float


def solve(
    matrix: NDArray[np.int64],
    *,
    low: NDArray[np.int64],
    high: NDArray[np.int64],
    most: NDArray[np.int64],
    objective: NDArray[np.int64] | None = None,
    max_nodes: int = MAX_NODES,
) -> Solution:
    """Minimise a linear objective over whole numbers from 0 to ``most``.

    Parameters
    ----------
    matrix, low, high : ndarray
        ``low <= matrix @ x <= high``; ``NO_SIDE`` or its negative is no bound.
    most : ndarray
        Largest value of each variable.
    objective : ndarray, optional
        Cost of each variable; any solution will do by default.
    max_nodes : int
        Nodes of the search tree after which it is given up.

    Returns
    -------
    Solution
        A point is only returned if it is exact.

    Notes
    -----
    The solver computes in doubles. A solution is rounded and verified in integers, so that it is
    a proof by itself; that there is none is the solver's word.
    """
    from scipy import optimize, sparse  # type: ignore[import-untyped]  # scipy has no types

    n_variables = matrix.shape[1]
    cost = np.zeros(n_variables) if objective is None else objective.astype(float)
    if not n_variables:
        is_met = bool((low <= 0).all() and (high >= 0).all())
        point = np.zeros(0, np.int64) if is_met else None
        return Solution(point=point, is_infeasible=not is_met, bound=0.0)
    if (most < 0).any():
        return Solution(point=None, is_infeasible=True, bound=np.inf)
    found = optimize.milp(
        cost,
        integrality=np.ones(n_variables),
        bounds=optimize.Bounds(np.zeros(n_variables), most.astype(float)),
        constraints=optimize.LinearConstraint(
            sparse.csc_array(matrix.astype(float)), _side(low), _side(high)
        ),
        options={"node_limit": max_nodes, "mip_rel_gap": 0.0},
    )
    if found.status == INFEASIBLE:
        return Solution(point=None, is_infeasible=True, bound=np.inf)
    bound = -np.inf if found.get("mip_dual_bound") is None else float(found.mip_dual_bound)
    point = None
    if found.x is not None:
        point = np.rint(found.x).astype(np.int64)
        sums = matrix @ point
        exact = (sums >= low).all() and (sums <= high).all()
        if not (exact and (point >= 0).all() and (point <= most).all()):
            point = None
    return Solution(point=point, is_infeasible=False, bound=bound)


def _side(values: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return bounds as the solver takes them."""
    sides = values.astype(float)
    sides[values == NO_SIDE] = np.inf
    sides[values == -NO_SIDE] = -np.inf
    return sides
