"""k-anonymity by set cover: groups that are proved to lose little more than the best ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native, checks
from discreet.errors import ParameterError
from discreet.generalize.clusters import closures, improve_clusters, mean_loss, repair
from discreet.generalize.cover import PRICES, cover_candidates, gen_cover, lower_bound
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import given_table, limits_of
from discreet.limits import limit_shares
from discreet.release.event import Event
from discreet.utility.node_costs import is_monotone

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import ArrayLike, NDArray

    from discreet.generalize.cover import Price
    from discreet.generalize.problem import Problem
    from discreet.generalize.rules import Options
    from discreet.limits import Limits
    from discreet.release.release import Release


def set_cover(
    table: object,
    *,
    k: int,
    price: Price = "rows",
    improve: bool = True,
    **options: Unpack[Options],
) -> Release:
    r"""Return a k-anonymous release whose loss is near the least possible, with proof.

    All closed sets of at least ``k`` rows are found, all rows are covered by cheap ones
    (:func:`gen_cover`), and the cover is made into clusters of ``k`` to ``2k - 1`` rows
    (:func:`cover_to_clusters`). Rows move while that lowers the loss, and every row then shows
    the closure of its cluster:

    .. math::
        \text{loss} \le \frac{2k - 1}{k} H_{2k-1} \, \text{OPT} \le 2 (1 + \ln 2k) \, \text{OPT}

    where OPT is the least loss of any choice of groups of at least ``k`` rows and
    :math:`H_n = 1 + 1/2 + \dots + 1/n`.

    Parameters
    ----------
    table : Table or frame
        One row for each person. Identifying columns are not released.
    k : int
        Least size of a class, at least 1.
    price : {"rows", "set"}
        What the cover makes small, see :func:`gen_cover`. The ratio is the same, the loss by
        rows is lower; ``"set"`` is that of the thesis.
    improve : bool
        Whether rows then move between clusters while the loss falls
        (:func:`~discreet.generalize.clusters.improve_clusters`).
    **options : Options
        Hierarchies, columns, measure of loss, rules and limits, as for every method.
        ``max_itemsets`` is 5 million closed sets by default.

    Returns
    -------
    Release
        With its loss, a lower bound for this table, and the proved ratio.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows, or all together break a rule.
    ParameterError
        If an option does not fit.

    Warns
    -----
    DiscreetWarning
        If there are more closed sets than the limits allow. The cover then uses a bounded part
        of them, the release says ``candidates="bounded"``, and no ratio is claimed.

    Notes
    -----
    **Guarantee.** k-anonymity in the columns used; unit one row.

    **Ratio.** Proved for ``k`` of at least 2, costs that never fall from a node to its parent,
    no weights and no rule beyond ``k``; otherwise none is claimed. With ``price="rows"``, the
    cover :math:`\gamma` costs :math:`\sum_S |S| d(S) \le H_{2k-1} \text{OPT}`, because the best
    clusters are a cover; so :math:`k \sum_S d(S) \le H_{2k-1} \text{OPT}`; clusters have no
    larger :math:`\sum_S d(S)` than the cover, and at most :math:`2k - 1` rows each. Costs that
    are no fractions are rounded, see :func:`fraction_costs`, by less than :math:`10^{-12}` a cell.

    **Time.** The number of closed sets grows exponentially with columns. Adult with 8 columns
    (30,162 rows) has a million at ``k = 10``.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 19
    and theorem 4.2.3; its case of flat hierarchies is that of H. Park, K. Shim (2007).

    Examples
    --------
    >>> import discreet as dc
    >>> ages = dc.Hierarchy.from_mapping({"*": {"young": [20, 30], "old": [60, 70]}})
    >>> people = dc.Table.from_frame({"age": [20, 30, 60, 70, 70], "sex": list("ffmmm")})
    >>> release = set_cover(people, k=2, hierarchies={"age": ages})
    >>> release.data.to_frame().rows()
    [('young', 'f'), ('young', 'f'), ('old', 'm'), ('old', 'm'), ('old', 'm')]
    >>> release.loss.loss, round(release.loss.ratio, 2)
    (0.16666666666666666, 4.77)
    """
    table = given_table(table, options)
    problem = state_problem(table, k=k, options=options)
    covering, repairing, improving = limit_shares(limits_of(options), (0.0, 0.7, 0.8, 1.0))
    found = set_cover_clusters(problem, price=price, **covering)
    clusters = found.clusters
    if problem.rules:
        clusters = repair(problem, clusters, **repairing)
    # What the cover itself loses: the proved ratio is about that, and improving can only lower it.
    before = mean_loss(problem, closures(problem.records, clusters=clusters)[clusters])
    if improve:
        clusters = improve_clusters(problem, clusters, **improving)
    event = Event(
        name="set_cover",
        parameters={
            "k": k, "loss": problem.loss, "price": price, "candidates": found.candidates,
            "improved": improve,
        },
    )  # fmt: skip
    return clustered_release(
        table, problem=problem, options=options, clusters=clusters, events=(event,),
        before=before, least=found.least, ratio=found.ratio,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CoverClusters:
    """Clusters by set cover, and what is known of their loss.

    Attributes
    ----------
    clusters : array of int64
        The cluster of each row, from 0.
    candidates : str
        ``"all closed"`` or ``"bounded"``.
    least : float
        Of :func:`lower_bound`.
    ratio : float, optional
        The clusters lose at most so many times the least possible, if that is proved.
    """

    clusters: NDArray[np.int64]
    candidates: str
    least: float
    ratio: float | None


def set_cover_clusters(
    problem: Problem, *, price: Price = "rows", **limits: Unpack[Limits]
) -> CoverClusters:
    """Return clusters of ``k`` to ``2k - 1`` rows by set cover; rules do not count here.

    Parameters
    ----------
    problem : Problem
        Rows, costs and ``k``.
    price, limits : optional
        As in :func:`set_cover`.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f", "m"]})
    >>> found = set_cover_clusters(state_problem(people, k=2, options={}))
    >>> found.clusters.tolist(), found.least, found.candidates
    ([0, 1, 0, 1], 0.0, 'all closed')
    """
    checks.one_of("price", price, PRICES)
    if problem.k == 1:  # every row alone loses nothing
        alone = np.arange(problem.n_rows)
        return CoverClusters(clusters=alone, candidates="all closed", least=0.0, ratio=None)
    # About how long the three steps take, so that progress is even.
    mining, covering, bounding = limit_shares(limits, (0.0, 0.4, 0.7, 1.0))
    candidates = cover_candidates(problem, **mining)
    cover = gen_cover(problem, candidates=candidates, price=price, **covering)
    return CoverClusters(
        clusters=cover_to_clusters(
            cover.rows, offsets=cover.offsets, n_rows=problem.n_rows, k=problem.k
        ),
        candidates=candidates.kind,
        least=lower_bound(problem, candidates=candidates, cover=cover, **bounding),
        # The proof compares with the best cover by all closed sets: with some of them it proves
        # nothing.
        ratio=_proved_ratio(problem) if candidates.is_complete else None,
    )


def _proved_ratio(problem: Problem) -> float | None:
    """Return 2(1 + ln 2k) of theorem 4.2.3 if what it assumes is so."""
    trees = problem.records.hierarchies
    # The theorem counts every row once, and knows of no rule that would unite clusters.
    if problem.weights is not None or problem.rules:
        return None
    # Splitting a large set must not cost more: true only if a smaller node never costs more.
    if not all(map(is_monotone, trees, problem.costs)):
        return None
    return 2 * (1 + math.log(2 * problem.k))


# From a cover, in which sets may share rows, to clusters, which do not.


def cover_to_clusters(
    rows: ArrayLike, *, offsets: ArrayLike, n_rows: int, k: int
) -> NDArray[np.int64]:
    r"""Return clusters of ``k`` to ``2k - 1`` rows that cost no more than the cover does.

    As long as two sets share a row: if one of them has more than ``k`` rows, it gives up the
    row; else both have ``k`` and are joined, which makes at most ``2k - 1``.

    Parameters
    ----------
    rows, offsets : arrays of integers
        Set ``i`` of the cover has ``rows[offsets[i]:offsets[i + 1]]``, ascending, ``k`` to
        ``2k - 1`` of them.
    n_rows : int
        Rows of the table; each is in some set.
    k : int
        At least 1.

    Returns
    -------
    array of int64
        The cluster of each row, numbered in the order of their first rows.

    Raises
    ------
    ParameterError
        If the cover is none, or a set has another size.

    Notes
    -----
    Neither step raises :math:`\sum_S d(S)` if costs are monotone and add up over columns
    (lemma 4.1.1 of the thesis). Which shared row is settled first is free: here sets are added
    one after the other, and in each rows in ascending order; the set that was there first gives
    up the row if it can. Near-linear in the size of the cover.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithm 2.

    Examples
    --------
    >>> cover_to_clusters([0, 1, 2, 2, 3], offsets=[0, 3, 5], n_rows=4, k=2).tolist()
    [0, 0, 1, 1]
    >>> cover_to_clusters([0, 1, 1, 2], offsets=[0, 2, 4], n_rows=3, k=2).tolist()
    [0, 0, 0]
    """
    n_rows = checks.whole("n_rows", n_rows, at_least=0)
    k = checks.whole("k", k, at_least=1)
    try:
        return _native.cover_to_clusters(
            np.asarray(offsets, np.int64), np.asarray(rows, np.int64), n_rows, k
        )
    except ValueError as error:
        raise ParameterError(
            f"This is not a cover for {{k}}: {error}.", parameter="cover", options={"k": k}
        ) from None
