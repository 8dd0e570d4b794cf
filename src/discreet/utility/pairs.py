"""An original and its release side by side: the same columns, one coding for both.

Two tables may number the same values differently, so nothing here compares codes of one table
with codes of the other: every column is coded anew over the values of both.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.column import check_rows
from discreet.data.table import as_table
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.release.release import Release

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import Column, Label
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
