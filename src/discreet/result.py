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
        return (
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
