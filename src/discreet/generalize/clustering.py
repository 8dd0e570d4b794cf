"""What a group of rows shows, and what that loses: the closure of the group, and its cost.

The closure of some rows has in each column the lowest node above all their values. Leaves of a
hierarchy are numbered so that every group's stand together, so the lowest node above many
leaves is the lowest above the first and the last of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from discreet.generalize.records import Records


def closures(records: Records, *, clusters: ArrayLike) -> NDArray[np.int32]:
    r"""Return the closure of each cluster: the lowest nodes above all of its records.

    .. math:: \mathrm{cl}(S)_j = \min \{ B \in \bar A_j : R(j) \in B \text{ for all } R \in S \}

    where :math:`\bar A_j` are the nodes of the hierarchy of column :math:`j`.

    Parameters
    ----------
    records : Records
        The rows.
    clusters : array of integers
        The cluster of each row.

    Returns
    -------
    array of int32, clusters by columns
        Nodes, in the order of the clusters' numbers.

    Notes
    -----
    Sorting the rows by cluster dominates; memory grows with rows and columns.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, definition
    4.1.1.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.records import encode_records
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 2, 3]})
    >>> rows = encode_records(people, hierarchies={"number": tree})
    >>> [tree.labels[node] for node in closures(rows, clusters=[0, 1, 0, 1]).ravel()]
    ['low', 3]
    """
    ids = _checked(clusters, len(records.leaves))
    order = np.argsort(ids, kind="stable")
    starts = np.unique(ids[order], return_index=True)[1]
    ordered = records.leaves[order]
    first = np.minimum.reduceat(ordered, starts, axis=0)
    last = np.maximum.reduceat(ordered, starts, axis=0)
    nodes = np.empty_like(first)
    for place, tree in enumerate(records.hierarchies):
        levels = tree.level_nodes()  # from the leaf up, all at one depth or still the leaf
        up, down = levels[first[:, place]], levels[last[:, place]]
        lowest = (up == down).argmax(axis=1)  # the first level where they meet; the root at last
        nodes[:, place] = up[np.arange(len(up)), lowest]
    return nodes


def generalization_costs(
    nodes: NDArray[np.int32], *, costs: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    r"""Return what each record of a cluster loses, by the cluster's closure.

    .. math:: d(S) = \sum_j c_j(\mathrm{cl}(S)_j), \qquad \mathrm{ANON}(S) = |S| \, d(S)

    where :math:`c_j` are the costs of the nodes of column :math:`j`.

    Parameters
    ----------
    nodes : array of int32, clusters by columns
        Of `closures`.
    costs : sequence of arrays
        One for each column, of :func:`~discreet.utility.node_costs.node_costs`.

    References
    ----------
    B. Kenig (2009), definition 4.1.2.

    Examples
    --------
    >>> import numpy as np
    >>> generalization_costs(np.array([[0, 2], [2, 2]], np.int32), costs=[np.arange(3) / 2] * 2)
    array([1., 2.])
    """
    total = np.zeros(len(nodes))
    for place, of_nodes in enumerate(costs):
        total += of_nodes[nodes[:, place]]
    return total


def _checked(clusters: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    ids = np.asarray(clusters)
    if ids.shape != (n_rows,) or ids.dtype.kind not in "iu":
        raise ParameterError(
            f"clusters has shape {ids.shape} and type {ids.dtype}; it needs one integer for each "
            f"of the {n_rows:,} rows."
        )
    return ids.astype(np.int64)
