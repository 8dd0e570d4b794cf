"""Parameters as they are written: exact losses and whole numbers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from discreet.errors import ParameterError

LARGEST_EPSILON = 1000


def exact_epsilon(value: object, *, name: str = "epsilon") -> Fraction:
    """Return a privacy loss as the exact fraction it is written as.

    Parameters
    ----------
    value : int, float, Fraction or Decimal
        Above 0 and at most 1000. A float is the decimal it is written as: 0.1 is one tenth.
    name : str
        What to call it in an error.

    Returns
    -------
    Fraction
        The same number.

    Raises
    ------
    ParameterError
        If it is not such a number.

    Examples
    --------
    >>> exact_epsilon(0.1), exact_epsilon(1)
    (Fraction(1, 10), Fraction(1, 1))
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | Decimal):
        raise ParameterError(f"{name} is a {type(value).__name__}. Give a number or a Fraction.")
    if not 0 < value <= LARGEST_EPSILON:  # also refuses what is not a number
        raise ParameterError(f"{name}={value} must be above 0 and at most {LARGEST_EPSILON}.")
    return Fraction(str(value)) if isinstance(value, float | Decimal) else Fraction(value)


def exact_delta(value: object) -> Fraction:
    """Return a delta as the exact fraction it is written as.

    Examples
    --------
    >>> exact_delta(1e-6)
    Fraction(1, 1000000)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction | Decimal):
        raise ParameterError(f"delta is a {type(value).__name__}. Give a number or a Fraction.")
    if not 0 <= value < 1:
        raise ParameterError(f"delta={value} must be at least 0 and below 1.")
    return Fraction(str(value)) if isinstance(value, float | Decimal) else Fraction(value)
