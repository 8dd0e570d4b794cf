"""What rho of zero-concentrated differential privacy is worth at an epsilon, by its own route."""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

_PRECISION = 60
_HALVINGS = 80


def is_within_delta(rho: Fraction, *, epsilon: Fraction, delta: Fraction) -> bool:
    r"""Say whether rho-zCDP is (epsilon, delta)-differential privacy by the bound of one order.

    .. math:: \ln \delta(\alpha) = (\alpha - 1)(\alpha \rho - \varepsilon)
        + (\alpha - 1) \ln(\alpha - 1) - \alpha \ln \alpha

    holds for every order :math:`\alpha > 1`, and is convex: its slope
    :math:`(2 \alpha - 1) \rho - \varepsilon + \ln(1 - 1 / \alpha)` rises. The order is found by
    halving where the slope is 0; whichever order comes out, the bound is valid.

    Parameters
    ----------
    rho, epsilon, delta : Fraction
        Above 0.

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential privacy,
    corollary 13.

    Examples
    --------
    >>> from fractions import Fraction
    >>> [is_within_delta(Fraction(rho), epsilon=Fraction(1), delta=Fraction(1, 10**9))
    ...  for rho in ("0.014972", "0.014974")]
    [True, False]
    """
    with localcontext() as context:
        context.prec = _PRECISION
        return log_delta(rho, epsilon) <= _decimal(delta).ln()


def log_delta(rho: Fraction, epsilon: Fraction) -> Decimal:
    """Return the logarithm of the least delta of that bound, to more digits than a float has.

    Examples
    --------
    >>> from fractions import Fraction
    >>> f"{log_delta(Fraction(1, 2), Fraction(1)):.6f}"
    '-1.398989'
    """
    with localcontext() as context:
        context.prec = _PRECISION
        cost, loss = _decimal(rho), _decimal(epsilon)
        # Above this order the slope is positive: (2 a - 1) rho > epsilon + 1 and ln(1 - 1/a) > -1.
        low, high = Decimal(1), max(Decimal(2), (loss + 1) / cost + 1)
        for _ in range(_HALVINGS):
            order = (low + high) / 2
            if order in (low, high):
                break
            slope = (2 * order - 1) * cost - loss + (1 - 1 / order).ln()
            low, high = (low, order) if slope > 0 else (order, high)
        order = high
        return (
            (order - 1) * (order * cost - loss)
            + (order - 1) * (order - 1).ln()
            - order * order.ln()
        )


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
