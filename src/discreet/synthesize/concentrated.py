"""Zero-concentrated differential privacy: what a sum of Gaussian noises is worth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from discreet.errors import ParameterError
from discreet.release.exact import shown

SLACK = 1e-9  # of the logarithm of delta, far above what rounding of floats can add up to
DIGITS = 10**9


def delta_of(rho: float, epsilon: float) -> float:
    r"""Return a delta so that rho-zCDP is (epsilon, delta)-differential privacy.

    .. math:: \delta = \inf_{\alpha > 1} \frac{e^{(\alpha - 1)(\alpha \rho - \varepsilon)}}
        {\alpha - 1} \left(1 - \frac{1}{\alpha}\right)^{\alpha}

    Parameters
    ----------
    rho : float
        Above 0.
    epsilon : float
        At least 0.

    Returns
    -------
    float
        At most 1. Every alpha gives a valid bound, so that a coarse search is no risk.

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential privacy,
    corollary 13.

    Examples
    --------
    >>> bool(9e-10 < delta_of(0.01496, 1) < 1e-9)
    True
    """
    orders = 1 + np.exp(np.linspace(-8, 16, 4001))
    logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders)
    return min(1.0, math.exp(float(np.min(logs - np.log(orders - 1))) + SLACK))


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest rho, to nine digits, so that rho-zCDP is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : Fraction
        Above 0.
    delta : Fraction
        Above 0 and below 1.

    Raises
    ------
    ParameterError
        If delta is out of its range, or no noise of use would keep the promise.

    Examples
    --------
    >>> float(rho_of(Fraction(1), Fraction(1, 10**9)))
    0.014972972
    """
    if not 0 < delta < 1:
        raise ParameterError(f"delta={float(delta)} must be above 0 and below 1.")
    low, high = 0, math.ceil(epsilon * DIGITS)
    while high - low > 1:
        middle = (low + high) // 2
        within = delta_of(middle / DIGITS, float(epsilon)) <= float(delta)
        low, high = (middle, high) if within else (low, middle)
    if low == 0:
        raise ParameterError(
            f"epsilon={shown('epsilon', epsilon)} with delta={shown('delta', delta)} leaves no "
            "budget to speak of; raise one of them."
        )
    return Fraction(low, DIGITS)
