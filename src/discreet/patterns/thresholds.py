"""The two thresholds of publishing patterns: k rows to hide among, and a support not below it."""

from __future__ import annotations

import warnings

from discreet.errors import DiscreetWarning, ParameterError


def checked_k(k: int) -> int:
    """Return ``k``, a whole number of at least 2.

    Raises
    ------
    ParameterError
        If it is anything else.
    """
    if isinstance(k, bool) or int(k) != k or k < 2:
        raise ParameterError(f"k={k} must be a whole number of rows, at least 2.")
    return int(k)


def support_for_k(min_support: int, k: int) -> int:
    """Return the support, raised to ``k`` with a warning if it is less.

    An itemset of fewer than ``k`` rows is a group that is too small by itself.

    Examples
    --------
    >>> support_for_k(12, 10)
    12
    """
    if min_support >= k:
        return min_support
    warnings.warn(
        f"min_support={min_support} is below k={k}: itemsets of fewer than {k} rows cannot be "
        f"published, min_support={k} is used.",
        DiscreetWarning,
        stacklevel=3,
    )
    return k
