"""Measures of loss that look at whole records: ambiguity, discernibility, classification.

They are not sums over columns, so no algorithm that promises to be near the best can promise
it for them: two groups with a common record may cost far more together than both apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.utility.generalized import GeneralizedRows

RecordMeasure: TypeAlias = Literal["ambiguity", "discernibility", "classification"]
RECORD_MEASURES: tuple[RecordMeasure, ...] = get_args(RecordMeasure)


def ambiguity(rows: GeneralizedRows) -> NDArray[np.float64]:
    r"""Return for each row how many combinations of values it may stand for.

    .. math:: \text{AM}_i = \prod_j |\bar R_i(j)|

    where :math:`|\bar R_i(j)|` counts the leaves under the node shown in column :math:`j`.
    Kenig (2009), section 3.1. Products beyond the largest float are infinite.
    """
    sizes = np.ones(rows.nodes.shape)
    for place, tree in enumerate(rows.hierarchies):
        sizes[:, place] = tree.leaf_counts[rows.nodes[:, place]]
    with np.errstate(over="ignore"):
        product: NDArray[np.float64] = sizes.prod(axis=1)
    return product


def discernibility(rows: GeneralizedRows) -> NDArray[np.float64]:
    r"""Return for each row how many rows nobody can tell from it; all rows if suppressed.

    .. math:: \text{DM}_i = |D| \text{ if suppressed, else } |S(\bar R_i)|

    where :math:`S(\bar R_i)` are the rows that show the same nodes. Kenig (2009), section 3.1,
    where the sum counts :math:`|D|` once for each suppressed cluster; it is once for each
    suppressed record.
    """
    class_of = _classes(rows)
    sizes = np.bincount(class_of)[class_of] if len(class_of) else class_of
    return np.where(rows.is_suppressed, float(len(class_of)), sizes)


def classification(
    rows: GeneralizedRows, *, labels: NDArray[np.integer], n_labels: int
) -> NDArray[np.float64]:
    r"""Return 1 for each row that is suppressed or not of its class's most frequent label.

    .. math::
        \text{CM}_i = [\bar R_i \text{ suppressed or }
        \text{label}_i \ne \text{majority}(S(\bar R_i))]

    where :math:`S(\bar R_i)` are the rows that show the same nodes; of labels equally frequent
    the first is the majority. Kenig (2009), section 3.1.
    """
    class_of = _classes(rows)
    width = max(n_labels, 1)
    pairs, counts = np.unique(class_of * width + labels, return_counts=True)
    order = np.lexsort((pairs % width, -counts, pairs // width))
    best = order[np.unique(pairs[order] // width, return_index=True)[1]]
    majority = pairs[best] % width
    penalized: NDArray[np.bool_] = rows.is_suppressed | (labels != majority[class_of])
    return penalized.astype(np.float64)


def _classes(rows: GeneralizedRows) -> NDArray[np.int64]:
    """Return the class of each row; rows with the same nodes are alike, lost ones too."""
    keys = np.column_stack([rows.nodes, rows.is_lost]).astype(np.int32)
    return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
