"""The delta of sampling and k-suppression, by its definition: a maximum over class sizes.

This is a second computation of it. The mechanism has a closed form for where the maximum is,
in decimal arithmetic; here all class sizes are looked at, in floating point, until a bound that
needs no closed form says that no larger class can matter.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

MOST_CLASSES = 1 << 20
ACCURACY = 1e-10
_LARGEST_EPSILON = 700.0  # its exponential is a float; a larger epsilon has a smaller delta


@dataclass(frozen=True, slots=True)
class _Laws:
    """Sums over the laws of Bin(n, beta) and Bin(n + 1, beta), for many n at once."""

    beta: float
    epsilon: float
    pmf: Callable[..., NDArray[np.float64]]
    cdf: Callable[..., NDArray[np.float64]]
    sf: Callable[..., NDArray[np.float64]]

    def adding(self, n: NDArray[np.int64], least: int) -> NDArray[np.float64]:
        """Return the sum of [b_{n+1}(j) - e^epsilon b_n(j)]_+ over j >= least.

        b_{n+1}(j) / b_n(j) = (1 - beta)(n + 1) / (n + 1 - j) grows with j, so the positive
        terms are those from some m on. By Pascal's rule the upper tail from m grows by
        beta b_n(m - 1) with one more row.
        """
        # Told by n + 1 - j, which is exact however large epsilon is; j = n + 1 always counts.
        left_out = np.ceil((1 - self.beta) * math.exp(-self.epsilon) * (n + 1)) - 1
        m = np.maximum(least, n + 1 - np.maximum(left_out, 0).astype(np.int64))
        gained = self.beta * self.pmf(m - 1, n, self.beta)
        found = gained - math.expm1(self.epsilon) * self.sf(m - 1, n, self.beta)
        return np.maximum(found, 0.0)

    def removing(self, n: NDArray[np.int64], least: int) -> NDArray[np.float64]:
        """Return the sum of [b_n(j) - e^epsilon b_{n+1}(j)]_+, all j < least being one outcome.

        Now the positive terms are those below some m; if it is below ``least``, the one
        outcome of all j < least is what may be positive.
        """
        gamma = max(0.0, self.beta * math.exp(self.epsilon) - math.expm1(self.epsilon))
        m = np.maximum(least, np.ceil(gamma * (n + 1)).astype(np.int64))
        lost = math.exp(self.epsilon) * self.beta * self.pmf(m - 1, n, self.beta)
        found = lost - math.expm1(self.epsilon) * self.cdf(m - 1, n, self.beta)
        return np.maximum(found, 0.0)


def sampling_delta(k: int, *, beta: Fraction, epsilon: Fraction) -> float:
    r"""Return the delta of Bernoulli sampling followed by suppression of classes below k.

    .. math:: \delta = \max_n \max \Big\{
        \sum_j [P_{n+1}(j) - e^\varepsilon P_n(j)]_+, \;
        \sum_j [P_n(j) - e^\varepsilon P_{n+1}(j)]_+ \Big\}

    where :math:`P_n` is the law of :math:`\mathrm{Bin}(n, \beta)` with every value below
    :math:`k` turned into 0.

    Parameters
    ----------
    k : int
        Least size of a class that is published, at least 1.
    beta : Fraction
        The sampling rate, from 0 to 1.
    epsilon : Fraction
        At least 0.

    Returns
    -------
    float
        Delta, with a relative error below 1e-9 (for deltas above 1e-250).

    Raises
    ------
    LimitError
        If more than 2**20 class sizes would have to be looked at.

    Notes
    -----
    The scan begins at :math:`n = k - 1`: before, both laws are certain to be 0. It stops by
    two facts. Turning small values into 0 is post-processing, so the distance of
    :math:`P_n` and :math:`P_{n+1}` is at most that of the two binomial laws. Adding one more
    independent row to both of these is post-processing too, so their distance does not grow
    with :math:`n`. Once it is at most the largest value found (up to 1e-10 of it), no later
    :math:`n` can be larger. Rounding: the two terms of each sum cancel by a factor of about
    :math:`2 \ln(1 / \delta)` at most, and each has the accuracy of scipy's binomial, about
    1e-13.

    Examples
    --------
    >>> from fractions import Fraction
    >>> round(sampling_delta(5, beta=Fraction("0.034"), epsilon=Fraction("0.1")), 12)
    0.000174078884
    """
    from scipy.stats import binom  # type: ignore[import-untyped]

    laws = _Laws(
        beta=float(beta),
        epsilon=min(float(epsilon), _LARGEST_EPSILON),
        pmf=binom.pmf,
        cdf=binom.cdf,
        sf=binom.sf,
    )
    best, first, n_next = 0.0, k - 1, 64
    while first < k - 1 + MOST_CLASSES:
        n = np.arange(first, first + n_next)
        both = np.maximum(laws.adding(n, k), laws.removing(n, k))
        best = max(best, float(both.max()))
        # The same without suppression: all outcomes apart.
        bound = max(float(laws.adding(n[-1:], 0)[0]), float(laws.removing(n[-1:], 0)[0]))
        if bound <= best * (1 + ACCURACY):
            return min(best, 1.0)
        first, n_next = first + n_next, min(2 * n_next, 1 << 16)
    raise LimitError(
        f"delta at k = {k}, beta = {float(beta):.3g} and epsilon = {float(epsilon):.3g} needs "
        f"more than {MOST_CLASSES:,} class sizes to be looked at."
    )
