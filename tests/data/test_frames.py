"""Every kind of frame comes in and goes out as it was."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from discreet.data.column import FrameKind

POLARS = pl.DataFrame(
    {
        "text": ["b", "a", None],
        "int8": pl.Series([1, 2, 3], dtype=pl.Int8),
        "uint64": pl.Series([2**64 - 1, 0, 1], dtype=pl.UInt64),
        "bool": [True, None, False],
        "date": [dt.date(2020, 1, 1), None, dt.date(1900, 1, 1)],
        "enum": pl.Series(["z", "y", "z"], dtype=pl.Enum(["z", "unused", "y"])),
        "categorical": pl.Series(["z", "y", None], dtype=pl.Categorical),
        "null": [None] * 3,
        "zoned": pl.Series(["2020-01-01"] * 3).str.to_datetime(time_zone="Europe/Rome"),
        "duration": [dt.timedelta(1), None, dt.timedelta(-1)],
        "time": [dt.time(3), dt.time(4), None],
        "float32": pl.Series([0.1, None, 2.5], dtype=pl.Float32),
        "decimal": pl.Series([Decimal("1.50"), None, Decimal("-2.25")], dtype=pl.Decimal(6, 2)),
        "int128": pl.Series([1, None, -5], dtype=pl.Int128),
    }
)


def pandas_frame() -> Any:  # noqa: ANN401  untyped library
    return pd.DataFrame(
        {
            "str": ["a", None, "b"],
            "ordered": pd.Categorical(["x", None, "z"], categories=["z", "u", "x"], ordered=True),
            "numbered": pd.Categorical([3, 1, 3], categories=[3, 2, 1]),
            "Int64": pd.array([1, None, 2], dtype="Int64"),
            "int64": [1, 2, 3],
            "int8": np.array([1, 2, 3], dtype=np.int8),
            "datetime": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "ns": pd.to_datetime(["2020-01-01", None, "2021-01-01"]).astype("datetime64[ns]"),
            "zoned": pd.to_datetime(["2020-01-01", None, "2021-01-01"]).tz_localize("Europe/Rome"),
            "object": pd.Series(["q", None, "r"], dtype=object),
            "dates": pd.Series([dt.date(2020, 1, 2), None, dt.date(2020, 1, 1)], dtype=object),
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "bool": [True, False, True],
            "string": pd.array(["a", None, "c"], dtype="string"),
            "arrow": pd.array([1, 2, None], dtype=pd.ArrowDtype(pa.int8())),
            "float": [1.5, float("nan"), 2],
        }
    )


ARROW = pa.table(
    {
        "dictionary": pa.array(["y", "x", None]).dictionary_encode(),
        "int8": pa.array([1, 2, 3], pa.int8()),
        "large": pa.array(["a", None, "b"], pa.large_string()),
        "view": pa.array(["a", None, "b"], pa.string_view()),
        "numbered": pa.DictionaryArray.from_arrays(
            pa.array([0, 1, 0], pa.int8()), pa.array([9, 5])
        ),
        "decimal": pa.array([Decimal("1.50"), None, Decimal("2.00")], pa.decimal128(5, 2)),
        "date": pa.array([dt.date(2020, 1, 1), None, None], pa.date64()),
        "null": pa.nulls(3),
    }
)


def test_polars_round_trip() -> None:
    table = Table.from_frame(POLARS, categorical=True)
    back = table.to_frame()
    assert back.schema == POLARS.schema
    assert back.equals(POLARS)
    assert table.frame_kind == "polars"
    assert table.values("enum") == ("z", "y")
    assert table.values("categorical") == ("y", "z", None)


def test_polars_lazy_frame() -> None:
    assert Table.from_frame(POLARS.lazy(), categorical=True).to_frame().equals(POLARS)


def test_pandas_round_trip() -> None:
    frame = pandas_frame()
    table = Table.from_frame(frame, categorical=True)
    pd.testing.assert_frame_equal(table.to_frame(), frame)
    assert table.values("ordered") == ("z", "x", None)
    assert table.values("numbered") == (3, 1)


def test_pandas_index_is_left_out() -> None:
    frame = pd.DataFrame({"a": ["x", "y"]}, index=["Ann", "Bob"])
    assert list(Table.from_frame(frame).to_frame().index) == [0, 1]


def test_pandas_whole_numbers_get_a_nullable_type_when_a_cell_is_suppressed() -> None:
    table = Table.from_frame(pd.DataFrame({"a": [1, 2], "b": [True, False]}))
    hidden = table.with_column("a", [0, 1], [1, None]).with_column("b", [1, 0], [None, False])
    back = hidden.to_frame()
    assert [str(kind) for kind in back.dtypes] == ["Int64", "boolean"]
    assert back["a"].tolist() == [1, pd.NA]


def test_pyarrow_round_trip() -> None:
    table = Table.from_frame(ARROW, categorical=True)
    assert table.to_frame().equals(ARROW)
    assert table.values("dictionary") == ("y", "x", None)
    assert table.values("numbered") == (9, 5)


def test_pyarrow_chunks_with_different_dictionaries() -> None:
    first = pa.table({"a": pa.array(["x", "y"]).dictionary_encode()})
    second = pa.table({"a": pa.array(["z", "x"]).dictionary_encode()})
    table = Table.from_frame(pa.concat_tables([first, second]))
    assert table.to_frame()["a"].to_pylist() == ["x", "y", "z", "x"]


def test_duckdb_round_trip() -> None:
    relation = duckdb.sql(
        "select i::ENUM('b', 'a') e, 3::TINYINT k, DATE '2020-01-01' d, i s, 1.5::DECIMAL(4,1) dc,"
        " i as \"odd \"\" name\" from (values ('a'), (NULL), ('b')) t(i)"
    )
    assert relation is not None
    table = Table.from_frame(relation, categorical=True)
    back = table.to_frame()
    assert back.types == relation.types
    assert back.columns == relation.columns
    assert back.fetchall() == relation.fetchall()
    assert table.values("e") == ("b", "a", None)


class Capsule:
    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.frame.__arrow_c_stream__(requested_schema)


def test_any_arrow_stream_comes_in_and_goes_out() -> None:
    frame = POLARS.select("text", "int8", "date")
    table = Table.from_frame(Capsule(frame))
    assert table.to_frame().equals(frame)
    assert pa.table(table).to_pylist() == frame.to_dicts()
    assert pl.DataFrame(table).equals(frame)
    assert Table.from_frame(table) == table


def test_narwhals_frames() -> None:
    table = Table.from_frame(nw.from_native(pd.DataFrame({"a": ["x", "y"]})))
    assert table.frame_kind == "pandas"
    assert Table.from_frame(nw.from_native(POLARS.lazy()), categorical=True).n_rows == 3


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow", "duckdb"])
def test_another_kind_can_be_asked_for(kind: FrameKind) -> None:
    table = Table.from_frame(pandas_frame(), categorical=True)
    again = Table.from_frame(table.to_frame(kind), categorical=True)
    assert again.n_rows == 3
    assert sorted(map(str, again.values("ordered"))) == sorted(map(str, table.values("ordered")))


def test_rows_as_dicts_and_columns_as_lists() -> None:
    records = Table.from_frame([{"a": 1}, {"a": 2, "b": "x"}])
    columns = Table.from_frame({"a": [1, 2], "b": [None, "x"]})
    assert records == columns
    assert columns == Table.from_frame({"a": np.array([1, 2]), "b": pl.Series([None, "x"])})


def test_empty_frames() -> None:
    for frame in (POLARS.clear(), pandas_frame().iloc[:0], ARROW.slice(0, 0)):
        table = Table.from_frame(frame)
        assert table.n_rows == 0
        assert all(table.values(name) == () for name in table.columns)
        assert len(table.to_frame()) == 0
    assert Table.from_frame(POLARS.clear()).to_frame().schema == POLARS.schema


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"a": [1, "x"]}, "mixes types: 1 in row 0"),
        ({"a": [1, True]}, "mixes types"),
        ({"a": [1, 2.5]}, "mixes types"),
        (pd.DataFrame({"a": pd.Series([None, 1, "x"], dtype=object)}), "'x' in row 2"),
        ({"a": [[1], [2]]}, "Transactions"),
        (pd.DataFrame({"a": [np.zeros(2), np.zeros(2)]}), "ndarray"),
        (pl.DataFrame({"a": [[1], [2]]}), "Transactions"),
        (pl.DataFrame({"a": [b"x"]}), "Binary"),
        ({"a": ["x"], "b": ["x", "y"]}, "different numbers of rows"),
        ({"a": "xyz"}, "not a list"),
        ([1, 2], "not a dict"),
        ({1: ["x"]}, "named by a int"),
        ({" ": ["x"]}, "empty name"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "Two columns are named 'a'"),
        (pl.DataFrame({"a": pl.Series([0, 1], dtype=pl.Datetime("ns"))}), "microsecond"),
    ],
)
def test_frames_that_cannot_be_tables(frame: object, words: str) -> None:
    with pytest.raises(DataError, match=words):
        Table.from_frame(frame)


def test_something_else_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be made from a int"):
        Table.from_frame(3)
    with pytest.raises(ParameterError, match="Did you mean 'polars'"):
        Table.from_frame({"a": ["x"]}).to_frame("polar")  # type: ignore[arg-type]


def test_importing_the_table_loads_no_dataframe_library() -> None:
    code = (
        "import sys, discreet.data.table; "
        "print({'polars', 'pandas', 'pyarrow', 'narwhals', 'duckdb'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"set()"
