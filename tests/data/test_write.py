from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from discreet.data.files.packed import atomic_path
from discreet.data.read import read_table
from discreet.data.table import Table
from discreet.data.write import write_table
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = Table.from_frame(
    {"sex": ["f", None, 'say "m"'], "age": [31, 40, None], "zip": ["01234", "x,y\nz", "=1+1"]}
)
ENDINGS = [".csv", ".tsv", ".csv.gz", ".csv.xz", ".csv.zst", ".parquet", ".xlsx", ".dta", ".sav"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_reads_back_equal(tmp_path: Path, ending: str) -> None:
    path = write_table(PEOPLE, tmp_path / f"people{ending}")
    assert read_table(path) == PEOPLE
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


@settings(examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(
        st.tuples(*[st.one_of(st.none(), st.text(min_size=1, max_size=4))] * 2), max_size=6
    ),
    names=st.tuples(*[st.text('ab ,"\r\n\t;é', min_size=1).filter(str.strip)] * 2),
)
def test_any_text_reads_back_equal(
    tmp_path: Path, cells: list[tuple[str | None, ...]], names: tuple[str, ...]
) -> None:
    names = (names[0].strip(), names[1].strip() + "2")
    cells = [tuple(each and each.replace("\0", "0") for each in row) for row in cells]
    table = Table.from_frame({name: [row[i] for row in cells] for i, name in enumerate(names)})
    path = write_table(table, tmp_path / "a.csv", overwrite=True)
    again = read_table(path, delimiter=",", header=True, categorical=True).to_frame()
    shown = [tuple(None if cell is None else str(cell) for cell in row) for row in again.rows()]
    assert shown == cells
    assert tuple(again.columns) == names


def test_types_survive_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": pl.Series([1, None], dtype=pl.Int8), "d": [dt.date(2020, 1, 1)] * 2})
    table = read_table(write_table(Table.from_frame(frame), tmp_path / "a.parquet"))
    assert table.to_frame().schema == frame.schema


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_overwriting_unless_asked(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    path.write_text("precious")
    with pytest.raises(ParameterError, match="overwrite=True"):
        write_table(PEOPLE, path)
    assert path.read_text() == "precious"
    write_table(PEOPLE, path, overwrite=True)
    assert read_table(path) == PEOPLE


def test_empty_text_is_not_missing(tmp_path: Path) -> None:
    table = Table.from_frame({"a": ["", None]})
    with pytest.raises(DataError, match="'a' has empty texts"):
        write_table(table, tmp_path / "a.csv")
    assert list(tmp_path.iterdir()) == []
    assert read_table(write_table(table, tmp_path / "a.parquet")) == table


def test_a_single_column_with_a_missing_last_row(tmp_path: Path) -> None:
    table = Table.from_frame({"a": ["x", None]})
    assert read_table(write_table(table, tmp_path / "a.csv")) == table


def test_wrong_targets(tmp_path: Path) -> None:
    for name in ("a.doc", "a.parquet.gz", "a"):
        with pytest.raises(ParameterError, match="cannot be written"):
            write_table(PEOPLE, tmp_path / name)
    with pytest.raises(DataError, match="does not exist"):
        write_table(PEOPLE, tmp_path / "no" / "a.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ParameterError, match="is a folder"):
        write_table(PEOPLE, tmp_path / "folder.csv")


def test_excel_needs_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(ParameterError, match=r"pip install 'discreet\[excel\]'"):
        write_table(PEOPLE, tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    target.write_text("old")

    def interrupted() -> None:
        with atomic_path(target, overwrite=True) as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert target.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_file_that_appears_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"

    def raced() -> None:
        with atomic_path(target) as temporary:
            temporary.write_text("mine")
            target.write_text("theirs")

    with pytest.raises(ParameterError, match="exists"):
        raced()
    assert target.read_text() == "theirs"
    assert len(list(tmp_path.iterdir())) == 1
