r"""What chance cannot explain: a release beside its original, with exact tails.

Nobody can see that a coin was thrown. But a release that shows far more rows than were sampled,
sets that were not randomized, or counts without the noise that is stated, is none of the stated
mechanism: the chance of it is worked out, and below one in a billion the claim is refuted.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import DataError
from discreet.verify.evidence import supports
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.verify.certificate import Claims, Step
    from discreet.verify.evidence import Evidence

TOO_RARE = 1e-9

SAMPLED = "rows sampled"
NOISE = "noise beside original"
UNCHANGED = "unchanged transactions"


def at_least(n_seen: NDArray[np.int64], n_all: NDArray[np.int64], share: float) -> float:
    """Return the least chance that so many of so many come, over several counts together.

    Parameters
    ----------
    n_seen, n_all : array of int
        How many came, of how many, for each count.
    share : float
        The chance of each.

    Returns
    -------
    float
        The smallest upper tail of the binomial law, times the number of counts.

    Examples
    --------
    >>> f"{at_least(np.array([10]), np.array([10]), 0.1):.1e}"
    '1.0e-10'
    """
    from scipy.stats import binom  # type: ignore[import-untyped]

    if not len(n_seen):
        return 1.0
    tails = binom.sf(n_seen - 1, n_all, share)
    return min(1.0, float(np.min(tails)) * len(n_seen))


def check_sample_size(evidence: Evidence, share: Fraction) -> Check:
    """Return whether rows sampled at a rate could be as many as are released.

    Parameters
    ----------
    evidence : Evidence
        With the original.
    share : Fraction
        The chance of each row of the original to be sampled and published.

    Returns
    -------
    Check
        Failed if all rows, or those that show one combination of values, are more than chance
        explains. That they are few explains itself: small classes are suppressed.
    """
    matched = evidence.matched
    assert matched is not None
    before, after = matched.original.height, matched.released.height
    seen, of = [after], [before]
    columns = [name for name in matched.released.columns if name not in matched.invented]
    imputed = any(event.name == "impute" for event in evidence.claims.events)
    if columns and not imputed and after:
        found = supports(matched, columns)
        seen += found["n_released"].to_list()
        of += found["support"].to_list()
    alone = at_least(np.array(seen[:1]), np.array(of[:1]), float(share))
    chance = min(2 * alone, 2 * at_least(np.array(seen[1:]), np.array(of[1:]), float(share)))
    if chance < TOO_RARE:
        what = (
            f"{after:,} of {before:,} rows are released"
            if 2 * alone < TOO_RARE
            else "Some combinations of values are released more often"
        )
        detail = (
            f"{what}; sampled at a rate of {float(share):.6g} as stated, so many come with a "
            f"chance below {TOO_RARE:.0e}: the rows were not sampled as stated."
        )
        return Check(name=SAMPLED, passed=False, detail=detail)
    detail = f"{after:,} of {before:,} rows, as many as a rate of {float(share):.6g} can give."
    return Check(name=SAMPLED, passed=True, detail=detail)


# Counts without noise.


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What it costs to see one row replaced: epsilon, or with Gaussian noise a precision."""

    epsilon: float | None = None
    rho: float | None = None

    @property
    def unit(self) -> float:
        """The number of rows below which noise drowns a count."""
        return 1 / max(self._rate, 1e-300)

    @property
    def _rate(self) -> float:
        if self.epsilon is not None:
            return self.epsilon
        assert self.rho is not None
        return math.sqrt(8 * self.rho)

    def log_chance(self, spacing: int) -> float:
        r"""Return the logarithm of the chance that one count is met, tables being that far apart.

        .. math:: \tanh(\varepsilon s / 2) \quad\text{or}\quad s \sqrt{8 \rho / 2 \pi}
        """
        if self.epsilon is not None:
            return math.log(math.tanh(max(self.epsilon * spacing / 2, 1e-300)))
        return min(0.0, math.log(spacing * max(self._rate, 1e-300) / math.sqrt(2 * math.pi)))


def chance_of_counts(
    tables: Sequence[tuple[Mapping[Any, int], Mapping[Any, int]]], cost: Cost
) -> tuple[float, int]:
    r"""Return the logarithm of the chance to meet counts as nearly as they are, and how many.

    Take tables that differ from the original by some rows that have another value, in steps of
    :math:`s` rows. A release within :math:`w < s / 2` of the counts of one is not within it of
    another's. If a row replaced costs :math:`\varepsilon`, the chances of these releases under
    their own tables add up to at most

    .. math:: 1 \ge \sum_{j} e^{-\varepsilon s |j|} P = P \coth(\varepsilon s / 2)

    for one count, and the product for several: the mean chance :math:`P` to meet all counts is
    at most :math:`\prod \tanh(\varepsilon s / 2)`. With Gaussian noise the same follows from the
    largest density, by Hadamard's inequality.

    Parameters
    ----------
    tables : sequence of pairs of mappings of value to int
        Numbers of rows in the original and in the release, for each column.
    cost : Cost
        Of one row replaced by another.

    Returns
    -------
    float
        A logarithm; 0 if nothing can be said.
    int
        The number of counts compared.

    Notes
    -----
    Small counts, which noise drowns, are left out: what is near 0 is met by rounding up from
    below. One count of each column follows from the others.

    Examples
    --------
    >>> counts = {"a": 400, "b": 300, "c": 300}
    >>> chance, n = chance_of_counts([(counts, counts)] * 9, Cost(epsilon=0.1))
    >>> f"{math.exp(chance):.0e}", n
    ('4e-24', 27)
    """
    widest, n_free, n_solid = 0.0, 0, 0
    for before, after in tables:
        n_before, n_after = sum(before.values()), sum(after.values())
        solid = [value for value, count in before.items() if count >= 3 * cost.unit]
        if n_after and len(solid) > 1:
            scale = n_before / n_after
            widest = max(widest, *(abs(after.get(v, 0) * scale - before[v]) for v in solid))
            n_free, n_solid = n_free + len(solid) - 1, n_solid + len(solid)
    chance = n_free * cost.log_chance(math.floor(2 * widest) + 1) if n_free else 0.0
    return chance, n_solid


def check_noise(original: Table, rows: pl.DataFrame, cost: Cost) -> Check:
    """Return whether counts and whole rows of the release differ from the original as noise does.

    Parameters
    ----------
    original : Table
        What was measured.
    rows : DataFrame
        Synthetic rows.
    cost : Cost
        What the certificate says of all measurements together, for one row replaced.
    """
    shared = [name for name in rows.columns if name in original.columns]
    had = {name: _texts(original.values(name), original.codes(name)) for name in shared}
    has = {name: [None if v is None else str(v) for v in rows[name].to_list()] for name in shared}
    shared = [name for name in shared if {*has[name]} <= {*had[name]}]
    if not shared:
        detail = "No column has the values of the original, so that counts cannot be compared."
        return Check(name=NOISE, passed=None, detail=detail)
    whole = [Counter(zip(*(side[n] for n in shared), strict=True)) for side in (had, has)]
    single = [(Counter(had[name]), Counter(has[name])) for name in shared]
    found = [chance_of_counts(single, cost), chance_of_counts([(whole[0], whole[1])], cost)]
    if min(chance for chance, _ in found) + math.log(2) < math.log(TOO_RARE):
        detail = (
            "The counts of the original are met as nearly as noise of the stated size would with a "
            f"chance below {TOO_RARE:.0e}: these rows were not drawn from noisy measurements."
        )
        return Check(name=NOISE, passed=False, detail=detail)
    detail = (
        f"{found[0][1]:,} counts of values and {found[1][1]:,} of whole rows are no nearer to the "
        "original than noise of the stated size can leave them."
    )
    return Check(name=NOISE, passed=True, detail=detail)


def _texts(values: Iterable[object], codes: NDArray[np.unsignedinteger[Any]]) -> list[str | None]:
    texts = np.array([None if value is None else str(value) for value in values], dtype=object)
    found: list[str | None] = texts[codes].tolist()
    return found


# Transactions that came out as they went in.


def check_unchanged(
    same: NDArray[np.bool_], sizes: NDArray[np.int64], chances: Mapping[int, float]
) -> Check:
    """Return whether as many transactions are unchanged as the operator leaves.

    Parameters
    ----------
    same : array of bool
        Which transactions hold the items of the original, and no others.
    sizes : array of int
        Their true sizes.
    chances : mapping of int to float
        For each size, the most likely it is that one comes out unchanged.
    """
    seen = np.array([int(same[sizes == m].sum()) for m in chances], np.int64)
    of = np.array([int((sizes == m).sum()) for m in chances], np.int64)
    each = [
        at_least(seen[i : i + 1], of[i : i + 1], share) for i, share in enumerate(chances.values())
    ]
    if each and min(each) * len(each) < TOO_RARE:
        detail = (
            f"{int(seen.sum()):,} of {int(of.sum()):,} transactions are those of the original; the "
            f"operator leaves so many with a chance below {TOO_RARE:.0e}."
        )
        return Check(name=UNCHANGED, passed=False, detail=detail)
    detail = f"{int(seen.sum()):,} of {int(of.sum()):,} transactions are those of the original."
    return Check(name=UNCHANGED, passed=True, detail=detail)


# The chance that discrete Gaussian noise takes one count over a threshold.

_PI = Decimal("3.1415926535897932384626433832795028841971693993751")  # rounded down

_PRECISION = 60

_TERMS = 1000  # that are added up one by one


def least_chance(least: int, variance: Fraction) -> Decimal:
    r"""Return a bound on the chance that discrete Gaussian noise is ``least`` or more.

    A thousand weights :math:`e^{-x^2 / 2 s^2}` are added up, the rest are at most a geometric sum,
    and all weights together are :math:`\sqrt{2 \pi s^2}` at least.

    Examples
    --------
    >>> from fractions import Fraction
    >>> f"{least_chance(3, Fraction(1)):.6f}"
    '0.004567'
    """
    with localcontext() as context:
        context.prec = _PRECISION
        s2, total, x = (
            Decimal(variance.numerator) / variance.denominator,
            Decimal(0),
            Decimal(least),
        )
        weight, ratio = (-x * x / (2 * s2)).exp(), (-(2 * x + 1) / (2 * s2)).exp()
        shrink = (-1 / s2).exp()
        for _ in range(_TERMS):
            total += weight
            weight, ratio, x = weight * ratio, ratio * shrink, x + 1
        total += weight / (1 - (-x / s2).exp())
        return total / (2 * _PI * s2).sqrt() * (1 + Decimal(10) ** -45)


# What rho of zero-concentrated differential privacy is worth at an epsilon, by its own route.

_HALVINGS = 80


def is_within_delta(rho: Fraction, *, epsilon: Fraction, delta: Fraction) -> bool:
    r"""Say whether rho-zCDP is (epsilon, delta)-differential privacy by the bound of one order.

    .. math:: \ln \delta(\alpha) = (\alpha - 1)(\alpha \rho - \varepsilon)
        + (\alpha - 1) \ln(\alpha - 1) - \alpha \ln \alpha

    holds for every order :math:`\alpha > 1`, and is convex: its slope
    :math:`(2 \alpha - 1) \rho - \varepsilon + \ln(1 - 1 / \alpha)` rises. The order is found by
    halving where the slope is 0; whichever order comes out, the bound is valid.

    Parameters
    ----------
    rho, epsilon, delta : Fraction
        Above 0.

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential privacy,
    corollary 13.

    Examples
    --------
    >>> from fractions import Fraction
    >>> [is_within_delta(Fraction(rho), epsilon=Fraction(1), delta=Fraction(1, 10**9))
    ...  for rho in ("0.014972", "0.014974")]
    [True, False]
    """
    with localcontext() as context:
        context.prec = _PRECISION
        return log_delta(rho, epsilon) <= as_decimal(delta).ln()


def log_delta(rho: Fraction, epsilon: Fraction) -> Decimal:
    """Return the logarithm of the least delta of that bound, to more digits than a float has.

    Examples
    --------
    >>> from fractions import Fraction
    >>> f"{log_delta(Fraction(1, 2), Fraction(1)):.6f}"
    '-1.398989'
    """
    with localcontext() as context:
        context.prec = _PRECISION
        cost, loss = as_decimal(rho), as_decimal(epsilon)
        # Above this order the slope is positive: (2 a - 1) rho > epsilon + 1 and ln(1 - 1/a) > -1.
        low, high = Decimal(1), max(Decimal(2), (loss + 1) / cost + 1)
        for _ in range(_HALVINGS):
            order = (low + high) / 2
            if order in (low, high):
                break
            slope = (2 * order - 1) * cost - loss + (1 - 1 / order).ln()
            low, high = (low, order) if slope > 0 else (order, high)
        order = high
        return (
            (order - 1) * (order * cost - loss)
            + (order - 1) * (order - 1).ln()
            - order * order.ln()
        )


def as_decimal(number: Fraction) -> Decimal:
    """Return a fraction as a decimal of as many digits as the context has."""
    return Decimal(number.numerator) / Decimal(number.denominator)


# What several quantities cost together.

MOST_DIGITS = 20_000  # of different denominators: their sum has as many


def added(costs: Sequence[Fraction]) -> Fraction:
    """Return a sum, equal parts of it first.

    Raises
    ------
    DataError
        If the sum would have too many digits to be worked with.
    """
    denominators = {cost.denominator for cost in costs}
    if sum(each.bit_length() for each in denominators) > 3.4 * MOST_DIGITS:
        raise DataError("The noises have too many digits for what they cost to be added up.")
    above: dict[int, int] = {}
    for cost in costs:
        above[cost.denominator] = above.get(cost.denominator, 0) + cost.numerator
    return sum((Fraction(number, below) for below, number in above.items()), Fraction(0))


# Cells under k-ary randomized response: what the chances that are stated cost.


def check_cells(claims: Claims, sizes: dict[str, int]) -> tuple[Check, Fraction]:
    r"""Return whether the chances of every column fit its epsilon, and the sum of these.

    .. math:: p + (k - 1) q = 1, \qquad \ln (p / q) \le \varepsilon_j

    where :math:`k` is the number of values of the column, :math:`p` the chance that a cell keeps
    its value and :math:`q` that of each other value.

    Raises
    ------
    DataError
        If a column has no chances, or two.
    """
    found: dict[str, Fraction] = {}
    for event in claims.events:
        if event.name != "randomize_cells":
            continue
        column, epsilon, p, q = _read_cells(event)
        if column in found or column not in sizes:
            raise DataError("Chances are stated twice for a column, or for one without a list.")
        found[column] = epsilon
        fault = _cell_fault(sizes[column], epsilon, p, q)
        if fault is not None:
            detail = f"Column '{column}': {fault}."
            return Check(name="cells", passed=False, detail=detail), Fraction(0)
    if set(found) != set(sizes):
        raise DataError("Not every released column states how its cells were randomized.")
    detail = "In every column the chances stated have an epsilon of at most that stated."
    return Check(name="cells", passed=True, detail=detail), sum(found.values(), Fraction(0))


def _cell_fault(n_values: int, epsilon: Fraction, p: Fraction, q: Fraction) -> str | None:
    """Return what is wrong with the chances of a column; None if nothing is."""
    if not 0 <= q <= p <= 1 or p + (n_values - 1) * q != 1:
        return f"p and q are no chances for {n_values} values"
    if n_values == 1:
        return None
    if q == 0:
        return "cells always keep their value, so that there is no epsilon"
    if not is_at_least_log(epsilon, p / q):
        return f"ln(p/q) is above the epsilon of {float(epsilon):.6g} that is stated"
    return None


def _read_cells(event: Step) -> tuple[str, Fraction, Fraction, Fraction]:
    column = event.parameters.get("column")
    numbers = [event.parameters.get(name) for name in ("epsilon", "p", "q")]
    if not isinstance(column, str):
        raise DataError("Chances are stated without their column.")
    read = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | Fraction) or number < 0:
            raise DataError(f"The chances of column '{column}' are not stated.", column=column)
        read.append(Fraction(number))
    return column, *read  # type: ignore[return-value]  # three of them


def is_at_least_log(epsilon: Fraction, gamma: Fraction) -> bool:
    """Say whether a number is at least the natural logarithm of another.

    Examples
    --------
    >>> [is_at_least_log(Fraction(epsilon), Fraction(13)) for epsilon in ("2.5650", "2.5649")]
    [True, False]
    """
    with localcontext() as context:
        context.prec = 60
        return Decimal(epsilon.numerator) / Decimal(epsilon.denominator) >= log_of(gamma)


def log_of(number: Fraction) -> Decimal:
    """Return the natural logarithm of a number above 0."""
    with localcontext() as context:
        context.prec = 60
        return (Decimal(number.numerator) / Decimal(number.denominator)).ln()
