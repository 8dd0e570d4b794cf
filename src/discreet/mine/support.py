"""One threshold from the two ways of giving it: a count or a share."""

from __future__ import annotations

import math
from fractions import Fraction

from discreet.errors import ParameterError


def least_support(min_support: int | None, min_frequency: float | None, *, n_rows: int) -> int:
    """Return the least support in rows, given as rows or as a share of them.

    A share is read as the decimal it prints as: 0.07 of 100 rows is 7, where binary rounding
    would make it 8.

    Examples
    --------
    >>> least_support(None, 0.07, n_rows=100)
    7
    >>> least_support(7, None, n_rows=5)
    7
    """
    if (min_support is None) == (min_frequency is None):
        raise ParameterError("Give exactly one of min_support (rows) and min_frequency (share).")
    if min_support is not None:
        if isinstance(min_support, bool) or int(min_support) != min_support or min_support < 1:
            raise ParameterError(
                f"min_support={min_support} must be a whole number of rows, at least 1; "
                "for a share of the rows use min_frequency."
            )
        return int(min_support)
    assert min_frequency is not None
    if not 0 < min_frequency <= 1:
        raise ParameterError(
            f"min_frequency={min_frequency} must be above 0 and at most 1; "
            "for a number of rows use min_support."
        )
    return max(1, math.ceil(Fraction(str(min_frequency)) * n_rows))
