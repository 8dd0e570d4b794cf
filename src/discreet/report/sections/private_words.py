"""Differential privacy in plain words: what epsilon and delta mean to one person.

A guarantee bounds chances for each person taken alone, and delta is added to these chances. It is
called a small difference only where both numbers are small.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.release.exact import shown
from discreet.release.guarantee import ADD_REMOVE
from discreet.synthesize.claims import ANY_ROWS

if TYPE_CHECKING:
    from discreet.release.guarantee import Guarantee

_SMALL = 1  # no chance is more than 2.72 times another
_HOPELESS = 10  # more than 20,000 times as likely
_FEWEST_ROWS = 1000  # a delta of one in a thousand is not small, however few rows there are


def private_words(claim: Guarantee, n_rows: int | None = None) -> str:
    """Return what differential privacy means to somebody who may be in the data.

    Parameters
    ----------
    claim : Guarantee
        With an epsilon, and perhaps a delta.
    n_rows : int, optional
        Rows released, which delta is compared with. A delta is not called small without it.

    Returns
    -------
    str
        A few sentences. Numbers are rounded up: the page never claims more than is true.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> claim = Guarantee(
    ...     model="(epsilon, delta)-differential privacy", unit="one row", neighbours=ADD_REMOVE,
    ...     parameters={"epsilon": 3, "delta": Fraction(1, 10**6)}, not_protected=("Much.",))
    >>> print(private_words(claim, 500))
    For each person taken alone: the chance of anything that this release may show is at most
    20.09 times what it would be if the row of that person had been left out, plus 0.000001, and
    the other way round. What it tells about people in general is told of you, too.
    """
    epsilon = Fraction(claim.parameters["epsilon"])
    delta = Fraction(claim.parameters.get("delta", 0))
    if epsilon > _HOPELESS:
        return (
            f"An epsilon of {shown('epsilon', epsilon)} protects next to nobody: what this release "
            "shows may be almost entirely due to one person. Only the words are those of "
            "differential privacy."
        )
    factor = math.ceil(math.exp(epsilon) * 100) / 100
    plus = f", plus {shown('delta', delta)}" if delta else ""
    if claim.neighbours == ADD_REMOVE:
        small = epsilon <= _SMALL and _is_small(delta, n_rows)
        text = "It makes little difference whether you are in the data. " if small else ""
        text += (
            "For each person taken alone: the chance of anything that this release may show is at "
            f"most {factor:,.2f} times what it would be if the row of that person had been left "
            f"out{plus}, and the other way round."
        )
    else:
        text = (
            f"Compare {claim.neighbours}: the chance of anything that this release may show is at "
            f"most {factor:,.2f} times as large with one as with the other{plus}."
        )
    text += _large_delta(delta, n_rows)
    return f"{text} What it tells about people in general is told of you, too."


def local_words(claim: Guarantee) -> str:
    """Return what local differential privacy means to somebody who sent a report or a row.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> print(local_words(Guarantee(
    ...     model="local differential privacy", parameters={"epsilon": 3}, unit="one transaction",
    ...     neighbours="any two transactions", not_protected=("Much.",))))
    Nobody had to be trusted with what people have: each report was changed at random before it
    was seen. Compare any two transactions: one makes what was sent at most 20.1 times as likely
    as the other, so the odds of a guess between the two can rise by that factor.
    """
    epsilon = Fraction(claim.parameters["epsilon"])
    if epsilon > _HOPELESS:
        return (
            f"An epsilon of {shown('epsilon', epsilon)} protects next to nobody: some reports all "
            "but prove what was in them. Only the words are those of differential privacy."
        )
    factor = math.ceil(math.exp(epsilon) * 10) / 10
    guess = "the odds of a guess between the two can rise by that factor"
    if claim.neighbours == ANY_ROWS:
        so = "nothing that is shown proves what a person's row held" if epsilon <= _SMALL else guess
        return (
            "Every cell of every row was changed at random before anything was learnt from it. "
            f"Compare {ANY_ROWS}: one makes what was learnt at most {factor:,.1f} times as likely "
            f"as the other, so {so}."
        )
    so = "a report never proves what somebody has" if epsilon <= _SMALL else guess
    return (
        "Nobody had to be trusted with what people have: each report was changed at random "
        f"before it was seen. Compare {claim.neighbours}: one makes what was sent at most "
        f"{factor:,.1f} times as likely as the other, so {so}."
    )


def _is_small(delta: Fraction, n_rows: int | None) -> bool:
    """Say whether a delta is below one over the rows, and below one in a thousand."""
    if not delta:
        return True
    return n_rows is not None and delta * max(n_rows, _FEWEST_ROWS) < 1


def _large_delta(delta: Fraction, n_rows: int | None) -> str:
    """Return what a delta of at least one over the rows allows; nothing if it is below."""
    if not n_rows or delta * n_rows < 1:
        return ""
    return (
        f" A delta of {shown('delta', delta)} is too large for {n_rows:,} rows: publishing some "
        "rows of the original as they are, each with that chance, would satisfy it."
    )
