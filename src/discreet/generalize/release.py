"""From groups of rows to a release with its claim: the last step of every method here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes
from discreet.errors import GuaranteeError
from discreet.generalize.claims import claim_of, final_events, used_hierarchies
from discreet.generalize.clustering import closures, generalization_costs
from discreet.generalize.loss_summary import LossSummary
from discreet.generalize.show import show_nodes
from discreet.release.fingerprint import Fingerprint
from discreet.release.release import Release
from discreet.release.rows import publishable, sorted_rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.assess.classes import Classes
    from discreet.data.table import Table
    from discreet.generalize.problem import Options, Problem
    from discreet.release.event import Event


def mean_loss(problem: Problem, nodes: NDArray[np.int32]) -> float:
    """Return the mean cost of a cell, rows by weight, if rows show these nodes.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> mean_loss(state_problem(people, k=2, options={}), np.array([[0], [2], [2]], np.int32))
    0.6666666666666666
    """
    by_row = generalization_costs(nodes, costs=problem.costs)
    return float(np.average(by_row, weights=problem.weights)) / len(problem.costs)


def clustered_release(
    table: Table,
    *,
    problem: Problem,
    options: Options,
    clusters: ArrayLike,
    events: tuple[Event, ...],
    before: float | None = None,
    least: float | None = None,
    ratio: float | None = None,
) -> Release:
    """Return the release in which every row shows the closure of its cluster.

    Parameters
    ----------
    table : Table
        The original.
    problem : Problem
        What the clusters were to do.
    options : Options
        As the user gave them.
    clusters : array of integers
        The cluster of each row.
    events : tuple of Event
        What was done.
    before, least, ratio : float, optional
        As in :class:`LossSummary`.
    """
    ids = np.unique(np.asarray(clusters), return_inverse=True)[1].reshape(-1)
    nodes = closures(problem.records, clusters=ids)[ids]
    return nodes_release(
        table, problem=problem, options=options, nodes=nodes, events=events,
        before=before, least=least, ratio=ratio,
    )  # fmt: skip


def nodes_release(
    table: Table,
    *,
    problem: Problem,
    options: Options,
    nodes: NDArray[np.int32],
    events: tuple[Event, ...],
    is_dropped: NDArray[np.bool_] | None = None,
    before: float | None = None,
    least: float | None = None,
    ratio: float | None = None,
) -> Release:
    """Return the release in which every row shows the nodes given, sorted by what it shows.

    Parameters
    ----------
    table, problem, options, events, before, least, ratio
        As in :func:`clustered_release`.
    nodes : array of int32, rows by columns
        What each row of the original shows.
    is_dropped : array of bool, optional
        Rows to leave out.

    Raises
    ------
    GuaranteeError
        If rows that show the same are fewer than ``k`` or break a rule: a fault of the method,
        and nothing is released.
    """
    dropped = np.zeros(problem.n_rows, bool) if is_dropped is None else is_dropped
    kept = np.flatnonzero(~dropped)
    classes = equal_codes(list(nodes[kept].T), len(kept))
    _refuse_broken(problem, kept, classes)
    households = options.get("households")
    public = publishable(table, without=() if households is None else (households,))
    shown = show_nodes(public.take(kept), problem.records, nodes[kept])
    shown = _mean_weights(shown, problem, options, kept, classes)
    order = sorted_rows(shown)
    told = nodes.copy()
    told[dropped] = [tree.root for tree in problem.records.hierarchies]
    summary = LossSummary(
        measure=problem.loss, loss=mean_loss(problem, told), before=before, least=least,
        ratio=ratio, n_groups=len(classes), n_dropped=int(dropped.sum()),
    )  # fmt: skip
    return Release(
        data=shown.take(order),
        guarantee=claim_of(problem, options, shown),
        events=(*events, *final_events(problem, options, shown, n_dropped=int(dropped.sum()))),
        fingerprint=Fingerprint.of(table),
        input_rows=kept[order],
        loss=summary,
        hierarchies=used_hierarchies(problem, options, shown),
    )


def _refuse_broken(problem: Problem, kept: NDArray[np.int64], classes: Classes) -> None:
    """Refuse to release what does not hold; methods must not come here with such groups.

    Closeness is to the rows that are released: nobody sees the others.
    """
    if not len(kept):
        return
    if classes.sizes.min() < problem.k:
        raise GuaranteeError(f"A group has {classes.sizes.min()} rows, fewer than k={problem.k}.")
    for rule in problem.rules:
        if not rule.of_rows(kept).holds(classes.class_of, len(classes)).all():
            raise GuaranteeError(f"A group breaks the rule of column '{rule.column}'.")


def _mean_weights(
    shown: Table, problem: Problem, options: Options, kept: NDArray[np.int64], classes: Classes
) -> Table:
    """Return the table with the mean weight of its class in every row: no weight is its own."""
    name = options.get("weights")
    if name is None or problem.weights is None or name not in shown.columns or not len(kept):
        return shown
    means = np.bincount(classes.class_of, problem.weights[kept]) / classes.sizes
    values, value_of = np.unique(means, return_inverse=True)
    return shown.with_column(name, value_of.reshape(-1)[classes.class_of], values.tolist())
