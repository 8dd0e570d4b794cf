"""A text file opened as columns: cells are text, and numbers only if the whole column is.

A column is whole numbers if every cell is written as one, without leading zeros or plus signs;
else decimal numbers if every cell is written as a number; else text. What a reader may want to
know about a column is collected as notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from discreet.data.files.csv_guess import NUMBER
from discreet.data.files.delimited import numbered_rows
from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection

    from discreet.data.column import Column
    from discreet.data.files.delimited import Cells, DelimitedText

_WHOLE = re.compile(r"(?:0|-?[1-9][0-9]*)")
_NUMBER = re.compile(NUMBER)
_LEADING_ZERO = re.compile(r"-?0[0-9]+")
_MISSING_LOOKALIKES = frozenset(
    ("?", "NA", "N/A", "n/a", "na", "NULL", "null", "NaN", "nan", "None", "-", ".")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFrame:
    """The columns of a text file; made by ``read_table``."""

    cells: Cells
    text: DelimitedText
    has_header: bool
    given_names: tuple[str, ...] | None
    null_values: Collection[str]
    categorical: Collection[str] | bool
    binned: Collection[str] = ()
    notes: list[str] = field(default_factory=list)

    @property
    def names(self) -> tuple[str, ...]:
        """Names given, or those of the header, or column_1, column_2, ..."""
        if self.given_names is not None:
            return self.given_names
        if not self.has_header:
            return tuple(f"column_{i + 1}" for i in range(self.cells.frame.width))
        found = tuple((name or "").strip() for name in self.cells.frame.row(0))
        for place, name in enumerate(found):
            if not name:
                raise DataError(
                    f"Column {place + 1} has no name in the header of {self.text.path}. Name it "
                    "there, or give names=[...]; if the first row is data, header=False."
                )
            if name in found[:place]:
                raise DataError(
                    f"Columns {found.index(name) + 1} and {place + 1} of {self.text.path} are both "
                    f"named '{name}'. Rename one, or give names=[...]; if the first row is data, "
                    "header=False."
                )
        return found

    @property
    def n_rows(self) -> int:
        """Number of rows below the header."""
        return self.cells.frame.height - self.has_header

    def column(self, name: str) -> pl.Series | Column:
        """Return one column as text or numbers."""
        text = self.cells.frame.to_series(self.names.index(name)).slice(int(self.has_header))
        text = text.rename(name)
        found = text.unique().to_list()
        absent = {"", *self.null_values}.intersection(found)
        if absent:
            text = text.set(text.is_in(list(absent)), None)
        distinct: list[str] = [cell for cell in found if cell is not None and cell not in absent]
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
                f"Column '{name}' holds {counts}: if that means missing, pass "
                f"null_values={lookalikes!r}."
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
        wanted, seen = row + self.has_header, -1
        data = self.text.data.rstrip(b"\r\n")
        for line, cells in numbered_rows(data, self.text, stripped=self.cells.blanks_stripped):
            seen += bool(cells)
            if seen == wanted:
                return f"line {line} of {self.text.path}"
        return f"row {row} of {self.text.path}"
