"""Files as they are found: what is read, what is said about it, what is refused and where."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import os
import sys
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.examples import examples

from discreet.data.files import delimited
from discreet.data.read import read_table
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetError, ParameterError

DATA = Path(os.environ.get("DISCREET_DATA", "no such folder"))


def read(tmp_path: Path, content: str | bytes, name: str = "a.csv", **options: Any) -> Table:  # noqa: ANN401
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, **options)


def rows(table: Table) -> list[tuple[Any, ...]]:
    frame: pl.DataFrame = table.to_frame("polars")
    return frame.rows()


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
    assert any("null_values=['?']" in note for note in table.source.notes)
    assert read(tmp_path, content, null_values=["?", "NA"]).values("a") == (None,)
    assert read(tmp_path, content, missing="drop").n_dropped == 1
    with pytest.raises(DataError, match=r"'a' has 1 missing values, the first in line 3 of"):
        read(tmp_path, content, missing="refuse")
    with pytest.raises(DataError, match="the first in line 6 of"):
        read(tmp_path, 'a,b\n"x\ny",1\n\n\n,2\n', missing="refuse")


def test_header_alone_is_an_empty_table(tmp_path: Path) -> None:
    table = read(tmp_path, "a,b\n")
    assert (table.n_rows, table.columns) == (0, ("a", "b"))


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


def test_bytes_not_in_the_encoding(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"byte 0xe9 at offset 6, line 2"):
        read(tmp_path, b"a,b\nx,\xe9\n", encoding="utf-8")
    with pytest.raises(DataError, match="is not valid ascii"):
        read(tmp_path, b"a,b\nx,\xe9\n", encoding="ascii")
    for wrong in ("utf-88", "hex", "\0"):
        with pytest.raises(ParameterError, match="not a known text encoding"):
            read(tmp_path, "a,b\n", encoding=wrong)


def test_longer_cells_on_demand(tmp_path: Path) -> None:
    content = '"a","b"\n"' + "x\n" * 100_000 + '",y\n'
    assert read(tmp_path, content, max_cell_length=300_000).n_rows == 1


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


ALPHABET = st.sampled_from("ab1 ,;\t|\"'\n\r\\éß?0.-\ufeff\u2028\x0b\x1c")
CELLS = st.text(ALPHABET, max_size=5)
quick = settings(examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])


@quick
@given(
    n_columns=st.integers(1, 4),
    data=st.data(),
    delimiter=st.sampled_from([",", ";", "\t", "|"]),
    quote_all=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
)
def test_written_by_the_csv_module_read_back_equal(
    *,
    tmp_path: Path,
    n_columns: int,
    data: st.DataObject,
    delimiter: str,
    quote_all: bool,
    end: str,
) -> None:
    cells = data.draw(st.lists(st.lists(CELLS, min_size=n_columns, max_size=n_columns), max_size=8))
    if end == "\n":  # then the csv module leaves a carriage return unquoted, which breaks its row
        cells = [[cell.replace("\r", "") for cell in row] for row in cells]
    names = [f"n{i}" for i in range(n_columns)]
    file = io.StringIO(newline="")
    writer = csv.writer(
        file,
        delimiter=delimiter,
        quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL,
        lineterminator=end,
    )
    writer.writerows([names, *cells])
    content = file.getvalue()
    if delimited.blanks_follow_delimiters(content.encode(), delimiter):
        return  # then blanks are dropped, as documented
    table = read(tmp_path, content, delimiter=delimiter, header=True, categorical=True)
    assert table.columns == tuple(names)
    expected = [tuple(cell or None for cell in row) for row in cells]
    assert [tuple(None if c is None else str(c) for c in row) for row in rows(table)] == expected


@quick
@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=6))
def test_fast_and_careful_reading_agree(cells: list[list[str]]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(cells)
    data = file.getvalue().encode().rstrip(b"\r\n")
    text = delimited.DelimitedText(data=data, delimiter=",", path="a", max_cell_length=99)
    if data and b"\r" not in data and data[:1] != b"\xef" and delimited._regular_width(data, text):
        fast = delimited._read_fast(data, text, 2).fill_null("")
        careful = delimited._read_row_by_row(data, text, stripped=False).frame
        assert fast.equals(careful)


@quick
@given(
    content=st.one_of(
        st.binary(max_size=80),
        st.text(ALPHABET, max_size=60).map(str.encode),
        st.text(max_size=40).map(lambda text: text.encode("utf-16")),
    ),
    name=st.sampled_from(
        ["a.csv", "a.tsv", "a.txt", "a.data.xz", "a.csv.gz", "a.csv.zst", "a.parquet", "a.xlsx"]
    ),
    header=st.sampled_from([None, True, False]),
)
def test_any_bytes_give_a_table_or_our_error(
    tmp_path: Path, content: bytes, name: str, header: bool | None  # noqa: FBT001
) -> None:  # fmt: skip
    try:
        table = read(tmp_path, content, name, header=None if "parquet" in name else header)
    except DiscreetError:
        return
    assert isinstance(table, Table)


@quick
@given(where=st.integers(0, 10_000), byte=st.integers(0, 255), cut=st.booleans())
@pytest.mark.parametrize("name", ["a.parquet", "a.xlsx", "a.csv.zst", "a.csv.xz", "a.csv.gz"])
def test_damaged_files_give_a_table_or_our_error(
    tmp_path: Path, name: str, where: int, byte: int, cut: bool  # noqa: FBT001
) -> None:  # fmt: skip
    from discreet.data.write import write_table

    sound = tmp_path / f"sound_{name}"
    if not sound.exists():
        write_table(Table.from_frame({"a": ["x", "y"] * 40, "b": [1, None] * 40}), sound)
    content = bytearray(sound.read_bytes())
    where %= len(content)
    content[where] = byte
    try:
        read(tmp_path, bytes(content[:where] if cut else content), name)
    except DiscreetError:
        return


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
    monkeypatch.setattr(delimited, "_BLOCK_ROWS", 7)
    for n_bytes in (1, 10, 64):
        monkeypatch.setattr(delimited, "_BLOCK_BYTES", n_bytes)
        assert rows(read(tmp_path, content)) == whole


@pytest.mark.parametrize("content", ["", "\n", "\r\n\n\r"])
def test_only_blank_lines(tmp_path: Path, content: str) -> None:
    with pytest.raises(DataError, match="is empty"):
        read(tmp_path, content)
