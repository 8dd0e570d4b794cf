"""The closed sets that a cover may use: all of them, or as many as there is room for."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import DiscreetWarning, LimitError
from discreet.generalize.sorted_windows import sorted_windows
from discreet.mine.limits import search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem
    from discreet.mine.limits import Limits

MAX_ITEMSETS = 5_000_000
"""Closed sets to work with, unless the user gives another limit."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Candidates:
    """Closed sets of at least k rows: ``nodes[i, j]`` is the node of column ``j`` in set ``i``."""

    nodes: NDArray[np.int32]
    is_complete: bool

    @property
    def kind(self) -> str:
        """What an event says of them."""
        return "all closed" if self.is_complete else "bounded"


def cover_candidates(problem: Problem, *, limits: Limits | None = None) -> Candidates:
    r"""Return all closed sets of at least ``k`` rows, or a bounded part of them.

    Parameters
    ----------
    problem : Problem
        Rows over hierarchies, and ``k``.
    limits : Limits, optional
        ``threads``, ``max_itemsets`` (here 5 million by default), ``max_memory``, ``progress``.

    Returns
    -------
    Candidates
        Every row lies under some of them.

    Warns
    -----
    DiscreetWarning
        If there are more than the limits allow.

    Notes
    -----
    Past a limit the candidates are the closed sets of at least ``2k``, ``4k``, ... rows, the
    first that are at most a quarter of the limit, together with :func:`sorted_windows`.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 16.
    The bounded part is not in the thesis.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["cook", "cook", "baker"]})
    >>> cover_candidates(state_problem(people, k=2, options={})).nodes.tolist()
    [[2, 2], [0, 1]]
    """
    given: Limits = {"max_itemsets": MAX_ITEMSETS, **(limits or {})}
    try:
        return Candidates(nodes=closed_sets(problem, k=problem.k, limits=given), is_complete=True)
    except LimitError as error:
        warnings.warn(
            f"{error} The cover uses a bounded part of them, so that how much it loses is not "
            "proved to be near the least.",
            DiscreetWarning,
            stacklevel=4,  # where set_cover was called
        )
    fewer: Limits = {**given, "max_itemsets": max(1, given["max_itemsets"] // 4)}
    found = [sorted_windows(problem)]
    k = 2 * problem.k
    while k <= problem.n_rows and len(found) == 1:
        try:
            found.append(closed_sets(problem, k=k, limits=fewer))
        except LimitError:
            k *= 2
    return Candidates(nodes=np.concatenate(found), is_complete=False)


def closed_sets(problem: Problem, *, k: int, limits: Limits) -> NDArray[np.int32]:
    """Return the nodes of all closed sets of at least ``k`` rows, large sets first.

    Raises
    ------
    LimitError
        If there are more than the limits allow.
    """
    columns = [np.ascontiguousarray(leaf) for leaf in problem.records.leaves.T.astype(np.uint32)]
    remedy = "Raise k, use fewer columns or coarser hierarchies"
    with search(f"closed generalized itemsets (k {k:,})", remedy, **limits) as running:
        first, weights, _ = _native.collapse(columns, problem.n_rows, running.control, None)
        nodes, _ = _native.generalized_closed(
            [tree.parent for tree in problem.records.hierarchies],
            [column[first] for column in columns], weights, k, running.control, running.progress,
        )  # fmt: skip
    return nodes
