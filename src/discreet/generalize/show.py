"""Nodes of hierarchies back to labels that people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import HierarchyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.generalize.records import Records


def show_nodes(table: Table, records: Records, nodes: NDArray[np.int32]) -> Table:
    """Return a table whose columns show the labels of nodes in place of values.

    Parameters
    ----------
    table : Table
        The rows; columns that were not generalized stay as they are.
    records : Records
        Names and hierarchies of the columns that were.
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
    for place, name in enumerate(records.columns):
        if name in table.columns:
            used, codes = np.unique(nodes[:, place], return_inverse=True)
            labels = _labels(records.hierarchies[place], used.tolist(), name)
            table = table.with_column(name, codes.reshape(-1), labels)
    return table


def _labels(tree: Hierarchy, used: list[int], name: str) -> list[Label]:
    """Return labels of nodes; as text if there is a group among them."""
    labels: list[Label] = [tree.labels[node] for node in used]
    if used and used[-1] >= tree.n_leaves:
        labels = [None if label is None else str(label) for label in labels]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise HierarchyError(
            f"Column '{name}' would show two nodes that both read {twice!r}. Give each node of "
            "its hierarchy a label of its own."
        )
    return labels
