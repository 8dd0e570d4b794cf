"""What the sections of a policy have in common: strict, closed and frozen; and its kinds of value.

Nothing is guessed: a number is not taken for text, and a key that is not known is an error.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, PlainValidator

from discreet.checks import exact
from discreet.data.binning import Bins
from discreet.data.files.packed import is_utf8
from discreet.data.hierarchy.check import Grouping
from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Section(BaseModel):
    """One table of a policy file."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True
    )


def exact_number(given: object) -> Fraction:
    """Return a number, or the text of one, exactly as it is written.

    Parameters
    ----------
    given : number or str
        Such as ``1``, ``Decimal("0.1")``, ``"1e-6"`` or ``"1/3"``; see :mod:`discreet.checks`.

    Returns
    -------
    Fraction
        The same number.

    Raises
    ------
    ParameterError
        If it is not a finite number.

    Examples
    --------
    >>> exact_number("0.1"), exact_number("1e-6")
    (Fraction(1, 10), Fraction(1, 1000000))
    """
    try:
        return exact("number", given)
    except ParameterError:
        shown = str(given) if isinstance(given, Decimal) else repr(given)
        raise ParameterError(f"a number such as 0.1, 1e-6 or 1/3, not {shown}") from None


def read_bins(given: object) -> Bins:
    """Return the bins meant by a width, a list of edges, or a table of ``Bins``' own words.

    Examples
    --------
    >>> read_bins(10).width, read_bins([20, 40]).edges, read_bins({"quantiles": 4}).quantiles
    (10, (20, 40), 4)
    """
    plain = _plain(given)
    if isinstance(plain, Bins):
        return plain
    if isinstance(plain, dict):
        known = ("edges", "width", "quantiles", "closed", "ends")
        wrong = next((name for name in plain if name not in known), None)
        if wrong is not None:
            raise ParameterError(f"bins have no '{wrong}'; they have {', '.join(known)}")
        if isinstance(plain.get("edges", []), list):
            edges = {"edges": tuple(plain["edges"])} if "edges" in plain else {}
            return Bins(**{**plain, **edges})
        raise ParameterError("edges are a list of numbers")
    if isinstance(plain, list):
        return Bins(edges=tuple(plain))
    if isinstance(plain, int | float) and not isinstance(plain, bool):
        return Bins(width=plain)
    raise ParameterError(f"a width such as 10 or a list of edges such as [20, 40], not {given!r}")


def read_grouping(given: object) -> str | Grouping:
    """Return the file of a hierarchy, or how it is made, from a table of ``Grouping``'s words.

    Examples
    --------
    >>> read_grouping("age.csv"), read_grouping({"prefix": [3, 2]}).as_written()
    ('age.csv', {'prefix': [3, 2]})
    """
    if isinstance(given, Grouping) or (isinstance(given, str) and given):
        return given
    plain = _plain(given)
    if not isinstance(plain, dict):
        raise ParameterError(
            "a hierarchy is a file such as 'age.csv', or how it is made, such as { dates = true }"
        )
    known = tuple(each.name for each in fields(Grouping))
    for name, value in plain.items():
        if name not in known:
            raise ParameterError(
                f"hierarchies are not made by '{name}'; {did_you_mean(name, known)}"
            )
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        fits, said = isinstance(value, bool), "true or false"
        if name in ("steps", "prefix", "levels"):
            fits, said = isinstance(value, list), "a list such as [5, 10]"
        if name == "origin":
            fits, said = is_number, "a number"
        if not fits:
            raise ParameterError(f"{name} is {said}, not {value!r}")
    return Grouping(**plain)


def _grouping_as_written(given: str | Grouping) -> object:
    return given.as_written() if isinstance(given, Grouping) else given


def _plain(given: object) -> object:
    """Return decimals as Python's numbers, in lists and tables too."""
    if isinstance(given, Decimal):
        return float(given)
    if isinstance(given, list | tuple):
        return [_plain(each) for each in given]
    if isinstance(given, dict):
        return {name: _plain(each) for name, each in given.items()}
    return given


def _bins_as_written(bins: Bins) -> object:
    """Return bins as a policy writes them: in the short form where it says all."""
    words: dict[str, object] = {
        name: list(value) if isinstance(value, tuple) else value
        for name in ("edges", "width", "quantiles")
        if (value := getattr(bins, name)) is not None
    }
    if bins.closed == "left" and bins.ends == "open" and bins.quantiles is None:
        return next(iter(words.values()))
    return {**words, "closed": bins.closed, "ends": bins.ends}


def _as_tuple(given: object) -> object:
    """Return a list as a tuple: TOML has lists only."""
    return tuple(given) if isinstance(given, list) else given


def _values(given: object) -> object:
    """Return the values a column can have as the reader gives them."""
    plain = _plain(given)
    if not isinstance(plain, list) or not all(isinstance(v, str | int | float) for v in plain):
        raise ParameterError(f"a list of values such as ['f', 'm'], not {given!r}")
    return plain


Values = Annotated[list[str | int | float | bool], PlainValidator(_values)]

Names = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]


def decimal_text(number: Fraction) -> str:
    """Return the decimal that is exactly a fraction, or the fraction where no decimal is.

    Examples
    --------
    >>> decimal_text(Fraction(1, 8)), decimal_text(Fraction(1, 10**9)), decimal_text(Fraction(1, 3))
    ('0.125', '1E-9', '1/3')
    """
    n_digits, rest = 0, number.denominator
    for prime in (2, 5):
        n_times = 0
        while rest % prime == 0:
            rest, n_times = rest // prime, n_times + 1
        n_digits = max(n_digits, n_times)
    if rest != 1:
        return str(number)
    digits = tuple(map(int, str(abs(int(number * 10**n_digits)))))
    return str(Decimal((int(number < 0), digits, -n_digits)))  # arithmetic would round


ExactNumber = Annotated[Fraction, PlainValidator(exact_number), PlainSerializer(decimal_text)]

Cut = Annotated[Bins, PlainValidator(read_bins), PlainSerializer(_bins_as_written)]


Grouped = Annotated[
    str | Grouping, PlainValidator(read_grouping), PlainSerializer(_grouping_as_written)
]


# TOML as text: keys, values and comments that no content can break out of.

_BARE = re.compile(r"[A-Za-z0-9_-]+")

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}

# Control characters, and those that editors take for the end of a line.
_UNSEEN = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')


NOT_UTF8 = "is not UTF-8, and a policy is a file in UTF-8, which cannot name it. Rename the file."


def toml_string(text: str) -> str:
    r"""Return a text in double quotes, on one line.

    Examples
    --------
    >>> print(toml_string('say "hi"\n'))
    "say \"hi\"\n"
    """
    if not is_utf8(text):
        raise ParameterError(f"{text!a} {NOT_UTF8}")
    escaped = _UNSEEN.sub(lambda one: _ESCAPES.get(one[0], f"\\u{ord(one[0]):04x}"), text)
    return f'"{escaped}"'


def toml_key(name: str) -> str:
    """Return a key, in quotes where it needs them.

    Examples
    --------
    >>> print(toml_key("age"), toml_key("a.b"))
    age "a.b"
    """
    return name if _BARE.fullmatch(name) else toml_string(name)


def toml_value(value: object) -> str:
    """Return a value; fractions of decimals are written as the decimal, in quotes.

    Examples
    --------
    >>> print(toml_value([1, 0.5]), toml_value({"width": 5, "closed": "right"}))
    [1, 0.5] { width = 5, closed = "right" }
    >>> print(toml_value(Fraction(1, 1000)))
    "0.001"
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Fraction):
        return toml_string(decimal_text(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    if isinstance(value, dict):
        pairs = (f"{toml_key(name)} = {toml_value(each)}" for name, each in value.items())
        return f"{{ {', '.join(pairs)} }}"
    assert isinstance(value, str)
    return toml_string(value)


def toml_comment(text: str) -> str:
    """Return a comment on one line."""
    return f"# {_UNSEEN.sub(lambda one: one[0] if one[0] in _QUOTES else ' ', text)}"


def toml_table(name: str, values: Mapping[str, object]) -> str:
    """Return a table with its header; what is None is omitted."""
    pairs = [f"{toml_key(key)} = {toml_value(v)}" for key, v in values.items() if v is not None]
    return "\n".join([f"[{name}]", *pairs, ""])


_QUOTES = '"\\'


# On which line of a TOML text each key stands; Python's reader does not say.
#
# The text is known to be valid, so the scan only has to find its way: headers, dotted and quoted
# keys, strings of four kinds, lists and tables over several lines, comments.

Place: TypeAlias = tuple[str | int, ...]  # the keys and numbers that lead to a value

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
