"""One column under k-ary randomized response: its chances, exactly, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.synthesize.exponential import exp_below
from discreet.synthesize.parameters import exact_epsilon

if TYPE_CHECKING:
    from discreet.data.column import Label


LEAST_GROWTH = Fraction(1, 2**40)  # below it, p and q are hardly two different floats


@dataclass(frozen=True, kw_only=True)
class Channel:
    r"""A column of which every cell is kept with chance p, else another value is drawn.

    .. math:: p = \frac{E}{E + k - 1}, \qquad q = \frac{1}{E + k - 1}, \qquad
        E \le e^{\varepsilon}

    where :math:`k` is the number of values and :math:`q` the chance of each other value.

    Parameters
    ----------
    column : str
        Its name.
    values : tuple
        The public list of its values, at least one.
    epsilon : Fraction
        What one cell may cost, above 0; 0 for a column of one value, which says nothing.

    Notes
    -----
    :math:`p / q = E` exactly, and :math:`E` is a fraction that is surely not above
    :math:`e^\varepsilon` (see :func:`~discreet.synthesize.exponential.exp_below`), so the
    promise is kept in exact arithmetic, not up to rounding. The budget not used is less than
    2**-60 for epsilon up to 1.

    References
    ----------
    S. Warner (1965), Randomized response. P. Kairouz, K. Bonawitz, D. Ramage (2016), Discrete
    distribution estimation under local privacy, section 3.

    Examples
    --------
    >>> channel = Channel(column="sex", values=("f", "m"), epsilon=Fraction(1, 10))
    >>> round(float(channel.p), 12), channel.p / channel.q <= exp_below(Fraction(1, 10))
    (0.524979187479, True)
    """

    column: str
    values: tuple[Label, ...]
    epsilon: Fraction

    def __post_init__(self) -> None:
        if len(self.values) == 1:
            object.__setattr__(self, "epsilon", Fraction(0))
            return
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        if self.growth - 1 < LEAST_GROWTH:
            raise ParameterError(
                f"Column '{self.column}' is given epsilon {float(self.epsilon):.3g}, so little "
                "that nothing of it would be left. Give more, or leave the column out."
            )

    @property
    def size(self) -> int:
        """Number of values, k."""
        return len(self.values)

    @cached_property
    def growth(self) -> Fraction:
        """The ratio p / q, surely not above e to the epsilon."""
        return exp_below(self.epsilon)

    @cached_property
    def p(self) -> Fraction:
        """The chance that a cell keeps its value."""
        return self.growth / (self.growth + self.size - 1)

    @cached_property
    def q(self) -> Fraction:
        """The chance of each other value; 0 if there is no other."""
        return 1 / (self.growth + self.size - 1) if self.size > 1 else Fraction(0)

    @cached_property
    def weights(self) -> tuple[float, float]:
        """What a cell that has a value, or has not, counts for in the estimate of its support.

        They are (1 - q) / (p - q) and -q / (p - q): the inverse of the channel.
        """
        gap = self.p - self.q
        return float((1 - self.q) / gap), float(-self.q / gap)

    @cached_property
    def matched(self) -> float:
        """Mean square of the weight where the true cell has the value (a of the variance)."""
        p, q = self.p, self.q
        return float((p * (1 - q) ** 2 + (1 - p) * q**2) / (p - q) ** 2)

    @cached_property
    def unmatched(self) -> float:
        """Mean square of the weight where the true cell has it not (b of the variance)."""
        return float(self.q * (1 - self.q) / (self.p - self.q) ** 2)

    @property
    def total_square(self) -> float:
        """Mean square of the weights added up over all values: a + (k - 1) b."""
        return self.matched + (self.size - 1) * self.unmatched
