"""What every method of generalization is given: rows, costs of nodes, k, and rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypedDict

import numpy as np

from discreet.data.hierarchy import Hierarchy
from discreet.errors import InfeasibleError, ParameterError, did_you_mean
from discreet.generalize.make_rules import make_rules
from discreet.generalize.prune import prune_hierarchy
from discreet.generalize.records import encode_records
from discreet.utility.node_costs import CELL_MEASURES, is_monotone, node_costs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.generalize.records import Records
    from discreet.generalize.rules import Rule
    from discreet.utility.node_costs import CellMeasure


class Options(TypedDict, total=False):
    """Keyword arguments that every method of generalization takes besides ``k``.

    Parameters
    ----------
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy; the values of other columns can only be kept or hidden.
    columns : iterable of str, optional
        The columns to generalize, by default the quasi-identifiers. The claim is about them.
    loss : {"lm", "entropy", "tree", "suppression", "plain_entropy"}
        What is to be small; see :func:`~discreet.utility.node_costs.node_costs`.
    sensitive : iterable of str, optional
        The columns that ``l`` and ``t`` are about, by default those with that role.
    l : float, optional
        l-diversity of every sensitive column in every class, at least 1.
    diversity : {"distinct", "entropy", "recursive"}
        Which l-diversity.
    c : float, optional
        The ratio of recursive (c, l)-diversity.
    t : float, optional
        t-closeness of every sensitive column in every class to all rows released, from 0 to 1.
    distance : {"equal", "ordered", "hierarchical"}
        Between values of a sensitive column: all alike, by their order in the table, or by
        their hierarchy.
    weights : str, optional
        A column of numbers: how many people a row stands for. The loss counts each row so
        often; k counts rows.
    households : str, optional
        A column that says which rows belong together: every class has rows of at least ``k``.
    """

    hierarchies: Mapping[str, Hierarchy] | None
    columns: Iterable[str] | None
    loss: CellMeasure
    sensitive: Iterable[str] | None
    l: float | None  # noqa: E741  the paper's letter
    diversity: Literal["distinct", "entropy", "recursive"]
    c: float | None
    t: float | None
    distance: Literal["equal", "ordered", "hierarchical"]
    weights: str | None
    households: str | None


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
    """

    records: Records
    costs: tuple[NDArray[np.float64], ...]
    loss: str
    k: int
    rules: tuple[Rule, ...] = ()
    weights: NDArray[np.float64] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.records.leaves)


def state_problem(table: Table, *, k: int, options: Options) -> Problem:
    """Return the problem that a table, k and options pose.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows, or all rows together break a rule.
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
    _check(k, loss, options)
    columns = _columns(table, options)
    records = encode_records(
        table, hierarchies=_of_columns(table, columns, options), columns=columns
    )
    if table.n_rows < k:
        raise InfeasibleError(
            f"The table has {table.n_rows:,} rows, fewer than k={k:,}: no row can be like "
            f"{k - 1:,} others. Lower k or add rows."
        )
    rules = make_rules(table, k=k, options=options)
    _refuse_ruled(table, columns, rules, options)
    everybody = np.zeros(table.n_rows, np.int64)
    for rule in rules:
        if not rule.holds(everybody, 1)[0]:
            raise InfeasibleError(
                f"Not even all {table.n_rows:,} rows together obey the rule of column "
                f"'{rule.column}' ({rule.kind}, {rule.level:g}). Ask for less."
            )
    trees, costs = _priced(records, loss)
    return Problem(
        records=replace(records, hierarchies=trees), costs=costs, loss=loss, k=int(k),
        rules=rules, weights=_weights(table, options),
    )  # fmt: skip


def _check(k: object, loss: object, options: Options) -> None:
    for name in options:
        if name not in Options.__annotations__:
            hint = did_you_mean(name, Options.__annotations__)
            raise ParameterError(f"There is no option {name!r}. {hint}")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ParameterError(f"k={k!r} must be a whole number of rows, at least 1.")
    if loss not in CELL_MEASURES:
        hint = did_you_mean(str(loss), CELL_MEASURES)
        raise ParameterError(f"loss={loss!r} does not add up over cells. {hint}")


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
                f"Column '{name}' is identifying, so it is not released and cannot be "
                "generalized. Give it the role 'quasi', or leave it out of columns=."
            )
        if name == options.get("weights"):
            raise ParameterError(
                f"Column '{name}' holds weights, which are released as means of classes. Leave "
                "it out of columns=."
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
                "attackers know is a quasi-identifier; one that they must not learn is "
                "sensitive. Give it that role, or columns= without it."
            )
        if task == "sensitive" and rule.column in {*table.identifying, options.get("weights")}:
            raise ParameterError(
                f"Column '{rule.column}' is sensitive and is also identifying or holds weights, "
                "so it is not released as it is. Choose."
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
            raise ParameterError(f"hierarchies names {name!r}, which is no column. {hint}")
        if not isinstance(tree, Hierarchy):
            raise ParameterError(
                f"hierarchies[{name!r}] is no Hierarchy but a {type(tree).__name__}. "
                "Build it with Hierarchy.from_csv, from_mapping or one of the others."
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
        raise ParameterError(f"Column '{name}' holds weights, but not only numbers.") from None
    if not (np.isfinite(values) & (values > 0)).all():
        raise ParameterError(f"Column '{name}' holds weights: each must be more than 0.")
    return np.asarray(values[table.codes(name)])
