"""The least confidence of a rule that can still be told from none."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet.errors import ParameterError
from discreet.randomize.discoverable import independent_supports
from discreet.randomize.matrix import floats
from discreet.randomize.recovery import support_weights
from discreet.randomize.rule_confidence import Moments, radius
from discreet.randomize.transition import two_set_matrix
from discreet.release.exact import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.randomize.operators.size_law import SizeLawOperator

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
        whole("n_antecedent", n_antecedent, least=1),
        whole("n_consequent", n_consequent, least=1),
    )
    whole("n_transactions", n_transactions, least=1)
    if sum(sizes) > m:
        raise ParameterError(f"A rule of {sum(sizes)} items does not fit transactions of {m}.")
    if not 0 < antecedent_support <= 1:
        raise ParameterError(f"antecedent_support={antecedent_support} must be a share above 0.")
    if dependence not in {"independent", "maximal"}:
        raise ParameterError(f"dependence={dependence!r} must be 'independent' or 'maximal'.")
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
