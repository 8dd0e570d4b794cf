"""Distances of t-closeness: how far a class's distribution is from that of the whole table.

Each is an earth mover's distance between distributions of one sensitive column: mass moves
between any two values (equal), along an order (ordered) or through a hierarchy (hierarchical).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column, Label
    from discreet.data.hierarchy.tree import Hierarchy

CELLS = 1 << 22  # of a dense block of classes by values: 32 MB


def equal_distance(counts: ValueCounts) -> float:
    r"""Return the largest distance of a class from the whole if all values are equally far apart.

    .. math:: \max_E \; \tfrac12 \sum_v | p_E(v) - q(v) |

    where :math:`p_E(v)` is the share of value :math:`v` in class :math:`E` and :math:`q(v)`
    its share in the table.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.1, equal distance.
    """
    # Only values with p > q count, and those occur in the class: no zeros are visited.
    surplus = counts.shares - counts.overall[counts.values]
    moved = np.zeros(counts.n_classes)
    np.add.at(moved, counts.classes, np.maximum(surplus, 0.0))
    return _largest(moved)


def ordered_distance(counts: ValueCounts, place_of: NDArray[np.integer], n_places: int) -> float:
    r"""Return the largest distance of a class from the whole if values lie on a line.

    .. math:: \max_E \; \frac{1}{m - 1} \sum_{i=1}^{m}
        \Bigl| \sum_{j \le i} \bigl( p_E(v_j) - q(v_j) \bigr) \Bigr|

    where :math:`v_1, \dots, v_m` are the values in order, those that do not occur included.

    Parameters
    ----------
    counts : ValueCounts
        Values of each class.
    place_of : array of int
        Place of each value code in the order, from 0.
    n_places : int
        Number of values in the order.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.1, ordered distance.
    """
    if n_places < 2:
        return 0.0
    return max(
        (
            _largest(np.abs(np.cumsum(block, axis=1)).sum(axis=1) / (n_places - 1))
            for block in _differences(counts, place_of, n_places)
        ),
        default=0.0,
    )


def hierarchical_distance(counts: ValueCounts, hierarchy: Hierarchy) -> float:
    r"""Return the largest distance of a class from the whole if values lie in a tree.

    Two values are as far apart as their lowest common group is high:

    .. math:: \max_E \sum_{C \ne \mathrm{root}} \frac{h(\mathrm{parent}(C)) - h(C)}{2 H}
        \Bigl| \sum_{v \in C} \bigl( p_E(v) - q(v) \bigr) \Bigr|

    where :math:`C` runs over values and groups, :math:`h` is the longest way down from a node
    to a value and :math:`H` that from the root.

    Notes
    -----
    This is the cost of section 5.2 written per edge: distances are those of an ultrametric
    tree, on which the earth mover's distance is edge length times mass that crosses it.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.2, hierarchical distance.
    """
    leaf_of = hierarchy.encode(counts.labels)
    height = np.zeros(hierarchy.n_nodes, np.int64)
    for node, parent in enumerate(hierarchy.parent[:-1].tolist()):  # children before parents
        height[parent] = max(height[parent], height[node] + 1)
    if not height[-1]:
        return 0.0
    under = [hierarchy.leaves_under(node) for node in range(hierarchy.root)]
    start = np.array([leaves.start for leaves in under])
    stop = np.array([leaves.stop for leaves in under])
    length = (height[hierarchy.parent[:-1]] - height[:-1]) / (2 * height[-1])
    largest = 0.0
    for block in _differences(counts, leaf_of, hierarchy.n_leaves):
        below = np.zeros((len(block), hierarchy.n_leaves + 1))
        np.cumsum(block, axis=1, out=below[:, 1:])  # leaves of a node stand together
        largest = max(largest, _largest(np.abs(below[:, stop] - below[:, start]) @ length))
    return largest


def _differences(
    counts: ValueCounts, place_of: NDArray[np.integer], n_places: int
) -> Iterator[NDArray[np.float64]]:
    """Yield p - q as dense blocks: a row for each class, a column for each place."""
    overall = np.zeros(n_places)
    overall[place_of] = counts.overall
    step = max(1, CELLS // n_places)
    for low in range(0, counts.n_classes, step):
        high = min(low + step, counts.n_classes)
        block = np.tile(-overall, (high - low, 1))
        part = slice(counts.starts[low], counts.starts[high])
        block[counts.classes[part] - low, place_of[counts.values[part]]] += counts.shares[part]
        yield block


def _largest(distances: NDArray[np.float64]) -> float:
    return min(1.0, float(distances.max())) if len(distances) else 0.0


# How often each value of a column occurs in each equivalence class.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueCounts:
    """How often each value occurs in each class: one entry for each pair that occurs.

    Entries are sorted by class, most frequent value first; those of class ``i`` are
    ``starts[i]`` to ``starts[i + 1]``.
    """

    labels: tuple[Label, ...]
    overall: NDArray[np.float64]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @classmethod
    def of(cls, classes: Classes, column: Column) -> ValueCounts:
        """Return the counts of a column's values in these classes."""
        n_rows = len(classes.class_of)
        pairs = equal_codes([classes.class_of, column.codes], n_rows)
        class_of = classes.class_of[pairs.first].astype(np.int64)
        values = column.codes[pairs.first].astype(np.int64)
        order = np.lexsort((values, -pairs.sizes, class_of))
        class_of, counts = class_of[order], pairs.sizes[order]
        n_of_value = np.bincount(column.codes, minlength=len(column.values))
        return cls(
            labels=column.values,
            overall=n_of_value / max(n_rows, 1),
            sizes=classes.sizes,
            starts=np.searchsorted(class_of, np.arange(len(classes) + 1)),
            classes=class_of,
            values=values[order],
            counts=counts,
            shares=counts / classes.sizes[class_of],
        )
