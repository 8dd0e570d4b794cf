"""Parquet files opened so that only one column is in memory at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from discreet.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.data.column import Column

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
            frame = pl.read_parquet(self.path, columns=[name], glob=False)
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
        lazy = pl.scan_parquet(path, glob=False)
        schema = dict(lazy.collect_schema())
        n_rows = int(lazy.select(pl.len()).collect().item())
    except _FAULTS as error:
        raise _corrupt(path, error) from error
    return ParquetFrame(path=path, schema=schema, n_rows=n_rows)


def _corrupt(path: Path, error: BaseException) -> DataError:
    """Return our error for a file that polars cannot read."""
    said = str(error).partition("\n")[0]
    return DataError(f"{path} is not a valid Parquet file, or is cut short ({said}).")
