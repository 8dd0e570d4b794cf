"""Tables with as many minimal infrequent itemsets as there can be.

In an orthogonal array of strength t and index 1, every t columns show every combination
once, so every t cells of every row are a minimal infrequent itemset. Polynomials over a
finite field make such arrays.
"""

from __future__ import annotations

import math
from itertools import count, product
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.table import Table
from discreet.errors import LimitError

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_CELLS = 1 << 28


def mii_bound(n_rows: int, *, n_columns: int) -> int:
    r"""Return the most minimal infrequent itemsets a table can have, whatever the threshold.

    .. math:: m \binom{n}{\lfloor n / 2 \rfloor}

    where :math:`m` is ``n_rows`` and :math:`n` is ``n_columns``.

    Parameters
    ----------
    n_rows : int
        At least 0.
    n_columns : int
        At least 1.

    Returns
    -------
    int
        The bound; :func:`worst_case_table` attains it.

    Notes
    -----
    The itemsets of one row are an antichain of subsets of its cells, so Sperner's theorem
    bounds them, and every minimal infrequent itemset occurs in some row.

    References
    ----------
    The thesis this family follows, theorem 3.2.

    Examples
    --------
    >>> mii_bound(125, n_columns=6)
    2500
    """
    n_rows = checks.whole("n_rows", n_rows, at_least=0)
    n_columns = checks.whole("n_columns", n_columns, at_least=1)
    return n_rows * math.comb(n_columns, n_columns // 2)


def worst_case_table(n_columns: int, *, theta: int, strength: int | None = None) -> Table:
    r"""Return a table with the most minimal infrequent itemsets its size allows.

    One row for each polynomial :math:`f` of degree below :math:`t` over the field of :math:`s`
    elements: the values :math:`f(x)` in one column for each of some elements :math:`x`, and the
    coefficient of :math:`x^{t-1}` in the last. Any :math:`t` columns determine :math:`f`, so a
    combination of :math:`j \le t` values in different columns has support :math:`s^{t-j}`.

    Parameters
    ----------
    n_columns : int
        At least 1.
    theta : int
        Infrequency threshold, at least 1. The number of values :math:`s` is the smallest prime
        power above it and not below ``n_columns - 1``; for strength 1 it is ``theta + 1``.
    strength : int, optional
        The size :math:`t` of the itemsets, from 1 to ``n_columns``; by default half the columns,
        where their number is largest.

    Returns
    -------
    Table
        :math:`s^t` rows; columns ``c0``, ``c1``, ...; values 0 to :math:`s - 1`. It has
        :math:`s^t \binom{n}{t}` minimal infrequent itemsets at every threshold from 1 to
        :math:`s - 1`: :func:`mii_bound` for the default strength.

    Raises
    ------
    LimitError
        If the table would have more than 2**28 cells.

    References
    ----------
    K. Bush (1952), Orthogonal arrays of index unity, section 3. The thesis this family
    follows, chapter 3.

    Examples
    --------
    >>> import discreet as dc
    >>> table = worst_case_table(6, theta=1)
    >>> table.n_rows, dc.mine.count_minimal_infrequent(table, theta=1).total
    (125, 2500)
    """
    n_columns = checks.whole("n_columns", n_columns, at_least=1)
    theta = checks.whole("theta", theta, at_least=1)
    t = max(1, n_columns // 2)
    if strength is not None:
        t = checks.whole("strength", strength, at_least=1, at_most=n_columns)
    # With strength 1 a polynomial is a constant: any number of values will do.
    p, degree = (theta + 1, 1) if t == 1 else _prime_power(max(theta + 1, n_columns - 1))
    s = p**degree
    if s**t * n_columns > MAX_CELLS:
        raise LimitError(
            f"The worst case of {n_columns} columns at {{theta}} has {s}**{t} rows, more than "
            f"{MAX_CELLS:,} cells.",
            parameter="theta",
            remedy="Ask for fewer columns, a smaller theta or strength.",
            options={"theta": theta},
        )
    names = [f"c{x}" for x in range(n_columns)]
    coefficients = [np.arange(s**t) // s**i % s for i in range(t)]
    columns = dict.fromkeys(names, coefficients[-1])
    if t > 1:
        powers = _powers(p, degree)
        for x, name in enumerate(names[:-1]):
            times_x = _times(x, powers)
            for coefficient in reversed(coefficients[:-1]):  # Horner's rule
                columns[name] = _plus(times_x[columns[name]], coefficient, p, degree)
    values = range(s)
    return Table.from_codes(columns, dict.fromkeys(names, values))


def _prime_power(least: int) -> tuple[int, int]:
    """Return the prime and the exponent of the smallest prime power not below ``least``."""
    for s in count(max(2, least)):
        p = next((d for d in range(2, math.isqrt(s) + 1) if s % d == 0), s)
        degree = round(math.log(s, p))
        if p**degree == s:
            return p, degree
    raise AssertionError  # there is always a larger prime


def _powers(p: int, degree: int) -> list[int]:
    """Return the powers of a primitive element of the field of p**degree elements.

    The number of an element has the coefficients of its polynomial in alpha as digits to base
    p. The polynomial that alpha is a root of is found by trying: if the powers of alpha run
    through all elements but 0, it is primitive.
    """
    one = [1] + [0] * (degree - 1)
    # The constant term is not 0, so alpha has an inverse and its powers come back to 1.
    for tail in product(range(1, p), *[range(p)] * (degree - 1)):
        powers: list[int] = []
        digits = one
        while not powers or digits != one:
            powers.append(sum(digit * p**i for i, digit in enumerate(digits)))
            top = digits[-1]
            digits = [(a - top * b) % p for a, b in zip([0, *digits[:-1]], tail, strict=True)]
        if len(powers) == p**degree - 1:
            return powers
    raise AssertionError  # every finite field has a primitive element


def _times(x: int, powers: list[int]) -> NDArray[np.int64]:
    """Return x times every element of the field, in order."""
    out = np.zeros(len(powers) + 1, np.int64)
    if x:
        out[powers] = np.roll(powers, -powers.index(x))
    return out


def _plus(a: NDArray[np.int64], b: NDArray[np.int64], p: int, degree: int) -> NDArray[np.int64]:
    """Return sums in the field: digit by digit to base p, nothing carried."""
    out = np.zeros_like(a)
    for place in (p**i for i in range(degree)):
        out += (a // place + b // place) % p * place
    return out
