"""What a row may lose: the budget, what is spent of it, and what is claimed for that."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import ceil, pi, sqrt
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypeAlias

import numpy as np

from discreet import checks
from discreet.errors import GuaranteeError, ParameterError
from discreet.noise.sources import MOST_SCALE
from discreet.release.event import Event
from discreet.release.exact import shown
from discreet.release.guarantee import (
    IF_PUBLIC,
    NEIGHBOURS_OF,
    ONE_ROW,
    SEVERAL_ROWS,
    Guarantee,
    assumed_of,
    chosen_of,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.noise import Noise


Trust: TypeAlias = Literal["central", "local"]

TRUSTS: tuple[Trust, ...] = ("central", "local")

Split: TypeAlias = "Literal['equal', 'pairs'] | Mapping[str, Fraction | float]"

# Where the lists of values come from, if they are not given.

PRIVATE: Final = "private"

FROM_DATA: Final = "from-data"

LARGEST_EPSILON = 1000

LEAST_EPSILON = 1e-60  # far below what leaves anything; the fourth power is still a float


def exact_epsilon(value: object, *, name: str = "epsilon") -> Fraction:
    """Return a privacy loss as the exact fraction it is written as.

    Parameters
    ----------
    value : int, float, Fraction, Decimal or str
        Above 0 and at most 1000. A float is the decimal it is written as: 0.1 is one tenth.
    name : str
        What to call it in an error.

    Returns
    -------
    Fraction
        The same number.

    Raises
    ------
    ParameterError
        If it is not such a number, or so little that nothing can be made of it.

    Examples
    --------
    >>> exact_epsilon(0.1), exact_epsilon(1)
    (Fraction(1, 10), Fraction(1, 1))
    """
    number = checks.exact(name, value, above=0, at_most=LARGEST_EPSILON)
    if number < LEAST_EPSILON:
        raise ParameterError(
            f"{{{name}}} is below {LEAST_EPSILON}, so little that nothing of it would be left.",
            parameter=name,
            remedy="Give more; usual are 0.1 to 10.",
            options={name: ...},
        )
    return number


def exact_delta(value: object) -> Fraction:
    """Return a delta as the exact fraction it is written as.

    Examples
    --------
    >>> exact_delta(1e-6)
    Fraction(1, 1000000)
    """
    return checks.exact("delta", value, at_least=0, below=1)


def check_trust(trust: str, delta: Fraction) -> None:
    """Raise ParameterError if there is no such trust, or it takes no delta.

    Examples
    --------
    >>> check_trust("local", exact_delta(0))
    """
    checks.one_of("trust", trust, TRUSTS)
    if trust == "local" and delta:
        raise ParameterError(
            "{delta} must be 0 with {trust}: cells are randomized purely.",
            parameter="delta",
            options={"delta": float(delta), "trust": trust},
        )


# A budget, and every quantity measured from it: noise added, cost, and what is left.

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
        How much all numbers together can change by one row, or all rows that are taken of one
        person: the sum of the squares of the changes for Gaussian noise, their sum for Laplace
        noise.
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


def measured_event(entry: Spent) -> Event:
    """Return one measured quantity: what, with which noise, and how much one row changes it."""
    name = "measure_counts" if entry.columns else "measure_dependence"
    return Event(
        name=name,
        parameters={
            "what": entry.what, "columns": entry.columns, "law": entry.law, "scale": entry.scale,
            "sensitivity": entry.sensitivity, "n_numbers": entry.n_numbers,
        },
    )  # fmt: skip


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
    selection : Fraction
        What was spent before, on finding the values of the columns.
    rows_per_person : int
        The most rows of one person: so many times the change of a number by one row is noised.
    """

    law: Law
    total: Fraction
    noise: Noise
    entries: list[Spent] = field(default_factory=list)
    selection: Fraction = Fraction(0)
    rows_per_person: int = 1

    @classmethod
    def of(
        cls, *, epsilon: Fraction, delta: Fraction, noise: Noise, rows_per_person: int = 1
    ) -> Spending:
        """Return an unspent budget."""
        law: Law = "gaussian" if delta else "laplace"
        total = rho_of(epsilon, delta) if delta else epsilon
        return cls(law=law, total=total, noise=noise, rows_per_person=rows_per_person)

    @property
    def spent(self) -> Fraction:
        """The costs so far."""
        return sum((entry.cost for entry in self.entries), self.selection)

    def least_scale(self, cost: Fraction, *, sensitivity: int) -> Fraction:
        """Return the scale of the noise that numbers of a sensitivity get for a cost."""
        halves = 2 if self.law == "gaussian" else 1
        # Rounded up, and the cost follows from what is drawn: never above what was asked for.
        scale = Fraction(ceil(Fraction(sensitivity) / (halves * cost) * PARTS), PARTS)
        if scale > (MOST_SCALE**2 if self.law == "gaussian" else MOST_SCALE):
            raise ParameterError(
                "epsilon is so little that nothing of it would be left: noise would be larger "
                "than can be drawn.",
                parameter="epsilon",
                remedy="Give a larger epsilon, or fewer columns.",
            )
        return scale

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
        # Before any draw: a refusal depends on the budget alone, never on what is in the table.
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
        # Gaussian noise costs rho = D_2^2 / (2 sigma^2), Laplace noise epsilon = D_1 / t, with D_2
        # and D_1 the change of all numbers by one row, as a root of squares or as a sum. The r rows
        # of a person may all change the same numbers, each by at most r times as much.
        most *= self.rows_per_person
        sensitivity = n_changed * most**2 if gaussian else n_changed * most
        scale = self.least_scale(cost, sensitivity=sensitivity)
        return Spent(
            what=what, columns=columns, law=self.law, scale=scale, sensitivity=sensitivity,
            n_numbers=n_numbers,
        )  # fmt: skip


# Zero-concentrated differential privacy: what a sum of Gaussian noises is worth.

SLACK = 1e-9  # of the logarithm of delta, far above what rounding of floats can add up to

DELTA_DIGITS = 10**9


def delta_of(rho: float, epsilon: float) -> float:
    r"""Return a delta so that rho-zCDP is (epsilon, delta)-differential privacy.

    .. math:: \delta = \inf_{\alpha > 1} \frac{e^{(\alpha - 1)(\alpha \rho - \varepsilon)}}
        {\alpha - 1} \left(1 - \frac{1}{\alpha}\right)^{\alpha}

    Parameters
    ----------
    rho : float
        Above 0.
    epsilon : float
        At least 0.

    Returns
    -------
    float
        At most 1. Every alpha gives a valid bound, so that a coarse search is no risk.

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential privacy,
    corollary 13.

    Examples
    --------
    >>> bool(9e-10 < delta_of(0.01496, 1) < 1e-9)
    True
    """
    # Every order alpha of corollary 13 bounds delta, so a denser grid is tighter, none is wrong.
    orders = 1 + np.exp(np.linspace(-8, 16, 4001))
    logs = (orders - 1) * (orders * rho - epsilon) + orders * np.log1p(-1 / orders)
    return min(1.0, math.exp(float(np.min(logs - np.log(orders - 1))) + SLACK))


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the largest rho, to nine digits, so that rho-zCDP is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : Fraction
        Above 0.
    delta : Fraction
        Above 0 and below 1.

    Raises
    ------
    ParameterError
        If delta is out of its range, or no noise of use would keep the promise.

    Examples
    --------
    >>> float(rho_of(Fraction(1), Fraction(1, 10**9)))
    0.014972972
    """
    if not 0 < delta < 1:
        raise ParameterError(
            "{delta} must be above 0 and below 1.",
            parameter="delta",
            options={"delta": float(delta)},
        )
    low, high = 0, math.ceil(epsilon * DELTA_DIGITS)
    # Delta grows with rho; `low` always keeps the promise, so that what is returned does.
    while high - low > 1:
        middle = (low + high) // 2
        within = delta_of(middle / DELTA_DIGITS, float(epsilon)) <= float(delta)
        low, high = (middle, high) if within else (low, middle)
    if low == 0:
        raise ParameterError(
            "{epsilon} with {delta} leaves no budget to speak of; raise one of them.",
            parameter="epsilon",
            options={
                "epsilon": Decimal(shown("epsilon", epsilon)),
                "delta": Decimal(shown("delta", delta)),
            },
        )
    return Fraction(low, DELTA_DIGITS)


# How marginals share a budget: more cells, more of it.

POWERS = {"gaussian": 2 / 3, "laplace": 1 / 2}

DIGITS = 10**12  # of a marginal's part


def marginal_weights(n_cells: Sequence[int], law: Law) -> NDArray[np.float64]:
    r"""Return in which proportion marginals share a budget so that their noise is least in all.

    The total of :math:`c_i \sigma_i` over marginals of :math:`c_i` cells is least for budgets
    in proportion to :math:`c_i^{2/3}` with Gaussian, :math:`c_i^{1/2}` with Laplace noise.
    """
    weights: NDArray[np.float64] = np.asarray(n_cells, float) ** POWERS[law]
    return weights


def marginal_parts(n_cells: Sequence[int], law: Law) -> list[Fraction]:
    """Return the part of a budget that each marginal gets; at most 1 in all.

    Examples
    --------
    >>> [float(part) for part in marginal_parts([1, 4, 4], "laplace")]
    [0.2, 0.4, 0.4]
    """
    weights = marginal_weights(n_cells, law)
    # Cut off, not rounded: the parts must not add up to more than the whole.
    return [Fraction(int(w * DIGITS), DIGITS) for w in weights / max(weights.sum(), 1e-300)]


# What synthetic rows guarantee those they were learnt from.


class Fitted(Protocol):
    """What a claim is made from: a fitted synthesizer."""

    epsilon: Fraction
    delta: Fraction
    trust: Trust
    lists: str
    unit: str
    rows_per_person: int
    is_secure: bool


PURE = "differential privacy"

APPROXIMATE = "(epsilon, delta)-differential privacy"

LOCAL = "local differential privacy"

ANY_ROWS = "any two rows that one person could have"

ANY_ROWS_OF_ONE = "any rows that one person could have, of which one is chosen"

SEEDED = "made with a seed, from which all draws can be repeated"

CHOSEN = (
    "The options, the number of rows if it was given, the columns and the edges of bins were "
    "chosen without looking at the table."
)

SECRET = "The random draws, the key of the fingerprint and the table itself stay secret."  # noqa: S105  no password

CENTRAL = "Whoever ran this saw the table as it is, and is trusted to have added the noise stated."

RANDOMIZED = (
    "Every cell was randomized alone, with the chances stated, before anything was learnt from it. "
    "Whoever ran this on a table of true cells saw them, and is trusted with that."
)

N_TIMES = "Several rows of one person: n rows together have n times the epsilon, and more delta."

PUBLIC = (
    "The lists of values that columns can have, and the types of columns, were made without "
    "looking at the table."
)

SELECTED = (
    "The types that columns have in the table, if it was read as a frame, were chosen without "
    "looking at its rows; the values were selected with noise, within epsilon and delta."
)

TAKEN = (
    "The lists of values were read from the table, and the guarantee does not cover that: a value "
    "that is drawn, or counted in the number of values stated, says that somebody has it, however "
    "rare it is."
)

PURPOSE = (
    "What is true of the population can be learnt, and with it something about people who are not "
    "in the table: that is the purpose."
)

RELATIVES = (
    "What can be learnt about a person from others, such as relatives, whose rows are there."
)

N_ROWS = "The number of rows of the table, which is disclosed under local trust."

N_PEOPLE = "The number of people of the table, which is disclosed under local trust."

ACCURACY = (
    "Rows are drawn from noisy counts of single columns and pairs: they are synthetic, and what "
    "depends on more columns at once may be wrong. The guarantee says nothing about accuracy."
)

REPEATED = "Several releases of the same source: what they cost adds up."


def synthetic_claim(made: Fitted, *, columns: tuple[str, ...]) -> Guarantee:
    """Return the claim that holds for everything drawn from a fitted synthesizer.

    Parameters
    ----------
    made : Synthesizer
        Fitted.
    columns : tuple of str
        Those that are published.
    """
    local = made.trust == "local"
    parameters = {"epsilon": made.epsilon}
    if made.delta:
        parameters["delta"] = made.delta
    model = LOCAL if local else APPROXIMATE if made.delta else PURE
    taken = made.lists == FROM_DATA
    several = made.unit == SEVERAL_ROWS
    any_rows = ANY_ROWS_OF_ONE if several else ANY_ROWS
    return Guarantee(
        model=IF_PUBLIC + model if taken else model,
        parameters=parameters,
        unit=made.unit,
        neighbours=any_rows if local else NEIGHBOURS_OF[made.unit],
        columns=columns,
        assumptions=(
            CHOSEN,
            SECRET,
            RANDOMIZED if local else CENTRAL,
            *assumed_of(made.unit),
            *chosen_of(made.unit, made.rows_per_person)[1],
            *((PUBLIC,) if made.lists == "public" else ()),
            *((SELECTED,) if made.lists == PRIVATE else ()),
        ),
        not_protected=(
            *((TAKEN,) if taken else ()),
            *((N_PEOPLE if several else N_ROWS,) if local else ()),
            *((N_TIMES,) if made.unit == ONE_ROW else ()),
            PURPOSE,
            RELATIVES,
            ACCURACY,
            REPEATED,
        ),
        experimental=not made.is_secure,
        experimental_reason=None if made.is_secure else SEEDED,
    )
