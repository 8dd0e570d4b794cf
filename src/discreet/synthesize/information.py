"""What epsilon-dependence says in bits: mutual information and the chance of a wrong guess."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.release.exact import whole
from discreet.synthesize.dependence import joint_table
from discreet.synthesize.parameters import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Sequence


def mutual_information(joint: Sequence[Sequence[Fraction | float]]) -> float:
    r"""Return the mutual information of two variables in nats.

    .. math:: I(X; Y) = \sum_{x, y} P(x, y) \ln \frac{P(x, y)}{P(x) P(y)}

    Parameters
    ----------
    joint : sequence of sequences of Fraction, int or float
        As in :func:`~discreet.synthesize.dependence.dependence`.

    Returns
    -------
    float
        At least 0; divide by ln 2 for bits.

    Examples
    --------
    >>> round(mutual_information([[1, 0], [0, 1]]) / math.log(2), 9)
    1.0
    """
    table = joint_table(joint)
    total = sum(map(sum, table))
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    terms = [
        float(entry / total) * _log(entry * total / (row_total * column_total))
        for row, row_total in zip(table, rows, strict=True)
        for entry, column_total in zip(row, columns, strict=True)
        if entry
    ]
    return max(0.0, math.fsum(terms))  # rounding alone can bring it below


def _log(ratio: Fraction) -> float:
    """Return the logarithm of a ratio of any size, also one too large or small for a float."""
    halvings = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    return halvings * math.log(2) + math.log(ratio / Fraction(2) ** halvings)


def mutual_information_bound(epsilon: Fraction | float) -> float:
    r"""Return the most mutual information, in nats, that epsilon-dependence leaves.

    .. math:: I(X; Y) \le \varepsilon \tanh(\varepsilon / 2)

    Parameters
    ----------
    epsilon : Fraction or float
        Above 0.

    Returns
    -------
    float
        In nats.

    Notes
    -----
    With :math:`r = P(x, y) / (P(x) P(y))`, the information is the mean of :math:`r \ln r`
    over independent x and y. That is convex in r, and r has mean 1 and lies between
    :math:`e^{-\varepsilon}` and :math:`e^\varepsilon`, so the mean is largest if only the ends
    occur, the upper one with chance :math:`1 / (1 + e^\varepsilon)`. The thesis has the bound
    :math:`\varepsilon`, which is 20 times this at 0.1.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, theorem 1.

    Examples
    --------
    >>> round(mutual_information_bound(0.1), 6)
    0.004996
    """
    exact = float(exact_epsilon(epsilon))
    return exact * math.tanh(exact / 2)


def fano_error(*, entropy: float, information: float, n_values: int) -> float:
    r"""Return the least chance that a guess of a value from a release is **wrong**.

    .. math:: P(\text{wrong}) \ge \frac{H(U) - I(U; Y) - 1}{\log_2 |U|}

    Parameters
    ----------
    entropy : float
        :math:`H(U)` of the value before the release, in bits, from 0 to :math:`\log_2 |U|`.
    information : float
        :math:`I(U; Y)`, or a bound on it, in bits, at least 0.
    n_values : int
        :math:`|U|`, at least 2.

    Returns
    -------
    float
        From 0 to 1; 0 says nothing.

    Notes
    -----
    The thesis states the same term as the largest chance of a **right** guess, which is false:
    it falls when more is known.

    References
    ----------
    R. Fano (1961), Transmission of information. J. Dorrestijn (2018), section 1.2.5.

    Examples
    --------
    >>> fano_error(entropy=2, information=0, n_values=4)
    0.5
    """
    most = math.log2(whole("n_values", n_values, least=2))
    if not 0 <= entropy <= most + 1e-12:
        raise ParameterError(
            f"entropy={entropy} bits must be from 0 to {most:.6g}, that of {n_values} values."
        )
    if not information >= 0:
        raise ParameterError(f"information={information} must be at least 0 bits.")
    return max(0.0, (entropy - information - 1) / most)
