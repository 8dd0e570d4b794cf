"""An original and its release side by side: the same columns, one coding for both.

Two tables may number the same values differently, so nothing here compares codes of one table
with codes of the other: every column is coded anew over the values of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.data.column import check_rows
from discreet.data.table import as_table
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.release.contents import shown_cells
from discreet.release.release import Release

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import Column, Label
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedColumn:
    """One column of both tables in one coding.

    Code ``i`` means ``labels[i]`` in both tables. Labels are ordered by their text, so that the
    coding depends on the values only; ``None``, missing or suppressed, is always there and last.
    """

    name: str
    labels: tuple[Label, ...]
    original: NDArray[np.int64]
    release: NDArray[np.int64]

    @property
    def suppressed(self) -> int:
        """The code of a missing or suppressed cell."""
        return len(self.labels) - 1


def released(release: object, *, rows: ArrayLike | None = None) -> tuple[Table, ArrayLike | None]:
    """Return the table of a release, and the row of the original that each of its rows came from.

    Parameters
    ----------
    release : Release, Table or frame
        A release in memory knows its rows. A table or frame has those of the original, in the
        same order, unless ``rows`` says otherwise.
    rows : array, optional
        As in :func:`match_rows`.

    Raises
    ------
    DataError
        If a release does not know its rows: one that was read from a folder, or that has
        synthetic rows, and ``rows`` does not say it either.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table, rows = released({"sex": ["f", "m"]})
    >>> table.n_rows, rows is None
    (2, True)
    """
    if isinstance(release, Release) and rows is None:
        if release.input_rows is None:
            raise DataError(
                "This release does not know which row of the original each of its rows came "
                "from: it was read from a folder, or its rows are synthetic.",
                remedy=(
                    "Give {rows}, or compare it as a whole, by marginal_fidelity or "
                    "itemset_fidelity."
                ),
                options={"rows": ...},
            )
        rows = release.input_rows
    return as_table(release), rows


def pair_columns(original: Table, release: Table) -> tuple[PairedColumn, ...]:
    """Return the columns of two tables in one coding, in the order of the original.

    Parameters
    ----------
    original, release : Table
        Columns that are identifying in either table are ignored; the order of the release's
        columns does not matter.

    Returns
    -------
    tuple of PairedColumn
        Values are matched by label. Numbers are matched as numbers (31 is 31.0). If the two
        columns have labels of different types otherwise, their texts are matched, because a
        release that generalizes 31 and 32 to ``"[30, 40)"`` has to write 45 as ``"45"``.

    Raises
    ------
    DataError
        If one table has a column that the other has not; the first such column is named.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> original = Table.from_frame({"sex": ["f", "m"]})
    >>> (sex,) = pair_columns(original, Table.from_frame({"sex": ["m", None]}))
    >>> sex.labels, sex.original, sex.release
    (('f', 'm', None), array([0, 1]), array([1, 2]))
    """
    left_out = {*original.identifying, *release.identifying}
    names = [name for name in original.columns if name not in left_out]
    for name in names:
        if name not in release.columns:
            hint = did_you_mean(name, [other for other in release.columns if other not in left_out])
            raise DataError(
                f"The release has no column '{name}', which the original has.",
                column=name,
                remedy=hint,
            )
    for name in release.columns:
        if name not in left_out and name not in names:
            hint = did_you_mean(name, names)
            raise DataError(
                f"The original has no column '{name}', which the release has.",
                column=name,
                remedy=hint,
            )
    return tuple(_paired(name, original.column(name), release.column(name)) for name in names)


def match_rows(rows: ArrayLike | None, *, original: Table, release: Table) -> NDArray[np.int64]:
    """Return, for each row of the release, the row of the original that it came from.

    Parameters
    ----------
    rows : array, optional
        Positions in the original, one for each row of the release, or one boolean for each row
        of the original. By default the release has all rows, in the same order.
    original, release : Table
        The two tables.

    Raises
    ------
    DataError
        If ``rows`` is not given and the tables have different numbers of rows.
    ParameterError
        If ``rows`` has the wrong length, is out of range, or names a row twice.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> original = Table.from_frame({"sex": ["f", "m", "m"]})
    >>> match_rows([False, True, True], original=original, release=original.take([1, 2]))
    array([1, 2])
    """
    if rows is None:
        if original.n_rows != release.n_rows:
            raise DataError(
                f"The original has {original.n_rows:,} rows and the release {release.n_rows:,}: "
                "give {rows}, the row of the original that each row of the release came from.",
                options={"rows": ...},
            )
        return np.arange(original.n_rows)
    chosen = check_rows(np.asarray(rows), original.n_rows)
    places = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64)
    places = np.where(places < 0, places + original.n_rows, places)
    if len(places) != release.n_rows:
        raise ParameterError(
            f"rows names {len(places):,} rows of the original, but the release has "
            f"{release.n_rows:,}.",
            parameter="rows",
        )
    if len(np.unique(places)) != len(places):
        twice = int(np.flatnonzero(np.bincount(places) > 1)[0])
        raise ParameterError(
            f"rows names row {twice:,} of the original more than once.", parameter="rows"
        )
    return places


def commonest(
    pairs: Sequence[PairedColumn], max_values: int | None
) -> tuple[dict[str, PairedColumn], tuple[str, ...]]:
    """Return columns of at most so many values, by name, and those whose rarer ones became one.

    Which values are common is counted in both tables. A missing or suppressed cell stays one.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table = Table.from_frame({"job": ["a", "a", "b", "b", "c", "d"]})
    >>> found, pooled = commonest(pair_columns(table, table), 3)
    >>> pooled, found["job"].labels, found["job"].original.tolist()
    (('job',), ('a', 'b', 'other values', None), [0, 0, 1, 1, 2, 2])
    """
    found, pooled = {}, []
    for pair in pairs:
        n_values = len(pair.labels) - 1
        if max_values is None or n_values <= max_values:
            found[pair.name] = pair
            continue
        pooled.append(pair.name)
        both = np.concatenate([pair.original, pair.release])
        counts = np.bincount(both, minlength=n_values + 1)
        kept = np.sort(np.argsort(-counts[:-1], kind="stable")[: max_values - 1])
        new = np.full(n_values + 1, len(kept), np.int64)
        new[kept] = np.arange(len(kept))
        new[-1] = len(kept) + 1
        found[pair.name] = PairedColumn(
            name=pair.name,
            labels=(*(pair.labels[code] for code in kept.tolist()), "other values", None),
            original=new[pair.original],
            release=new[pair.release],
        )
    return found, tuple(pooled)


class InGroups(NamedTuple):
    """Both tables in the groups that a release shows, and the columns that this concerns."""

    original: Table
    release: Table
    columns: tuple[str, ...]


def in_groups(
    original: Table, release: Table, hierarchies: Mapping[str, Hierarchy] | None
) -> InGroups:
    """Return an original and its release in the same groups, so that like is compared with like.

    Parameters
    ----------
    original, release : Table
        The two tables.
    hierarchies : mapping of str to Hierarchy or None
        The whole trees of the columns that were generalized.

    Returns
    -------
    InGroups
        In a column with a tree, every value of both tables is the largest group in the release
        that holds it: rows may show groups of several sizes, which overlap, and only the largest
        ones part the values. The root is a suppressed cell and no group.

    Examples
    --------
    >>> from discreet.data.hierarchy.tree import Hierarchy
    >>> from discreet.data.table import Table
    >>> jobs = Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder", "dev"]}})
    >>> before = Table.from_frame({"job": ["cook", "baker", "coder", "dev"]})
    >>> after = Table.from_frame({"job": ["cook", "food", "coder", "*"]})
    >>> found = in_groups(before, after, {"job": jobs})
    >>> [found.original.values("job")[code] for code in found.original.codes("job")]
    ['food', 'food', 'coder', 'dev']
    >>> [found.release.values("job")[code] for code in found.release.codes("job")]
    ['food', 'food', 'coder', None]
    """
    grouped = []
    for name, tree in (hierarchies or {}).items():
        if name not in original.columns or name not in release.columns:
            continue
        known = {str(label): node for node, label in reversed([*enumerate(tree.labels)])}
        used = np.bincount(release.codes(name), minlength=len(release.values(name)))
        shown = {
            known[str(value)]
            for value, n in zip(release.values(name), used, strict=True)
            if n and value is not None and str(value) in known
        }
        is_root = tree.n_leaves > 1
        shown -= {tree.root} if is_root else set()
        if all(node < tree.n_leaves for node in shown) and not any(
            str(value) == str(tree.labels[tree.root]) for value in release.values(name)
        ):
            continue  # nothing but values
        grouped.append(name)
        original, release = (
            _in_groups_of(table, name, known, shown, tree) for table in (original, release)
        )
    return InGroups(original, release, tuple(grouped))


def grouped_tables(
    original: object, release: object, hierarchies: Mapping[str, Hierarchy] | None = None
) -> InGroups:
    """Return two tables as `in_groups` does; a Release in memory knows its hierarchies."""
    if isinstance(release, Release):
        hierarchies = release.hierarchies if hierarchies is None else hierarchies
        release = shown_cells(release) if release.kind == "rows" else release
    return in_groups(as_table(original), as_table(release), hierarchies)


def said_of_groups(columns: tuple[str, ...]) -> str:
    """Return what to say where groups were compared with groups.

    Examples
    --------
    >>> said_of_groups(("age", "job"))
    'Groups of age and job are compared with the same groups of the original.'
    """
    *others, last = columns
    names = f"{', '.join(others)} and {last}" if others else last
    return f"Groups of {names} are compared with the same groups of the original."


def _in_groups_of(
    table: Table, name: str, known: Mapping[str, int], shown: set[int], tree: Hierarchy
) -> Table:
    """Return a table, each value of one column replaced by the largest group shown above it."""
    labels: list[Label] = []
    for value in table.values(name):
        node = None if value is None else known.get(str(value))
        if node is None:
            labels.append(None if value is None else str(value))
        elif node == tree.root and tree.n_leaves > 1:
            labels.append(None)
        else:
            above = [node, *(up for up in tree.ancestors(node) if up in shown)]
            labels.append(str(tree.labels[above[-1]]))
    place = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    codes = np.array([place[label] for label in labels], np.int64)[table.codes(name)]
    return table.with_column(name, codes, [*place])


def _paired(name: str, original: Column, release: Column) -> PairedColumn:
    kinds = {_kind(original), _kind(release)} - {None}
    by_text = len(kinds) > 1
    keys = [
        [str(label) if by_text and label is not None else label for label in column.values]
        for column in (original, release)
    ]
    labels = sorted({*keys[0], *keys[1]} - {None}, key=str)
    code_of: dict[Label, int] = {label: code for code, label in enumerate((*labels, None))}
    coded = [
        np.array([code_of[key] for key in found], np.int64)[column.codes]
        for found, column in zip(keys, (original, release), strict=True)
    ]
    return PairedColumn(name=name, labels=tuple(code_of), original=coded[0], release=coded[1])


def _kind(column: Column) -> type | None:
    """Return the type of the labels, all numbers as one; None if no cell has a value."""
    kind = next((type(label) for label in column.values if label is not None), None)
    return float if kind in (int, float, Decimal) else kind
