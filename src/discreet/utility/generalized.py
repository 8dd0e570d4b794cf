"""An original and its generalized release as nodes of hierarchies, row by row.

Labels are looked up among the nodes above the original value only, so that what a label says
is never interpreted and equal labels in different branches are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.hierarchy import Hierarchy
from discreet.errors import DataError, HierarchyError, ParameterError, did_you_mean
from discreet.utility.pairs import match_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import Label
    from discreet.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GeneralizedRows:
    """What each row of an original was and what it became.

    Attributes
    ----------
    columns : tuple of str
        The columns compared.
    hierarchies : tuple of Hierarchy
        One for each column; flat where none was given.
    leaves, nodes : array of int32, rows of the original by columns
        The leaf of each value and the node that is shown. A row that the release has not shows
        the root in every column.
    is_lost : array of bool
        Which rows of the original the release has not.
    """

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    leaves: NDArray[np.int32]
    nodes: NDArray[np.int32]
    is_lost: NDArray[np.bool_]

    @property
    def is_suppressed(self) -> NDArray[np.bool_]:
        """Which rows tell nothing: lost, or at the root wherever there was something to hide."""
        hides = [place for place, tree in enumerate(self.hierarchies) if tree.n_leaves > 1]
        roots = [self.hierarchies[place].root for place in hides]
        if not hides:
            return self.is_lost
        at_root: NDArray[np.bool_] = (self.nodes[:, hides] == roots).all(axis=1)
        return at_root


def generalized_rows(
    original: Table,
    release: Table,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    columns: Iterable[str] | None = None,
    rows: ArrayLike | None = None,
) -> GeneralizedRows:
    """Return the nodes that the rows of an original became in a release.

    Parameters
    ----------
    original, release : Table
        Values of the release are labels of nodes above those of the original, as text if a
        column mixes numbers and groups. None and ``*`` are the root, except that None stands
        for itself where the original has it too.
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy; other columns can only be kept or suppressed.
    columns : iterable of str, optional
        The columns to compare, by default the quasi-identifiers of the original.
    rows : array, optional
        As in :func:`~discreet.utility.pairs.match_rows`.

    Raises
    ------
    DataError
        If a released cell is not a generalization of the original one.
    HierarchyError
        If a value is not a leaf, or a label names two nodes above it.
    ParameterError
        If ``hierarchies``, ``columns`` or ``rows`` do not fit the tables.

    Examples
    --------
    >>> import discreet as dc
    >>> food = dc.Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}})
    >>> people = dc.Table.from_frame({"job": ["cook", "coder", "baker"]})
    >>> release = dc.Table.from_frame({"job": ["food", "coder", None]})
    >>> generalized_rows(people, release, hierarchies={"job": food}).nodes.ravel().tolist()
    [3, 2, 4]
    """
    given = hierarchies or {}
    names = original.quasi if columns is None else original.select(columns).columns
    for name in given:
        if name not in original.columns:
            hint = did_you_mean(name, original.columns)
            raise ParameterError(f"hierarchies names {name!r}, which is no column. {hint}")
    for name in names:
        if name not in release.columns:
            hint = did_you_mean(name, release.columns)
            raise DataError(f"The release has no column '{name}', which the original has. {hint}")
    matched = match_rows(rows, original=original, release=release)
    trees = tuple(given.get(name) or _flat(original.values(name)) for name in names)
    leaves = np.zeros((original.n_rows, len(names)), np.int32)
    nodes = np.zeros_like(leaves)
    for place, (name, tree) in enumerate(zip(names, trees, strict=True)):
        leaves[:, place] = tree.encode(original.values(name))[original.codes(name)]
        nodes[:, place] = tree.root
        nodes[matched, place] = _nodes(leaves[matched, place], release, name, tree)
    is_lost = np.ones(original.n_rows, bool)
    is_lost[matched] = False
    return GeneralizedRows(
        columns=names, hierarchies=trees, leaves=leaves, nodes=nodes, is_lost=is_lost
    )


def _flat(values: tuple[Label, ...]) -> Hierarchy:
    return Hierarchy.flat(values or ("",))  # a table without rows has no values


def _nodes(
    leaves: NDArray[np.int32], release: Table, name: str, tree: Hierarchy
) -> NDArray[np.int32]:
    """Return the node of each released cell, one look-up for each pair of value and label."""
    labels = release.values(name)
    pairs = leaves.astype(np.int64) * max(len(labels), 1) + release.codes(name)
    found, first, pair_of = np.unique(pairs, return_index=True, return_inverse=True)
    nodes = np.zeros(len(found), np.int32)
    for place, pair in enumerate(found.tolist()):
        leaf, code = divmod(pair, len(labels))
        where = f"Column '{name}', row {first[place]:,} of the release"
        nodes[place] = _node(tree, leaf, labels[code], where)
    of_cells: NDArray[np.int32] = nodes[pair_of.reshape(-1)]
    return of_cells


def _node(tree: Hierarchy, leaf: int, label: Label, where: str) -> int:
    value = tree.leaves[leaf]
    if label is None:
        return leaf if value is None else tree.root
    path = (leaf, *tree.ancestors(leaf))
    found = [node for node in path if _reads(tree.labels[node], label)]
    if len(found) > 1:
        raise HierarchyError(
            f"{where}: {label!r} is the label of {len(found)} nodes above {value!r}. Give each "
            "node of the hierarchy a label of its own."
        )
    if found:
        return found[0]
    if label == "*":
        return tree.root
    raise DataError(
        f"{where}: {label!r} is not a generalization of {value!r}, which the original has. Known: "
        f"{', '.join(repr(tree.labels[node]) for node in path)}. Give rows= if rows were moved."
    )


def _reads(node_label: Label, label: Label) -> bool:
    """Say whether a released label is that of a node; numbers may have become text."""
    return node_label == label or (node_label is not None and str(node_label) == label)
