"""The membership attack: infer whose records a release was made from.

A person whose record, or one very similar to it, is in the release was probably a member. The
same distance is measured for controls, who were not, as the baseline.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.attacks.setting import (
    Z,
    attacked,
    closest_distances,
    draw_some,
    one_coding,
)
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.random import Generator
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipAttack(Result):
    """How well distances to the closest row distinguish members from controls.

    Attributes
    ----------
    columns : tuple of str
        What the attacker knows about every target.
    n_targets : int
        Members attacked, and as many others.
    auc : Auc
        Probability that a member is closer to the release than a control; half if distances
        disclose nothing.
    advantage : Advantage
        That of guessing by the best distance, found on one half and measured on the other.
    cut : int
        A target that differs in this many columns or fewer is guessed a member; -1: none is.
    mean_distance, control_mean_distance : float
        Columns in which members and others differ from the closest row.
    """

    columns: tuple[str, ...]
    n_targets: int
    auc: Auc
    advantage: Advantage
    cut: int
    mean_distance: float
    control_mean_distance: float

    @property
    def distinguishes(self) -> bool:
        """Whether members are distinguished: the interval of the area is above a half."""
        return self.auc.low > 0.5

    @property
    def sentence(self) -> str:
        """The attack in plain sentences."""
        found = "distinguishes" if self.distinguishes else "cannot be shown to distinguish"
        return (
            f"The closest row of the release differs from members in {self.mean_distance:.2f} of "
            f"{len(self.columns)} columns, from controls in {self.control_mean_distance:.2f}. "
            f"This {found} them: area under the curve {self.auc}, a random guess being 0.5; "
            f"advantage of the best guess {self.advantage}, a random guess being 0."
        )

    def preview(self) -> Preview:
        """Return area and advantage with their intervals."""
        rows = [
            ("area under the curve", str(self.auc), "0.5"),
            ("advantage", str(self.advantage), "0"),
        ]
        header = ("membership", "attack", "random guess")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "columns": list(self.columns),
            "n_targets": self.n_targets,
            "auc": self.auc.to_dict(),
            "advantage": self.advantage.to_dict(),
            "cut": self.cut,
            "mean_distance": self.mean_distance,
            "control_mean_distance": self.control_mean_distance,
        }


def membership_attack(
    release: object,
    original: object,
    *,
    controls: object,
    n_targets: int = 1000,
    columns: Iterable[str] | None = None,
    rng: Generator | int | None = None,
) -> MembershipAttack:
    r"""Return how well an attacker infers whose records a release was made from.

    .. math:: d(t) = \min_{r \in R} |\{ j : t_j \ne r_j \}|

    where :math:`R` are the rows of the release and :math:`t` is a person, a row of the original
    (a member) or of the controls; the smaller :math:`d`, the likelier a member.

    Parameters
    ----------
    release, original : Release, Table or frame
        What was published, and what it was made from. The same columns; rows need not align.
    controls : Table or frame
        People of the same population whose rows were not used.
    n_targets : int, default 1000
        How many members and how many others to draw, without replacement, at least 2; fewer if
        there are fewer of either.
    columns : iterable of str, optional
        What the attacker knows; all but the identifying columns by default.
    rng : Generator, int or None
        Draws the people; an int makes the attack repeatable.

    Returns
    -------
    MembershipAttack
        Area under the curve and advantage with 95 per cent intervals.

    Raises
    ------
    ParameterError
        If a table lacks a column, there are fewer than two members or controls, or the
        controls are the original.
    DataError
        If the release has no rows.

    Notes
    -----
    Guarantee: none, this is an experiment: that this attack fails does not mean that others
    do. Under (epsilon, delta)-differential privacy no advantage can be above
    :math:`(e^\epsilon - 1 + 2 \delta) / (e^\epsilon + 1)`, so a lower end above that refutes a
    claim. A suppressed cell equals suppressed cells only. Time grows with targets times distinct
    rows of the release times columns.

    References
    ----------
    B. Hilprecht, M. Haerterich, D. Bernau (2019), Monte Carlo and Reconstruction Membership
    Inference Attacks against Generative Models (distances to generated records); P. Kairouz,
    S. Oh, P. Viswanath (2015), The Composition Theorem for Differential Privacy (the errors
    that a guarantee forces on a guess).

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(1000)
    >>> members, others = people.take(range(500)), people.take(range(500, 1000))
    >>> found = membership_attack(members, members, controls=others, rng=1)
    >>> found.distinguishes, found.mean_distance
    (True, 0.0)
    """
    n_targets = checks.whole("n_targets", n_targets, at_least=2)
    setting = attacked(release, original, controls, columns)
    if setting.controls is None:
        raise ParameterError(
            "controls: the attack needs people whose rows were not used.", parameter="controls"
        )
    tables = (setting.original, setting.controls)
    n_there = [table.n_rows if table.people is None else table.people.n_people for table in tables]
    n_drawn = min(n_targets, *n_there)
    if n_drawn < 2:
        raise ParameterError("The attack needs at least two rows of the original and of controls.")
    random = checks.generator("rng", rng)
    groups = [table.take(draw_some(table, n_drawn, random)) for table in tables]
    there, *people = one_coding([setting.release, *groups], setting.columns)
    members, others = (closest_distances(there, each) for each in people)
    half = n_drawn // 2
    cut = best_cut(members[:half], others[:half])
    n_right = int((members[half:] <= cut).sum() + (others[half:] > cut).sum())
    return MembershipAttack(
        columns=setting.columns,
        n_targets=n_drawn,
        auc=area_under_curve(members, others),
        advantage=Advantage(n_right=n_right, n_trials=2 * (n_drawn - half)),
        cut=cut,
        mean_distance=float(members.mean()),
        control_mean_distance=float(others.mean()),
    )


# How well a score distinguishes members: area under the curve, and advantage of a guess.

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

    Of equally good ones the smallest; -1, no member, if none is better.

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
