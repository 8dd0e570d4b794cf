"""Hierarchies without the groups that cost more than a group above them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.data.hierarchy import Hierarchy
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
            f"{hierarchy.n_nodes} nodes."
        )
    above = hierarchy.parent.copy()  # the lowest kept node over each
    is_kept = np.ones(hierarchy.n_nodes, bool)
    for node in range(hierarchy.root - 1, -1, -1):  # parents before children
        if not is_kept[above[node]]:
            above[node] = above[above[node]]
        is_kept[node] = node < hierarchy.n_leaves or costs[node] <= costs[above[node]]
    if is_kept.all():
        return hierarchy
    new_number = np.cumsum(is_kept, dtype=np.int32) - 1
    parent = np.append(new_number[above[is_kept][:-1]], -1).astype(np.int32)
    labels = tuple(hierarchy.labels[node] for node in np.flatnonzero(is_kept).tolist())
    return Hierarchy(parent=parent, labels=labels, leaves=hierarchy.leaves, name=hierarchy.name)
