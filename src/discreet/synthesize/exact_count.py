"""Whether an exact number of people may be told: theorem 5, for the released number only."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.errors import DataError, LimitError, ParameterError
from discreet.release.exact import whole
from discreet.synthesize.exponential import exp_below
from discreet.synthesize.parameters import exact_epsilon
from discreet.synthesize.told_counts import ExactCounts, assumed_epsilon, exact_chance

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MAX_LAW_BITS = 1 << 29  # the chances of all counts: 64 MB
MAX_WORK_BITS = 1 << 35  # all that are computed one after the other: about 10 s
_WORD = 30


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
    >>> found = exact_count(480, chances=half, epsilon=0.1, assumes_independent_people=True)
    >>> found.may_be_told, round(float(found.release_rate), 4)
    (True, 0.8788)
    """
    bound = exp_below(assumed_epsilon(epsilon, by_name=assumes_independent_people))
    exact = [exact_chance(chance) for chance in chances]
    n = len(exact)
    if whole("count", count, least=0) > n:
        raise ParameterError(f"count={count} is more than the {n} people with chances.")
    kinds = sorted({chance for chance in exact if 0 < chance < 1})
    if not kinds:
        raise DataError("Every person is known to the attacker; there is nothing to protect.")
    people = Counter(exact)
    denominator = math.lcm(*(chance.denominator for chance in people))
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
    told = [True] * (n + 1)
    at_count = []
    for weight in others:
        rest = _without(law, weight, denominator)
        told = [
            is_told and _is_within(a, b, bound)
            for is_told, (a, b) in zip(told, pairwise([0, *rest, 0]), strict=True)
        ]
        at_count.append((_at(rest, count), _at(rest, count - 1)))
    n_told = sum(one for one, is_told in zip(law, told, strict=True) if is_told)
    return ExactCounts(
        counts=(n - count, count),
        epsilon=exact_epsilon(epsilon),
        ratio=_worst_ratio(at_count),
        refusal_ratio=_worst_ratio(
            _refused(_without(law, weight, denominator), told) for weight in others
        ),
        release_rate=Fraction(n_told, denominator**n),
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
    found = [law[0] // (denominator - weight)]
    for one in law[1:-1]:
        found.append((one - found[-1] * weight) // (denominator - weight))
    return found


def _at(law: Sequence[int], y: int) -> int:
    return law[y] if 0 <= y < len(law) else 0


def _is_within(a: int, b: int, bound: Fraction) -> bool:
    """Return whether neither is more than the bound times the other."""
    return max(a, b) * bound.denominator <= min(a, b) * bound.numerator


def _refused(law: Sequence[int], told: Sequence[bool]) -> tuple[int, int]:
    """Return the chances of a refusal given that a person does not have it, or has it."""
    refused = [y for y, is_told in enumerate(told) if not is_told]
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
