"""Delimited text as it is found: what is read and what is said about it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.data.reading import read, rows

from discreet.data.files import text
from discreet.data.read import read_table
from discreet.errors import DataError, ParameterError

DATA = Path(os.environ.get("DISCREET_DATA", "no such folder"))


def test_plain_file(tmp_path: Path) -> None:
    table = read(tmp_path, "sex,age,zip\nf,31,01234\nm,,98765\n")
    assert table.columns == ("sex", "age", "zip")
    assert rows(table) == [("f", 31, "01234"), ("m", None, "98765")]
    source = table.source
    assert source is not None
    assert (source.delimiter, source.encoding, source.has_header) == (",", "utf-8", True)
    assert source.n_rows == 2
    assert "Column 'zip' has numbers with leading zeros and stays text." in source.notes
    assert str(source).startswith("Read 2 rows from")
    assert source.to_dict()["delimiter"] == ","


@pytest.mark.parametrize(
    ("content", "delimiter"),
    [
        ("a;b\n1,5;2\n", ";"),
        ("a\tb\nx y\tz\n", "\t"),
        ("a|b\nx|y\n", "|"),
        ("a b\nx y\n", " "),
        ("a,b\nx y,z\n", ","),
        ("just one column\nof text\n", ","),
        ('a,b\n"x;y;z",w\n"p;q",w\n', ","),
    ],
)
def test_delimiter_is_guessed(tmp_path: Path, content: str, delimiter: str) -> None:
    source = read(tmp_path, content, categorical=True).source
    assert source is not None
    assert source.delimiter == delimiter


@pytest.mark.parametrize(
    ("content", "has_header"),
    [
        ("age,sex\n1,f\n", True),
        ("1,f\n2,m\n", False),
        ("a,a\nb,c\n", False),
        ("f,x\nm,y\nf,z\n", False),
        ("sex,\nf,x\n", False),
        ("sex,kind\n", True),
        ("sex,sex\n", False),
        ("no,no\nyes,no\nno,yes\n", False),
        ("low,low\nhigh,low\nmid,mid\n", False),
    ],
)
def test_header_is_guessed(tmp_path: Path, content: str, has_header: bool) -> None:  # noqa: FBT001
    table = read(tmp_path, content)
    assert table.source is not None
    assert table.source.has_header == has_header
    if not has_header:
        assert table.columns == ("column_1", "column_2")


def test_header_and_names_can_be_given(tmp_path: Path) -> None:
    assert read(tmp_path, "x,y\np,q\n", header=False).n_rows == 2
    assert read(tmp_path, "1,2\n3,4\n", header=True).columns == ("1", "2")
    assert read(tmp_path, "1,2\n3,4\n", names=["a", "b"]).columns == ("a", "b")
    assert read(tmp_path, "x,y\n3,4\n", names=["a", "b"]).n_rows == 1
    with pytest.raises(ParameterError, match=r"names gives 1 names, but .* has 2 columns"):
        read(tmp_path, "1,2\n", names=["a"])


@pytest.mark.parametrize(
    ("encoding", "said"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("utf-16", "utf-16"), ("utf-32", "utf-32"),
     ("cp1252", "cp1252")],
)  # fmt: skip
def test_encoding_is_guessed_and_said(tmp_path: Path, encoding: str, said: str) -> None:
    table = read(tmp_path, "name,x\nJosé,ü\nAnn,y\n".encode(encoding))
    assert table.columns == ("name", "x")
    assert table.values("name") == ("Ann", "José")
    assert table.source is not None
    assert table.source.encoding == said
    assert any("is a guess" in note for note in table.source.notes) == (encoding == "cp1252")


def test_latin_1_where_cp1252_has_no_letter(tmp_path: Path) -> None:
    source = read(tmp_path, b"a,b\n\xe9,\x81\n").source
    assert source is not None
    assert source.encoding == "latin-1"


def test_blanks_after_every_delimiter_go(tmp_path: Path) -> None:
    table = read(tmp_path, '39, State-gov, "a, b"\n50, Private, c\n')
    assert rows(table) == [(39, "State-gov", "a, b"), (50, "Private", "c")]
    assert table.source is not None
    assert any("Blanks" in note for note in table.source.notes)
    kept = read(tmp_path, "a,b\nx, y\nz,w\n")
    assert kept.values("b") == (" y", "w")


def test_quotes_and_line_breaks_inside(tmp_path: Path) -> None:
    table = read(tmp_path, 'a,b\n"x\ny","say ""hi"""\r\np,5" pipe\r\n')
    assert rows(table) == [("x\ny", 'say "hi"'), ("p", '5" pipe')]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_and_blank_lines(tmp_path: Path, end: str) -> None:
    table = read(tmp_path, end.join(["a,b", "x,y", "", "z,w", "", ""]))
    assert rows(table) == [("x", "y"), ("z", "w")]
    assert table.source is not None
    assert any("blank lines were skipped" in note for note in table.source.notes)


def test_numbers_only_where_the_whole_column_is(tmp_path: Path) -> None:
    table = read(
        tmp_path,
        "i,neg,big,f,code,mix,plus\n1,-2,99999999999999999999,1.5,007,1,+1\n2,0,1,2,8,x,2\n",
        bins={"f": 1},
    )
    assert table.values("i") == (1, 2)
    assert table.values("neg") == (-2, 0)
    assert table.values("big") == ("1", "99999999999999999999")
    assert table.values("f") == ("[1, 2)", "[2, 3)")
    assert table.values("code") == ("007", "8")
    assert table.values("plus") == ("+1", "2")
    assert table.source is not None
    assert any("'mix' mixes numbers and text ('x' in line 3" in n for n in table.source.notes)


def test_decimals_that_are_codes_stay_apart(tmp_path: Path) -> None:
    content = "icd,n\n250.1,1\n250.10,2\n"
    assert read(tmp_path, content, categorical={"icd"}).values("icd") == ("250.1", "250.10")
    with pytest.raises(DataError, match=r"'icd' \(1 distinct decimal numbers\)"):
        read(tmp_path, content)


def test_missing_in_text(tmp_path: Path) -> None:
    content = 'a,b\n?,x\n"",NA\n'
    table = read(tmp_path, content)
    assert table.values("a") == ("?", None)
    assert table.source is not None
    assert any("'?' 1 times" in note and "null_values" in note for note in table.source.notes)
    assert read(tmp_path, content, null_values=["?", "NA"]).values("a") == (None,)
    assert read(tmp_path, content, missing="drop").n_dropped == 1
    with pytest.raises(DataError, match=r"'a' has 1 missing values, the first in line 3 of"):
        read(tmp_path, content, missing="refuse")
    with pytest.raises(DataError, match="the first in line 6 of"):
        read(tmp_path, 'a,b\n"x\ny",1\n\n\n,2\n', missing="refuse")


def test_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b\n")
    assert (table.n_rows, table.columns) == (0, ("a", "b"))


def test_longer_cells_on_demand(tmp_path: Path) -> None:
    content = '"a","b"\n"' + "x\n" * 100_000 + '",y\n'
    assert read(tmp_path, content, max_cell_length=300_000).n_rows == 1


@pytest.mark.skipif(not (DATA / "adult").is_dir(), reason="shared data not present")
def test_uci_adult() -> None:
    names = [f"c{i}" for i in range(15)]
    names[0], names[9] = "age", "sex"
    table = read_table(
        DATA / "adult" / "adult.data.xz",
        names=names,
        null_values=["?"],
        missing="drop",
        categorical={"age"},
        bins={"c2": 100_000, "c10": [1], "c11": [1], "c12": [20, 40]},
    )
    assert (table.n_rows, table.n_dropped, table.n_columns) == (30_162, 2_399, 15)
    assert len(table.values("age")) == 72
    assert table.values("sex") == ("Female", "Male")
    assert table.source is not None
    assert table.source.has_header is False
    assert any("Blanks" in note for note in table.source.notes)


@pytest.mark.parametrize("quoted", [False, True])
def test_blocks_do_not_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, quoted: bool
) -> None:
    """Texts are looked at in blocks of bytes, and read in blocks of rows if they are irregular."""
    lines = ["a,b", *(f'{number % 7},"x\n{number % 5}"' for number in range(50))]
    content = "\n".join(lines) if quoted else "\n".join(lines).replace('"x\n', "x").replace('"', "")
    whole = rows(read(tmp_path, content))
    monkeypatch.setattr(text, "_BLOCK_ROWS", 7)
    for n_bytes in (1, 10, 64):
        monkeypatch.setattr(text, "_BLOCK_BYTES", n_bytes)
        assert rows(read(tmp_path, content)) == whole
