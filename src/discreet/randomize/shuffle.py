"""What shuffling is worth: the central epsilon of many local reports in random order.

Nobody knows whose report is whose, so one report hides among the others that might have been
it. The more others there are, the smaller the central epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet import checks

if TYPE_CHECKING:
    from numpy.typing import NDArray

Bound: TypeAlias = Literal["clones", "closed form", "none"]
NAMES = {
    "clones": "Feldman, McMillan, Talwar (2021), theorem 3.2, evaluated numerically",
    "closed form": "Feldman, McMillan, Talwar (2021), theorem 3.1",
    "none": "no amplification claimed",
}
SLACK = 1e-6  # far above the rounding of the sums, far below what matters of delta
RARE = 80  # exp(-80) is about 1e-35
STEPS = 50
HOPELESS = 300.0  # nobody has a clone at such a local epsilon, and its square is still a float
MOST_BLOCKS = 2000  # of numbers of clones
WORTH = 0.95  # a smaller gain than this is not worth a delta


@dataclass(frozen=True, slots=True, kw_only=True)
class Shuffled:
    """The central privacy of shuffled reports.

    Attributes
    ----------
    epsilon, delta : float
        Of the shuffled reports, replacing one of them.
    local_epsilon : float
        Of a single report.
    n_reports : int
        That are shuffled together.
    bound : {"clones", "closed form", "none"}
        What the claim rests on; "none": the local epsilon stands, with delta 0.
    """

    epsilon: float
    delta: float
    local_epsilon: float
    n_reports: int
    bound: Bound

    @property
    def name(self) -> str:
        """The theorem used, to be printed with the claim."""
        return NAMES[self.bound]

    def to_dict(self) -> dict[str, object]:
        """Return the claim as plain values; an infinite epsilon is None."""
        return {
            "epsilon": self.epsilon if math.isfinite(self.epsilon) else None,
            "delta": self.delta,
            "local_epsilon": self.local_epsilon if math.isfinite(self.local_epsilon) else None,
            "n_reports": self.n_reports,
            "bound": self.name,
        }


def shuffled_epsilon(
    local_epsilon: float,
    *,
    n_reports: int,
    delta: float,
    bound: Literal["clones", "closed form"] = "clones",
) -> Shuffled:
    r"""Return the central epsilon of shuffled reports.

    With ``bound="closed form"``, where
    :math:`\varepsilon_0 \le \ln \frac{n}{16 \ln(2 / \delta)}`,

    .. math:: \varepsilon = \ln\Big(1 + \frac{e^{\varepsilon_0} - 1}{e^{\varepsilon_0} + 1}
        \Big(\frac{8 \sqrt{e^{\varepsilon_0} \ln(4 / \delta)}}{\sqrt n}
        + \frac{8 e^{\varepsilon_0}}{n}\Big)\Big)

    With ``bound="clones"``, the least epsilon of the two laws of counts that the closed form
    is derived from (see Notes): never more, and often far less.

    Parameters
    ----------
    local_epsilon : float
        :math:`\varepsilon_0`, at least 0: for **any** two transactions of those who report.
    n_reports : int
        n, at least 1.
    delta : float
        Above 0 and below 1; well below 1 / n to mean anything.
    bound : {"clones", "closed form"}
        Which bound to use.

    Returns
    -------
    Shuffled
        Central epsilon, rounded up, and the bound used; "none", with the local epsilon and
        delta 0, where the bound does not apply or gains less than a twentieth.

    Notes
    -----
    **Guarantee.** (epsilon, delta)-differential privacy of one report, replacing it by that of
    any other transaction, if all reports are made by the same operator, independently, and
    whoever sees them sees them as a multiset: no index, time or address. Where the true size
    is published, only reports of the same size hide each other, so n is their number.

    **Proof.** Two laws P, Q of a report within :math:`e^{\varepsilon_0}` of each other are
    mixtures of two others: :math:`P = w Q_0 + (1 - w) Q_1`,
    :math:`Q = (1 - w) Q_0 + w Q_1`, :math:`w = e^{\varepsilon_0} / (e^{\varepsilon_0} + 1)`.
    Every other law R of a report is at least :math:`e^{-\varepsilon_0} P` and
    :math:`e^{-\varepsilon_0} Q`, hence at least :math:`e^{-\varepsilon_0} (Q_0 + Q_1) / 2`: with
    chance :math:`e^{-\varepsilon_0}` it is a fair draw of :math:`Q_0` or :math:`Q_1`, a clone.
    With :math:`C \sim \mathrm{Bin}(n - 1, e^{-\varepsilon_0})` clones, A of them of
    :math:`Q_0`, what is shuffled follows from the counts :math:`(A + \Delta, C - A + 1 -
    \Delta)`, :math:`\Delta` being Bernoulli of w under P and 1 - w under Q. Given C, their
    ratio grows with the first count a, and is above :math:`e^\varepsilon` exactly for
    :math:`a > \frac{\tau}{1 + \tau} (C + 1)`, :math:`\tau = (e^{\varepsilon + \varepsilon_0} -
    1) / (e^{\varepsilon_0} - e^\varepsilon)`, so delta is a sum of binomial tails over C.

    References
    ----------
    V. Feldman, A. McMillan, K. Talwar (2021), Hiding among the clones: a simple and nearly
    optimal analysis of privacy amplification by shuffling, theorems 3.1 and 3.2.

    Examples
    --------
    >>> found = shuffled_epsilon(5.0, n_reports=5_000_000, delta=1e-9)
    >>> round(found.epsilon, 3), found.name
    (0.053, 'Feldman, McMillan, Talwar (2021), theorem 3.2, evaluated numerically')
    >>> looser = shuffled_epsilon(5.0, n_reports=5_000_000, delta=1e-9, bound="closed form")
    >>> round(looser.epsilon, 3)
    0.184
    >>> shuffled_epsilon(7.0, n_reports=100, delta=1e-9).name
    'no amplification claimed'
    """
    n = checks.whole("n_reports", n_reports, at_least=1)
    local_epsilon = _local(local_epsilon)
    delta = float(checks.inner_share("delta", delta))
    checks.one_of("bound", bound, ("clones", "closed form"))
    find = _clones if bound == "clones" else _closed_form
    found = find(local_epsilon, n, delta) if local_epsilon < HOPELESS else math.inf
    if found < WORTH * local_epsilon:
        return Shuffled(
            epsilon=found, delta=delta, local_epsilon=local_epsilon, n_reports=n, bound=bound
        )
    return Shuffled(
        epsilon=local_epsilon, delta=0.0, local_epsilon=local_epsilon, n_reports=n, bound="none"
    )


def _local(local_epsilon: float) -> float:
    """Return the epsilon of one report; it is infinite for an operator without a bound."""
    if local_epsilon == math.inf:
        return math.inf
    return float(checks.exact("local_epsilon", local_epsilon, at_least=0))


def clones_delta(epsilon: float, *, local_epsilon: float, n_reports: int) -> float:
    """Return a delta with which n shuffled reports have this epsilon, rounded up.

    Parameters
    ----------
    epsilon : float
        Central, at least 0.
    local_epsilon : float
        Of one report, at least 0 and finite.
    n_reports : int
        At least 1.

    Returns
    -------
    float
        See the Notes of :func:`shuffled_epsilon`.

    Examples
    --------
    >>> 0 < clones_delta(0.1, local_epsilon=2.0, n_reports=100_000) < 1e-6
    True
    """
    epsilon = float(checks.exact("epsilon", epsilon, at_least=0))
    local_epsilon = _local(local_epsilon)
    n_reports = checks.whole("n_reports", n_reports, at_least=1)
    if epsilon >= local_epsilon:
        return 0.0
    if local_epsilon == math.inf:
        return 1.0  # nothing hides in what others sent
    from scipy.stats import binom  # type: ignore[import-untyped]

    others, rate = n_reports - 1, math.exp(-local_epsilon)
    # Numbers of clones that are as good as impossible, by the inequalities of Chernoff and
    # Bernstein, are counted as if they revealed all.
    mean = others * rate
    least = math.floor(mean - math.sqrt(2 * RARE * mean))
    most = math.ceil(mean + RARE / 3 + math.sqrt(RARE**2 / 9 + 2 * RARE * mean))
    ends = np.linspace(max(0, least), min(others, most) + 1, MOST_BLOCKS + 1)
    cuts = np.unique(np.floor(ends).astype(np.int64))
    below, from_on = binom.cdf(cuts - 1, others, rate), binom.sf(cuts - 1, others, rate)
    chances = np.where(cuts[1:] < mean, np.diff(below), -np.diff(from_on))  # both tails precise
    # One more clone only hides better, so the fewest of a block stand for all of it.
    clones: NDArray[np.int64] = cuts[:-1]
    beyond = float(below[0] + from_on[-1])
    tau = math.expm1(epsilon + local_epsilon) / (math.exp(local_epsilon) - math.exp(epsilon))
    # The sum is over a > first; counted from the top, as tau / (1 + tau) may round to 1.
    first = clones + 1 - np.ceil((clones + 1) / (1 + tau)).astype(np.int64)
    above, at_least = binom.sf(first, clones, 0.5), binom.sf(first - 1, clones, 0.5)
    w, rest = 1 / (1 + rate), rate / (1 + rate)
    of_p, of_q = w * at_least + rest * above, rest * at_least + w * above
    terms = np.maximum(0.0, of_p - math.exp(epsilon) * of_q)
    total = float(chances @ terms)
    return min(1.0, total * (1 + SLACK) + beyond)


def _clones(local_epsilon: float, n_reports: int, delta: float) -> float:
    """Return the least epsilon, on a fine grid, whose delta is within the one given."""
    low, high = 0.0, local_epsilon
    if clones_delta(0.0, local_epsilon=local_epsilon, n_reports=n_reports) <= delta:
        return 0.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        if clones_delta(middle, local_epsilon=local_epsilon, n_reports=n_reports) <= delta:
            high = middle
        else:
            low = middle
    return high


def _closed_form(local_epsilon: float, n_reports: int, delta: float) -> float:
    """Return the epsilon of theorem 3.1, infinity where its condition does not hold."""
    if local_epsilon > math.log(n_reports / (16 * math.log(2 / delta))):
        return math.inf
    growth = math.exp(local_epsilon)
    root = 8 * math.sqrt(growth * math.log(4 / delta) / n_reports)
    shrunk = math.tanh(local_epsilon / 2) * (root + 8 * growth / n_reports)
    return math.log1p(shrunk) * (1 + 1e-12)  # rounded up
