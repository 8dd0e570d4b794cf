"""A text file opened as columns: cells are text, and numbers only if the whole column is.

A column is whole numbers if every cell is written as one, without leading zeros or plus signs;
else decimal numbers if every cell is written as a number; else text. What a reader may want to
know about a column is collected as notes.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from discreet.data.column import Column


_WHOLE = re.compile(r"(?:0|-?[1-9][0-9]*)")

NUMBER = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"

_NUMBER = re.compile(NUMBER)

_LEADING_ZERO = re.compile(r"-?0[0-9]+")

_MISSING_LOOKALIKES = frozenset(
    ("?", "NA", "N/A", "n/a", "na", "NULL", "null", "NaN", "nan", "None", "-", ".")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFrame:
    """The columns of a text file; made by ``read_table``."""

    rows: Cells
    text: DelimitedText
    has_header: bool
    given_names: tuple[str, ...] | None
    null_values: Collection[str]
    categorical: Collection[str] | bool
    binned: Collection[str] = ()
    notes: list[str] = field(default_factory=list)
    without: NDArray[np.int64] | None = None  # rows of the cells that are passed over
    _places: dict[str, int] = field(default_factory=dict, init=False, repr=False)
    _lines: list[int] = field(default_factory=list, init=False, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Names given, or those of the header, or column_1, column_2, ..."""
        if self.given_names is not None:
            return self.given_names
        if not self.has_header:
            return tuple(f"column_{i + 1}" for i in range(self.rows.frame.width))
        if self._places:  # the names of the header, looked at once
            return tuple(self._places)
        found = tuple((name or "").strip() for name in self.rows.frame.row(0))
        seen: set[str] = set()
        for place, name in enumerate(found):
            if not name:
                raise DataError(
                    f"Column {place + 1} has no name in the header of {self.text.path}.",
                    remedy=(
                        "Name it there, or give names=[...]; if the first row is data, {header}."
                    ),
                    options={"header": False},
                )
            if name in seen:
                raise DataError(
                    f"Columns {found.index(name) + 1} and {place + 1} of {self.text.path} are "
                    f"both named '{name}'.",
                    remedy=("Rename one, or give names=[...]; if the first row is data, {header}."),
                    options={"header": False},
                )
            seen.add(name)
        self._places.update({name: place for place, name in enumerate(found)})
        return found

    @property
    def n_rows(self) -> int:
        """Number of rows below the header."""
        n_without = 0 if self.without is None else len(self.without)
        return self.rows.frame.height - self.has_header - n_without

    def column(self, name: str) -> pl.Series | Column:
        """Return one column as text or numbers."""
        return self.typed(name, self.cells(name))

    def cells(self, name: str) -> pl.Series:
        """Return one column as it is written, null where nothing is, or what means missing."""
        text = self.rows.frame.to_series(self.names.index(name)).rename(name)
        if self.without is not None:
            text = text.gather(np.delete(np.arange(len(text)), self.without))
        text = text.slice(int(self.has_header))
        absent = {"", *self.null_values}.intersection(text.unique().to_list())
        return text.set(text.is_in(list(absent)), None) if absent else text

    def typed(self, name: str, text: pl.Series) -> pl.Series:
        """Return a column of texts as whole numbers or decimals if every cell is one."""
        distinct: list[str] = [cell for cell in text.unique().to_list() if cell is not None]
        if not distinct:
            return text
        if all(map(_WHOLE.fullmatch, distinct)):
            whole = text.cast(pl.Int64, strict=False)
            return whole if whole.null_count() == text.null_count() else text
        codes = self.categorical
        is_code = (codes if isinstance(codes, bool) else name in codes) and name not in self.binned
        if not is_code and all(map(_NUMBER.fullmatch, distinct)):
            return text.cast(pl.Float64)
        self._note(name, text, distinct)
        return text

    def _note(self, name: str, text: pl.Series, distinct: list[str]) -> None:
        """Note what looks like missing values or numbers in a column that stays text."""
        lookalikes = sorted(_MISSING_LOOKALIKES.intersection(distinct))
        if lookalikes:
            counts = ", ".join(f"'{each}' {int((text == each).sum())} times" for each in lookalikes)
            self.notes.append(
                f"Column '{name}' holds {counts}: if that means missing, list it in null_values."
            )
        if any(map(_LEADING_ZERO.fullmatch, distinct)):
            self.notes.append(f"Column '{name}' has numbers with leading zeros and stays text.")
            return
        others = {cell for cell in distinct if not _NUMBER.fullmatch(cell)}.difference(lookalikes)
        if others and len(others) + len(lookalikes) < len(distinct):
            first = next(row for row, cell in enumerate(text) if cell in others)
            self.notes.append(
                f"Column '{name}' mixes numbers and text ({text[first]!r} in {self.where(first)}) "
                "and stays text."
            )

    def dtype(self, name: str) -> None:
        """Return None: the types of a text file are ours to choose."""

    def where(self, row: int) -> str:
        """Name the line of a row, as an editor counts."""
        wanted = row + self.has_header
        if self.without is not None:
            kept = np.delete(np.arange(self.rows.frame.height), self.without)
            wanted = int(kept[wanted]) if wanted < len(kept) else self.rows.frame.height
        if self.rows.is_regular and wanted < self.rows.frame.height:
            return f"line {wanted + 1 + self.text.n_skipped} of {self.text.path}"
        if not self._lines:
            numbered = numbered_rows(
                self.text.data.rstrip(b"\r\n"), self.text, stripped=self.rows.blanks_stripped
            )
            self._lines.extend(line for line, cells in numbered if cells)
        if wanted < len(self._lines):
            return f"line {self._lines[wanted]} of {self.text.path}"
        return f"row {row} of {self.text.path}"


# What separates the cells of a text file, and whether its first row names the columns.

# In order of preference where several split all rows alike: a comma or a blank is often text.
DELIMITERS = ("\t", ";", "|", ",", " ")

SAMPLE_BYTES = 200_000

SAMPLE_ROWS = 200

ENOUGH_ROWS = 2  # below a first row with a repeated name

_MIN_SHARE = {" ": 0.95}


def sample_of(data: bytes) -> str:
    """Return the first whole lines of UTF-8 text, enough to guess from."""
    piece = data[:SAMPLE_BYTES]
    if len(piece) < len(data):
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        piece = piece[: end + 1] if end >= 0 else piece
    return piece.decode("utf-8", errors="ignore")


def sample_rows(sample: str, delimiter: str, *, skip_blanks: bool = False) -> list[list[str]]:
    """Return the first rows of a sample; a malformed end is dropped."""
    reader = csv.reader(
        io.StringIO(sample, newline=""), delimiter=delimiter, skipinitialspace=skip_blanks
    )
    rows: list[list[str]] = []
    try:
        rows.extend(row for row in islice(reader, SAMPLE_ROWS) if row)
    except csv.Error:
        return rows
    return rows


def guess_delimiter(sample: str) -> str:
    r"""Return the character that splits most rows into the same number of cells.

    Parameters
    ----------
    sample : str
        The first lines of the file.

    Returns
    -------
    str
        Tab, semicolon, bar, comma or blank; a comma if nothing splits the rows.

    Examples
    --------
    >>> guess_delimiter("a;b\n1,5;2\n")
    ';'
    >>> guess_delimiter("39, State-gov, 13\n50, Private, 9\n")
    ','
    """
    best, best_share = ",", 0.0
    for delimiter in DELIMITERS:
        if delimiter not in sample:
            continue
        counts = Counter(
            len(row) for row in sample_rows(sample, delimiter, skip_blanks=delimiter != " ")
        )
        if not counts:
            continue
        n_cells, n_rows = counts.most_common(1)[0]
        share = n_rows / counts.total()
        if n_cells > 1 and share > best_share and share >= _MIN_SHARE.get(delimiter, 0.5):
            best, best_share = delimiter, share
    return best


def guess_header(rows: list[list[str]]) -> bool:
    """Say whether the first row names the columns.

    It does unless one of its cells is empty, is a number, or appears again below in the same
    column, in a row that is not the same as a whole. If a cell appears twice in the row this needs
    evidence: at least two rows below, or a column that holds only numbers below. Then it is a
    header with a repeated name, which the reader refuses, rather than a person's row.

    Parameters
    ----------
    rows : list of list of str
        The first rows of the file.

    Returns
    -------
    bool
        True for a header.

    Examples
    --------
    >>> guess_header([["age", "sex"], ["39", "f"]]), guess_header([["39", "f"], ["40", "f"]])
    (True, False)
    >>> guess_header([["ward", "ward"], ["A", "B"], ["A", "C"]])
    True
    """
    if not rows:
        return False
    first = [cell.strip() for cell in rows[0]]
    below = [[cell.strip() for cell in row] for row in rows[1:]]
    if len(first) > 1:  # a header may be repeated as a whole, as where files were put together
        below = [row for row in below if row != first]
    if any(not cell or _NUMBER.match(cell) for cell in first):
        return False
    if any(cell == name for row in below for name, cell in zip(first, row, strict=False)):
        return False
    is_repeated = len(set(first)) < len(first)
    return not is_repeated or len(below) >= ENOUGH_ROWS or _has_column_of_numbers(below)


def _has_column_of_numbers(rows: list[list[str]]) -> bool:
    """Say whether all cells of some column are numbers; False without rows."""
    return any(all(map(_NUMBER.match, column)) for column in zip(*rows, strict=False))


# Bytes of a text file into UTF-8: by the encoding given, its mark, or a guess that is said.

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
    """Text as UTF-8 bytes, the encoding it was in, and notes for the reader."""

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
            f"{error.start}, line {_line(raw, error.start)} ({error.reason}).",
            remedy="Give the encoding it is in, for example {encoding}.",
            options={"encoding": "cp1252"},
        ) from error
    except UnicodeError as error:
        raise DataError(f"{path} cannot be read as {encoding}: {error}.") from error
    except (LookupError, ValueError, TypeError) as error:
        raise ParameterError(
            f"'{encoding}' is not a known text encoding.",
            parameter="encoding",
            remedy="Common ones: utf-8, cp1252, utf-16.",
        ) from error


def _line(raw: bytes, offset: int) -> int:
    """Return the line an editor shows for an offset."""
    before = raw[:offset]
    return before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n") + 1


# Text files of rows and cells, read exactly: nothing is guessed here and nothing repaired.
#
# A scan of the bytes decides whether the file is regular: every row has the same number of cells
# and quotes stand where they should. Regular files go to polars, all cells as text. Anything else
# is read row by row by Python's csv module, which also finds the line of an error.

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
    n_skipped: int = 0  # lines of the file before the data


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """All rows as text columns named 0, 1, 2, ...; null or empty text for an empty cell."""

    frame: pl.DataFrame
    n_blank_lines: int
    blanks_stripped: bool
    is_regular: bool = False  # every row is one line


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
        return Cells(frame=frame, n_blank_lines=0, blanks_stripped=stripped, is_regular=True)
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
                f"(delimiter {text.delimiter!r}).",
                remedy="Correct the line, or give another delimiter. If lines before the table, "
                "or behind it, are no part of it, leave them out: {skip_first}, {skip_last}.",
                options={"skip_first": max(line - 1, 1), "skip_last": 1},
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
        line = reader.line_num + 1 + text.n_skipped
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
            f"of {text.max_cell_length:,} characters. Is a quote not closed? If not, raise "
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
