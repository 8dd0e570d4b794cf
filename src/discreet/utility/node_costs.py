"""What it costs to show a node of a hierarchy in place of a value: one number for each node.

These are the measures of loss that add up over cells. They are computed once for each column,
so that code that compares many groups of rows looks costs up instead of computing them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet import checks
from discreet.errors import HierarchyError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.data.hierarchy.tree import Hierarchy

CellMeasure: TypeAlias = Literal["lm", "tree", "suppression", "entropy", "plain_entropy"]
CELL_MEASURES: tuple[CellMeasure, ...] = get_args(CellMeasure)
_NEED_COUNTS = ("entropy", "plain_entropy")


def node_costs(
    hierarchy: Hierarchy, counts: ArrayLike | None = None, *, measure: CellMeasure = "lm"
) -> NDArray[np.float64]:
    r"""Return the cost of each node of a hierarchy: what a cell loses that shows this node.

    .. math::
        \text{lm} = \frac{|B| - 1}{|A| - 1}, \quad
        \text{tree} = \frac{r(B)}{l}, \quad
        \text{suppression} = [B = A], \quad
        \text{plain entropy} = H(X | B) = -\sum_{b \in B} \Pr(b | B) \log_2 \Pr(b | B), \quad
        \text{entropy} = \Pr(B) \, H(X | B)

    where :math:`A` are the leaves of the hierarchy, seen in the table or not, :math:`B` those
    under the node, :math:`r(B)` the steps from the node down to its leaves, :math:`l` the
    height of the tree, and :math:`X` the value of a row drawn from the original table. A leaf
    costs nothing, and so does the only node of a column with a single value.

    Parameters
    ----------
    hierarchy : Hierarchy
        Of one column.
    counts : array of integers, optional
        Rows of the original at each leaf; needed by the two entropies.
    measure : {"lm", "tree", "suppression", "entropy", "plain_entropy"}
        ``entropy`` is the monotone one.

    Returns
    -------
    array of float
        One for each node, in the order of the hierarchy.

    Raises
    ------
    HierarchyError
        If ``measure`` is ``"tree"`` and leaves are at different depths.
    ParameterError
        If there is no such measure, or ``counts`` is missing or does not fit.

    Notes
    -----
    Linear in the number of nodes. The proofs that a clustering is near the best assume costs
    that are not negative, add up over columns, and never fall from a node to its parent. That
    holds for all of these but ``plain_entropy``, which can fall: with counts 97, 1, 1, 1 the
    last two values together cost 1 bit and the root 0.24. :func:`is_monotone` checks it.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity: the tree and
    suppression measures of section 3.1, LM of equation (3.1), definition 3.2.2 and example
    3.3.1 of the plain entropy. The factor :math:`\Pr(B)` is not in the thesis.

    Examples
    --------
    >>> from discreet.data.hierarchy.tree import Hierarchy
    >>> tree = Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> node_costs(tree).round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.33, 0.33, 1.0]
    >>> node_costs(tree, [97, 1, 1, 1], measure="plain_entropy").round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.08, 1.0, 0.24]
    >>> node_costs(tree, [97, 1, 1, 1], measure="entropy").round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.08, 0.02, 0.24]
    """
    checks.one_of("measure", measure, CELL_MEASURES)
    if measure in _NEED_COUNTS:
        return _entropy(hierarchy, counts, of_share=measure == "entropy")
    if measure == "lm":  # equation (3.1), with 0 for a column of one value
        return (hierarchy.leaf_counts - 1) / max(hierarchy.n_leaves - 1, 1)
    if measure == "tree":
        return _tree(hierarchy)
    costs = np.zeros(hierarchy.n_nodes)
    costs[hierarchy.root] = hierarchy.n_leaves > 1
    return costs


def is_monotone(hierarchy: Hierarchy, costs: NDArray[np.float64]) -> bool:
    """Say whether no node costs more than its parent, as the proofs of near-best results need.

    Examples
    --------
    >>> from discreet.data.hierarchy.tree import Hierarchy
    >>> tree = Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> [is_monotone(tree, node_costs(tree, [97, 1, 1, 1], measure=measure))
    ...  for measure in ("entropy", "plain_entropy")]
    [True, False]
    """
    return bool((costs[:-1] <= costs[hierarchy.parent[:-1]]).all())


def _tree(hierarchy: Hierarchy) -> NDArray[np.float64]:
    depths, n_leaves = hierarchy.depths, hierarchy.n_leaves
    short = np.flatnonzero(depths[:n_leaves] != hierarchy.depth)
    if len(short):
        of = "" if hierarchy.name is None else f" of column '{hierarchy.name}'"
        leaf = int(short[0])
        raise HierarchyError(
            f"The tree measure needs a balanced hierarchy, but in the one{of} the value "
            f"{hierarchy.leaves[leaf]!r} is {depths[leaf]} steps below the root and others are "
            f"{hierarchy.depth}.",
            remedy="Use {measure}.",
            options={"measure": "lm"},
        )
    return (hierarchy.depth - depths) / max(hierarchy.depth, 1)


def _entropy(
    hierarchy: Hierarchy, counts: ArrayLike | None, *, of_share: bool
) -> NDArray[np.float64]:
    if counts is None:
        raise ParameterError(
            "The entropy measures need {counts}, the rows at each leaf.",
            parameter="counts",
            options={"counts": ...},
        )
    at_leaf = np.asarray(counts)
    if at_leaf.shape != (hierarchy.n_leaves,) or (at_leaf < 0).any():
        raise ParameterError(
            f"counts has shape {at_leaf.shape}; it needs one number, at least 0, for each of the "
            f"{hierarchy.n_leaves} leaves.",
            parameter="counts",
        )
    rows = np.zeros(hierarchy.n_nodes)
    rows[: hierarchy.n_leaves] = at_leaf
    terms = _x_log_x(rows)
    for node, parent in enumerate(hierarchy.parent[:-1].tolist()):  # children before parents
        rows[parent] += rows[node]
        terms[parent] += terms[node]
    bits = _x_log_x(rows) - terms  # |B| H(X|B), exactly 0 where one value occurs
    return bits / max(rows[-1], 1) if of_share else bits / np.maximum(rows, 1)


def _x_log_x(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    return rows * np.log2(np.maximum(rows, 1))
