"""What every method of generalization is given: rows, costs of nodes, k, and rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.hierarchy.check import encode_column
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.table import as_table
from discreet.errors import InfeasibleError, ParameterError, did_you_mean
from discreet.generalize.rules import Options, limits_of, make_rules, unit_words
from discreet.limits import check_limits
from discreet.release.guarantee import ONE_ROW
from discreet.utility.node_costs import CELL_MEASURES, is_monotone, node_costs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.generalize.rules import Rule
    from discreet.utility.node_costs import CellMeasure


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problem:
    """Rows to be put into groups of at least k that obey the rules, at little cost.

    Attributes
    ----------
    records : Records
        Rows as leaves of hierarchies.
    costs : tuple of arrays of float
        The cost of each node of each column; a group costs their sum at its closure, once
        for each of its rows.
    loss : str
        The measure that the costs come from.
    k : int
        Least size of a group.
    rules : tuple of Rule
        What else every group must obey.
    weights : array of float, optional
        How often the loss counts each row; once by default.
    unit : str
        What is protected, such as ``"one row"``.
    """

    records: Records
    costs: tuple[NDArray[np.float64], ...]
    loss: str
    k: int
    rules: tuple[Rule, ...] = ()
    weights: NDArray[np.float64] | None = None
    unit: str = ONE_ROW

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.records.leaves)


def state_problem(table: Table, *, k: int, options: Options) -> Problem:
    """Return the problem that a table, k and options pose.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows or people, or all rows together break a rule.
    ParameterError
        If an option does not fit the table.
    HierarchyError
        If a value is not a leaf of its hierarchy.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> state_problem(people, k=2, options={}).costs[0].tolist()
    [0.0, 0.0, 1.0]
    """
    loss = options.get("loss", "lm")
    k = _check(k, loss, options)
    columns = _columns(table, options)
    table.refuse_carried("is to be generalized", columns)
    records = encode_records(
        table, hierarchies=_of_columns(table, columns, options), columns=columns
    )
    # Fewer rows than k cannot form one class, whatever they show.
    if table.n_rows < k:
        raise InfeasibleError(
            f"The table has {table.n_rows:,} rows, fewer than {{k}}: no row can be like "
            f"{k - 1:,} others.",
            parameter="k",
            remedy="Lower k or add rows.",
            options={"k": k},
        )
    if table.people is not None and table.people.n_people < k:
        raise InfeasibleError(
            f"The table has rows of {table.people.n_people:,} people, fewer than {{k}}: no class "
            f"can have rows of {k:,}.",
            parameter="k",
            remedy="Lower k or add people.",
            options={"k": k},
        )
    rules = make_rules(table, k=k, options=options)
    _refuse_ruled(table, columns, rules, options)
    # If one class of all rows breaks a rule, no classes obey it: refused before the work begins.
    everybody = np.zeros(table.n_rows, np.int64)
    for rule in rules:
        if not rule.holds(everybody, 1)[0]:
            raise InfeasibleError(
                f"Not even all {table.n_rows:,} rows together obey the rule of column "
                f"'{rule.column}' ({rule.sentence}).",
                column=rule.column,
                remedy="Ask for less.",
            )
    trees, costs = _priced(records, loss)
    return Problem(
        records=replace(records, hierarchies=trees), costs=costs, loss=loss, k=k,
        rules=rules, weights=_weights(table, options), unit=unit_words(table, options),
    )  # fmt: skip


def _check(k: object, loss: object, options: Options) -> int:
    for name in options:
        if name not in Options.__annotations__:
            hint = did_you_mean(name, Options.__annotations__)
            raise ParameterError(f"There is no option {name!r}.", parameter=name, remedy=hint)
    check_limits(limits_of(options))
    checks.one_of("loss", loss, CELL_MEASURES)
    return checks.whole("k", k, at_least=1)


def _columns(table: Table, options: Options) -> tuple[str, ...]:
    """Return the columns to generalize; those that are not released are refused among them."""
    given = options.get("columns")
    if given is None:
        other = (options.get("weights"), options.get("households"))
        return tuple(name for name in table.quasi if name not in other)
    names = table.select(given).columns
    for name in names:
        if name in table.identifying:
            raise ParameterError(
                f"Column '{name}' is identifying, so it is not released and cannot be generalized.",
                parameter="columns",
                column=name,
                remedy="Give it the role 'quasi', or leave it out of {columns}.",
                options={"columns": ...},
            )
        if name == options.get("weights"):
            raise ParameterError(
                f"Column '{name}' holds weights, which are released as means of classes.",
                parameter="columns",
                column=name,
                remedy="Leave it out of {columns}.",
                options={"columns": ...},
            )
    return names


def _refuse_ruled(
    table: Table, columns: tuple[str, ...], rules: tuple[Rule, ...], options: Options
) -> None:
    """Refuse a column with two tasks that exclude each other."""
    for rule in rules:
        task = "that of households" if rule.column == options.get("households") else "sensitive"
        if rule.column in columns:
            raise ParameterError(
                f"Column '{rule.column}' is to be generalized and also {task}. A column that "
                "attackers know is a quasi-identifier; one that they must not learn is sensitive.",
                parameter="columns",
                column=rule.column,
                remedy="Give it that role, or {columns} without it.",
                options={"columns": ...},
            )
        if task == "sensitive" and rule.column in {*table.identifying, options.get("weights")}:
            raise ParameterError(
                f"Column '{rule.column}' is sensitive and is also identifying or holds weights, "
                "so it is not released as it is.",
                parameter="sensitive",
                column=rule.column,
                remedy="Choose.",
            )


def _priced(
    records: Records, loss: CellMeasure
) -> tuple[tuple[Hierarchy, ...], tuple[NDArray[np.float64], ...]]:
    """Return the hierarchies and the costs of their nodes, which never fall on the way up."""
    trees, costs = [], []
    for place, given in enumerate(records.hierarchies):
        tree = given
        counts = np.bincount(records.leaves[:, place], minlength=tree.n_leaves)
        of_nodes = node_costs(tree, counts, measure=loss)
        while not is_monotone(tree, of_nodes):  # plain entropy; rounding may ask for one more
            tree = prune_hierarchy(tree, costs=of_nodes)
            of_nodes = node_costs(tree, counts, measure=loss)
        trees.append(tree)
        costs.append(of_nodes)
    return tuple(trees), tuple(costs)


def _of_columns(table: Table, columns: tuple[str, ...], options: Options) -> dict[str, Hierarchy]:
    """Return the hierarchies of the columns used; one of a column that is not there is refused."""
    given = dict(options.get("hierarchies") or {})
    for name, tree in given.items():
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise ParameterError(
                f"hierarchies names {name!r}, which is no column.",
                parameter="hierarchies",
                remedy=hint,
            )
        if not isinstance(tree, Hierarchy):
            raise ParameterError(
                f"hierarchies[{name!r}] is no Hierarchy but a {type(tree).__name__}.",
                parameter="hierarchies",
                remedy="Build it with Hierarchy.from_csv, from_mapping or one of the others.",
            )
    return {name: tree for name, tree in given.items() if name in columns}


def _weights(table: Table, options: Options) -> NDArray[np.float64] | None:
    name = options.get("weights")
    if name is None:
        return None
    labels = table.values(name)
    try:
        values = np.array([float(str(label)) for label in labels])
    except ValueError:
        raise ParameterError(
            f"Column '{name}' holds weights, but not only numbers.",
            parameter="weights",
            column=name,
        ) from None
    if not (np.isfinite(values) & (values > 0)).all():
        raise ParameterError(
            f"Column '{name}' holds weights: each must be more than 0.",
            parameter="weights",
            column=name,
        )
    return np.asarray(values[table.codes(name)])


# Rows as leaves of hierarchies: what every algorithm of generalization works on.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Records:
    """Rows as leaves: ``leaves[i, j]`` is the leaf of row ``i`` in ``hierarchies[j]``."""

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    leaves: NDArray[np.int32]


def encode_records(
    table: object,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    columns: Iterable[str] | None = None,
) -> Records:
    """Return the rows of a table as leaves of hierarchies.

    Parameters
    ----------
    table : Table or frame
        With at least one row.
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy; the values of other columns can only be kept or suppressed.
    columns : iterable of str, optional
        The columns to use, by default the quasi-identifiers.

    Raises
    ------
    HierarchyError
        If a value is not a leaf of its hierarchy.
    ParameterError
        If there is no column to use, or a name is unknown.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> encode_records(people).leaves.tolist()
    [[0], [1], [0]]
    """
    table = as_table(table)
    given = hierarchies or {}
    names = table.quasi if columns is None else table.select(columns).columns
    for name in given:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise ParameterError(
                f"hierarchies names {name!r}, which is no column.",
                parameter="hierarchies",
                remedy=hint,
            )
    if not names:
        raise ParameterError(
            "There is no column to generalize: give {columns}.",
            parameter="columns",
            options={"columns": ...},
        )
    if not table.n_rows:
        raise InfeasibleError("The table has no rows, so there is nothing to generalize.")
    trees = tuple(given.get(name) or Hierarchy.flat(table.values(name)) for name in names)
    leaves = [
        encode_column(tree, table, name)[table.codes(name)]
        for name, tree in zip(names, trees, strict=True)
    ]
    return Records(columns=names, hierarchies=trees, leaves=np.column_stack(leaves))


# Hierarchies without the groups that cost more than a group above them.


def prune_hierarchy(hierarchy: Hierarchy, *, costs: NDArray[np.float64]) -> Hierarchy:
    r"""Return the hierarchy without groups that cost more than the nearest one kept above them.

    From the root down, a group :math:`B` is dropped if :math:`c(B) > c(A)`, where :math:`A` is
    the lowest kept group above it; what was right under :math:`B` is then under :math:`A`. The
    root and the leaves stay.

    Parameters
    ----------
    hierarchy : Hierarchy
        Of one column.
    costs : array of float
        Of each of its nodes, such as plain entropy; see
        :func:`~discreet.utility.node_costs.node_costs`.

    Returns
    -------
    Hierarchy
        Labels as before, nodes numbered anew; the same object if nothing is dropped.

    Raises
    ------
    ParameterError
        If there is not one cost for each node.

    Notes
    -----
    Along every way up the costs of what is kept never fall, which the proofs on clusterings
    assume. No set of rows loses more than before: its lowest group is kept, or costs more than
    the one that takes its place. Linear in the number of nodes.

    The thesis proves its bounds for all its measures, but plain entropy is not monotone; this
    is what makes them true for it.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, definition
    3.2.2 of the entropy measure, and lemma 4.1.1, which needs monotone costs.

    Examples
    --------
    >>> from discreet.utility.node_costs import node_costs
    >>> tree = Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> bits = node_costs(tree, [97, 1, 1, 1], measure="plain_entropy")
    >>> print(prune_hierarchy(tree, costs=bits).render())
    *
    ├── low
    │   ├── 1
    │   └── 2
    ├── 3
    └── 4
    """
    if costs.shape != (hierarchy.n_nodes,):
        raise ParameterError(
            f"costs has shape {costs.shape}; it needs one number for each of the "
            f"{hierarchy.n_nodes} nodes.",
            parameter="costs",
        )
    above = hierarchy.parent.copy()  # the lowest kept node over each
    is_kept = np.ones(hierarchy.n_nodes, bool)
    for node in range(hierarchy.root - 1, -1, -1):  # parents before children
        if not is_kept[above[node]]:
            above[node] = above[above[node]]
        is_kept[node] = node < hierarchy.n_leaves or costs[node] <= costs[above[node]]
    return hierarchy.without(np.flatnonzero(~is_kept).tolist())
