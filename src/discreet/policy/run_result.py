"""What came of running a policy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.result import Preview, Result

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.data.table import Table
    from discreet.data.transactions import Transactions
    from discreet.release.composition import Entry
    from discreet.release.guarantee import Guarantee
    from discreet.release.release import Release
    from discreet.verify import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(Result):
    """A published release: where it is, what it claims, what it lost, what was verified.

    Attributes
    ----------
    folder : Path
        Where the release is.
    method : str
        How it was made.
    guarantee : Guarantee
        What it claims.
    n_rows, n_released : int
        Rows of the source and of the release.
    n_cells, n_suppressed : int
        Cells of the release, and how many of them are hidden; None if that cannot be told
        from cells that were missing before.
    verification : Verification
        What the independent checker found.
    entry : Entry, optional
        What the ledger counts.
    internal_report : Path, optional
        The page that is not for publication.
    seconds : float
        How long it took.
    loss : Result, optional
        What the method measured of the loss itself, not for publication; for patterns, whose
        released rows are itemsets, for generalization, and for drawn rows.
    """

    folder: Path
    method: str
    guarantee: Guarantee
    n_rows: int
    n_released: int
    n_cells: int
    n_suppressed: int | None
    verification: Verification
    entry: Entry | None
    internal_report: Path | None
    seconds: float
    loss: Result | None = None

    @classmethod
    def of(
        cls,
        release: Release,
        table: Table | Transactions,
        *,
        folder: Path,
        method: str,
        verification: Verification,
        entry: Entry | None,
        internal_report: Path | None,
        seconds: float,
    ) -> RunResult:
        """Return the result of a run, its loss measured."""
        return cls(
            folder=folder,
            method=method,
            guarantee=release.guarantee,
            n_rows=len(table),
            n_released=_released(release),
            n_cells=release.data.n_rows * release.data.n_columns,
            n_suppressed=_suppressed(release, table),
            verification=verification,
            entry=entry,
            internal_report=internal_report,
            seconds=seconds,
            loss=release.loss,
        )

    @property
    def sentence(self) -> str:
        """The loss in one plain sentence."""
        if self.method.startswith("patterns-") and self.loss is not None:
            return f"{self.n_released:,} itemsets released. {self.loss.preview().title}"
        if self.method == "synthesize" and self.loss is not None:
            drawn = f"{self.n_released:,} rows drawn in place of {self.n_rows:,}."
            return f"{drawn} {self.loss.preview().title}"
        n_lost = self.n_rows - self.n_released
        rows = (
            f"{self.n_released:,} of {self.n_rows:,} rows released, {n_lost:,} "
            f"({n_lost / max(self.n_rows, 1):.1%}) left out"
        )
        if self.loss is not None:
            return f"{rows}. {self.loss.preview().title}"
        if self.n_suppressed is None:
            return f"{rows}."
        rate = self.n_suppressed / max(self.n_cells, 1)
        return f"{rows}; {self.n_suppressed:,} of {self.n_cells:,} cells ({rate:.1%}) hidden."

    def preview(self) -> Preview:
        """Return the claim, the loss, the verification, and where things are."""
        rows = [
            ("guarantee", self.guarantee.sentence),
            ("loss", self.sentence),
            ("verified", self.verification.sentence),
        ]
        if self.entry is not None:
            rows.append(("ledger", f"entry {self.entry.number} of '{self.entry.source}'"))
        if self.internal_report is not None:
            rows.append(("internal", f"{self.internal_report}: not for publication"))
        return Preview(title=f"Release in {self.folder}", header=("", ""), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        page = self.internal_report
        return {
            "folder": str(self.folder),
            "method": self.method,
            "guarantee": self.guarantee.to_dict(),
            "sentence": self.guarantee.sentence,
            "n_rows": self.n_rows,
            "n_released": self.n_released,
            "n_cells": self.n_cells,
            "n_suppressed": self.n_suppressed,
            "loss": None if self.loss is None else self.loss.to_dict(),
            "verification": self.verification.to_dict(),
            "ledger": None
            if self.entry is None
            else {"source": self.entry.source, "number": self.entry.number},
            "internal_report": None if page is None else str(page),
            "seconds": round(self.seconds, 3),
        }


def _released(release: Release) -> int:
    """Return how many rows a release has; of patterns, how many itemsets, the witness aside."""
    from discreet.patterns.release import is_pattern_release

    if is_pattern_release(release):
        return release.events[-1].counts["n_itemsets"]
    return release.data.n_rows


def _suppressed(release: Release, table: Table | Transactions) -> int | None:
    """Return how many cells of a release are hidden, if its rows can be told."""
    from discreet.data.table import Table
    from discreet.utility import cells_changed

    if release.input_rows is None or not isinstance(table, Table):
        return None
    before = table.select(release.data.columns)
    return cells_changed(before, release.data, rows=release.input_rows).n_suppressed
