"""A budget, and every quantity measured from it: noise added, cost, and what is left."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, pi, sqrt
from typing import TYPE_CHECKING, Literal, TypeAlias

from discreet.errors import GuaranteeError, ParameterError
from discreet.noise.discrete import MOST_SCALE
from discreet.synthesize.concentrated import rho_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.noise import Noise

Law: TypeAlias = Literal["gaussian", "laplace"]
PARTS = 16  # noise scales are multiples of one sixteenth, which the exact samplers like


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """One measured quantity.

    Attributes
    ----------
    what : str
        In words.
    columns : tuple of str
        Of a marginal, its columns.
    law : {"gaussian", "laplace"}
        Discrete Gaussian or discrete Laplace noise on every number.
    scale : Fraction
        The variance parameter of the former, the scale of the latter.
    sensitivity : int
        How much all numbers together can change by one row: the sum of the squares of the
        changes for Gaussian noise, their sum for Laplace noise.
    n_numbers : int
        How many numbers were measured.
    """

    what: str
    columns: tuple[str, ...] = ()
    law: Law
    scale: Fraction
    sensitivity: int
    n_numbers: int

    @property
    def cost(self) -> Fraction:
        """Rho of Gaussian noise, epsilon of Laplace noise."""
        halves = 2 if self.law == "gaussian" else 1
        return Fraction(self.sensitivity) / (halves * self.scale)

    @property
    def variance(self) -> float:
        """About the variance of the noise on one number."""
        scale = float(self.scale)
        return scale if self.law == "gaussian" else 2 * scale * scale

    @property
    def mean_noise(self) -> float:
        """About the mean of the absolute noise on one number."""
        scale = float(self.scale)
        return sqrt(2 / pi * scale) if self.law == "gaussian" else scale

    def to_dict(self) -> dict[str, object]:
        """Return it as text and numbers."""
        return {
            "what": self.what,
            "columns": list(self.columns),
            "law": self.law,
            "scale": str(self.scale),
            "sensitivity": self.sensitivity,
            "n_numbers": self.n_numbers,
        }


@dataclass(slots=True, kw_only=True)
class Spending:
    """What may be spent, and what was.

    With delta = 0 noise is Laplace and costs in epsilon add up; otherwise it is Gaussian and
    costs in rho add up, to the largest rho that is (epsilon, delta)-differentially private.

    Attributes
    ----------
    total : Fraction
        Epsilon, or rho.
    entries : list of Spent
        In the order measured.
    """

    law: Law
    total: Fraction
    noise: Noise
    entries: list[Spent] = field(default_factory=list)

    @classmethod
    def of(cls, *, epsilon: Fraction, delta: Fraction, noise: Noise) -> Spending:
        """Return an unspent budget."""
        if delta == 0:
            return cls(law="laplace", total=epsilon, noise=noise)
        return cls(law="gaussian", total=rho_of(epsilon, delta), noise=noise)

    @property
    def spent(self) -> Fraction:
        """The costs so far."""
        return sum((entry.cost for entry in self.entries), Fraction(0))

    def variance(self, cost: Fraction, *, most: int = 1, n_changed: int = 1) -> float:
        """Return the variance of the noise that numbers get for a cost, those of a marginal."""
        return self._entry("", (), cost, most=most, n_changed=n_changed, n_numbers=1).variance

    def mean_noise(self, cost: Fraction) -> float:
        """Return the mean absolute noise that a marginal gets for a cost."""
        return self._entry("", (), cost, most=1, n_changed=1, n_numbers=1).mean_noise

    def measure(
        self,
        what: str,
        numbers: NDArray[np.int64],
        *,
        cost: Fraction,
        columns: tuple[str, ...] = (),
        most: int = 1,
        n_changed: int = 1,
    ) -> tuple[NDArray[np.int64], Spent]:
        """Return whole numbers with noise, and the entry that was made.

        Parameters
        ----------
        what : str
            What they are.
        numbers : array of int64
            The true numbers.
        cost : Fraction
            At most what this may cost.
        columns : tuple of str
            Of a marginal.
        most, n_changed : int
            One row changes at most so many of the numbers, each by at most ``most``.

        Raises
        ------
        GuaranteeError
            If the budget does not suffice; nothing is measured then.
        ParameterError
            If the cost is so little that its noise is larger than can be drawn.
        """
        entry = self._entry(
            what, columns, cost, most=most, n_changed=n_changed, n_numbers=numbers.size
        )
        if self.spent + entry.cost > self.total:
            raise GuaranteeError(f"{what} would cost more than is left of the budget.")
        self.entries.append(entry)
        draw = (
            self.noise.discrete_gaussian if self.law == "gaussian" else self.noise.discrete_laplace
        )
        return numbers + draw(entry.scale, numbers.size).reshape(numbers.shape), entry

    def _entry(
        self,
        what: str,
        columns: tuple[str, ...],
        cost: Fraction,
        *,
        most: int,
        n_changed: int,
        n_numbers: int,
    ) -> Spent:
        """Return what is entered: noise a little above what the cost asks for."""
        gaussian = self.law == "gaussian"
        sensitivity = n_changed * most**2 if gaussian else n_changed * most
        wanted = Fraction(sensitivity) / (2 * cost if gaussian else cost)
        scale = Fraction(ceil(wanted * PARTS), PARTS)
        if scale > (MOST_SCALE**2 if gaussian else MOST_SCALE):
            raise ParameterError(
                "epsilon is so little that nothing of it would be left: noise would be larger "
                "than can be drawn. Give a larger epsilon, or fewer columns."
            )
        return Spent(
            what=what, columns=columns, law=self.law, scale=scale, sensitivity=sensitivity,
            n_numbers=n_numbers,
        )  # fmt: skip
