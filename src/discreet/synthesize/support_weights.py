"""Whole weights that grow with the support, in steps that surely keep to the guarantee."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import NamedTuple

from discreet.synthesize.exponential import exp_below

WEIGHT_BITS = 256


class Weight(NamedTuple):
    """A whole number, a mantissa times a power of two; ordered as numbers are.

    Attributes
    ----------
    power : int
        How often the mantissa is doubled, at least 0.
    mantissa : int
        Of the same number of bits in all weights that are compared.
    """

    power: int
    mantissa: int

    def over(self, power: int) -> int:
        """Return the number divided by a power of two that is not above its own."""
        return self.mantissa << (self.power - power)

    def log2(self) -> float:
        """Return the logarithm, about."""
        return self.power + log2(self.mantissa)


class SupportWeights:
    r"""Whole weights of supports, in steps of at most e to the exponent.

    .. math:: 2^p G^s (1 - s 2^{-p}) \le w_s \le 2^p G^s, \qquad G \le (1 - 2^{-256}) e^c

    where :math:`c` is the exponent, :math:`s` a support up to theta and :math:`p` is so large
    that :math:`\theta 2^{-p} < 2^{-256}`.

    Parameters
    ----------
    exponent : Fraction
        Above 0.
    theta : int
        Larger supports have the weight of this one; at least 1.

    Notes
    -----
    They depend on the exponent and theta alone. :math:`w_s` is a product of powers
    :math:`G^{2^j}`, each the square of the one before. Mantissas have p + 1 bits, and each
    product is rounded down, by a share of less than :math:`2^{-p}`. A rounding counts twice
    in a square, so fewer than s of them count in :math:`w_s`, which is the bound above.

    One step never passes :math:`e^c`, whatever the rounding, so the guarantee is exact:
    :math:`w_{s+1} / w_s \le G / (1 - s 2^{-p}) \le e^c`. And weights never fall: G is at least
    :math:`1 + 2^{-255}`, more than is rounded off, or else exactly 1, which makes all weights
    alike. Weights are those of the exponential up to a share of :math:`s 2^{-252}`, for
    supports however far below theta.

    A weight takes time O(log theta), and none is stored.

    Examples
    --------
    >>> weights = SupportWeights(Fraction(1, 2), theta=2)
    >>> [round(2 ** (weights.of(support).log2() - weights.of(0).log2()), 4) for support in range(4)]
    [1.0, 1.6487, 2.7183, 2.7183]
    """

    def __init__(self, exponent: Fraction, *, theta: int) -> None:
        self.theta, self.places = theta, WEIGHT_BITS + theta.bit_length()
        below = exp_below(exponent, bits=WEIGHT_BITS - 1) * (1 - Fraction(1, 1 << WEIGHT_BITS))
        steps = max(1 << (WEIGHT_BITS - 1), int(below * (1 << (WEIGHT_BITS - 1))))  # G 2^255
        self.powers = [self._rounded(steps << (self.places - WEIGHT_BITS + 1), 0)]
        for _ in range(theta.bit_length() - 1):
            self.powers.append(self._times(self.powers[-1], self.powers[-1]))

    def of(self, support: int) -> Weight:
        """Return the weight of a support; from theta on they are alike."""
        support = min(self.theta, support)
        found = Weight(0, 1 << self.places)
        for j in range(support.bit_length()):
            if support >> j & 1:
                found = self._times(found, self.powers[j])
        return found

    def _times(self, one: Weight, other: Weight) -> Weight:
        """Return the product of two weights as multiples of 2^p, rounded down."""
        product = one.mantissa * other.mantissa >> self.places
        return self._rounded(product, one.power + other.power)

    def _rounded(self, number: int, power: int) -> Weight:
        """Return a number of at least 2^p times a power of two with p + 1 bits of it left."""
        excess = number.bit_length() - self.places - 1
        return Weight(power + excess, number >> excess)
