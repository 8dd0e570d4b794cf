"""Which cells of a release are no longer what they were.

A cell is suppressed if the release has none where the original has a value, and changed if it
has another value. Rows that were dropped are counted apart, because they take whole people away.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.result import Preview, Result
from discreet.utility.pairs import match_rows, pair_columns, released

if TYPE_CHECKING:
    import altair as alt
    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import FrameKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellsChanged(Result):
    """Cells suppressed and changed, by column and by row, and suppressed records.

    Attributes
    ----------
    columns : tuple of str
        The columns compared.
    n_rows, n_released : int
        Rows of the original and of the release.
    suppressed_by_column, changed_by_column : array of int
        Cells of each column.
    suppressed_by_row, changed_by_row : array of int
        Cells of each row of the release.
    suppressed_together : array of int, columns by number of cells
        Entry ``[c, j]`` counts the rows with exactly ``j`` suppressed cells, column ``c`` among
        them.
    """

    columns: tuple[str, ...]
    n_rows: int
    n_released: int
    suppressed_by_column: NDArray[np.int64]
    changed_by_column: NDArray[np.int64]
    suppressed_by_row: NDArray[np.int64]
    changed_by_row: NDArray[np.int64]
    suppressed_together: NDArray[np.int64]

    @property
    def n_suppressed_records(self) -> int:
        """Records of the original that the release does not have."""
        return self.n_rows - self.n_released

    @property
    def n_suppressed(self) -> int:
        """Suppressed cells."""
        return int(self.suppressed_by_column.sum())

    @property
    def n_changed(self) -> int:
        """Cells that show another value."""
        return int(self.changed_by_column.sum())

    @property
    def suppressed_rate(self) -> float:
        """Share of the release's cells that are suppressed; 0 if it has no cells."""
        return self.n_suppressed / max(self.n_released * len(self.columns), 1)

    @property
    def changed_rate(self) -> float:
        """Share of the release's cells that show another value; 0 if it has no cells."""
        return self.n_changed / max(self.n_released * len(self.columns), 1)

    @property
    def loss_rate(self) -> float:
        """Share of the original's cells that are suppressed, changed or in a suppressed record."""
        lost = self.n_suppressed + self.n_changed + self.n_suppressed_records * len(self.columns)
        return lost / max(self.n_rows * len(self.columns), 1)

    @property
    def rows_by_suppressed(self) -> tuple[int, ...]:
        """How many rows of the release have 0, 1, 2, ... suppressed cells."""
        counts = np.bincount(self.suppressed_by_row, minlength=len(self.columns) + 1)
        return tuple(counts.tolist())

    @property
    def sentence(self) -> str:
        """The loss in one or two plain sentences."""
        return (
            f"{self.n_suppressed:,} of {self.n_released * len(self.columns):,} released cells "
            f"({self.suppressed_rate:.2%}) are suppressed and {self.n_changed:,} "
            f"({self.changed_rate:.2%}) changed; {self.n_suppressed_records:,} of "
            f"{self.n_rows:,} records are suppressed."
        )

    def __repr__(self) -> str:
        return f"CellsChanged({self.sentence})"

    def preview(self) -> Preview:
        """Return one row for each column, those that lost most first."""
        n_rows = max(self.n_released, 1)
        rows = [
            (name, f"{suppressed:,}", f"{changed:,}", f"{(suppressed + changed) / n_rows:.2%}")
            for name, suppressed, changed in sorted(
                self._by_column(), key=lambda column: -(column[1] + column[2])
            )
        ]
        header = ("column", "suppressed", "changed", "share of rows")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return counts, shares and histograms as plain values, without single rows."""
        return {
            "n_rows": self.n_rows,
            "n_released": self.n_released,
            "n_suppressed_records": self.n_suppressed_records,
            "n_suppressed": self.n_suppressed,
            "n_changed": self.n_changed,
            "suppressed_rate": self.suppressed_rate,
            "changed_rate": self.changed_rate,
            "loss_rate": self.loss_rate,
            "columns": [
                {"name": name, "n_suppressed": suppressed, "n_changed": changed}
                for name, suppressed, changed in self._by_column()
            ],
            "rows_by_suppressed": list(self.rows_by_suppressed),
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each column: cells suppressed, changed, and shares."""
        import polars as pl

        n_rows = max(self.n_released, 1)
        frame = pl.DataFrame(
            {
                "column": pl.Series(self.columns, dtype=pl.String),
                "n_suppressed": self.suppressed_by_column,
                "n_changed": self.changed_by_column,
                "suppressed_rate": self.suppressed_by_column / n_rows,
                "changed_rate": self.changed_by_column / n_rows,
            }
        )
        return as_kind(frame, kind)

    def plot(self) -> alt.Chart:
        """Return a heat map: in which column, and together with how many others, cells went."""
        import altair as alt
        import polars as pl

        n_columns = len(self.columns)
        frame = pl.DataFrame(
            {
                "column": pl.Series(np.repeat(self.columns, n_columns), dtype=pl.String),
                "suppressed cells in the row": np.tile(np.arange(n_columns) + 1, n_columns),
                "rows": self.suppressed_together[:, 1:].reshape(-1),
            }
        )
        chart: alt.Chart = alt.Chart(frame).mark_rect()
        return chart.encode(
            x="suppressed cells in the row:O",
            y=alt.Y("column:N", sort=list(self.columns)),
            color="rows:Q",
            tooltip=["column", "suppressed cells in the row", "rows"],
        )

    def _by_column(self) -> list[tuple[str, int, int]]:
        counts = (self.suppressed_by_column.tolist(), self.changed_by_column.tolist())
        return list(zip(self.columns, *counts, strict=True))


def cells_changed(
    original: object, release: object, *, rows: ArrayLike | None = None
) -> CellsChanged:
    r"""Return which cells of a release are suppressed or changed, and the suppressed records.

    .. math::
        S_c = |\{ i : \tilde t_{i,c} = * \ne t_{r(i),c} \}|, \qquad
        C_c = |\{ i : * \ne \tilde t_{i,c} \ne t_{r(i),c} \}|, \qquad
        \text{loss} = \frac{\sum_c (S_c + C_c) + n (m - \tilde m)}{n \, m}

    where :math:`t` is the original with :math:`m` rows and :math:`n` columns, :math:`\tilde t`
    the release with :math:`\tilde m` rows, :math:`r(i)` the row of the original that row
    :math:`i` of the release came from, and :math:`*` a missing or suppressed cell (None).

    Parameters
    ----------
    original : Table or frame
        What the release was made from. Identifying columns are ignored.
    release : Release, Table or frame
        What is published: the same columns in any order, values in any coding. A release in
        memory knows its rows.
    rows : array, optional
        For each row of the release its position in the original, or one boolean for each row of
        the original saying whether it was kept. By default all rows, in the same order.

    Returns
    -------
    CellsChanged
        Counts by column and by row. A value that appears where the original has none (an
        imputed cell) counts as changed; a cell missing in both as neither.

    Raises
    ------
    DataError
        If the columns do not agree, or rows were suppressed and ``rows`` does not say which.
    ParameterError
        If ``rows`` does not fit the tables.

    Notes
    -----
    Time and memory grow with the number of cells. No guarantee: the figures are exact, describe
    the original, and are not for publication as they stand.

    References
    ----------
    J.S. ten Tusscher (2024), Privacy preservation on categorical datasets through Minimal
    Infrequent Itemset suppression, tables 4.3 and 4.4: ``suppressed_rate`` is their *s* and
    ``n_released`` their :math:`\tilde m`.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "b", "b"]})
    >>> release = dc.Table.from_frame({"sex": ["f", None], "job": ["a", "c"]})
    >>> print(cells_changed(people, release, rows=[0, 2]).sentence)
    1 of 4 released cells (25.00%) are suppressed and 1 (25.00%) changed; 1 of 3 records are
    suppressed.
    """
    original = as_table(original)
    release, rows = released(release, rows=rows)
    pairs = pair_columns(original, release)
    matched = match_rows(rows, original=original, release=release)
    suppressed = np.zeros((len(pairs), len(matched)), bool)
    changed = np.zeros_like(suppressed)
    for place, pair in enumerate(pairs):
        differs = pair.original[matched] != pair.release
        suppressed[place] = differs & (pair.release == pair.suppressed)
        changed[place] = differs & (pair.release != pair.suppressed)
    by_row = suppressed.sum(axis=0)
    together = [np.bincount(by_row[cells], minlength=len(pairs) + 1) for cells in suppressed]
    return CellsChanged(
        columns=tuple(pair.name for pair in pairs),
        n_rows=original.n_rows,
        n_released=release.n_rows,
        suppressed_by_column=suppressed.sum(axis=1),
        changed_by_column=changed.sum(axis=1),
        suppressed_by_row=by_row,
        changed_by_row=changed.sum(axis=0),
        suppressed_together=np.array(together, np.int64).reshape(len(pairs), len(pairs) + 1),
    )
