"""From groups of rows to a release with its claim: the last step of every method here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import GuaranteeError
from discreet.generalize.claims import claim_of, final_events, used_hierarchies
from discreet.generalize.clustering import closures, generalization_costs
from discreet.generalize.loss_summary import LossSummary
from discreet.generalize.make_rules import make_rules
from discreet.generalize.show import show_nodes
from discreet.release.fingerprint import Fingerprint
from discreet.release.release import Release

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.data.table import Table
    from discreet.generalize.problem import Options, Problem
    from discreet.generalize.rules import Rule
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

    Notes
    -----
    The claim is about the released table. t-closeness is kept to the shares of a value in the
    released rows, and, as methods see to it before rows are dropped, to those in the original.
    """
    dropped = np.zeros(problem.n_rows, bool) if is_dropped is None else is_dropped
    kept = np.flatnonzero(~dropped)
    classes, class_of = _classes(nodes, kept)
    group_of = np.full(problem.n_rows, -1, np.int64)
    group_of[kept] = class_of
    _refuse_broken(problem, problem.rules, group_of, classes)
    if dropped.any():
        left = make_rules(table.take(kept), k=problem.k, options=options)
        _refuse_broken(problem, left, class_of, classes)
    shown = show_nodes(_publishable(table, options), problem.records, nodes)
    shown = _mean_weights(shown, problem, options, group_of).take(kept)
    order = np.lexsort([shown.codes(name) for name in reversed(shown.columns)])
    told = nodes.copy()
    told[dropped] = [tree.root for tree in problem.records.hierarchies]
    summary = LossSummary(
        measure=problem.loss, loss=mean_loss(problem, told), before=before, least=least,
        ratio=ratio, n_groups=classes, n_dropped=int(dropped.sum()),
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


def _classes(nodes: NDArray[np.int32], rows: NDArray[np.int64]) -> tuple[int, NDArray[np.int64]]:
    """Return how many different rows are shown, and which one each row is."""
    classes, class_of = np.unique(nodes[rows], axis=0, return_inverse=True)
    return len(classes), class_of.reshape(-1)


def _refuse_broken(
    problem: Problem, rules: tuple[Rule, ...], group_of: NDArray[np.int64], n_groups: int
) -> None:
    """Refuse to release what does not hold; methods must not come here with such groups."""
    sizes = np.bincount(group_of[group_of >= 0], minlength=n_groups)
    if n_groups and sizes.min() < problem.k:
        raise GuaranteeError(f"A group has {sizes.min()} rows, fewer than k={problem.k}.")
    for rule in rules:
        if n_groups and not rule.holds(group_of, n_groups).all():
            raise GuaranteeError(f"A group breaks the rule of column '{rule.column}'.")


def _publishable(table: Table, options: Options) -> Table:
    """Return the table without identifying columns and without the one of households."""
    hidden = {*table.identifying, options.get("households")}
    return table.select([name for name in table.columns if name not in hidden])


def _mean_weights(
    shown: Table, problem: Problem, options: Options, group_of: NDArray[np.int64]
) -> Table:
    """Return the table with the mean weight of its group in every row: no weight is its own."""
    name = options.get("weights")
    if name is None or problem.weights is None or name not in shown.columns:
        return shown
    kept = group_of >= 0
    sums = np.bincount(group_of[kept], problem.weights[kept])
    means = sums / np.bincount(group_of[kept])
    values, value_of = np.unique(means, return_inverse=True)
    codes = value_of.reshape(-1)[np.maximum(group_of, 0)]
    return shown.with_column(name, codes, values.tolist())
