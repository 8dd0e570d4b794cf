"""Gen-Cover-CF: a cheap cover of all rows by closed sets, greedily and exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet import _native
from discreet.generalize.clustering import generalization_costs
from discreet.generalize.whole_costs import whole_costs
from discreet.mine.limits import search

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.cover_candidates import Candidates
    from discreet.generalize.problem import Problem
    from discreet.mine.limits import Limits

Price: TypeAlias = Literal["rows", "set"]
PRICES: tuple[Price, ...] = get_args(Price)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cover:
    """Sets of rows in the order in which they were chosen; together they hold every row.

    Attributes
    ----------
    offsets, rows : arrays of int64
        Set ``i`` has the rows ``rows[offsets[i]:offsets[i + 1]]``, ascending.
    costs : array of float
        What each row of a set costs, by the closed set that it was chosen from.
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    costs: NDArray[np.float64]

    @property
    def prices(self) -> NDArray[np.float64]:
        """What each row paid, if a set is shared out among the rows that it newly covered."""
        first = np.unique(self.rows, return_index=True)[1]
        set_of = np.searchsorted(self.offsets, first, side="right") - 1
        n_new = np.bincount(set_of, minlength=len(self.costs))
        return np.asarray((self.costs * np.diff(self.offsets) / np.maximum(n_new, 1))[set_of])


def gen_cover(
    problem: Problem,
    *,
    candidates: Candidates,
    price: Price = "rows",
    limits: Limits | None = None,
) -> Cover:
    r"""Return a cover of all rows by sets of ``k`` to ``2k - 1`` rows, each of a closed set.

    Again and again the closed set :math:`S` is chosen that is cheapest for each row :math:`u`
    that it newly covers, and of it a subset of the right size:

    .. math::
        \rho(S) = \frac{w(u) \, d(S)}{u}, \quad u = \min(|S \cap U|, 2k - 1), \quad
        w(u) = \max(k, u) \text{ or } 1

    where :math:`U` are the rows not covered yet, :math:`d(S)` is the cost of the closed set's
    nodes, and :math:`w(u)` how often it is paid: by every row of the subset (``price="rows"``)
    or once (``price="set"``).

    Parameters
    ----------
    problem : Problem
        With ``k`` at least 2. Rules and weights do not count here.
    candidates : Candidates
        Closed sets, each of at least ``k`` rows; together they hold all rows.
    price : {"rows", "set"}
        What is to be small: the loss of all rows, or as in the thesis the sum over sets.
    limits : Limits, optional
        ``max_memory``, ``progress``.

    Returns
    -------
    Cover
        The same whatever the machine.

    Notes
    -----
    **Choice.** By :math:`\rho`, then larger :math:`u`, then the order of the candidates;
    costs are whole numbers and ratios compared exactly, see :func:`whole_costs`. Rows are taken
    by number. If :math:`u < k`, rows already covered fill up, those first whose cluster (of
    :func:`cover_to_clusters`) has more than ``k``. With ``price="rows"`` and more than
    :math:`2k - 1` rows, so many are taken that ``k`` or none are left.

    **Exact and lazy.** :math:`\rho` never falls while rows get covered, so a set is counted
    only when its last known key is the least, and taken if it still is. A set is counted about
    once. Time: closed sets times rows not covered yet, 64 at a time.

    **Ratio.** Each step is the best of all subsets of ``k`` to ``2k - 1`` rows, so the cover
    costs at most :math:`H_{2k-1}` times the best one, :math:`H_n = 1 + 1/2 + \dots + 1/n`.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 18
    and lemma 8.0.3; its :math:`\rho` is that of ``price="set"``.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.cover_candidates import cover_candidates
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "a", "b"]})
    >>> problem = state_problem(people, k=2, options={})
    >>> cover = gen_cover(problem, candidates=cover_candidates(problem))
    >>> cover.rows.tolist(), cover.offsets.tolist(), cover.costs.tolist()
    ([0, 1, 0, 2], [0, 2, 4], [0.0, 2.0])
    """
    records = problem.records
    remedy = "Raise k or use fewer columns"
    with search(f"a cover (k {problem.k:,})", remedy, **(limits or {})) as running:
        offsets, rows, sets = _native.gen_cover(
            [tree.parent for tree in records.hierarchies],
            list(np.ascontiguousarray(records.leaves.T.astype(np.uint32))),
            list(whole_costs(problem).costs),
            candidates.nodes, problem.k, price == "rows", running.control, running.progress,
        )  # fmt: skip
    costs = generalization_costs(candidates.nodes[sets], costs=problem.costs)
    return Cover(offsets=offsets, rows=rows, costs=costs)
