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
from numbers import Integral
from typing import TypeAlias

from discreet import checks
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
        A float is the decimal it is written as: ``0.1`` is one tenth.

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
            raise ParameterError(
                f"{{{name}}} must be a number, not text.", parameter=name, options={name: value}
            )
        return value
    number = checks.exact(name, value)
    return int(number) if isinstance(value, Integral) and name not in _LOSSES else number


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
    # What is shown must never claim more than what holds.
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
            # People read the decimal, programs the fraction: they must not say different things.
            if number_to_json(name, number) != dict(value):
                raise DataError(
                    f"{name} is stated as {text} and as {value['decimal']}, which do not agree."
                )
            return number
    raise DataError(f"{name} is {value!r}, which is neither text, a whole number nor a fraction.")


# Exponentials and logarithms of exact numbers, rounded to the side that claims less.
#
# A mechanism that promises ratios of at most e^epsilon uses a fraction that is surely not above
# it; a claim computed from a ratio is a logarithm that is surely not below it.

BITS = 64

_GUARD = 32


def exp_below(exponent: Fraction, *, bits: int = BITS) -> Fraction:
    r"""Return a fraction that is surely not above e to the exponent, and close to it.

    .. math:: e^x = \Big( \sum_{i \ge 0} \frac{(x / 2^h)^i}{i!} \Big)^{2^h}

    where :math:`h` is such that :math:`x / 2^h \le 1`.

    Parameters
    ----------
    exponent : Fraction
        At least 0.
    bits : int
        How close: the result is a whole number divided by ``2**bits``.

    Returns
    -------
    Fraction
        At least 1, and less than ``2**-bits`` times :math:`1 + e^x` below :math:`e^x`.

    Notes
    -----
    Why it is never above: all terms of the series are positive, and every one of them, the
    sum, and every square is computed in whole numbers and rounded down. Guard bits, one for
    each bit of the result and for each squaring, keep the rounding error below the last bit.

    Examples
    --------
    >>> float(exp_below(Fraction(1)))
    2.718281828459045
    >>> exp_below(Fraction(1), bits=4)
    Fraction(43, 16)
    """
    # e^x is the square of e^(x / 2), and so on: for a small argument the series is short.
    halvings = max(0, (math.ceil(exponent) - 1).bit_length()) if exponent > 1 else 0
    places = bits + _GUARD + 2 * halvings + math.ceil(exponent * Fraction(3, 2))
    one = 1 << places
    step = exponent / (1 << halvings)
    total = term = one
    i = 0
    # Every term is cut off, and every square below: errors only lower the result, and the guard
    # digits keep them off the last place returned.
    while term:
        i += 1
        term = term * step.numerator // (step.denominator * i)
        total += term
    for _ in range(halvings):
        total = total * total >> places
    return Fraction(total >> (places - bits), 1 << bits)
