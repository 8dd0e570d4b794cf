"""What checks may look at: the claims, the released rows, stated hierarchies, the original."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.limits import Progress
    from discreet.verify.certificate import Claims
    from discreet.verify.hierarchies import Span, Stated, Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Claims, released rows (a suppressed cell is null) and, if given, the original.

    ``files`` has the content of each certified file. ``given`` is the original as it was given,
    ``original`` the same as a table, where rows are held against it, and ``matched`` that in the
    same codes as the rows. ``trees`` are whole hierarchies, which the checker has from elsewhere.
    """

    claims: Claims
    rows: pl.DataFrame
    files: Mapping[str, bytes] = field(default_factory=dict)
    given: object = None
    hierarchies: dict[str, Stated] = field(default_factory=dict)
    trees: Mapping[str, Hierarchy] = field(default_factory=dict)
    original: Table | None = None
    matched: Matched | None = None
    progress: Progress | None = None


def class_sizes(rows: pl.DataFrame, columns: Sequence[str]) -> NDArray[np.uint32]:
    """Return for each row how many rows are equal to it in some columns, ``*`` being a value.

    Examples
    --------
    >>> rows = pl.DataFrame({"sex": ["f", "f", None, "m"]})
    >>> class_sizes(rows, ["sex"]).tolist()
    [2, 2, 1, 1]
    """
    # Null is a group of its own in polars: a suppressed cell equals suppressed cells only.
    return rows.select(pl.len().over(list(columns))).to_series().to_numpy()


def small_classes(sizes: NDArray[np.uint32], k: int) -> str | None:
    """Return in words what is wrong with classes below k, without values; None if none is.

    Examples
    --------
    >>> small_classes(np.array([2, 2, 1], np.uint32), 2)
    '1 row is in classes of fewer than 2; the smallest class has 1 (row 3 of the data)'
    """
    n_below = int((sizes < k).sum())
    if not n_below:
        return None
    least = sizes.min()
    where = np.flatnonzero(sizes == least)[:3] + 1
    listed = ", ".join(map(str, where.tolist()))
    rows = "1 row is" if n_below == 1 else f"{n_below:,} rows are"
    return (
        f"{rows} in classes of fewer than {k}; the smallest class has {least} "
        f"({'row' if len(where) == 1 else 'rows'} {listed} of the data)"
    )


# Released rows beside the original: values distinguished by what they are written as.
#
# A number that a text file made a text, or the other way round, is the same value. A suppressed
# cell matches everything; a value that the original lacks matches nothing.

INVENTED = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The original and the release in the same codes, column by column.

    ``original`` and ``released`` have an integer for each value; a suppressed cell is null and a
    value that the original lacks is :data:`INVENTED`. ``absent`` are released columns that the
    original does not have, ``other_type`` those whose values are text on one side only.
    """

    original: pl.DataFrame
    released: pl.DataFrame
    absent: tuple[str, ...]
    other_type: frozenset[str]
    identifying: tuple[str, ...]

    @property
    def invented(self) -> tuple[str, ...]:
        """The columns with released values that they do not have in the original."""
        return tuple(
            name for name in self.released.columns if (self.released[name] == INVENTED).any()
        )


def match(original: Table, rows: pl.DataFrame) -> Matched:
    """Return the original and released rows in the same codes.

    Parameters
    ----------
    original : Table
        What the release was made from.
    rows : DataFrame
        The released rows.

    Returns
    -------
    Matched
        With the released columns that the original has.
    """
    release = Table.from_frame(rows, categorical=True)
    shared = [name for name in release.columns if name in original.columns]
    before: dict[str, pl.Series] = {}
    after: dict[str, pl.Series] = {}
    other_type = set()
    for name in shared:
        had, has = original.values(name), release.values(name)
        code_of = {str(label): code for code, label in enumerate(had) if label is not None}
        codes = [None if label is None else code_of.get(str(label), INVENTED) for label in has]
        new = pl.Series(codes, dtype=pl.Int64)
        before[name] = pl.Series(original.codes(name).astype(np.int64))
        after[name] = new.gather(release.codes(name).astype(np.uint32))
        if _is_text(had) != _is_text(has):
            other_type.add(name)
    return Matched(
        original=pl.DataFrame(before),
        released=pl.DataFrame(after),
        absent=tuple(name for name in release.columns if name not in original.columns),
        other_type=frozenset(other_type),
        identifying=tuple(name for name in shared if original.role(name) == "identifying"),
    )


def _is_text(labels: Sequence[Label]) -> bool:
    return any(isinstance(label, str) for label in labels)


def supports(
    matched: Matched, columns: Sequence[str], *, progress: Progress | None = None
) -> pl.DataFrame:
    """Return in how many rows of the original each distinct released row is contained.

    A row is contained in another if the other has the same value wherever it shows one.

    Parameters
    ----------
    matched : Matched
        Released rows and original.
    columns : sequence of str
        The columns to look at, all in both.
    progress : Progress, optional
        Called with the share of the work done.

    Returns
    -------
    DataFrame
        One row for each distinct released row: ``n_released`` times released, contained in
        ``support`` rows of the original.

    Notes
    -----
    Distinct rows that show the same columns are counted together: one pass over the distinct
    rows of the original for each set of columns shown.
    """
    short = {name: f"c{i}" for i, name in enumerate(columns)}
    keys = list(short.values())
    weighted = matched.original.select(columns).rename(short).group_by(keys).len("weight")
    distinct = matched.released.select(columns).rename(short).group_by(keys).len("n_released")
    shown = [pl.col(key).is_not_null().alias(f"shows {key}") for key in keys]
    parts = distinct.with_columns(shown).partition_by([f"shows {key}" for key in keys])
    counted = []
    for place, part in enumerate(parts):
        if progress is not None:
            progress(place / len(parts))
        visible = [key for key in keys if part[key].null_count() == 0]
        counted.append(_supports_of(part, visible, weighted))
    none = pl.DataFrame(schema={"n_released": pl.Int64, "support": pl.Int64})
    return pl.concat([none, *counted])


def _supports_of(part: pl.DataFrame, visible: list[str], weighted: pl.DataFrame) -> pl.DataFrame:
    """Return times released and support of rows that all show the same columns."""
    total = pl.col("weight").sum().cast(pl.Int64).alias("support")
    if visible:
        wanted = weighted.join(part.select(visible), on=visible, how="semi")
        found = part.join(wanted.group_by(visible).agg(total), on=visible, how="left")
    else:
        found = part.join(weighted.select(total), how="cross")
    return found.select(pl.col("n_released").cast(pl.Int64), pl.col("support").fill_null(0))


# Which rows of an original lie under what a released row shows.
#
# Values of a column have places, and what a cell shows are runs of places. Distinct released
# rows are looked at column by column: rows that share the first columns share the search.


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
        Called with the share of the work done.

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
