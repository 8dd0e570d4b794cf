"""Choosing cut-and-paste parameters: no more randomization than a breach level asks for."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.errors import InfeasibleError, ParameterError
from discreet.randomize.breach import challenging_supports, posterior_bound, worst_of
from discreet.randomize.operators.kinds import CutAndPaste
from discreet.randomize.operators.law import gamma_of_law
from discreet.randomize.recovery import independent_supports, support_weights
from discreet.release.exact import log_above
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from discreet.checks import Number
    from discreet.randomize.breach import Breach
    from discreet.randomize.operators.base import Operator

MANY = 5_000_000  # transactions, where their number is not given: the paper's graphs
LEAST_CUTOFF = 3
TARGET = 3  # size of the itemsets to be discovered


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedSize:
    """The parameters chosen for one size, and what they are worth.

    Attributes
    ----------
    size : int
        Of the transactions.
    cutoff : int
        K.
    rho : Fraction
        The smallest on the grid that keeps the breach below the level asked for.
    breach : Breach
        The worst breach of the paper's model, an average, no bound.
    gamma : Fraction
        Largest ratio of chances between two transactions of this size.
    posterior : Fraction
        What the posterior of the commonest item, of prior s_max(1), cannot exceed in any report.
    lowest_support : float
        Lowest discoverable support of the target itemsets among transactions of this size;
        ``inf`` if there are too few of them to discover any.
    """

    size: int
    cutoff: int
    rho: Fraction
    breach: Breach
    gamma: Fraction
    posterior: Fraction
    lowest_support: float

    @property
    def epsilon(self) -> float:
        """The local epsilon among transactions of this size, rounded up."""
        return log_above(self.gamma)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned(Result):
    """Parameters for every size, with the breach level beside epsilon and posterior bound."""

    level: Fraction
    sizes: tuple[TunedSize, ...]

    @property
    def operator(self) -> CutAndPaste:
        """The operator with these parameters."""
        return CutAndPaste(
            {one.size: one.cutoff for one in self.sizes},
            rho={one.size: one.rho for one in self.sizes},
        )

    def preview(self) -> Preview:
        """Return one row for each size."""
        header = ("size", "cutoff", "rho", "breach", "by", "epsilon", "posterior", "discoverable")
        rows = [
            (
                str(one.size),
                str(one.cutoff),
                f"{float(one.rho):.3g}",
                f"{float(one.breach.level):.1%}",
                f"{one.breach.k} items",
                f"{one.epsilon:.2f}",
                f"{float(one.posterior):.1%}",
                f"{one.lowest_support:.3%}" if math.isfinite(one.lowest_support) else "none",
            )
            for one in self.sizes
        ]
        title = (
            f"Cut-and-paste for a breach level of {float(self.level):.0%} (an average, no bound)"
        )
        return Preview(title=title, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the parameters as plain values."""
        return {
            "level": str(self.level),
            "sizes": [
                {
                    "size": one.size,
                    "cutoff": one.cutoff,
                    "rho": str(one.rho),
                    "breach": float(one.breach.level),
                    "breach_items": one.breach.k,
                    "epsilon": one.epsilon,
                    "posterior": float(one.posterior),
                    "lowest_support": (
                        one.lowest_support if math.isfinite(one.lowest_support) else None
                    ),
                }
                for one in self.sizes
            ],
        }


def tune(
    sizes: Mapping[int, int] | Iterable[int],
    *,
    s_max: Sequence[Number] | Mapping[int, Sequence[Number]],
    breach: Number = "1/2",
    cutoffs: Iterable[int] | None = None,
    step: Number = "1/1000",
    repair: bool = False,
) -> Tuned:
    r"""Return cut-and-paste parameters for every size that stay below a breach level.

    For every cutoff K the smallest rho is found for which the worst-case model stays below the
    level for **every** itemset size k up to m; among them the pair is taken that discovers the
    rarest itemsets.

    .. math:: \sum_{l=1}^k s_l^+ \, p[l \to k] < b \sum_{l=0}^k s_l \, p[l \to k] \qquad (14)

    Parameters
    ----------
    sizes : mapping from m to int, or iterable of m
        Sizes of the transactions, with their numbers if known (else 5 million each).
    s_max : sequence of probabilities, or mapping from m to one
        Largest support of an itemset of 1, 2, ..., m items among transactions of size m: a
        guess made before anything is collected. See :func:`max_supports`.
    breach : probability
        The level b, above 0 and below 1.
    cutoffs : iterable of int, optional
        Cutoffs to try, at least 1; by default 3 to the largest size.
    step : probability
        Rho is a multiple of this.
    repair : bool
        Whether to repair maximal supports that contradict each other, instead of refusing
        them; see :func:`challenging_supports`.

    Returns
    -------
    Tuned
        Parameters, with local epsilon and posterior bound beside every breach level.

    Raises
    ------
    InfeasibleError
        If s_max contradicts itself, or no rho reaches the level: no randomization brings the
        posterior below the prior.

    Notes
    -----
    **Guarantee.** None by the breach level: it is an average over reports for one prior. What
    holds is the local epsilon beside it. The breach falls with rho in all cases known, so rho
    is found by bisection; that the pair returned is below the level has been evaluated, in
    exact fractions. Discoverability is that of itemsets of 3 items (or m, if fewer).

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 4.4.

    Examples
    --------
    >>> tuned = tune([1, 2], s_max=["1/20", "1/50"])
    >>> [(one.size, one.cutoff, str(one.rho)) for one in tuned.sizes]
    [(1, 3, '41/1000'), (2, 3, '27/250')]
    >>> [round(one.epsilon, 2) for one in tuned.sizes]
    [4.31, 5.2]
    """
    level = checks.inner_share("breach", breach)
    grid = checks.inner_share("step", step)
    if not isinstance(sizes, Mapping):
        sizes = {checks.whole("sizes", m, at_least=0): MANY for m in sizes}
    counts = checked_sizes(sizes)
    counts.pop(0, None)  # an empty transaction has nothing to hide
    if not counts:
        raise ParameterError(
            "There is no transaction with an item in it.", parameter="transactions"
        )
    tried = list(
        range(LEAST_CUTOFF, max(LEAST_CUTOFF, *counts) + 1) if cutoffs is None else cutoffs
    )
    for cutoff in tried:
        checks.whole("cutoffs", cutoff, at_least=1)
    models = {
        m: [challenging_supports(_largest(s_max, m), k, repair=repair) for k in range(1, m + 1)]
        for m in counts
    }
    found = []
    for m, n in counts.items():
        ways = [
            _tuned(m, n, cutoff, models[m], level=level, grid=grid)
            for cutoff in tried
            if cutoff >= min(TARGET, m)
        ]
        if not ways:
            raise ParameterError(
                f"No cutoff of {tried} recovers itemsets of {min(TARGET, m)} items; try larger.",
                parameter="cutoffs",
            )
        found.append(min(ways, key=lambda one: one.lowest_support))
    return Tuned(level=level, sizes=tuple(found))


def _tuned(
    m: int,
    n: int,
    cutoff: int,
    models: Sequence[tuple[Fraction, ...]],
    *,
    level: Fraction,
    grid: Fraction,
) -> TunedSize:
    """Return the smallest rho of one size and cutoff."""

    def worst(place: int) -> Breach:
        return worst_of(CutAndPaste(cutoff, rho=place * grid), m, models=models)

    # The largest rho of the grid below 1: at 1 every item is in every report, which discloses and
    # recovers nothing.
    high = math.ceil(1 / grid) - 1
    best = worst(high)
    if best.level >= level:
        raise InfeasibleError(
            f"No randomization of transactions of {m} items brings the breach below "
            f"{float(level):.3g}: at {{rho}} an itemset of {best.k} items has "
            f"{float(best.level):.3g}. The prior itself is too high; lower s_max or raise breach.",
            parameter="rho",
            options={"rho": float(high * grid)},
        )
    # By bisection, as the breach level falls while rho rises.
    low = 0
    while high - low > 1:
        middle = (low + high) // 2
        now = worst(middle)
        if now.level < level:
            high, best = middle, now
        else:
            low = middle
    operator = CutAndPaste(cutoff, rho=high * grid)
    # With 2 m items or more gamma does not depend on their number.
    gamma = gamma_of_law(operator.law(m), m, 2 * m)
    assert gamma is not None  # cut-and-paste makes every set possible
    return TunedSize(
        size=m,
        cutoff=cutoff,
        rho=high * grid,
        breach=best,
        gamma=gamma,
        posterior=posterior_bound(models[0][1], gamma=gamma),  # s_max(1)
        lowest_support=lowest_discoverable_support(operator, k=min(TARGET, m), sizes={m: n}),
    )


def _largest(
    s_max: Sequence[Number] | Mapping[int, Sequence[Number]], m: int
) -> tuple[Fraction, ...]:
    """Return s_max(1), ..., s_max(m) for transactions of m items."""
    if isinstance(s_max, Mapping):
        if m not in s_max:
            raise ParameterError(
                f"s_max is not given for transactions of {m} items.", parameter="s_max"
            )
        given = s_max[m]
    else:
        given = s_max
    if len(given) < m:
        raise ParameterError(
            f"s_max has {len(given)} entries for transactions of {m} items; every size of "
            f"itemset from 1 to {m} needs one: a size without an entry is not protected.",
            parameter="s_max",
        )
    return tuple(checks.share(f"s_max({k})", value) for k, value in enumerate(given[:m], start=1))


# The rarest itemsets that can still be distinguished from chance.

GRID = 400  # points between the least support looked at and 1, evenly spaced in the logarithm

LEAST = 1e-12


def lowest_discoverable_support(
    operator: Operator,
    *,
    k: int,
    sizes: Mapping[int, int],
    sigmas: float = 4.0,
    n_items: int | None = None,
) -> float:
    r"""Return the support at which an estimate is four sigmas away from 0.

    .. math:: s = 4 \sigma(s), \qquad \sigma^2(s) = \sum_{m \ge k} \Big(\frac{N_m}{N}\Big)^2
        \frac{1}{N_m} \sum_{l=0}^k s_l \Big(\sum_{l'} p_m[l \to l'] \, q_m[k \leftarrow l']^2
        - \delta_{l=k}\Big)

    where the items of the itemset are independent and equally frequent within every size, so
    that :math:`s_l = \binom{k}{l} f^l (1 - f)^{k-l}`.

    Parameters
    ----------
    operator : Operator
        What is applied.
    k : int
        Size of the itemset, at least 1.
    sizes : mapping from m to int
        Number of transactions of each true size.
    sigmas : float
        How many standard deviations, above 0.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    float
        Share of all transactions; ``inf`` if even an itemset that is everywhere cannot be
        distinguished from none.

    Raises
    ------
    InfeasibleError
        If supports of k items cannot be recovered at all.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 5.1.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=5, rho="0.3")
    >>> [f"{lowest_discoverable_support(operator, k=k, sizes={5: 5_000_000}):.5f}"
    ...  for k in (1, 2, 3)]
    ['0.00234', '0.00237', '0.00228']
    """
    k = checks.whole("k", k, at_least=1)
    sigmas = float(checks.exact("sigmas", sigmas, above=0))
    counts = checked_sizes(sizes)
    total = sum(counts.values())
    reached = sum(n for m, n in counts.items() if m >= k) / total
    spread = np.zeros(k + 1)
    for m, n in counts.items():
        if m >= k:
            weights = support_weights(operator, m, k, n_items=n_items)
            chances = operator.transition(m, k, n_items=n_items)
            spread += n * (chances.T @ weights**2 - (np.arange(k + 1) == k))
    if reached == 0:
        return math.inf

    def excess(within: float) -> float:
        """Return support less so many sigmas, for a support within the sizes that reach k."""
        variance = float(independent_supports(within, k) @ spread) / total**2
        return reached * within - sigmas * math.sqrt(max(0.0, variance))

    points = np.geomspace(LEAST, 1.0, GRID).tolist()
    first = next((i for i, point in enumerate(points) if excess(point) >= 0), None)
    if first is None:
        return math.inf
    low, high = (0.0 if first == 0 else points[first - 1]), points[first]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) >= 0 else (middle, high)
    return reached * float(high)


def checked_sizes(sizes: Mapping[int, int]) -> dict[int, int]:
    """Return the number of transactions of each size, those that occur.

    Examples
    --------
    >>> checked_sizes({3: 10, 4: 0})
    {3: 10}
    """
    if not isinstance(sizes, Mapping):
        raise ParameterError(
            "sizes must give the number of transactions of each size: {5: 1000}.", parameter="sizes"
        )
    counts = {
        checks.whole("sizes", m, at_least=0): checks.whole(f"sizes[{m}]", n, at_least=0)
        for m, n in sizes.items()
    }
    found = {m: n for m, n in sorted(counts.items()) if n}
    if not found:
        raise ParameterError("sizes must have at least one transaction.", parameter="sizes")
    return found
