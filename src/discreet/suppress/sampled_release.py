"""Split, learn, suppress, sample, drop small classes: the mechanism with its draws from outside.

Everything random comes from ``noise``, so that an audit can put every possible draw in its
place and add up the exact distribution of what is released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.suppress.k_suppress import k_suppress

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.noise import Noise
    from discreet.suppress.schemes import Scheme


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReleasedRows:
    """Rows as they are published, and in memory where they came from."""

    rows: NDArray[np.int64]
    input_rows: NDArray[np.int64]


def sampled_release(
    codes: NDArray[np.int64],
    *,
    hidden: NDArray[np.int64],
    scheme: Scheme,
    beta: Fraction,
    k: int,
    noise: Noise,
) -> ReleasedRows:
    """Return the rows that a scheme, Bernoulli sampling and k-suppression leave.

    Parameters
    ----------
    codes : array of int, rows by columns
        The protected table.
    hidden : array of int
        The code of a suppressed cell, for each column.
    scheme : Scheme
        Which cells are suppressed; at most it sees the rows that train it.
    beta : Fraction
        Rate at which the rows that do not train are sampled.
    k : int
        Least number of equal rows that are released.
    noise : Noise
        Where all draws come from: who trains, the scheme's noise, who is sampled.

    Returns
    -------
    ReleasedRows
        Sorted by their values.

    Notes
    -----
    Draws are made for every row, whether it trains or not: their number tells nothing.
    """
    trains = np.zeros(len(codes), np.bool_)
    if scheme.split_rate is not None:
        trains = noise.bernoulli(scheme.split_rate, len(codes))
    marks_of = scheme.learn(np.flatnonzero(trains), noise)
    sampled = np.flatnonzero(noise.bernoulli(beta, len(codes)) & ~trains)
    rows = np.where(marks_of(sampled), hidden, codes[sampled])
    kept = k_suppress(rows, k=k)
    return ReleasedRows(rows=rows[kept], input_rows=sampled[kept])
