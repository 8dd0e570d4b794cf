"""Settings side by side: what each would hide, lose and leave at risk."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from discreet.result import Preview, Result

if TYPE_CHECKING:
    import altair as alt

BAR = 8  # characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What a method costs at one size of class.

    Attributes
    ----------
    k : int
        The size of class.
    n_released, n_lost : int
        Rows released and rows left out.
    suppressed_rate : float, optional
        Share of the released cells that are hidden; None if rows cannot be told.
    loss_rate : float, optional
        Share of the original's cells that are hidden, generalized or in a lost row.
    loss : float, optional
        Of a method that generalizes: the mean loss of a cell, by the method's measure.
    smallest_class : int
        Rows of the smallest class that is released; 0 without rows.
    n_unique : int
        Released rows like no other.
    mean_risk : float
        Mean chance that a prosecutor finds the right row in the release.
    seconds : float
        How long it took.
    """

    k: int
    n_released: int
    n_lost: int
    suppressed_rate: float | None
    loss_rate: float | None
    smallest_class: int
    n_unique: int
    mean_risk: float
    seconds: float
    loss: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Result):
    """A method at several settings, beside the original; not for publication.

    Attributes
    ----------
    method : str
        The method.
    columns : tuple of str
        The columns that the claim covers and the risk is measured in.
    n_rows, n_unique : int
        Rows of the original, and how many are like no other.
    mean_risk : float
        Mean chance that a prosecutor finds the right row in the original.
    settings : tuple of Setting
        By k.
    """

    method: str
    columns: tuple[str, ...]
    n_rows: int
    n_unique: int
    mean_risk: float
    settings: tuple[Setting, ...]

    @property
    def sentence(self) -> str:
        """The original in one plain sentence."""
        return (
            f"Before: {self.n_unique:,} of {self.n_rows:,} rows "
            f"({self.n_unique / max(self.n_rows, 1):.1%}) are like no other; who knows somebody's "
            f"{len(self.columns)} values finds the row with a chance of {self.mean_risk:.1%} on "
            "average."
        )

    def __repr__(self) -> str:
        sizes = ", ".join(str(each.k) for each in self.settings)
        return f"Plan of {self.method} for k = {sizes}. {self.sentence}"

    def preview(self) -> Preview:
        """Return one row for each setting, with a bar for what is lost."""
        generalizes = any(each.loss is not None for each in self.settings)
        rows = [
            (
                str(each.k),
                f"{each.loss:.4f}" if each.loss is not None else _share(each.suppressed_rate),
                f"{each.n_lost:,}",
                _share(each.loss_rate),
                _bar(each.loss_rate),
                f"{each.smallest_class:,}",
                f"{each.n_unique:,}",
                f"{each.mean_risk:.2%}",
                f"{each.seconds:.2f}",
            )
            for each in self.settings
        ]
        header = (
            "k", "loss" if generalizes else "hidden", "rows lost",
            "cells changed" if generalizes else "lost in all", "", "least class", "unique", "risk",
            "s",
        )  # fmt: skip
        return Preview(title=f"{self.method}. {self.sentence}", header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "method": self.method,
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "n_unique": self.n_unique,
            "mean_risk": self.mean_risk,
            "settings": [asdict(each) for each in self.settings],
        }

    def plot(self) -> alt.LayerChart:
        """Return a chart of loss and risk by k."""
        import altair as alt
        import polars as pl

        frame = pl.DataFrame(
            [
                {"k": each.k, "share": share, "of": what}
                for each in self.settings
                for what, share in (
                    ("cells hidden or in lost rows", each.loss_rate if each.loss is None else None),
                    ("mean loss of a cell", each.loss),
                    ("mean risk of a released row", each.mean_risk),
                )
                if share is not None
            ],
            schema={"k": pl.Int64, "share": pl.Float64, "of": pl.String},
        )
        lines = alt.Chart(frame, title=f"{self.method}: what is lost, what is left at risk").encode(
            x=alt.X("k:O", title="k"),
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%")),
            color=alt.Color("of:N", title=None),
        )
        chart: alt.LayerChart = lines.mark_line() + lines.mark_point(filled=True)
        return chart


def _share(rate: float | None) -> str:
    """Return a share in per cent."""
    return "" if rate is None else f"{rate:.1%}"


def _bar(rate: float | None) -> str:
    """Return a bar of blocks for a share."""
    if rate is None:
        return ""
    filled = min(BAR, round(rate * BAR))
    return "█" * filled + "░" * (BAR - filled)
