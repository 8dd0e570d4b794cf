"""Probabilities as they are written: exact fractions, whatever kind of number they come as."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from discreet.errors import ParameterError

Number: TypeAlias = int | float | Fraction | Decimal | str

# Long enough for every exact probability, short enough that none fills the memory.
_WRITTEN = re.compile(r"-?[0-9]{1,2000}(/[0-9]{1,2000}|(\.[0-9]{0,2000})?([eE][-+]?[0-9]{1,3})?)")


def probability(name: str, value: object) -> Fraction:
    """Return a probability as the exact fraction it is written as.

    Parameters
    ----------
    name : str
        What to call it in an error.
    value : int, float, Fraction, Decimal or str
        From 0 to 1. A float is the decimal it is written as, 0.1 is one tenth; text may be a
        fraction, ``"1/5"``.

    Returns
    -------
    Fraction
        The same number.

    Raises
    ------
    ParameterError
        If it is not a number from 0 to 1.

    Examples
    --------
    >>> probability("rho", 0.1), probability("rho", "1/5")
    (Fraction(1, 10), Fraction(1, 5))
    """
    number = _fraction(name, value)
    if not 0 <= number <= 1:
        raise ParameterError(f"{name}={value} must be a probability from 0 to 1.")
    return number


def inner_probability(name: str, value: object) -> Fraction:
    """Return a probability above 0 and below 1 as the exact fraction it is written as.

    Examples
    --------
    >>> inner_probability("rho", "0.353")
    Fraction(353, 1000)
    """
    number = probability(name, value)
    if number in {0, 1}:
        raise ParameterError(f"{name}={value} must be a probability above 0 and below 1.")
    return number


def as_text(value: Fraction) -> str:
    """Return a fraction as JSON holds it, which :func:`probability` reads.

    Examples
    --------
    >>> as_text(Fraction(1, 5)), as_text(Fraction(1))
    ('1/5', '1')
    """
    return str(value)


def _fraction(name: str, value: object) -> Fraction:
    kinds = int | float | Fraction | Decimal | str
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise ParameterError(f"{name}={value!r} must be a number, or text such as '1/5'.")
    if isinstance(value, str):
        return _read(name, value)
    if not math.isfinite(value):
        raise ParameterError(f"{name}={value} must be a finite number.")
    return _read(name, str(value)) if isinstance(value, float | Decimal) else Fraction(value)


def _read(name: str, text: str) -> Fraction:
    if _WRITTEN.fullmatch(text):
        try:
            return Fraction(text)
        except ZeroDivisionError:
            pass
    raise ParameterError(f"{name}={text[:50]!r} must be a number, or text such as '1/5'.")
