"""What imputing leaves: filled data, the mask of what was filled, and what is still claimed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.table import Table
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.frames.kinds import FrameKind
    from discreet.release.release import Release

NOTE = "Imputed cells are guesses made from the release alone; they protect nobody any better."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Imputed(Result):
    """Filled data and, beside it, which cells were filled.

    Attributes
    ----------
    data : Table
        The released rows in their order, with as few missing cells as possible.
    mask : array of bool, rows by columns
        True for every cell that was null in the release and has a value now.
    release : Release or None
        The filled data as a release of its own, with the guarantee of the old one, where that
        outlasts whatever is computed from a release: differential privacy. None for claims
        about equal rows, such as k-anonymity: after filling, rows are equal no longer.
    """

    data: Table
    mask: NDArray[np.bool_]
    release: Release | None

    @property
    def n_imputed(self) -> int:
        """Number of cells that were filled."""
        return int(self.mask.sum())

    @property
    def sentence(self) -> str:
        """What was done, and what it is worth, in plain words."""
        claim = (
            "The guarantee of the release holds for the filled data too."
            if self.release is not None
            else "Publish the release: its guarantee speaks of equal rows and not of filled ones."
        )
        return f"{self.n_imputed:,} of {self.mask.size:,} cells imputed. {NOTE} {claim}"

    def __repr__(self) -> str:
        return f"Imputed({self.sentence})"

    def to_frame(self, kind: FrameKind | None = None) -> Any:  # noqa: ANN401  a frame of the asked kind
        """Return the filled data as a frame, by default of the kind that came in."""
        return self.data.to_frame(kind)

    def mask_frame(self, kind: FrameKind | None = None) -> Any:  # noqa: ANN401  as above
        """Return a frame of the same shape, true where a cell was imputed."""
        codes = {name: self.mask[:, j].astype(np.uint8) for j, name in enumerate(self.data.columns)}
        flags = Table.from_codes(codes, dict.fromkeys(codes, (False, True)))
        return flags.to_frame(kind or self.data.frame_kind)

    def preview(self) -> Preview:
        """Return the number of imputed cells of each column."""
        counts = zip(self.data.columns, self.mask.sum(axis=0).tolist(), strict=True)
        rows = [(name, f"{n:,}") for name, n in counts]
        return Preview(title=self.sentence, header=("column", "imputed"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the number of imputed cells, in all and by column."""
        by_column = dict(zip(self.data.columns, self.mask.sum(axis=0).tolist(), strict=True))
        return {
            "n_imputed": self.n_imputed,
            "by_column": by_column,
            "guarantee_is_kept": self.release is not None,
            "note": NOTE,
        }
