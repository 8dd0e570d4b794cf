"""From groups of rows to a release with its claim: the last step of every method here."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import carry, equal_codes
from discreet.data.suggest_roles import warn_of_people
from discreet.errors import GuaranteeError, HierarchyError
from discreet.generalize.clusters import closures, mean_loss, repair
from discreet.generalize.rules import distance_of, diversity_of
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import (
    HOUSEHOLD,
    PER_CLASS,
    SEVERAL_ROWS,
    UNEVEN,
    WEIGHTED,
    Guarantee,
    assumed_of,
    carried_of,
    never_protected,
    other_columns,
    unprotected_of,
)
from discreet.release.release import Release, publishable, sorted_rows
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Label
    from discreet.data.hierarchy.nodes import Tree
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.generalize.problem import Problem
    from discreet.generalize.rules import Options


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
    if not all(rule.is_kept_by_union for rule in problem.rules):
        nodes = _unite(problem, nodes)
    return nodes_release(
        table, problem=problem, options=options, nodes=nodes, events=events,
        before=before, least=least, ratio=ratio,
    )  # fmt: skip


def _unite(problem: Problem, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return nodes of classes that obey, where clusters obey that show the same.

    People can be in several clusters. If these show the same, they are one class, and it can break
    a rule that none of them does: such classes are joined with others.
    """
    while True:
        classes = equal_codes(list(nodes.T), problem.n_rows)
        obeys = [rule.holds(classes.class_of, len(classes)) for rule in problem.rules]
        if np.logical_and.reduce(obeys).all():
            return nodes
        ids = repair(problem, classes.class_of)
        nodes = closures(problem.records, clusters=ids)[ids]


def nodes_release(
    table: Table,
    *,
    problem: Problem,
    options: Options,
    nodes: NDArray[np.int32],
    events: tuple[Event, ...],
    is_dropped: NDArray[np.bool_] | None = None,
    levels: NDArray[np.int32] | None = None,
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
        Rows to drop.
    levels : array of int32, rows by columns, optional
        Of a method that goes level by level, the same as nodes of the trees with every level:
        where a group has one member, the group is shown.

    Raises
    ------
    GuaranteeError
        If rows that show the same are fewer than ``k`` or break a rule: a fault of the method,
        and nothing is released.
    """
    dropped = np.zeros(problem.n_rows, bool) if is_dropped is None else is_dropped
    kept = np.flatnonzero(~dropped)
    seen = nodes if levels is None else levels
    classes = equal_codes(list(seen[kept].T), len(kept))
    _refuse_broken(problem, kept, classes)
    households = options.get("households")
    if households is None:
        warn_of_people(table)
    public = publishable(table, without=() if households is None else (households,))
    trees: tuple[Tree, ...] = problem.records.hierarchies
    if levels is not None:
        trees = tuple(tree.full for tree in problem.records.hierarchies)
    shown = show_nodes(public.take(kept), problem.records.columns, trees, seen[kept])
    shown = _mean_weights(shown, problem, options, kept, classes)
    homes = None if households is None else table.codes(households)[kept]
    shown = carry(shown, classes.class_of, least=problem.k, units=homes)
    order = sorted_rows(shown)
    released = nodes.copy()
    released[dropped] = [tree.root for tree in problem.records.hierarchies]
    summary = LossSummary(
        measure=problem.loss, loss=mean_loss(problem, released), before=before, least=least,
        ratio=ratio, n_groups=len(classes), n_dropped=int(dropped.sum()),
    )  # fmt: skip
    return Release(
        data=shown.take(order),
        guarantee=claim_of(table, problem, options, shown),
        events=(
            *events,
            *final_events(table, problem, options, shown, n_dropped=int(dropped.sum())),
        ),
        fingerprint=Fingerprint.of(table),
        input_rows=kept[order],
        loss=summary,
        hierarchies=used_hierarchies(problem, options, shown),
    )


def _refuse_broken(problem: Problem, kept: NDArray[np.int64], classes: Classes) -> None:
    """Refuse to release what does not hold; methods must not come here with such groups.

    Closeness is to the rows that are released.
    """
    if not len(kept):
        return
    if classes.sizes.min() < problem.k:
        raise GuaranteeError(
            f"A group has {classes.sizes.min()} rows, fewer than {{k}}.", options={"k": problem.k}
        )
    for rule in problem.rules:
        if not rule.of_rows(kept).holds(classes.class_of, len(classes)).all():
            raise GuaranteeError(
                f"A group breaks the rule of column '{rule.column}'.", column=rule.column
            )


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


# What a release by generalization claims, and what it says was done.

HOUSEHOLDS = (
    "That every class has rows of at least k households is not checkable from the release: the "
    "column that identifies them is not in it."
)

UNSEEN = (
    "The hierarchies were made without looking at the rows, or what they disclose is accepted: "
    "the released groups and those above them are published."
)


def final_events(
    table: Table, problem: Problem, options: Options, shown: Table, *, n_dropped: int
) -> tuple[Event, ...]:
    """Return what every method does in the end: show nodes, level weights, keep to rules."""
    columns = tuple(name for name in problem.records.columns if name in shown.columns)
    given = options.get("hierarchies") or {}
    events = [
        Event(
            name="generalize",
            parameters={
                "columns": columns,
                "hierarchies": tuple(name for name in columns if name in given),
                "loss": problem.loss,
            },
            internal={"n_rows_dropped": n_dropped},
        )
    ]
    weights = options.get("weights")
    if weights is not None and weights in shown.columns:
        events.append(Event(name="mean_weights", parameters={"column": weights}))
    events += carried_of(shown.carried, least=problem.k)[0]
    if any(not rule.is_unit for rule in problem.rules) or options.get("households") is not None:
        words = _rule_words(table, problem, options, shown)
        events.append(Event(name="obey_rules", parameters=words))
    return tuple(events)


def _rule_words(
    table: Table, problem: Problem, options: Options, shown: Table
) -> dict[str, str | tuple[str, ...] | None]:
    """Return the columns of the rules, sensitive ones without any, and orders of values."""
    households = options.get("households")
    ruled = dict.fromkeys(rule.column for rule in problem.rules if not rule.is_unit)
    without_rule = tuple(name for name in shown.sensitive if ruled and name not in ruled)
    words: dict[str, str | tuple[str, ...] | None] = {
        "sensitive": tuple(ruled),
        "not_ruled": without_rule,
        "households": households,
    }
    if options.get("t") is not None and distance_of(table, options) == "ordered":
        for name in ruled:
            values = [value for value in shown.values(name) if value is not None]
            if not _is_sorted(values):  # a file does not keep the order of categories
                words[f"order of {name}"] = tuple(map(str, values))
    return words


def _is_sorted(values: Sequence[Label]) -> bool:
    return all(low < high for low, high in pairwise(values))  # type: ignore[operator]  # of one type


def used_hierarchies(problem: Problem, options: Options, shown: Table) -> dict[str, Hierarchy]:
    """Return the given hierarchies that were used; a flat one of the rows would list them."""
    given = options.get("hierarchies") or {}
    used = {name: given[name] for name in problem.records.columns if name in given}
    if options.get("t") is not None and options.get("distance") == "hierarchical":
        # The distance goes by heights, in which a group of one member does not count.
        of_rules = {rule.column for rule in problem.rules if rule.kind == "closeness"}
        used |= {name: given[name].collapsed() for name in of_rules if name in given}
    return {name: used[name] for name in shown.columns if name in used}


def claim_of(table: Table, problem: Problem, options: Options, shown: Table) -> Guarantee:
    """Return the claim: k-anonymity, and what rules add to it."""
    parameters: dict[str, int | Fraction | str] = {"k": problem.k}
    words = ["k-anonymity"]
    low, near = options.get("l"), options.get("t")
    if low is not None:
        words.append("l-diversity")
        parameters["l"] = Fraction(str(low))
        parameters["diversity"] = diversity_of(table, options)
        if options.get("c") is not None:
            parameters["c"] = Fraction(str(options["c"]))
    if near is not None:
        words.append("t-closeness")
        parameters["t"] = Fraction(str(near))
        parameters["distance"] = distance_of(table, options)
    unit = problem.unit
    assumptions: tuple[str, ...] = assumed_of(unit)
    if used_hierarchies(problem, options, shown):
        assumptions = (*assumptions, UNSEEN)
    model = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
    columns = tuple(name for name in problem.records.columns if name in shown.columns)
    of_rows = made_from_rows(problem, options, shown)
    return Guarantee(
        model=model,
        parameters=parameters,
        unit=unit,
        columns=columns,
        assumptions=assumptions,
        not_protected=(
            *_not_protected(shown, columns, options, of_rows),
            *unprotected_of(unit),
            *((UNEVEN,) if unit in (SEVERAL_ROWS, HOUSEHOLD) else ()),
            *((PER_CLASS,) if any(rule.counts_people for rule in problem.rules) else ()),
            *((WEIGHTED,) if options.get("weights") is not None else ()),
        ),
    )


def _not_protected(
    shown: Table, columns: tuple[str, ...], options: Options, of_rows: tuple[str, ...]
) -> tuple[str, ...]:
    """Return what the claim does not cover; weights are the same in all rows of a class."""
    weights = options.get("weights")
    beside = {weights, *shown.carried}
    released = [name for name in shown.columns if name not in beside]
    households = () if options.get("households") is None else (HOUSEHOLDS,)
    return (
        *never_protected("groups are shown"),
        *other_columns(released, columns),
        *carried_of(shown.carried, least=0)[1],
        *households,
        *of_rows,
    )


def made_from_rows(problem: Problem, options: Options, shown: Table) -> tuple[str, ...]:
    """Return what hierarchies disclose that list exactly the values of the rows, one by one."""
    given = used_hierarchies(problem, options, shown)
    found = []
    for place, name in enumerate(problem.records.columns):
        tree = given.get(name)
        if tree is None:
            continue
        n_occur = len(np.unique(problem.records.leaves[:, place]))
        if n_occur == tree.n_leaves and not tree.is_flat:
            found.append(FROM_ROWS.format(name))
    return tuple(found)


FROM_ROWS = (
    "The hierarchy of column '{}' lists exactly the values that occur in the rows: if it was made "
    "from them, its groups disclose which values occur."
)


# Nodes of hierarchies back to labels that people read.


def show_nodes(
    table: Table, columns: Sequence[str], trees: Sequence[Tree], nodes: NDArray[np.int32]
) -> Table:
    """Return a table whose columns show the labels of nodes in place of values.

    Parameters
    ----------
    table : Table
        The rows; columns that were not generalized stay as they are.
    columns : sequence of str
        Those that were.
    trees : sequence of Tree
        Their hierarchies.
    nodes : array of int32, rows by columns
        What each cell is to show.

    Returns
    -------
    Table
        A column with groups holds text: labels of nodes, ``*`` at the root of a flat one; a
        column without keeps its type.

    Raises
    ------
    HierarchyError
        If two nodes that are shown have the same label.
    """
    for place, name in enumerate(columns):
        if name in table.columns:
            used, codes = np.unique(nodes[:, place], return_inverse=True)
            labels = _labels(trees[place], used.tolist(), name)
            table = table.with_column(name, codes.reshape(-1), labels)
    return table


def _labels(tree: Tree, used: list[int], name: str) -> list[Label]:
    """Return labels of nodes; as text if there is a group among them."""
    labels: list[Label] = [tree.labels[node] for node in used]
    if used and used[-1] >= tree.n_leaves:
        labels = [None if label is None else str(label) for label in labels]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise HierarchyError(
            f"Column '{name}' would show two nodes that both read {twice!r}.",
            column=name,
            remedy="Give each node of its hierarchy a label of its own.",
        )
    return labels


# The loss of a generalization, beside the least possible.


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LossSummary(Result):
    r"""The loss of a release by generalization, and what is known about the least possible.

    Attributes
    ----------
    measure : str
        Such as ``"lm"``.
    loss : float
        Mean over the cells of the generalized columns, rows by weight; a dropped row has lost
        all of each.
    before : float, optional
        The same before groups were improved by moving rows.
    least : float, optional
        A lower bound: no choice of groups of at least ``k`` rows loses less.
    ratio : float, optional
        The method's proof: before improvement it never loses more than so many times the least
        possible. None for methods without a proof.
    n_groups : int
        Groups of rows that show the same.
    n_dropped : int
        Rows that are not released.
    """

    measure: str
    loss: float
    before: float | None = None
    least: float | None = None
    ratio: float | None = None
    n_groups: int
    n_dropped: int = 0

    def __repr__(self) -> str:
        return f"LossSummary: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The loss in one plain sentence.

        Examples
        --------
        >>> print(LossSummary(measure="lm", loss=0.08, least=0.05, n_groups=9).sentence)
        Share of information lost (lm) 0.0800, in 9 groups; no choice of groups loses less than
        0.0500.
        """
        text = f"Share of information lost ({self.measure}) {self.loss:.4f}, in "
        text += "1 group" if self.n_groups == 1 else f"{self.n_groups:,} groups"
        if self.least is not None:
            text += f"; no choice of groups loses less than {self.least:.4f}"
        return f"{text}."

    def preview(self) -> Preview:
        """Return the figures that are known."""
        figures = {
            "before improvement": self.before,
            "after": self.loss,
            "least possible, at least": self.least,
            "proved ratio": self.ratio,
        }
        rows = [(name, f"{value:.4f}") for name, value in figures.items() if value is not None]
        return Preview(title=self.sentence, header=("loss", self.measure), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "measure": self.measure,
            "loss": self.loss,
            "before": self.before,
            "least": self.least,
            "ratio": self.ratio,
            "n_groups": self.n_groups,
            "n_dropped": self.n_dropped,
        }
