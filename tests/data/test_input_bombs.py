"""A file that unpacks to more than memory holds ends in a clear error."""

from __future__ import annotations

import gzip
import lzma
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
    monkeypatch.delattr("os.sysconf")
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n30,f\n40,m\n")
    assert read_table(path).n_rows == 2
    with path.open("wb") as file:
        file.truncate(2**33)
    with pytest.raises(LimitError, match="where memory is not known"):
        read_table(path)
