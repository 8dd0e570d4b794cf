"""Items as texts in files and frames: sets in a cell, and plain columns of cells."""

from __future__ import annotations

import ast
import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.files.packed import find_file, inner_suffix, read_bytes
from discreet.data.files.source import open_parquet
from discreet.data.files.text import decode
from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence


_OF_PYTHON = ("frozenset({", "{")


def read_items(cell: object, *, where: str) -> frozenset[str]:
    """Return the set of items in one cell, as texts.

    Parameters
    ----------
    cell : object
        A list or set of items; or the text of one: a JSON array, Python's ``frozenset({...})``, or
        items with blanks between them.
    where : str
        What the cell is called in an error.

    Returns
    -------
    frozenset of str
        Every item as text.

    Raises
    ------
    DataError
        If the cell is missing, is no set, or has an item twice.

    Examples
    --------
    >>> sorted(read_items('["sex=f", "job=clerk"]', where="row 0"))
    ['job=clerk', 'sex=f']
    >>> read_items("frozenset({'tea'})", where="row 0"), read_items("tea", where="row 0")
    (frozenset({'tea'}), frozenset({'tea'}))
    """
    items = _parsed(cell, where) if isinstance(cell, str) else cell
    if items is None or isinstance(items, dict | bytes) or not hasattr(items, "__iter__"):
        raise DataError(f"{where}: {cell!r} is no set of items. Give a list or a JSON array.")
    texts = [str(item) for item in items]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise DataError(f"{where}: item {twice!r} is there twice.")
    return frozenset(texts)


def _parsed(text: str, where: str) -> object:
    """Return what a text of items means."""
    stripped = text.strip()
    if stripped.startswith("["):
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            return _literal(stripped, text, where)
    if stripped == "frozenset()":
        return ()
    for opening in _OF_PYTHON:
        if stripped.startswith(opening):
            inner = stripped[len(opening) :].rstrip(")").removesuffix("}")
            return _literal(f"[{inner}]", text, where)
    return stripped.split()


def _literal(code: str, text: str, where: str) -> object:
    """Return a list written in Python."""
    try:
        return ast.literal_eval(code)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise DataError(
            f'{where}: {text!r} is no set of items. Write a JSON array, as in ["tea", "milk"].'
        ) from None


# Files and frames as plain columns of cells, lists in them included.

_LONGEST_CELL = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Cells by column, and what the whole is called in errors."""

    name: str
    values: Mapping[str, Sequence[object]]
    first_row: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(next(iter(self.values.values()), ()))

    def where(self, row: int) -> str:
        """Name a row: by its number in a file, counted from 0 in a frame."""
        return f"{self.name}, row {row + self.first_row}"


def plain_columns(source: object, *, what: str) -> Columns:
    """Return the columns of a file or frame whose cells may be lists or sets.

    Parameters
    ----------
    source : path, mapping or frame
        A ``.csv`` or ``.parquet`` file; a dict of columns; or any frame that narwhals knows.
    what : str
        What it should be, for errors.

    Returns
    -------
    Columns
        Cells as they are; in a CSV file all are text.

    Raises
    ------
    DataError
        If it cannot be read.

    Examples
    --------
    >>> plain_columns({"items": [{"tea"}]}, what="a collection").values["items"]
    [{'tea'}]
    """
    if isinstance(source, str | Path):
        return _of_file(Path(source), what)
    if isinstance(source, Mapping):
        values: Mapping[str, list[object]] = {str(n): list(cells) for n, cells in source.items()}
    else:
        values = _of_frame(source, what)
    if len({len(column) for column in values.values()}) > 1:
        raise DataError(f"The columns of {what} have different numbers of rows.")
    return Columns(name=f"The frame of {what}", values=values)


def _of_frame(frame: object, what: str) -> dict[str, list[object]]:
    """Return the columns of a frame."""
    import narwhals.stable.v2 as nw

    source: Any = frame  # narwhals says whether it is one
    try:
        opened = nw.from_native(source, eager_only=True)
    except TypeError:
        raise DataError(
            f"{type(frame).__name__} is not {what}: give a frame, or a .csv or .parquet file."
        ) from None
    return {name: opened[name].to_list() for name in opened.columns}


def _of_file(path: Path, what: str) -> Columns:
    """Return the columns of a CSV or Parquet file."""
    found = find_file(path)
    suffix = inner_suffix(found)
    if suffix == ".parquet":
        parquet = open_parquet(found)
        columns = {name: _cells(parquet.column(name)) for name in parquet.names}
        return Columns(name=str(found), values=columns)
    if suffix != ".csv":
        raise DataError(f"{found} is not {what}: that is a .csv or .parquet file.")
    text = decode(read_bytes(found), encoding=None, path=str(found)).data.decode()
    usual = csv.field_size_limit(_LONGEST_CELL)
    try:
        header, *rows = (
            row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row
        )
    except (csv.Error, ValueError) as error:
        raise DataError(f"{found} is not {what}: it is empty or no CSV ({error}).") from None
    finally:
        csv.field_size_limit(usual)
    for number, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise DataError(
                f"{found}, row {number}: {len(row)} cells for {len(header)} columns. Lists stand "
                "in quotes."
            )
    columns = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    return Columns(name=str(found), values=columns, first_row=2)


def _cells(column: Any) -> list[object]:  # noqa: ANN401  a polars column, or one of ours
    """Return the cells of a column."""
    cells: list[object] = column.to_list()
    return cells
