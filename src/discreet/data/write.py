"""Tables into files, whole or not at all: CSV, compressed or not, Parquet, Excel, Stata, SPSS."""

from __future__ import annotations

import gzip
import importlib
import lzma
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias, cast

import zstandard

from discreet import checks
from discreet.data.files.packed import COMPRESSED, atomic_path, inner_suffix
from discreet.data.files.stats import write_stats
from discreet.data.table import as_table
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from discreet.data.table import Table

_KINDS = (".csv", ".tsv", ".parquet", ".xlsx", ".dta", ".sav")
_MAX_EXCEL_ROWS = 1_048_575
_MAX_EXCEL_COLUMNS = 16_384
_BLOCK_ROWS = 100_000


def write_table(
    table: object, path: str | os.PathLike[str], *, overwrite: bool = False, bom: bool = False
) -> Path:
    """Write a table to a file and return its path.

    Parameters
    ----------
    table : Table or frame
        All its columns are written, whatever their roles.
    path : path
        Ends in .csv or .tsv (also with .gz, .xz or .zst), .parquet, .xlsx, .dta (Stata) or
        .sav (SPSS).
    overwrite : bool
        Whether a file of that name may be replaced.
    bom : bool
        Whether a text file begins with the mark by which Excel knows UTF-8.

    Returns
    -------
    Path
        The file. It appears whole or not at all.

    Raises
    ------
    ParameterError
        If the ending is not known or the file exists.
    DataError
        If the file cannot be written, or a CSV could not distinguish an empty text from a missing
        value.

    Notes
    -----
    A missing value is an empty cell. CSV is UTF-8 with a header, and cells are exactly the
    values: a text that begins with ``=`` is written as it is, and a spreadsheet program that
    opens the file may take it for a formula. In Excel files text is always text.
    In files of Stata and SPSS texts are codes with labels, and a missing value is theirs.

    Examples
    --------
    >>> import tempfile
    >>> from discreet.data.table import Table
    >>> table = Table.from_frame({"sex": ["f", None], "zip": ["01234", "98765"]})
    >>> path = write_table(table, Path(tempfile.mkdtemp()) / "people.csv")
    >>> print(path.read_text())
    sex,zip
    f,01234
    ,98765
    """
    table = as_table(table)
    target = Path(path)
    suffix = inner_suffix(target)
    is_compressed = target.suffix.lower() in COMPRESSED
    if suffix not in _KINDS or (is_compressed and suffix not in (".csv", ".tsv")):
        raise ParameterError(
            f"{target} ends in '{''.join(target.suffixes[-2:])}', which cannot be written.",
            parameter="path",
            remedy=did_you_mean(suffix, (*_KINDS, ".csv.gz", ".csv.xz", ".csv.zst")),
        )
    if bom and suffix not in (".csv", ".tsv"):
        raise ParameterError(
            f"{target}: only text files have a mark of UTF-8.",
            parameter="bom",
            remedy="Omit {bom}.",
            options={"bom": True},
        )
    with atomic_path(target, overwrite=overwrite) as temporary:
        if suffix == ".parquet":
            _as_polars(table).write_parquet(temporary)
        elif suffix == ".xlsx":
            _write_excel(table, temporary)
        elif suffix in (".dta", ".sav"):
            write_stats(table, temporary)
        else:
            _write_text(table, temporary, "\t" if suffix == ".tsv" else ",", bom=bom)
    return target


def _as_polars(table: Table) -> pl.DataFrame:
    """Return the table as a polars frame."""
    return cast("pl.DataFrame", table.to_frame("polars"))


def _write_text(table: Table, path: Path, delimiter: str, *, bom: bool = False) -> None:
    """Write delimited text, block by block."""
    for name in table.columns:
        if "" in table.values(name):
            raise DataError(
                f"Column '{name}' has empty texts, which a CSV file cannot distinguish from "
                "missing values.",
                column=name,
                remedy="Write Parquet, or give them another value.",
            )
    # Each distinct value is put into quotes once; rows are then only joined.
    texts = {
        name: [_cell(value, delimiter) for value in table.values(name)] for name in table.columns
    }
    if table.n_columns == 1:  # an empty cell alone would be a blank line
        texts = {name: [text or '""' for text in cells] for name, cells in texts.items()}
    with _open_text(path) as file:
        file.write("\ufeff" if bom else "")
        file.write(delimiter.join(_cell(name, delimiter) for name in table.columns) + "\n")
        for start in range(0, table.n_rows, _BLOCK_ROWS):
            block = [
                [
                    texts[name][code]
                    for code in table.codes(name)[start : start + _BLOCK_ROWS].tolist()
                ]
                for name in table.columns
            ]
            file.writelines(delimiter.join(row) + "\n" for row in zip(*block, strict=True))


def _cell(value: object, delimiter: str) -> str:
    """Return a value as a cell, quoted where a reader could take it for something else.

    Examples
    --------
    >>> _cell("plain", ","), _cell("a, b", ","), _cell(None, ",")
    ('plain', '"a, b"', '')
    """
    text = "" if value is None else str(value)
    if text.startswith((" ", "\ufeff")) or any(mark in text for mark in (delimiter, *'"\r\n')):
        return '"' + text.replace('"', '""') + '"'
    return text


def _open_text(path: Path) -> TextIO:
    """Open a text file for writing, compressed if its ending says so."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(path, "wt", encoding="utf-8", newline="")
    if suffix == ".xz":
        return lzma.open(path, "wt", encoding="utf-8", newline="")
    if suffix == ".zst":
        return cast("TextIO", zstandard.open(path, "wt", encoding="utf-8", newline=""))
    return path.open("w", encoding="utf-8", newline="")


def _write_excel(table: Table, path: Path) -> None:
    """Write one sheet; text stays text, even if it looks like a formula, a link or a number."""
    try:
        xlsxwriter = importlib.import_module("xlsxwriter")
    except ModuleNotFoundError:
        raise ParameterError(
            "Writing Excel files needs a package more: pip install 'discreet[excel]'."
        ) from None
    if table.n_rows > _MAX_EXCEL_ROWS or table.n_columns > _MAX_EXCEL_COLUMNS:
        raise DataError(
            f"Excel holds {_MAX_EXCEL_ROWS:,} rows and {_MAX_EXCEL_COLUMNS:,} columns; the table "
            f"has {table.n_rows:,} and {table.n_columns:,}. Write CSV or Parquet."
        )
    plain = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(str(path), plain) as workbook:
        _as_polars(table).write_excel(workbook, worksheet="table", autofilter=False)


# Codes of rows into a Parquet file of any length, some thousands at a time.

Compression: TypeAlias = Literal["zstd", "lz4", "snappy", "uncompressed"]

COMPRESSIONS = ("zstd", "lz4", "snappy", "uncompressed")

GROUP_ROWS = 1 << 16  # rows that Parquet packs together, and that are in memory at a time


def parquet_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write, or raise ParameterError if it is not .parquet."""
    target = Path(path)
    if target.suffix.lower() != ".parquet":
        raise ParameterError(
            f"{target} must end in .parquet, the kind of file that is written.", parameter="path"
        )
    return target


def write_batches(
    batches: Iterable[NDArray[np.int32]],
    path: str | os.PathLike[str],
    *,
    labels: Mapping[str, pl.Series],
    columns: Iterable[str] | None = None,
    compression: Compression = "zstd",
    overwrite: bool = False,
) -> Path:
    """Write codes of rows as the labels they stand for, and return the path.

    Parameters
    ----------
    batches : iterable of array
        A line of codes for each column, in the order of ``labels``.
    path : path
        The file, ending in .parquet. It appears whole or not at all.
    labels : mapping of str to Series
        For each column what its codes stand for; the file has their types.
    columns : iterable of str, optional
        The columns in the order of the file; that of ``labels`` by default.
    compression : {"zstd", "lz4", "snappy", "uncompressed"}
        Of the file.
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    ParameterError
        If the file exists or has another ending, or there is no such compression.
    DataError
        If it cannot be written.
    """
    import polars as pl
    from polars.io.plugins import register_io_source

    target = parquet_path(path)
    checks.one_of("compression", compression, COMPRESSIONS)
    order = list(labels if columns is None else columns)

    def frames(*_asked: object) -> Iterator[pl.DataFrame]:
        for codes in batches:
            drawn = zip(labels.items(), codes, strict=True)
            yield pl.DataFrame(
                {name: of.gather(pl.Series(places)) for (name, of), places in drawn}
            ).select(order)

    schema = {name: labels[name].dtype for name in order}
    with atomic_path(target, overwrite=overwrite) as temporary:
        register_io_source(frames, schema=schema).sink_parquet(
            temporary, compression=compression, row_group_size=GROUP_ROWS
        )
    return target
