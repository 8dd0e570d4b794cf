"""A folder made to do harm neither hangs nor crashes the verifier: each ends in a failed check."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import socket
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from discreet.errors import DataError, ParameterError
from discreet.verify import verify_release
from tests.verify.children import verified_apart
from tests.verify.folders import check, edit, failed, k_anonymous, replace_data
from tests.verify.parquet_files import compact, footer_of, with_footer

GIB = 1024**3
NAME = "data.parquet"


def as_csv(content: bytes) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        (folder / NAME).unlink()
        (folder / "data.csv").write_bytes(content)
        edit(folder, lambda values: values["data"].update(file="data.csv"))
        replace_data(folder, content)

    return change


def sparse(name: str, size: int, begin: bytes = b"") -> Callable[[Path], object]:
    """Return the change that gives a file a size without content."""

    def change(folder: Path) -> None:
        if name == "data.csv":
            as_csv(begin)(folder)
        with (folder / name).open("wb") as file:
            file.write(begin)
            file.truncate(size)

    return change


def instead(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Return the change that puts something else in the place of a file."""

    def change(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return change


def as_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's path has to be short
    try:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path.name)
    finally:
        os.chdir(here)


def parameters(**given: object) -> Callable[[Path], object]:
    return lambda folder: edit(
        folder, lambda values: values["guarantee"]["parameters"].update(given)
    )


def raw_number(text: str) -> Callable[[Path], object]:
    """Return the change that writes a number which Python would not write."""

    def change(folder: Path) -> None:
        path = folder / "certificate.json"
        path.write_text(path.read_text().replace('"k": 2', f'"k": {text}'))

    return change


def footer(change: Callable[[dict[int, Any]], object]) -> Callable[[Path], object]:
    """Return the change that gives the data a footer which says something else."""

    def apply(folder: Path) -> None:
        content = (folder / NAME).read_bytes()
        meta = footer_of(content)
        change(meta)
        replace_data(folder, with_footer(content, meta))

    return apply


def claimed_rows(n_rows: int) -> Callable[[Path], object]:
    """Return the change to a small file of as many rows: one run of one value in each column."""

    def change(folder: Path) -> None:
        def more(meta: dict[int, Any]) -> None:
            meta[3] = meta[4][0][3] = n_rows
            for chunk in meta[4][0][1]:
                chunk[3][5] = n_rows

        footer(more)(folder)
        edit(folder, lambda values: values["data"].update(n_rows=n_rows))

    return change


def huge_page(folder: Path) -> None:
    """Write a page that claims to unpack to 2 GiB."""
    content = (folder / NAME).read_bytes()
    meta = footer_of(content)
    start = meta[4][0][1][0][3][9]
    page = {1: 0, 2: 2**31 - 1, 3: 4, 5: {1: 9, 2: 0, 3: 3, 4: 3}}
    body = compact(page) + b"\0" * 4
    spoiled = content[:start] + body + content[start + len(body) :]
    meta[4][0][1][0][3] |= {7: len(body), 9: start}
    meta[4][0][1][0][3].pop(11, None)
    replace_data(folder, with_footer(spoiled, meta))


def many_runs(folder: Path) -> None:
    """Write a hundred million equal rows in some hundred bytes, as an honest writer would."""
    buffer = io.BytesIO()
    rows = pl.select(pl.repeat(None, 150_000_000, dtype=pl.Null).alias("age"))
    rows.with_columns(sex=pl.lit(None)).write_parquet(buffer, row_group_size=2**31)
    replace_data(folder, buffer.getvalue())
    edit(folder, lambda values: values["data"].update(n_rows=150_000_000))


PACKED = gzip.compress(b"0" * 100_000_000)

# Each change, and words of the answer.
BOMBS: dict[str, tuple[Callable[[Path], object], str]] = {
    "pipe as certificate": (instead("certificate.json", os.mkfifo), "is a pipe"),
    "pipe as data": (instead(NAME, os.mkfifo), "is a pipe"),
    "pipe beside": (instead("report.html", os.mkfifo), "report.html is not certified"),
    "endless link as certificate": (
        instead("certificate.json", lambda path: path.symlink_to("/dev/zero")),
        "is a link",
    ),
    "endless link as data": (instead(NAME, lambda path: path.symlink_to("/dev/zero")), "is a link"),
    "link to itself": (instead(NAME, lambda path: path.symlink_to(path.name)), "is a link"),
    "socket as data": (instead(NAME, as_socket), "is a socket"),
    "folder as certificate": (instead("certificate.json", Path.mkdir), "is a folder"),
    "terabyte of certificate": (sparse("certificate.json", 2**40), "more than the"),
    "terabyte of data": (sparse(NAME, 2**40, b"PAR1"), "more than the"),
    "line without end": (sparse("data.csv", 3 * GIB, b"age,sex\n"), "more than the"),
    "long line": (as_csv(b"age,sex\n" + b"," * 30_000_000), "data.csv is damaged"),
    "wide header": (as_csv(b"," * 20_000), "20,001 columns"),
    "empty lines": (as_csv(b"age\n" + b"\n" * 250_000_000), "max_cells"),
    "gzip as csv": (as_csv(PACKED), "is compressed"),
    "zstd as csv": (
        as_csv(zstandard.ZstdCompressor().compress(b"0" * 100_000_000)),
        "is compressed",
    ),
    "gzip as parquet": (lambda folder: replace_data(folder, PACKED), "is no Parquet file"),
    "billions of rows": (claimed_rows(10**10), "max_cells"),
    "million rows in a page of nine": (claimed_rows(10**6), "another number of values"),
    "runs of rows": (many_runs, "max_cells"),
    "page of gigabytes": (huge_page, "unpacks to more than the limit"),
    "endless list in the footer": (
        lambda folder: replace_data(folder, b"PAR1\x29\xfc\xff\xff\xff\x0f\x06\0\0\0PAR1"),
        "longer than the file",
    ),
    "deep footer": (
        lambda folder: replace_data(folder, b"PAR1" + b"\x1c" * 1000 + b"\xe8\x03\0\0PAR1"),
        "nested too deeply",
    ),
    "400 digits": (raw_number("9" * 400), "more than 19 digits"),
    "5000 digits": (raw_number("9" * 5000), "more than 19 digits"),
    "endless exponent": (raw_number("1e999999999"), "out of range"),
    "400 digits in a fraction": (
        parameters(k={"exact": "9" * 400 + "/1", "decimal": "9" * 400}),
        "out of range",
    ),
    "400 digits in the data": (as_csv(b"age,sex\n" + b"9" * 400 + b",f\n"), "1 rows"),
    "exponent in the data": (as_csv(b"age,sex\n1e999999999,f\n"), "1 rows"),
    "deep JSON": (
        lambda folder: (folder / "certificate.json").write_bytes(b"[" * 900 + b"]" * 900),
        "nested more than",
    ),
    "deeper JSON": (
        lambda folder: (folder / "certificate.json").write_bytes(b'{"a":' * 10**6),
        "nested more than",
    ),
    "name that is no text": (
        lambda folder: Path(os.fsdecode(os.fsencode(folder) + b"/\xff\x1b[2J.txt")).touch(),
        "\\udcff\\x1b[2J.txt is not certified",
    ),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, dict[str, Any]]]:
    place = tmp_path_factory.mktemp("bombs")
    paths = {}
    for name, (change, _) in BOMBS.items():
        (place / name).mkdir()
        paths[name] = k_anonymous(place / name)
        change(paths[name])
    yield verified_apart(paths)
    shutil.rmtree(place, ignore_errors=True)


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_in_a_failed_check(name: str, answers: dict[str, dict[str, Any]]) -> None:
    found = answers[name]
    assert found["answer"] == "refuted"
    details = " ".join(each["detail"] for each in found["checks"] if each["passed"] is False)
    assert BOMBS[name][1] in details


def test_limits_can_be_set(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    assert verify_release(folder, max_bytes=2**20, max_cells=18, max_columns=2).answer == "verified"
    assert "max_cells" in check(verify_release(folder, max_cells=17), "data").detail
    assert "max_columns" in check(verify_release(folder, max_columns=1), "data").detail
    assert "max_bytes" in verify_release(folder, max_bytes=10_000).sentence
    for name in ("max_bytes", "max_cells", "max_columns"):
        given: dict[str, Any] = {name: 0}
        with pytest.raises(ParameterError, match=name):
            verify_release(folder, **given)


def test_a_text_that_stands_in_many_rows_counts_in_each(tmp_path: Path) -> None:
    rows: dict[str, list[object]] = {"sex": ["f" * 1000] * 100_000}
    folder = k_anonymous(tmp_path, rows)
    assert verify_release(folder, max_bytes=2**24).answer == "verified"
    found = verify_release(folder, max_bytes=2**23)
    assert "texts of 100,000,000 bytes in all cells together" in check(found, "data").detail


def test_names_that_differ_in_case(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    (folder / "Data.parquet").touch()
    detail = check(verify_release(folder), "files").detail
    assert "Data.parquet is not certified" in detail
    assert "data.parquet and Data.parquet differ in case only" in detail


def test_a_folder_of_thousands_of_files(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    for number in range(1000):
        (folder / f"{number}.txt").touch()
    with pytest.raises(DataError, match="holds more than 50 files"):
        verify_release(folder)


def test_hidden_files_are_not_certified(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    (folder / ".data.parquet.swp").touch()
    assert failed(verify_release(folder)) == ["files"]


# A zip of a folder.


def zipped(path: Path, members: list[tuple[str | zipfile.ZipInfo, bytes]]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def members_of(folder: Path, top: str = "release/") -> list[tuple[str | zipfile.ZipInfo, bytes]]:
    return [(f"{top}{path.name}", path.read_bytes()) for path in sorted(folder.iterdir())]


@pytest.mark.parametrize("top", ["", "release/"])
def test_a_zip_is_taken_like_a_folder(tmp_path: Path, top: str) -> None:
    folder = k_anonymous(tmp_path, report="<html></html>")
    found = verify_release(zipped(tmp_path / "release.zip", members_of(folder, top)))
    assert found.answer == "verified"
    assert found == verify_release(folder)


def test_a_zip_as_a_system_makes_it(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    made = shutil.make_archive(str(tmp_path / "made"), "zip", folder.parent, folder.name)
    assert verify_release(made).answer == "verified"


def entry(name: str, mode: int = 0o100644) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.external_attr = mode << 16
    return member


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (entry("../certificate.json"), "leads elsewhere"),
        (entry("/etc/passwd"), "leads elsewhere"),
        (entry("release/../../x"), "leads elsewhere"),
        (entry("C:\\x"), "leads elsewhere"),
        (entry("C:x"), "leads elsewhere"),
        (entry("release\\report.html"), "leads elsewhere"),
        (entry("release/a\nb"), "leads elsewhere"),
        (entry("release/more/data.csv"), "folder within a folder"),
        (entry("other/data.csv"), "more than one folder"),
        (entry("release/report.html", 0o120777), "is a link"),
        (entry("release/report.html", 0o010644), "is a link or another thing"),
        (entry("release/Data.parquet"), "differ in case only"),
        (entry("release/data.csv"), "data.csv is not certified"),
    ],
)
def test_a_zip_with_something_else_in_it(
    tmp_path: Path, member: zipfile.ZipInfo, words: str
) -> None:
    members = [*members_of(k_anonymous(tmp_path)), (member, b"x")]
    found = verify_release(zipped(tmp_path / "release.zip", members))
    assert failed(found) == ["files"]
    assert words in check(found, "files").detail


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_zip_with_two_files_of_one_name(tmp_path: Path) -> None:
    members = members_of(k_anonymous(tmp_path))
    found = verify_release(zipped(tmp_path / "release.zip", [*members, members[-1]]))
    assert "files" in failed(found)
    assert "data.parquet stands there twice" in check(found, "files").detail
    found = verify_release(zipped(tmp_path / "release.zip", [*members, members[0]]))
    assert "certificate.json stands there twice" in found.sentence


def patched(path: Path, offset: int, value: bytes) -> Path:
    """Change some bytes of each entry in the directory of a zip, and of each local header."""
    content = bytearray(path.read_bytes())
    place = content.find(b"PK\x01\x02")
    while place >= 0:
        content[place + offset : place + offset + len(value)] = value
        place = content.find(b"PK\x01\x02", place + 1)
    path.write_bytes(bytes(content))
    return path


def test_a_zip_that_is_encrypted_or_packed_oddly(tmp_path: Path) -> None:
    members = members_of(k_anonymous(tmp_path))
    path = zipped(tmp_path / "release.zip", members)
    for offset, value in ((8, b"\1\0"), (10, b"\x0e\0")):
        with pytest.raises(DataError, match=r"no certificate\.json"):
            verify_release(patched(zipped(path, members), offset, value))


def _with_comment(content: bytes) -> bytes:
    """Give the first entry of the directory a comment."""
    place, end = content.index(b"PK\x01\x02"), len(content) - 22
    n_name = int.from_bytes(content[place + 28 : place + 30], "little")
    entry = content[place : place + 32] + b"\4\0" + content[place + 34 : place + 46 + n_name]
    rest = content[place + 46 + n_name : end]
    size = (int.from_bytes(content[end + 12 : end + 16], "little") + 4).to_bytes(4, "little")
    return content[:place] + entry + b"note" + rest + content[end : end + 12] + size + content[-6:]


def _with_gap(content: bytes) -> bytes:
    """Put something between the members and the directory."""
    place, end = content.index(b"PK\x01\x02"), len(content) - 22
    start = (place + 4).to_bytes(4, "little")
    return content[:place] + b"note" + content[place : end + 16] + start + content[-2:]


def _with_field(
    path: Path, members: list[tuple[str | zipfile.ZipInfo, bytes]], extra: bytes
) -> Path:
    name, content = members[0]
    member = entry(str(name))
    member.extra = extra
    return zipped(path, [(member, content), *members[1:]])


def test_a_zip_that_holds_more_than_its_members(tmp_path: Path) -> None:
    members = members_of(k_anonymous(tmp_path))
    path = tmp_path / "release.zip"
    whole = zipped(path, members).read_bytes()
    for content in (b"note" + whole, _with_comment(whole), _with_gap(whole)):
        path.write_bytes(content)
        found = verify_release(path)
        assert failed(found) == ["files"]
        assert "the zip has" in check(found, "files").detail
    found = verify_release(_with_field(path, members, b"no\4\0note"))
    assert "fields of a member" in check(found, "files").detail
    times = b"UT\5\0\3" + b"\0" * 4  # as programs write them
    assert verify_release(_with_field(path, members, times)).answer == "verified"


def test_a_zip_of_bombs(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    members = members_of(folder)
    bomb = ("release/report.html", b"\0" * 50_000_000)
    kinds = {
        "bomb": zipped(tmp_path / "bomb.zip", [*members, bomb]),
        "sizes": patched(zipped(tmp_path / "sizes.zip", members), 24, b"\x10\0\0\0"),
        "huge sizes": patched(zipped(tmp_path / "huge.zip", members), 24, b"\xff\xff\xff\x7f"),
        "overlap": patched(zipped(tmp_path / "overlap.zip", members), 42, b"\0\0\0\0"),
        "cut": tmp_path / "cut.zip",
        "many": zipped(tmp_path / "many.zip", [(f"{i}.txt", b"") for i in range(60)]),
        "comment": tmp_path / "comment.zip",
        "text": tmp_path / "text.zip",
    }
    whole = zipped(tmp_path / "whole.zip", members).read_bytes()
    kinds["cut"].write_bytes(whole[: len(whole) // 2] + whole[-22:])
    kinds["comment"].write_bytes(whole + b"more")
    kinds["text"].write_bytes(b"age,sex\n")
    found = verified_apart(kinds, {"max_bytes": 2**24})
    for name, answer in found.items():
        assert "error" in answer or answer["answer"] == "refuted", name
    assert "report.html is not certified" in json.dumps(found["bomb"])
    assert "max_bytes" in json.dumps(found["huge sizes"])
    for name, words in {"many": "more than 50 members", "text": "neither a folder nor"}.items():
        assert words in found[name]["error"]
    assert "no certificate.json" in found["overlap"]["error"]
