"""What the sections of a policy have in common: strict, closed and frozen; and its kinds of value.

Nothing is guessed: a number is not taken for text, and a key that is not known is an error.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, PlainValidator

from discreet.checks import exact
from discreet.data.binning import Bins
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping


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


# TOML as text: keys, values and comments that no content can break out of.

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


_QUOTES = '"\\'
