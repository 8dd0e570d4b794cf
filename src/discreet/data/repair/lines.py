"""Lines of a text file that are no rows of its table: titles, totals, headers that come again."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypedDict

import numpy as np

from discreet.data.files.text import guess_delimiter, sample_of, sample_rows
from discreet.errors import DataError

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

RepeatedHeader: TypeAlias = Literal["keep", "drop"]


class Reading(TypedDict, total=False):
    """Options of ``read_table`` that a file needs."""

    encoding: str
    skip_first: int
    skip_last: int
    repeated_header: RepeatedHeader


MOST_TITLES = 20  # lines that a file is taken to begin or to end with
_TAIL_BYTES = 20_000
_SAME_WIDTH = 0.8  # of the lines behind the titles


def without_lines(data: bytes, *, first: int, last: int, path: str) -> bytes:
    r"""Return text without some lines at its beginning, and some that are not blank at its end.

    Raises
    ------
    DataError
        If it has no more lines than these.

    Examples
    --------
    >>> without_lines(b"title\na,b\n1,2\nsum,2\n\n", first=1, last=1, path="x")
    b'a,b\n1,2'
    """
    start = 0
    for _ in range(first):
        end = _line_end(data, start)
        if end >= len(data):
            raise DataError(f"{path} has no more than {first} lines, which are all skipped.")
        start = end
    kept = data[start:]
    for _ in range(last):
        kept = kept.rstrip(b"\r\n")
        kept = kept[: max(kept.rfind(b"\n"), kept.rfind(b"\r")) + 1]
    kept = kept.rstrip(b"\r\n") if last else kept
    if last and not kept:
        raise DataError(f"{path} has no lines but those that are skipped.")
    return kept


def _line_end(data: bytes, start: int) -> int:
    """Return where the next line begins; lines end with LF, CR LF or CR."""
    new, back = data.find(b"\n", start), data.find(b"\r", start)
    if new < 0 and back < 0:
        return len(data)
    if back < 0 or 0 <= new < back:
        return new + 1
    return back + 2 if data[back + 1 : back + 2] == b"\n" else back + 1


def repeated_headers(frame: pl.DataFrame) -> NDArray[np.int64]:
    """Return the rows, counted from 0, that are the first row again, cell by cell.

    Examples
    --------
    >>> import polars as pl
    >>> repeated_headers(pl.DataFrame({"0": ["a", "1", "a"], "1": ["b", "2", "b"]})).tolist()
    [2]
    """
    if frame.height < 2 or frame.width < 2:
        return np.array([], np.int64)
    rows: NDArray[np.int64] = np.arange(frame.height)
    for column in frame.iter_columns():
        if len(rows) < 2:
            break
        rows = rows[column.gather(rows).eq_missing(column.slice(0, 1)).to_numpy()]
    return rows[rows > 0]


class Around(NamedTuple):
    """How many lines stand before a table, and behind it."""

    skip_first: int
    skip_last: int


def guess_around(data: bytes, delimiter: str | None = None) -> Around:
    r"""Return how many lines before and behind a table seem to be no part of it.

    Lines before it have another number of cells that are not empty than nearly all lines
    behind; lines at the end have another number of cells.

    Examples
    --------
    >>> guess_around(b"Export;;\nof May\na;b;c\n1;2;3\n4;5;6\nsum;2\n")
    Around(skip_first=2, skip_last=1)
    >>> guess_around(b"a;b\n1;2\n")
    Around(skip_first=0, skip_last=0)
    """
    sample = sample_of(data)
    mark = delimiter or guess_delimiter(sample)
    rows = sample_rows(sample, mark)
    widths = [len(row) for row in rows]
    if len(rows) < 3:
        return Around(0, 0)
    usual = max(set(widths), key=widths.count)
    if usual < 2 or widths.count(usual) < _SAME_WIDTH * len(widths[: -MOST_TITLES or None]) - 1:
        return Around(0, 0)
    titles = 0
    while titles < min(MOST_TITLES, len(rows) - 2) and _is_title(rows[titles], usual):
        titles += 1
    lines = 0  # blank ones count: they are skipped with the others
    for line in io.StringIO(sample, newline=None):
        if not titles:
            break
        lines += 1
        titles -= bool(line.strip("\n"))
    return Around(lines, _n_totals(data, mark, usual))


def _is_title(row: list[str], usual: int) -> bool:
    """Say whether a row is above a table of so many columns."""
    filled = sum(bool(cell.strip()) for cell in row)
    return len(row) != usual or (filled == 1 and usual > 2)


def _n_totals(data: bytes, delimiter: str, usual: int) -> int:
    """Return how many lines at the end have another number of cells than usual."""
    tail = data[-_TAIL_BYTES:]
    if len(tail) < len(data):
        tail = tail[max(tail.find(b"\n"), tail.find(b"\r")) + 1 :]
    text = io.StringIO(tail.decode("utf-8", errors="ignore"), newline="")
    try:
        rows = [row for row in csv.reader(text, delimiter=delimiter) if row]
    except csv.Error:
        return 0
    n_totals = 0
    for row in reversed(rows[1:]):
        if len(row) == usual or n_totals == MOST_TITLES:
            break
        n_totals += 1
    return n_totals if n_totals < MOST_TITLES else 0
