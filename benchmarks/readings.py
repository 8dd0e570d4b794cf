"""What a suppressed table still shows, under both readings of a suppressed cell.

Read as a value of its own, a suppressed cell forms classes with other suppressed cells. Read as a
wildcard, as sdcMicro does, it agrees with everything. And whatever the reading of the release:
how many rows of the original have what is visible of a record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

SUPPRESSED = 65_535  # no column here has so many values


@dataclass(frozen=True, kw_only=True)
class Readings:
    """How many records are below k, by each reading; shares are of the released records."""

    smallest_class: int
    small_class_rate: float
    rare_rate: float  # fewer than k rows of the original have all that is visible
    fewest_matches: int
    few_matches_rate: float  # fewer than k released records agree, suppressed cells with anything


def read_both_ways(
    codes: NDArray[np.uint16], rows: NDArray[np.int64], suppressed: NDArray[np.bool_], *, k: int
) -> Readings:
    """Return both readings of a release.

    Parameters
    ----------
    codes : array, rows of the original by columns
        The original.
    rows : array
        The row of the original that each released record came from.
    suppressed : array, released records by columns
        Which cells are not shown.
    k : int
        What counts as few.

    Returns
    -------
    Readings
        Without any record, zeros.
    """
    shown = np.where(suppressed, np.uint16(SUPPRESSED), codes[rows])
    classes = equal_codes(list(shown.T), len(shown))
    patterns, sizes = shown[classes.first], classes.sizes
    if not len(sizes):
        return Readings(
            smallest_class=0, small_class_rate=0, rare_rate=0, fewest_matches=0, few_matches_rate=0
        )
    matches = wildcard_matches(patterns, shown)

    def share(is_few: NDArray[np.bool_]) -> float:
        return float(sizes[is_few].sum() / len(shown))

    return Readings(
        smallest_class=int(sizes.min()),
        small_class_rate=share(sizes < k),
        rare_rate=share(supports(patterns, codes) < k),
        fewest_matches=int(matches.min()),
        few_matches_rate=share(matches < k),
    )


def supports(patterns: NDArray[np.uint16], codes: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return how many rows have the visible cells of each pattern."""
    found = np.full(len(patterns), len(codes))
    masks, which = np.unique(patterns == SUPPRESSED, axis=0, return_inverse=True)
    for place, mask in enumerate(masks):
        visible = np.flatnonzero(~mask)
        if not len(visible):
            continue  # every row has nothing
        mine = np.flatnonzero(which == place)
        stacked = [np.concatenate([codes[:, c], patterns[mine, c]]) for c in visible]
        joint = equal_codes(stacked, len(codes) + len(mine)).class_of
        counts = np.bincount(joint[: len(codes)], minlength=joint.max() + 1)
        found[mine] = counts[joint[len(codes) :]]
    return found


def wildcard_matches(patterns: NDArray[np.uint16], shown: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Return how many records agree with each pattern, suppressed cells with anything."""
    codes, bits = [], []  # for each column and value, the records that agree, one bit each
    for column, wanted in zip(shown.T, patterns.T, strict=True):
        values = np.unique(column)
        agree = (column == values[:, None]) | (column == SUPPRESSED)
        agree[values == SUPPRESSED] = True
        codes.append(np.searchsorted(values, wanted))
        bits.append(np.packbits(agree, axis=1))
    found = np.empty(len(patterns), np.int64)
    for place, pattern in enumerate(np.transpose(codes)):
        together = np.bitwise_and.reduce([b[c] for b, c in zip(bits, pattern, strict=True)])
        found[place] = np.bitwise_count(together).sum(dtype=np.int64)
    return found
