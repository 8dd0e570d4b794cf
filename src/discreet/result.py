"""What every result object can do: show itself in a terminal, a notebook and JSON.

A result says once what its rows are (``preview``); the three ways of showing it follow.
"""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """A caption, column headings and a few rows of text: what a person sees first."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


# As in a report, in the colours of the notebook, whether light or dark.
_STYLE = (
    ".discreet table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0}"
    ".discreet caption{caption-side:top;text-align:left;font-weight:600;padding:0 0 .4em;"
    "color:inherit;max-width:46em}"
    ".discreet th,.discreet td{text-align:left!important;vertical-align:top;"
    "padding:.3em .9em .3em 0;border:0;border-bottom:1px solid #8886;background:none;"
    "white-space:normal;overflow-wrap:break-word;max-width:30em}"
    ".discreet th{font-weight:600}.discreet small{font-weight:400;opacity:.7}"
    ".discreet i{opacity:.6}.discreet{overflow-x:auto}"
)


def framed(table: str) -> str:
    """Return a table of HTML for a notebook, in a frame that gives it the look of a report."""
    return f'<div class="discreet"><style>{_STYLE}</style>{table}</div>'


class Result(ABC):
    """Base of the frozen result objects."""

    __slots__ = ()

    @abstractmethod
    def preview(self) -> Preview:
        """Return the few rows a person sees first."""

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return the whole result as plain values that ``json.dumps`` takes."""

    def _repr_html_(self) -> str:
        """Return an HTML table; every value is escaped."""
        shown = self.preview()
        head = "".join(f"<th>{html.escape(cell)}</th>" for cell in shown.header)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in shown.rows
        )
        caption = html.escape(shown.title)
        return framed(
            f"<table><caption>{caption}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    def __rich__(self) -> Group:
        """Return a title and a table for the terminal; values are text, never markup."""
        from rich.box import SIMPLE_HEAD
        from rich.console import Group
        from rich.table import Table as RichTable
        from rich.text import Text

        shown = self.preview()
        table = RichTable(box=SIMPLE_HEAD)
        for heading in shown.header:
            table.add_column(Text(heading))
        for row in shown.rows:
            table.add_row(*(Text(cell) for cell in row))
        return Group(Text(shown.title), table)
