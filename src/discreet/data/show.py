"""A table in one line, and as a small HTML table for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.data.table import Table

N_ROWS_SHOWN = 5
N_COLUMNS_SHOWN = 20
N_COLUMNS_NAMED = 8


def describe(table: Table) -> str:
    """Return a sentence with the size of a table and its first columns.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> describe(Table.from_frame({"sex": ["f", "m"]}))
    'Table of 2 rows and 1 column: sex (2 values)'
    """
    named = [
        f"{name} ({_count(len(table.values(name)), 'value')})"
        for name in table.columns[:N_COLUMNS_NAMED]
    ]
    more = table.n_columns - len(named)
    tail = f", and {more} more" if more else ""
    size = f"{_count(table.n_rows, 'row')} and {_count(table.n_columns, 'column')}"
    return f"Table of {size}: {', '.join(named)}{tail}"


def render_html(table: Table) -> str:
    """Return the first rows and columns as an HTML table; every name and value is escaped."""
    names = table.columns[:N_COLUMNS_SHOWN]
    head = "".join(
        f"<th>{html.escape(name)}<br><small>{table.role(name)}</small></th>" for name in names
    )
    n_shown = min(table.n_rows, N_ROWS_SHOWN)
    cells = [
        [table.values(name)[code] for code in table.codes(name)[:n_shown].tolist()]
        for name in names
    ]
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(column[row])}</td>" for column in cells) + "</tr>"
        for row in range(n_shown)
    )
    caption = html.escape(
        f"{_count(table.n_rows, 'row')}, {_count(table.n_columns, 'column')}"
        + (f"; the first {n_shown} rows" if n_shown < table.n_rows else "")
        + (f"; the first {len(names)} columns" if len(names) < table.n_columns else "")
    )
    return (
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _count(number: int, thing: str) -> str:
    """Return a number and a noun in the right form.

    Examples
    --------
    >>> _count(1, "row"), _count(2000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _cell(value: object) -> str:
    """Return one cell; a missing value is shown as an empty grey mark."""
    return "<i>missing</i>" if value is None else html.escape(str(value))
