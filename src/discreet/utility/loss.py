"""How much a generalized table no longer tells, by any of the usual measures.

Some measures add up over cells and some look at whole records; only for the first kind, and
only if they never fall when a group grows, can an algorithm promise to be near the best.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, did_you_mean
from discreet.utility import record_costs
from discreet.utility.generalized import generalized_rows
from discreet.utility.loss_result import MEASURES, Loss
from discreet.utility.node_costs import CELL_MEASURES, node_costs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.utility.generalized import GeneralizedRows
    from discreet.utility.loss_result import Measure
    from discreet.utility.node_costs import CellMeasure


def loss(
    original: Table,
    release: Table,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    measure: Measure = "lm",
    label: str | None = None,
    columns: Iterable[str] | None = None,
    rows: ArrayLike | None = None,
) -> Loss:
    r"""Return how much a generalized table no longer tells of the original.

    .. math::
        \Pi(D, g(D)) = \frac{1}{n r} \sum_{i=1}^n \sum_{j=1}^r c_j(\bar R_i(j))
        \quad \text{or} \quad
        \Pi(D, g(D)) = \frac{1}{n} \sum_{i=1}^n c(\bar R_i)

    where the original :math:`D` has :math:`n` rows and :math:`r` columns, :math:`\bar R_i(j)`
    is the node shown in row :math:`i` and column :math:`j`, and the cost is that of a cell
    (:func:`~discreet.utility.node_costs.node_costs`) or of a whole record
    (``discreet.utility.record_costs``). Suppression and discernibility are sums, not means.

    Parameters
    ----------
    original : Table
        What the release was made from.
    release : Table
        Its values are labels of nodes; None and ``*`` are suppressed cells.
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy; the values of other columns are kept or suppressed.
    measure : str
        ``lm``, ``tree`` (balanced hierarchies only), ``suppression``, ``entropy`` (the monotone
        one), ``plain_entropy``; or, of records, ``ambiguity``, ``discernibility``,
        ``classification``.
    label : str, optional
        The column of the original that ``classification`` looks at; it is not generalized.
    columns : iterable of str, optional
        The columns to compare, by default the quasi-identifiers of the original but ``label``.
    rows : array, optional
        For each row of the release its position in the original, or one boolean for each row of
        the original saying whether it was kept. By default all rows, in the same order.

    Returns
    -------
    Loss
        By cell, column and row. Rows of the original that the release has not count as
        suppressed.

    Raises
    ------
    DataError
        If a released cell is no generalization of the original one, or rows were lost and
        ``rows`` does not say which.
    HierarchyError
        If a value is not in its hierarchy, or the tree measure meets an unbalanced one.
    ParameterError
        If an option does not fit the tables or another option.

    Notes
    -----
    Time and memory grow with the number of cells. No guarantee: the figures are exact and
    describe the original. ``assumption`` of the result says what a proof that an algorithm is
    near the best needs of the measure: lm, tree, suppression and entropy have it; the lemma
    that any measure is sub-additive is wrong for ambiguity, discernibility, classification.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, chapter 3,
    equation (3.1) and definition 3.2.2; lemma 4.1.1, which holds for sums over columns only.

    Examples
    --------
    >>> import discreet as dc
    >>> jobs = dc.Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder"]}})
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["cook", "baker", "coder"]})
    >>> release = dc.Table.from_frame({"sex": ["f", "f", "*"], "job": ["food", "food", "*"]})
    >>> loss(people, release, hierarchies={"job": jobs})
    Loss(LM loss: 0.5000 over 3 rows and 2 columns.)
    >>> loss(people, release, hierarchies={"job": jobs}, measure="discernibility").total
    7.0
    """
    if measure not in MEASURES:
        raise ParameterError(
            f"measure={measure!r} is not a measure of loss. {did_you_mean(measure, MEASURES)}"
        )
    if (label is None) == (measure == "classification"):
        raise ParameterError("Give label=, a column, with measure='classification' and only then.")
    if label is not None:
        original.column(label)
    chosen = (
        [name for name in original.quasi if name != label] if columns is None else list(columns)
    )
    if not chosen:
        raise ParameterError("There is no column to compare: give columns=.")
    matched = generalized_rows(
        original, release, hierarchies=hierarchies, columns=chosen, rows=rows
    )
    cells = None
    if measure in CELL_MEASURES:
        cells = _cells(matched, measure)
        by_row = cells.sum(axis=1)
    elif measure == "ambiguity":
        by_row = record_costs.ambiguity(matched)
    elif measure == "discernibility":
        by_row = record_costs.discernibility(matched)
    else:
        of = original.column(str(label))
        by_row = record_costs.classification(
            matched, labels=of.codes.astype(np.int64), n_labels=len(of.values)
        )
    return Loss(
        measure=measure,
        columns=matched.columns,
        n_lost=int(matched.is_lost.sum()),
        by_row=by_row,
        cells=cells,
    )


def _cells(rows: GeneralizedRows, measure: CellMeasure) -> NDArray[np.float64]:
    cells = np.zeros(rows.nodes.shape)
    for place, tree in enumerate(rows.hierarchies):
        counts = np.bincount(rows.leaves[:, place], minlength=tree.n_leaves)
        cells[:, place] = node_costs(tree, counts, measure=measure)[rows.nodes[:, place]]
    return cells
