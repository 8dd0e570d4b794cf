"""Codes back into a frame: polars, pandas, pyarrow or duckdb, with the types it came with.

Only the few distinct values are converted; rows are then taken by code.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
import polars as pl

from discreet.data.frames.kinds import FrameKind
from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from discreet.data.column import Column, Label


def restore_frame(columns: Mapping[str, Column], kind: FrameKind, *, with_types: bool) -> object:
    """Return a frame of the asked kind; ``with_types`` if the column types are of that kind."""
    makers: dict[str, Callable[[Mapping[str, Column], bool], object]] = {
        "polars": to_polars,
        "pandas": _to_pandas,
        "pyarrow": _to_pyarrow,
        "duckdb": _to_duckdb,
    }
    if kind not in makers:
        raise ParameterError(
            f"'{kind}' is not a kind of frame. {did_you_mean(str(kind), get_args(FrameKind))}"
        )
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
        if isinstance(dtype, pl.DataType):
            dictionary = pl.Series(name, column.values, dtype=dtype)
        else:
            dictionary = pl.Series(name, column.values)
        series.append(dictionary.gather(pl.Series(column.codes)))
    return pl.DataFrame(series)


def _to_pandas(columns: Mapping[str, Column], with_types: bool) -> object:  # noqa: FBT001
    """Return a pandas frame with a plain index."""
    pandas = _library("pandas")
    arrays = {}
    for name, column in columns.items():
        present = [value for value in column.values if value is not None]
        n_present = len(present)
        has_missing = n_present < len(column.values)
        dtype = column.dtype if with_types else None
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
    if not with_types:
        return relation
    quoted = {name: '"' + name.replace('"', '""') + '"' for name in columns}
    return relation.project(
        ", ".join(
            quoted[name]
            if column.dtype is None
            else f"{quoted[name]}::{column.dtype} AS {quoted[name]}"
            for name, column in columns.items()
        )
    )
