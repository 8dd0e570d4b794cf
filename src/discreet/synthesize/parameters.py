"""Parameters as they are written: exact losses, and one of some words."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

Number: TypeAlias = int | float | Fraction | Decimal | np.integer | np.floating

Trust: TypeAlias = Literal["central", "local"]
Generator: TypeAlias = Literal["marginals", "krimp"]

LARGEST_EPSILON = 1000
LEAST_EPSILON = 1e-60  # far below what leaves anything; the fourth power is still a float
TRUSTS = ("central", "local")
GENERATORS = ("marginals", "krimp")


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
        If it is not such a number, or so little that nothing can be made of it.

    Examples
    --------
    >>> exact_epsilon(0.1), exact_epsilon(1)
    (Fraction(1, 10), Fraction(1, 1))
    """
    number = _number(name, value)
    if not 0 < number <= LARGEST_EPSILON:  # also refuses what is not a number
        raise ParameterError(f"{name}={value} must be above 0 and at most {LARGEST_EPSILON}.")
    if number < LEAST_EPSILON:
        raise ParameterError(
            f"{name} is below {LEAST_EPSILON}, so little that nothing of it would be left. Give "
            "more; usual are 0.1 to 10."
        )
    return _exact(number)


def exact_delta(value: object) -> Fraction:
    """Return a delta as the exact fraction it is written as.

    Examples
    --------
    >>> exact_delta(1e-6)
    Fraction(1, 1000000)
    """
    number = _number("delta", value)
    if not 0 <= number < 1:
        raise ParameterError(f"delta={value} must be at least 0 and below 1.")
    return _exact(number)


def check_trust(trust: str, delta: Fraction) -> None:
    """Raise ParameterError if there is no such trust, or it takes no delta.

    Examples
    --------
    >>> check_trust("local", Fraction(0))
    """
    check_word("trust", trust, TRUSTS)
    if trust == "local" and delta:
        raise ParameterError("delta must be 0 with trust='local': cells are randomized purely.")


def check_word(name: str, value: str, known: Sequence[str]) -> None:
    """Raise ParameterError unless an option is one of the known words.

    Examples
    --------
    >>> check_word("generator", "krimp", GENERATORS)
    """
    if value not in known:
        raise ParameterError(f"There is no {name} {value!r}. {did_you_mean(str(value), known)}")


def _number(name: str, value: object) -> Number:
    if isinstance(value, bool) or not isinstance(value, Number):
        raise ParameterError(f"{name} is a {type(value).__name__}. Give a number or a Fraction.")
    return value


def _exact(number: Number) -> Fraction:
    """Return the number as it is written; a float is the decimal that is shown."""
    if isinstance(number, float | Decimal | np.floating):
        return Fraction(str(number))
    return Fraction(int(number)) if isinstance(number, np.integer) else Fraction(number)
