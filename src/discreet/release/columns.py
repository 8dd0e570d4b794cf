"""The types of columns, by name, so that a text file can be read back as it was written."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.data.table import Table
from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from discreet.data.column import Label
    from discreet.release.certificate import ColumnType

_NAMES: dict[type, ColumnType] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    float: "float",
    Decimal: "decimal",
    datetime: "datetime",
    date: "date",
    time: "time",
    timedelta: "duration",
}
_FROM_TEXT: dict[ColumnType, Callable[[str], Label]] = {
    "text": str,
    "boolean": {"True": True, "False": False}.__getitem__,
    "integer": int,
    "float": float,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "none": str,
}


def column_type(values: Iterable[Label]) -> ColumnType:
    """Return the name of the type that all values of a column have.

    Examples
    --------
    >>> column_type((31, 40, None)), column_type((None,))
    ('integer', 'none')
    """
    for value in values:
        if value is not None:
            return _NAMES[type(value)]
    return "none"


def refuse_for_text(table: Table) -> None:
    """Raise DataError if a column cannot be read back from text."""
    for name in table.columns:
        if column_type(table.values(name)) not in _FROM_TEXT:
            raise DataError(
                f"Column '{name}' holds durations, which a CSV file does not keep. Write Parquet."
            )


def restore_types(table: Table, types: Mapping[str, ColumnType]) -> Table:
    """Return a table read from text with the types that its columns had, values sorted.

    Raises
    ------
    DataError
        If a value is not of the type of its column.

    Examples
    --------
    >>> table = Table.from_frame({"zip": [10115, 80331]})
    >>> restore_types(table, {"zip": "text"}).values("zip")
    ('10115', '80331')
    """
    codes, labels = {}, {}
    for name in table.columns:
        parse = _FROM_TEXT.get(types[name], str)
        try:
            read = [None if old is None else parse(str(old)) for old in table.values(name)]
        except (ValueError, KeyError, ArithmeticError):
            raise DataError(f"Column '{name}' holds values that are no {types[name]}.") from None
        # All of one type, so they can be compared; None goes last.
        present = [place for place, value in enumerate(read) if value is not None]
        order = sorted(present, key=lambda place: cast(str, read[place]))
        order += [i for i, value in enumerate(read) if value is None]
        rank = np.empty(len(read), dtype=np.int64)
        rank[order] = np.arange(len(read))
        codes[name] = rank[table.codes(name)] if read else table.codes(name)
        labels[name] = [read[place] for place in order]
    return Table.from_codes(codes, labels, dict(table.roles), like=None)
