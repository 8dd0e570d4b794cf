"""How much of a release is read at most, and JSON and numbers that keep to it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from typing import Any, Self

from discreet import checks
from discreet.errors import DataError

MAX_BYTES = 2 * 1024**3

MAX_CELLS = 200_000_000

MAX_COLUMNS = 10_000

JSON_SHARE = 32  # JSON takes so many times its size in memory

MAX_DEPTH = 40

MAX_DIGITS = 19  # of a whole number in JSON

LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """What a release may hold at most; nothing beyond is read or decoded.

    Attributes
    ----------
    max_bytes : int
        All files together, as they are stored and as they are unpacked. A JSON file may have a
        32nd of it.
    max_cells : int
        Rows times columns of the data.
    max_columns : int
        Columns of the data.
    """

    max_bytes: int = MAX_BYTES
    max_cells: int = MAX_CELLS
    max_columns: int = MAX_COLUMNS

    @classmethod
    def of(cls, *, max_bytes: int, max_cells: int, max_columns: int) -> Self:
        """Return limits, refusing what is no whole number above 0."""
        return cls(
            max_bytes=checks.whole("max_bytes", max_bytes, at_least=1),
            max_cells=checks.whole("max_cells", max_cells, at_least=1),
            max_columns=checks.whole("max_columns", max_columns, at_least=1),
        )

    @property
    def max_json(self) -> int:
        """The most bytes of a JSON file."""
        return max(self.max_bytes // JSON_SHARE, 1)

    def fault(self, *, n_rows: int, n_columns: int) -> str | None:
        """Return in words which limit data of some size passes, or None."""
        if n_columns > self.max_columns:
            return (
                f"{n_columns:,} columns, more than the limit of {self.max_columns:,} (max_columns)"
            )
        if n_rows * n_columns > self.max_cells:
            return (
                f"{n_rows:,} rows of {n_columns:,} columns, more than the limit of "
                f"{self.max_cells:,} cells (max_cells)"
            )
        return None


class UnreadableError(Exception):
    """A file is there and is not read; the words go after its name."""


def too_large(size: int, limit: int) -> str:
    """Return in words that a file is not read because of its size."""
    return f"has {size:,} bytes, more than the {limit:,} that the limit leaves it (max_bytes)"


def read_json(content: bytes) -> Any:  # noqa: ANN401  any JSON
    """Return what JSON says, if every reader would read the same and it is of human size.

    Raises
    ------
    DataError
        If it is no JSON, has a key twice, a number of too many digits or is nested too deeply.
        The words go after the name of the file.

    Examples
    --------
    >>> read_json(b'{"k": 5}')
    {'k': 5}
    >>> read_json(b"1e999999999")
    Traceback (most recent call last):
    discreet.errors.DataError: is not whole JSON: 1e999999999 is out of range.
    """
    try:
        values = json.loads(
            content.decode(),
            object_pairs_hook=refuse_repeats,
            parse_constant=_refuse,
            parse_int=_whole,
            parse_float=_decimal,
        )
    except UnicodeDecodeError:
        raise DataError("is not whole JSON: it is not UTF-8.") from None
    except RecursionError:
        raise DataError(f"is not whole JSON: {_TOO_DEEP}.") from None
    except ValueError as error:
        raise DataError(f"is not whole JSON: {error}.") from None
    level, depth = [values], 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise DataError(f"is not whole JSON: {_TOO_DEEP}.")
        held = [each for each in level if isinstance(each, list | dict)]
        level = [
            member
            for each in held
            for member in (each.values() if isinstance(each, dict) else each)
            if isinstance(member, list | dict)
        ]
    return values


_TOO_DEEP = f"it is nested more than {MAX_DEPTH} levels deep"


def refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: readers would differ on which one counts."""
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"the key {shown(key)} stands there twice")
        seen[key] = value
    return seen


def _refuse(constant: str) -> None:
    """Refuse NaN and infinity."""
    raise ValueError(f"{constant} is not JSON")


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise ValueError(f"a number has more than {MAX_DIGITS} digits")
    return int(text)


def _decimal(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:LONGEST_NAME]} is out of range")
    return number


def shown(name: str) -> str:
    r"""Return a name from a hostile place as a message may show it: escaped, and not too long.

    Examples
    --------
    >>> print(shown("a\x1b[2J\udcff"), len(shown("a" * 1000)) < 70)
    'a\x1b[2J\udcff' True
    """
    cut = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 3]}..."
    return ascii(cut) if not cut.isprintable() else repr(cut)


def plain(name: str) -> str:
    r"""Return the same without quotes: how known files are called in messages.

    Examples
    --------
    >>> print(plain("data.csv"), plain("a\nb"))
    data.csv a\nb
    """
    return shown(name)[1:-1]
