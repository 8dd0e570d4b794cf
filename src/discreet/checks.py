"""What the values of parameters mean, the same in every room.

A **whole number** is an ``int`` or a numpy integer. ``5.0``, ``"5"``, ``True``, NaN and None are
refused; the error says what to write.

An **exact number** (epsilon, delta, a probability, a share) is an ``int``, ``Fraction``,
``Decimal``, a numpy number, text such as ``"0.1"`` or ``"1/10"``, or a float. A float means the
decimal number that Python writes for it: 0.1 is exactly one tenth, ``np.float32(0.1)`` too. NaN,
infinities and booleans are refused.

A **choice** is one of some texts, written exactly so.

Functions check at the public edge and trust what they pass on. Each check returns the value in
one form, or raises a ParameterError that carries the name of the parameter.
"""

from __future__ import annotations

import operator
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np

Number: TypeAlias = int | float | Fraction | Decimal | str
Word = TypeVar("Word", bound=str)

# Long enough for every number that is meant, short enough that none fills the memory: the
# fraction of 1e-999999999 has a billion digits.
_WRITTEN = re.compile(
    r"[-+]?([0-9]{1,2000}/[0-9]{1,2000}"
    r"|([0-9]{1,2000}(\.[0-9]{0,2000})?|\.[0-9]{1,2000})([eE][-+]?[0-9]{1,3})?)"
)


def whole(
    name: str,
    value: object,
    *,
    at_least: int | None = None,
    at_most: int | None = None,
    remedy: str | None = None,
) -> int:
    """Return a whole number, or raise ParameterError.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What was given for it.
    at_least, at_most : int, optional
        Its range.
    remedy : str, optional
        What to do with another value, in sentences; ``{l}`` names the parameter ``l``.

    Returns
    -------
    int
        The same number.

    Raises
    ------
    ParameterError
        If it is not a whole number in the range.

    Examples
    --------
    >>> whole("k", 5, at_least=2)
    5
    >>> whole("k", 5.0, at_least=2)
    Traceback (most recent call last):
    discreet.errors.ParameterError: k=5.0 must be a whole number, at least 2. Write k=5.
    >>> whole("k", 1, at_least=2)
    Traceback (most recent call last):
    discreet.errors.ParameterError: k=1 must be at least 2.
    """
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    number = _as_written(value)
    fits = (
        number is not None
        and number.denominator == 1
        and (at_least is None or number >= at_least)
        and (at_most is None or number <= at_most)
    )
    if is_whole and fits:
        return operator.index(value)  # type: ignore[arg-type]  # Integral has no index
    bounds = _bounds(at_least=at_least, at_most=at_most)
    if is_whole:
        raise refused(name, value, bounds, remedy=remedy)
    kind = f"a whole number, {bounds}" if bounds else "a whole number"
    if not fits:
        raise refused(name, value, kind, remedy=remedy)
    right = f"{name}:right"
    raise refused(name, value, kind, remedy=f"Write {{{right}}}.", options={right: number})


def exact(
    name: str,
    value: object,
    *,
    above: Fraction | float | None = None,
    at_least: Fraction | float | None = None,
    at_most: Fraction | float | None = None,
    below: Fraction | float | None = None,
    remedy: str | None = None,
) -> Fraction:
    """Return a number as the exact fraction it is written as, or raise ParameterError.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What was given for it.
    above, at_least, at_most, below : number, optional
        Its range.
    remedy : str, optional
        What to do with a number out of the range, in sentences; ``{l}`` names the parameter ``l``.

    Returns
    -------
    Fraction
        The same number.

    Raises
    ------
    ParameterError
        If it is not a finite number in the range.

    Examples
    --------
    >>> exact("epsilon", 0.1), exact("epsilon", "1/10"), exact("delta", "1e-6")
    (Fraction(1, 10), Fraction(1, 10), Fraction(1, 1000000))
    >>> exact("epsilon", 0, above=0)
    Traceback (most recent call last):
    discreet.errors.ParameterError: epsilon=0 must be above 0.
    """
    number = _as_written(value)
    bounds = _bounds(above=above, at_least=at_least, at_most=at_most, below=below)
    if number is None:
        kind = f"a number, {bounds}" if bounds else "a number"
        raise refused(name, value, kind, remedy="Write it as 0.1 or '1/10'.")
    if (
        (above is not None and number <= above)
        or (at_least is not None and number < at_least)
        or (at_most is not None and number > at_most)
        or (below is not None and number >= below)
    ):
        raise refused(name, value, bounds, remedy=remedy)
    return number


def share(name: str, value: object) -> Fraction:
    """Return a number from 0 to 1 as the exact fraction it is written as, or raise ParameterError.

    Examples
    --------
    >>> share("max_dropped", 0.05)
    Fraction(1, 20)
    """
    return exact(name, value, at_least=0, at_most=1)


def inner_share(name: str, value: object) -> Fraction:
    """Return a number above 0 and below 1 as the exact fraction it is written as.

    Examples
    --------
    >>> inner_share("rho", "1/5")
    Fraction(1, 5)
    """
    return exact(name, value, above=0, below=1)


def generator(name: str, value: object) -> np.random.Generator:
    """Return the generator that a seed, a generator or None gives, or raise ParameterError.

    Examples
    --------
    >>> int(generator("rng", 7).integers(100))
    94
    """
    import numpy as np

    if value is None or isinstance(value, np.random.Generator):
        return np.random.default_rng(value)
    return np.random.default_rng(whole(name, value, at_least=0))


def one_of(name: str, value: object, choices: Iterable[Word]) -> Word:
    """Return the choice that a text is, or raise ParameterError with what was perhaps meant.

    Examples
    --------
    >>> one_of("linkage", "averag", ("single", "average"))
    Traceback (most recent call last):
    discreet.errors.ParameterError: There is no linkage='averag'. Did you mean 'average'?
    """
    known = list(choices)
    for choice in known:
        if isinstance(value, str) and value == choice:
            return choice
    hint = did_you_mean(value if isinstance(value, str) else "", known)
    message = f"There is no {{{name}}}."
    raise ParameterError(message, parameter=name, remedy=hint, options={name: value})


def refused(
    name: str,
    value: object,
    must_be: str,
    *,
    remedy: str | None = None,
    options: Mapping[str, object] | None = None,
) -> ParameterError:
    """Return the error that a value is not what it must be.

    The name may be that of an element, such as ``keep[3]``: the parameter is then ``keep``.

    Examples
    --------
    >>> refused("t", 2, "from 0 to 1")
    ParameterError('t=2 must be from 0 to 1.')
    """
    message = f"{{{name}}} must be {must_be}."
    parameter = re.split(r"\W", name, maxsplit=1)[0]
    others = dict.fromkeys(re.findall(r"\{(\w+)\}", remedy or ""), ...)
    named = {**others, name: value, **(options or {})}
    return ParameterError(message, parameter=parameter, remedy=remedy, options=named)


def _as_written(value: object) -> Fraction | None:
    """Return the fraction that a value is written as; None if it is no finite number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if not isinstance(value, Real | Decimal | str):
        return None
    text = str(value).strip()
    if not _WRITTEN.fullmatch(text):
        return None
    try:
        return Fraction(text)
    except ZeroDivisionError:
        return None


def _bounds(**bounds: Fraction | float | None) -> str:
    """Return a range in words."""
    given = {word.replace("_", " "): bound for word, bound in bounds.items() if bound is not None}
    if set(given) == {"at least", "at most"}:
        return f"from {given['at least']} to {given['at most']}"
    return " and ".join(f"{word} {bound}" for word, bound in given.items())
