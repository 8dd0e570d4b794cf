"""What a generalization lost, beside what any would lose."""

from __future__ import annotations

from dataclasses import dataclass

from discreet.result import Preview, Result


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class LossSummary(Result):
    r"""The loss of a release by generalization, and what is known about the least possible.

    Attributes
    ----------
    measure : str
        Such as ``"lm"``.
    loss : float
        Mean over the cells of the generalized columns, rows by weight; a dropped row has lost
        all of each.
    before : float, optional
        The same before groups were improved by moving rows.
    least : float, optional
        A lower bound: no choice of groups of at least ``k`` rows loses less.
    ratio : float, optional
        The method's proof: before improvement it never loses more than so many times the least
        possible. None for methods without a proof.
    n_groups : int
        Groups of rows that show the same.
    n_dropped : int
        Rows that are not released.
    """

    measure: str
    loss: float
    before: float | None = None
    least: float | None = None
    ratio: float | None = None
    n_groups: int
    n_dropped: int = 0

    def __repr__(self) -> str:
        return f"LossSummary: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The loss in one plain sentence.

        Examples
        --------
        >>> print(LossSummary(measure="lm", loss=0.08, least=0.05, n_groups=9).sentence)
        Loss (lm) 0.0800 of what a cell can tell, in 9 groups; no choice of groups loses less than
        0.0500.
        """
        text = f"Loss ({self.measure}) {self.loss:.4f} of what a cell can tell, in "
        text += "1 group" if self.n_groups == 1 else f"{self.n_groups:,} groups"
        if self.least is not None:
            text += f"; no choice of groups loses less than {self.least:.4f}"
        return f"{text}."

    def preview(self) -> Preview:
        """Return the figures that are known."""
        figures = {
            "before improvement": self.before,
            "after": self.loss,
            "least possible, at least": self.least,
            "proved ratio": self.ratio,
        }
        rows = [(name, f"{value:.4f}") for name, value in figures.items() if value is not None]
        return Preview(title=self.sentence, header=("loss", self.measure), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "measure": self.measure,
            "loss": self.loss,
            "before": self.before,
            "least": self.least,
            "ratio": self.ratio,
            "n_groups": self.n_groups,
            "n_dropped": self.n_dropped,
        }
