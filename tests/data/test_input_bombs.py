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
from discreet.errors import LimitError

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
    with pytest.raises(LimitError, match="more than a quarter of the memory"):
        read_table(path)
