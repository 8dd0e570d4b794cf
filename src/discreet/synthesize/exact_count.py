"""Whether an exact number of people may be told: theorem 5, for the released number only."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError
from discreet.release.exact import whole
from discreet.synthesize.exponential import exp_below
from discreet.synthesize.parameters import exact_epsilon
from discreet.synthesize.told_counts import (
    ExactCounts,
    assumed_epsilon,
    exact_chance,
    ratio_of,
    worst_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    bound = exp_below(assumed_epsilon(epsilon, by_name=assumes_independent_people))
    exact = [exact_chance(chance) for chance in chances]
    n = len(exact)
    if whole("count", count, least=0) > n:
        raise ParameterError(f"count={count} is more than the {n} people with chances.")
    kinds = sorted({chance for chance in exact if 0 < chance < 1})
    if not kinds:
        raise DataError("Every person is known to the attacker; there is nothing to protect.")
    law = _law(exact)
    if not law[count]:
        raise DataError(f"A count of {count} is impossible with these chances; they are wrong.")
    others = [_law([*exact[:i], *exact[i + 1 :]]) for i in map(exact.index, kinds)]
    ratios = [
        worst_of(ratio_of(_at(rest, y), _at(rest, y - 1)) for rest in others) for y in range(n + 1)
    ]
    told = [ratio is not None and ratio <= bound for ratio in ratios]
    return ExactCounts(
        counts=(n - count, count),
        epsilon=exact_epsilon(epsilon),
        ratio=ratios[count],
        refusal_ratio=worst_of(_refusal_ratio(rest, told) for rest in others),
        release_rate=sum(
            (chance for chance, is_told in zip(law, told, strict=True) if is_told),
            Fraction(0),
        ),
        prior=f"{n} independent people, each with the property by a chance of "
        + (f"{kinds[0]}" if set(exact) == set(kinds[:1]) else "their own, as given"),
    )


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
    return ratio_of(without, with_it)
