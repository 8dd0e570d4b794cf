"""Whole files as bytes, plain or compressed: read with clear errors, written all or nothing."""

from __future__ import annotations

import gzip
import lzma
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.atomic import atomic_path
from discreet.data.files.find import find_file
from discreet.errors import DataError

if TYPE_CHECKING:
    import os

# How each kind of compressed file begins; no text in UTF-8 begins so.
MAGIC = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, decompressed if it is gzip, xz or Zstandard.

    Parameters
    ----------
    path : path
        The beginning of the file decides how it is decompressed; a name ending in ``.gz``,
        ``.xz`` or ``.zst`` must keep its promise.

    Raises
    ------
    DataError
        If there is no such file, it cannot be read, is damaged or holds nothing.
    """
    file = find_file(path)
    try:
        content = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}.") from None
    named = MAGIC.get(file.suffix.lower())
    kind = next((suffix for suffix, magic in MAGIC.items() if content.startswith(magic)), None)
    if content and named is not None and not content.startswith(named):
        raise DataError(f"{file} is named {file.suffix} but is not compressed so; rename it.")
    if kind is not None:
        try:
            content = _decompress(content, kind)
        except (EOFError, OSError, lzma.LZMAError, zlib.error, ValueError) as error:
            raise DataError(f"{file} is damaged ({error}); fetch or compress it again.") from None
    if not content:
        raise DataError(f"{file} is empty; check that it was written to the end.")
    return content


def write_bytes(path: str | os.PathLike[str], content: bytes, *, overwrite: bool = True) -> None:
    """Write a file at once or not at all, compressed if its name ends in .gz, .xz or .zst.

    Parameters
    ----------
    path : path
        Replaced only when everything has been written beside it.
    content : bytes
        What `read_bytes` will return.
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    DataError
        If the folder does not exist or cannot be written to.
    ParameterError
        If the file exists and may not be replaced.
    """
    packed = _compress(content, Path(path).suffix.lower())
    with atomic_path(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(packed)


def _decompress(content: bytes, kind: str) -> bytes:
    if kind == ".gz":
        return gzip.decompress(content)
    if kind == ".xz":
        return lzma.decompress(content)
    import zstandard

    whole = b""
    while content:  # a file may be several frames in a row
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            whole += frame.decompress(content)
        except zstandard.ZstdError as error:
            raise ValueError(str(error)) from None
        if not frame.eof:
            raise EOFError("it ends too early")
        content = frame.unused_data
    return whole


def _compress(content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content, mtime=0)  # the same content gives the same file
    if suffix == ".xz":
        return lzma.compress(content)
    if suffix == ".zst":
        import zstandard

        return zstandard.ZstdCompressor().compress(content)
    return content
