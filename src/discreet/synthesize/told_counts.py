"""Whether exact counts may be told to an attacker of whom everything is assumed.

Counts without noise are never differentially private. They are epsilon-dependent on each
person, for the released value only, if the attacker knows nothing of people but independent
chances. That is an assumption about the attacker, so nothing here happens unless it is made
by name.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import GuaranteeError, ParameterError
from discreet.release.exact import log_above, shown
from discreet.result import Preview, Result
from discreet.synthesize.exponential import exp_below
from discreet.synthesize.parameters import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactCounts(Result):
    """Whether counts may be told as they are, to an attacker with this prior.

    Attributes
    ----------
    counts : tuple of int
        How many people have each value; for bits, without and with.
    epsilon : Fraction
        What was asked for.
    ratio : Fraction or None
        Largest ratio of the chances of these counts given two values of one person; None if
        there is no bound.
    refusal_ratio : Fraction or None
        The same for the answer that counts are refused, which is an answer too.
    release_rate : Fraction
        Chance, under the prior, that the counts are such that they may be told.
    prior : str
        The prior assumed, in words.
    """

    counts: tuple[int, ...]
    epsilon: Fraction
    ratio: Fraction | None
    refusal_ratio: Fraction | None
    release_rate: Fraction
    prior: str

    @property
    def may_be_told(self) -> bool:
        """Whether these counts, and refusing others, both keep to epsilon."""
        most = exp_below(self.epsilon)
        return all(one is not None and one <= most for one in (self.ratio, self.refusal_ratio))

    @property
    def sentence(self) -> str:
        """The claim, with its assumption."""
        told = "may be told" if self.may_be_told else "must not be told"
        return (
            f"The exact counts {told}: epsilon {shown('epsilon', self.epsilon)} of dependence on "
            f"each person, for an attacker who believes only this: {self.prior}. This is not "
            "differential privacy; whoever knows more learns more."
        )

    def preview(self) -> Preview:
        """Return the epsilon of these counts and of refusing."""
        rows = [
            ("these counts", f"{log_above(self.ratio):.6g}"),
            ("refusing", f"{log_above(self.refusal_ratio):.6g}"),
        ]
        return Preview(title=self.sentence, header=("answer", "epsilon"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields, fractions as text."""
        return {
            "counts": list(self.counts),
            "epsilon": str(self.epsilon),
            "ratio": None if self.ratio is None else str(self.ratio),
            "refusal_ratio": None if self.refusal_ratio is None else str(self.refusal_ratio),
            "release_rate": str(self.release_rate),
            "may_be_told": self.may_be_told,
            "prior": self.prior,
        }


def ratio_of(a: Fraction, b: Fraction) -> Fraction | None:
    """Return the larger over the smaller, 1 if neither can happen, None if only one can."""
    if not (a and b):
        return None if a or b else Fraction(1)
    return max(a / b, b / a)


def worst_of(ratios: Iterable[Fraction | None]) -> Fraction | None:
    """Return the largest ratio, None if one has no bound."""
    found = list(ratios)
    return None if None in found else max(one for one in found if one is not None)


def exact_chance(value: object) -> Fraction:
    """Return a chance, or raise ParameterError."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction) or not 0 <= value <= 1:
        raise ParameterError(f"{value!r} is no chance; give Fractions from 0 to 1.")
    return Fraction(value)


def assumed_epsilon(epsilon: Fraction | float, *, by_name: bool) -> Fraction:
    """Return epsilon, or raise GuaranteeError unless the assumption was made by name."""
    if not by_name:
        raise GuaranteeError(
            "Exact counts are not differentially private. They are told only to an attacker who "
            "takes people for independent; say assumes_independent_people=True if you assume so."
        )
    return exact_epsilon(epsilon)
