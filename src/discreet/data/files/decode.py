"""Bytes of a text file into UTF-8: by the encoding given, its mark, or a guess that is said."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from discreet.errors import DataError, ParameterError

# Longest first: the mark of utf-32 begins like that of utf-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNUSED_IN_CP1252 = b"\x81\x8d\x8f\x90\x9d"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """Text as UTF-8 bytes, the encoding it was in, and what to tell the reader."""

    data: bytes
    encoding: str
    notes: tuple[str, ...] = ()


def decode(raw: bytes, *, encoding: str | None, path: str) -> DecodedText:
    """Return the text of a file as UTF-8.

    Parameters
    ----------
    raw : bytes
        The file's bytes.
    encoding : str, optional
        Any of Python's text encodings. By default the mark at the start of the file decides,
        else UTF-8 if it is valid, else a guess of cp1252 (or latin-1), which is noted.
    path : str
        The file's name, for errors.

    Returns
    -------
    DecodedText
        The text without a byte order mark.

    Raises
    ------
    ParameterError
        If the encoding is not known.
    DataError
        If bytes are not valid in the encoding, or the text has NUL characters.

    Examples
    --------
    >>> decode("né".encode("latin-1"), encoding=None, path="a.csv").encoding
    'cp1252'
    """
    notes: tuple[str, ...] = ()
    if encoding is None:
        encoding = next((name for mark, name in _MARKS if raw.startswith(mark)), "utf-8")
        if encoding == "utf-8":
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError as error:
                is_cp1252 = not any(byte in raw for byte in _UNUSED_IN_CP1252)
                encoding = "cp1252" if is_cp1252 else "latin-1"
                fault = f"byte 0x{raw[error.start]:02x} in line {_line(raw, error.start)}"
                notes = (f"The encoding {encoding} is a guess: {fault} is not valid UTF-8.",)
    data = _to_utf8(raw, encoding, path)
    if 0 in data:
        hint = (
            "It looks like UTF-16 without a mark: try encoding='utf-16-le'."
            if data.count(0) * 3 > len(data)
            else "Is it really a text file?"
        )
        raise DataError(f"{path} has a NUL character in line {_line(data, data.index(0))}. {hint}")
    return DecodedText(data=data, encoding=encoding, notes=notes)


def _to_utf8(raw: bytes, encoding: str, path: str) -> bytes:
    """Return the bytes in UTF-8, without copying if they are already."""
    try:
        name = codecs.lookup(encoding).name
        if name == "utf-8" or (raw.isascii() and name in ("ascii", "cp1252", "iso8859-1")):
            if not raw.isascii():
                raw.decode("utf-8")
            return raw.removeprefix(codecs.BOM_UTF8)
        return raw.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not valid {encoding}: byte 0x{raw[error.start]:02x} at offset "
            f"{error.start}, line {_line(raw, error.start)} ({error.reason}). Give the encoding "
            "it is in, for example encoding='cp1252'."
        ) from error
    except UnicodeError as error:
        raise DataError(f"{path} cannot be read as {encoding}: {error}.") from error
    except (LookupError, ValueError, TypeError) as error:
        raise ParameterError(
            f"'{encoding}' is not a known text encoding. Common ones: utf-8, cp1252, utf-16."
        ) from error


def _line(raw: bytes, offset: int) -> int:
    """Return the line an editor shows for an offset."""
    before = raw[:offset]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1
