"""Strict Mondrian: own reference of LeFevre, DeWitt, Ramakrishnan (2006), in anonypy's variant.

anonypy 0.2.1 needs minutes for small k, so this follows its rules on codes: the column
with the widest span for its size is halved as long as both halves have k rows, numbers at their
median, other values by the order in which they appear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def mondrian_classes(
    columns: Sequence[NDArray[np.int64]], is_number: Sequence[bool], *, k: int
) -> NDArray[np.int64]:
    """Return the class of each row.

    Parameters
    ----------
    columns : sequence of array
        Numbers as they are, other values as codes.
    is_number : sequence of bool
        Which columns are numbers.
    k : int
        Least size of a class, at least 1; fewer rows than that are one class.

    Returns
    -------
    array of int64
        Classes are numbered from 0.
    """
    n_rows = len(columns[0])
    whole = np.arange(n_rows)
    pairs = list(zip(columns, is_number, strict=True))
    scales = [max(_span(column, number), 1e-12) for column, number in pairs]
    class_of = np.empty(n_rows, np.int64)
    n_classes, waiting = 0, [whole]
    while waiting:
        rows = waiting.pop()
        spans = [_span(c[rows], number) / s for (c, number), s in zip(pairs, scales, strict=True)]
        for place in np.argsort(np.negative(spans), kind="stable"):
            column, number = pairs[place]
            left = _left(column[rows], number)
            if k <= np.count_nonzero(left) <= len(rows) - k:
                waiting += [rows[left], rows[~left]]
                break
        else:
            class_of[rows] = n_classes
            n_classes += 1
    return class_of


def _span(values: NDArray[np.int64], is_number: bool) -> float:  # noqa: FBT001  a pair's second
    return float(np.ptp(values)) if is_number else float(len(np.unique(values)))


def _left(values: NDArray[np.int64], is_number: bool) -> NDArray[np.bool_]:  # noqa: FBT001
    """Return which rows go to the first half."""
    if is_number:
        return values < np.median(values)
    found, first = np.unique(values, return_index=True)
    in_order = found[np.argsort(first)]
    return np.isin(values, in_order[: len(in_order) // 2])
