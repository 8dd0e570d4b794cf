"""Files of Stata and SPSS: codes come in as the labels that the file gives them, and go out so.

pyreadstat (ReadStat) reads and writes them; it is installed by ``discreet[stats]``.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from discreet.data.files.excel import ExcelFrame
from discreet.data.files.source import SourceInfo
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.files.source import SourceFormat
    from discreet.data.table import Table

STATS: Mapping[str, SourceFormat] = {".dta": "stata", ".sav": "spss", ".zsav": "spss"}

_LONGEST_NAME = {".dta": 32, ".sav": 64}
_LONGEST_LABEL = 120  # bytes: the shorter of both programs
_MOST_LABELS = 1000


def open_stats(path: Path) -> tuple[ExcelFrame, SourceInfo]:
    """Return a file of Stata or SPSS opened, and notes about it.

    A column in which every code that occurs has a label is one of categories, in the order of the
    codes. Where only some have one, as 999 for unknown, the numbers stay, and a note says so.

    Raises
    ------
    DataError
        If the file cannot be read, or one label stands for two codes of a column.
    """
    kind = path.suffix.lower()
    frame, labels = _read(path, kind)
    notes: list[str] = []
    columns = [_column(series, labels.get(series.name, {}), path, notes) for series in frame]
    whole = pl.DataFrame(columns)
    info = SourceInfo(
        path=str(path), format=STATS[kind], n_rows=whole.height, notes=tuple(notes)
    )  # fmt: skip
    return ExcelFrame(frame=whole, path=str(path), first_row=1), info


# A damaged file can end the process that reads it, so that another one does.
_CHILD = """
import json, sys
import pyreadstat
read = pyreadstat.read_dta if sys.argv[1] == ".dta" else pyreadstat.read_sav
try:
    frame, about = read(sys.argv[2], output_format="polars")
    labels = {name: list(each.items()) for name, each in about.variable_value_labels.items()}
    frame.write_ipc(sys.argv[3])
    json.dump(labels, sys.stdout)
except Exception as error:
    sys.exit(str(error) or type(error).__name__)
"""


def _read(path: Path, kind: str) -> tuple[pl.DataFrame, dict[str, dict[float, str]]]:
    """Return the columns of a file as codes, and the labels of codes by column."""
    if importlib.util.find_spec("pyreadstat") is None:
        raise _needed(path)
    with tempfile.TemporaryDirectory() as folder:
        into = Path(folder) / "columns.arrow"
        command = [sys.executable, "-P", "-c", _CHILD, kind, str(path), str(into)]
        done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603  our own lines
        if done.returncode:
            said = done.stderr.decode(errors="replace").strip().splitlines()
            reason = said[-1] if said and done.returncode > 0 else "it is damaged"
            raise DataError(f"{path} cannot be read as a {_PROGRAMS[kind]} file ({reason}).")
        frame = pl.read_ipc(into.read_bytes())
    labels: dict[str, list[tuple[float, str]]] = json.loads(done.stdout)
    return frame, {name: dict(each) for name, each in labels.items()}


_PROGRAMS = {".dta": "Stata", ".sav": "SPSS", ".zsav": "SPSS"}


def _library(path: Path) -> Any:  # noqa: ANN401  a module without types
    try:
        return importlib.import_module("pyreadstat")
    except ModuleNotFoundError:
        raise _needed(path) from None


def _needed(path: Path) -> ParameterError:
    return ParameterError(
        f"{path}: files of Stata and SPSS need a package more: pip install 'discreet[stats]'."
    )


def _column(
    series: pl.Series, labels: Mapping[float, str], path: Path, notes: list[str]
) -> pl.Series:
    """Return a column as its labels, where they say all; empty texts are missing."""
    if series.dtype == pl.String:
        return series.replace("", None)
    present = series.drop_nulls().unique().sort()
    known = [labels.get(code) for code in present.to_list()]
    texts = [text for text in known if text is not None]
    if not texts:
        return series
    if len(texts) < len(known):
        named = ", ".join(f"{_shown(code)} ({text})" for code, text in sorted(labels.items())[:5])
        notes.append(
            f"Column '{series.name}' has labels for some of its codes only, and keeps its numbers: "
            f"{named}. Those that mean missing are stated by a repair."
        )
        return series
    if len({*texts}) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise DataError(
            f"Column '{series.name}' of {path} has two codes that are both labelled '{twice}'.",
            column=series.name,
            remedy="Give them different labels, or one code.",
        )
    return series.replace_strict(present, pl.Series(texts), return_dtype=pl.Enum(texts))


def _shown(code: object) -> str:
    return f"{code:g}" if isinstance(code, float) else str(code)


def write_stats(table: Table, path: Path) -> None:
    """Write a table as Stata or SPSS do: texts as codes with labels, numbers and dates as such.

    Codes count from 1 in the order of a column's values. Columns of more than 1,000 texts, or of
    long ones, hold the texts themselves. Names are cut to what the program takes; the name of
    the column is then its label.
    """
    stats, kind = _library(path), path.suffix.lower()
    frame: pl.DataFrame = table.to_frame("polars")
    names = _fitting(table.columns, _LONGEST_NAME[kind])
    labels: dict[str, dict[int | float, str]] = {}
    columns = []
    for column, name in zip(frame, names, strict=True):
        series = column.rename(name)
        if series.dtype.is_decimal():
            series = series.cast(pl.Float64)
        elif series.dtype == pl.Duration or series.dtype.is_nested():
            series = series.cast(pl.String)
        if series.dtype in (pl.String, pl.Boolean, pl.Categorical, pl.Enum):
            texts = [str(each) for each in table.values(column.name) if each is not None]
            short = all(len(text.encode()) <= _LONGEST_LABEL for text in texts)
            if texts and short and len(texts) <= _MOST_LABELS:
                codes = pl.Series(table.codes(column.name).astype("int64") + 1)
                absent = pl.Series(table.codes(column.name) >= len(texts))
                labels[name] = dict(enumerate(texts, 1))
                empty = pl.Series([None], dtype=pl.Int64)
                series = codes.zip_with(~absent, empty).rename(name)
            else:
                series = series.cast(pl.String)
        columns.append(series)
    write = stats.write_dta if kind == ".dta" else stats.write_sav
    original = dict(zip(names, table.columns, strict=True))
    try:
        write(
            pl.DataFrame(columns), str(path), variable_value_labels=labels, column_labels=original
        )
    except (stats.ReadstatError, stats.PyreadstatError, ValueError, OverflowError) as error:
        raise DataError(f"{path} cannot be written ({error}).") from error


def _fitting(columns: tuple[str, ...], longest: int) -> list[str]:
    """Return names of letters, digits and underscores, each once whatever its case.

    Examples
    --------
    >>> _fitting(("age at entry", "1st", "age_at_entry"), 32)
    ['age_at_entry', 'v1st', 'age_at_entry_2']
    """
    found: list[str] = []
    taken: set[str] = set()
    for column in columns:
        name = re.sub(r"[^0-9A-Za-z_]", "_", column)
        name = (name if name[0].isalpha() else f"v{name}")[:longest]
        number, own = 2, name
        while own.casefold() in taken:
            own, number = f"{name[: longest - len(str(number)) - 1]}_{number}", number + 1
        taken.add(own.casefold())
        found.append(own)
    return found
