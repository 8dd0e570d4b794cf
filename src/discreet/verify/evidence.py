"""What checks may look at: the claims, the released rows, stated hierarchies, the original."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.verify.certificate import refuse_repeats

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.limits import Progress
    from discreet.verify.certificate import Claims


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Claims, released rows (a suppressed cell is null) and, if given, the original.

    ``files`` has the content of each certified file. ``given`` is the original as it was given,
    ``original`` the same as a table, where rows are held against it, and ``matched`` that in the
    same codes as the rows.
    """

    claims: Claims
    rows: pl.DataFrame
    files: Mapping[str, bytes] = field(default_factory=dict)
    given: object = None
    hierarchies: dict[str, Stated] = field(default_factory=dict)
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


# The hierarchies that a release states, read by their published format alone.
#
# A hierarchy is a list of lines, one for each value, from the value to the root. Labels are texts
# that nothing is computed from; one label may stand for several groups.

Text: TypeAlias = str | None

Span: TypeAlias = tuple[int, int]

HIERARCHIES_FILE = "hierarchies.json"

SUPPRESSED = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One hierarchy: its values have places such that those of every group stand together.

    Attributes
    ----------
    place_of : dict of text to int
        The place of each value as text; None is a missing one.
    spans : dict of text to tuple of pairs
        For each label the places under it, as runs that do not touch: of all groups that bear
        it.
    chains : tuple of tuples of pairs
        For each place its groups, from itself alone to everything, each once.
    """

    place_of: dict[Text, int]
    spans: dict[Text, tuple[Span, ...]]
    chains: tuple[tuple[Span, ...], ...]

    @property
    def heights(self) -> dict[Span, int]:
        """How many groups lie one in another below each group, at the most."""
        spans = {span for chain in self.chains for span in chain}
        found = dict.fromkeys(spans, 0)
        for span in sorted(spans, key=lambda span: span[1] - span[0]):  # what is inside first
            chain = self.chains[span[0]]
            above = chain[chain.index(span) + 1 :]
            if above:
                found[above[0]] = max(found[above[0]], found[span] + 1)
        return found


def read_stated(content: bytes) -> dict[str, Stated]:
    """Return column to hierarchy from the content of ``hierarchies.json``.

    Raises
    ------
    DataError
        If it is not of that form; the column is named.

    Examples
    --------
    >>> lines = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
    >>> text = {"version": 1, "columns": {"x": {"version": 1, "name": "x", "levels": lines}}}
    >>> tree = read_stated(json.dumps(text).encode())["x"]
    >>> tree.spans["ab"], tree.chains[tree.place_of["c"]]
    (((0, 2),), ((2, 3), (0, 3)))
    """
    try:
        values = json.loads(content.decode(), object_pairs_hook=refuse_repeats)
    except (ValueError, RecursionError):
        raise DataError(f"{HIERARCHIES_FILE} is not whole JSON.") from None
    if not isinstance(values, dict) or set(values) != {"version", "columns"}:
        raise DataError(f"{HIERARCHIES_FILE} has no version or no columns.")
    if values["version"] != 1 or not isinstance(values["columns"], dict):
        raise DataError(f"{HIERARCHIES_FILE} is of a version that this verifier does not know.")
    return {name: _stated(name, stored) for name, stored in values["columns"].items()}


def flat(values: Iterable[object]) -> Stated:
    """Return what is stated of a column without a hierarchy: a value is kept or suppressed.

    Examples
    --------
    >>> flat(["f", "m"]).spans
    {'f': ((0, 1),), 'm': ((1, 2),), '*': ((0, 2),), None: ((0, 2),)}
    """
    texts = [None if value is None else str(value) for value in values]
    place_of = {text: place for place, text in enumerate(texts)}
    everything = (0, len(texts))
    spans: dict[Text, tuple[Span, ...]] = {
        text: ((place, place + 1),) for place, text in enumerate(texts)
    }
    spans |= {SUPPRESSED: (everything,), None: (everything,)}
    chains = tuple(
        ((place, place + 1), everything) if len(texts) > 1 else (everything,)
        for place in range(len(texts))
    )
    return Stated(place_of=place_of, spans=spans, chains=chains)


def _stated(column: str, stored: Any) -> Stated:  # noqa: ANN401  any JSON
    """Return the hierarchy of one column."""
    lines = stored.get("levels") if isinstance(stored, dict) else None
    if not isinstance(lines, list) or not lines or not all(map(_is_line, lines)):
        raise _fault(column, "has no lines from a value to the root")
    if len({(len(line), str(line[-1])) for line in lines}) > 1:
        raise _fault(column, "has lines of different lengths, or that end in different roots")
    paths = [(_text(line[0]), *map(str, line[1:])) for line in lines]
    # Sorted from the root down, so that the values of every group stand together.
    paths.sort(key=lambda path: [text or "" for text in reversed(path)])
    place_of = {path[0]: place for place, path in enumerate(paths)}
    if len(place_of) < len(paths):
        raise _fault(column, "has two lines for one value")
    found: dict[Text, set[Span]] = {}
    chains: list[list[Span]] = [[(place, place + 1)] for place in range(len(paths))]
    for place, path in enumerate(paths):
        found.setdefault(path[0], set()).add((place, place + 1))
    for level in range(1, len(paths[0])):
        for start, stop in _runs([path[level:] for path in paths]):
            found.setdefault(paths[start][level], set()).add((start, stop))
            for place in range(start, stop):
                if chains[place][-1] != (start, stop):
                    chains[place].append((start, stop))
    if any(chain[-1] != (0, len(paths)) for chain in chains):
        raise _fault(column, "has no root above all values")
    spans = {text: _joined(each) for text, each in found.items()}
    return Stated(place_of=place_of, spans=spans, chains=tuple(map(tuple, chains)))


def _is_line(line: object) -> bool:
    return (
        isinstance(line, list)
        and len(line) > 0
        and isinstance(line[0], str | int | float | None)
        and all(isinstance(label, str) for label in line[1:])
    )


def _runs(keys: Sequence[object]) -> list[Span]:
    """Return the runs of equal members of a sequence."""
    starts = [i for i in range(len(keys)) if i == 0 or keys[i] != keys[i - 1]]
    return list(zip(starts, [*starts[1:], len(keys)], strict=True))


def _joined(spans: set[Span]) -> tuple[Span, ...]:
    """Return the same places as runs that neither overlap nor touch."""
    joined: list[Span] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
        else:
            joined.append((start, stop))
    return tuple(joined)


def _text(value: object) -> Text:
    return None if value is None else str(value)


def _fault(column: str, what: str) -> DataError:
    return DataError(
        f"{HIERARCHIES_FILE}: the hierarchy of column '{column}' {what}.", column=column
    )


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
