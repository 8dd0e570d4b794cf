"""The membership attack: tell who was among those a release was made from.

Somebody whose own row, or one very much like it, is in the release was probably among them. The
same distance is measured for people who were not, which tells what it is worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.attacks.coded import one_coding
from discreet.assess.attacks.membership_rates import Advantage, area_under_curve, best_cut
from discreet.assess.attacks.nearest import closest_distances
from discreet.assess.attacks.setting import attacked, check_at_least
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.random import Generator

    from discreet.assess.attacks.membership_rates import Auc


@dataclass(frozen=True, slots=True, kw_only=True)
class MembershipAttack(Result):
    """How well distances to the closest row tell members from others.

    Attributes
    ----------
    columns : tuple of str
        What the attacker knows of everybody.
    n_targets : int
        Members attacked, and as many others.
    auc : Auc
        Chance that a member is closer to the release than somebody else; half if it tells
        nothing.
    advantage : Advantage
        That of guessing by the best distance, found on one half and measured on the other.
    cut : int
        Whoever differs in so many columns or fewer is called a member; -1: nobody.
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
    def is_told(self) -> bool:
        """Whether members are told from others: the interval of the area is above a half."""
        return self.auc.low > 0.5

    @property
    def sentence(self) -> str:
        """The attack in plain sentences."""
        found = "tells them apart" if self.is_told else "cannot be shown to tell them apart"
        return (
            f"The closest row of the release differs from members in {self.mean_distance:.2f} of "
            f"{len(self.columns)} columns, from other people in {self.control_mean_distance:.2f}. "
            f"This {found}: area under the curve {self.auc}, 0.5 being blind; advantage of the "
            f"best guess {self.advantage}, 0 being blind."
        )

    def preview(self) -> Preview:
        """Return area and advantage with their intervals."""
        rows = [
            ("area under the curve", str(self.auc), "0.5"),
            ("advantage", str(self.advantage), "0"),
        ]
        return Preview(title=self.sentence, header=("membership", "attack", "blind"), rows=rows)

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
    r"""Return how well an attacker tells who was among those a release was made from.

    .. math:: d(t) = \min_{r \in R} |\{ j : t_j \ne r_j \}|

    where :math:`R` are the rows of the release and :math:`t` is a person, a row of the original
    (a member) or of the controls; the smaller :math:`d`, the likelier a member.

    Parameters
    ----------
    release, original : Table or frame
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
    >>> found.is_told, found.mean_distance
    (True, 0.0)
    """
    check_at_least("n_targets", n_targets, 2)
    setting = attacked(release, original, controls, columns)
    if setting.controls is None:
        raise ParameterError("controls: the attack needs people whose rows were not used.")
    n_drawn = min(n_targets, setting.original.n_rows, setting.controls.n_rows)
    if n_drawn < 2:
        raise ParameterError("The attack needs at least two rows of the original and of controls.")
    random = np.random.default_rng(rng)
    groups = [
        table.take(random.permutation(table.n_rows)[:n_drawn])
        for table in (setting.original, setting.controls)
    ]
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
