"""Whether exact counts may be told to an attacker of whom everything is assumed.

Counts without noise are never differentially private. They are epsilon-dependent on each
person, for the released value only, if the attacker knows nothing of people but independent
chances. That is an assumption about the attacker, so nothing here happens unless it is made
by name.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.errors import DataError, GuaranteeError, LimitError, ParameterError
from discreet.release.exact import shown
from discreet.result import Preview, Result
from discreet.synthesize.exponential import exact_epsilon, exp_below, log_above

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MAX_VECTORS = 100_000


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


def exact_count(
    count: int,
    *,
    chances: Sequence[Fraction],
    epsilon: Fraction | float,
    assumes_independent_people: bool = False,
) -> ExactCounts:
    r"""Return whether the exact number of people with a property may be told.

    .. math:: e^{-\varepsilon} \le \frac{P(W_i = y)}{P(W_i = y - 1)} \le e^\varepsilon
        \quad \text{for all } i

    where :math:`y` is the count and :math:`W_i` the sum over all people but i.

    Parameters
    ----------
    count : int
        The number of people with the property.
    chances : sequence of Fraction
        For each person the chance, to the attacker, of having it; from 0 to 1. People with
        chance 0 or 1 are known already.
    epsilon : Fraction or float
        The most dependence, above 0.
    assumes_independent_people : bool
        Must be True: that the attacker believes people to be independent with these chances is
        an assumption that nobody can check.

    Returns
    -------
    ExactCounts
        With the prior named.

    Raises
    ------
    GuaranteeError
        If the assumption is not made by name.
    ParameterError
        If count, chances or epsilon are out of their range.

    Notes
    -----
    :math:`P(X_i = x, Y = y) / (P(X_i = x) P(Y = y)) = P(W_i = y - x) / P(Y = y)`, and
    :math:`P(Y = y)` is a mean of the two numerators, so a bound on their ratio is enough; it
    also bounds the change between two answers. All in whole numbers. Time O(n d n) for n
    people with d different chances.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, theorem 5, which asks for it
    for all releases, although 0 and n never have a bound.

    Examples
    --------
    >>> half = [Fraction(1, 2)] * 1000
    >>> found = exact_count(480, chances=half, epsilon=0.1, assumes_independent_people=True)
    >>> found.may_be_told, round(float(found.release_rate), 4)
    (True, 0.8788)
    """
    bound = exp_below(_assumed(epsilon, by_name=assumes_independent_people))
    exact = [_chance(chance) for chance in chances]
    n = len(exact)
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count <= n:
        raise ParameterError(f"count={count!r} must be a whole number from 0 to {n}.")
    kinds = sorted({chance for chance in exact if 0 < chance < 1})
    if not kinds:
        raise DataError("Every person is known to the attacker; there is nothing to protect.")
    others = [_law([*exact[:i], *exact[i + 1 :]]) for i in map(exact.index, kinds)]
    ratios = [_worst(_ratio(_at(law, y), _at(law, y - 1)) for law in others) for y in range(n + 1)]
    told = [ratio is not None and ratio <= bound for ratio in ratios]
    return ExactCounts(
        counts=(n - count, count),
        epsilon=exact_epsilon(epsilon),
        ratio=ratios[count],
        refusal_ratio=_worst(_refusal_ratio(law, told) for law in others),
        release_rate=sum(
            (chance for chance, is_told in zip(_law(exact), told, strict=True) if is_told),
            Fraction(0),
        ),
        prior=f"{n} independent people, each with the property by a chance of "
        + (f"{kinds[0]}" if set(exact) == set(kinds[:1]) else "their own, as given"),
    )


def exact_counts(
    counts: Sequence[int],
    *,
    prior: Sequence[Fraction],
    epsilon: Fraction | float,
    assumes_independent_people: bool = False,
) -> ExactCounts:
    r"""Return whether the exact counts of several values may be told.

    .. math:: P(W = y - e_x) \le e^\varepsilon P(W = y - e_{x'}) \quad \text{for all } x, x'

    where :math:`y` are the counts, :math:`e_x` is one person with value x and :math:`W` are
    the counts of all other people.

    Parameters
    ----------
    counts : sequence of int
        The number of people with each value.
    prior : sequence of Fraction
        The chance of each value, to the attacker, the same for every person; adding up to 1.
    epsilon : Fraction or float
        The most dependence, above 0.
    assumes_independent_people : bool
        Must be True, see :func:`exact_count`.

    Returns
    -------
    ExactCounts
        With the prior named.

    Raises
    ------
    GuaranteeError
        If the assumption is not made by name.
    ParameterError
        If counts, prior or epsilon are out of their range.
    LimitError
        If there are more than 100,000 vectors of counts, too many to find the chance of
        refusing.

    Notes
    -----
    Theorem 6 of the thesis compares counts that differ in one component by one, which is
    impossible as they add up to n: its hypothesis holds for no table. One person who changes
    takes one from a count and adds it to another. For one prior :math:`\pi`,
    :math:`P(W = y - e_x)` is proportional to :math:`y_x / \pi_x`, so the ratio is that of the
    counts as multiples of what was expected.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, theorem 6, repaired.

    Examples
    --------
    >>> found = exact_counts([34, 33, 33], prior=[Fraction(1, 3)] * 3, epsilon=0.1,
    ...                      assumes_independent_people=True)
    >>> found.ratio, found.may_be_told
    (Fraction(34, 33), True)
    """
    bound = exp_below(_assumed(epsilon, by_name=assumes_independent_people))
    shares = [_chance(chance) for chance in prior]
    if sum(shares) != 1 or not all(shares) or len(shares) < 2 or len(counts) != len(shares):
        raise ParameterError("prior needs a chance above 0 for each count; they add up to 1.")
    if not all(isinstance(one, int) and one >= 0 for one in counts) or not sum(counts):
        raise ParameterError("counts must be whole numbers, at least 0, and not all of them 0.")
    n, m = sum(counts), len(shares)
    if math.comb(n + m - 1, m - 1) > MAX_VECTORS:
        raise LimitError(
            f"{n} people can have {m} values in more than {MAX_VECTORS:,} ways; the chance of "
            "refusing cannot be found. Merge values, or add noise to the counts instead."
        )
    told_given = [Fraction(0)] * m
    for vector in _vectors(n, m):
        ratio = _vector_ratio(vector, shares)
        if ratio is not None and ratio <= bound:
            chance = _multinomial(vector, shares)
            for x in range(m):  # P(W = y - e_x) = P(Y = y) y_x / (n pi_x)
                told_given[x] += chance * vector[x] / (n * shares[x])
    refused = [1 - chance for chance in told_given]
    return ExactCounts(
        counts=tuple(counts),
        epsilon=exact_epsilon(epsilon),
        ratio=_vector_ratio(counts, shares),
        refusal_ratio=_worst(_ratio(a, b) for a in refused for b in refused),
        release_rate=sum(
            (share * told for share, told in zip(shares, told_given, strict=True)), Fraction(0)
        ),
        prior=f"{n} independent people, each with values by chances {', '.join(map(str, shares))}",
    )


def _vector_ratio(vector: Sequence[int], shares: Sequence[Fraction]) -> Fraction | None:
    multiples = [one / share for one, share in zip(vector, shares, strict=True)]
    return Fraction(max(multiples) / min(multiples)) if min(multiples) else None


def _vectors(n: int, m: int) -> Iterator[tuple[int, ...]]:
    """Yield all vectors of m counts that add up to n."""
    if m == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for others in _vectors(n - first, m - 1):
            yield (first, *others)


def _multinomial(vector: Sequence[int], shares: Sequence[Fraction]) -> Fraction:
    ways = math.factorial(sum(vector))
    for one in vector:
        ways //= math.factorial(one)
    return ways * math.prod(share**one for share, one in zip(shares, vector, strict=True))


def _law(chances: Sequence[Fraction]) -> list[Fraction]:
    """Return the chances of the sums 0 to n of independent bits."""
    denominator = math.lcm(*(chance.denominator for chance in chances))
    law = [1]
    for chance in chances:
        with_it = chance.numerator * (denominator // chance.denominator)
        law = [b * (denominator - with_it) + a * with_it for a, b in pairwise([0, *law, 0])]
    return [Fraction(one, denominator ** len(chances)) for one in law]


def _at(law: Sequence[Fraction], y: int) -> Fraction:
    return law[y] if 0 <= y < len(law) else Fraction(0)


def _refusal_ratio(law: Sequence[Fraction], told: Sequence[bool]) -> Fraction | None:
    """Return the ratio of the chances of a refusal given that a person has it or not."""
    refused = [y for y, is_told in enumerate(told) if not is_told]
    without = sum((_at(law, y) for y in refused), Fraction(0))
    with_it = sum((_at(law, y - 1) for y in refused), Fraction(0))
    return _ratio(without, with_it)


def _ratio(a: Fraction, b: Fraction) -> Fraction | None:
    """Return the larger over the smaller, 1 if neither can happen, None if only one can."""
    if not (a and b):
        return None if a or b else Fraction(1)
    return max(a / b, b / a)


def _worst(ratios: Iterator[Fraction | None]) -> Fraction | None:
    found = list(ratios)
    return None if None in found else max(one for one in found if one is not None)


def _chance(value: Fraction) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction) or not 0 <= value <= 1:
        raise ParameterError(f"{value!r} is no chance; give Fractions from 0 to 1.")
    return Fraction(value)


def _assumed(epsilon: Fraction | float, *, by_name: bool) -> Fraction:
    if not by_name:
        raise GuaranteeError(
            "Exact counts are not differentially private. They are told only to an attacker who "
            "takes people for independent; say assumes_independent_people=True if you assume so."
        )
    return exact_epsilon(epsilon)
