"""Costs rounded to small whole numbers: sums of them are exact and fit half a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem

GREATEST = 2**30


def rounded_costs(problem: Problem) -> list[NDArray[np.int32]]:
    """Return the costs of nodes, the dearest row being a little more than a thousand million.

    Notes
    -----
    Rounded up: what costs anything still does, and no node comes to cost more than its parent
    that did not before. A row's loss changes by less than a thousand-millionth of the most it
    could lose, for each column.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 4]})
    >>> problem = state_problem(people, k=2, options={"hierarchies": {"number": tree}})
    >>> [costs.tolist() for costs in rounded_costs(problem)]
    [[0, 0, 0, 0, 357913942, 357913942, 1073741824]]
    """
    most = sum(float(costs.max()) for costs in problem.costs)
    scale = GREATEST / most if most > 0 else 1.0
    return [np.ceil(np.maximum(costs, 0) * scale).astype(np.int32) for costs in problem.costs]
