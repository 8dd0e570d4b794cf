"""Which cells of a release are not what they were, cell by cell; as secret as the original."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.errors import DataError, LimitError, did_you_mean
from discreet.release.release import Release
from discreet.result import Preview, Result
from discreet.utility.pairs import match_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import FrameKind
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.limits import Progress


HOW = ("suppressed", "grouped", "other")

SECRET = "As confidential as the original: it shows suppressed values. Not for publication."  # noqa: S105  no password


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Differences(Result):
    """Cells suppressed, grouped or replaced, and suppressed records; not for publication.

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
        Position in ``("suppressed", "grouped", "other")`` of each changed cell.
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
    def n_suppressed_records(self) -> int:
        """Rows of the original that the release has not."""
        return max(self.n_rows - self.n_released, 0)

    @property
    def n_cells(self) -> int:
        """Cells that are not what they were."""
        return len(self.rows)

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not (self.n_cells or self.n_suppressed_records or self.n_unmatched)

    @property
    def sentence(self) -> str:
        """What differs, in one or two plain sentences."""
        total = (self.n_released - self.n_unmatched) * len(self.columns)
        n = dict(zip(HOW, np.bincount(self.how, minlength=len(HOW)).tolist(), strict=True))
        text = (
            f"{self.n_cells:,} of {total:,} cells ({self.n_cells / max(total, 1):.1%}) differ: "
            f"{n['suppressed']:,} suppressed, {n['grouped']:,} shown as a group, {n['other']:,} "
            f"with another value. {self.n_suppressed_records:,} of {self.n_rows:,} records were "
            "suppressed."
        )
        if self.n_unmatched:
            text += f" {self.n_unmatched:,} released rows match no row of the original."
        return text

    def __repr__(self) -> str:
        return f"Differences: {self.sentence}"

    def by_column(self) -> Iterator[tuple[str, int, int, int]]:
        """Yield each column with the number of cells suppressed, grouped and replaced."""
        counts = np.zeros((len(self.columns), len(HOW)), np.int64)
        np.add.at(counts, (self.places, self.how), 1)
        for name, (suppressed, grouped, other) in zip(self.columns, counts.tolist(), strict=True):
            yield name, suppressed, grouped, other

    def sample(self, n: int = 10) -> tuple[str, ...]:
        """Return some changes in words, spread over all of them."""
        n = checks.whole("n", n, at_least=0)
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
            "n_suppressed_records": self.n_suppressed_records,
            "n_unmatched": self.n_unmatched,
            "n_cells": self.n_cells,
            "is_exact": self.is_exact,
            "columns": [
                {"name": name, "n_suppressed": suppressed, "n_grouped": grouped, "n_other": other}
                for name, suppressed, grouped, other in self.by_column()
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
    original: object,
    release: object,
    *,
    rows: ArrayLike | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    progress: Progress | None = None,
) -> Differences:
    """Return which cells of a release are not what they were, and how many rows are gone.

    Parameters
    ----------
    original : Table or frame
        What the release was made from, read with the same bins.
    release : Release, Table or frame
        What is published. A release in memory knows which row came from which.
    rows : array, optional
        The row of the original that each row of the release came from. Where it is not known,
        each row is set beside one that it can have come from.
    hierarchies : mapping of str to Hierarchy, optional
        By which columns were generalized; those of the release by default.
    progress : Progress, optional
        Called with the share of the work done.

    Returns
    -------
    Differences
        Counts, a sample, and a frame of all changed cells.

    Raises
    ------
    DataError
        If the release has columns that the original lacks, or its rows are not records of it.

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
    1 of 4 cells (25.0%) differ: 1 suppressed, 0 shown as a group, 0 with another value. 1 of 3
    records were suppressed.
    >>> found.sample()
    ('row 2, sex: f -> (none)',)
    """
    trees = dict(hierarchies or {})
    if isinstance(release, Release):
        _refuse_without_records(release)
        trees = release.trees(trees)
        rows = release.input_rows if rows is None else rows
    original, data = as_table(original), as_table(release)
    for name in data.columns:
        if name not in original.columns:
            raise DataError(
                f"The original has no column '{name}', which the release has.",
                column=name,
                remedy=did_you_mean(name, original.columns),
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


def _refuse_without_records(release: Release) -> None:
    """Raise DataError if the rows of a release are not records of an original."""
    if release.kind != "rows":
        raise DataError(
            "The rows of this release are synthetic or counts, not records of the original: "
            "they cannot be compared one by one. discreet report --original --internal "
            "compares them as a whole."
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
    kind[[text in (None, ROOT) for text in has], :] = HOW.index("suppressed")
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


# Released rows set beside rows of the original that they can have come from.
#
# A release has lost the order of its rows on purpose. A row can have come from another if it shows
# of it, in every column, the same value, a group that the value is in, or nothing.

ROOT = "*"

NO_ROW = -1

MAX_PAIRS = 50_000_000  # of a distinct released row and a row of the original; 2 GB of memory


def shows(
    original: Table, release: Table, column: str, hierarchies: Mapping[str, Hierarchy]
) -> NDArray[np.bool_]:
    """Return, for each released value and each value of the original, whether it can stand for it.

    Examples
    --------
    >>> from discreet import Hierarchy, Table
    >>> before, after = Table.from_frame({"a": ["x", "y"]}), Table.from_frame({"a": ["y", None]})
    >>> shows(before, after, "a", {}).tolist()
    [[False, True], [True, True]]
    """
    had, has = original.values(column), release.values(column)
    groups = _groups(hierarchies.get(column))
    above = [
        set() if value is None else {str(value)} | groups.get(str(value), set()) for value in had
    ]
    texts = [None if value in (None, ROOT) else str(value) for value in has]
    return np.array([[text is None or text in up for up in above] for text in texts], bool).reshape(
        len(has), len(had)
    )


def _groups(tree: Hierarchy | None) -> dict[str, set[str]]:
    """Return the texts of the groups of each value, by its text."""
    if tree is None:
        return {}
    return {
        str(leaf): {str(label) for label, _ in tree.labelled(number)}
        for number, leaf in enumerate(tree.leaves)
    }


def match_released(
    original: Table,
    release: Table,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Return for each released row one row of the original that it can have come from.

    Parameters
    ----------
    original, release : Table
        The release has no columns that the original lacks.
    hierarchies : mapping of str to Hierarchy, optional
        By which columns were generalized.
    progress : Progress, optional
        Called with the share of the work done.

    Returns
    -------
    array of int64
        No row of the original is named twice; -1 where there is none. As many rows are matched
        as can be.

    Raises
    ------
    LimitError
        If released rows and the rows they fit make more than 50 million pairs.

    Notes
    -----
    Where several rows will do, any of them is taken: this is not who is who. A largest flow from
    the distinct released rows, as much from each as there are of it, to the rows of the original
    that they fit, one to each, is a largest matching. Time grows with the distinct released rows
    times the rows of the original.

    Examples
    --------
    >>> from discreet import Table
    >>> before = Table.from_frame({"a": ["x", "y", "x"], "b": ["u", "u", "v"]})
    >>> match_released(before, Table.from_frame({"a": [None, "x"], "b": ["u", None]})).tolist()
    [1, 0]
    """
    if not release.n_rows or not original.n_rows:
        return np.full(release.n_rows, NO_ROW, np.int64)
    stacked = np.stack([release.codes(name).astype(np.int64) for name in release.columns], axis=1)
    distinct, which = np.unique(stacked, axis=0, return_inverse=True)
    which = which.reshape(-1)
    n_released = np.bincount(which, minlength=len(distinct))
    report = progress or (lambda _: None)
    able = _Able.of(original, release, distinct, hierarchies or {})
    found, n_pairs = [], 0
    for row in range(len(distinct)):
        report(0.8 * row / len(distinct))
        found.append(able.rows(row).astype(np.int32))
        n_pairs += len(found[-1])
        if n_pairs > MAX_PAIRS:
            raise LimitError(
                f"More than {MAX_PAIRS:,} pairs of a released row and a row of the original that "
                f"it fits, after {row + 1:,} of {len(distinct):,} distinct rows. Compare fewer "
                "rows, or columns with fewer suppressed cells."
            )
    taken, owner = _largest_flow(found, n_released, original.n_rows)
    matched = np.full(release.n_rows, NO_ROW, np.int64)
    places = np.argsort(which, kind="stable")
    starts = np.cumsum(n_released) - n_released
    n_taken = np.bincount(owner, minlength=len(distinct))
    within = np.arange(len(taken)) - np.repeat(np.cumsum(n_taken) - n_taken, n_taken)
    matched[places[starts[owner] + within]] = taken
    return matched


def _largest_flow(
    found: list[NDArray[np.int32]], n_released: NDArray[np.int64], n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of the original and who takes each, in the order of those who take.

    Nodes are the source, the distinct released rows, the rows of the original, and the sink.
    """
    from scipy.sparse import csr_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import maximum_flow  # type: ignore[import-untyped]

    n = len(found)
    sizes = np.concatenate([[n], [len(rows) for rows in found], np.ones(n_rows, np.int64), [0]])
    ends: list[NDArray[np.int64]] = [np.arange(1, n + 1)]
    ends += [np.sort(rows).astype(np.int64) + n + 1 for rows in found]
    ends += [np.full(n_rows, n + n_rows + 1)]
    room = np.ones(int(sizes.sum()), np.int32)
    room[:n] = n_released
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    graph = csr_array((room, np.concatenate(ends).astype(np.int32), starts))
    flow = maximum_flow(graph, 0, n + n_rows + 1, method="dinic").flow[1 : n + 1].tocoo()
    is_used = flow.data > 0
    owner, taken = flow.coords[0][is_used], flow.coords[1][is_used] - n - 1
    order = np.lexsort((taken, owner))
    return taken[order].astype(np.int64), owner[order].astype(np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Able:
    """Which rows of the original each distinct released row can have come from."""

    distinct: NDArray[np.int64]
    codes: list[NDArray[np.unsignedinteger]]
    allowed: list[NDArray[np.bool_]]
    shares: list[NDArray[np.float64]]  # of the original's rows, by released value
    rows_of: list[list[NDArray[np.int64]]]  # of the original, by its values

    @classmethod
    def of(
        cls,
        original: Table,
        release: Table,
        distinct: NDArray[np.int64],
        hierarchies: Mapping[str, Hierarchy],
    ) -> _Able:
        names = release.columns
        codes = [original.codes(name) for name in names]
        counts = [
            np.bincount(c, minlength=len(original.values(n)))
            for n, c in zip(names, codes, strict=True)
        ]
        allowed = [shows(original, release, name, hierarchies) for name in names]
        return cls(
            distinct=distinct,
            codes=codes,
            allowed=allowed,
            shares=[(fits * n).sum(axis=1) for fits, n in zip(allowed, counts, strict=True)],
            rows_of=[
                np.split(np.argsort(c, kind="stable"), np.cumsum(n)[:-1])
                for c, n in zip(codes, counts, strict=True)
            ],
        )

    def rows(self, row: int) -> NDArray[np.int64]:
        """Return the rows for one distinct released row, most selective columns first."""
        shown = self.distinct[row]
        order = np.argsort([share[code] for share, code in zip(self.shares, shown, strict=True)])
        first, *others = order.tolist()
        fits = np.flatnonzero(self.allowed[first][shown[first]])
        parts = [self.rows_of[first][value] for value in fits.tolist()]
        among = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        for column in others:
            able = self.allowed[column][shown[column]]
            if not able.all():
                among = among[able[self.codes[column][among]]]
        return among
