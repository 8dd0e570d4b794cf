"""TOML as text: keys, values and comments that no content can break out of."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
# Control characters, and those that editors take for the end of a line.
_UNSEEN = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')


def toml_string(text: str) -> str:
    r"""Return a text in double quotes, on one line.

    Examples
    --------
    >>> print(toml_string('say "hi"\n'))
    "say \"hi\"\n"
    """
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
    """Return a table with its header; what is None is left out."""
    pairs = [f"{toml_key(key)} = {toml_value(v)}" for key, v in values.items() if v is not None]
    return "\n".join([f"[{name}]", *pairs, ""])


def decimal_text(number: Fraction) -> str:
    """Return the decimal that is exactly a fraction whose denominator divides a power of ten.

    Examples
    --------
    >>> decimal_text(Fraction(1, 8)), decimal_text(Fraction(1, 10**9)), decimal_text(Fraction(20))
    ('0.125', '1E-9', '20')
    """
    n_digits = 0
    while (number * 10**n_digits).denominator != 1:
        n_digits += 1
        assert n_digits < 10_000, "not a decimal"
    digits = tuple(map(int, str(abs(int(number * 10**n_digits)))))
    return str(Decimal((int(number < 0), digits, -n_digits)))  # arithmetic would round


_QUOTES = '"\\'
