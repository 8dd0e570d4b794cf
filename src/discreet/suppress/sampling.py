"""What sampling before suppression is worth: its exact (epsilon, delta), and back.

Take every row with probability beta, map rows by a rule that does not look at them, drop
classes of fewer than k equal rows, shuffle. Adding one person changes the size of one class
only, so everything follows from two binomial distributions next to each other.
"""

from __future__ import annotations

import math
import warnings
from decimal import Decimal
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, WeakGuaranteeWarning
from discreet.suppress.binomial import (
    SLACK,
    above,
    at_most,
    last_below,
    many_digits,
    point,
    round_up,
    to_decimal,
)

if TYPE_CHECKING:
    from fractions import Fraction

GRID = 2**53  # calibrated rates are whole multiples of 1 / GRID: floats and exact thresholds
TINY = 5e-324
LARGEST_EPSILON = 10_000.0


def sampling_delta(k: int, *, beta: float | Fraction, epsilon: float | Fraction) -> float:
    r"""Return the smallest delta for which sampling and k-suppression are differentially private.

    .. math:: \delta = \max_n \max \Big\{
        \sum_j [P_{n+1}(j) - e^\varepsilon P_n(j)]_+, \;
        \sum_j [P_n(j) - e^\varepsilon P_{n+1}(j)]_+ \Big\}

    where :math:`P_n` is the law of :math:`\mathrm{Bin}(n, \beta)` with every value below
    :math:`k` turned into 0: what is seen of a class of :math:`n` equal rows.

    Parameters
    ----------
    k : int
        Least size of a class that is published, at least 1.
    beta : float or Fraction
        Rate at which rows are sampled, independently of each other, from 0 to 1.
    epsilon : float or Fraction
        At least 0.

    Returns
    -------
    float
        Delta, rounded up.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.

    Notes
    -----
    **Guarantee.** (epsilon, delta)-differential privacy of one row, adding or removing it, and
    no smaller delta holds. It assumes Bernoulli sampling, a row map that does not depend on the
    table, classes by equality, output as a multiset (shuffled, without an index). A sample of
    fixed size, or output in the order of the input, has a delta of about beta or more.

    No scan over n: the maximum is at a known n. Write :math:`b_n` for the probabilities of
    :math:`\mathrm{Bin}(n, \beta)` and :math:`\gamma = 1 - (1 - \beta) e^{-\varepsilon}`.
    While :math:`\gamma (n + 1) < k`, the first sum is

    .. math:: A_n = \mathrm{P}[\mathrm{Bin}(n+1, \beta) \ge k]
        - e^\varepsilon \mathrm{P}[\mathrm{Bin}(n, \beta) \ge k]
        = \beta b_n(k-1) - (e^\varepsilon - 1) \mathrm{P}[\mathrm{Bin}(n, \beta) \ge k],

    and :math:`A_n - A_{n-1} = \beta (b_n(k-1) - e^\varepsilon b_{n-1}(k-1))` is positive
    exactly when :math:`n \gamma < k - 1`. Later the suppression no longer changes the sum,
    and without suppression it cannot grow with :math:`n`, because one more independent row is
    post-processing. So the maximum is at the last :math:`n` with :math:`n \gamma < k - 1`, or
    at :math:`k - 1`. The second sum is the same with
    :math:`\gamma' = 1 - (1 - \beta) e^\varepsilon`, and 0 if that is not positive. At either
    maximum the derivative by :math:`\beta` is positive, so delta grows with beta; it falls
    with k and with epsilon. Time O(k) in decimal arithmetic of 60 digits; ``docs/guarantees``
    has the proof in full.

    References
    ----------
    N. Li, W. Qardaji, D. Su (2012), On sampling, anonymization, and differential privacy,
    theorem 1, whose bound is :func:`li_bound`.

    Examples
    --------
    >>> sampling_delta(5, beta=0.034, epsilon=0.1)
    0.00017407888364618333
    >>> li_bound(5, beta=0.034, epsilon=0.1)
    0.009988898781688783
    """
    k = _checked(k, beta, epsilon)
    if beta in {0, 1}:
        return float(beta)
    epsilon = min(epsilon, LARGEST_EPSILON)  # the weaker claim; long before, delta is beta**k
    with many_digits(beta, epsilon):
        rate, growth = to_decimal(beta), to_decimal(epsilon).exp()
        added = _by_adding(k, rate, growth)
        removed = _by_removing(k, rate, growth)
        return min(1.0, round_up(max(added, removed)))


def li_bound(k: int, *, beta: float | Fraction, epsilon: float | Fraction) -> float:
    r"""Return the bound d(k, beta, epsilon) of Li et al. on the delta of sampling.

    .. math:: d = \max_{n \ge \lceil k / \gamma - 1 \rceil}
        \mathrm{P}[\mathrm{Bin}(n, \beta) > \gamma n],
        \quad \gamma = 1 - (1 - \beta) e^{-\varepsilon}

    Parameters
    ----------
    k : int
        Least size of a class that is published, at least 1.
    beta : float or Fraction
        Rate at which rows are sampled, from 0 to 1 - exp(-epsilon).
    epsilon : float or Fraction
        At least 0.

    Returns
    -------
    float
        The bound, rounded up. For comparison: :func:`sampling_delta` is exact and far smaller.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or beta is too large for the bound to hold.

    Notes
    -----
    Only the last :math:`n` before :math:`\gamma n` reaches a whole number :math:`m` can be the
    maximum, as the tail from :math:`m` grows with :math:`n`: :math:`m = k, k + 1, \dots` The
    scan stops when :math:`\exp(-n \, \mathrm{KL}(\gamma \| \beta))`, the Chernoff bound on this
    and every later tail, is not above the largest tail found. The bound is not monotone in
    beta.

    References
    ----------
    N. Li, W. Qardaji, D. Su (2012), On sampling, anonymization, and differential privacy,
    theorem 1.

    Examples
    --------
    >>> li_bound(10, beta=0.041, epsilon=0.1)
    0.0009699470308858294
    """
    k = _checked(k, beta, epsilon)
    if beta == 0:
        return 0.0
    with many_digits(beta, epsilon):
        rate, growth = to_decimal(beta), to_decimal(epsilon).exp()
        keep = (1 - rate) / growth
        if (1 - rate) * growth < 1:
            largest = math.nextafter(float(1 - 1 / growth), 0)
            raise ParameterError(
                f"beta={beta} is too large for the bound of Li et al. at epsilon={epsilon}: "
                f"it holds up to {largest}. sampling_delta holds for every beta."
            )
        gamma = 1 - keep
        divergence = gamma * (gamma / rate).ln() - keep * to_decimal(epsilon)
        largest_tail = Decimal(TINY)
        m = k
        while True:
            n = last_below(m / gamma)
            if n >= m:
                at_m = point(n, m, rate)
                more, rest = above(n, m, rate, at_m)
                largest_tail = max(largest_tail, (at_m + more + rest) * (1 + SLACK))
            if (-n * divergence).exp() <= largest_tail:
                return min(1.0, round_up(largest_tail))
            m += 1


def calibrate(
    epsilon: float | Fraction, *, delta: float | Fraction, k: int, n_rows: int | None = None
) -> float:
    """Return the largest sampling rate whose exact delta is within the one given.

    Parameters
    ----------
    epsilon : float or Fraction
        At least 0.
    delta : float or Fraction
        Above 0 and below 1; well below one over the number of rows to mean anything.
    k : int
        Least size of a class that is published, at least 1.
    n_rows : int, optional
        Number of rows of the table, if it is public: to be warned of a delta that is too large.

    Returns
    -------
    float
        The rate beta, a multiple of 2**-53, rounded down: ``sampling_delta(k, beta=beta,
        epsilon=epsilon) <= delta`` has been evaluated at the very value returned.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or no rate of at least 2**-53 reaches delta.

    Warns
    -----
    WeakGuaranteeWarning
        If ``delta`` is at least ``1 / n_rows``: publishing a few rows as they are would do.

    Notes
    -----
    Delta grows with beta (see :func:`sampling_delta`), so 53 halvings find the rate.

    Examples
    --------
    >>> rate = calibrate(1.0, delta=1e-6, k=20)
    >>> round(rate, 4)
    0.35
    >>> sampling_delta(20, beta=rate, epsilon=1.0) <= 1e-6
    True
    """
    k = _checked(k, 0, epsilon)
    if not 0 < delta < 1:
        raise ParameterError(f"delta={delta} must be above 0 and below 1.")
    if n_rows is not None and delta * n_rows >= 1:
        warnings.warn(
            f"delta={delta} is at least one over the {n_rows:,} rows: publishing some rows as "
            "they are would satisfy it. Choose a delta well below.",
            WeakGuaranteeWarning,
            stacklevel=2,
        )
    within, beyond = 0, GRID
    while beyond - within > 1:
        middle = (within + beyond) // 2
        if sampling_delta(k, beta=middle / GRID, epsilon=epsilon) <= delta:
            within = middle
        else:
            beyond = middle
    if within == 0:
        raise ParameterError(
            f"delta={delta} is too small: at k={k} and epsilon={epsilon} no sampling rate "
            "above 2**-53 reaches it. Raise delta, k or epsilon."
        )
    return within / GRID


def _by_adding(k: int, rate: Decimal, growth: Decimal) -> Decimal:
    """Return the largest sum of [P_{n+1} - e^epsilon P_n]_+ over n, rounded up."""
    gamma = 1 - (1 - rate) / growth
    n = max(k - 1, last_below((k - 1) / gamma))
    below_k = point(n, k - 1, rate)
    # What is left out of the tail makes the result larger: the weaker claim.
    tail, _ = above(n, k - 1, rate, below_k)
    return rate * below_k * (1 + SLACK) - (growth - 1) * tail


def _by_removing(k: int, rate: Decimal, growth: Decimal) -> Decimal:
    """Return the largest sum of [P_n - e^epsilon P_{n+1}]_+ over n, rounded up, or 0."""
    gamma = 1 - (1 - rate) * growth
    if gamma <= 0:
        return Decimal(0)
    n = max(k - 1, last_below((k - 1) / gamma))
    below_k = point(n, k - 1, rate)
    suppressed = at_most(n, k - 1, rate, below_k)
    return growth * rate * below_k * (1 + SLACK) - (growth - 1) * suppressed


def _checked(k: int, beta: float | Fraction, epsilon: float | Fraction) -> int:
    if isinstance(k, bool) or k != int(k) or k < 1:
        raise ParameterError(f"k={k} must be a whole number of rows, at least 1.")
    if not 0 <= beta <= 1:
        raise ParameterError(f"beta={beta} must be a sampling rate from 0 to 1.")
    if not 0 <= epsilon < math.inf:
        raise ParameterError(f"epsilon={epsilon} must be a finite number, at least 0.")
    return int(k)
