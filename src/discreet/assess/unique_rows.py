"""What is known about the rows that are unlike all others: the result of ``uniqueness``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.frames.export import as_kind
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import altair as alt
    from numpy.typing import NDArray

    from discreet.assess.look import Combination
    from discreet.data.frames.kinds import FrameKind


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uniqueness(Result):
    """Rows that are unlike all others, and what singles them out.

    Attributes
    ----------
    columns : tuple of str
        The columns an attacker may know.
    n_rows : int
        Rows of the table.
    n_special : int
        Special uniques: rows that fewer than all columns single out.
    n_combinations_by_size : tuple of int
        Minimal sample uniques by number of values.
    rows : array of int64
        Positions of the sample uniques; the arrays below go with them.
    scores : array of float64
        SUDA score, larger for rows that are easier to single out.
    dis_scores : array of float64 or None
        Estimated probability that a match with this row is right, if asked for.
    n_combinations : array of int64
        Minimal sample uniques of each row.
    smallest : array of int64
        Values in the smallest of them, 0 if there is none.
    contributions : array of float64, uniques by columns
        Part of the score that goes through each column.
    column_rates : tuple of (str, float)
        Share of all scores that goes through each column; a combination counts for every
        column in it, so they add up to more than 1.
    value_rates : tuple of (str, float)
        The same by value, only values with a share, largest first.
    dis_rate : float or None
        The same probability for the file as a whole.
    combinations : tuple of Combination
        The most dangerous ones, one for each set of columns.
    max_size : int or None
        Most values in a combination.
    """

    columns: tuple[str, ...]
    n_rows: int
    n_special: int
    n_combinations_by_size: tuple[int, ...]
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    dis_scores: NDArray[np.float64] | None
    n_combinations: NDArray[np.int64]
    smallest: NDArray[np.int64]
    contributions: NDArray[np.float64]
    column_rates: tuple[tuple[str, float], ...]
    value_rates: tuple[tuple[str, float], ...]
    dis_rate: float | None
    combinations: tuple[Combination, ...]
    max_size: int | None

    @property
    def n_unique(self) -> int:
        """Number of sample uniques: rows that are like no other row."""
        return len(self.rows)

    def __repr__(self) -> str:
        return f"Uniqueness({self.n_unique:,} of {self.n_rows:,} rows unique)"

    @property
    def sentence(self) -> str:
        """The uniqueness in plain sentences."""
        share = self.n_unique / max(self.n_rows, 1)
        first = f"{self.n_unique:,} of {self.n_rows:,} rows ({share:.1%}) are like no other row."
        if not self.n_special:
            return first
        fewer = (
            f"fewer than all {len(self.columns)} columns"
            if self.max_size is None or self.max_size >= len(self.columns)
            else f"at most {self.max_size} of {len(self.columns)} columns"
        )
        name, rate = max(self.column_rates, key=lambda pair: pair[1])
        return (
            f"{first} {self.n_special:,} of them are singled out by {fewer}; "
            f"{rate:.0%} of the risk goes through '{name}'."
        )

    def row_scores(self) -> NDArray[np.float64]:
        """Return the SUDA score of every row of the table, 0 for those like another."""
        every = np.zeros(self.n_rows)
        every[self.rows] = self.scores
        return every

    def preview(self) -> Preview:
        """Return the ten rows with the highest scores."""
        order = np.argsort(-self.scores, kind="stable")[:10]
        rows = [
            (
                f"{self.rows[i]:,}",
                f"{self.scores[i]:,.6g}",
                f"{self.n_combinations[i]:,}",
                str(self.smallest[i]),
            )
            for i in order
        ]
        header = ("row", "score", "combinations", "fewest values")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all but the scores of single rows, for which see :meth:`to_frame`."""
        return {
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "n_unique": self.n_unique,
            "n_special": self.n_special,
            "max_size": self.max_size,
            "n_combinations_by_size": list(self.n_combinations_by_size),
            "column_rates": dict(self.column_rates),
            "value_rates": dict(self.value_rates),
            "dis_rate": self.dis_rate,
            "combinations": [str(combination) for combination in self.combinations],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with a row for each sample unique, highest score first."""
        import polars as pl

        columns: dict[str, NDArray[np.float64] | NDArray[np.int64]] = {
            "row": self.rows,
            "score": self.scores,
            "n_combinations": self.n_combinations,
            "smallest": self.smallest,
        }
        if self.dis_scores is not None:
            columns["dis_score"] = self.dis_scores
        parts = {f"through {c}": self.contributions[:, j] for j, c in enumerate(self.columns)}
        frame = pl.DataFrame({**columns, **parts})
        return as_kind(frame.sort("score", descending=True, maintain_order=True), kind)

    def plot(self) -> alt.Chart:
        """Return a chart of the share of the risk that goes through each column."""
        import altair as alt
        import polars as pl

        names, rates = zip(*self.column_rates, strict=True)
        frame = pl.DataFrame({"column": list(names), "share of the risk": list(rates)})
        chart: alt.Chart = alt.Chart(frame).mark_bar()
        return chart.encode(x="share of the risk:Q", y=alt.Y("column:N", sort="-x"))
