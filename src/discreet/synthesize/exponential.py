"""Exponentials and logarithms of exact numbers, rounded to the side that claims less.

A mechanism that promises ratios of at most e^epsilon uses a fraction that is surely not above
it; a claim computed from a ratio is a logarithm that is surely not below it.
"""

from __future__ import annotations

import math
from fractions import Fraction

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
    each bit of the result and for each squaring, keep what is lost out of sight.

    Examples
    --------
    >>> float(exp_below(Fraction(1)))
    2.718281828459045
    >>> exp_below(Fraction(1), bits=4)
    Fraction(43, 16)
    """
    halvings = max(0, (math.ceil(exponent) - 1).bit_length()) if exponent > 1 else 0
    places = bits + _GUARD + 2 * halvings + math.ceil(exponent * Fraction(3, 2))
    one = 1 << places
    step = exponent / (1 << halvings)
    total = term = one
    i = 0
    while term:
        i += 1
        term = term * step.numerator // (step.denominator * i)
        total += term
    for _ in range(halvings):
        total = total * total >> places
    return Fraction(total >> (places - bits), 1 << bits)
