"""A file that unpacks to more than memory holds ends in a clear error."""

from __future__ import annotations

import gzip
import lzma
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from discreet.data.files import packed
from discreet.data.read import read_table
from discreet.errors import LimitError, ParameterError

BOMB = b"0" * 5_000_000
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("suffix", PACK)
def test_a_bomb_ends_at_the_limit(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"people.csv{suffix}"
    path.write_bytes(PACK[suffix](BOMB) + PACK[suffix](b"more"))
    assert packed.read_bytes(path) == BOMB + b"more"
    monkeypatch.setattr(packed, "most_bytes", lambda: 4_000_000)
    with pytest.raises(LimitError, match="unpacks to more than 4,000,000"):
        read_table(path)


def test_a_plain_file_without_end(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    with path.open("wb") as file:
        file.truncate(2**42)
    with pytest.raises(LimitError, match=r"a quarter of the memory.*DISCREET_MAX_INPUT_BYTES"):
        read_table(path)


def test_the_limit_can_be_stated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n40,m\n")
    monkeypatch.setenv(packed.MAX_INPUT, "5")
    with pytest.raises(LimitError, match="more than 5, the limit that DISCREET_MAX_INPUT_BYTES"):
        read_table(path)
    monkeypatch.setenv(packed.MAX_INPUT, str(2**43))
    assert packed.most_bytes() == 2**43
    assert read_table(path).n_rows == 2


@pytest.mark.parametrize("wrong", ["0", "-1", "8G", "1e9", "9" * 30])
def test_a_limit_that_is_none(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(packed.MAX_INPUT, wrong)
    with pytest.raises(ParameterError, match="must be a whole number of bytes above 0"):
        packed.most_bytes()


def test_where_the_memory_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed, "_memory", lambda: None)
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n40,m\n")
    assert read_table(path).n_rows == 2
    with path.open("wb") as file:
        file.truncate(2**33)
    with pytest.raises(LimitError, match="where memory is not known"):
        read_table(path)


def test_the_memory_that_a_process_may_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    infinite = resource.RLIM_INFINITY
    allowed = {"as": infinite}
    monkeypatch.setattr(resource, "getrlimit", lambda _: (allowed["as"], infinite))
    monkeypatch.setattr(packed, "_OF_CONTAINER", tmp_path / "memory.max")
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert packed.most_bytes() == machine // 4
    (tmp_path / "memory.max").write_text("max\n")
    assert packed.most_bytes() == machine // 4
    (tmp_path / "memory.max").write_text("4000000\n")
    assert packed.most_bytes() == 1_000_000
    allowed["as"] = 2_000_000
    assert packed.most_bytes() == 500_000
    monkeypatch.delattr("os.sysconf")
    assert packed.most_bytes() == 500_000


ROOM = 3 * 2**30  # bytes of address space, of which polars alone reserves over one

CHILD = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({ROOM}, {ROOM}))
sys.argv[0] = "discreet"
from discreet.cli.app import main
main()
"""


def ended(*arguments: object) -> tuple[int, str]:
    """Run a command in a process that may use a few GB of addresses; return its code and words."""
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *map(str, arguments)],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "POLARS_MAX_THREADS": "1", "COLUMNS": "500"},
    )  # fmt: skip
    return done.returncode, done.stderr


PIECE = b"0" * 2**26

MANY = ROOM // 4 // len(PIECE) + 2  # more than the limit, by a piece


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux")
@pytest.mark.parametrize(
    ("suffix", "command"), [(".gz", "look"), (".xz", "init"), (".zst", "look")]
)
def test_a_bomb_in_a_small_process(suffix: str, command: str, tmp_path: Path) -> None:
    path = tmp_path / f"people.csv{suffix}"
    path.write_bytes(PACK[suffix](PIECE) * MANY)
    assert path.stat().st_size < 10_000_000
    code, said = ended(command, path)
    assert code == 1, said
    assert f"unpacks to more than {ROOM // 4:,}, a quarter of the memory there is" in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux")
def test_one_line_of_two_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    with path.open("wb") as file:
        file.truncate(2**31)
    code, said = ended("look", path)
    assert code == 1, said
    assert f"has 2,147,483,648 bytes, more than {ROOM // 4:,}" in said
    with path.open("wb") as file:  # below the limit: then the cell is too long
        file.write(b"age,sex\n30,")
        file.write(b"f" * 2**28)
    code, said = ended("look", path)
    assert code == 2, said
    assert "a cell that passes the limit of 100,000 characters" in said
    assert "Traceback" not in said
