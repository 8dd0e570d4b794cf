"""A problem of generalization as kernels take it: costs and weights as whole numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet import _native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem

_WEIGHT_BITS = 31  # of the sum of weights that are not whole numbers
_TOTAL_BITS = 61  # of the cost of all rows at the roots
_COST_BITS = 39  # of one node's cost


def cost_table(problem: Problem) -> _native.CostTable:
    """Return rows, hierarchies and costs for kernels, scaled to whole numbers.

    Sums of whole numbers are exact, so a kernel's choices do not depend on the order in which
    it adds. The costs are rounded to at least 29 binary digits of the largest, fewer only with
    more than 2**30 rows.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> type(cost_table(state_problem(people, k=2, options={}))).__name__
    'CostTable'
    """
    weights = _whole_weights(problem)
    return _native.CostTable(
        [tree.parent for tree in problem.records.hierarchies],
        _whole_costs(problem, int(weights.sum())),
        [np.ascontiguousarray(leaves) for leaves in problem.records.leaves.T],
        weights,
    )


def group_rules(problem: Problem) -> list[_native.GroupRule]:
    """Return the rules on groups for kernels."""
    return [
        _native.GroupRule(
            rule.kind, rule.level, rule.ratio, rule.values, rule.n_values,
            rule.starts, rule.stops, rule.lengths,
        )
        for rule in problem.rules
    ]  # fmt: skip


def _whole_weights(problem: Problem) -> NDArray[np.int64]:
    given = problem.weights
    if given is None:
        return np.ones(problem.n_rows, np.int64)
    is_whole = (given == np.floor(given)).all() and given.sum() < 2.0**_WEIGHT_BITS
    scale = 1.0 if is_whole else 2.0**_WEIGHT_BITS / (given.sum() + problem.n_rows)
    return np.maximum(np.rint(given * scale), 1).astype(np.int64)


def _whole_costs(problem: Problem, weight: int) -> list[NDArray[np.int64]]:
    highest = [float(costs.max()) for costs in problem.costs]
    largest = max(*highest, 0.0)
    if largest == 0:
        return [np.zeros(len(costs), np.int64) for costs in problem.costs]
    bits = min(_COST_BITS, _TOTAL_BITS - int(np.ceil(np.log2(weight * sum(highest) / largest))))
    return [np.rint(costs / largest * 2.0**bits).astype(np.int64) for costs in problem.costs]
