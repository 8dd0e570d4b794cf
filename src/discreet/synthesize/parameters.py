"""Parameters as they are written: exact losses, and one of some words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from discreet import checks
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from fractions import Fraction

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
    value : int, float, Fraction, Decimal or str
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
    number = checks.exact(name, value, above=0, at_most=LARGEST_EPSILON)
    if number < LEAST_EPSILON:
        raise ParameterError(
            f"{{{name}}} is below {LEAST_EPSILON}, so little that nothing of it would be left.",
            parameter=name,
            remedy="Give more; usual are 0.1 to 10.",
            options={name: ...},
        )
    return number


def exact_delta(value: object) -> Fraction:
    """Return a delta as the exact fraction it is written as.

    Examples
    --------
    >>> exact_delta(1e-6)
    Fraction(1, 1000000)
    """
    return checks.exact("delta", value, at_least=0, below=1)


def check_trust(trust: str, delta: Fraction) -> None:
    """Raise ParameterError if there is no such trust, or it takes no delta.

    Examples
    --------
    >>> check_trust("local", exact_delta(0))
    """
    checks.one_of("trust", trust, TRUSTS)
    if trust == "local" and delta:
        raise ParameterError(
            "{delta} must be 0 with {trust}: cells are randomized purely.",
            parameter="delta",
            options={"delta": float(delta), "trust": trust},
        )
