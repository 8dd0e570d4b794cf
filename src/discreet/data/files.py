"""Files found and opened, compressed or not, with errors that name the file and the way out."""

from __future__ import annotations

import gzip
import lzma
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import zstandard

from discreet.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import os

COMPRESSED = (".xz", ".gz", ".zst")


def find_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that exists, or raise DataError with the closest names."""
    found = Path(path)
    siblings: list[str] = []
    try:
        is_folder, is_file = found.is_dir(), found.is_file()
        if not is_folder and not is_file:
            siblings = sorted(each.name for each in found.parent.iterdir() if each.is_file())
    except (OSError, ValueError):  # an impossible name, or a folder that may not be listed
        is_folder = is_file = False
    if is_folder:
        raise DataError(f"{found} is a folder. Give the path of a file in it.")
    if is_file:
        return found
    folder = "this folder" if str(found.parent) == "." else str(found.parent)
    hint = did_you_mean(found.name, siblings) if siblings else f"{folder} has no files."
    raise DataError(f"There is no file {found}. {hint}")


def inner_suffix(path: Path) -> str:
    """Return the ending of a file name without the compression's.

    Examples
    --------
    >>> inner_suffix(Path("adult.data.xz")), inner_suffix(Path("a.CSV"))
    ('.data', '.csv')
    """
    suffixes = [each.lower() for each in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file, decompressed if it ends in .xz, .gz or .zst.

    Raises
    ------
    DataError
        If the file is missing, is a folder, may not be read, or is corrupt.
    """
    found = find_file(path)
    suffix = found.suffix.lower()
    try:
        raw = found.read_bytes()
        if suffix == ".xz":
            return lzma.decompress(raw)
        if suffix == ".gz":
            return gzip.decompress(raw)
        if suffix == ".zst":
            return _unzstd(raw)
    except (lzma.LZMAError, zlib.error, zstandard.ZstdError, EOFError, gzip.BadGzipFile) as error:
        raise DataError(
            f"{found} is not a valid {suffix} file, or is cut short ({error}). Fetch it again."
        ) from error
    except OSError as error:
        raise DataError(f"{found} cannot be read: {error.strerror or error}.") from error
    return raw


def _unzstd(raw: bytes) -> bytes:
    """Return all frames of a zstd file, which need not state their sizes."""
    pieces, rest = [], raw
    while rest:
        piece = zstandard.ZstdDecompressor().decompressobj()
        pieces.append(piece.decompress(rest))
        if not piece.eof:
            raise EOFError("the last frame is not complete")
        rest = piece.unused_data
    return b"".join(pieces)
