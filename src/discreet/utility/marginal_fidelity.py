"""How far the counts of a release are from those of the original.

Every cross table of one, two or three columns is compared, because that is what is read off
published data first. Tables are compared by value, so rows need not be matched.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from discreet import checks
from discreet.data.frames import as_kind
from discreet.errors import ParameterError
from discreet.result import Preview, Result
from discreet.utility.pairs import grouped_tables, pair_columns, said_of_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import altair as alt

    from discreet.data.column import FrameKind
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.utility.pairs import PairedColumn


Measure: TypeAlias = Literal[
    "total_variation", "hellinger", "total_variation_visible", "hellinger_visible"
]

MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalFidelity(Result):
    """The distances of all cross tables compared; mean and worst of them by size.

    ``n_possible`` says how many cross tables of each size there are; if fewer were compared,
    they were drawn at random. ``groups`` names the columns whose groups were compared with the
    same groups of the original.
    """

    distances: tuple[MarginalDistance, ...]
    n_possible: dict[int, int]
    n_rows: int
    n_released: int
    groups: tuple[str, ...] = ()

    def of_size(self, size: int) -> tuple[MarginalDistance, ...]:
        """Return the distances of the cross tables of so many columns."""
        size = checks.whole("size", size, at_least=1)
        return tuple(seen for seen in self.distances if len(seen.columns) == size)

    def mean(self, size: int, measure: Measure = "total_variation") -> float:
        """Return the mean of a measure over the cross tables of one size.

        Raises
        ------
        ParameterError
            If no cross table of this size was compared.
        """
        checks.one_of("measure", measure, MEASURES)
        here = [float(getattr(seen, measure)) for seen in self._compared(size)]
        return sum(here) / len(here)

    def worst(self, size: int, measure: Measure = "total_variation") -> MarginalDistance:
        """Return the cross table of one size that is furthest off.

        Raises
        ------
        ParameterError
            If no cross table of this size was compared.
        """
        checks.one_of("measure", measure, MEASURES)
        return max(self._compared(size), key=lambda seen: float(getattr(seen, measure)))

    def _compared(self, size: int) -> tuple[MarginalDistance, ...]:
        """Return the distances of one size, or raise ParameterError if there are none."""
        here = self.of_size(size)
        if not here:
            raise ParameterError(
                f"There is no cross table of {size} columns here: ask for it by sizes=[{size}], "
                "if the table has so many columns.",
                parameter="size",
            )
        return here

    @property
    def sentence(self) -> str:
        """The distances in one plain sentence for each size."""
        sentences = []
        for size, n_possible in self.n_possible.items():
            worst, n_sets = self.worst(size), len(self.of_size(size))
            sample = f" in a sample of {n_sets:,} of {n_possible:,}" if n_sets < n_possible else ""
            sentences.append(
                f"{size}-way shares are {self.mean(size):.4f} off on average "
                f"({self.mean(size, 'total_variation_visible'):.4f} without suppressed cells) and "
                f"{worst.total_variation:.4f} at worst ({' x '.join(worst.columns)}){sample}."
            )
        if sentences and self.groups:
            sentences.append(said_of_groups(self.groups))
        return " ".join(sentences) or "There are no columns to compare."

    def __repr__(self) -> str:
        return f"MarginalFidelity({self.sentence})"

    def preview(self) -> Preview:
        """Return mean and worst of each measure, one row for each size."""
        rows = []
        for size, n_possible in self.n_possible.items():
            figures = [
                f"{self.mean(size, name):.4f} / {getattr(self.worst(size, name), name):.4f}"
                for name in MEASURES
            ]
            rows.append((f"{size}-way", f"{len(self.of_size(size)):,} of {n_possible:,}", *figures))
        header = ("mean / worst", "cross tables", *(name.replace("_", " ") for name in MEASURES))
        return Preview(
            title=f"{self.n_rows:,} original rows, {self.n_released:,} released",
            header=header,
            rows=rows,
        )

    def to_dict(self) -> dict[str, object]:
        """Return mean and worst by size and all distances as plain values."""
        return {
            "n_rows": self.n_rows,
            "n_released": self.n_released,
            "groups": list(self.groups),
            "sizes": [
                {
                    "size": size,
                    "n_possible": n_possible,
                    "n_compared": len(self.of_size(size)),
                    "mean": {name: self.mean(size, name) for name in MEASURES},
                    "worst": {name: getattr(self.worst(size, name), name) for name in MEASURES},
                    "worst_columns": list(self.worst(size).columns),
                }
                for size, n_possible in self.n_possible.items()
            ],
            "distances": [
                {"columns": list(seen.columns), **{name: getattr(seen, name) for name in MEASURES}}
                for seen in self.distances
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each cross table."""
        import polars as pl

        seen = self.distances
        columns = pl.Series([list(found.columns) for found in seen], dtype=pl.List(pl.String))
        figures: dict[str, pl.Series] = {
            name: pl.Series([getattr(found, name) for found in seen], dtype=pl.Float64)
            for name in MEASURES
        }
        frame = pl.DataFrame({"columns": columns, "size": columns.list.len(), **figures})
        return as_kind(frame, kind)

    def plot(self) -> alt.Chart:
        """Return how many cross tables of each size have which total variation."""
        import altair as alt
        import polars as pl

        distance = ((pl.col("total_variation") * 50).round() / 50).alias("total variation")
        frame = self.to_frame("polars").group_by("size", distance).len("cross tables")
        chart: alt.Chart = alt.Chart(frame.sort("size", "total variation")).mark_circle()
        return chart.encode(x="total variation:Q", y="size:O", size="cross tables:Q")


def marginal_fidelity(
    original: object,
    release: object,
    *,
    sizes: Iterable[int] = (1, 2, 3),
    max_sets: int = 1000,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    rng: np.random.Generator | int | None = None,
) -> MarginalFidelity:
    r"""Return how far the cross tables of a release are from those of the original.

    .. math::
        \mathrm{TV}_S = \frac12 \sum_v \left| p_S(v) - q_S(v) \right|, \qquad
        \mathrm{H}_S = \Big( \frac12 \sum_v \big( \sqrt{p_S(v)} - \sqrt{q_S(v)} \big)^2
        \Big)^{1/2}

    where :math:`S` is a set of columns, :math:`v` runs over the combinations of their values,
    and :math:`p_S(v)`, :math:`q_S(v)` are the shares of the rows of the original and of the
    release that have them. Both measures go from 0 (equal) to 1 (nothing in common).

    Two readings of a missing or suppressed cell are given: as a value of its own, so that
    suppression is distance; and, in the measures called *visible*, as absent: shares are of the
    rows with a value in every column of :math:`S`.

    Parameters
    ----------
    original, release : Release, Table or frame
        Columns in any order, values in any coding; identifying columns are ignored.
    sizes : iterable of int, default (1, 2, 3)
        How many columns a cross table has, each at least 1.
    max_sets : int, default 1000
        Most cross tables of one size, at least 1. If there are more, so many are drawn, each
        set of columns equally likely and none twice; mean and worst are then of these.
    hierarchies : mapping of str to Hierarchy, optional
        Trees of the columns that were generalized, by default those that a Release in memory
        has: groups are compared with the same groups of the original.
    rng : Generator, int or None
        Draws the sets of columns; not used if all are compared.

    Returns
    -------
    MarginalFidelity
        Every distance, with mean and worst by size. A size larger than the number of columns
        has no cross tables and is skipped.

    Raises
    ------
    DataError
        If the columns do not agree.
    ParameterError
        If a size or ``max_sets`` is below 1.

    Notes
    -----
    If one table has rows to count and the other has none the distance is 1; if neither has, 0.
    If no row was suppressed, no value changed and the original misses none, the total variation is
    the share of rows with a suppressed cell in these columns. Time grows with the number of
    cross tables times the rows of both tables. No guarantee: the figures are exact, describe
    the original, and are not for publication as they stand.

    References
    ----------
    A. Tsybakov (2009), Introduction to Nonparametric Estimation, section 2.4 (Hellinger here
    divided by :math:`\sqrt 2`, so that it ends at 1).

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> release = dc.Table.from_frame({"sex": ["f", None, "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> for seen in marginal_fidelity(people, release).distances:
    ...     print(seen.columns, seen.total_variation, round(seen.total_variation_visible, 3))
    ('sex',) 0.25 0.167
    ('job',) 0.0 0.0
    ('sex', 'job') 0.25 0.25
    """
    original, release, groups = grouped_tables(original, release, hierarchies)
    wanted = sorted({checks.whole("sizes", size, at_least=1) for size in sizes})
    max_sets = checks.whole("max_sets", max_sets, at_least=1)
    pairs = pair_columns(original, release)
    generator = checks.generator("rng", rng)
    return MarginalFidelity(
        distances=tuple(
            marginal_distance([pairs[place] for place in places])
            for size in wanted
            for places in column_sets(len(pairs), size, max_sets, generator)
        ),
        n_possible={size: comb(len(pairs), size) for size in wanted if size <= len(pairs)},
        n_rows=original.n_rows,
        n_released=release.n_rows,
        groups=groups,
    )


# Cross tables of two tables at once, and the distances between them.
#
# Codes of several columns are combined into one number per row and counted. Combinations that
# do not occur cost nothing once there are too many to count in one array.

DENSE = 2**20  # combinations of values counted in one array; more are numbered as they occur

Counts: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64]]


"""Rows of the original and of the release with each combination of values, in one order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarginalDistance:
    """One cross table: how far the release's shares are from the original's.

    ``total_variation`` and ``hellinger`` take a missing or suppressed cell as a value of its
    own; the two ending in ``visible`` ignore rows with such a cell in these columns.
    """

    columns: tuple[str, ...]
    total_variation: float
    hellinger: float
    total_variation_visible: float
    hellinger_visible: float


def marginal_distance(columns: Sequence[PairedColumn]) -> MarginalDistance:
    """Return how far apart the cross tables of some columns are, in both readings."""
    counts, visible = cross_tables(columns)
    return MarginalDistance(
        columns=tuple(column.name for column in columns),
        total_variation=total_variation(*counts),
        hellinger=hellinger(*counts),
        total_variation_visible=total_variation(*visible),
        hellinger_visible=hellinger(*visible),
    )


def cross_tables(columns: Sequence[PairedColumn]) -> tuple[Counts, Counts]:
    """Return how many rows have each combination of values: of all rows, and of visible ones.

    Parameters
    ----------
    columns : sequence of PairedColumn
        At least one column.

    Returns
    -------
    pair of pairs of arrays
        Counts in the original and in the release. First with a missing or suppressed cell as a
        value of its own; then of the rows without such a cell in these columns. Combinations
        that occur in neither table may be omitted.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.utility.pairs import pair_columns
    >>> release = dc.Table.from_frame({"age": [31, None]})
    >>> counts, visible = cross_tables(
    ...     pair_columns(dc.Table.from_frame({"age": [30, 31]}), release)
    ... )
    >>> print(*counts, *visible)
    [1 1 0] [0 1 1] [1 1 0] [0 1 0]
    """
    n_rows = len(columns[0].original)
    codes = np.zeros(n_rows + len(columns[0].release), np.int64)
    suppressed = np.zeros(len(codes), bool)
    span = 1
    for column in columns:
        codes *= len(column.labels)
        codes[:n_rows] += column.original
        codes[n_rows:] += column.release
        suppressed[:n_rows] |= column.original == column.suppressed
        suppressed[n_rows:] |= column.release == column.suppressed
        span *= len(column.labels)
        if span > DENSE:  # also keeps the product far below the largest integer
            found, codes = np.unique(codes, return_inverse=True)
            span = len(found)
    before, after = codes[:n_rows], codes[n_rows:]
    counts = np.bincount(before, minlength=span), np.bincount(after, minlength=span)
    if not suppressed.any():
        return counts, counts
    shown = before[~suppressed[:n_rows]], after[~suppressed[n_rows:]]
    return counts, (
        np.bincount(shown[0], minlength=span),
        np.bincount(shown[1], minlength=span),
    )


def total_variation(original: NDArray[np.int64], release: NDArray[np.int64]) -> float:
    """Return half the sum of absolute differences of two tables of counts, taken as shares.

    1 if exactly one of them counts nothing, 0 if both do.

    Examples
    --------
    >>> total_variation(np.array([1, 3]), np.array([1, 0]))
    0.75
    """
    shares = _shares(original, release)
    if shares is None:
        return float(original.any() != release.any())
    return float(np.abs(shares[0] - shares[1]).sum() / 2)


def hellinger(original: NDArray[np.int64], release: NDArray[np.int64]) -> float:
    """Return the Hellinger distance, from 0 to 1, of two tables of counts, taken as shares.

    1 if exactly one of them counts nothing, 0 if both do.

    Examples
    --------
    >>> round(hellinger(np.array([1, 3]), np.array([1, 0])), 4)
    0.7071
    """
    shares = _shares(original, release)
    if shares is None:
        return float(original.any() != release.any())
    roots = np.sqrt(shares[0]) - np.sqrt(shares[1])
    return float(np.sqrt(np.square(roots).sum() / 2))


def column_sets(
    n_columns: int, size: int, max_sets: int, rng: np.random.Generator
) -> list[tuple[int, ...]]:
    """Return all sets of columns of one size, or so many of them, each equally likely.

    Examples
    --------
    >>> column_sets(3, 2, 10, np.random.default_rng(0))
    [(0, 1), (0, 2), (1, 2)]
    >>> len(set(column_sets(1000, 3, 10, np.random.default_rng(0))))
    10
    """
    n_sets = comb(n_columns, size)
    if n_sets <= max_sets:
        return list(combinations(range(n_columns), size))
    ranks = np.sort(rng.choice(n_sets, size=max_sets, replace=False))
    return [_set_of_rank(rank, n_columns, size) for rank in ranks.tolist()]


def _set_of_rank(rank: int, n_columns: int, size: int) -> tuple[int, ...]:
    """Return the set that has this place in the order of ``itertools.combinations``."""
    chosen: list[int] = []
    first = 0
    for left in range(size - 1, -1, -1):
        while rank >= (n_with_first := comb(n_columns - first - 1, left)):
            rank -= n_with_first
            first += 1
        chosen.append(first)
        first += 1
    return tuple(chosen)


def _shares(
    original: NDArray[np.int64], release: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return both tables as shares, or None if one of them counts nothing."""
    n_original, n_release = original.sum(), release.sum()
    return (original / n_original, release / n_release) if n_original and n_release else None
