"""Which pairs of columns are worth measuring: dependence against noise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.synthesize.marginal_budget import POWERS, marginal_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.synthesize.spending import Law

MOST_CHANGE = 4  # of a dependence, by one row
SHRUNK = 0.4  # share of the noise that is left when marginals are made to agree


def pair_dependence(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    r"""Return how far a pair of columns is from independent, in rows, rounded down.

    .. math:: \left\lfloor \sum_{a,b} \left| n_{ab} - \frac{n_a n_b}{n} \right| \right\rfloor

    One row more or less changes it by at most 4: the pair's own count by 1, the products by less
    than 3 in all; and rounding down keeps whole bounds.

    Parameters
    ----------
    first, second : array of int64
        The codes of the columns.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn: differentially private data synthesis, lemma 2.

    Examples
    --------
    >>> pair_dependence(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    4
    """
    n = len(first)
    if n == 0:
        return 0
    width = int(second.max()) + 1
    pairs = np.bincount(first * width + second, minlength=(int(first.max()) + 1) * width)
    table = pairs.reshape(-1, width).astype(object if n > 2**30 else np.int64)
    products = np.outer(table.sum(1), table.sum(0))
    return int(np.abs(n * table - products).sum()) // n


def choose_pairs(
    dependences: Sequence[int], n_cells: Sequence[int], *, law: Law, unit: float
) -> list[int]:
    r"""Return the places of the pairs to measure, most dependent for their size first.

    With the budget shared as by :func:`~discreet.synthesize.marginal_budget.marginal_weights` the
    noise of all chosen pairs together is

    .. math:: u \Bigl(\sum_{i \text{ chosen}} w_i\Bigr)^{p}, \qquad
        p = \tfrac32 \text{ (Gaussian) or } 2 \text{ (Laplace)}

    and a pair that is not chosen is off by its dependence. Pairs are taken in the order of
    dependence by weight as long as the sum of both falls.

    Parameters
    ----------
    dependences : sequence of int
        Of each pair, noisy: see :func:`pair_dependence`.
    n_cells : sequence of int
        Number of cells of each pair's table.
    law : {"gaussian", "laplace"}
        Of the noise.
    unit : float
        The mean size of noise, in rows, of a pair of weight 1 that gets the whole budget.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn, algorithm 1, where each step tries every pair.

    Examples
    --------
    >>> choose_pairs([500, 3, 90], [4, 4, 40], law="gaussian", unit=1.0)
    [0, 2]
    """
    weights = marginal_weights(n_cells, law)
    gains = np.maximum(np.asarray(dependences, float), 0)
    order = np.argsort(-gains / weights, kind="stable")
    power = 1 / POWERS[law]
    noise = SHRUNK * unit * np.cumsum(weights[order]) ** power
    errors = (
        np.concatenate([[0.0], noise])
        + gains.sum()
        - np.concatenate([[0.0], np.cumsum(gains[order])])
    )
    return [int(place) for place in order[: int(np.argmin(errors))]]
