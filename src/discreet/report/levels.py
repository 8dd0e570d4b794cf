"""How far up its hierarchy each released cell is shown: read off the release alone.

Labels and hierarchies are published, so that anybody can count this; the original is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.utility.node_costs import node_costs

if TYPE_CHECKING:
    from discreet.data.column import Label
    from discreet.data.hierarchy import Hierarchy
    from discreet.release.release import Release

LEVELS = ("the value", "1 step up", "2 steps up", "3 or more steps up", "hidden")
HIDDEN = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLevels:
    """One column: its share of cells at each of :data:`LEVELS`, and the mean LM loss of a cell."""

    column: str
    shares: tuple[float, ...]
    loss: float
    has_hierarchy: bool


def generalized_columns(release: Release) -> tuple[str, ...]:
    """Return the columns that were generalized, as the release says; none of other releases.

    Examples
    --------
    >>> import discreet as dc
    >>> generalized_columns(dc.k_mii(dc.Table.from_frame({"sex": ["f", "f"]}), k=2))
    ()
    """
    for event in release.events:
        columns = event.parameters.get("columns")
        if event.name == "generalize" and isinstance(columns, tuple):
            return tuple(name for name in columns if name in release.data.columns)
    return ()


def column_levels(release: Release) -> list[ColumnLevels]:
    """Return for each generalized column where in its hierarchy the released cells stand."""
    found = []
    for name in generalized_columns(release):
        tree = release.hierarchies.get(name)
        values = release.data.values(name)
        counts = np.bincount(release.data.codes(name), minlength=len(values))
        placed = [_flat(value) if tree is None else _placed(tree, value) for value in values]
        levels = np.array([level for level, _ in placed], np.int64)
        losses = np.array([loss for _, loss in placed])
        shares = np.bincount(levels, counts, len(LEVELS)) / max(release.data.n_rows, 1)
        found.append(
            ColumnLevels(
                column=name,
                shares=tuple(shares.tolist()),
                loss=float(counts @ losses) / max(release.data.n_rows, 1),
                has_hierarchy=tree is not None,
            )
        )
    return found


def _flat(value: Label) -> tuple[int, float]:
    """Return level and loss of a label in a column whose values are kept or hidden."""
    return (len(LEVELS) - 1, 1.0) if value == HIDDEN else (0, 0.0)


def _placed(tree: Hierarchy, value: Label) -> tuple[int, float]:
    """Return level and loss of a label; the lowest node of several that bear it."""
    text = None if value is None else str(value)
    nodes = [node for node, label in enumerate(tree.labels) if label == text]
    if not nodes or (nodes[0] == tree.root and tree.n_leaves > 1):
        return len(LEVELS) - 1, 1.0
    under = tree.leaves_under(nodes[0])
    up = int(tree.depths[under.start : under.stop].max() - tree.depths[nodes[0]])
    return min(up, len(LEVELS) - 2), float(node_costs(tree)[nodes[0]])
