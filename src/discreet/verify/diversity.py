"""l-diversity: in every class of equal rows a sensitive column has many values, well mixed."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from discreet.verify.certificate import show
from discreet.verify.class_counts import class_counts
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.class_counts import ClassCounts
    from discreet.verify.evidence import Evidence

NAME = "l-diversity"
ROUNDING = 1e-9  # of logarithms


def check_diversity(evidence: Evidence, columns: tuple[str, ...]) -> Check:
    r"""Return whether sensitive columns are l-diverse in every class.

    With the counts :math:`r_1 \ge \dots \ge r_m` of the values in a class of :math:`s` rows:
    *distinct*: :math:`m \ge l`; *entropy*: :math:`\ln s - \frac1s \sum_i r_i \ln r_i \ge \ln l`;
    *recursive*: :math:`r_1 < c \, (r_l + \dots + r_m)`, exactly.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameters ``l``, ``diversity`` and, if recursive, ``c``.
    columns : tuple of str
        The sensitive columns, all released.

    Returns
    -------
    Check
        The column, and a row of a class that is not diverse, are named.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity,
    definitions 4 and 5.
    """
    stated = evidence.claims.parameters
    low, kind, ratio = stated.get("l"), stated.get("diversity"), stated.get("c", 0)
    if (
        not isinstance(low, int | Fraction)
        or low < 1
        or kind not in ("distinct", "entropy", "recursive")
        or (kind == "recursive" and (not isinstance(ratio, int | Fraction) or ratio <= 0))
    ):
        detail = "The claim lacks l, a number from 1, the kind of diversity, or its c."
        return Check(name=NAME, passed=False, detail=detail)
    if kind != "entropy" and Fraction(low).denominator != 1:
        detail = f"l = {show(low)} is no whole number, which {kind} diversity needs."
        return Check(name=NAME, passed=False, detail=detail)
    assert isinstance(ratio, int | Fraction)
    for name in columns:
        found = class_counts(evidence.rows, evidence.claims.covered, name)
        if kind == "distinct":
            short = np.flatnonzero(np.bincount(found.classes) < int(low))
        elif kind == "entropy":
            short = _low_entropy(found, float(low))
        else:
            short = _dominated(found, int(low), Fraction(ratio))
        if len(short):
            classes = "1 class is" if len(short) == 1 else f"{len(short):,} classes are"
            detail = (
                f"In column '{name}' {classes} not {kind}ly {show(low)}-diverse, such as that of "
                f"row {found.first[short].min() + 1} of the data."
            ).replace("entropyly", "by entropy")
            return Check(name=NAME, passed=False, detail=detail)
    detail = f"In every class {', '.join(columns)}: {kind} l-diversity, l is {show(low)}."
    return Check(name=NAME, passed=True, detail=detail)


def _low_entropy(found: ClassCounts, low: float) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the classes whose entropy is below ln l."""
    sizes = found.sizes
    inside = np.zeros(len(sizes))
    np.add.at(inside, found.classes, found.counts * np.log(found.counts))
    return np.flatnonzero(np.log(sizes) - inside / sizes < math.log(low) - ROUNDING)


def _dominated(
    found: ClassCounts, low: int, ratio: Fraction
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the classes whose commonest value outweighs the l-th and rarer ones."""
    starts = np.searchsorted(found.classes, np.arange(len(found.first) + 1))
    wrong = []
    for place, (start, stop) in enumerate(pairwise(starts.tolist())):
        counts = sorted(found.counts[start:stop].tolist(), reverse=True)
        if not counts[0] < ratio * sum(counts[low - 1 :]):
            wrong.append(place)
    return np.array(wrong, np.intp)
