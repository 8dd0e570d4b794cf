"""Frames of any kind, opened so that their columns can be taken one by one.

Anything with ``__arrow_c_stream__`` comes in through Arrow, anything else that narwhals knows
through narwhals; plain dicts of columns and lists of dicts work too. pandas and pyarrow columns
of a categorical type, and duckdb enums, keep the order of their categories.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import polars as pl

from discreet import checks
from discreet.data.column import LABEL_TYPES, enum_of, is_categorical, make_column
from discreet.data.files.packed import atomic_path
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from discreet.data.column import Column, FrameKind, Label


class OpenFrame(Protocol):
    """A frame or file whose columns can be had one after the other."""

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def column(self, name: str) -> pl.Series | Column:
        """Return one column: as it stands, or already as codes if it is a categorical type."""

    def dtype(self, name: str) -> object:
        """Return the column's type as the frame's library calls it, or None."""

    def where(self, row: int) -> str:
        """Name a row in an error message."""


def as_labels(values: Iterable[object]) -> list[Label]:
    """Return values of a foreign dictionary as plain labels: numpy scalars become Python's."""
    return [
        cast("Label", value.item() if isinstance(value, np.generic) else value) for value in values
    ]


def as_texts(name: str, raw: pl.Series) -> pl.Series:
    """Return values as texts: whole numbers without decimals, points of time at midnight as dates.

    Examples
    --------
    >>> as_texts("a", pl.Series([1.0, 2.5, None])).to_list()
    ['1', '2.5', None]
    """
    if raw.dtype.is_float():
        raw = raw.fill_nan(None)
    distinct = raw.unique()
    texts = pl.Series([_as_text(value) for value in distinct.to_list()], dtype=pl.String)
    return raw.replace_strict(distinct, texts, return_dtype=pl.String).rename(name)


def _as_text(value: object) -> str | None:
    """Return one value as text."""
    if value is None:
        return None
    if isinstance(value, datetime) and value.time() == time() and value.tzinfo is None:
        return value.date().isoformat()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def open_frame(frame: object) -> tuple[OpenFrame, FrameKind]:  # noqa: PLR0911  one per kind
    """Return the opened frame and the kind it goes out as."""
    if isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        return _PolarsFrame(frame.lazy().collect()), "polars"
    if _is_from("pandas", "DataFrame", frame):
        return _PandasFrame(frame), "pandas"
    if _is_from("pyarrow", "Table", frame) or _is_from("pyarrow", "RecordBatch", frame):
        return _ArrowFrame(frame), "pyarrow"
    if _is_from("duckdb", "DuckDBPyRelation", frame):
        return _DuckFrame(frame), "duckdb"
    if isinstance(frame, Mapping):
        return _PolarsFrame(_from_lists(frame)), "polars"
    if isinstance(frame, Sequence) and not isinstance(frame, (str, bytes)):
        return _PolarsFrame(_from_records(frame)), "polars"
    if hasattr(frame, "__arrow_c_stream__") and not hasattr(frame, "__narwhals_namespace__"):
        return _PolarsFrame(_through_arrow(frame)), "polars"
    return _through_narwhals(frame)


def _is_from(library: str, name: str, frame: object) -> bool:
    """Say whether a frame is an instance of a class of a library, without importing it."""
    module = sys.modules.get(library)
    known = getattr(module, name, None)
    return isinstance(known, type) and isinstance(frame, known)


def _through_arrow(frame: object) -> pl.DataFrame:
    """Return a polars frame of any object that exports an Arrow stream."""
    exporting: Any = frame  # has __arrow_c_stream__; polars looks for it too
    try:
        return pl.DataFrame(exporting)
    except Exception as error:
        raise DataError(
            f"The {type(frame).__name__} cannot be read through Arrow: {error}"
        ) from error


def _through_narwhals(frame: object) -> tuple[OpenFrame, FrameKind]:
    """Return a frame that only narwhals knows, or a narwhals frame itself."""
    import narwhals.stable.v2 as nw

    if isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        return open_frame(nw.to_native(frame))
    known = nw.from_native(frame, pass_through=True)
    if isinstance(known, nw.LazyFrame):
        return _PolarsFrame(known.collect("polars").to_polars()), "polars"
    if isinstance(known, nw.DataFrame):
        return _PolarsFrame(known.to_polars()), "polars"
    raise ParameterError(
        f"A table cannot be made from a {type(frame).__name__}.",
        parameter="frame",
        remedy=(
            "Give a polars, pandas, pyarrow or duckdb frame, any object with "
            "__arrow_c_stream__, a dict of columns or a list of dicts."
        ),
    )


def _from_lists(columns: Mapping[Any, Any]) -> pl.DataFrame:  # any kind of column
    """Return a polars frame of a dict of columns."""
    names = _text_names(columns)
    series = []
    for name in names:
        values = columns[name]
        if isinstance(values, pl.Series):
            series.append(values.rename(name))
        elif hasattr(values, "dtype"):
            series.append(pl.Series(name, values))
        elif isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
            raise DataError(
                f"Column '{name}' is a {type(values).__name__}, not a list of values.", column=name
            )
        else:
            series.append(series_of_objects(name, list(values)))
    lengths = {len(each) for each in series}
    if len(lengths) > 1:
        shown = ", ".join(f"'{each.name}' {len(each)}" for each in series)
        raise DataError(f"Columns have different numbers of rows: {shown}.")
    return pl.DataFrame(series)


def _from_records(records: Sequence[Any]) -> pl.DataFrame:  # rows of any kind; checked here
    """Return a polars frame of a list of dicts; a key that a row lacks is missing there."""
    for row, record in enumerate(records):
        if not isinstance(record, Mapping):
            raise DataError(
                f"{_row(row).capitalize()} is a {type(record).__name__}, not a dict of column "
                "names and values."
            )
    names = list(dict.fromkeys(key for record in records for key in record))
    return _from_lists({name: [record.get(name) for record in records] for name in names})


def series_of_objects(name: str, values: list[Any]) -> pl.Series:  # the types are checked here
    """Return a polars series of Python values, which must be of one type; NaN is missing."""
    plain = [
        None if isinstance(value, float | Decimal) and value != value else value  # noqa: PLR0124  NaN
        for value in as_labels(_no_pandas_missing(values))
    ]
    kinds: dict[type, int] = {}
    for row, value in enumerate(plain):
        if value is not None:
            kinds.setdefault(type(value), row)
    if len(kinds) > 1:
        (first, first_row), (second, second_row) = list(kinds.items())[:2]
        raise DataError(
            f"Column '{name}' mixes types: {plain[first_row]!r} in {_row(first_row)} is "
            f"{first.__name__}, {plain[second_row]!r} in {_row(second_row)} is {second.__name__}.",
            column=name,
            remedy="Make them one type.",
        )
    kind = next(iter(kinds), str)
    if kinds and not issubclass(kind, LABEL_TYPES):
        raise DataError(
            f"Column '{name}' holds values of type {kind.__name__}, which have no categories.",
            column=name,
            remedy=("Turn them into text or numbers first, or use Transactions for sets of items."),
        )
    if not kinds:
        return pl.Series(name, plain, dtype=pl.Null)
    try:
        return pl.Series(name, plain)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        raise DataError(f"Column '{name}' cannot be read: {error}", column=name) from error


def _no_pandas_missing(values: list[Any]) -> list[Any]:  # values of a frame, not yet checked
    """Replace pandas' own missing marks, if pandas is in use at all."""
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return values
    marks = (pandas.NA, pandas.NaT)
    return [None if any(value is mark for mark in marks) else value for value in values]


def _row(row: int) -> str:
    """Name a row of a frame."""
    return f"row {row} (counting from 0)"


def _text_names(names: Iterable[object]) -> tuple[str, ...]:
    """Return column names, which must be text."""
    for name in names:
        if not isinstance(name, str):
            raise DataError(
                f"Column {name!r} is named by a {type(name).__name__}.",
                column=str(name),
                remedy="Rename it to text.",
            )
    return tuple(str(name) for name in names)


@dataclass(frozen=True, slots=True)
class _PolarsFrame:
    """A polars frame, or anything that has become one."""

    frame: pl.DataFrame

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @property
    def n_rows(self) -> int:
        return self.frame.height

    def column(self, name: str) -> pl.Series | Column:
        series = self.frame.get_column(name)
        return series_of_objects(name, series.to_list()) if series.dtype == pl.Object else series

    def dtype(self, name: str) -> object:
        return self.frame.schema[name]

    def where(self, row: int) -> str:
        return _row(row)


@dataclass(frozen=True, slots=True)
class _PandasFrame:
    """A pandas frame; its index is not data and does not come in."""

    frame: Any  # pandas has no type hints

    @property
    def names(self) -> tuple[str, ...]:
        return _text_names(self.frame.columns)

    @property
    def n_rows(self) -> int:
        return len(self.frame)

    def cells(self, name: str) -> pl.Series:
        """Return a column as text, whatever types its values have."""
        values = as_labels(_no_pandas_missing(self.frame[name].tolist()))
        texts = [None if value != value else _as_text(value) for value in values]  # noqa: PLR0124  NaN
        return pl.Series(name, texts, dtype=pl.String)

    def column(self, name: str) -> pl.Series | Column:
        series = self.frame[name].reset_index(drop=True)
        if hasattr(series, "cat"):
            labels = as_labels(series.cat.categories.tolist())
            codes = series.cat.codes.to_numpy().astype("int64")
            codes[codes < 0] = len(labels)
            return make_column(codes, [*labels, None])
        if series.dtype == object:
            return series_of_objects(name, series.tolist())
        try:
            return pl.Series(name, series)
        except Exception as error:
            raise DataError(
                f"Column '{name}' of type {series.dtype}: {error}", column=name
            ) from error

    def dtype(self, name: str) -> object:
        return self.frame[name].dtype

    def where(self, row: int) -> str:
        return _row(row)


@dataclass(frozen=True, slots=True)
class _ArrowFrame:
    """A pyarrow table."""

    frame: Any  # pyarrow has no type hints

    @property
    def names(self) -> tuple[str, ...]:
        return _text_names(self.frame.schema.names)

    @property
    def n_rows(self) -> int:
        return int(self.frame.num_rows)

    def column(self, name: str) -> pl.Series | Column:
        pyarrow = sys.modules["pyarrow"]
        array = self.frame.column(name)
        try:
            if not pyarrow.types.is_dictionary(array.type):
                return pl.Series(name, array)
            if isinstance(array, pyarrow.ChunkedArray):
                array = array.unify_dictionaries().combine_chunks()
            if isinstance(array, pyarrow.ChunkedArray):  # no rows: no chunks to combine
                return pl.Series(name, [], dtype=pl.Null)
            labels = as_labels(array.dictionary.to_pylist())
            codes = array.indices.cast("int64").fill_null(len(labels)).to_numpy()
        except Exception as error:
            raise DataError(
                f"Column '{name}' of type {array.type}: {error}", column=name
            ) from error
        return make_column(codes, [*labels, None])

    def dtype(self, name: str) -> object:
        return self.frame.schema.field(name)

    def where(self, row: int) -> str:
        return _row(row)


@dataclass(frozen=True, slots=True)
class _DuckFrame:
    """A duckdb relation, run once."""

    relation: Any  # of whatever version of duckdb made it
    frame: pl.DataFrame = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "frame", _through_arrow(self.relation))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.frame.columns)

    @property
    def n_rows(self) -> int:
        return self.frame.height

    def column(self, name: str) -> pl.Series | Column:
        series = self.frame.get_column(name)
        kind: Any = self.dtype(name)  # duckdb's type object
        if kind.id == "enum":
            return series.cast(pl.String).cast(pl.Enum(dict(kind.children)["values"]))
        return series

    def dtype(self, name: str) -> object:
        return self.relation.types[self.relation.columns.index(name)]

    def where(self, row: int) -> str:
        return _row(row)


# Result frames in the kind the user works with, and onto disk.

KINDS = ("polars", "pandas", "pyarrow", "duckdb")


def as_kind(frame: pl.DataFrame, kind: FrameKind) -> Any:  # noqa: ANN401  a frame of the asked kind
    """Return a polars frame as polars, pandas, pyarrow or duckdb.

    Examples
    --------
    >>> import polars as pl
    >>> as_kind(pl.DataFrame({"a": [1]}), "pandas").columns.to_list()
    ['a']
    """
    checks.one_of("kind", kind, KINDS)
    if kind == "polars":
        return frame
    try:
        library = importlib.import_module(kind)
    except ModuleNotFoundError:
        raise ParameterError(
            f"A {kind} frame was asked for, but {kind} is not installed: pip install {kind}."
        ) from None
    if kind == "pandas":
        return library.DataFrame(frame.to_dict(as_series=False))
    return library.table(frame) if kind == "pyarrow" else library.from_arrow(frame)


def write_frame(frame: pl.DataFrame, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a frame to ``.parquet`` or ``.csv``, whole or not at all.

    In CSV a list is written as a JSON array.

    Raises
    ------
    ParameterError
        If the file exists and ``overwrite`` is not set, or the ending is another.
    """
    import polars as pl

    target = Path(path)
    if target.suffix not in (".parquet", ".csv"):
        raise ParameterError(
            f"{target}: results are written to .parquet or .csv.", parameter="path"
        )
    with atomic_path(target, overwrite=overwrite) as temporary:
        if target.suffix == ".parquet":
            frame.write_parquet(temporary)
        else:
            lists = [name for name, dtype in frame.schema.items() if dtype == pl.List(pl.String)]
            as_text = [
                pl.Series(
                    name, [json.dumps(cell, ensure_ascii=False) for cell in frame[name].to_list()]
                )
                for name in lists
            ]
            frame.with_columns(as_text).write_csv(temporary)


# Codes back into a frame: polars, pandas, pyarrow or duckdb, with the types it came with.
#
# Only the few distinct values are converted; rows are then taken by code.


def restore_frame(columns: Mapping[str, Column], kind: FrameKind, *, with_types: bool) -> object:
    """Return a frame of the asked kind; ``with_types`` if the column types are of that kind."""
    makers: dict[str, Callable[[Mapping[str, Column], bool], object]] = {
        "polars": to_polars,
        "pandas": _to_pandas,
        "pyarrow": _to_pyarrow,
        "duckdb": _to_duckdb,
    }
    checks.one_of("kind", kind, makers)
    return makers[kind](columns, with_types)


def _library(name: str) -> Any:  # noqa: ANN401  untyped libraries
    """Return a library that is needed only for this kind of frame."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        raise ParameterError(
            f"A {name} frame was asked for, but {name} is not installed: pip install {name}."
        ) from None


def to_polars(columns: Mapping[str, Column], with_types: bool) -> pl.DataFrame:  # noqa: FBT001  one of four makers called alike
    """Return a polars frame."""
    series = []
    for name, column in columns.items():
        dtype = column.dtype if with_types else None
        if dtype is None and is_categorical(column.dtype) and _are_texts(column.values):
            dtype = pl.Enum([str(value) for value in column.values if value is not None])
        if isinstance(dtype, pl.DataType):
            dictionary = pl.Series(name, column.values, dtype=dtype)
        else:
            dictionary = pl.Series(name, column.values)
        series.append(dictionary.gather(pl.Series(column.codes)))
    return pl.DataFrame(series)


def _are_texts(values: Sequence[Label]) -> bool:
    """Say whether all labels but the missing one are text."""
    return all(value is None or isinstance(value, str) for value in values)


def _to_pandas(columns: Mapping[str, Column], with_types: bool) -> object:  # noqa: FBT001
    """Return a pandas frame with a plain index."""
    pandas = _library("pandas")
    arrays = {}
    for name, column in columns.items():
        present = [value for value in column.values if value is not None]
        n_present = len(present)
        has_missing = n_present < len(column.values)
        dtype = column.dtype if with_types else None
        if dtype is None and is_categorical(column.dtype):
            dtype = pandas.CategoricalDtype(present)
        if has_missing and (nullable := _nullable(dtype, present)) is not None:
            dtype = nullable
        if dtype == np.dtype(object) or (dtype is None and not present):
            objects = np.array([*present, None], dtype=object)
            arrays[name] = pandas.Series(objects[column.codes], dtype=object)
            continue
        places = column.codes.astype(np.int64)
        places[places >= n_present] = -1
        dictionary = pandas.Series(present, dtype=dtype).array
        arrays[name] = pandas.Series(dictionary.take(places, allow_fill=has_missing))
    return pandas.DataFrame(arrays)


def _nullable(dtype: object, present: Sequence[Label]) -> str | None:
    """Return the pandas type that can hold missing values in place of one that cannot."""
    if dtype is None and present and isinstance(present[0], int):
        return "boolean" if isinstance(present[0], bool) else "Int64"
    if isinstance(dtype, np.dtype) and dtype.kind in "iu":
        return str(dtype).replace("int", "Int").replace("uI", "UI")
    if isinstance(dtype, np.dtype) and dtype.kind == "b":
        return "boolean"
    return None


def _to_pyarrow(columns: Mapping[str, Column], with_types: bool) -> object:  # noqa: FBT001
    """Return a pyarrow table."""
    pyarrow = _library("pyarrow")
    fields, arrays = [], []
    for name, column in columns.items():
        present = [value for value in column.values if value is not None]
        field: Any = column.dtype if with_types else None  # a pyarrow field
        absent = column.codes >= len(present)
        codes = pyarrow.array(column.codes.astype(np.int64), mask=absent)
        if field is None and is_categorical(column.dtype):
            kind = pyarrow.array(present).type
            field = pyarrow.field(name, pyarrow.dictionary(pyarrow.int32(), kind))
        if field is not None and pyarrow.types.is_dictionary(field.type):
            dictionary = pyarrow.array(present, type=field.type.value_type)
            array = pyarrow.DictionaryArray.from_arrays(
                codes.cast(field.type.index_type), dictionary, ordered=field.type.ordered
            )
        else:
            kind = None if field is None else field.type
            # pyarrow cannot take from a string_view array, only cast to one.
            is_view = kind is not None and pyarrow.types.is_string_view(kind)
            array = pyarrow.array(present, type=pyarrow.string() if is_view else kind).take(codes)
            array = array.cast(kind) if is_view else array
            field = field or pyarrow.field(name, array.type)
        arrays.append(array)
        fields.append(field.with_nullable(True) if absent.any() else field)
    return pyarrow.Table.from_arrays(arrays, schema=pyarrow.schema(fields))


def _to_duckdb(columns: Mapping[str, Column], with_types: bool) -> object:  # noqa: FBT001
    """Return a duckdb relation on the default connection."""
    duckdb = _library("duckdb")
    relation = duckdb.from_arrow(to_polars(columns, with_types=False))
    if not with_types and len({name.lower() for name in columns}) < len(columns):
        return relation  # duckdb's language does not distinguish such names
    shown = []
    for name, column in columns.items():
        quoted = '"' + name.replace('"', '""') + '"'
        kind = column.dtype if with_types else None
        if kind is None and is_categorical(column.dtype):
            kind = enum_of(column.values)
        shown.append(quoted if kind is None else f"{quoted}::{kind} AS {quoted}")
    return relation.project(", ".join(shown))
