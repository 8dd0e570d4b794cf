"""Groups of rows, each split along one column into the children of its closure's node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.generalize.problem import Problem


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """Disjoint groups of rows: ``of[i]``, from 0, is the group of row ``rows[i]``; none is empty.

    Attributes
    ----------
    rows, of : array of int64
        Rows of the table, and the group of each.
    nodes : array of int32, groups by columns
        The closure of each group.
    """

    rows: NDArray[np.int64]
    of: NDArray[np.int64]
    nodes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.nodes)


def split_groups(problem: Problem, groups: Groups, *, place: int) -> NDArray[np.int64]:
    """Return the part of each row, if every group is split along one column.

    Rows that lie under the same child of the closure's node stay together. Children with
    fewer than ``k`` rows, or that break a rule, form one part; while that part is too small or
    breaks a rule itself, it takes in the smallest of the other children.

    Parameters
    ----------
    problem : Problem
        With ``k`` and the rules.
    groups : Groups
        Every group has ``k`` rows and obeys the rules.
    place : int
        The column.

    Returns
    -------
    array of int64
        Numbers from 0; every part has ``k`` rows, obeys the rules and lies in one group. A group
        that cannot be split is one part.

    Notes
    -----
    Linear in rows, times the number of children that have to be joined for the rules; with
    ``k`` alone, one is enough.
    """
    children = _children(problem, groups, place)
    pairs = equal_codes([groups.of, children], len(groups.rows))
    pair_of, group_of = pairs.class_of, groups.of[pairs.first]
    is_alone = _obeys(problem, groups.rows, pair_of, pairs.sizes)
    # The smallest child of a group first, whatever the order of rows.
    by_size = np.lexsort((children[pairs.first], pairs.sizes, group_of))
    while True:
        parts, part_of = np.unique(
            np.where(is_alone, len(groups) + np.arange(len(pairs)), group_of), return_inverse=True
        )
        sizes = np.bincount(part_of, pairs.sizes).astype(np.int64)
        is_bad = ~_obeys(problem, groups.rows, part_of[pair_of], sizes)
        lacking = parts[is_bad]  # a bad part has the number of its group
        waiting = by_size[is_alone[by_size] & np.isin(group_of[by_size], lacking)]
        if not len(waiting):
            return part_of[pair_of]
        is_alone[waiting[np.unique(group_of[waiting], return_index=True)[1]]] = False


def _children(problem: Problem, groups: Groups, place: int) -> NDArray[np.int32]:
    """Return the child of its group's node that each row lies under; the node itself if a leaf."""
    tree = problem.records.hierarchies[place]
    depth = tree.depths[groups.nodes[:, place]] + 1
    level = np.maximum(tree.depth - depth, 0)  # levels are counted from the deepest leaf
    leaves = problem.records.leaves[groups.rows, place]
    return np.asarray(tree.level_nodes()[leaves, level[groups.of]])


def _obeys(
    problem: Problem,
    rows: NDArray[np.int64],
    part_of: NDArray[np.integer],
    sizes: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Return which parts have k rows and obey every rule."""
    obeys = sizes >= problem.k
    if problem.rules:
        everywhere = np.full(problem.n_rows, -1, np.int64)
        everywhere[rows] = part_of
        for rule in problem.rules:
            obeys &= rule.holds(everywhere, len(sizes))
    return obeys
