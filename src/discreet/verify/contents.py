"""Whether the data file holds the rows and columns that the certificate states."""

from __future__ import annotations

import io
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl

from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.verify.certificate import Claims

# A damaged file can make the reader panic, which is not an Exception.
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)
_TYPES: dict[type[pl.DataType], str] = {
    pl.String: "text",
    pl.Boolean: "boolean",
    pl.Decimal: "decimal",
    pl.Date: "date",
    pl.Datetime: "datetime",
    pl.Time: "time",
    pl.Duration: "duration",
    pl.List: "items",
}
PARSERS: dict[str, Callable[[str], object]] = {
    "text": str,
    "boolean": {"True": True, "False": False}.__getitem__,
    "integer": int,
    "float": float,
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
}


def check_contents(content: bytes | None, claims: Claims) -> tuple[Check, pl.DataFrame | None]:
    """Return whether the data is as certified, and the data.

    Parameters
    ----------
    content : bytes or None
        The content of the data file, if it could be read.
    claims : Claims
        What the certificate says.

    Returns
    -------
    Check
        Rows, names and order of columns, and types.
    DataFrame or None
        A suppressed cell is null; from a CSV file all cells are text. None if it cannot be read
        or has other columns.
    """
    if content is None:
        return Check(name="data", passed=None, detail="There is no data file to look at."), None
    try:
        frame = _read(content, is_text=claims.data_file.endswith(".csv"))
    except _FAULTS:
        detail = f"{claims.data_file} is damaged or cut short: it cannot be read."
        return Check(name="data", passed=False, detail=detail), None
    if tuple(frame.columns) != claims.column_names:
        detail = (
            f"The columns are {', '.join(frame.columns)}; the certificate says "
            f"{', '.join(claims.column_names)}, in this order."
        )
        return Check(name="data", passed=False, detail=detail), None
    wrong = []
    if frame.height != claims.n_rows:
        wrong.append(f"there are {frame.height:,} rows, and {claims.n_rows:,} are certified")
    for column in claims.columns:
        found = _type_of(frame[column.name], column.type, claims.data_file)
        if found != column.type:
            wrong.append(f"column '{column.name}' is {found}, and {column.type} is certified")
    if wrong:
        return Check(name="data", passed=False, detail=f"{'; '.join(wrong)}."), frame
    detail = f"{frame.height:,} rows of {frame.width} columns, names and types as certified."
    return Check(name="data", passed=True, detail=detail), frame


def _read(content: bytes, *, is_text: bool) -> pl.DataFrame:
    """Return the data in a file; in text an empty cell is a suppressed one."""
    if not is_text:
        return pl.read_parquet(io.BytesIO(content))
    frame = pl.read_csv(io.BytesIO(content), infer_schema=False, try_parse_dates=False)
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def _type_of(series: pl.Series, certified: str, file: str) -> str:
    """Return the type of a column in the words of certificates."""
    if series.null_count() == len(series):
        return "none"
    if file.endswith(".csv"):
        return certified if _can_be_read_as(certified, series) else "something else"
    if series.dtype.is_integer():
        return "integer"
    if series.dtype.is_float():
        return "float"
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        return "a list of categories, which may name what was suppressed"
    return _TYPES.get(type(series.dtype), str(series.dtype))


def _can_be_read_as(certified: str, series: pl.Series) -> bool:
    """Say whether every text of a column is of a type."""
    parse = PARSERS.get(certified)
    try:
        return parse is not None and all(
            parse(text) is not None for text in series.drop_nulls().unique()
        )
    except (ValueError, KeyError, ArithmeticError):
        return False
