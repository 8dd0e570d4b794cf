"""The information that generalization loses, by any of the usual measures.

Some measures add up over cells and some look at whole records; only for the first kind, and
only if they never fall when a group grows, can an algorithm promise to be near the best.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from discreet import checks
from discreet.data.frames import as_kind
from discreet.data.hierarchy.check import encode_column
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.table import as_table
from discreet.errors import DataError, HierarchyError, ParameterError, did_you_mean
from discreet.release.release import Release
from discreet.result import Preview, Result
from discreet.utility.node_costs import CELL_MEASURES, CellMeasure, node_costs
from discreet.utility.pairs import match_rows, released

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import FrameKind, Label
    from discreet.data.table import Table


def loss(
    original: object,
    release: object,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    measure: Measure = "lm",
    label: str | None = None,
    columns: Iterable[str] | None = None,
    rows: ArrayLike | None = None,
) -> Loss:
    r"""Return how much information a generalized table lost.

    .. math::
        \Pi(D, g(D)) = \frac{1}{n r} \sum_{i=1}^n \sum_{j=1}^r c_j(\bar R_i(j))
        \quad \text{or} \quad
        \Pi(D, g(D)) = \frac{1}{n} \sum_{i=1}^n c(\bar R_i)

    where the original :math:`D` has :math:`n` rows and :math:`r` columns, :math:`\bar R_i(j)`
    is the node shown in row :math:`i` and column :math:`j`, and the cost is that of a cell
    (:func:`~discreet.utility.node_costs.node_costs`) or of a whole record
    (``discreet.utility.loss``). Suppression and discernibility are sums, not means.

    Parameters
    ----------
    original : Table or frame
        What the release was made from.
    release : Release, Table or frame
        Its values are labels of nodes; None and ``*`` are suppressed cells.
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy, by default those of the release; the values of other columns are
        kept or suppressed.
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
        If a released cell is no generalization of the original one, or rows were suppressed and
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
    original = as_table(original)
    if hierarchies is None and isinstance(release, Release):
        hierarchies = release.trees()
    release, rows = released(release, rows=rows)
    checks.one_of("measure", measure, MEASURES)
    if (label is None) == (measure == "classification"):
        raise ParameterError(
            "Give {label}, a column, with {measure} and only then.",
            parameter="label",
            options={"label": ..., "measure": "classification"},
        )
    if label is not None:
        original.column(label)
    chosen = (
        [name for name in original.quasi if name != label] if columns is None else list(columns)
    )
    if not chosen:
        raise ParameterError(
            "There is no column to compare: give {columns}.",
            parameter="columns",
            options={"columns": ...},
        )
    matched = generalized_rows(
        original, release, hierarchies=hierarchies, columns=chosen, rows=rows
    )
    cells = None
    if measure in CELL_MEASURES:
        cells = _cells(matched, measure)
        by_row = cells.sum(axis=1)
    elif measure == "ambiguity":
        by_row = ambiguity(matched)
    elif measure == "discernibility":
        by_row = discernibility(matched)
    else:
        of = original.column(str(label))
        by_row = classification(matched, labels=of.codes.astype(np.int64), n_labels=len(of.values))
    return Loss(
        measure=measure,
        columns=matched.columns,
        n_suppressed_records=int(matched.is_lost.sum()),
        by_row=by_row,
        cells=cells,
    )


def _cells(rows: GeneralizedRows, measure: CellMeasure) -> NDArray[np.float64]:
    cells = np.zeros(rows.nodes.shape)
    for place, tree in enumerate(rows.hierarchies):
        counts = np.bincount(rows.leaves[:, place], minlength=tree.n_leaves)
        cells[:, place] = node_costs(tree, counts, measure=measure)[rows.nodes[:, place]]
    return cells


# Measures of loss that look at whole records: ambiguity, discernibility, classification.
#
# They are not sums over columns, so no algorithm that promises to be near the best can promise
# it for them: two groups with a common record may cost far more together than both apart.

RecordMeasure: TypeAlias = Literal["ambiguity", "discernibility", "classification"]


# The loss of a generalized table, as a result: by cell, column and row, with its assumption.

Measure: TypeAlias = CellMeasure | RecordMeasure

RECORD_MEASURES: tuple[RecordMeasure, ...] = get_args(RecordMeasure)

MEASURES: tuple[str, ...] = (*CELL_MEASURES, *RECORD_MEASURES)

TITLES = {
    "lm": "LM loss",
    "tree": "Tree loss",
    "suppression": "Suppressed cells",
    "entropy": "Monotone entropy loss in bits",
    "plain_entropy": "Entropy loss in bits",
    "ambiguity": "Ambiguity",
    "discernibility": "Discernibility",
    "classification": "Classification loss",
}

_SUMMED = ("suppression", "discernibility")  # customarily given as a total

_ADDITIVE = (
    "An algorithm's promise to be near the best needs nested groups and costs that are not "
    "negative, add up over columns and never fall when a group grows: all hold."
)

_NOT_MONOTONE = (
    "No promise to be near the best: this entropy can fall when a group grows. It would need a "
    "hierarchy on which it does not; the measure 'entropy' never falls."
)

_NOT_ADDITIVE = (
    "No promise to be near the best: it would need costs that add up over columns, and these do "
    "not."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Loss(Result):
    """The loss of a generalized table: by cell, by column, by row and in all.

    Attributes
    ----------
    measure : str
        The measure.
    columns : tuple of str
        The columns compared.
    n_suppressed_records : int
        Rows of the original that the release has not; they count as suppressed.
    by_row : array of float
        Cost of each row of the original: the sum of its cells, if the measure has cells.
    cells : array of float, rows by columns, or None
        Cost of each cell; None for measures of whole records.
    """

    measure: Measure
    columns: tuple[str, ...]
    n_suppressed_records: int
    by_row: NDArray[np.float64]
    cells: NDArray[np.float64] | None

    @property
    def n_rows(self) -> int:
        """Rows of the original."""
        return len(self.by_row)

    @property
    def by_column(self) -> NDArray[np.float64] | None:
        """Mean cost of a cell of each column; None for measures of whole records."""
        if self.cells is None:
            return None
        sums: NDArray[np.float64] = self.cells.sum(axis=0)
        return sums / max(self.n_rows, 1)

    @property
    def total(self) -> float:
        """Sum over all cells or records; for LM, the ANON cost of the clustering."""
        return float(self.by_row.sum())

    @property
    def mean(self) -> float:
        """Mean over all cells or records; 0 if there are none."""
        per_row = 1 if self.cells is None else len(self.columns)
        return self.total / max(self.n_rows * per_row, 1)

    @property
    def value(self) -> float:
        """The measure as it is customarily given: a total for suppression and discernibility."""
        return self.total if self.measure in _SUMMED else self.mean

    @property
    def assumption(self) -> str:
        """What a promise to be near the best needs, and whether this measure has it."""
        if self.measure in RECORD_MEASURES:
            return _NOT_ADDITIVE
        return _NOT_MONOTONE if self.measure == "plain_entropy" else _ADDITIVE

    @property
    def sentence(self) -> str:
        """The loss in one plain sentence."""
        number = f"{self.value:,.0f}" if self.measure in _SUMMED else f"{self.value:,.4f}"
        n = self.n_suppressed_records
        suppressed = f"; {n:,} records are suppressed" if n else ""
        return (
            f"{TITLES[self.measure]}: {number} over {self.n_rows:,} rows and "
            f"{len(self.columns):,} columns{suppressed}."
        )

    def __repr__(self) -> str:
        return f"Loss({self.sentence})"

    def preview(self) -> Preview:
        """Return one row for each column, the costliest first; of record measures, the figure."""
        if self.by_column is None:
            rows = [("all", f"{self.mean:.4f}")]
        else:
            pairs = zip(self.columns, self.by_column.tolist(), strict=True)
            rows = [(name, f"{cost:.4f}") for name, cost in sorted(pairs, key=lambda p: -p[1])]
        return Preview(title=self.sentence, header=("column", "mean cost"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the figures as plain values, without single rows and cells."""
        by_column = [None] * len(self.columns) if self.by_column is None else self.by_column
        return {
            "measure": self.measure,
            "value": self.value,
            "total": self.total,
            "mean": self.mean,
            "n_rows": self.n_rows,
            "n_suppressed_records": self.n_suppressed_records,
            "assumption": self.assumption,
            "columns": [
                {"name": name, "mean": None if cost is None else float(cost)}
                for name, cost in zip(self.columns, by_column, strict=True)
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each column and its mean cost."""
        import polars as pl

        costs = pl.Series(self.by_column if self.by_column is not None else [], dtype=pl.Float64)
        names = self.columns if self.by_column is not None else ()
        return as_kind(
            pl.DataFrame({"column": pl.Series(names, dtype=pl.String), "mean_cost": costs}), kind
        )


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
    r"""Return for each row the size of its class; all rows if suppressed.

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


# An original and its generalized release as nodes of hierarchies, row by row.
#
# Labels are looked up among the nodes above the original value only, so that what a label says
# is never interpreted and equal labels in different branches stay distinct.


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
        """Which rows show nothing: lost, or at the root wherever a column has several values."""
        varied = [place for place, tree in enumerate(self.hierarchies) if tree.n_leaves > 1]
        roots = [self.hierarchies[place].root for place in varied]
        if not varied:
            return self.is_lost
        at_root: NDArray[np.bool_] = (self.nodes[:, varied] == roots).all(axis=1)
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
            raise ParameterError(
                f"hierarchies names {name!r}, which is no column.",
                parameter="hierarchies",
                remedy=hint,
            )
    for name in names:
        if name not in release.columns:
            hint = did_you_mean(name, release.columns)
            raise DataError(
                f"The release has no column '{name}', which the original has.",
                column=name,
                remedy=hint,
            )
    matched = match_rows(rows, original=original, release=release)
    trees = tuple(given.get(name) or _flat(original.values(name)) for name in names)
    leaves = np.zeros((original.n_rows, len(names)), np.int32)
    nodes = np.zeros_like(leaves)
    for place, (name, tree) in enumerate(zip(names, trees, strict=True)):
        leaves[:, place] = encode_column(tree, original, name)[original.codes(name)]
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
    path = tree.labelled(leaf)
    found = list(dict.fromkeys(node for shown, node in path if _reads(shown, label)))
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
        f"{where}: {label!r} is not a generalization of {value!r}, which the original has.",
        remedy=(
            f"Known: {', '.join(repr(shown) for shown, _ in path)}. Give "
            "{rows} if rows were moved."
        ),
        options={"rows": ...},
    )


def _reads(node_label: Label, label: Label) -> bool:
    """Say whether a released label is that of a node; numbers may have become text."""
    return node_label == label or (node_label is not None and str(node_label) == label)
