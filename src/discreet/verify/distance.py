"""How far one spread of values is from another: all in whole numbers, so that nothing is rounded.

Spreads are compared by the work of turning one into the other, the earth mover's distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.verify.stated import Span, Stated

Whole: TypeAlias = "NDArray[np.int64] | NDArray[np.object_]"
DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """A distance between spreads over some columns.

    Attributes
    ----------
    column_of : dict
        The column of each value.
    n_columns : int
        How many there are.
    work : callable
        From differences, spreads by columns, to work; divided by ``unit`` it is the distance
        if the differences are of shares.
    unit : int
        The work of moving everything as far as can be.
    """

    column_of: dict[object, int]
    n_columns: int
    work: Callable[[Whole], Whole]
    unit: int


def equal_distance(values: Iterable[object]) -> Distance:
    """Return the distance in which any two values are as far apart: half of all that differs.

    Examples
    --------
    >>> measure = equal_distance(["flu", "cold"])
    >>> int(measure.work(np.array([[3, -3]]))[0]), measure.unit
    (6, 2)
    """
    column_of = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return Distance(
        column_of=column_of,
        n_columns=len(column_of),
        work=lambda differences: np.abs(differences).sum(axis=1),
        unit=2,
    )


def ordered_distance(values: Iterable[object], order: Sequence[str] | None) -> Distance:
    """Return the distance of places in an order: what has to pass each gap between neighbours.

    Parameters
    ----------
    values : iterable
        All values that occur, None for an empty cell, which comes last.
    order : sequence of str, optional
        Their texts in order; by default they are sorted.

    Raises
    ------
    DataError
        If the order lacks a value, or values cannot be sorted.
    """
    known = [value for value in dict.fromkeys(values) if value is not None]
    if order is None:
        try:
            known.sort()
        except TypeError:
            raise DataError("values of different kinds have no order") from None
    else:
        place_of = {text: place for place, text in enumerate(order)}
        if not all(str(value) in place_of for value in known):
            raise DataError("the order that is stated lacks a value")
        known.sort(key=lambda value: place_of[str(value)])
    column_of: dict[object, int] = {value: place for place, value in enumerate(known)}
    if None in values:
        column_of[None] = len(known)
    return Distance(
        column_of=column_of,
        n_columns=len(column_of),
        work=lambda differences: np.abs(np.cumsum(differences, axis=1)).sum(axis=1),
        unit=max(len(column_of) - 1, 1),
    )


def hierarchical_distance(values: Iterable[object], tree: Stated) -> Distance:
    r"""Return the distance in which two values are as far apart as their group is high.

    .. math:: \text{work} = \sum_N \text{height}(N) \, \min(\text{pos}(N), \text{neg}(N))

    where the children of a group :math:`N` have together :math:`\text{pos}` too much and
    :math:`\text{neg}` too little.

    Raises
    ------
    DataError
        If a value is not in the hierarchy.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.2, as it is printed there.
    """
    column_of = {}
    for value in values:
        text = None if value is None else str(value)
        if text not in tree.place_of:
            raise DataError("the stated hierarchy lacks a value")
        column_of[value] = tree.place_of[text]
    heights = tree.heights
    children: dict[Span, list[Span]] = {}
    for span in heights:
        chain = tree.chains[span[0]]
        place = chain.index(span)
        if place + 1 < len(chain):
            children.setdefault(chain[place + 1], []).append(span)

    def work(differences: Whole) -> Whole:
        below = np.concatenate(
            [np.zeros_like(differences[:, :1]), np.cumsum(differences, axis=1)], axis=1
        )
        total = np.zeros_like(differences[:, 0])
        for group, parts in children.items():
            starts, stops = zip(*parts, strict=True)
            extra = below[:, stops] - below[:, starts]
            too_much = np.maximum(extra, 0).sum(axis=1)
            too_little = np.maximum(-extra, 0).sum(axis=1)
            total += heights[group] * np.minimum(too_much, too_little)
        return total

    return Distance(
        column_of=column_of,
        n_columns=len(tree.chains),
        work=work,
        unit=max(heights.values(), default=0) or 1,
    )
