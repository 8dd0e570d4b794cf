"""Local suppression as sdcMicro's kAnon does it: own reference of the published algorithm.

sdcMicro is an R package and is not run here. Its documentation and Templ, Kowarik, Meindl (2015),
Statistical disclosure control for micro-data using the R package sdcMicro, say what it reaches: a
suppressed cell counts as agreeing with everything, and records that agree with fewer than k lose
one cell after the other. Which cell, and in which order, is not said there; that was read in the
package's source (R/localSuppression.R and src/calcSuppInds.cpp) and written anew. It does not
reproduce the loss stated for sdcMicro on Adult, and its time says nothing about sdcMicro's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from readings import SUPPRESSED, wildcard_matches

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray


def local_suppression(
    codes: NDArray[np.uint16], *, k: int, most_values_first: bool = True
) -> NDArray[np.bool_]:
    """Return which cells greedy local suppression suppresses.

    In rounds: every record that agrees with fewer than ``k``, the riskiest first, loses the cell
    in which it differs from a record nearest to it; of several such columns the one with
    the most values, which sdcMicro takes as the least important by default.

    Parameters
    ----------
    codes : array, rows by columns
        The table.
    k : int
        How many records must agree with each, itself included, suppressed cells with anything.
    most_values_first : bool
        Whether columns with many values are the first to lose cells, or the last.

    Returns
    -------
    array of bool, rows by columns
        The suppressed cells.
    """
    chosen = _at_most(k, codes)
    shown = np.asfortranarray(codes[chosen])
    n_values = [len(np.unique(column)) for column in codes.T]
    sign = -1 if most_values_first else 1
    by_importance = sorted(range(len(n_values)), key=lambda c: sign * n_values[c])
    matches = _frequencies(shown)
    while (matches < min(k, len(codes))).any():
        few = np.flatnonzero(matches < k)
        for record in few[np.argsort(matches[few], kind="stable")]:
            _hide_one(shown, record, by_importance)
        matches = _frequencies(shown)
    suppressed = np.zeros(codes.shape, bool)
    suppressed[chosen] = shown == SUPPRESSED
    return suppressed


def _at_most(k: int, codes: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return the first k rows of each class: more of the same neither need help nor give any."""
    class_of = equal_codes(list(codes.T), len(codes)).class_of
    order = np.argsort(class_of, kind="stable")
    starts = np.searchsorted(class_of[order], np.arange(class_of.max() + 1))
    nth = np.arange(len(codes)) - starts[class_of[order]]
    return np.sort(order[nth < k])


def _frequencies(shown: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return how many records agree with each, itself included."""
    classes = equal_codes(list(shown.T), len(shown))
    return wildcard_matches(shown[classes.first], shown)[classes.class_of]


def _hide_one(shown: NDArray[np.uint16], record: int, by_importance: list[int]) -> None:
    """Suppress the cell that keeps a record from agreeing with one nearest to it."""
    row = shown[record].copy()
    differs = {
        c: (shown[:, c] != row[c]) & (shown[:, c] != SUPPRESSED)
        for c in by_importance
        if row[c] != SUPPRESSED
    }
    distance = np.zeros(len(shown), np.uint8)
    for different in differs.values():
        distance += different
    nearest = distance == distance[distance > 0].min(initial=len(row))
    for c, different in differs.items():
        if (different & nearest).any():
            shown[record, c] = SUPPRESSED
            return
