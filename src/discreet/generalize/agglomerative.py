"""Agglomerative: unite the two closest clusters again and again, until each has k rows.

There is no proof of how near to the best the result is; it is what the papers found best among
quick methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet import _native, checks
from discreet.generalize.clusters import MOST_OF_32_BITS, costs_of_32_bits, repair
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import given_table, limits_of
from discreet.limits import search
from discreet.release.event import Event

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem
    from discreet.generalize.rules import Options
    from discreet.limits import Limits
    from discreet.release.release import Release

Linkage: TypeAlias = Literal["ratio", "change"]
LINKAGES: tuple[Linkage, ...] = get_args(Linkage)
_LEAST = MOST_OF_32_BITS / 100  # epsilon of the ratio: a hundredth of what a row can lose


def agglomerative(
    table: object,
    *,
    k: int,
    modified: bool = True,
    linkage: Linkage = "ratio",
    **options: Unpack[Options],
) -> Release:
    r"""Return a k-anonymous release made by uniting the closest clusters of rows.

    .. math::
        \text{change}(A, B) = |A \cup B| \, d(A \cup B) - |A| \, d(A) - |B| \, d(B), \qquad
        \text{ratio}(A, B) = \frac{d(A \cup B)}{d(A) + d(B) + \varepsilon}

    where :math:`d(A)` is what each row of a cluster loses and :math:`\varepsilon` a hundredth
    of the most that a row can lose. Change is by how much the loss of the whole table grows.

    Parameters
    ----------
    table : Table or frame
        The original.
    k : int
        Least size of a group, at least 1.
    modified : bool
        Whether a cluster that is complete gives the rows that cost most back until it has k.
    linkage : {"ratio", "change"}
        How far two clusters are from each other.
    **limits : Limits
        ``threads``, ``max_memory`` and ``progress``.
    **options : Options
        Hierarchies, columns, measure of loss and rules, as for every method.

    Returns
    -------
    Release
        Groups of k to 2k - 1 rows, or to 3k - 3 if not modified.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows, or not even all of them together obey a rule.
    ParameterError
        If an option does not fit the table.
    HierarchyError
        If a value is not a leaf of its hierarchy.

    Notes
    -----
    Guarantee: k-anonymity of the generalized columns, and the rules asked for. How much is lost
    is not bounded: this is a heuristic. Sizes of clusters in *change* are sums of weights if
    there are. With ``k = 1`` rows stay as they are.

    Equal rows are united first, k by k. A cluster keeps the closest of the older ones in mind,
    so memory is linear; time grows about with the square of the number of different rows.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, algorithms 6
    and 7 and equation (5.2), which is *change*. In algorithm 7 one row is given back in each
    pass, after all have been compared. The rows of a last, incomplete cluster go one by one to
    where *change* is least, clusters being updated in between.

    A. Gionis, A. Mazza, T. Tassa (2008), k-Anonymization Revisited, where the algorithm and
    more distances come from, such as *ratio*. It is the default because, modified, it loses
    less than *change* on Adult for k from 5 to 200; epsilon was chosen on Adult as well, so
    try both on other tables.

    Examples
    --------
    >>> import discreet as dc
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 2, 4, 4]})
    >>> release = agglomerative(people, k=2, hierarchies={"number": tree})
    >>> release.data.to_frame()["number"].to_list()
    ['low', 'low', 'high', 'high', 'high']
    """
    table = given_table(table, options)
    checks.one_of("linkage", linkage, LINKAGES)
    problem = state_problem(table, k=k, options=options)
    clusters = agglomerative_clusters(
        problem, modified=modified, linkage=linkage, **limits_of(options)
    )
    if problem.rules:
        # Rules afterwards: distances are about loss and sizes alone.
        clusters = repair(problem, clusters)
    step = Event(
        name="agglomerative",
        parameters={
            "k": problem.k, "loss": problem.loss, "modified": modified, "linkage": linkage,
        },
    )  # fmt: skip
    return clustered_release(
        table, problem=problem, options=options, clusters=clusters, events=(step,)
    )


def agglomerative_clusters(
    problem: Problem,
    *,
    modified: bool = True,
    linkage: Linkage = "ratio",
    **limits: Unpack[Limits],
) -> NDArray[np.int64]:
    """Return the cluster of each row.

    Parameters
    ----------
    problem : Problem
        Its rules are not looked at.
    modified, linkage, limits
        As in :func:`agglomerative`.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f", "m"]})
    >>> agglomerative_clusters(state_problem(people, k=2, options={})).tolist()
    [0, 1, 0, 1]
    """
    records, weights = problem.records, problem.weights
    leaves = [column.astype(np.uint32) for column in records.leaves.T]
    what = f"clusters of {problem.k:,} rows"
    with search(what, "Use fewer columns or rows", **limits) as running:
        return _native.agglomerative(
            [tree.parent for tree in records.hierarchies], costs_of_32_bits(problem), leaves,
            np.ones(problem.n_rows) if weights is None else weights, problem.k, modified,
            linkage, _LEAST, running.control, running.progress,
        )  # fmt: skip
