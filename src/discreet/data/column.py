"""One categorical column: a small integer per row and the list of values they stand for.

Codes have the smallest unsigned type that fits and cannot be written to. Every listed value
occurs in some row, and a missing value, if there is one, is listed last as ``None``.

A set column has cells with several members, such as the diagnoses ``E11.9;I10``. Its labels are
canonical texts, so that equal sets are equal cells; the members of each are worked out from them.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FrameKind: TypeAlias = Literal["polars", "pandas", "pyarrow", "duckdb"]
Missing: TypeAlias = Literal["value", "stated", "drop", "refuse"]
Label: TypeAlias = str | int | float | bool | Decimal | date | time | timedelta | None
Codes: TypeAlias = NDArray[np.unsignedinteger]
LABEL_TYPES = (str, bool, int, float, Decimal, date, time, timedelta)


STATED = "missing"  # what a missing cell shows where it is to differ from a suppressed one

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
    separator : str, optional
        Of a set column, what stands between the members of a cell.
    cut_by_rows : bool
        Whether the values are intervals whose edges were computed from the rows, such as quantiles.
    """

    codes: Codes
    values: tuple[Label, ...]
    dtype: object = None
    separator: str | None = None
    cut_by_rows: bool = False

    def __reduce__(self) -> tuple[Callable[..., Column], tuple[object, ...]]:
        """Pickle so that the codes of the copy are read-only too."""
        return make_column, (
            self.codes, self.values, self.dtype, self.separator, self.cut_by_rows
        )  # fmt: skip

    @property
    def missing_code(self) -> int | None:
        """The code that means missing, or None if no value is missing."""
        last = len(self.values) - 1
        return last if last >= 0 and self.values[last] is None else None

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Column:
        """Return the column at these rows; values that no longer occur are dropped."""
        return make_column(
            self.codes[rows], self.values, self.dtype, self.separator, self.cut_by_rows
        )

    def equals(self, other: Column) -> bool:
        """Say whether values (with their types), codes and separators are the same."""
        return (
            self.separator == other.separator
            and self.values == other.values
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
    codes: NDArray[np.integer],
    values: Sequence[Label],
    dtype: object = None,
    separator: str | None = None,
    cut_by_rows: bool = False,  # noqa: FBT001, FBT002  in the order of the fields, for pickling
) -> Column:
    """Return a column of these codes, without the values that do not occur, None last.

    A zero has no minus sign: both kinds of zero are the same number.

    Parameters
    ----------
    codes : array of integers
        One per row, each a position in ``values``.
    values : sequence
        The labels; the order is kept, except that ``None`` goes last.
    dtype : object, optional
        The type of the column in the frame it came from.
    separator : str, optional
        Of a set column, what stands between the members of a cell.
    cut_by_rows : bool
        Whether edges of intervals were computed from the rows.

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
    if any(isinstance(value, float) and value == 0 for value in values):
        values = [0.0 if isinstance(value, float) and value == 0 else value for value in values]
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
    return Column(kept, tuple(values[i] for i in order), dtype, separator, cut_by_rows)


def check_labels(column: str, values: Sequence[object]) -> None:
    """Raise DataError unless the labels are plain values of one type, each listed once."""
    kinds: dict[type, object] = {}
    for value in values:
        if value is None:
            continue
        if isinstance(value, float | Decimal) and math.isnan(value):
            raise DataError(
                f"Column '{column}' has the label NaN, which is no value.",
                column=column,
                remedy="Write None for what is missing.",
            )
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

    Type and separator of the old column are taken over if all labels are also labels there: what
    was generalized is no list of members any more.
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
    if old is None:
        return make_column(whole, labels)
    if not {*labels, None} <= {*old.values, None}:
        # Groups of categories are categories, too; any other type may not hold the new labels.
        return make_column(whole, labels, categories_of(old.dtype, labels))
    return make_column(whole, labels, old.dtype, old.separator)


def is_categorical(dtype: object) -> bool:
    """Say whether a frame's type of a column is one of categories, whatever the library.

    Examples
    --------
    >>> import polars as pl
    >>> is_categorical(pl.Categorical()), is_categorical(pl.String()), is_categorical(None)
    (True, False, False)
    """
    kind = type(dtype).__name__
    if kind in ("CategoricalDtype", "Categorical", "Enum"):
        return True
    if kind == "Field":  # of pyarrow
        return type(getattr(dtype, "type", None)).__name__ == "DictionaryType"
    return str(dtype).startswith("ENUM(")  # of duckdb


def categories_of(dtype: object, labels: Sequence[Label]) -> object:
    """Return a type of categories, of the same library, that lists these labels and no others.

    A type of categories lists values that no row has, so that one that came with the input is
    never passed on to what is published.

    Parameters
    ----------
    dtype : object
        The type that a column had in its frame.
    labels : sequence
        What the column shows now.

    Returns
    -------
    object
        None if the old type is none of categories, or the library has none for such labels.

    Examples
    --------
    >>> import polars as pl
    >>> categories_of(pl.Enum(["a", "b", "secret"]), ("b", None))
    Enum(categories=['b'])
    """
    present = [label for label in labels if label is not None]
    all_text = all(isinstance(label, str) for label in present)
    if not is_categorical(dtype):
        return None
    given: Any = dtype  # of a library that may not be installed here
    kind = type(dtype).__name__
    if kind == "CategoricalDtype":
        return type(given)(present, ordered=given.ordered and {*present} <= {*given.categories})
    if kind == "Field":
        pyarrow = importlib.import_module("pyarrow")
        values = pyarrow.string() if all_text else given.type.value_type
        known = pyarrow.dictionary(pyarrow.int32(), values, ordered=given.type.ordered)
        return pyarrow.field(given.name, known)
    if not all_text:
        return None
    if kind in ("Categorical", "Enum"):
        return importlib.import_module("polars").Enum(present)
    return enum_of(present)


def enum_of(labels: Sequence[Label]) -> str | None:
    """Return duckdb's type of these categories; None where it has none for them.

    Examples
    --------
    >>> enum_of(("Val-d'Or", None)), enum_of((3, 4))
    ("ENUM('Val-d''Or')", None)
    """
    present = [label for label in labels if label is not None]
    if not present or not all(isinstance(label, str) for label in present):
        return None
    quoted = ", ".join("'" + str(label).replace("'", "''") + "'" for label in present)
    return f"ENUM({quoted})"


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


# Cells with several members.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Members:
    """Which members each value of a column has; made by ``Table.members``.

    Value ``i`` of the column has the members ``codes[offsets[i] : offsets[i + 1]]``, which stand
    for ``values``. In a column that is no set column every value is its own only member; a
    missing cell has the one member ``None``.

    Parameters
    ----------
    offsets : array of int64
        One more than the column has values, from 0 on.
    codes : array of int64
        Positions in ``values``, ascending within each value of the column.
    values : tuple
        The members, sorted; ``None`` last.
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int64]
    values: tuple[Label, ...]

    @property
    def n_members(self) -> NDArray[np.int64]:
        """How many members each value of the column has."""
        return np.diff(self.offsets)

    def of_rows(self, codes: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return one pair of a row and a member for every member of every row.

        Parameters
        ----------
        codes : array of integers
            The codes of the column's rows, such as ``table.codes(column)``.

        Returns
        -------
        rows, members : arrays of int64
            By row; members ascending within a row, as positions in ``values``.
        """
        starts = self.offsets[codes]
        sizes = self.offsets[codes.astype(np.int64) + 1] - starts
        rows = np.repeat(np.arange(len(codes)), sizes)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return rows, self.codes[np.repeat(starts, sizes) + within]


def members_of(column: Column) -> Members:
    """Return which members each value of a column has; see :class:`Members`.

    Examples
    --------
    >>> column = as_set_column("d", make_column(np.arange(3), ["b;a", "a", None]), ";")
    >>> column.values, members_of(column).values, members_of(column).codes
    (('a', 'a;b', None), ('a', 'b', None), array([0, 0, 1, 2]))
    """
    if column.separator is None:
        places = np.arange(len(column.values))
        return Members(offsets=np.arange(len(places) + 1), codes=places, values=column.values)
    cells: list[Sequence[Label]] = [
        [None] if value is None else _split(str(value), column.separator) for value in column.values
    ]
    texts = sorted({str(text) for cell in cells for text in cell if text is not None})
    values: tuple[Label, ...] = (*texts, *([None] if None in column.values else []))
    place = {value: i for i, value in enumerate(values)}
    return Members(
        offsets=np.cumsum([0, *map(len, cells)], dtype=np.int64),
        codes=np.array([place[text] for cell in cells for text in cell], np.int64),
        values=values,
    )


def check_sets(sets: Mapping[str, object] | None) -> dict[str, str]:
    """Return column to separator, each of which is one character that no member begins with.

    Raises
    ------
    ParameterError
        If a separator is longer, a letter, a digit, a quote, or the end of a line.
    """
    for column, separator in (sets or {}).items():
        if not isinstance(separator, str) or len(separator) != 1 or (
            separator.isalnum() or separator in "\"'" or not separator.isprintable()
        ):  # fmt: skip
            raise ParameterError(
                f"The members of set column '{column}' are separated by one character that is no "
                f"letter, digit or quote, not by {separator!r}.",
                parameter="sets",
                column=column,
                remedy="Give what stands between them, such as ';'.",
            )
    return {column: str(separator) for column, separator in (sets or {}).items()}


def as_set_column(name: str, column: Column, separator: str) -> Column:
    """Return a set column of the texts of a column.

    Members are stripped of blanks, sorted, each listed once; empty ones are passed over, and a
    cell without any is missing. Numbers become their texts.

    Raises
    ------
    DataError
        If the column holds neither text nor whole numbers.
    """
    wrong = next((v for v in column.values if v is not None and type(v) not in (str, int)), None)
    if wrong is not None:
        raise DataError(
            f"Column '{name}' holds {wrong!r}, a {type(wrong).__name__}, and a set column holds "
            "texts.",
            column=name,
            remedy="Leave it out of sets, or write its cells as text.",
        )
    texts = [
        None if value is None else separator.join(_split(str(value), separator)) or None
        for value in column.values
    ]
    labels: list[Label] = [*sorted({text for text in texts if text is not None}), None]
    place = {label: i for i, label in enumerate(labels)}
    lookup = np.array([place[text] for text in texts], np.int64)
    is_same = {*labels, None} <= {*column.values, None}
    dtype = column.dtype if is_same else None  # a list of categories may not have the new texts
    codes = lookup[column.codes] if texts else column.codes.astype(np.int64)
    return make_column(codes, labels, dtype, separator)


def _split(text: str, separator: str) -> list[str]:
    """Return the members of a text, sorted, each once."""
    return sorted({part.strip() for part in text.split(separator)} - {""})
