"""Whether the data file holds the rows and columns that are certified, and nothing else."""

from __future__ import annotations

import io
from datetime import date, datetime, time
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.errors import DataError
from discreet.verify.files.bounded import plain, shown
from discreet.verify.files.pages import unaccounted
from discreet.verify.files.parquet import BrokenError, read_layout
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from discreet.verify.certificate import Claims
    from discreet.verify.files.bounded import ReadLimits
    from discreet.verify.files.parquet import Layout

TEXT_SHARE = 8  # texts of a file may stand in many rows

MOST_LISTED = 20

# A damaged file can make the reader panic, which is not an Exception.
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)

_TYPE_NAMES: dict[type[pl.DataType], str] = {
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


def check_contents(
    content: bytes | None, claims: Claims, limits: ReadLimits
) -> tuple[tuple[Check, ...], pl.DataFrame | None]:
    """Return whether the data is as certified, and the data.

    Parameters
    ----------
    content : bytes or None
        The content of the data file, if it could be read.
    claims : Claims
        What the certificate says.
    limits : ReadLimits
        What is decoded at most.

    Returns
    -------
    tuple of Check
        Rows, names and order of columns, and types; from version 2 on also whether the file
        holds anything beside them.
    DataFrame or None
        A suppressed cell is null; from a CSV file all cells are text. None if it cannot be read
        or has other columns.
    """
    if content is None:
        return (Check(name="data", passed=None, detail="There is no data file to look at."),), None
    name = claims.data_file
    try:
        frame, layout = _read(content, limits, is_text=name.endswith(".csv"))
    except DataError as error:
        return (Check(name="data", passed=False, detail=f"{name} {error}."),), None
    if tuple(frame.columns) != claims.column_names:
        detail = (
            f"The columns are {_listed(frame.columns)}; the certificate says "
            f"{_listed(claims.column_names)}, in this order."
        )
        return (Check(name="data", passed=False, detail=detail),), None
    wrong = []
    if frame.height != claims.n_rows:
        wrong.append(f"there are {frame.height:,} rows, and {claims.n_rows:,} are certified")
    for column in claims.columns:
        found = _type_of(frame[column.name], column.type, name)
        if found != column.type:
            wrong.append(f"column {shown(column.name)} is {found}, and {column.type} is certified")
    detail = f"{frame.height:,} rows of {frame.width} columns, names and types as certified."
    data = Check(name="data", passed=not wrong, detail=f"{'; '.join(wrong)}." if wrong else detail)
    if claims.version == 1 or wrong:
        return (data,), frame
    return (data, *_check_nothing_beside(content, claims, frame, layout)), frame


def _read(
    content: bytes, limits: ReadLimits, *, is_text: bool
) -> tuple[pl.DataFrame, Layout | None]:
    """Return the rows, and of a Parquet file how it holds them; raise DataError if it cannot be."""
    layout = None
    try:
        if is_text:
            frame = read_delimited(content, limits)
        else:
            layout = read_layout(content, limits)
            frame = pl.read_parquet(io.BytesIO(content))
    except DataError:
        raise
    except BrokenError as error:
        raise DataError(f"is damaged or cut short: it {error}") from None
    except _FAULTS:
        raise DataError("is damaged or cut short: it cannot be read") from None
    _refuse_long(frame, limits)
    return frame, layout


def _refuse_long(frame: pl.DataFrame, limits: ReadLimits) -> None:
    """Raise DataError for texts that are short in the file and endless in the rows."""
    texts = [each for each in frame.iter_columns() if each.dtype == pl.String]
    n_bytes = sum(int(each.str.len_bytes().sum() or 0) for each in texts)
    if n_bytes > TEXT_SHARE * limits.max_bytes:
        raise DataError(
            f"has texts of {n_bytes:,} bytes in all cells together, more than {TEXT_SHARE} times "
            f"the limit of {limits.max_bytes:,} (max_bytes)"
        )


def _listed(names: Sequence[str]) -> str:
    """Return names in one line, the first of many."""
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return f"{', '.join(map(plain, names[:MOST_LISTED]))}{more}"


# Whether the file holds anything that its rows do not: how they are written can say something, too.


def _check_nothing_beside(
    content: bytes, claims: Claims, frame: pl.DataFrame, layout: Layout | None
) -> tuple[Check, ...]:
    """Return a failed check if the file says more than its rows; none if it does not."""
    name = claims.data_file
    if layout is None:
        fault = departure(content, frame) or next(
            (
                f"column {shown(each.name)} has a value that is not written as its type is"
                for each in claims.columns
                if each.type in PARSERS and not _is_as_written(each.type, frame[each.name])
            ),
            None,
        )
    else:
        fault = unaccounted(content, layout, frame) or next(
            (found for each in frame.iter_columns() if (found := _unseen(each))), None
        )
    if fault is None:
        return ()
    detail = f"{name}: {fault}. It may say more than its rows do."
    return (Check(name="nothing beside", passed=False, detail=detail),)


def _is_as_written(certified: str, series: pl.Series) -> bool:
    """Say whether every text is the one that its value is written as: 7 and not 007 or +7."""
    parse = PARSERS[certified]
    texts = series.drop_nulls().unique()
    is_number = certified in ("float", "decimal")
    return all(
        str(parse(text)) == text and not (is_number and (text[:2] == "-0" and not Decimal(text)))
        for text in texts
    ) and not (certified == "decimal" and any(not Decimal(text).is_finite() for text in texts))


def _unseen(series: pl.Series) -> str | None:
    """Return what a column says that its values, as they are shown, do not."""
    where = f"column {shown(series.name)}"
    if series.dtype.is_float():
        numbers = series.drop_nulls().cast(pl.Float64).to_numpy()
        bits = numbers.view(np.uint64)
        is_nan = np.isnan(numbers)
        if (bits[is_nan] != np.array(np.nan).view(np.uint64)).any():
            return f"{where} has a NaN with a number inside"
        if (bits[~is_nan] == 1 << 63).any():
            return f"{where} has a zero with a minus sign"
    is_set = isinstance(series.dtype, pl.List)
    if is_set and not series.equals(series.list.sort(), null_equal=True):
        return f"{where} has sets whose items are not sorted"
    return None


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
    return _TYPE_NAMES.get(type(series.dtype), str(series.dtype))


def _can_be_read_as(certified: str, series: pl.Series) -> bool:
    """Say whether every text of a column is of a type."""
    parse = PARSERS.get(certified)
    try:
        return parse is not None and all(
            parse(text) is not None for text in series.drop_nulls().unique()
        )
    except (ValueError, KeyError, ArithmeticError):
        return False


# CSV read as text, and whether its bytes are the one way to write its rows.

# How compressed files begin: a reader that unpacks them sees other rows than one that does not.
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00", b"PK\x03\x04", b"BZh")

_BLOCK_ROWS = 100_000


def read_delimited(content: bytes, limits: ReadLimits) -> pl.DataFrame:
    r"""Return the cells of a CSV file as texts; an empty cell is null.

    Raises
    ------
    DataError
        If it is compressed or passes a limit; the words go after the name of the file.

    Examples
    --------
    >>> from discreet.verify.files.bounded import ReadLimits
    >>> read_delimited(b"sex,age\nf,\n", ReadLimits()).rows()
    [('f', None)]
    """
    if content.startswith(_COMPRESSED):
        raise DataError("is compressed, and a CSV file of a release is not")
    n_columns = content.count(b",", 0, max(content.find(b"\n"), 0) or len(content)) + 1
    fault = limits.fault(n_rows=content.count(b"\n"), n_columns=n_columns)
    if fault is not None:
        raise DataError(f"has {fault}")
    frame = pl.read_csv(io.BytesIO(content), infer_schema=False, try_parse_dates=False)
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def departure(content: bytes, frame: pl.DataFrame) -> str | None:
    r"""Return where a CSV file is written otherwise than its rows have to be, or None.

    Lines end in a line feed, commas separate cells, and a cell is in quotes if it has a quote, a
    comma or the end of a line in it, begins with a blank, or is the only cell and empty. So
    nothing can be said by how a file is written.

    Examples
    --------
    >>> frame = pl.DataFrame({"sex": ["f", None], "town": ["a, b", "c"]})
    >>> departure(b'sex,town\nf,"a, b"\n,c\n', frame)
    >>> departure(b'sex,town\nf,"a, b"\n,"c"\n', frame)
    'line 3 is not written as its cells are'
    """
    place = 0
    for n_lines, expected in _lines(frame):
        if content[place : place + len(expected)] != expected:
            line = _first_other(content[place:], expected)
            return f"line {n_lines + line:,} is not written as its cells are"
        place += len(expected)
    if place < len(content):
        return "something follows the last row"
    names = frame.columns
    again = pl.all_horizontal(pl.col(name).eq_missing(pl.lit(name)) for name in names)
    if frame.select(again.any()).item():
        return "the header stands there again"
    return None


def _lines(frame: pl.DataFrame) -> Iterator[tuple[int, bytes]]:
    """Yield the lines as they have to be, many at a time, with the number of those before."""
    header = pl.DataFrame({str(i): [name] for i, name in enumerate(frame.columns)})
    yield 0, _written(header)
    for start in range(0, frame.height, _BLOCK_ROWS):
        yield start + 1, _written(frame.slice(start, _BLOCK_ROWS))


def _written(frame: pl.DataFrame) -> bytes:
    empty = '""' if frame.width == 1 else ""
    cells = []
    for name in frame.columns:
        cell = pl.col(name)
        is_marked = cell.str.contains(r'[,"\r\n]') | cell.str.contains("^[ \ufeff]")
        doubled = cell.str.replace_all('"', '""', literal=True)
        quoted = pl.when(is_marked).then(pl.concat_str(pl.lit('"'), doubled, pl.lit('"')))
        cells.append(quoted.otherwise(cell).fill_null(empty).alias(name))
    rows = frame.lazy().select(pl.concat_str(cells, separator=",")).collect().to_series()
    return "".join(f"{row}\n" for row in rows).encode()


def _first_other(content: bytes, expected: bytes) -> int:
    """Return the number of the first line that differs, from 1."""
    there, due = content[: len(expected)].split(b"\n"), expected.split(b"\n")
    pairs = enumerate(zip(there, due, strict=False), 1)
    return next((line for line, (one, other) in pairs if one != other), len(there))
