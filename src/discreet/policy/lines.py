"""On which line of a TOML text each key stands; Python's reader does not say.

The text is known to be valid, so the scan only has to find its way: headers, dotted and quoted
keys, strings of four kinds, lists and tables over several lines, comments.
"""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Place: TypeAlias = tuple[str | int, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]+|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
_OTHER = re.compile(r"[^,\]}#\n]+")  # numbers, dates, true and false


def key_lines(text: str) -> dict[Place, int]:
    r"""Return the line, counted from 1, of every key, table and list member of a valid TOML text.

    Examples
    --------
    >>> key_lines("[method]\nname = 'k-mii'\ncolumns = [\n 'age',\n]")["method", "columns", 0]
    4
    """
    scan = _Scan(text)
    scan.document()
    return scan.lines


def line_of(lines: Mapping[Place, int], place: Sequence[str | int]) -> int | None:
    """Return the line of a place, or of the nearest thing around it that has one."""
    for length in range(len(place), 0, -1):
        line = lines.get(tuple(place[:length]))
        if line is not None:
            return line
    return None


class _Scan:
    """A place in the text, moving forward."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.lines: dict[Place, int] = {}
        self.n_tables: dict[Place, int] = {}

    def document(self) -> None:
        """Read headers and pairs until the end."""
        table: Place = ()
        while self.skip(_BLANK) or self.at < len(self.text):
            if self.at >= len(self.text):
                return
            if self.text.startswith("[[", self.at):
                table = self.header("[[", "]]")
            elif self.text[self.at] == "[":
                table = self.header("[", "]")
            else:
                self.pair(table)

    def header(self, opening: str, closing: str) -> Place:
        """Read a table's header and return the place it opens."""
        start = self.at
        self.at += len(opening)
        *parents, last = self.key()
        self.at += len(closing)
        place: Place = ()
        for part in parents:
            place = self.inside((*place, part))
            self.note(place, start)
        place = (*place, last)
        if opening == "[[":
            number = self.n_tables.get(place, 0)
            self.n_tables[place] = number + 1
            self.note(place, start)
            place = (*place, number)
        self.note(place, start)
        return place

    def inside(self, place: Place) -> Place:
        """Return the newest table of a list of tables, or the place itself."""
        n_tables = self.n_tables.get(place)
        return place if n_tables is None else (*place, n_tables - 1)

    def pair(self, table: Place) -> None:
        """Read a key and its value."""
        start = self.at
        place = table
        for part in self.key():
            place = (*place, part)
            self.note(place, start)
        self.at += 1  # the equals sign
        self.skip(_SPACE)
        self.value(place)

    def key(self) -> list[str]:
        """Read a key: names with dots between them, spaces around."""
        parts = []
        while True:
            self.skip(_SPACE)
            quoted = _STRING.match(self.text, self.at)
            found = quoted or _BARE.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            name = found.group()
            parts.append(tomllib.loads(f"k = {name}")["k"] if quoted else name)
            self.skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def value(self, place: Place) -> None:
        """Read a value, noting what is inside it."""
        opening = self.text[self.at]
        if opening not in "[{":
            found = _STRING.match(self.text, self.at) or _OTHER.match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            return
        self.at += 1
        closing, number = "]" if opening == "[" else "}", 0
        while True:
            self.skip(_BLANK)
            if self.text[self.at] == closing:
                self.at += 1
                return
            if self.text[self.at] == ",":
                self.at += 1
            elif opening == "{":
                self.pair(place)
            else:
                self.note((*place, number), self.at)
                self.value((*place, number))
                number += 1

    def note(self, place: Place, start: int) -> None:
        """Keep the first line of a place."""
        if place not in self.lines:
            self.lines[place] = self.text.count("\n", 0, start) + 1

    def skip(self, blanks: re.Pattern[str]) -> bool:
        """Move past blanks; say whether there were any."""
        found = blanks.match(self.text, self.at)
        assert found is not None
        moved = found.end() > self.at
        self.at = found.end()
        return moved
