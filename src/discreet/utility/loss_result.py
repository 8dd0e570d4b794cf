"""The loss of a generalized table, as a result: by cell, column and row, with its assumption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.data.frames.export import as_kind
from discreet.result import Preview, Result
from discreet.utility.node_costs import CELL_MEASURES, CellMeasure
from discreet.utility.record_costs import RECORD_MEASURES, RecordMeasure

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.data.frames.kinds import FrameKind

Measure: TypeAlias = CellMeasure | RecordMeasure
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
    n_lost : int
        Rows of the original that the release has not; they count as suppressed.
    by_row : array of float
        Cost of each row of the original: the sum of its cells, if the measure has cells.
    cells : array of float, rows by columns, or None
        Cost of each cell; None for measures of whole records.
    """

    measure: Measure
    columns: tuple[str, ...]
    n_lost: int
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
        lost = f"; {self.n_lost:,} rows are lost and count as suppressed" if self.n_lost else ""
        return (
            f"{TITLES[self.measure]}: {number} over {self.n_rows:,} rows and "
            f"{len(self.columns):,} columns{lost}."
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
        """Return the figures as plain values; single rows and cells are left out."""
        by_column = [None] * len(self.columns) if self.by_column is None else self.by_column
        return {
            "measure": self.measure,
            "value": self.value,
            "total": self.total,
            "mean": self.mean,
            "n_rows": self.n_rows,
            "n_lost": self.n_lost,
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
