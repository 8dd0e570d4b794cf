"""What the sections of a policy have in common: strict, closed and frozen; and its kinds of value.

Nothing is guessed: a number is not taken for text, and a key that is not known is an error.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, PlainValidator

from discreet.data.binning import Bins
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping


_LARGEST_EXPONENT = 1000  # 1e-999999999 is a short text and a number that fills the memory


class Section(BaseModel):
    """One table of a policy file."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, arbitrary_types_allowed=True
    )


def exact_decimal(given: object) -> Fraction:
    """Return a number, or the text of one, exactly as it is written in decimals.

    Parameters
    ----------
    given : int, Decimal, Fraction or str
        Such as ``1``, ``Decimal("0.1")`` or ``"1e-6"``. A float is refused: it is not the
        decimal it was written as.

    Returns
    -------
    Fraction
        The same number.

    Raises
    ------
    ParameterError
        If it is not a finite decimal number.

    Examples
    --------
    >>> exact_decimal("0.1"), exact_decimal("1e-6")
    (Fraction(1, 10), Fraction(1, 1000000))
    """
    if isinstance(given, Fraction):
        return given
    if isinstance(given, bool) or not isinstance(given, int | Decimal | str):
        raise ParameterError(f"a decimal number such as 0.1 or 1e-6, not {given!r}")
    try:
        number = Decimal(given.strip() if isinstance(given, str) else given)
    except InvalidOperation:
        raise ParameterError(f"a decimal number such as 0.1 or 1e-6, not {given!r}") from None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > _LARGEST_EXPONENT:
        raise ParameterError(f"a decimal number such as 0.1 or 1e-6, not {str(given)!r}")
    return Fraction(number)


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


ExactNumber = Annotated[Fraction, PlainValidator(exact_decimal), PlainSerializer(decimal_text)]

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
