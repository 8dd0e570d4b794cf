"""Whether the exact counts of several values may be told: theorem 6, repaired."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import LimitError, ParameterError
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
    from collections.abc import Iterator, Sequence

MAX_VECTORS = 100_000


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
        Must be True, see :func:`~discreet.synthesize.exact_count.exact_count`.

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
    bound = exp_below(assumed_epsilon(epsilon, by_name=assumes_independent_people))
    shares = [exact_chance(chance) for chance in prior]
    if sum(shares) != 1 or not all(shares) or len(shares) < 2 or len(counts) != len(shares):
        raise ParameterError("prior needs a chance above 0 for each count; they add up to 1.")
    n = sum(whole("a count", one, least=0) for one in counts)
    m = len(shares)
    if not n:
        raise ParameterError("counts must not all be 0.")
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
        refusal_ratio=worst_of(ratio_of(a, b) for a in refused for b in refused),
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
    chance = math.prod(
        (share**one for share, one in zip(shares, vector, strict=True)), start=Fraction(1)
    )
    return ways * chance
