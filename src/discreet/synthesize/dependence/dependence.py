"""Epsilon-dependence: how far two variables are from independent, as the worst ratio.

It bounds what a release changes in an attacker's mind: from what was believed before to what
is believed after. Unlike differential privacy it depends on the attacker's prior; each
implies the other only up to the factors given here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet import checks
from discreet.errors import DataError
from discreet.release.exact import log_above
from discreet.result import Preview, Result
from discreet.synthesize.budget import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence(Result):
    """The worst ratios of a joint distribution; None stands for no bound.

    Attributes
    ----------
    prior_ratio : Fraction or None
        Largest of :math:`P(x, y) / (P(x) P(y))` and its inverse: posterior against prior.
    posterior_ratio : Fraction or None
        Largest of :math:`P(x | y) / P(x | y')`: after one release against after another.
    channel_ratio : Fraction or None
        Largest of :math:`P(y | x) / P(y | x')`: differential privacy between values of X.
    """

    prior_ratio: Fraction | None
    posterior_ratio: Fraction | None
    channel_ratio: Fraction | None

    @property
    def epsilon(self) -> float:
        """Smallest epsilon for which X and Y are epsilon-dependent, rounded up."""
        return log_above(self.prior_ratio)

    @property
    def posterior_epsilon(self) -> float:
        """The same between two releases; up to twice as large."""
        return log_above(self.posterior_ratio)

    @property
    def dp_epsilon(self) -> float:
        """Epsilon of differential privacy of the channel from X to Y, rounded up."""
        return log_above(self.channel_ratio)

    def preview(self) -> Preview:
        """Return one row for each of the three."""
        rows = [
            ("posterior against prior (dependence)", f"{self.epsilon:.6g}"),
            ("posterior against posterior", f"{self.posterior_epsilon:.6g}"),
            ("release given one value against another (DP)", f"{self.dp_epsilon:.6g}"),
        ]
        return Preview(title="Dependence", header=("ratio of", "epsilon"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the ratios as text, None where there is no bound."""
        ratios = (self.prior_ratio, self.posterior_ratio, self.channel_ratio)
        names = ("prior_ratio", "posterior_ratio", "channel_ratio")
        return {
            name: None if ratio is None else str(ratio)
            for name, ratio in zip(names, ratios, strict=True)
        }


def dependence(joint: Sequence[Sequence[Fraction | float]]) -> Dependence:
    r"""Return how dependent two variables are, from the table of their joint probabilities.

    .. math:: e^{-\varepsilon} \le \frac{P(X = x, Y = y)}{P(X = x) P(Y = y)} \le e^\varepsilon
        \quad \text{for all } x, y

    where :math:`X` is what is protected and :math:`Y` is what is released.

    Parameters
    ----------
    joint : sequence of sequences of Fraction, int or float
        One row for each value of X, one entry for each value of Y, not negative; they need not
        add up to 1 (counts will do). Floats are the binary fractions they are.

    Returns
    -------
    Dependence
        Exact ratios, and their logarithms rounded up.

    Raises
    ------
    DataError
        If rows differ in length, an entry is negative or no number, or all are 0.

    Notes
    -----
    Values of probability 0 are skipped: nothing is said of them. A pair that never occurs,
    although both its values do, has no bound.

    Two ratios that differ from 1 by at most :math:`e^\varepsilon` differ from each other by at
    most :math:`e^{2 \varepsilon}`, and that is attained, so epsilon-dependence gives
    2 epsilon-differential privacy between the values of X and bounds two posteriors by
    :math:`e^{2 \varepsilon}`. The thesis claims :math:`e^\varepsilon` "by symmetry" for the
    latter, which is false. The other way round, epsilon-differential privacy gives
    epsilon-dependence for every prior (corollary 1).

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, definition 1, theorem 2 and
    corollary 1.

    Examples
    --------
    >>> from fractions import Fraction as F
    >>> found = dependence([[F(3, 16) if x == y else F(1, 48) for y in range(4)] for x in range(4)])
    >>> found.prior_ratio, found.channel_ratio
    (Fraction(3, 1), Fraction(9, 1))
    """
    table = joint_table(joint)
    total = sum(map(sum, table), Fraction(0))
    rows = [sum(row, Fraction(0)) for row in table]
    columns = [sum(column, Fraction(0)) for column in zip(*table, strict=True)]
    by_prior = [
        [
            entry * total / (row_total * column_total)
            for entry, column_total in zip(row, columns, strict=True)
        ]
        for row, row_total in zip(table, rows, strict=True)
    ]
    return Dependence(
        prior_ratio=_widest([Fraction(1), *(one for row in by_prior for one in row)]),
        # The ratio of two posteriors of one x is that of two entries of one row of by_prior,
        # and P(y | x) / P(y | x') is that of two entries of one of its columns.
        posterior_ratio=_worst([_spread(row) for row in by_prior]),
        channel_ratio=_worst([_spread(column) for column in zip(*by_prior, strict=True)]),
    )


def dp_from_dependence(epsilon: Fraction | float) -> Fraction:
    """Return the epsilon of differential privacy that epsilon-dependence gives: twice as much.

    Holds for the values of X that have a positive prior, see :func:`dependence`.

    Examples
    --------
    >>> dp_from_dependence(Fraction(1, 10))
    Fraction(1, 5)
    """
    return 2 * exact_epsilon(epsilon)


def degraded_epsilon(epsilon: Fraction | float, *, parts: Fraction | float | None) -> Fraction:
    r"""Return the dependence left when the parts of a database are not independent.

    .. math:: \varepsilon + 2 \varepsilon^d

    where :math:`\varepsilon^d` is the dependence of a part on all others together.

    Parameters
    ----------
    epsilon : Fraction or float
        The dependence of a part on the release, all others fixed, if parts were independent.
    parts : Fraction, float or None
        Dependence of the part on the others; None if it has no bound.

    Returns
    -------
    Fraction
        The dependence of the part on the release and all other parts together.

    Raises
    ------
    DataError
        If ``parts`` has no bound, as when one cell follows from others: nothing is guaranteed.

    Notes
    -----
    Once because the others depend on the part, and once because they change how likely the release
    is on the whole: given them, :math:`P(y)` is a mean over other chances of the part.

    References
    ----------
    J. Dorrestijn (2018), theorem 4.

    Examples
    --------
    >>> degraded_epsilon(Fraction(1, 10), parts=Fraction(1, 5))
    Fraction(1, 2)
    """
    if parts is None or parts == float("inf"):
        raise DataError(
            "A part that is determined by the others has no bound on its dependence. Count the "
            "parts together as one, and add up what they are given."
        )
    apart = Fraction(0) if parts == 0 else exact_epsilon(parts, name="parts")
    return exact_epsilon(epsilon) + 2 * apart


def _spread(ratios: Sequence[Fraction]) -> Fraction | None:
    """Return largest over smallest, None if the smallest is 0."""
    return max(ratios) / min(ratios) if min(ratios) > 0 else None


def _widest(ratios: Sequence[Fraction]) -> Fraction | None:
    """Return the largest of all ratios and their inverses, None if one is 0."""
    return max(*ratios, 1 / min(ratios)) if min(ratios) > 0 else None


def _worst(ratios: Sequence[Fraction | None]) -> Fraction | None:
    found = [ratio for ratio in ratios if ratio is not None]
    return max(found) if len(found) == len(ratios) else None


def joint_table(joint: Sequence[Sequence[Fraction | float]]) -> list[list[Fraction]]:
    """Return a table of joint probabilities as fractions, without all-zero rows and columns."""
    if not len(joint) or len({len(row) for row in joint}) > 1:
        raise DataError("A joint table has one row or more, all of one length.")
    table = [[_share(entry, i, j) for j, entry in enumerate(row)] for i, row in enumerate(joint)]
    table = [row for row in table if any(row)]
    if not table:
        raise DataError("All probabilities of the joint table are 0.")
    occurring = [j for j, column in enumerate(zip(*table, strict=True)) if any(column)]
    return [[row[j] for j in occurring] for row in table]


def _share(entry: Fraction | float, row: int, column: int) -> Fraction:
    try:
        share = Fraction(entry if isinstance(entry, Fraction | int | Decimal) else float(entry))
    except (TypeError, ValueError, OverflowError):
        share = Fraction(-1)
    if share < 0:
        raise DataError(f"Row {row}, column {column}: {entry!r} is no probability.")
    return share


# What epsilon-dependence says in bits: mutual information and the chance of a wrong guess.


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
    most = math.log2(checks.whole("n_values", n_values, at_least=2))
    entropy = float(checks.exact("entropy", entropy, at_least=0))
    information = float(checks.exact("information", information, at_least=0))
    if entropy > most + 1e-12:
        raise checks.refused("entropy", entropy, f"at most {most:.6g}, that of {n_values} values")
    return max(0.0, (entropy - information - 1) / most)
