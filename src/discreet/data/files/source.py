"""Where a table came from and what was guessed on the way."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from discreet.data.files.packed import is_utf8
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from discreet.data.column import Column
    from discreet.data.frames import OpenFrame


SourceFormat: TypeAlias = Literal["text", "parquet", "excel", "stata", "spss"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedFrame:
    """A file whose columns are called otherwise, in their order."""

    frame: OpenFrame
    names: tuple[str, ...]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.frame.n_rows

    def column(self, name: str) -> pl.Series | Column:
        """Read one column."""
        found = self.frame.column(self._own(name))
        return found.rename(name) if isinstance(found, pl.Series) else found

    def dtype(self, name: str) -> object:
        """Return the type that the file gives a column."""
        return self.frame.dtype(self._own(name))

    def where(self, row: int) -> str:
        """Name a row."""
        return self.frame.where(row)

    def _own(self, name: str) -> str:
        return self.frame.names[self.names.index(name)]


def renamed(frame: OpenFrame, names: Sequence[str] | None, path: Path) -> OpenFrame:
    """Return a frame with these names of all its columns, if any are given."""
    if names is None:
        return frame
    if len(names) != len(frame.names):
        raise ParameterError(
            f"names gives {len(names)} names, but {path} has {len(frame.names)} columns.",
            parameter="names",
        )
    return RenamedFrame(frame=frame, names=tuple(names))


# Parquet files opened so that only one column is in memory at a time.

# A corrupt file can make the reader panic, which is not an Exception.
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParquetFrame:
    """A Parquet file; each column is read when it is asked for."""

    path: Path
    schema: dict[str, pl.DataType]
    n_rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return tuple(self.schema)

    def column(self, name: str) -> pl.Series | Column:
        """Read one column."""
        try:
            frame = pl.read_parquet(_opened(self.path), columns=[name], glob=False)
        except _FAULTS as error:
            raise _corrupt(self.path, error) from error
        return frame.to_series()

    def dtype(self, name: str) -> object:
        """Return the polars type."""
        return self.schema[name]

    def where(self, row: int) -> str:
        """Name a row."""
        return f"row {row} (counting from 0) of {self.path}"


def open_parquet(path: Path) -> ParquetFrame:
    """Return a Parquet file opened, or raise DataError if it is not one."""
    try:
        lazy = pl.scan_parquet(_opened(path), glob=False)
        schema = dict(lazy.collect_schema())
        n_rows = int(lazy.select(pl.len()).collect().item())
    except _FAULTS as error:
        raise _corrupt(path, error) from error
    return ParquetFrame(path=path, schema=schema, n_rows=n_rows)


def _opened(path: Path) -> Path | io.BytesIO:
    """Return what polars reads: it takes no path that is not UTF-8."""
    return path if is_utf8(path) else io.BytesIO(path.read_bytes())


def _corrupt(path: Path, error: BaseException) -> DataError:
    """Return our error for a file that polars cannot read."""
    said = str(error).partition("\n")[0]
    return DataError(f"{path} is not a valid Parquet file, or is cut short ({said}).")
