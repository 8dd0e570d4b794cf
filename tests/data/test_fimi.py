from __future__ import annotations

import gzip
import lzma
import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st
from tests.examples import examples

from discreet.data.files.fimi import (
    num_as_transactions,
    read_num_table,
    read_transactions,
    write_transactions,
)
from discreet.data.transactions import Transactions
from discreet.errors import DataError, DiscreetError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.data.files.fimi import LabelKind, NumRows

DATA = Path(os.environ.get("DISCREET_DATA", "/nowhere"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="DISCREET_DATA names no folder")
PACK: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}


def parse(content: bytes, labels: LabelKind = "auto") -> Transactions:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "some.dat"
        file.write_bytes(content)
        return read_transactions(file, labels=labels)


def parse_num(content: bytes) -> NumRows:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "some.num"
        file.write_bytes(content)
        return read_num_table(file)


@pytest.mark.parametrize(
    ("content", "sets"),
    [
        (b"1 2\n3\n", [{1, 2}, {3}]),
        (b"1 2\r\n3\r\n", [{1, 2}, {3}]),
        (b"1 2\n3", [{1, 2}, {3}]),
        (b"\t1  2 \n\n 3", [{1, 2}, set(), {3}]),
        (b"\n", [set()]),
        (b"\n\n", [set(), set()]),
        (b"1\n\n", [{1}, set()]),
        (b" ", [set()]),
        (b"\xef\xbb\xbf7\n", [{7}]),
        (b"-3 0 5\n", [{-3, 0, 5}]),
        (b"9223372036854775807 -9223372036854775808\n", [{2**63 - 1, -(2**63)}]),
        (b"tea milk\nmilk 12\n", [{"tea", "milk"}, {"milk", "12"}]),
        (b"007 7\n", [{"007", "7"}]),
        (b"+1 1.0\n", [{"+1", "1.0"}]),
        ("crème brûlée".encode(), [{"crème", "brûlée"}]),
        ("٣ 3".encode(), [{"٣", "3"}]),
    ],
)
def test_lines_are_transactions(content: bytes, sets: list[set[Any]]) -> None:
    assert list(parse(content)) == sets


def test_repeats_are_counted_and_labels_sorted() -> None:
    transactions = parse(b"10 9 10 10\n9 9\n")
    assert transactions.n_repeated == 3
    assert transactions.labels == (9, 10)


def test_labels_as_asked() -> None:
    assert parse(b"1 2\n", labels="str").labels == ("1", "2")
    assert parse(b"1 2\n", labels="int").labels == (1, 2)
    with pytest.raises(ParameterError, match="Did you mean 'int'"):
        parse(b"1\n", labels="itn")  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", PACK)
def test_compressed_files(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"some.dat{suffix}"
    file.write_bytes(PACK[suffix](b"1 2\n3\n"))
    transactions = read_transactions(file)
    assert list(transactions) == [{1, 2}, {3}]
    again = tmp_path / f"again.dat{suffix}"
    write_transactions(transactions, again)
    assert read_transactions(again) == transactions


def test_several_frames_in_a_row(tmp_path: Path) -> None:
    for suffix in (".gz", ".xz", ".zst"):
        file = tmp_path / f"some.dat{suffix}"
        file.write_bytes(PACK[suffix](b"1 2\n") + PACK[suffix](b"3\n"))
        assert list(read_transactions(file)) == [{1, 2}, {3}]


@pytest.mark.parametrize(
    ("content", "labels", "match"),
    [
        (b"", "auto", "is empty"),
        (b"\xef\xbb\xbf", "auto", "is empty"),
        (b"1\n2 \x00 3\n", "auto", r"some.dat, line 2: control character 0"),
        (b"1\n2\x003\n", "auto", r"line 2: control character 0"),
        (b"1\r2\n", "auto", r"line 1: control character 13"),
        (b"1\n\x7f", "auto", r"line 2: control character 127"),
        (b"1\n2\n" + b"x" * 1001, "auto", r"line 3: an item of 1001 bytes"),
        (
            b"1\n\n99999999999999999999 4\n",
            "auto",
            r"line 3: 99999999999999999999 does not fit 64 bits",
        ),
        (b"9223372036854775808", "auto", r"line 1: 9223372036854775808 does not fit"),
        (b"-" + b"9" * 999, "auto", r"line 1: -999.* does not fit"),
        (b"1 2\n3 x\n", "int", r"line 2: item 'x' is not a plain integer"),
        (b"007\n", "int", r"line 1: item '007'"),
        (b"caf\xe9 tea\n", "auto", r"line 1: item b'caf\\xe9' is not UTF-8"),
        ("1 2\n".encode("utf-16"), "auto", "UTF-16"),
        ("1 2\n".encode("utf-16-le"), "auto", "line 1: control character 0"),
        (b"\x1f\x8b123", "auto", "damaged"),
        (b"\xfd7zXZ\x00nonsense", "auto", "damaged"),
        (b"\x28\xb5\x2f\xfdnonsense", "auto", "damaged"),
        (gzip.compress(b"1 2\n" * 500, mtime=0)[:-9], "auto", "damaged"),
        (lzma.compress(b"1 2\n" * 500)[:-9], "auto", "damaged"),
        (zstandard.compress(b"1 2\n" * 500)[:-3], "auto", "damaged"),
        (gzip.compress(b"", mtime=0), "auto", "is empty"),
    ],
)
def test_bad_files_are_named_with_their_line(content: bytes, labels: LabelKind, match: str) -> None:
    with pytest.raises(DataError, match=match):
        parse(content, labels=labels)


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_transactions(tmp_path / "absent.dat")
    with pytest.raises(DataError, match="is a folder"):
        read_transactions(tmp_path)
    with pytest.raises(DataError, match="There is no file"):
        read_transactions("a\0b")
    plain = tmp_path / "plain.dat.xz"
    plain.write_bytes(b"1 2\n")
    with pytest.raises(DataError, match=r"named \.xz but is not"):
        read_transactions(plain)


@given(st.binary(max_size=60))
@example(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
def test_any_bytes_give_a_result_or_our_error(content: bytes) -> None:
    for read in (parse, parse_num):
        with suppress(DiscreetError):
            read(content)


@given(st.text("0123456789 \t\n\r-ax", max_size=80))
def test_any_text_reads_like_split(text: str) -> None:
    plain = text.replace("\r", "")
    lines = plain.split("\n")[:-1] if plain.endswith("\n") else plain.split("\n")
    if not plain:
        return
    transactions = parse(plain.encode(), labels="str")
    assert list(transactions) == [frozenset(line.split()) for line in lines]


item = st.text(
    st.characters(codec="utf-8", exclude_characters="\x7f\ufeff", min_codepoint=33),
    min_size=1,
    max_size=5,
)


@given(
    st.lists(st.lists(item, max_size=5), min_size=1, max_size=6)
    | st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5), min_size=1, max_size=6)
)
@examples(60)
def test_written_files_read_back(sets: list[list[Any]]) -> None:
    transactions = Transactions.from_iterable(sets)
    is_text = any(isinstance(label, str) for label in transactions.labels)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "some.dat"
        write_transactions(transactions, file)
        assert read_transactions(file, labels="str" if is_text else "auto") == transactions
        assert [path.name for path in Path(folder).iterdir()] == ["some.dat"]


@pytest.mark.parametrize("label", ["soy milk", "", "a\n", "\x00", "x" * 1001, "\ud800", "\ufeffa"])
def test_labels_that_cannot_be_written(tmp_path: Path, label: str) -> None:
    with pytest.raises(DataError, match=r"rename it|not valid text"):
        write_transactions(Transactions.from_iterable([[label]]), tmp_path / "some.dat")
    assert not list(tmp_path.iterdir())


def test_writing_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "some.dat"
    file.write_text("9\n")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="cannot be written"):
        write_transactions(Transactions.from_iterable([[1]]), file)
    assert file.read_text() == "9\n"
    assert [path.name for path in tmp_path.iterdir()] == ["some.dat"]


def test_written_file_has_the_usual_permissions(tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.write_text("x")
    write_transactions(Transactions.from_iterable([[1]]), tmp_path / "some.dat")
    assert stat.S_IMODE((tmp_path / "some.dat").stat().st_mode) == stat.S_IMODE(
        plain.stat().st_mode
    )


def test_nowhere_to_write_and_nothing_to_write(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        write_transactions(Transactions.from_iterable([[1]]), tmp_path / "absent" / "some.dat")
    with pytest.raises(DataError, match="no transactions"):
        write_transactions(Transactions.from_iterable([]), tmp_path / "some.dat")


def test_num_rows_become_columns() -> None:
    rows = parse_num(b"1 3 6\n2 4 6\n1 6\n2 3 7\n\n")
    assert rows.columns == ("c1", "c2", "c3")
    assert rows.values == ((1, 2), (3, 4), (6, 7))
    assert [column.tolist() for column in rows.codes] == [[0, 1, 1], [0, 1, 0], [0, 0, 1]]
    assert all(column.dtype == np.uint32 for column in rows.codes)
    assert (rows.n_rows, rows.n_dropped) == (3, 2)


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (b"1 2\n3 1\n", "line 2: item 1 stands in place 2, elsewhere in place 1"),
        (b"1 1\n", "line 1: item 1 stands in place 2"),
        (b"1 2\n1 x\n", "line 2: item 'x'"),
        (b"\n\n1\n", "most lines are blank"),
    ],
)
def test_num_files_that_are_no_tables(content: bytes, match: str) -> None:
    with pytest.raises(DataError, match=match):
        parse_num(content)


@needs_data
@pytest.mark.parametrize(
    ("name", "n_transactions", "n_items", "n_occurrences", "n_repeated"),
    [
        ("mushroom.dat", 8124, 119, 186_852, 0),
        ("chess.dat", 3196, 75, 118_252, 0),
        ("connect.dat.xz", 67_557, 129, 2_904_951, 0),
        ("retail.dat.xz", 88_162, 16_470, 908_576, 0),
        ("T10I4D100K.dat.xz", 100_000, 870, 1_010_228, 0),
        ("kosarak.first100000.dat.xz", 100_000, 23_496, 801_943, 4),
    ],
)
def test_published_sizes(
    name: str, n_transactions: int, n_items: int, n_occurrences: int, n_repeated: int
) -> None:
    transactions = read_transactions(DATA / "fimi" / name)
    assert transactions.n_transactions == n_transactions
    assert transactions.n_items == n_items
    assert transactions.items.size == n_occurrences
    assert transactions.n_repeated == n_repeated


@needs_data
@pytest.mark.parametrize(
    ("name", "n_rows", "n_columns", "n_items"),
    [
        ("adult.D97.N48842.C2.num.xz", 45_222, 15, 97),
        ("breast.D20.N699.C2.num", 683, 10, 16),
        ("chessKRvK.D58.N28056.C18.num", 28_056, 7, 58),
        ("iris.D19.N150.C3.num", 150, 5, 19),
        ("nursery.D32.N12960.C5.num", 12_960, 9, 32),
        ("wine.D68.N178.C3.num", 178, 14, 68),
    ],
)
def test_published_tables(name: str, n_rows: int, n_columns: int, n_items: int) -> None:
    rows = read_num_table(DATA / "lucs" / name)
    assert (rows.n_rows, len(rows.columns)) == (n_rows, n_columns)
    assert sum(map(len, rows.values)) == n_items
    whole = num_as_transactions(DATA / "lucs" / name)
    assert len(whole) == rows.n_rows + rows.n_dropped


@needs_data
@pytest.mark.parametrize("name", ["anneal.D73.N898.C6.num", "horseColic.D85.N368.C2.num"])
def test_tables_whose_missing_values_shift_the_columns(name: str) -> None:
    with pytest.raises(DataError, match="places are not columns"):
        read_num_table(DATA / "lucs" / name)
    assert len(num_as_transactions(DATA / "lucs" / name)) > 300
