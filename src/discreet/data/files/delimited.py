"""Text files of rows and cells, read exactly: nothing is guessed here and nothing repaired.

A scan of the bytes decides whether the file is regular: every row has the same number of cells
and quotes stand where they should. Regular files go to polars, all cells as text. Anything else
is read row by row by Python's csv module, which also finds the line of an error.
"""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_BLOCK_BYTES = 1 << 24
_BLOCK_ROWS = 100_000
_QUOTE, _NEWLINE, _BLANK = b'"'[0], b"\n"[0], b" "[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class DelimitedText:
    """UTF-8 text, its delimiter, and the file it came from."""

    data: bytes
    delimiter: str
    path: str
    max_cell_length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """All rows as text columns named 0, 1, 2, ...; null or empty text for an empty cell."""

    frame: pl.DataFrame
    n_blank_lines: int
    blanks_stripped: bool


def read_cells(text: DelimitedText) -> Cells:
    """Return all cells of a text, the header among them.

    Raises
    ------
    DataError
        If rows differ in their number of cells, a quote is not closed, or a cell is too long.
    """
    data = text.data.rstrip(b"\r\n")
    if not data:
        raise DataError(f"{text.path} is empty.")
    stripped = blanks_follow_delimiters(data, text.delimiter)
    unix = data.replace(b"\r\n", b"\n")
    # polars would drop a second byte order mark, which is text here.
    is_fast = b"\r" not in unix and not unix.startswith(codecs.BOM_UTF8)
    n_columns = _regular_width(unix, text) if is_fast else 0
    if n_columns:
        frame = _read_fast(unix, text, n_columns)
        if stripped:
            frame = frame.with_columns(pl.all().str.strip_chars_start(" "))
        return Cells(frame=frame, n_blank_lines=0, blanks_stripped=stripped)
    return _read_row_by_row(data, text, stripped=stripped)


def blanks_follow_delimiters(data: bytes, delimiter: str) -> bool:
    """Say whether a blank stands after every delimiter outside quotes, and there is one."""
    mark = delimiter.encode()
    if delimiter == " " or mark + b" " not in data:
        return False
    if data.count(mark) == data.count(mark + b" "):
        return True
    if _QUOTE not in data:
        return False
    codes = np.frombuffer(data, np.uint8)
    outside = (np.cumsum(codes == _QUOTE, dtype=np.uint64) & np.uint64(1)) == 0
    places = np.flatnonzero((codes == mark[0]) & outside)
    after = codes[np.minimum(places + 1, len(codes) - 1)]
    return len(places) > 0 and bool((after == _BLANK).all())


def _regular_width(data: bytes, text: DelimitedText) -> int:
    """Return the number of cells in every row, or 0 if the text is not regular."""
    codes = np.frombuffer(data, np.uint8)
    delimiter = ord(text.delimiter)
    n_columns, start = 0, 0
    while start < len(codes):
        end = start + _BLOCK_BYTES
        if end < len(codes):
            end = data.rfind(b"\n", start, end) + 1
            if end == 0:
                return 0
        block = codes[start : min(end, len(codes))]
        start = min(end, len(codes))
        width = _block_width(block, delimiter, text.max_cell_length)
        if width == 0 or (n_columns and width != n_columns):
            return 0
        n_columns = width
    return n_columns


def _block_width(block: NDArray[np.uint8], delimiter: int, max_cell_length: int) -> int:
    """Return the number of cells in every row of whole lines, or 0 if they are not regular."""
    if block[-1] != _NEWLINE:  # the last line of the file
        block = np.append(block, np.uint8(_NEWLINE))
    is_end = (block == delimiter) | (block == _NEWLINE)
    quotes = np.flatnonzero(block == _QUOTE)
    if len(quotes):
        inside = np.cumsum(block == _QUOTE, dtype=np.uint32) & np.uint32(1) == 1
        if len(quotes) % 2 or (inside & (block == _NEWLINE)).any():
            return 0  # an open quote, or a line break inside quotes
        before = np.where(quotes[::2] > 0, block[quotes[::2] - 1], _NEWLINE)
        after = block[quotes[1::2] + 1]  # there is one: the last byte is a line break
        for neighbour in (before, after):
            fine = (neighbour == delimiter) | (neighbour == _NEWLINE) | (neighbour == _QUOTE)
            if not fine.all():
                return 0  # a quote in the middle of a cell
        is_end &= ~inside
    ends = np.flatnonzero(is_end)
    row_ends = np.flatnonzero(block[ends] == _NEWLINE)
    n_columns = int(row_ends[0]) + 1
    lengths = np.diff(ends, prepend=-1) - 1
    regular = (
        len(ends) == n_columns * len(row_ends)
        and bool((np.diff(row_ends) == n_columns).all())
        and int(lengths.max()) <= max_cell_length
        and not (n_columns == 1 and int(lengths.min()) == 0)  # a blank line
    )
    return n_columns if regular else 0


def _read_fast(data: bytes, text: DelimitedText, n_columns: int) -> pl.DataFrame:
    """Return the cells of a regular text."""
    frame = pl.read_csv(
        data,
        has_header=False,
        separator=text.delimiter,
        quote_char='"' if _QUOTE in data else None,
        infer_schema=False,
    )
    assert frame.width == n_columns
    return frame.rename(dict(zip(frame.columns, map(str, range(n_columns)), strict=True)))


def _read_row_by_row(data: bytes, text: DelimitedText, *, stripped: bool) -> Cells:
    """Return the cells of any text, or raise DataError with the line of the first fault."""
    blocks: list[pl.DataFrame] = []
    rows: list[list[str]] = []
    width = n_blank_lines = 0
    for line, row in numbered_rows(data, text, stripped=stripped):
        if not row:
            n_blank_lines += 1
            continue
        width = width or len(row)
        if len(row) != width:
            raise DataError(
                f"Line {line} of {text.path} has {len(row)} cells, but the first row has {width} "
                f"(delimiter {text.delimiter!r}). Correct the line, or give another delimiter."
            )
        rows.append(row)
        if len(rows) == _BLOCK_ROWS:
            blocks.append(_block(rows, width))
            rows = []
    blocks.append(_block(rows, width))
    return Cells(frame=pl.concat(blocks), n_blank_lines=n_blank_lines, blanks_stripped=stripped)


def _block(rows: list[list[str]], width: int) -> pl.DataFrame:
    """Return some rows as text columns."""
    columns = list(zip(*rows, strict=True)) or [()] * width
    return pl.DataFrame(
        [pl.Series(str(i), list(column), dtype=pl.String) for i, column in enumerate(columns)]
    )


def numbered_rows(
    data: bytes, text: DelimitedText, *, stripped: bool
) -> Iterator[tuple[int, list[str]]]:
    """Yield each row with the line it starts in, as an editor counts; a blank line has no cells."""
    if text.max_cell_length >= csv.field_size_limit():
        csv.field_size_limit(text.max_cell_length + 1)  # the module's own limit, only ever raised
    reader = csv.reader(
        io.StringIO(data.decode("utf-8"), newline=""),
        delimiter=text.delimiter,
        strict=True,
        skipinitialspace=stripped,
    )
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _located(error, line, text) from None
        if row is None:
            return
        longest = max(map(len, row), default=0)
        if longest > text.max_cell_length:
            column = next(i for i, cell in enumerate(row) if len(cell) == longest)
            raise DataError(
                f"Line {line} of {text.path}, column {column + 1}: a cell of {longest:,} "
                f"characters passes the limit of {text.max_cell_length:,}. Is a quote left "
                "open? If not, raise max_cell_length."
            )
        yield line, row


def _located(error: csv.Error, line: int, text: DelimitedText) -> DataError:
    """Return the error of the csv module in our words."""
    said = str(error)
    if "field larger" in said:
        return DataError(
            f"The row that starts in line {line} of {text.path} has a cell that passes the limit "
            f"of {text.max_cell_length:,} characters. Is a quote left open? If not, raise "
            "max_cell_length."
        )
    if "unexpected end of data" in said:
        return DataError(f"The quote opened in line {line} of {text.path} is never closed.")
    if "expected after" in said:
        return DataError(
            f"Line {line} of {text.path}: text follows a closing quote. Double the quotes inside "
            "a quoted cell, or give another delimiter."
        )
    return DataError(f"Line {line} of {text.path} cannot be read: {said}.")
