"""Whether exact counts of people may be released, to an attacker of whom much is assumed.

One count by theorem 5 of the thesis, for the released number only; a histogram by theorem 6,
repaired.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet import checks
from discreet.errors import DataError, GuaranteeError, LimitError, ParameterError
from discreet.release.exact import exp_below, log_above, shown
from discreet.result import Preview, Result
from discreet.synthesize.budget import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


MAX_LAW_BITS = 1 << 29  # the chances of all counts: 64 MB

MAX_WORK_BITS = 1 << 35  # all that are computed one after the other: about 10 s

_WORD = 30


def decide_exact_count(
    count: int,
    *,
    chances: Sequence[Fraction],
    epsilon: Fraction | float,
    assumes_independent_people: bool = False,
) -> ExactCountDecision:
    r"""Return whether the exact number of people with a property may be released.

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
    ExactCountDecision
        With the prior named.

    Raises
    ------
    GuaranteeError
        If the assumption is not made by name.
    ParameterError
        If count, chances or epsilon are out of their range.
    DataError
        If the count is impossible with these chances, or every person is known.
    LimitError
        If the chances of all counts are too long to work out: from about 23,000 people on with
        chances of 1/2, or 1,600 with chances of their own in hundredths.

    Notes
    -----
    :math:`P(X_i = x, Y = y) / (P(X_i = x) P(Y = y)) = P(W_i = y - x) / P(Y = y)`, and
    :math:`P(Y = y)` is a mean of the two numerators, so a bound on their ratio is enough; it
    also bounds the change between two answers. All in whole numbers, multiples of
    :math:`1 / q^n` with q the common denominator: binomial coefficients for the chance that most
    people have, times one factor for each of the m others, and divided by one for each of the d
    different chances. Time O(n (m + d)) operations on numbers of n log q bits.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, theorem 5, which asks for it
    for all releases, although 0 and n never have a bound.

    Examples
    --------
    >>> half = [Fraction(1, 2)] * 1000
    >>> found = decide_exact_count(480, chances=half, epsilon=0.1, assumes_independent_people=True)
    >>> found.may_be_released, round(float(found.release_rate), 4)
    (True, 0.8788)
    """
    bound = exp_below(assumed_epsilon(epsilon, by_name=assumes_independent_people))
    exact = [checks.share("chances", chance) for chance in chances]
    n = len(exact)
    count = checks.whole("count", count, at_least=0, at_most=n)
    kinds = sorted({chance for chance in exact if 0 < chance < 1})
    if not kinds:
        raise DataError("Every person is known to the attacker; there is nothing to protect.")
    people = Counter(exact)
    denominator = math.lcm(*(chance.denominator for chance in people))
    # How long all chances are together: n + 1 numbers below q^n.
    law_bits = (n + 1) * n * (denominator - 1).bit_length()
    n_laws = n - max(people.values()) + len(kinds)
    n_words = 1 + denominator.bit_length() // _WORD  # by which each number is multiplied
    if law_bits > MAX_LAW_BITS or law_bits * n_laws * n_words > MAX_WORK_BITS:
        raise LimitError(
            f"The chances of all counts of {n:,} people, by {len(people):,} different chances "
            f"with a common denominator of {denominator.bit_length():,} bits, are too long to "
            "work out. Give fewer different chances, or rounder ones; or add noise to the count."
        )
    weights = {chance: int(chance * denominator) for chance in people}
    law = _law({weights[chance]: times for chance, times in people.items()}, denominator)
    if not law[count]:
        raise DataError(f"A count of {count} is impossible with these chances; they are wrong.")
    # One at a time: all laws together would be long
    others = [weights[chance] for chance in kinds]
    released = [True] * (n + 1)  # for every count there could be: refusing is an answer too
    at_count = []
    for weight in others:
        rest = _without(law, weight, denominator)
        released = [
            so_far and _is_within(a, b, bound)
            for so_far, (a, b) in zip(released, pairwise([0, *rest, 0]), strict=True)
        ]
        at_count.append((_at(rest, count), _at(rest, count - 1)))
    weight_released = sum(one for one, may in zip(law, released, strict=True) if may)
    return ExactCountDecision(
        counts=(n - count, count),
        epsilon=exact_epsilon(epsilon),
        ratio=_worst_ratio(at_count),
        refusal_ratio=_worst_ratio(
            _refused(_without(law, weight, denominator), released) for weight in others
        ),
        release_rate=Fraction(weight_released, denominator**n),
        prior=f"{n} independent people, each with the property by a chance of "
        + (f"{kinds[0]}" if set(exact) == set(kinds[:1]) else "their own, as given"),
    )


def _law(people: Mapping[int, int], denominator: int) -> list[int]:
    """Return the chances of the sums 0 to n of independent bits, as multiples of 1 / q^n.

    Parameters
    ----------
    people : mapping of int to int
        How many have each chance, as a multiple of 1 / q.
    denominator : int
        The q.
    """
    most = max(people, key=people.__getitem__)
    law = _binomial(people[most], most, denominator - most)
    for weight, times in people.items():
        for _ in range(times if weight != most else 0):
            law = [b * (denominator - weight) + a * weight for a, b in pairwise([0, *law, 0])]
    return law


def _binomial(n: int, with_it: int, without: int) -> list[int]:
    """Return the n + 1 coefficients of (without + with_it x)^n."""
    ways, upwards, downwards = [1], [1], [1]
    for y in range(n):
        ways.append(ways[-1] * (n - y) // (y + 1))
        upwards.append(upwards[-1] * with_it)
        downwards.append(downwards[-1] * without)
    return [
        one * up * down for one, up, down in zip(ways, upwards, reversed(downwards), strict=True)
    ]


def _without(law: Sequence[int], weight: int, denominator: int) -> list[int]:
    """Return the law of all others: the factor of one person divided out, without a rest."""
    # Division of polynomials: law = found * ((q - w) + w x), coefficient by coefficient.
    found = [law[0] // (denominator - weight)]
    for one in law[1:-1]:
        found.append((one - found[-1] * weight) // (denominator - weight))
    return found


def _at(law: Sequence[int], y: int) -> int:
    return law[y] if 0 <= y < len(law) else 0


def _is_within(a: int, b: int, bound: Fraction) -> bool:
    """Return whether neither is more than the bound times the other."""
    return max(a, b) * bound.denominator <= min(a, b) * bound.numerator


def _refused(law: Sequence[int], released: Sequence[bool]) -> tuple[int, int]:
    """Return the chances of a refusal given that a person does not have it, or has it."""
    refused = [y for y, may in enumerate(released) if not may]
    return sum(_at(law, y) for y in refused), sum(_at(law, y - 1) for y in refused)


def _worst_ratio(pairs: Iterable[tuple[int, int]]) -> Fraction | None:
    """Return the largest ratio of two numbers, None if one has no bound; only it is reduced."""
    worst = (1, 1)
    for a, b in pairs:
        high, low = max(a, b), min(a, b)
        if high and not low:
            return None
        if high * worst[1] > worst[0] * low:
            worst = (high, low)
    return Fraction(*worst)


# Whether the exact counts of several values may be released: theorem 6, repaired.

MAX_VECTORS = 100_000


def decide_exact_histogram(
    counts: Sequence[int],
    *,
    prior: Sequence[Fraction],
    epsilon: Fraction | float,
    assumes_independent_people: bool = False,
) -> ExactCountDecision:
    r"""Return whether the exact counts of several values may be released.

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
        Must be True, see :func:`~discreet.synthesize.dependence.exact_release.decide_exact_count`.

    Returns
    -------
    ExactCountDecision
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
    >>> found = decide_exact_histogram([34, 33, 33], prior=[Fraction(1, 3)] * 3, epsilon=0.1,
    ...                      assumes_independent_people=True)
    >>> found.ratio, found.may_be_released
    (Fraction(34, 33), True)
    """
    bound = exp_below(assumed_epsilon(epsilon, by_name=assumes_independent_people))
    shares = [checks.share("prior", chance) for chance in prior]
    if sum(shares) != 1 or not all(shares) or len(shares) < 2 or len(counts) != len(shares):
        raise ParameterError(
            "prior needs a chance above 0 for each count; they add up to 1.", parameter="prior"
        )
    n = sum(checks.whole("counts", one, at_least=0) for one in counts)
    m = len(shares)
    if not n:
        raise ParameterError("counts must not all be 0.", parameter="counts")
    if math.comb(n + m - 1, m - 1) > MAX_VECTORS:
        raise LimitError(
            f"{n} people can have {m} values in more than {MAX_VECTORS:,} ways; the chance of "
            "refusing cannot be found. Merge values, or add noise to the counts instead."
        )
    released_given = [Fraction(0)] * m
    for vector in _vectors(n, m):
        ratio = _vector_ratio(vector, shares)
        if ratio is not None and ratio <= bound:
            chance = _multinomial(vector, shares)
            for x in range(m):  # P(W = y - e_x) = P(Y = y) y_x / (n pi_x)
                released_given[x] += chance * vector[x] / (n * shares[x])
    refused = [1 - chance for chance in released_given]
    return ExactCountDecision(
        counts=tuple(counts),
        epsilon=exact_epsilon(epsilon),
        ratio=_vector_ratio(counts, shares),
        refusal_ratio=worst_of(ratio_of(a, b) for a in refused for b in refused),
        release_rate=sum(
            (share * given for share, given in zip(shares, released_given, strict=True)),
            Fraction(0),
        ),
        prior=f"{n} independent people, each with values by chances {', '.join(map(str, shares))}",
    )


def _vector_ratio(vector: Sequence[int], shares: Sequence[Fraction]) -> Fraction | None:
    # P(W = y - e_x) is proportional to y_x / pi_x: see the notes above.
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
    chance = math.prod(
        (share**one for share, one in zip(shares, vector, strict=True)), start=Fraction(1)
    )
    return ways * chance


# The decision, and the assumption about the attacker that it rests on.
#
# Counts without noise are never differentially private. They are epsilon-dependent on each
# person, for the released value only, if the attacker knows nothing of people but independent
# chances. That is an assumption about the attacker, so nothing here happens unless it is made
# by name.


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactCountDecision(Result):
    """Whether counts may be released as they are, to an attacker with this prior.

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
        Chance, under the prior, that the counts are such that they may be released.
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
    def may_be_released(self) -> bool:
        """Whether these counts, and refusing others, both keep to epsilon."""
        most = exp_below(self.epsilon)
        return all(one is not None and one <= most for one in (self.ratio, self.refusal_ratio))

    @property
    def sentence(self) -> str:
        """The claim, with its assumption."""
        verdict = "may be released" if self.may_be_released else "must not be released"
        return (
            f"The exact counts {verdict}: epsilon {shown('epsilon', self.epsilon)} of dependence "
            f"on each person, for an attacker who believes only this: {self.prior}. This is not "
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
            "may_be_released": self.may_be_released,
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


def assumed_epsilon(epsilon: Fraction | float, *, by_name: bool) -> Fraction:
    """Return epsilon, or raise GuaranteeError unless the assumption was made by name."""
    if not by_name:
        raise GuaranteeError(
            "Exact counts are not differentially private. They may be released only to an attacker "
            "who takes people for independent; give {assumes_independent_people} to assume so.",
            options={"assumes_independent_people": True},
        )
    return exact_epsilon(epsilon)
