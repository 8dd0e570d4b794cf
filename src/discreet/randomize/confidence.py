"""Confidence of a rule from randomized transactions, and how far off it may be.

The estimate is a ratio of two supports. Where both are normal, the chance that the ratio is
within some distance of the truth is the chance that two linear forms have different signs.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet import checks
from discreet.errors import DataError, EstimateWarning, InfeasibleError, ParameterError
from discreet.randomize.operators.law import floats, two_set_matrix
from discreet.randomize.recovery import (
    independent_supports,
    itemset_codes,
    overlaps,
    support,
    support_weights,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.randomize.operators.base import Randomized, SizeLawOperator
    from discreet.randomize.recovery import Estimate


NEGLIGIBLE = 1e-4  # chance of a support of the antecedent that is not positive


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Means, variances and covariance of two normal estimates X and Y, and no more."""

    mean_x: float
    mean_y: float
    variance_x: float
    variance_y: float
    covariance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleConfidence:
    """The estimated confidence of a rule.

    Attributes
    ----------
    confidence : float
        Estimated support of both sides over that of the antecedent.
    radius : float
        Half the width of the interval around it.
    level : float
        Chance that the estimate is within the radius of the truth.
    both : Estimate
        Support of both sides.
    antecedent : Estimate
        Support of the antecedent.
    covariance : float
        Of these two estimates.
    """

    confidence: float
    radius: float
    level: float
    both: Estimate
    antecedent: Estimate
    covariance: float

    @property
    def interval(self) -> tuple[float, float]:
        """The interval at the level asked for."""
        return self.confidence - self.radius, self.confidence + self.radius

    def to_dict(self) -> dict[str, object]:
        """Return the estimate as plain values."""
        return {
            "confidence": self.confidence,
            "radius": self.radius,
            "level": self.level,
            "both": self.both.to_dict(),
            "antecedent": self.antecedent.to_dict(),
            "covariance": self.covariance,
        }


def confidence(
    randomized: Randomized,
    antecedent: Iterable[Label],
    consequent: Iterable[Label],
    *,
    level: float = 0.95,
) -> RuleConfidence:
    r"""Return the confidence of the rule A => B among the originals.

    .. math:: \mathrm{conf}(A \Rightarrow B) = \frac{\mathrm{supp}(A \cup B)}{\mathrm{supp}(A)}

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    antecedent, consequent : iterables of labels
        A and B, disjoint, each of at least one item.
    level : float
        Chance that the estimate is within the radius reported, above 0 and below 1.

    Returns
    -------
    RuleConfidence
        The ratio of the estimated supports, and the radius :math:`\delta` that solves
        :math:`f(\delta)` = level (:func:`chance_within`), the estimates standing for the means.

    Raises
    ------
    InfeasibleError
        If a support cannot be recovered, or that of A comes out at 0 or below.

    Warns
    -----
    EstimateWarning
        If the support of A may well be 0, so that the ratio has little meaning.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 4.6.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"], ["tea"]] * 5000)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> rule = confidence(sent, ["tea"], ["milk"])
    >>> low, high = rule.interval
    >>> low < 0.5 < high
    True
    """
    first, second = list(antecedent), list(consequent)
    if set(first) & set(second):
        raise ParameterError(
            f"Antecedent and consequent share {sorted(map(str, set(first) & set(second)))}; "
            "leave them in one of the two.",
            parameter="consequent",
        )
    level = float(checks.inner_share("level", level))
    both, of_first = support(randomized, first + second), support(randomized, first)
    if of_first.support <= 0:
        raise InfeasibleError(
            f"The estimated support of {first!r} is {of_first.support:.3g}, not above 0: a rule "
            "from it has no confidence. Collect more transactions, or ask for a commoner itemset."
        )
    shared = float(support_covariance(randomized, [first, first + second])[0, 1])
    moments = Moments(
        mean_x=both.support,
        mean_y=of_first.support,
        variance_x=both.variance,
        variance_y=of_first.variance,
        covariance=_possible(shared, both.variance, of_first.variance),
    )
    _warn_if_small(moments, first)
    return RuleConfidence(
        confidence=both.support / of_first.support,
        radius=radius(moments, level=level),
        level=level,
        both=both,
        antecedent=of_first,
        covariance=shared,
    )


def chance_within(delta: float, *, moments: Moments) -> float:
    r"""Return the chance that X / Y is within delta of EX / EY, for normal X and Y.

    .. math:: f(\delta) = \Phi(h_U) + \Phi(h_V) - 2 \Phi_2(h_U, h_V; \mathrm{corr}(U, V)),
        \qquad h_U = -\frac{\delta \, \mathrm{E}Y}{\mathrm{sd}\, U}, \quad
        h_V = \frac{\delta \, \mathrm{E}Y}{\mathrm{sd}\, V}

    where :math:`U = X - \alpha Y`, :math:`V = X - \beta Y`, and :math:`\alpha, \beta` are
    :math:`\mathrm{E}X / \mathrm{E}Y \mp \delta`.

    Parameters
    ----------
    delta : float
        Above 0.
    moments : Moments
        Of X and Y; the mean of Y is above 0.

    Returns
    -------
    float
        The chance, with an error of about 1e-15.

    Notes
    -----
    The event is :math:`U V \le 0`, which includes the part with Y < 0. By Owen's function T,
    :math:`f = 1 + 2 T(h_U, a_U) + 2 T(h_V, a_V)`, where
    :math:`a_U = (h_V / h_U - r) / \sqrt{1 - r^2}`, the same for V, and r is the correlation.

    References
    ----------
    Evfimievski et al. (2004), section 4.6, where it is a double integral. D. Owen (1956),
    Tables for computing bivariate normal probabilities, formula (2.1).

    Examples
    --------
    >>> moments = Moments(mean_x=0.5, mean_y=1, variance_x=0.04, variance_y=0.09, covariance=0.03)
    >>> round(chance_within(0.2, moments=moments), 12)
    0.710689065375
    """
    delta = float(checks.exact("delta", delta, above=0))
    if not moments.mean_y > 0:
        raise ParameterError(
            f"The mean of Y, {moments.mean_y}, must be above 0.", parameter="moments"
        )
    from scipy.special import ndtr, owens_t  # type: ignore[import-untyped]

    ratio = moments.mean_x / moments.mean_y
    var_u = _variance(moments, ratio - delta, ratio - delta)
    var_v = _variance(moments, ratio + delta, ratio + delta)
    sd_u, sd_v = math.sqrt(max(0.0, var_u)), math.sqrt(max(0.0, var_v))
    reach = delta * moments.mean_y
    h_u = -reach / sd_u if sd_u else -math.inf
    h_v = reach / sd_v if sd_v else math.inf
    if math.isinf(h_u) or math.isinf(h_v):  # U or V is certain to have its sign
        return float(ndtr(h_v) - ndtr(h_u))
    r = _variance(moments, ratio - delta, ratio + delta) / (sd_u * sd_v)
    if abs(r) >= 1:
        return float(ndtr(h_v) - ndtr(h_u)) if r > 0 else float(_opposite(h_u, h_v))
    root = math.sqrt((1 - r) * (1 + r))
    a_u, a_v = (h_v / h_u - r) / root, (h_u / h_v - r) / root
    return float(1 + 2 * owens_t(h_u, a_u) + 2 * owens_t(h_v, a_v))


def radius(moments: Moments, *, level: float) -> float:
    """Return the delta with f(delta) = level, by bisection.

    Examples
    --------
    >>> moments = Moments(mean_x=0.5, mean_y=1, variance_x=0.04, variance_y=0.09, covariance=0.03)
    >>> round(chance_within(radius(moments, level=0.95), moments=moments), 9)
    0.95
    """
    if moments.variance_x == moments.variance_y == 0:
        return 0.0
    low, high = 0.0, 1e-6
    while chance_within(high, moments=moments) < level:  # f grows to 1
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        if chance_within(middle, moments=moments) < level:
            low = middle
        else:
            high = middle
    return high


def _variance(moments: Moments, alpha: float, beta: float) -> float:
    """Return Cov(X - alpha Y, X - beta Y)."""
    mixed = (alpha + beta) * moments.covariance
    return moments.variance_x - mixed + alpha * beta * moments.variance_y


def _opposite(h_u: float, h_v: float) -> float:
    """Return f for a correlation of -1, where P[U, V <= 0] = [Phi(h_U) + Phi(h_V) - 1]_+."""
    from scipy.special import ndtr

    total = float(ndtr(h_u) + ndtr(h_v))
    return total - 2 * max(0.0, total - 1)


def _possible(covariance: float, variance_x: float, variance_y: float) -> float:
    """Return the covariance, no further from 0 than the variances allow."""
    limit = math.sqrt(variance_x * variance_y)
    return min(limit, max(-limit, covariance))


def _warn_if_small(moments: Moments, antecedent: list[Label]) -> None:
    from scipy.special import ndtr

    if moments.variance_y == 0:
        return
    chance = float(ndtr(-moments.mean_y / math.sqrt(moments.variance_y)))
    if chance > NEGLIGIBLE:
        warnings.warn(
            f"The support of {antecedent!r} is so uncertain that it is 0 or below with chance "
            f"{chance:.2g}: the confidence of a rule from it says little.",
            EstimateWarning,
            stacklevel=3,
        )


# The least confidence of a rule that can still be discovered.

Dependence: TypeAlias = Literal["independent", "maximal"]

STEPS = 40


def lowest_discoverable_confidence(
    operator: SizeLawOperator,
    *,
    n_antecedent: int,
    n_consequent: int,
    m: int,
    n_transactions: int,
    antecedent_support: float = 0.02,
    dependence: Dependence = "independent",
    level: float = 0.95,
) -> float:
    r"""Return the smallest confidence that is twice the radius of its 95 % interval.

    .. math:: \mathrm{conf} = 2 \delta, \qquad f(\delta) = 0.95

    Parameters
    ----------
    operator : SizeLawOperator
        What is applied.
    n_antecedent, n_consequent : int
        Sizes of A and B, at least 1; together at most m.
    m : int
        Size of the transactions.
    n_transactions : int
        At least 1.
    antecedent_support : float
        Support of A, above 0 and at most 1.
    dependence : {"independent", "maximal"}
        Whether the items of A and B are independent, or B is found in the transactions that
        hold most of A first. In both cases the items of one side are independent of each
        other and equally frequent.
    level : float
        Of the interval, above 0 and below 1.

    Returns
    -------
    float
        The confidence; ``inf`` if not even a rule that always holds is discoverable.

    Raises
    ------
    InfeasibleError
        If supports of A and B together cannot be recovered.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 5.2.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=5, rho="0.3")
    >>> found = lowest_discoverable_confidence(operator, n_antecedent=1, n_consequent=1, m=5,
    ...                                        n_transactions=5_000_000)
    >>> round(found, 3)
    0.118
    """
    sizes = (
        checks.whole("n_antecedent", n_antecedent, at_least=1),
        checks.whole("n_consequent", n_consequent, at_least=1),
    )
    n_transactions = checks.whole("n_transactions", n_transactions, at_least=1)
    m = checks.whole("m", m, at_least=0)
    level = float(checks.inner_share("level", level))
    if sum(sizes) > m:
        raise ParameterError(
            f"A rule of {sum(sizes)} items does not fit transactions of {m}.", parameter="m"
        )
    antecedent_support = float(
        checks.exact("antecedent_support", antecedent_support, above=0, at_most=1)
    )
    checks.one_of("dependence", dependence, ("independent", "maximal"))
    covariance_of = _covariances(operator, m, sizes)

    def excess(confidence: float) -> float:
        """Return the confidence less twice the radius."""
        if dependence == "independent":
            shares = np.outer(
                independent_supports(antecedent_support, sizes[0]),
                independent_supports(confidence, sizes[1]),
            ).ravel()
        else:
            shares = _comonotone(
                independent_supports(antecedent_support, sizes[0]),
                independent_supports(antecedent_support * confidence, sizes[1]),
            ).ravel()
        x, y, xy = covariance_of @ shares / n_transactions
        moments = Moments(
            mean_x=antecedent_support * confidence,
            mean_y=antecedent_support,
            variance_x=float(x),
            variance_y=float(y),
            covariance=float(xy),
        )
        return confidence - 2 * radius(moments, level=level)

    if excess(1.0) < 0:
        return math.inf
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) >= 0 else (middle, high)
    return high


def _covariances(operator: SizeLawOperator, m: int, sizes: tuple[int, int]) -> NDArray[np.float64]:
    """Return Var X, Var Y and Cov(X, Y) of one transaction for every (l_A, l_B), in three rows.

    X estimates the support of both sides, Y that of the antecedent, (17) and (18).
    """
    chances = floats(two_set_matrix(operator.law(m), m, *sizes))
    first, second = np.divmod(np.arange(len(chances)), sizes[1] + 1)
    x = support_weights(operator, m, sum(sizes))[first + second]
    y = support_weights(operator, m, sizes[0])[first]
    rows = []
    for left, right in ((x, x), (y, y), (x, y)):
        means = (chances.T @ left) * (chances.T @ right)
        rows.append(chances.T @ (left * right) - means)
    return np.array(rows)


def _comonotone(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return joint shares with these margins, large values of one met by large ones of both."""
    above_first = np.concatenate([[0.0], np.cumsum(first)])
    above_second = np.concatenate([[0.0], np.cumsum(second)])
    low = np.maximum(above_first[:-1, None], above_second[None, :-1])
    high = np.minimum(above_first[1:, None], above_second[None, 1:])
    shared: NDArray[np.float64] = np.maximum(0.0, high - low)
    return shared


# How estimates of several supports vary together: they come from the same transactions.


def support_covariance(
    randomized: Randomized, itemsets: Sequence[Iterable[Label]]
) -> NDArray[np.float64]:
    r"""Return an unbiased estimate of the covariance matrix of recovered supports.

    .. math:: \mathrm{Cov}(\tilde s_A, \tilde s_B)_{est} = \frac{1}{N}
        \Big( \frac{1}{N} \sum_i x_A(t'_i) \, x_B(t'_i) - \tilde s_{A \cup B} \Big)

    where :math:`x_A(t')` is what a randomized transaction is worth for A
    (:func:`support_weights`), whose mean is :math:`\tilde s_A`.

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    itemsets : sequence of itemsets
        Each an iterable of labels.

    Returns
    -------
    ndarray of float64
        Symmetric; its diagonal holds the unbiased variances, which may be negative.

    Raises
    ------
    InfeasibleError
        If the support of an itemset, or of the union of two, cannot be recovered.

    Notes
    -----
    Transactions are independent and :math:`\mathrm{E}\, x_A(t'_i)` is 1 if A is in
    :math:`t_i` and 0 if not, so a transaction adds :math:`\mathrm{E}[x_A x_B]` less 1 if both
    are in it, that is their union: the unbiased estimate of which is at hand. For A inside B
    this equals the paper's two-set formula (17) with the two-set partial supports estimated;
    :func:`two_set_matrix` gives the latter for known ones. Time O(transactions) for each pair.

    References
    ----------
    Evfimievski et al. (2004), section 4.6.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"]] * 500)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> support_covariance(sent, [["tea"], ["tea", "milk"]]).shape
    (2, 2)
    """
    if not itemsets:
        raise ParameterError("Give at least one itemset.", parameter="itemsets")
    if len(randomized) == 0:
        raise DataError("There are no randomized transactions to recover a support from.")
    labels = randomized.transactions.labels
    sets = [
        frozenset(labels[code] for code in itemset_codes(randomized.transactions, itemset))
        for itemset in itemsets
    ]
    worth = [_worth(randomized, one) for one in sets]
    n = len(randomized)
    out = np.empty((len(sets), len(sets)))
    for i, j in combinations_with_replacement(range(len(sets)), 2):
        union = sets[i] | sets[j]
        both = worth[j] if union == sets[j] else _worth(randomized, union)
        out[i, j] = out[j, i] = (float(worth[i] @ worth[j]) - float(both.sum())) / n**2
    return out


def _worth(randomized: Randomized, itemset: frozenset[Label]) -> NDArray[np.float64]:
    """Return what every randomized transaction is worth for the support of an itemset."""
    k = len(itemset)
    table = np.zeros((int(randomized.sizes.max()) + 1, k + 1))
    for m in randomized.n_of_size():
        table[m] = support_weights(randomized.operator, m, k, n_items=randomized.n_items)
    found: NDArray[np.float64] = table[randomized.sizes, overlaps(randomized.transactions, itemset)]
    return found
