"""Tables from files: delimited text, compressed or not, Parquet, Excel, Stata and SPSS.

What a text file does not say (encoding, delimiter, header) is guessed unless given, and the
table's ``source`` says what was guessed. Nothing is repaired but by repairs that are given: any
other fault is an error that names file, line and column.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, get_args

import numpy as np

from discreet import checks
from discreet.data.files.excel import open_excel
from discreet.data.files.fimi import read_num_table, read_transactions
from discreet.data.files.packed import COMPRESSED, find_file, inner_suffix, read_bytes
from discreet.data.files.source import SourceInfo, open_parquet, renamed
from discreet.data.files.stats import STATS, open_stats
from discreet.data.files.text import (
    DelimitedText,
    TextFrame,
    blanks_follow_delimiters,
    decode,
    guess_delimiter,
    guess_header,
    read_cells,
    sample_of,
    sample_rows,
)
from discreet.data.repair.lines import (
    Reading,
    RepeatedHeader,
    guess_around,
    repeated_headers,
    without_lines,
)
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from discreet.data.binning import BinsLike
    from discreet.data.column import Missing
    from discreet.data.frames import OpenFrame
    from discreet.data.repair.rules import RepairLike
    from discreet.data.transactions import Transactions


TEXT = (".csv", ".tsv", ".txt", ".data", ".tab")

EXCEL = (".xlsx", ".xls", ".xlsm", ".xlsb")

MAX_CELL_LENGTH = 100_000


class _Options(TypedDict):
    """How columns become categories; the same for every kind of file."""

    roles: Mapping[str, str] | None
    missing: Missing
    bins: Mapping[str, BinsLike] | None
    categorical: Collection[str] | bool
    columns: Iterable[str] | None
    sets: Mapping[str, str] | None
    carried: Mapping[str, str] | None
    person: str | None
    one_row_per_person: bool
    repairs: Mapping[str, RepairLike] | None


class _How(TypedDict):
    """How the cells of a file are found, for the kinds that it applies to."""

    delimiter: str | None
    encoding: str | None
    header: bool | None
    names: Sequence[str] | None
    null_values: Collection[str]
    sheet: str | int | None
    max_cell_length: int
    skip_first: int
    skip_last: int
    repeated_header: RepeatedHeader


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    null_values: Collection[str] = (),
    roles: Mapping[str, str] | None = None,
    missing: Missing = "value",
    bins: Mapping[str, BinsLike] | None = None,
    categorical: Collection[str] | bool = (),
    columns: Iterable[str] | None = None,
    sets: Mapping[str, str] | None = None,
    carried: Mapping[str, str] | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    repairs: Mapping[str, RepairLike] | None = None,
    skip_first: int = 0,
    skip_last: int = 0,
    repeated_header: RepeatedHeader = "keep",
    sheet: str | int | None = None,
    max_cell_length: int = MAX_CELL_LENGTH,
) -> Table:
    r"""Return the table in a file.

    Parameters
    ----------
    path : path
        A .csv, .tsv, .txt or .data file (also with .gz, .xz or .zst), .parquet, Excel, Stata
        (.dta) or SPSS (.sav).
    delimiter : str, optional
        One character; guessed among tab, semicolon, bar, comma and blank by default.
    encoding : str, optional
        Guessed by default: the mark at the start of the file, else UTF-8, else cp1252.
    header : bool, optional
        Whether the first row names the columns; guessed by default, and true for Excel.
    names : sequence of str, optional
        Names to use in place of the header's, or of column_1, column_2, ...
    null_values : collection of str
        Cells that mean missing, such as ``"?"``; an empty cell always does.
    roles, missing, bins, categorical, columns, sets, carried, person, one_row_per_person, repairs
        As in :meth:`Table.from_frame`.
    skip_first, skip_last : int
        Lines before the header, and at the end, that are no part of the table; rows of Excel.
    repeated_header : {"keep", "drop"}
        What becomes of rows that are the header again, as where files were put together.
    sheet : str or int, optional
        Excel sheet by name or number, the first being 1 (the default).
    max_cell_length : int
        A cell with more characters is an error: mostly a quote that is not closed.

    Returns
    -------
    Table
        With ``source``: how the file was read.

    Raises
    ------
    DataError
        If the file is missing, corrupt or irregular, or a column cannot be categories.
    ParameterError
        If an option is out of its range or does not fit the kind of file.

    Notes
    -----
    Text is exact: whole numbers and decimals are recognized only if every cell of the column
    is one and none has leading zeros; a decimal column declared categorical keeps its text, so
    that the codes 250.1 and 250.10 stay apart. Blanks after delimiters are dropped only if
    there is one after every delimiter. Blank lines are skipped. Parquet is read column by column.
    Codes of Stata and SPSS come in as their labels where all codes of a column have one.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "people.csv"
    >>> _ = path.write_text("sex;zip\nf;01234\nm;98765\n")
    >>> table = read_table(path)
    >>> table.values("zip"), table.source.delimiter
    (('01234', '98765'), ';')
    """
    options = _Options(
        roles=roles, missing=missing, bins=bins, categorical=categorical, columns=columns,
        sets=sets, carried=carried,
        person=person, one_row_per_person=one_row_per_person, repairs=repairs,
    )  # fmt: skip
    how = _How(
        delimiter=delimiter, encoding=encoding, header=header, names=names,
        null_values=null_values, sheet=sheet, max_cell_length=max_cell_length,
        skip_first=skip_first, skip_last=skip_last, repeated_header=repeated_header,
    )  # fmt: skip
    opened, info = _open(path, how, options)
    table = Table.from_opened(opened, source=info, **options)
    if isinstance(opened, TextFrame):  # which notes what it sees in its columns
        return replace(table, source=replace(info, notes=tuple(opened.notes)))
    return table


def _open(
    path: str | os.PathLike[str], how: _How, options: _Options
) -> tuple[OpenFrame, SourceInfo]:
    """Return a file opened, and how it was read."""
    found = find_file(path)
    _check_lines(how)
    suffix = inner_suffix(found)
    is_compressed = found.suffix.lower() in COMPRESSED
    kinds = (*TEXT, ".parquet", *EXCEL, *STATS)
    if suffix in TEXT or (how["delimiter"] is not None and suffix not in kinds):
        _refuse("sheet", how["sheet"], found)
        return _open_text(found, how, options)
    if is_compressed or suffix not in kinds:
        raise DataError(
            f"{found} ends in '{''.join(found.suffixes[-2:])}', which is not a kind of file read "
            f"here. {did_you_mean(suffix, kinds)} To read it as text, give the delimiter."
        )
    unfit: dict[str, object] = {"delimiter": how["delimiter"], "encoding": how["encoding"]}
    if suffix not in EXCEL:
        unfit |= {name: how[name] for name in ("header", "sheet")}
        unfit |= {name: how[name] or None for name in ("null_values", "skip_first", "skip_last")}
        unfit |= {"repeated_header": None if how["repeated_header"] == "keep" else "drop"}
    for option, given in unfit.items():
        _refuse(option, given, found)
    if suffix == ".parquet":
        parquet = open_parquet(found)
        info = SourceInfo(path=str(found), format="parquet", n_rows=parquet.n_rows)
        return renamed(parquet, how["names"], found), info
    if suffix in STATS:
        frame, info = open_stats(found)
        return renamed(frame, how["names"], found), info
    return open_excel(
        found, sheet=how["sheet"], header=how["header"], names=how["names"],
        null_values=how["null_values"],
    )  # fmt: skip


def _refuse(option: str, given: object, path: Path) -> None:
    """Raise ParameterError if an option is given that means nothing for the kind of file."""
    if given is not None:
        raise ParameterError(f"{option} does not apply to {path}: leave it out.", parameter=option)


def _open_text(path: Path, how: _How, options: _Options) -> tuple[TextFrame, SourceInfo]:
    """Return a text file opened, and how it was read but for notes on its columns."""
    delimiter, names, header = how["delimiter"], how["names"], how["header"]
    _check_text_options(delimiter, names, how["null_values"], how["max_cell_length"])
    decoded = decode(read_bytes(path), encoding=how["encoding"], path=str(path))
    data = without_lines(
        decoded.data, first=how["skip_first"], last=how["skip_last"], path=str(path)
    )
    sample = sample_of(data)
    text = DelimitedText(
        data=data,
        delimiter=guess_delimiter(sample) if delimiter is None else delimiter,
        path=str(path),
        max_cell_length=how["max_cell_length"],
        n_skipped=how["skip_first"],
    )
    cells = read_cells(text)
    if header is None:
        skip = blanks_follow_delimiters(sample.encode(), text.delimiter)
        header = guess_header(sample_rows(sample, text.delimiter, skip_blanks=skip))
    if names is not None and len(names) != cells.frame.width:
        raise ParameterError(
            f"names gives {len(names)} names, but {path} has {cells.frame.width} columns "
            f"(delimiter {text.delimiter!r}).",
            parameter="names",
        )
    notes = list(decoded.notes)
    if cells.frame.width == 1 and delimiter is None:
        notes.append("No delimiter was found, so the file is read as one column.")
    if cells.blanks_stripped:
        notes.append("Blanks before cells were dropped: there is one after every delimiter.")
    if cells.n_blank_lines:
        notes.append(f"{cells.n_blank_lines} blank lines were skipped.")
    again = repeated_headers(cells.frame) if header else np.array([], np.int64)
    drops = how["repeated_header"] == "drop"
    if len(again):
        done = "were dropped" if drops else "were kept: repeated_header = 'drop' drops them"
        notes.append(f"{len(again)} rows that repeat the header {done}.")
    frame = TextFrame(
        rows=cells,
        text=text,
        has_header=header,
        given_names=None if names is None else tuple(names),
        null_values=how["null_values"],
        categorical=_kept_as_text(options),
        binned={*(options["bins"] or ()), *(options["carried"] or ())},
        notes=notes,
        without=again if len(again) and drops else None,
    )
    info = SourceInfo(
        path=str(path),
        format="text",
        n_rows=frame.n_rows,
        delimiter=text.delimiter,
        encoding=decoded.encoding,
        has_header=header,
    )
    return frame, info


def _kept_as_text(options: _Options) -> Collection[str] | bool:
    """Return the columns whose decimals are codes, so that 250.1 and 250.10 stay apart."""
    given = options["categorical"]
    return given if isinstance(given, bool) else {*given, *(options["sets"] or ())}


def _check_lines(lines: _How) -> None:
    """Raise ParameterError for lines that no file has."""
    checks.whole("skip_first", lines["skip_first"], at_least=0)
    checks.whole("skip_last", lines["skip_last"], at_least=0)
    checks.one_of("repeated_header", lines["repeated_header"], get_args(RepeatedHeader))


def _check_text_options(
    delimiter: str | None,
    names: Sequence[str] | None,
    null_values: Collection[str],
    max_cell_length: int,
) -> None:
    """Raise ParameterError for options that no text file can be read with."""
    if delimiter is not None and (
        len(delimiter) != 1 or not delimiter.isascii() or delimiter in '"\r\n\0'
    ):
        raise ParameterError(
            f"delimiter is one ASCII character, not {delimiter!r}.", parameter="delimiter"
        )
    if isinstance(null_values, str):
        raise ParameterError(
            f"null_values is a list of texts: use [{null_values!r}].", parameter="null_values"
        )
    if isinstance(names, str):
        raise ParameterError("names is a list of column names.", parameter="names")
    checks.whole("max_cell_length", max_cell_length, at_least=1)


# A file opened to be looked at before anything is stated of it.


def messy_options(path: Path) -> Reading:
    """Return options of ``read_table`` that a file seems to need: encoding and lines.

    Only those that differ from what is done without them are there.
    """
    if inner_suffix(path) not in TEXT:
        return {}
    decoded = decode(read_bytes(path), encoding=None, path=str(path))
    around = guess_around(decoded.data)
    found = Reading(encoding=decoded.encoding) if decoded.notes else Reading()
    if around.skip_first:
        found["skip_first"] = around.skip_first
    if around.skip_last:
        found["skip_last"] = around.skip_last
    return found


def open_messy(path: Path, *, names: Sequence[str] | None = None) -> tuple[OpenFrame, Reading]:
    """Return a file opened, and the options of ``read_table`` by which it was.

    Raises
    ------
    DataError
        If it cannot be read, or holds items.
    """
    found = find_file(path)
    reading = messy_options(found)
    is_text = inner_suffix(found) in TEXT
    how = _How(
        delimiter=None, encoding=None, header=None, names=names, null_values=(), sheet=None,
        max_cell_length=MAX_CELL_LENGTH, skip_first=0, skip_last=0,
        repeated_header="drop" if is_text else "keep",
    )  # fmt: skip
    for option, value in reading.items():
        how[option] = value  # type: ignore[literal-required]  # one of its keys
    frame, _ = _open(found, how, _NO_OPTIONS)
    if isinstance(frame, TextFrame) and frame.without is not None:
        reading["repeated_header"] = "drop"
    return frame, reading


_NO_OPTIONS = _Options(
    roles=None, missing="value", bins=None, categorical=True, columns=None, sets=None,
    carried=None, person=None, one_row_per_person=False, repairs=None,
)  # fmt: skip


# One call that reads any file discreet knows.


def load(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    names: Sequence[str] | None = None,
    null_values: Collection[str] = (),
    roles: Mapping[str, str] | None = None,
    missing: Missing = "value",
    bins: Mapping[str, BinsLike] | None = None,
    categorical: Collection[str] | bool = (),
    columns: Iterable[str] | None = None,
    sets: Mapping[str, str] | None = None,
    carried: Mapping[str, str] | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    repairs: Mapping[str, RepairLike] | None = None,
    skip_first: int = 0,
    skip_last: int = 0,
    repeated_header: RepeatedHeader = "keep",
    sheet: str | int | None = None,
    max_cell_length: int = MAX_CELL_LENGTH,
) -> Table | Transactions:
    r"""Return the table or the transactions in a file, by its ending.

    Parameters
    ----------
    path : path
        FIMI ``.dat`` for transactions; LUCS-KDD ``.num`` for a table of its rows of the
        commonest length; everything else goes to :func:`discreet.read_table`. ``.gz``, ``.xz``
        and ``.zst`` are read directly.
    roles, missing, columns, person, one_row_per_person
        As in :meth:`Table.from_frame`; of transactions, ``one_row_per_person`` alone.
    bins, categorical, sets, carried, repairs
        As in :meth:`Table.from_frame`, for files whose cells are not items.
    delimiter, encoding, header, names, null_values, sheet, max_cell_length
        As in :func:`discreet.read_table`, for the same files.
    skip_first, skip_last, repeated_header
        As in :func:`discreet.read_table`, for the same files.

    Returns
    -------
    Table or Transactions
        What the file holds.

    Raises
    ------
    DataError
        If the file cannot be read as it stands.
    ParameterError
        If an option is given that means nothing for the kind of file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "baskets.dat"
    >>> _ = path.write_text("1 2\n2\n")
    >>> [sorted(basket) for basket in load(path)]
    [[1, 2], [2]]
    """
    suffix = inner_suffix(Path(path))
    if suffix not in (".dat", ".num"):
        return read_table(
            path, delimiter=delimiter, encoding=encoding, header=header, names=names,
            null_values=null_values, roles=roles, missing=missing, bins=bins,
            categorical=categorical, columns=columns, sets=sets, carried=carried, person=person,
            one_row_per_person=one_row_per_person, repairs=repairs, skip_first=skip_first,
            skip_last=skip_last, repeated_header=repeated_header, sheet=sheet,
            max_cell_length=max_cell_length,
        )  # fmt: skip
    of_cells: dict[str, object] = {
        "delimiter": delimiter, "encoding": encoding, "header": header, "names": names,
        "null_values": null_values, "bins": bins, "sets": sets, "carried": carried,
        "categorical": not isinstance(categorical, bool) and categorical,
        "repairs": repairs, "skip_first": skip_first, "skip_last": skip_last,
        "repeated_header": repeated_header != "keep", "sheet": sheet,
        "max_cell_length": max_cell_length != MAX_CELL_LENGTH,
    }  # fmt: skip
    of_columns: dict[str, object] = {
        "roles": roles, "person": person, "columns": columns, "missing": missing != "value",
    }  # fmt: skip
    if suffix == ".dat":
        _omit(of_cells | of_columns, f"{path}: transactions have items, no columns")
        return read_transactions(path).stating(one_row_per_person=one_row_per_person)
    _omit(of_cells, f"{path}: {suffix} files hold items, which are read as they are")
    rows = read_num_table(path)
    table = Table.from_codes(
        dict(zip(rows.columns, rows.codes, strict=True)),
        dict(zip(rows.columns, rows.values, strict=True)),
    )
    table = replace(table, n_dropped=rows.n_dropped)
    table = table.stating(person=person, one_row_per_person=one_row_per_person)
    if columns is not None:
        table = table.select([name for name in columns if name != person])
    return table.with_roles(roles or {})


def _omit(given: Mapping[str, object], why: str) -> None:
    """Raise ParameterError if an option is given that means nothing for a file of items."""
    for option, value in given.items():
        if value is not None and value is not False and value not in ((), {}, [], 0):
            raise ParameterError(f"{why}; omit {option}.", parameter=option)
