"""The privacy that sampling before suppression adds: its exact (epsilon, delta), and back.

Take every row with probability beta, map rows by a rule that does not look at them, drop
classes of fewer than k rows, shuffle. Adding one person changes the size of one class
only, so everything follows from two binomial distributions next to each other.
"""

from __future__ import annotations

import decimal
import math
import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from discreet import checks
from discreet.errors import ParameterError, WeakGuaranteeWarning

if TYPE_CHECKING:
    from collections.abc import Iterator


GRID = 2**53  # calibrated rates are whole multiples of 1 / GRID: floats and exact thresholds

TINY = 5e-324

LARGEST_EPSILON = Fraction(10_000)


def sampling_delta(k: int, *, beta: float | Fraction, epsilon: float | Fraction) -> float:
    r"""Return the smallest delta for which sampling and k-suppression are differentially private.

    .. math:: \delta = \max_n \max \Big\{
        \sum_j [P_{n+1}(j) - e^\varepsilon P_n(j)]_+, \;
        \sum_j [P_n(j) - e^\varepsilon P_{n+1}(j)]_+ \Big\}

    where :math:`P_n` is the law of :math:`\mathrm{Bin}(n, \beta)` with every value below
    :math:`k` turned into 0: what is seen of a class of :math:`n` rows.

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
    0.0001740788836461833
    >>> li_bound(5, beta=0.034, epsilon=0.1)
    0.00998889878168878
    """
    k, beta, epsilon = _checked(k, beta, epsilon)
    if beta in {0, 1}:
        # Without a row nothing is released, with all rows nothing is random: delta is 0 or 1
        # exactly.
        return float(beta)
    epsilon = min(epsilon, LARGEST_EPSILON)  # the weaker claim; long before, delta is beta**k
    with many_digits(beta, epsilon):
        rate, growth = to_decimal(beta), to_decimal(epsilon).exp()
        added = _by_adding(k, rate, growth)
        removed = _by_removing(k, rate, growth)
        # The larger of both directions, as neighbours are tables that gain a row and tables that
        # lose one; rounded up, so that no float claims less than the exact number.
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
    0.000969947030885829
    """
    k, beta, epsilon = _checked(k, beta, epsilon)
    if beta == 0:
        return 0.0
    with many_digits(beta, epsilon):
        rate, growth = to_decimal(beta), to_decimal(epsilon).exp()
        keep = (1 - rate) / growth
        if (1 - rate) * growth < 1:
            largest = math.nextafter(float(1 - 1 / growth), 0)
            raise ParameterError(
                f"{{beta}} is too large for the bound of Li et al. at {{epsilon}}: it holds up "
                f"to {largest}. sampling_delta holds for every beta.",
                parameter="beta",
                options={"beta": float(beta), "epsilon": float(epsilon)},
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
            # No later tail is larger: the Chernoff bound of all that follow is below one that was
            # found.
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
    k, _, epsilon = _checked(k, 0, epsilon)
    delta = checks.exact("delta", delta, above=0, below=1)
    if n_rows is not None and delta * checks.whole("n_rows", n_rows, at_least=0) >= 1:
        warnings.warn(
            f"delta={float(delta)} is at least one over the {n_rows:,} rows: publishing some rows "
            "as they are would satisfy it. Choose a delta well below.",
            WeakGuaranteeWarning,
            stacklevel=2,
        )
    # Bisection keeps this: delta holds at `within`, and does not at `beyond`. Delta grows with
    # beta.
    within, beyond = 0, GRID
    while beyond - within > 1:
        middle = (within + beyond) // 2
        # A float means the decimal it is written as; delta holds for that and for the fraction.
        rate = max(Fraction(middle, GRID), checks.share("beta", middle / GRID))
        if sampling_delta(k, beta=rate, epsilon=epsilon) <= delta:
            within = middle
        else:
            beyond = middle
    # A rate of 0 would satisfy every delta, and release nothing: an error is more use.
    if within == 0:
        raise ParameterError(
            "{delta} is too small: at {k} and {epsilon} no sampling rate above 2**-53 reaches it.",
            parameter="delta",
            remedy="Raise delta, k or epsilon.",
            options={"delta": float(delta), "k": k, "epsilon": float(epsilon)},
        )
    return within / GRID


def _by_adding(k: int, rate: Decimal, growth: Decimal) -> Decimal:
    """Return the largest sum of [P_{n+1} - e^epsilon P_n]_+ over n, rounded up."""
    # The maximum over n of the sum is at the last n for which another row still adds to it.
    gamma = 1 - (1 - rate) / growth
    n = max(k - 1, last_below((k - 1) / gamma))
    below_k = point(n, k - 1, rate)
    # What is omitted from the tail makes the result larger: the weaker claim.
    tail, _ = above(n, k - 1, rate, below_k)
    # The positive term is rounded up and the negative one down, so that delta is never too small.
    return rate * below_k * (1 + SLACK) - (growth - 1) * tail


def _by_removing(k: int, rate: Decimal, growth: Decimal) -> Decimal:
    """Return the largest sum of [P_n - e^epsilon P_{n+1}]_+ over n, rounded up, or 0."""
    gamma = 1 - (1 - rate) * growth
    # No outcome loses more than a factor of exp(epsilon) by taking a row away.
    if gamma <= 0:
        return Decimal(0)
    n = max(k - 1, last_below((k - 1) / gamma))
    below_k = point(n, k - 1, rate)
    suppressed = at_most(n, k - 1, rate, below_k)
    return growth * rate * below_k * (1 + SLACK) - (growth - 1) * suppressed


def _checked(k: object, beta: object, epsilon: object) -> tuple[int, Fraction, Fraction]:
    return (
        checks.whole("k", k, at_least=1),
        checks.share("beta", beta),
        checks.exact("epsilon", epsilon, at_least=0),
    )


# Binomial probabilities with more digits than a claim needs, rounded the safe way.
#
# Decimal arithmetic of at least 60 digits: no logarithm of a factorial, no cancellation that
# matters, and a float that is never below the number it stands for.

DIGITS = 60

SLACK = Decimal(10) ** (20 - DIGITS)  # far above the rounding of any sum here, far below a float's

NEGLIGIBLE = Decimal(10) ** (10 - DIGITS)


@contextmanager
def many_digits(*numbers: float | Fraction) -> Iterator[None]:
    """Compute with 60 digits, and more where a number is close to 0, so that 1 - x keeps it."""
    extra = max((-math.floor(_log10(number)) for number in numbers if number > 0), default=0)
    context = decimal.Context(
        prec=DIGITS + max(0, extra),
        Emax=decimal.MAX_EMAX,
        Emin=decimal.MIN_EMIN,
        traps=[decimal.InvalidOperation, decimal.DivisionByZero, decimal.Overflow],
    )
    with decimal.localcontext(context):
        yield


def to_decimal(number: float | Fraction) -> Decimal:
    """Return a number as it stands, to the digits of the context."""
    exact = Fraction(number)
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def last_below(bound: Decimal) -> int:
    """Return the greatest integer strictly below a number."""
    return int(bound.to_integral_value(ROUND_CEILING)) - 1


def round_up(number: Decimal) -> float:
    """Return the smallest float that is not below a number."""
    nearest = float(number)
    return nearest if Decimal(nearest) >= number else math.nextafter(nearest, math.inf)


def point(n: int, j: int, rate: Decimal) -> Decimal:
    """Return P[Bin(n, rate) = j] for a rate between 0 and 1, both excluded."""
    # One logarithm for the power, then one factor for each of the j successes: no factorial.
    probability = ((n - j) * (1 - rate).ln()).exp()
    for i in range(1, j + 1):
        probability *= rate * (n - j + i) / i
    return probability


def above(n: int, j: int, rate: Decimal, at_j: Decimal) -> tuple[Decimal, Decimal]:
    """Return P[Bin(n, rate) > j] and a bound on what was omitted.

    ``at_j`` is P[Bin(n, rate) = j] and ``j`` at least the mean. The ratio of a term to the one
    before it is below 1 and falls, so the rest of the sum is below that of a geometric series.
    """
    odds = rate / (1 - rate)
    total, term, rest = Decimal(0), at_j, Decimal(0)
    for i in range(j + 1, n + 1):
        term *= odds * (n - i + 1) / i
        total += term
        ratio = odds * (n - i) / (i + 1)
        # What follows is less than a geometric series, since ratios of binomial terms fall with i.
        rest = term * ratio / (1 - ratio)
        if rest <= NEGLIGIBLE * total:
            break
    return total, rest


def at_most(n: int, j: int, rate: Decimal, at_j: Decimal) -> Decimal:
    """Return P[Bin(n, rate) <= j], never too much, from ``at_j``, the probability of j itself.

    ``j`` is at most the mean, so the terms fall on the way down.
    """
    odds = (1 - rate) / rate
    total, term = at_j, at_j
    for i in range(j, 0, -1):
        term *= odds * i / (n - i + 1)
        total += term
        # At most i terms are omitted, each below this one. They are omitted from a sum that is
        # subtracted, which makes delta larger: the weaker claim.
        if i * term <= NEGLIGIBLE * total:
            break
    return total


def _log10(number: float | Fraction) -> float:
    exact = Fraction(number)
    return math.log10(exact.numerator) - math.log10(exact.denominator)


# What a release is worth whose suppression was learnt from a part of the same table.
#
# Every row goes to the training part with probability r, else to the part that is published.
# A person who falls into the training part is protected by what protects that part, and by
# nothing else.

SchemeName = Literal["public", "dp", "split"]

SCHEMES = ("public", "dp", "split")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitGuarantee:
    """What holds for everybody in the table, and on which part it rests.

    ``epsilon`` and ``delta`` hold for each row, adding or removing it. ``training_is_protected``
    is False where the rows of the training part are seen through the scheme as they are.
    """

    epsilon: float
    delta: float
    scheme: SchemeName
    training_is_protected: bool

    def __str__(self) -> str:
        claim = (
            f"({self.epsilon:g}, {self.delta:g})-differentially private, one row added or removed"
        )
        if self.training_is_protected:
            return f"{claim}."
        return f"{claim}; rows that trained the scheme are not protected."


def theta_1(theta_2: int, *, beta: float | Fraction, split_rate: float | Fraction) -> int:
    r"""Return the infrequency threshold of the training part that matches that of the release.

    .. math:: \theta_1 = \Big\lceil \frac{(\theta_2 + 1) \, r}{\beta (1 - r)} \Big\rceil

    where :math:`r` is ``split_rate``: a combination that ``theta_2 + 1`` sampled rows of the
    published part share is expected :math:`r / (\beta (1 - r))` times as often in training.

    Parameters
    ----------
    theta_2 : int
        Threshold of the release, ``k - 1``, at least 0.
    beta : float or Fraction
        Sampling rate of the published part, above 0 and at most 1.
    split_rate : float or Fraction
        Share of the rows that train, above 0 and below 1.

    Returns
    -------
    int
        At least 1.

    Notes
    -----
    **Guarantee.** None: it decides how much is kept, not what is protected. A float therefore
    means the decimal number it is written as: 0.1 is one tenth.

    References
    ----------
    The thesis this family follows, equation (2.3), with 1 - r in place of r - 1.

    Examples
    --------
    >>> theta_1(4, beta=0.034, split_rate=0.1)
    17
    """
    theta_2 = checks.whole("theta_2", theta_2, at_least=0)
    rate = checks.exact("beta", beta, above=0, at_most=1)
    share = checks.exact("split_rate", split_rate, above=0, below=1)
    # A combination with theta_2 + 1 rows in the release is expected so often in the training part.
    return math.ceil((theta_2 + 1) * share / (rate * (1 - share)))


def split_guarantee(
    epsilon: float,
    *,
    delta: float | Fraction,
    scheme: SchemeName,
    split_rate: float | Fraction | None = None,
    scheme_epsilon: float | None = None,
    scheme_delta: float | Fraction = 0.0,
) -> SplitGuarantee:
    r"""Return what holds for everybody when the scheme comes from a part of the table.

    ============ ============================================================================
    scheme       in total
    ============ ============================================================================
    ``"public"`` :math:`(\varepsilon, \delta)`: the scheme was not learnt from this table
    ``"dp"``     :math:`(\max(\varepsilon_1, \varepsilon), \max(\delta_1, \delta))`
    ``"split"``  :math:`(\varepsilon, \; r + (1 - r) \delta)`
    ============ ============================================================================

    where :math:`(\varepsilon, \delta)` is the guarantee of the published part given the scheme,
    :math:`(\varepsilon_1, \delta_1)` that of the scheme for the training part, and :math:`r`
    the rate at which rows are put into training, each independently of the others.

    Parameters
    ----------
    epsilon : float
        Of the published part, at least 0.
    delta : float or Fraction
        Of the published part, from 0 to 1.
    scheme : {"public", "dp", "split"}
        Where the scheme comes from.
    split_rate : float or Fraction, optional
        Share of the rows that train, above 0 and below 1; needed unless ``"public"``.
    scheme_epsilon : float, optional
        Epsilon of the scheme for the training part; for ``"dp"`` only.
    scheme_delta : float or Fraction
        Delta of the scheme for the training part, 0 by default; for ``"dp"`` only.

    Returns
    -------
    SplitGuarantee
        Rounded up.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, missing, or does not belong to the scheme.

    Notes
    -----
    **Guarantee.** Differential privacy of one row, added or removed, the split being random and
    unseen. With ``"split"`` the scheme shows what rows trained it, so delta can be hardly below
    r: a person is unprotected with probability r. Given who trained, rows of the published part
    have (epsilon, delta).

    Whoever is added falls into training with probability r, whatever the others do. The
    divergence behind (epsilon, delta) is jointly convex, so the total delta is at most
    :math:`r \delta_1 + (1 - r) \delta` at the larger epsilon; an un-noised scheme has
    :math:`\delta_1 = 1`.

    Examples
    --------
    >>> print(split_guarantee(0.1, delta=0.001, scheme="split", split_rate=0.1))
    (0.1, 0.1009)-differentially private, one row added or removed; rows that trained the
    scheme are not protected.
    >>> print(split_guarantee(0.1, delta=0.001, scheme="dp", split_rate=0.1, scheme_epsilon=0.5))
    (0.5, 0.001)-differentially private, one row added or removed.
    """
    share = _check_scheme(scheme, split_rate, scheme_epsilon, scheme_delta)
    total_epsilon = checks.exact("epsilon", epsilon, at_least=0)
    total_delta = checks.share("delta", delta)
    if scheme == "dp":
        of_scheme = checks.exact("scheme_epsilon", scheme_epsilon, at_least=0)
        # The maximum, not the sum: a row is in one of the two parts only, so that it pays for one.
        total_epsilon = max(total_epsilon, of_scheme)
        total_delta = max(total_delta, checks.share("scheme_delta", scheme_delta))
    elif scheme == "split" and share is not None:
        # A row that trains is not protected at all; its probability of that is part of delta.
        total_delta = share + (1 - share) * total_delta
    return SplitGuarantee(
        epsilon=_rounded_up(total_epsilon),
        delta=_rounded_up(total_delta),
        scheme=scheme,
        training_is_protected=scheme != "split",
    )


def _check_scheme(
    scheme: str,
    split_rate: float | Fraction | None,
    scheme_epsilon: float | None,
    scheme_delta: float | Fraction,
) -> Fraction | None:
    """Return the share that trains, refusing options that a scheme lacks or that it has not."""
    checks.one_of("scheme", scheme, SCHEMES)
    if scheme != "dp" and (scheme_epsilon is not None or scheme_delta != 0):
        raise ParameterError(
            f"scheme_epsilon and scheme_delta do not belong to {scheme!r}.",
            parameter="scheme_epsilon",
        )
    if scheme == "dp" and scheme_epsilon is None:
        raise ParameterError(
            "{scheme} needs {scheme_epsilon}, what the scheme was made with.",
            parameter="scheme_epsilon",
            options={"scheme": scheme, "scheme_epsilon": ...},
        )
    if scheme == "public":
        if split_rate is not None:
            raise ParameterError(
                "{split_rate} does not belong to {scheme}: no row trains.",
                parameter="split_rate",
                options={"split_rate": ..., "scheme": scheme},
            )
        return None
    if split_rate is None:
        raise ParameterError(
            "{scheme} needs {split_rate}, the share of rows that train.",
            parameter="split_rate",
            options={"scheme": scheme, "split_rate": ...},
        )
    return checks.exact("split_rate", split_rate, above=0, below=1)


def _rounded_up(number: Fraction) -> float:
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
