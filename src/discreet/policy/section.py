"""What the sections of a policy have in common: strict, closed and frozen; and its kinds of value.

Nothing is guessed: a number is not taken for text, and a key that is not known is an error.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, PlainValidator

from discreet.data.binning import Bins
from discreet.errors import ParameterError
from discreet.policy.toml_text import decimal_text

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
ExactNumber = Annotated[Fraction, PlainValidator(exact_decimal), PlainSerializer(decimal_text)]
Cut = Annotated[Bins, PlainValidator(read_bins), PlainSerializer(_bins_as_written)]
