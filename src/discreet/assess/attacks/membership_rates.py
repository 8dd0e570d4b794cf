"""How well a score tells members from others: area under the curve, and advantage of a guess."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.attacks.rates import Z

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEVEL = 0.05  # of all intervals: what is left outside


@dataclass(frozen=True, slots=True, kw_only=True)
class Auc:
    r"""The chance that a member has a higher score than another person, with its interval.

    .. math::
        |\hat\theta - \theta| \le z \sqrt{\frac{\theta (1 - \theta)}{m n} \Big( 1 +
        (N - 1) \Big( \frac{1 - \theta}{2 - \theta} + \frac{\theta}{1 + \theta} \Big) \Big)}

    where :math:`m` and :math:`n` are the numbers of members and others, :math:`N` is their mean,
    and :math:`z = 1.96`: the 95 per cent interval holds all :math:`\theta` for which this is
    true. Unlike :math:`\hat\theta \pm z s` it has a width at 1.

    References
    ----------
    J. Hanley, B. McNeil (1982), The meaning and use of the area under a ROC curve (the
    variance); R. Newcombe (2006), Confidence intervals for an effect size measure based on the
    Mann-Whitney statistic, part 2, method 5 (the interval).

    Examples
    --------
    >>> print(Auc(value=1.0, n_members=50, n_others=50))
    1.000 (0.960 to 1.000)
    """

    value: float
    n_members: int
    n_others: int

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self._end(0.0)

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self._end(1.0)

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    def to_dict(self) -> dict[str, object]:
        """Return value, interval and numbers of people."""
        names = ("value", "low", "high", "n_members", "n_others")
        return {name: getattr(self, name) for name in names}

    def _end(self, outside: float) -> float:
        """Return the end towards 0 or 1: between the value and there by halving."""
        inside = self.value
        if self._is_in(outside):
            return outside
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if self._is_in(middle) else (inside, middle)
        return inside

    def _is_in(self, area: float) -> bool:
        half = (self.n_members + self.n_others) / 2 - 1
        spread = 1 + half * ((1 - area) / (2 - area) + area / (1 + area))
        variance = area * (1 - area) / (self.n_members * self.n_others) * spread
        return abs(self.value - area) <= Z * math.sqrt(variance)


def area_under_curve(members: NDArray[np.int64], others: NDArray[np.int64]) -> Auc:
    """Return the chance that a member's distance is the smaller one, ties counting half.

    Examples
    --------
    >>> area_under_curve(np.array([0, 1]), np.array([1, 2])).value
    0.875
    """
    order = np.sort(others)
    above = len(others) - np.searchsorted(order, members, side="right")
    ties = len(others) - np.searchsorted(order, members, side="left") - above
    value = float((above + ties / 2).sum()) / (len(members) * len(others))
    return Auc(value=value, n_members=len(members), n_others=len(others))


@dataclass(frozen=True, slots=True, kw_only=True)
class Advantage:
    r"""Twice the share of right guesses less one, with its 95 per cent Clopper-Pearson interval.

    .. math:: 2 \, \frac{h}{t} - 1

    where of :math:`t` guesses, half of them about members, :math:`h` are right; 0 is blind
    guessing, 1 knowing.

    Notes
    -----
    The interval is exact for independent guesses of equal chance, and too wide rather than too
    narrow where members and others have chances of their own.

    References
    ----------
    C. Clopper, E. Pearson (1934), The use of confidence or fiducial limits illustrated in the
    case of the binomial; S. Yeom et al. (2018), Privacy Risk in Machine Learning, definition 4.

    Examples
    --------
    >>> print(Advantage(n_right=100, n_trials=100))
    1.000 (0.928 to 1.000)
    """

    n_right: int
    n_trials: int

    @property
    def value(self) -> float:
        """The advantage; 0 without trials."""
        return 2 * self.n_right / self.n_trials - 1 if self.n_trials else 0.0

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        from scipy.special import betaincinv  # type: ignore[import-untyped]

        n, k = self.n_trials, self.n_right
        return 2 * float(betaincinv(k, n - k + 1, LEVEL / 2)) - 1 if k else -1.0

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        from scipy.special import betaincinv

        n, k = self.n_trials, self.n_right
        return 2 * float(betaincinv(k + 1, n - k, 1 - LEVEL / 2)) - 1 if k < n else 1.0

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f} to {self.high:.3f})"

    def to_dict(self) -> dict[str, object]:
        """Return counts, value and interval."""
        names = ("n_right", "n_trials", "value", "low", "high")
        return {name: getattr(self, name) for name in names}


def best_cut(members: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    """Return the largest distance to be called a member's, for the most right guesses.

    Of equally good ones the smallest; -1, nobody, if none is better.

    Examples
    --------
    >>> best_cut(np.array([0, 1, 1]), np.array([1, 2, 3]))
    1
    """
    n_cuts = int(max(members.max(initial=-1), others.max(initial=-1))) + 1
    right = np.cumsum(
        np.bincount(members, minlength=n_cuts) / max(len(members), 1)
        - np.bincount(others, minlength=n_cuts) / max(len(others), 1)
    )
    return int(right.argmax()) if n_cuts and right.max() > 1e-12 else -1
