"""Where a table came from and what was guessed on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SourceFormat: TypeAlias = Literal["text", "parquet", "excel"]
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "blank"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceInfo:
    """The file a table was read from, how it was understood, and what a reader should know.

    Examples
    --------
    >>> print(SourceInfo(path="a.csv", format="text", n_rows=2, delimiter=",", encoding="utf-8"))
    Read 2 rows from a.csv: text, delimiter comma, encoding utf-8.
    """

    path: str
    format: SourceFormat
    n_rows: int
    delimiter: str | None = None
    encoding: str | None = None
    has_header: bool | None = None
    sheet: str | None = None
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return all fields, JSON-safe."""
        return {
            "path": self.path,
            "format": self.format,
            "n_rows": self.n_rows,
            "delimiter": self.delimiter,
            "encoding": self.encoding,
            "has_header": self.has_header,
            "sheet": self.sheet,
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        """One sentence, and one more per note."""
        parts = [str(self.format)]
        if self.delimiter is not None:
            parts.append(f"delimiter {_DELIMITERS.get(self.delimiter, repr(self.delimiter))}")
        if self.encoding is not None:
            parts.append(f"encoding {self.encoding}")
        if self.has_header is not None:
            parts.append("first row is the header" if self.has_header else "no header")
        if self.sheet is not None:
            parts.append(f"sheet {self.sheet}")
        first = f"Read {self.n_rows} rows from {self.path}: {', '.join(parts)}."
        return " ".join([first, *self.notes])
