"""Closed generalized itemsets: the tightest description of every large enough group.

An itemset has one hierarchy node for each column. It is closed if it is the closure of the
rows it covers: in each column the lowest node above all their values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _native, checks
from discreet.data.frames import as_kind
from discreet.data.hierarchy.check import encode_column
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.table import as_table
from discreet.errors import ParameterError, did_you_mean
from discreet.limits import search
from discreet.mine.database import table_columns
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GeneralizedItemsets(Result):
    """Generalized itemsets: ``nodes[i, j]`` is the node of column ``j`` in itemset ``i``."""

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    nodes: NDArray[np.int32]
    supports: NDArray[np.int64]
    n_rows: int

    def __len__(self) -> int:
        return len(self.supports)

    def __repr__(self) -> str:
        return f"GeneralizedItemsets({len(self):,} closed, from {self.n_rows:,} rows)"

    def in_words(self, index: int) -> dict[str, str]:
        """Return one itemset as a mapping of columns to node labels."""
        return {
            column: str(tree.labels[node])
            for column, tree, node in zip(
                self.columns, self.hierarchies, self.nodes[index], strict=True
            )
        }

    def preview(self) -> Preview:
        """Return the first ten itemsets."""
        rows = [
            (*self.in_words(i).values(), f"{self.supports[i]:,}") for i in range(min(10, len(self)))
        ]
        return Preview(title=repr(self), header=(*self.columns, "support"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return n_itemsets, n_rows and the itemsets as text."""
        return {
            "kind": "generalized closed",
            "n_itemsets": len(self),
            "n_rows": self.n_rows,
            "itemsets": [
                {"nodes": self.in_words(i), "support": int(self.supports[i])}
                for i in range(len(self))
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one column of node labels for each column, and ``support``."""
        import polars as pl

        labels = {
            column: pl.Series(np.array(tree.labels, dtype=str)[self.nodes[:, place]])
            for place, (column, tree) in enumerate(zip(self.columns, self.hierarchies, strict=True))
        }
        return as_kind(pl.DataFrame({**labels, "support": self.supports}), kind)


def generalized_closed(
    table: object,
    hierarchies: Mapping[str, Hierarchy],
    *,
    k: int,
    columns: Iterable[str] | None = None,
    **limits: Unpack[Limits],
) -> GeneralizedItemsets:
    r"""Return the closed generalized itemsets that cover at least ``k`` rows.

    .. math:: \{ X = \mathrm{cl}(\mathrm{rows}(X)) : |\mathrm{rows}(X)| \ge k \}

    where :math:`\mathrm{rows}(X)` are the rows whose value lies under the node of :math:`X` in
    every column and :math:`\mathrm{cl}(S)` has in each column the lowest node above all
    values of :math:`S`. Equivalently: no proper specialization has the same support.

    Parameters
    ----------
    table : Table or frame
        The table.
    hierarchies : mapping of str to Hierarchy
        One for each column used; a column without one can only be kept or suppressed whole
        (:meth:`Hierarchy.flat`).
    k : int
        Least number of rows, at least 1.
    columns : iterable of str, optional
        Columns to use; all but the identifying ones by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    GeneralizedItemsets
        By falling support, then by node numbers.

    Raises
    ------
    HierarchyError
        If a value of the table is not a leaf of its hierarchy.
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    Notes
    -----
    Each itemset is reached once, by prefix-preserving closure extension, so that no table of
    visited itemsets is needed.

    References
    ----------
    B. Kenig (2009), Practical Approximation Algorithms for Optimal k-Anonymity, definition of
    closed generalized itemsets in chapter 7 and algorithm 17.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["cook", "cook", "baker"]})
    >>> food = dc.Hierarchy.from_mapping({"food": ["cook", "baker"]})
    >>> found = dc.mine.generalized_closed(people, {"job": food}, k=2)
    >>> [(found.in_words(i), int(found.supports[i])) for i in range(len(found))]
    [({'sex': '*', 'job': 'food'}, 3), ({'sex': 'f', 'job': 'cook'}, 2)]
    """
    table = as_table(table)
    k = checks.whole("k", k, at_least=1)
    names = table_columns(table, columns)
    for name in hierarchies:
        if name not in table.columns:
            raise ParameterError(
                f"hierarchies names {name!r}, which is no column.",
                parameter="hierarchies",
                remedy=did_you_mean(name, table.columns),
            )
    trees = [hierarchies.get(name) or Hierarchy.flat(table.values(name)) for name in names]
    codes = [table.codes(name).astype(np.uint32) for name in names]
    remedy = "Raise k, use fewer columns or coarser hierarchies"
    with search(f"closed generalized itemsets (k {k:,})", remedy, **limits) as running:
        first, weights, _ = _native.collapse(codes, table.n_rows, running.control, None)
        leaves = [
            encode_column(tree, table, name).astype(np.uint32)[column[first]]
            for tree, name, column in zip(trees, names, codes, strict=True)
        ]
        nodes, supports = _native.generalized_closed(
            [tree.parent for tree in trees], leaves, weights, k, running.control, running.progress
        )
    return GeneralizedItemsets(
        columns=names,
        hierarchies=tuple(trees),
        nodes=nodes,
        supports=supports,
        n_rows=table.n_rows,
    )
