"""What checks may look at: the claims, the released rows, stated hierarchies, the original."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

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
    rows of the original for each set of columns shown. Where only few show the same, as in wide
    tables, each is looked up by its rarest value first.
    """
    short = {name: f"c{i}" for i, name in enumerate(columns)}
    keys = list(short.values())
    weighted = matched.original.select(columns).rename(short).group_by(keys).len("weight")
    distinct = matched.released.select(columns).rename(short).group_by(keys).len("n_released")
    shown = [pl.col(key).is_not_null().alias(f"shows {key}") for key in keys]
    parts = distinct.with_columns(shown).partition_by([f"shows {key}" for key in keys])
    counted = []
    one_by_one = _Lookup(weighted, keys)
    for place, part in enumerate(parts):
        if progress is not None:
            progress(place / len(parts))
        visible = [key for key in keys if part[key].null_count() == 0]
        if visible and part.height <= FEW_ROWS:
            counted.append(one_by_one.supports_of(part, visible))
        else:
            counted.append(_supports_of(part, visible, weighted))
    none = pl.DataFrame(schema={"n_released": pl.Int64, "support": pl.Int64})
    return pl.concat([none, *counted])


FEW_ROWS = 8


class _Lookup:
    """The distinct rows of the original by the value of each column, sorted when first asked."""

    def __init__(self, weighted: pl.DataFrame, keys: Sequence[str]) -> None:
        self.codes = {key: weighted[key].to_numpy() for key in keys}
        self.weights = weighted["weight"].to_numpy()
        self.sorted: dict[str, tuple[NDArray[np.intp], NDArray[np.int64]]] = {}

    def supports_of(self, part: pl.DataFrame, visible: list[str]) -> pl.DataFrame:
        """Return times released and support of rows that all show the same columns."""
        found = [
            self._support(dict(zip(visible, row, strict=True)))
            for row in part.select(visible).iter_rows()
        ]
        n_released = part["n_released"].cast(pl.Int64)
        return pl.DataFrame([n_released, pl.Series("support", found, pl.Int64)])

    def _support(self, shown: dict[str, int]) -> int:
        runs = {key: self._rows_with(key, code) for key, code in shown.items()}
        rarest, *rest = sorted(shown, key=lambda key: len(runs[key]))
        rows = runs[rarest]
        for key in rest:
            rows = rows[self.codes[key][rows] == shown[key]]
        return int(self.weights[rows].sum())

    def _rows_with(self, key: str, code: int) -> NDArray[np.intp]:
        if key not in self.sorted:
            order = np.argsort(self.codes[key], kind="stable")
            self.sorted[key] = order, self.codes[key][order]
        order, codes = self.sorted[key]
        first, last = np.searchsorted(codes, [code, code + 1])
        return order[first:last]


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


# Few values at a time: every set of columns up to a size, in the original and the release.


class Rare(NamedTuple):
    """A released row, and columns in which few rows of the original have what it shows."""

    row: int
    columns: tuple[str, ...]


class FewValues:
    """All sets of at most ``most`` values that released rows show, beside the original.

    Columns are added one by one. Rows, of the original and of the release, that agree so far
    have a number in common, and with one column more a number of two digits. Rows of the
    original are passed over as soon as they agree with no released row.
    """

    def __init__(
        self,
        matched: Matched,
        columns: Sequence[str],
        *,
        whose: NDArray[np.int64] | None,
        floor: int,
        most: int,
    ) -> None:
        self.columns, self.floor, self.most, self.whose = tuple(columns), floor, most, whose
        self.most_each = 1 if whose is None else int(np.bincount(whose).max(initial=1))
        self.before = [matched.original[name].to_numpy() for name in columns]
        # What the original lacks is in no row of it: a code that it does not have either.
        shown = [matched.released[name] for name in columns]
        self.sizes = [int(codes.max(initial=-1)) + 2 for codes in self.before]
        self.after = [
            np.where(codes == INVENTED, size - 1, codes)
            for codes, size in zip(
                (each.fill_null(_NOTHING).to_numpy() for each in shown), self.sizes, strict=True
            )
        ]

    def first_rare(self, progress: Progress | None) -> Rare | None:
        """Return a row with too rare a combination, or None."""
        n_before, n_after = len(self.before[0]), len(self.after[0])
        none = np.zeros(n_before, np.int64), np.zeros(n_after, np.int64)
        rows = np.arange(n_before), np.arange(n_after)
        return self._look((), rows, none, progress)

    def _look(
        self,
        chosen: tuple[int, ...],
        rows: tuple[NDArray[np.int64], NDArray[np.int64]],
        keys: tuple[NDArray[np.int64], NDArray[np.int64]],
        progress: Progress | None,
    ) -> Rare | None:
        """Return what is rare in the chosen columns with others after them."""
        (before, after), (key, key_after) = rows, keys
        for column in range(chosen[-1] + 1 if chosen else 0, len(self.columns)):
            if progress is not None and len(chosen) < 2:
                progress((column if not chosen else chosen[0]) / len(self.columns))
            size = self.sizes[column]
            code = self.after[column][after]
            shows = code != _NOTHING
            wanted = (key_after * size + code)[shows]
            if not len(wanted):
                continue
            had = key * size + self.before[column][before]
            n_keys = (int(key.max(initial=0)) + 1) * size
            rare = self._rare(had, wanted, n_keys, before)
            with_it = (*chosen, column)
            if rare.any():
                row = int(after[shows][int(rare.argmax())])
                return Rare(row, tuple(self.columns[each] for each in with_it))
            if len(with_it) == self.most:
                continue
            known, numbered = np.unique(wanted, return_inverse=True)
            place = np.minimum(np.searchsorted(known, had), len(known) - 1)
            fits = known[place] == had
            found = self._look(
                with_it, (before[fits], after[shows]), (place[fits], numbered), progress
            )
            if found is not None:
                return found
        return None

    def _rare(
        self,
        had: NDArray[np.int64],
        wanted: NDArray[np.int64],
        n_keys: int,
        rows: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Say which of the wanted numbers too few rows, or people, of the original have."""
        counts = _counts(had, wanted, n_keys)
        if self.whose is None:
            return counts < self.floor
        # With so many rows no people are needed to know that there are enough.
        unsure = counts < self.floor * self.most_each
        if not unsure.any():
            return unsure
        asked = np.isin(had, wanted[unsure])
        whose = self.whose[rows[asked]]
        n_people = int(self.whose.max()) + 1
        pairs = np.unique(had[asked] * n_people + whose) // n_people
        rare = np.zeros(len(wanted), np.bool_)
        rare[unsure] = _counts(pairs, wanted[unsure], n_keys) < self.floor
        return rare


_NOTHING = -2  # code of a cell that shows nothing


def _counts(had: NDArray[np.int64], wanted: NDArray[np.int64], n_keys: int) -> NDArray[np.int64]:
    """Return how often each wanted number is there."""
    if n_keys <= max(4 * len(had), 2**16):
        return np.bincount(had, minlength=n_keys)[wanted]
    known, counts = np.unique(had, return_counts=True)
    if not len(known):
        return np.zeros(len(wanted), np.int64)
    place = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    return np.where(known[place] == wanted, counts[place], 0)
