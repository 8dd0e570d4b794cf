"""Tables in compressed files, in Parquet and in sheets of Excel."""

from __future__ import annotations

import gzip
import lzma
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from tests.data.reading import read, rows

from discreet.data.read import read_table
from discreet.errors import DataError, ParameterError


@pytest.mark.parametrize("ending", ["gz", "xz", "zst"])
def test_compressed(tmp_path: Path, ending: str) -> None:
    plain = b"a,b\nx,y\n"
    content = {
        "gz": gzip.compress(plain),
        "xz": lzma.compress(plain),
        "zst": zstandard.compress(plain),
    }[ending]
    assert rows(read(tmp_path, content, f"a.csv.{ending}")) == [("x", "y")]
    for corrupt in (content[:-3], b"nonsense"):
        with pytest.raises(DataError, match=r"is damaged|not compressed so"):
            read(tmp_path, corrupt, f"a.csv.{ending}")


def test_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"a": ["x", None], "b": pl.Series([1, 2], dtype=pl.Int8), "c": [b"x", b"y"]}
    )
    path = tmp_path / "a.parquet"
    frame.write_parquet(path)
    table = read_table(path, columns=["b", "a"])
    assert table.to_frame().equals(frame.select("b", "a"))
    assert str(table.source).startswith("Read 2 rows from")
    with pytest.raises(DataError, match="Binary"):
        read_table(path)
    with pytest.raises(ParameterError, match="encoding does not apply"):
        read_table(path, encoding="utf-8")
    whole = path.read_bytes()
    for corrupt in (b"", b"nonsense", whole[:-5], whole[:20] + whole[30:], whole[30:]):
        path.write_bytes(corrupt)
        with pytest.raises(DataError, match="not a valid Parquet file"):
            read_table(path)


def test_parquet_is_read_one_column_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]}).write_parquet(path)
    asked: list[list[str]] = []
    original = pl.read_parquet

    def spy(*args: Any, columns: list[str], **options: Any) -> pl.DataFrame:  # noqa: ANN401
        asked.append(columns)
        return original(*args, columns=columns, **options)

    monkeypatch.setattr(pl, "read_parquet", spy)
    read_table(path, columns=["a", "c"])
    assert asked == [["a"], ["c"]]


def test_excel_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ParameterError, match=r"pip install 'discreet\[excel\]'"):
        read(tmp_path, b"", "a.xlsx")


def test_corrupt_excel(tmp_path: Path) -> None:
    for corrupt in (b"", b"nonsense", b"PK\x03\x04" + bytes(50)):
        with pytest.raises(DataError, match="cannot be read as an Excel workbook"):
            read(tmp_path, corrupt, "a.xlsx")


def test_excel_sheets(tmp_path: Path) -> None:
    import xlsxwriter  # type: ignore[import-untyped]

    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name, cells in (("one", [["a", "b"], ["x", 1], ["y", 2]]), ("two", [["a"], ["z"]])):
            sheet = book.add_worksheet(name)
            for row, values in enumerate(cells):
                sheet.write_row(row, 0, values)
        mixed = book.add_worksheet("mixed")
        mixed.write_column(0, 0, ["a", 1, "x"])
    first = read_table(path)
    assert rows(first) == [("x", 1), ("y", 2)]
    assert first.source is not None
    assert first.source.sheet == "one"
    assert "first of 3 sheets" in first.source.notes[0]
    assert rows(read_table(path, sheet="two")) == rows(read_table(path, sheet=2)) == [("z",)]
    assert read_table(path, sheet=2, header=False).columns == ("column_1",)
    assert read_table(path, null_values=["x"], names=["p", "q"]).values("p") == ("y", None)
    with pytest.raises(ParameterError, match="Did you mean 'one'"):
        read_table(path, sheet="on")
    with pytest.raises(ParameterError, match="sheets 1 to 3"):
        read_table(path, sheet=4)
    with pytest.raises(DataError, match=r"Column 'a' of .* mixes types: .*String"):
        read_table(path, sheet="mixed")


@pytest.mark.parametrize(
    ("names", "words"), [(["a", "a"], "are both named 'a'"), ([None, "b"], "Column 1 has no name")]
)
def test_excel_names_are_checked(tmp_path: Path, names: list[str | None], words: str) -> None:
    import xlsxwriter

    path = tmp_path / "a.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet()
        for row, values in enumerate([names, ["x", "y"]]):
            sheet.write_row(row, 0, values)
    with pytest.raises(DataError, match=words):
        read_table(path)
    assert read_table(path, names=["p", "q"]).values("q") == ("y",)
