"""Numbers that a privacy claim depends on: exact inside, rounded to the weaker side when shown.

A share or a privacy loss is a fraction. In JSON it is written as ``p/q`` together with a decimal
of twelve digits that never claims more than the fraction does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TypeAlias

from discreet.errors import DataError, ParameterError

Exact: TypeAlias = int | Fraction | str
JsonNumber: TypeAlias = int | str | dict[str, str]

_DIGITS = 12
_LOG_DIGITS = 50
# A smaller value of these protects less; of all others, such as epsilon and delta, a larger one.
_LESS_IS_WEAKER = frozenset(("k", "l", "remaining epsilon", "remaining delta"))
_LOSSES = frozenset(("epsilon", "delta"))
_FRACTION = re.compile(r"-?[0-9]{1,2000}/[1-9][0-9]{0,1999}")


def exact(name: str, value: object) -> Exact:
    """Return a parameter as text, a whole number or an exact fraction.

    Parameters
    ----------
    name : str
        Its name; ``epsilon`` and ``delta`` are fractions even where they are whole.
    value : int, Fraction, Decimal, float or str
        A float stands for the binary number it is: ``0.1`` is a little more than 1/10, so give
        ``Fraction("0.1")`` where 1/10 is meant.

    Returns
    -------
    int, Fraction or str
        The same value, exactly.

    Raises
    ------
    ParameterError
        If the value is of another kind, or not a finite number.

    Examples
    --------
    >>> exact("k", 5), exact("epsilon", 1), exact("scheme", "dp")
    (5, Fraction(1, 1), 'dp')
    """
    if isinstance(value, str):
        if name in _LOSSES:
            raise ParameterError(f"{name} is a number, not the text {value!r}.")
        return value
    if isinstance(value, bool) or not isinstance(value, int | Fraction | Decimal | float):
        raise ParameterError(
            f"{name} is a {type(value).__name__}. Give a number (Fraction for shares) or text."
        )
    if not math.isfinite(value):
        raise ParameterError(f"{name} is {value}, which is not a number.")
    if isinstance(value, int):
        return Fraction(value) if name in _LOSSES else int(value)
    return Fraction(value)


def whole(name: str, value: object, *, least: int) -> int:
    """Return a whole number, or raise ParameterError.

    Examples
    --------
    >>> whole("cutoff", 7, least=1)
    7
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ParameterError(f"{name}={value!r} must be a whole number, at least {least}.")
    return value


def log_above(ratio: Fraction | None) -> float:
    """Return the natural logarithm of a ratio of at least 1, rounded up; infinity for None.

    Examples
    --------
    >>> log_above(Fraction(31)), log_above(Fraction(1)), log_above(None)
    (3.4339872044851463, 0.0, inf)
    """
    if ratio is None:
        return math.inf
    if ratio == 1:
        return 0.0
    up = Context(prec=_LOG_DIGITS, rounding=ROUND_CEILING)
    quotient = up.divide(Decimal(ratio.numerator), Decimal(ratio.denominator))
    # Decimal's logarithm is rounded to nearest: the next larger one is surely above.
    logarithm = up.next_plus(up.ln(quotient))
    found = float(logarithm)
    return found if Decimal(found) >= logarithm else math.nextafter(found, math.inf)


def shown(name: str, value: Exact) -> str:
    """Return a parameter as a person reads it, rounded towards the weaker claim.

    Examples
    --------
    >>> shown("epsilon", Fraction(1, 3)), shown("l", Fraction(8, 3)), shown("k", 5)
    ('0.333333333334', '2.66666666666', '5')
    >>> shown("delta", Fraction(1, 10**9))
    '1e-9'
    """
    if not isinstance(value, Fraction):
        return str(value)
    direction = ROUND_FLOOR if name in _LESS_IS_WEAKER else ROUND_CEILING
    context = Context(prec=_DIGITS, rounding=direction)
    rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if rounded == 0 or abs(rounded) >= Decimal("1e-6"):
        return f"{rounded:f}"
    return str(rounded.normalize(context)).lower()


def number_to_json(name: str, value: Exact) -> JsonNumber:
    """Return a parameter as JSON writes it.

    Examples
    --------
    >>> number_to_json("epsilon", Fraction(1, 10))
    {'exact': '1/10', 'decimal': '0.1'}
    """
    if not isinstance(value, Fraction):
        return value
    return {"exact": f"{value.numerator}/{value.denominator}", "decimal": shown(name, value)}


def number_from_json(name: str, value: object) -> Exact:
    """Return the parameter that :func:`number_to_json` wrote, or raise DataError.

    A decimal that is not that of the fraction beside it is refused: one of them was changed.
    """
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, Mapping) and set(value) == {"exact", "decimal"}:
        text = value["exact"]
        if isinstance(text, str) and _FRACTION.fullmatch(text):
            number = Fraction(text)
            if number_to_json(name, number) != dict(value):
                raise DataError(
                    f"{name} is stated as {text} and as {value['decimal']}, which do not agree."
                )
            return number
    raise DataError(f"{name} is {value!r}, which is neither text, a whole number nor a fraction.")
