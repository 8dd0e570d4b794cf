"""Sheets of Excel workbooks opened as columns; cells keep the types they have in Excel."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from discreet.data.files.packed import is_utf8
from discreet.data.files.source import SourceInfo
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from discreet.data.column import Column


@dataclass(frozen=True, slots=True, kw_only=True)
class ExcelFrame:
    """One sheet of a workbook."""

    frame: pl.DataFrame
    path: str
    first_row: int

    @property
    def names(self) -> tuple[str, ...]:
        """All columns."""
        return tuple(self.frame.columns)

    @property
    def n_rows(self) -> int:
        """Number of rows below the header."""
        return self.frame.height

    def column(self, name: str) -> pl.Series | Column:
        """Return one column; numbers that are all whole are whole numbers, as Excel shows them."""
        series = self.frame.get_column(name)
        if (
            series.dtype == pl.Float64
            and (series.drop_nulls() == series.drop_nulls().floor()).all()
        ):
            return series.cast(pl.Int64, strict=False)
        return series

    def dtype(self, name: str) -> None:
        """Return None: types are ours to choose."""

    def where(self, row: int) -> str:
        """Name a row as Excel does."""
        return f"row {row + self.first_row} of {self.path}"


def open_excel(
    path: Path,
    *,
    sheet: str | int | None,
    header: bool | None,
    names: Sequence[str] | None,
    null_values: Collection[str],
) -> tuple[ExcelFrame, SourceInfo]:
    """Return a sheet opened and notes about it."""
    try:
        fastexcel = importlib.import_module("fastexcel")
    except ModuleNotFoundError:
        raise ParameterError(
            f"Reading {path} needs a package more: pip install 'discreet[excel]'."
        ) from None
    try:
        workbook = fastexcel.read_excel(str(path) if is_utf8(path) else path.read_bytes())
        sheets: list[str] = list(workbook.sheet_names)
    except (fastexcel.FastExcelError, OSError) as error:
        raise _corrupt(path, error) from error
    chosen = _choose(sheets, sheet, path)
    has_header = header is not False
    try:
        # Types are found from all rows, and a column of several types is refused.
        loaded = pl.DataFrame(
            workbook.load_sheet(
                chosen,
                header_row=0 if has_header else None,
                schema_sample_rows=None,
                dtype_coercion="strict",
            )
        )
        if has_header and names is None:
            # fastexcel renames columns without a name or with the same name; we refuse them.
            top = workbook.load_sheet(chosen, header_row=None, n_rows=1, dtypes="string")
            names = _header_names(pl.DataFrame(top), path)
    except fastexcel.FastExcelError as error:
        raise _corrupt(path, error) from error
    frame = _cleaned(loaded, has_header=has_header, names=names, null_values=null_values)
    notes = []
    if sheet is None and len(sheets) > 1:
        notes.append(f"The first of {len(sheets)} sheets was read: {', '.join(sheets)}.")
    info = SourceInfo(
        path=str(path),
        format="excel",
        n_rows=frame.height,
        has_header=has_header,
        sheet=chosen,
        notes=tuple(notes),
    )
    opened = ExcelFrame(frame=frame, path=f"{path}, sheet {chosen}", first_row=1 + has_header)
    return opened, info


def _choose(sheets: list[str], sheet: str | int | None, path: Path) -> str:
    """Return the name of the sheet asked for."""
    if not sheets:
        raise DataError(f"{path} has no sheets.")
    if sheet is None:
        return sheets[0]
    if isinstance(sheet, int):
        if not 1 <= sheet <= len(sheets):
            raise ParameterError(
                f"{path} has sheets 1 to {len(sheets)}, not {sheet}.", parameter="sheet"
            )
        return sheets[sheet - 1]
    if sheet not in sheets:
        raise ParameterError(
            f"{path} has no sheet '{sheet}'.", parameter="sheet", remedy=did_you_mean(sheet, sheets)
        )
    return sheet


def _header_names(top: pl.DataFrame, path: Path) -> list[str]:
    """Return the cells of the first row, or raise DataError if they cannot be names."""
    if not top.height:
        raise DataError(f"{path} has an empty sheet.")
    names = [(cell or "").strip() for cell in top.row(0)]
    seen: set[str] = set()
    for place, name in enumerate(names):
        if not name:
            raise DataError(f"Column {place + 1} has no name in row 1 of {path}. Name it there.")
        if name in seen:
            raise DataError(
                f"Columns {names.index(name) + 1} and {place + 1} of {path} are both named "
                f"'{name}'. Rename one, or give names=[...]."
            )
        seen.add(name)
    return names


def _cleaned(
    frame: pl.DataFrame,
    *,
    has_header: bool,
    names: Sequence[str] | None,
    null_values: Collection[str],
) -> pl.DataFrame:
    """Return the sheet with its names checked and cells that mean missing made null."""
    if names is not None:
        if len(names) != frame.width:
            raise ParameterError(
                f"names gives {len(names)} names for {frame.width} columns.", parameter="names"
            )
        frame = frame.rename(dict(zip(frame.columns, names, strict=True)))
    elif not has_header:
        fresh = [f"column_{i + 1}" for i in range(frame.width)]
        frame = frame.rename(dict(zip(frame.columns, fresh, strict=True)))
    text = pl.col(pl.String)
    return frame.with_columns(
        pl.when(text.is_in(["", *null_values])).then(None).otherwise(text).name.keep()
    )


def _corrupt(path: Path, error: BaseException) -> DataError:
    """Return our error for a workbook that cannot be read."""
    said, _, context = str(error).partition("\n")
    if "coercion is strict" in said:
        kinds = said.partition("contains ")[2].strip("{}")
        column = context.rpartition("for column ")[2].strip()
        return DataError(
            f"Column '{column}' of {path} mixes types: {kinds}.",
            column=column,
            remedy="Make all its cells one type in Excel, or save the sheet as CSV.",
        )
    return DataError(f"{path} cannot be read as an Excel workbook ({said}).")
