"""Which rows of an original lie under what a released row shows.

Values of a column have places, and what a cell shows are runs of places. Distinct released rows are
looked at column by column: rows that share the first columns share the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.progress import Progress
    from discreet.verify.stated import Span, Stated, Text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Side:
    """One column of both tables.

    Attributes
    ----------
    name : str
        The column.
    tree : Stated
        Its hierarchy.
    places : array of int
        The place of the value of each row of the original.
    codes : array of int
        What each released row shows, as the number of a label.
    labels : list of text
        The labels; None is an empty cell.
    """

    name: str
    tree: Stated
    places: NDArray[np.int64]
    codes: NDArray[np.int64]
    labels: list[Text]

    @property
    def spans(self) -> list[tuple[Span, ...]]:
        """The places under each label."""
        return [self.tree.spans[label] for label in self.labels]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pattern:
    """A distinct released row: one that shows it, how many do, and the original's rows under it."""

    row: int
    n_released: int
    under: NDArray[np.int64]


def patterns(sides: Sequence[Side], *, progress: Progress | None = None) -> Iterator[Pattern]:
    """Yield every distinct released row with the rows of the original that it could stand for.

    Parameters
    ----------
    sides : sequence of Side
        The columns, at least one; tables with at least one row.
    progress : Progress, optional
        Told the share of the work done.

    Notes
    -----
    Every search begins with the rows that fit the columns before, sorted by place, so that a
    label takes runs of them. Time grows with the number of rows that fit, over all patterns.
    """
    order = sorted(sides, key=lambda side: -len(side.labels))
    shown = np.column_stack([side.codes for side in order])
    distinct, first, counts = np.unique(shown, axis=0, return_index=True, return_counts=True)
    spans = [side.spans for side in order]
    places = [side.places for side in order]
    # Runs of patterns that agree so far, with the rows that fit them; the last is next.
    waiting = [(0, 0, len(distinct), np.arange(len(places[0])))]
    while waiting:
        depth, start, stop, fitting = waiting.pop()
        if depth == len(order):
            if progress is not None:
                progress(start / len(distinct))
            yield Pattern(row=int(first[start]), n_released=int(counts[start]), under=fitting)
            continue
        at = places[depth][fitting]
        by_place = np.argsort(at, kind="stable")
        fitting, at = fitting[by_place], at[by_place]
        codes = distinct[start:stop, depth]
        starts = np.flatnonzero(np.diff(codes, prepend=-1)) + start
        for low, high in zip(starts[::-1], [stop, *starts[:0:-1]], strict=True):
            cuts = np.searchsorted(at, spans[depth][distinct[low, depth]])
            parts = [fitting[one:other] for one, other in cuts]
            waiting.append((depth + 1, int(low), int(high), np.concatenate(parts)))
