"""From the options of a user to rules on groups of rows."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, did_you_mean
from discreet.generalize.rules import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.generalize.problem import Options
    from discreet.generalize.rules import Kind

DIVERSITIES = ("distinct", "entropy", "recursive")
DISTANCES = ("equal", "ordered", "hierarchical")
_NO_EDGES = (np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))


def make_rules(table: Table, *, k: int, options: Options) -> tuple[Rule, ...]:
    """Return the rules that options ask for; none if they ask for k-anonymity only.

    Raises
    ------
    ParameterError
        If an option is out of its range, or names a column or a kind that there is not.

    Examples
    --------
    >>> import discreet as dc
    >>> sick = dc.Table.from_frame(
    ...     {"age": ["20s", "20s"], "illness": ["flu", "cold"]}, roles={"illness": "sensitive"})
    >>> [(rule.column, rule.kind, rule.level) for rule in make_rules(sick, k=2, options={"l": 2})]
    [('illness', 'distinct', 2.0)]
    """
    _check(options)
    rules = []
    low, near = options.get("l"), options.get("t")
    for name in _sensitive(table, options):
        if low is not None:
            kind = options.get("diversity", "distinct")
            rules.append(_plain(table, name, kind, float(low), float(options.get("c") or 0)))
        if near is not None:
            rules.append(_closeness(table, name, float(near), options))
    household = options.get("households")
    if household is not None:
        rules.append(_plain(table, household, "distinct", float(k)))
    return tuple(rules)


def _check(options: Options) -> None:
    kind, distance = options.get("diversity", "distinct"), options.get("distance", "equal")
    if kind not in DIVERSITIES:
        hint = did_you_mean(str(kind), DIVERSITIES)
        raise ParameterError(f"There is no diversity={kind!r}. {hint}")
    if distance not in DISTANCES:
        hint = did_you_mean(str(distance), DISTANCES)
        raise ParameterError(f"There is no distance={distance!r}. {hint}")
    low, near, ratio = (_number(name, options.get(name)) for name in ("l", "t", "c"))
    if low is not None and low < 1:
        raise ParameterError(f"l={low:g} must be at least 1.")
    if kind != "entropy" and low is not None and int(low) != low:
        raise ParameterError(f"l={low:g} must be a whole number of values for {kind} diversity.")
    if near is not None and not 0 <= near <= 1:
        raise ParameterError(f"t={near:g} must be from 0 to 1.")
    if (kind == "recursive" and low is not None) != (ratio is not None):
        raise ParameterError("Give c=, with diversity='recursive' and l= and only then.")
    if ratio is not None and ratio <= 0:
        raise ParameterError(f"c={ratio:g} must be more than 0.")


def _number(name: str, value: object) -> float | None:
    """Return an option that is a finite number, or None if it was not given."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real | Decimal) or not isfinite(value):
        raise ParameterError(f"{name}={value!r} must be a number.")
    return float(value)


def _sensitive(table: Table, options: Options) -> tuple[str, ...]:
    if options.get("l") is None and options.get("t") is None:
        return ()
    given = options.get("sensitive")
    names = table.sensitive if given is None else table.select(given).columns
    if not names:
        raise ParameterError(
            "l and t are about sensitive columns, and no column has that role. Give sensitive=."
        )
    return names


def _plain(table: Table, name: str, kind: Kind, level: float, ratio: float = 0.0) -> Rule:
    starts, stops, lengths = _NO_EDGES
    return Rule(
        column=name, kind=kind, level=level, ratio=ratio,
        values=table.codes(name).astype(np.int32), n_values=len(table.values(name)),
        starts=starts, stops=stops, lengths=lengths,
    )  # fmt: skip


def _closeness(table: Table, name: str, level: float, options: Options) -> Rule:
    distance = options.get("distance", "equal")
    codes, n_values = table.codes(name).astype(np.int32), len(table.values(name))
    each = np.arange(n_values, dtype=np.int32)
    if distance == "equal":  # a star: half of all that differs
        edges = (each, each + 1, np.full(n_values, 0.5))
    elif distance == "ordered":  # a line: what has to pass each gap
        edges = (np.zeros_like(each), each + 1, np.full(n_values, 1 / max(n_values - 1, 1)))
    else:
        tree = (options.get("hierarchies") or {}).get(name)
        if tree is None:
            raise ParameterError(
                f"distance='hierarchical' needs the hierarchy of column '{name}': give it in "
                "hierarchies=."
            )
        codes, n_values = tree.encode(table.values(name))[codes], tree.n_leaves
        edges = _tree_edges(tree)
    return Rule(
        column=name, kind="closeness", level=level, values=codes.astype(np.int32),
        n_values=n_values, starts=edges[0], stops=edges[1], lengths=edges[2],
    )  # fmt: skip


def _tree_edges(
    tree: Hierarchy,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Return the edges of a hierarchy: the leaves under each node, and how far up its parent is.

    Two values are as far apart as their lowest common group is high; written per edge, this is
    section 5.2 of the paper on t-closeness.
    """
    height = np.zeros(tree.n_nodes, np.int64)
    for node, parent in enumerate(tree.parent[:-1].tolist()):  # children before parents
        height[parent] = max(height[parent], height[node] + 1)
    under = [tree.leaves_under(node) for node in range(tree.root)]
    starts = np.array([leaves.start for leaves in under], np.int32)
    stops = np.array([leaves.stop for leaves in under], np.int32)
    lengths = (height[tree.parent[:-1]] - height[:-1]) / (2 * max(int(height[-1]), 1))
    return starts, stops, lengths
