"""Which cells of a release are not what they were, cell by cell; as secret as the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.frames.export import as_kind
from discreet.errors import DataError, did_you_mean
from discreet.release.release import Release
from discreet.result import Preview, Result
from discreet.utility.match_released import NO_ROW, ROOT, match_released, shows
from discreet.utility.pairs import match_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.frames.kinds import FrameKind
    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.progress import Progress

HOW = ("hidden", "grouped", "other")
SECRET = "As secret as the original: it shows values that the release hides. Not for publication."  # noqa: S105  no password
_NOBODYS = ("draw_rows", "sanitization", "derive")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences(Result):
    """Cells that were hidden, grouped or replaced, and rows dropped; not for publication.

    Attributes
    ----------
    columns : tuple of str
        The columns compared: those of the release.
    n_rows, n_released : int
        Rows of the original and of the release.
    n_unmatched : int
        Released rows for which no row of the original was found.
    is_exact : bool
        Whether it is known which row came from which; else each was set beside one that it can
        have come from.
    rows, places : array of int64
        Row of the original, and position in ``columns``, of each changed cell.
    how : array of uint8
        Position in ``("hidden", "grouped", "other")`` of each changed cell.
    before, after : tuple of str or None
        The values.
    """

    columns: tuple[str, ...]
    n_rows: int
    n_released: int
    n_unmatched: int
    is_exact: bool
    rows: NDArray[np.int64]
    places: NDArray[np.int64]
    how: NDArray[np.uint8]
    before: tuple[str | None, ...]
    after: tuple[str | None, ...]

    @property
    def n_dropped(self) -> int:
        """Rows of the original that the release has not."""
        return max(self.n_rows - self.n_released, 0)

    @property
    def n_cells(self) -> int:
        """Cells that are not what they were."""
        return len(self.rows)

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not (self.n_cells or self.n_dropped or self.n_unmatched)

    @property
    def sentence(self) -> str:
        """What differs, in one or two plain sentences."""
        total = (self.n_released - self.n_unmatched) * len(self.columns)
        n = dict(zip(HOW, np.bincount(self.how, minlength=len(HOW)).tolist(), strict=True))
        text = (
            f"{self.n_cells:,} of {total:,} cells ({self.n_cells / max(total, 1):.1%}) differ: "
            f"{n['hidden']:,} hidden, {n['grouped']:,} shown as a group, {n['other']:,} with "
            f"another value. {self.n_dropped:,} of {self.n_rows:,} rows were dropped."
        )
        if self.n_unmatched:
            text += (
                f" {self.n_unmatched:,} released rows can have come from no row of the original."
            )
        return text

    def __repr__(self) -> str:
        return f"Differences: {self.sentence}"

    def by_column(self) -> Iterator[tuple[str, int, int, int]]:
        """Yield each column with the number of cells hidden, grouped and replaced."""
        counts = np.zeros((len(self.columns), len(HOW)), np.int64)
        np.add.at(counts, (self.places, self.how), 1)
        for name, (hidden, grouped, other) in zip(self.columns, counts.tolist(), strict=True):
            yield name, hidden, grouped, other

    def sample(self, n: int = 10) -> tuple[str, ...]:
        """Return some changes in words, spread over all of them."""
        chosen = np.unique(
            np.linspace(0, max(self.n_cells - 1, 0), min(n, self.n_cells), dtype=int)
        )
        return tuple(
            f"row {self.rows[i] + 1:,}, {self.columns[self.places[i]]}: "
            f"{_word(self.before[i])} -> {_word(self.after[i])}"
            for i in chosen.tolist()
        )

    def preview(self) -> Preview:
        """Return one row for each column."""
        n = max(self.n_released - self.n_unmatched, 1)
        rows = [
            (name, *(f"{count:,}" for count in counts), f"{sum(counts) / n:.1%}")
            for name, *counts in self.by_column()
        ]
        header = ("column", *HOW, "share of rows")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the counts as plain values; single cells are in :meth:`to_frame`."""
        return {
            "n_rows": self.n_rows,
            "n_released": self.n_released,
            "n_dropped": self.n_dropped,
            "n_unmatched": self.n_unmatched,
            "n_cells": self.n_cells,
            "is_exact": self.is_exact,
            "columns": [
                {"name": name, "n_hidden": hidden, "n_grouped": grouped, "n_other": other}
                for name, hidden, grouped, other in self.by_column()
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with a row for each changed cell: row, column, before, after, how.

        Rows of the original are counted from 1.
        """
        import polars as pl

        frame = pl.DataFrame(
            {
                "row": self.rows + 1,
                "column": pl.Series([self.columns[i] for i in self.places], dtype=pl.String),
                "before": pl.Series(self.before, dtype=pl.String),
                "after": pl.Series(self.after, dtype=pl.String),
                "how": pl.Series([HOW[i] for i in self.how], dtype=pl.String),
            }
        )
        return as_kind(frame, kind)


def differences(
    original: Table,
    release: Release | Table,
    *,
    rows: ArrayLike | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    progress: Progress | None = None,
) -> Differences:
    """Return which cells of a release are not what they were, and how many rows are gone.

    Parameters
    ----------
    original : Table
        What the release was made from, read with the same bins.
    release : Release or Table
        What is published. A release in memory knows which row came from which.
    rows : array, optional
        The row of the original that each row of the release came from. Where it is not known,
        each row is set beside one that it can have come from.
    hierarchies : mapping of str to Hierarchy, optional
        By which columns were generalized; those of the release by default.
    progress : Progress, optional
        Told the share of the work done.

    Returns
    -------
    Differences
        Counts, a sample, and a frame of all changed cells.

    Raises
    ------
    DataError
        If the release has columns that the original lacks, or its rows are nobody's.

    Notes
    -----
    No guarantee: the result is as secret as the original. Neither input is changed.

    Examples
    --------
    >>> import discreet as dc
    >>> before = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "b", "b"]})
    >>> after = dc.Table.from_frame({"sex": ["f", None], "job": ["a", "b"]})
    >>> found = differences(before, after)
    >>> print(found.sentence)
    1 of 4 cells (25.0%) differ: 1 hidden, 0 shown as a group, 0 with another value. 1 of 3 rows
    were dropped.
    >>> found.sample()
    ('row 2, sex: f -> (none)',)
    """
    trees = dict(hierarchies or {})
    data = release
    if isinstance(release, Release):
        _refuse_nobodys(release)
        data, trees = release.data, {**release.hierarchies, **trees}
        rows = release.input_rows if rows is None else rows
    assert not isinstance(data, Release)
    for name in data.columns:
        if name not in original.columns:
            raise DataError(
                f"The original has no column '{name}', which the release has. "
                f"{did_you_mean(name, original.columns)}"
            )
    matched = (
        match_released(original, data, hierarchies=trees, progress=progress)
        if rows is None
        else match_rows(rows, original=original, release=data)
    )
    found = matched != NO_ROW
    cells = [_changed(original, data, name, matched, trees) for name in data.columns]
    places = np.repeat(np.arange(len(cells)), [len(each[0]) for each in cells])
    return Differences(
        columns=tuple(data.columns),
        n_rows=original.n_rows,
        n_released=data.n_rows,
        n_unmatched=int((~found).sum()),
        is_exact=rows is not None,
        rows=np.concatenate([each[0] for each in cells]),
        places=places,
        how=np.concatenate([each[1] for each in cells]),
        before=tuple(text for each in cells for text in each[2]),
        after=tuple(text for each in cells for text in each[3]),
    )


def _refuse_nobodys(release: Release) -> None:
    """Raise DataError if the rows of a release are not those of an original."""
    for event in release.events:
        if any(word in event.name for word in _NOBODYS):
            raise DataError(
                "The rows of this release were drawn or counted, not taken from rows of the "
                "original: they cannot be compared one by one. discreet report --original "
                "--internal compares them as a whole."
            )


def _changed(
    original: Table,
    release: Table,
    name: str,
    matched: NDArray[np.int64],
    trees: Mapping[str, Hierarchy],
) -> tuple[NDArray[np.int64], NDArray[np.uint8], list[str | None], list[str | None]]:
    """Return the changed cells of a column: row, how, before, after."""
    had = [None if value is None else str(value) for value in original.values(name)]
    has = [None if value is None else str(value) for value in release.values(name)]
    kind = np.full((len(has), len(had)), HOW.index("other"), np.uint8)
    kind[shows(original, release, name, trees)] = HOW.index("grouped")
    kind[[text in (None, ROOT) for text in has], :] = HOW.index("hidden")
    same = np.array([[new == old for old in had] for new in has], bool).reshape(kind.shape)
    found = np.flatnonzero(matched != NO_ROW)
    before, after = original.codes(name)[matched[found]], release.codes(name)[found]
    differs = ~same[after, before] if len(found) else np.zeros(0, bool)
    order = np.argsort(matched[found][differs], kind="stable")
    old, new = before[differs][order], after[differs][order]
    return (
        matched[found][differs][order],
        kind[new, old],
        [had[code] for code in old.tolist()],
        [has[code] for code in new.tolist()],
    )


def _word(text: str | None) -> str:
    return "(none)" if text is None else text
