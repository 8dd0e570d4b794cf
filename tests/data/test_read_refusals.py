"""Files and options that give no table: what is refused, and where the fault is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.data.reading import read

from discreet.data.read import read_table
from discreet.errors import DataError, ParameterError


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,b\nx,y\nz\n", "Line 3 of .* has 1 cells, but the first row has 2"),
        ("a,b\nx,y\nz,w,v\n", "Line 3 of .* has 3 cells"),
        ('a,b\n"x\ny",z\nw\n', "Line 4 of .* has 1 cells"),
        ('a,b\nx,"y\n', "quote opened in line 2 of .* never closed"),
        ('a,b\nx,"y"z\n', "Line 2 of .* closing quote"),
        ("a,b\nx,y\0z\n", "NUL character in line 2"),
        ("a,b\nx,y\n".encode("utf-16-le"), "utf-16-le"),
        ("a,b\n" + "x" * 100_001 + ",y\n", "Line 2 of .* column 1: a cell of 100,001"),
        ('a,b\n"' + "x" * 1_000_000 + '",y\n', "limit of 100,000"),
    ],
)
def test_faults_are_located(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(DataError, match=words):
        read(tmp_path, content)


def test_names_in_the_header_are_checked(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"Columns 1 and 3 of .* are both named 'a'"):
        read(tmp_path, "a,b,a\nx,y,z\n", header=True)
    with pytest.raises(DataError, match="Column 1 has no name in the header"):
        read(tmp_path, ",b\nx,y\n", header=True)


@pytest.mark.parametrize(
    "content",
    [
        "ward,ward,sex\nA,B,f\nA,C,m\n",
        "ward,ward,age\nA,B,39\n",
        "ward, ward, sex\nA, B, f\nA, C, m\nB, C, f\n",
        "sex;ward;ward\n" + "f;A;B\nm;C;A\n" * 300,
    ],
    ids=["text", "a number below", "blanks", "long"],
)
def test_a_repeated_name_is_not_a_persons_row(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match=r"Columns .* both named 'ward'.*header=False"):
        read(tmp_path, content, categorical=True)
    n_lines = content.count("\n")
    assert read(tmp_path, content, header=False, categorical=True).n_rows == n_lines
    table = read(tmp_path, content, names=["a", "b", "c"], categorical=True)
    assert table.n_rows == n_lines - 1


def test_bytes_not_in_the_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"byte 0xe9 at offset 6, line 2"):
        read(tmp_path, b"a,b\nx,\xe9\n", encoding="utf-8")
    with pytest.raises(DataError, match="is not valid ascii"):
        read(tmp_path, b"a,b\nx,\xe9\n", encoding="ascii")
    for wrong in ("utf-88", "hex", "\0"):
        with pytest.raises(ParameterError, match="not a known text encoding"):
            read(tmp_path, "a,b\n", encoding=wrong)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": ",,"}, "one ASCII character"),
        ({"delimiter": '"'}, "one ASCII character"),
        ({"delimiter": "§"}, "one ASCII character"),
        ({"null_values": "?"}, "list of texts"),
        ({"names": "ab"}, "list of column names"),
        ({"max_cell_length": 0}, "at least 1"),
        ({"sheet": 1}, "sheet does not apply"),
    ],
)
def test_wrong_options(tmp_path: Path, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        read(tmp_path, "a,b\nx,y\n", **options)


def test_paths_that_are_no_table(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a\nx\n")
    with pytest.raises(DataError, match=r"Did you mean 'people.csv'"):
        read_table(tmp_path / "poeple.csv")
    with pytest.raises(DataError, match="is a folder"):
        read_table(tmp_path)
    with pytest.raises(DataError, match="There is no file"):
        read_table(tmp_path / "no" / "such.csv")
    with pytest.raises(DataError, match="There is no file"):
        read_table("a\0b.csv")
    with pytest.raises(DataError, match=r"ends in '.cvs'.*'.csv'"):
        read(tmp_path, "a,b\n", "a.cvs")
    assert read(tmp_path, "a,b\nx,y\n", "a.test", delimiter=",").n_rows == 1


@pytest.mark.parametrize("content", ["", "\n", "\r\n\n\r"])
def test_only_blank_lines(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match="is empty"):
        read(tmp_path, content)
