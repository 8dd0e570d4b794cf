"""What separates the cells of a text file, and whether its first row names the columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from itertools import islice

# In order of preference where several split all rows alike: a comma or a blank is often text.
DELIMITERS = ("\t", ";", "|", ",", " ")
SAMPLE_BYTES = 200_000
SAMPLE_ROWS = 200
ENOUGH_ROWS = 2  # below a first row with a repeated name
_MIN_SHARE = {" ": 0.95}
NUMBER = r"^-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_NUMBER = re.compile(NUMBER)


def sample_of(data: bytes) -> str:
    """Return the first whole lines of UTF-8 text, enough to guess from."""
    piece = data[:SAMPLE_BYTES]
    if len(piece) < len(data):
        end = max(piece.rfind(b"\n"), piece.rfind(b"\r"))
        piece = piece[: end + 1] if end >= 0 else piece
    return piece.decode("utf-8", errors="ignore")


def sample_rows(sample: str, delimiter: str, *, skip_blanks: bool = False) -> list[list[str]]:
    """Return the first rows of a sample; a malformed end is left out."""
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
    column. If a cell appears twice in the row this needs evidence: at least two rows below, or a
    column that holds only numbers below. Then it is a header with a repeated name, which the
    reader refuses, rather than a person's row.

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
    if any(not cell or _NUMBER.match(cell) for cell in first):
        return False
    if any(cell == name for row in below for name, cell in zip(first, row, strict=False)):
        return False
    is_repeated = len(set(first)) < len(first)
    return not is_repeated or len(below) >= ENOUGH_ROWS or _has_column_of_numbers(below)


def _has_column_of_numbers(rows: list[list[str]]) -> bool:
    """Say whether all cells of some column are numbers; False without rows."""
    return any(all(map(_NUMBER.match, column)) for column in zip(*rows, strict=False))
