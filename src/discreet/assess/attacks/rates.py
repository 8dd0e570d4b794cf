"""Success rates of attacks with confidence intervals that hold for small counts too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

Z = 1.959963984540054  # of the normal law, for 95 per cent


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    r"""A share of trials with its 95 per cent Wilson interval.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4 n^2}}
        {1 + z^2 / n}

    where :math:`n` is the number of trials, :math:`\hat p` the share that succeeded and
    :math:`z = 1.96`.

    References
    ----------
    E. Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Examples
    --------
    >>> print(Rate(n_hits=3, n_trials=20))
    15.0% (5.2% to 36.0%)
    """

    n_hits: int
    n_trials: int

    @property
    def rate(self) -> float:
        """Share of trials that succeeded; 0 without trials."""
        return self.n_hits / self.n_trials if self.n_trials else 0.0

    @property
    def low(self) -> float:
        """Lower end of the interval; 0 without trials."""
        return max(0.0, self._middle() - self._half()) if self.n_hits else 0.0

    @property
    def high(self) -> float:
        """Upper end of the interval; 1 without trials."""
        return 1.0 if self.n_hits == self.n_trials else min(1.0, self._middle() + self._half())

    def __str__(self) -> str:
        return f"{self.rate:.1%} ({self.low:.1%} to {self.high:.1%})"

    def to_dict(self) -> dict[str, object]:
        """Return counts, share and interval."""
        return {
            "n_hits": self.n_hits,
            "n_trials": self.n_trials,
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
        }

    def _middle(self) -> float:
        n = self.n_trials
        return (self.rate + Z**2 / (2 * n)) / (1 + Z**2 / n)

    def _half(self) -> float:
        n, p = self.n_trials, self.rate
        return Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)


class Excess(NamedTuple):
    """A difference of two rates and the ends of its 95 per cent interval."""

    difference: float
    low: float
    high: float


def excess(attack: Rate, control: Rate) -> Excess:
    """Return how much larger a rate is than that of the control group, with its interval.

    Parameters
    ----------
    attack, control : Rate
        Success among the targets, and among people who are not in the release.

    Returns
    -------
    Excess
        The difference; above 0 the release itself helps the attacker.

    References
    ----------
    R. Newcombe (1998), Interval estimation for the difference between independent
    proportions, method 10.

    Examples
    --------
    >>> more = excess(Rate(n_hits=30, n_trials=100), Rate(n_hits=10, n_trials=100))
    >>> [round(end, 3) for end in more]
    [0.2, 0.09, 0.306]
    """
    difference = attack.rate - control.rate
    low = difference - math.hypot(attack.rate - attack.low, control.high - control.rate)
    high = difference + math.hypot(attack.high - attack.rate, control.rate - control.low)
    return Excess(difference, low, high)
