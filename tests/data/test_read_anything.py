"""Any cells, any bytes and damaged files: read back equal, or refused by our own error."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.data.reading import read, rows
from tests.examples import examples

from discreet.data.files import text as delimited
from discreet.data.table import Table
from discreet.errors import DiscreetError

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
