"""One categorical column: a small integer per row and the list of values they stand for.

Codes have the smallest unsigned type that fits and cannot be written to. Every listed value
occurs in some row, and a missing value, if there is one, is listed last as ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FrameKind: TypeAlias = Literal["polars", "pandas", "pyarrow", "duckdb"]
Missing: TypeAlias = Literal["value", "drop", "refuse"]
Label: TypeAlias = str | int | float | bool | Decimal | date | time | timedelta | None
Codes: TypeAlias = NDArray[np.unsignedinteger]
LABEL_TYPES = (str, bool, int, float, Decimal, date, time, timedelta)


MAX_DISTINCT_NUMBERS = 64  # whole numbers with more values are measurements, not categories


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """Codes and the values they stand for; made by :func:`make_column`.

    Parameters
    ----------
    codes : array of uint8, uint16 or uint32
        One per row, read-only; code ``i`` means ``values[i]``.
    values : tuple
        The labels in order; ``None`` (missing) last.
    dtype : object, optional
        The type of the column in the frame it came from, as that library calls it.
    """

    codes: Codes
    values: tuple[Label, ...]
    dtype: object = None

    def __reduce__(self) -> tuple[Callable[..., Column], tuple[object, ...]]:
        """Pickle so that the codes of the copy are read-only too."""
        return make_column, (self.codes, self.values, self.dtype)

    @property
    def missing_code(self) -> int | None:
        """The code that means missing, or None if no value is missing."""
        last = len(self.values) - 1
        return last if last >= 0 and self.values[last] is None else None

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Column:
        """Return the column at these rows; values that no longer occur are dropped."""
        return make_column(self.codes[rows], self.values, self.dtype)

    def equals(self, other: Column) -> bool:
        """Say whether values (with their types) and codes are the same."""
        return (
            self.values == other.values
            and [type(value) for value in self.values] == [type(value) for value in other.values]
            and np.array_equal(self.codes, other.codes)
        )


def code_dtype(n_values: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned integer type for codes 0 to ``n_values - 1``.

    Examples
    --------
    >>> code_dtype(256), code_dtype(257)
    (dtype('uint8'), dtype('uint16'))
    """
    for kind in (np.uint8, np.uint16):
        if n_values <= np.iinfo(kind).max + 1:
            return np.dtype(kind)
    return np.dtype(np.uint32)


def make_column(
    codes: NDArray[np.integer], values: Sequence[Label], dtype: object = None
) -> Column:
    """Return a column of these codes, without the values that do not occur, None last.

    Parameters
    ----------
    codes : array of integers
        One per row, each a position in ``values``.
    values : sequence
        The labels; the order is kept, except that ``None`` goes last.
    dtype : object, optional
        The type of the column in the frame it came from.

    Returns
    -------
    Column
        With codes of its own, in the smallest type, read-only.

    Examples
    --------
    >>> column = make_column(np.array([2, 0, 2]), ["a", "b", "c"])
    >>> column.values, column.codes
    (('a', 'c'), array([1, 0, 1], dtype=uint8))
    """
    n_values = len(values)
    occurs = np.bincount(codes, minlength=n_values) > 0 if len(codes) else np.zeros(n_values, bool)
    order = [i for i in np.flatnonzero(occurs).tolist() if values[i] is not None]
    order += [i for i in np.flatnonzero(occurs).tolist() if values[i] is None]
    kind = code_dtype(len(order))
    if order == list(range(n_values)):
        kept = codes.astype(kind)
    else:
        lookup = np.zeros(max(n_values, 1), kind)
        lookup[order] = np.arange(len(order), dtype=kind)
        kept = lookup[codes]
    kept.flags.writeable = False
    return Column(kept, tuple(values[i] for i in order), dtype)


def check_labels(column: str, values: Sequence[object]) -> None:
    """Raise DataError unless the labels are plain values of one type, each listed once."""
    kinds: dict[type, object] = {}
    for value in values:
        if value is None:
            continue
        if not isinstance(value, LABEL_TYPES):
            raise DataError(
                f"Column '{column}' holds a {type(value).__name__}, which cannot be a category.",
                column=column,
                remedy="Turn it into text, a number or a date first.",
            )
        kinds.setdefault(type(value), value)
    if len(kinds) > 1:
        shown = " and ".join(f"{kind.__name__} ({value!r})" for kind, value in kinds.items())
        raise DataError(
            f"Column '{column}' mixes {shown}.",
            column=column,
            remedy="Make all its values one type.",
        )
    if len(set(values)) != len(values):
        twice = next(value for value in values if list(values).count(value) > 1)
        raise DataError(
            f"Column '{column}' has two values that both read {twice!r}. Times finer than a "
            "microsecond, and repeated labels, must be made different or merged first.",
            column=column,
        )


def checked_column(
    name: str, codes: NDArray[np.generic], values: Sequence[Label], old: Column | None
) -> Column:
    """Return the column of codes from outside, or raise DataError if they make no sense.

    The type of the old column is taken over if all labels are also labels there.
    """
    labels = list(values)
    check_labels(name, labels)
    if codes.ndim != 1 or (codes.dtype.kind not in "iu" and len(codes)):
        raise DataError(
            f"The codes of column '{name}' are not a list of whole numbers.", column=name
        )
    whole = codes.astype(np.int64)
    wrong = np.flatnonzero((whole < 0) | (whole >= len(labels)))
    if len(wrong):
        raise DataError(
            f"Column '{name}' has code {whole[wrong[0]]} in row {wrong[0]} (counting from 0), "
            f"but values for 0 to {len(labels) - 1} only.",
            column=name,
        )
    known = old is not None and {*labels, None} <= {*old.values, None}
    return make_column(whole, labels, old.dtype if old is not None and known else None)


def check_rows(rows: NDArray[np.generic], n_rows: int) -> NDArray[np.bool_] | NDArray[np.int64]:
    """Return positions or a mask of rows, or raise ParameterError."""
    if rows.dtype == np.bool_ and rows.shape == (n_rows,):
        return rows.astype(np.bool_)
    if rows.ndim == 1 and (rows.dtype.kind in "iu" or not len(rows)):
        places = rows.astype(np.int64)
        if ((places >= -n_rows) & (places < n_rows)).all():
            return places
    raise ParameterError(
        f"Rows are positions from 0 to {n_rows - 1}, or {n_rows} booleans, one for each row.",
        parameter="rows",
    )
