"""Breaches in the paper's sense: what an itemset in a report says of one of its items.

This is an average over all reports that hold the itemset, for one prior. It is no bound on
what an attacker may learn; that is `discreet.randomize.breach`, printed beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from discreet import checks
from discreet.errors import InfeasibleError, ParameterError
from discreet.release.exact import log_above

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.checks import Number
    from discreet.randomize.operators.base import Operator


@dataclass(frozen=True, slots=True)
class Breach:
    """The worst breach over itemset sizes.

    Attributes
    ----------
    level : Fraction
        The posterior of an item of the itemset.
    k : int
        The size of the itemset that causes it.
    """

    level: Fraction
    k: int


def breach_level(
    operator: Operator,
    m: int,
    *,
    supports: Sequence[Number],
    with_item: Sequence[Number] | None = None,
    n_items: int | None = None,
) -> Fraction:
    r"""Return the posterior of an item, given that the report holds an itemset with it.

    .. math:: \mathrm{P}[a \in t \mid A \subseteq t']
        = \frac{\sum_{l=1}^k s_l^+ \, p[l \to k]}{\sum_{l=0}^k s_l \, p[l \to k]}

    where :math:`s_l` is the share of transactions that hold exactly l of the k items of A, and
    :math:`s_l^+` of those which hold a as well.

    Parameters
    ----------
    operator : Operator
        What is applied.
    m : int
        Size of the transactions, at least k.
    supports : sequence of k + 1 probabilities
        The partial supports, summing to 1.
    with_item : sequence of k + 1 probabilities, optional
        :math:`s_l^+`, each at most :math:`s_l`; by default :math:`s_l \, l / k` (16): all items
        of A are alike.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    Fraction
        Exact. 0 if the itemset never shows.

    Raises
    ------
    ParameterError
        If the partial supports do not fit together.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, Definition 4 and section 4.4.

    Examples
    --------
    One of six items each, with the same chance; the report holds one of them:

    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=3, rho="1/4")
    >>> breach_level(operator, 1, supports=["5/6", "1/6"])
    Fraction(13, 33)
    """
    shares = tuple(checks.share(f"supports[{i}]", share) for i, share in enumerate(supports))
    k = len(shares) - 1
    if k < 1 or sum(shares) != 1:
        raise ParameterError(
            "The partial supports of an itemset are k + 1 shares that sum to 1, not to "
            f"{float(sum(shares)):.6g}.",
            parameter="supports",
        )
    m = checks.whole("m", m, at_least=0)
    if m < k:
        raise ParameterError(
            f"An itemset of {k} items does not fit transactions of {m}.", parameter="m"
        )
    chances = operator.all_present(m, k, n_items=n_items)
    return _level(shares, _with_item(shares, with_item), chances)


def challenging_supports(
    s_max: Sequence[Number], k: int, *, repair: bool = False
) -> tuple[Fraction, ...]:
    r"""Return the partial supports of an itemset all of whose subsets are as common as can be.

    .. math:: s_l = \sum_{j=l}^k (-1)^{j-l} \binom{j}{l} \Sigma_j, \quad
        \Sigma_j = \binom{k}{j} s_{max}(j), \quad s_0 = 1 - \sum_{l > 0} s_l \qquad (15)

    Parameters
    ----------
    s_max : sequence of probabilities
        Largest support of an itemset of 1, 2, ... items; at least k of them.
    k : int
        Size of the itemset, at least 1.
    repair : bool
        Whether to take, where these supports contradict each other, the largest that do not,
        instead of refusing them: :math:`s_k` as large as all of s_max allow, then
        :math:`s_{k-1}`, and so on.

    Returns
    -------
    tuple of Fraction
        k + 1 shares that sum to 1.

    Raises
    ------
    InfeasibleError
        If no itemset can have these supports: some :math:`s_l` is negative.

    Notes
    -----
    Largest supports that are met by different itemsets often contradict each other: three
    items in half of the transactions each, but no two together in more than a tenth, would
    fill more than all transactions. The repaired supports are a pessimistic guess, no bound.

    Examples
    --------
    >>> print(*challenging_supports(["1/10", "1/20"], 2))
    17/20 1/10 1/20
    >>> challenging_supports([0.5, 0.1, 0.1], 3)
    Traceback (most recent call last):
    discreet.errors.InfeasibleError: No itemset of 3 items has subsets as common as s_max ...
    """
    k = checks.whole("k", k, at_least=1)
    if len(s_max) < k:
        raise ParameterError(
            f"s_max has {len(s_max)} entries; every size of itemset from 1 to {k} needs one.",
            parameter="s_max",
        )
    largest = [checks.share(f"s_max({j})", value) for j, value in enumerate(s_max[:k], start=1)]
    if repair:
        return _from_the_top(largest)
    sums = [Fraction(1)] + [comb(k, j) * value for j, value in enumerate(largest, start=1)]
    shares = tuple(
        sum(((-1) ** (j - row) * comb(j, row) * sums[j] for j in range(row, k + 1)), Fraction(0))
        for row in range(k + 1)
    )
    wrong = next((row for row, share in enumerate(shares) if share < 0), None)
    if wrong is not None:
        raise InfeasibleError(
            f"No itemset of {k} items has subsets as common as s_max says: the share that holds "
            f"exactly {wrong} of them would be {float(shares[wrong]):.6g}.",
            remedy="Lower s_max, or set {repair}.",
            options={"repair": True},
        )
    return shares


def worst_breach(
    operator: Operator,
    m: int,
    *,
    s_max: Sequence[Number],
    repair: bool = False,
    n_items: int | None = None,
) -> Breach:
    """Return the worst breach of the paper's model over **every** itemset size up to m.

    Parameters
    ----------
    operator : Operator
        What is applied.
    m : int
        Size of the transactions, at least 1.
    s_max : sequence of m probabilities
        Largest support of an itemset of 1, 2, ..., m items among transactions of this size.
    repair : bool
        See :func:`challenging_supports`.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    Breach
        Level and itemset size.

    Notes
    -----
    A heuristic: it supposes that the items of an itemset are alike (16). Leaving out the
    largest itemsets misses breaches: that is how the paper's 9- and 10-item transactions came
    to pass the level that was aimed at.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> worst = worst_breach(CutAndPaste(cutoff=7, rho="1/5"), 2, s_max=["1/20", "1/50"])
    >>> worst.k, round(float(worst.level), 3)
    (2, 0.331)
    """
    m = checks.whole("m", m, at_least=1)
    models = [challenging_supports(s_max, k, repair=repair) for k in range(1, m + 1)]
    return worst_of(operator, m, models=models, n_items=n_items)


def worst_of(
    operator: Operator,
    m: int,
    *,
    models: Sequence[tuple[Fraction, ...]],
    n_items: int | None = None,
) -> Breach:
    """Return the worst breach of itemsets with these partial supports, all items alike.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> model = Fraction(5, 6), Fraction(1, 6)
    >>> worst_of(CutAndPaste(cutoff=3, rho="1/4"), 1, models=[model])
    Breach(level=Fraction(13, 33), k=1)
    """
    found = []
    for shares in models:
        k = len(shares) - 1
        chances = operator.all_present(m, k, n_items=n_items)
        found.append(Breach(_level(shares, _with_item(shares, None), chances), k))
    return max(found, key=lambda one: one.level)


def _level(
    shares: tuple[Fraction, ...], held: tuple[Fraction, ...], chances: tuple[Fraction, ...]
) -> Fraction:
    """Return the posterior of the item, 0 if the itemset never shows."""
    seen = sum((s * p for s, p in zip(shares, chances, strict=True)), Fraction(0))
    if seen == 0:
        return Fraction(0)
    return sum((s * p for s, p in zip(held, chances, strict=True)), Fraction(0)) / seen


def _with_item(
    shares: tuple[Fraction, ...], with_item: Sequence[Number] | None
) -> tuple[Fraction, ...]:
    k = len(shares) - 1
    if with_item is None:
        return tuple(share * Fraction(row, k) for row, share in enumerate(shares))
    held = tuple(checks.share(f"with_item[{i}]", share) for i, share in enumerate(with_item))
    if len(held) != k + 1 or any(a > b for a, b in zip(held, shares, strict=True)) or held[0]:
        raise ParameterError(
            f"with_item must be {k + 1} shares, none above that of supports, the first 0.",
            parameter="with_item",
        )
    if held[k] != shares[k]:
        raise ParameterError(
            "Transactions that hold the whole itemset hold each item of it.", parameter="with_item"
        )
    return held


def _from_the_top(largest: list[Fraction]) -> tuple[Fraction, ...]:
    """Return partial supports, each as large as all of s_max allow, the largest l first."""
    k = len(largest)
    left = [Fraction(1)] + [comb(k, j) * value for j, value in enumerate(largest, start=1)]
    shares = [Fraction(0)] * (k + 1)
    for row in range(k, -1, -1):
        shares[row] = min(left[j] / comb(row, j) for j in range(row + 1))
        left = [rest - comb(row, j) * shares[row] for j, rest in enumerate(left)]
    return tuple(shares)


# What one report can teach at most, whatever the attacker knew: from gamma to posteriors.


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """What transactions of one public size are protected by.

    Attributes
    ----------
    size : int
        The true size, which is published.
    gamma : Fraction or None
        Largest ratio of chances between two transactions of this size; None: no bound.
    posteriors : tuple of (Fraction, Fraction)
        Priors, each with the posterior that no report and no attacker exceeds.
    """

    size: int
    gamma: Fraction | None
    posteriors: tuple[tuple[Fraction, Fraction], ...]

    @property
    def epsilon(self) -> float:
        """The local epsilon, rounded up."""
        return log_above(self.gamma)

    def to_dict(self) -> dict[str, object]:
        """Return the protection as plain values; an infinite epsilon is None."""
        return {
            "size": self.size,
            "epsilon": None if self.gamma is None else self.epsilon,
            "posteriors": [
                {"prior": str(prior), "posterior": str(bound)} for prior, bound in self.posteriors
            ],
        }


def posterior_bound(prior: Number, *, gamma: Fraction | int | None) -> Fraction:
    r"""Return the largest posterior of a property of a transaction, given its whole report.

    .. math:: \mathrm{P}[Q(t) \mid t'] \le \frac{\gamma \pi}{1 - \pi + \gamma \pi}

    where :math:`\pi` is the prior of the property :math:`Q`, whatever it is, and
    :math:`\gamma` bounds the ratio of chances of :math:`t'` under any two transactions.

    Parameters
    ----------
    prior : probability
        From 0 to 1.
    gamma : Fraction, int or None
        At least 1; None for no bound. See :meth:`Operator.gamma`.

    Returns
    -------
    Fraction
        Exact, and attained by some prior and report.

    Notes
    -----
    Unlike a breach level (Definition 4), which averages over all reports that hold an
    itemset, this holds for every single report.

    References
    ----------
    A. Evfimievski, J. Gehrke, R. Srikant (2003), Limiting privacy breaches in privacy
    preserving data mining, section 3 (amplification).

    Examples
    --------
    >>> posterior_bound("1/6", gamma=13)
    Fraction(13, 18)
    """
    before = checks.share("prior", prior)
    if gamma is None:
        return Fraction(int(before > 0))
    gamma = checks.exact("gamma", gamma, at_least=1)
    return gamma * before / (1 - before + gamma * before)


def prevents_breach(gamma: Fraction | int | None, *, prior: Number, posterior: Number) -> bool:
    r"""Return whether no property of at most some prior can reach some posterior.

    .. math:: \frac{\rho_2 (1 - \rho_1)}{\rho_1 (1 - \rho_2)} > \gamma

    where :math:`\rho_1` is ``prior`` and :math:`\rho_2` is ``posterior``: there is no
    rho1-to-rho2 breach.

    Parameters
    ----------
    gamma : Fraction, int or None
        At least 1; None for no bound.
    prior, posterior : probability
        Above 0 and below 1, prior below posterior.

    Returns
    -------
    bool
        Exact: no rounding is involved.

    Examples
    --------
    >>> [prevents_breach(gamma, prior=0.05, posterior=0.5) for gamma in (13, 31)]
    [True, False]
    """
    before = checks.inner_share("prior", prior)
    after = checks.inner_share("posterior", posterior)
    if not before < after:
        raise ParameterError(
            "{prior} must be below {posterior}.",
            parameter="prior",
            options={"prior": prior, "posterior": posterior},
        )
    if gamma is None:
        return False
    gamma = checks.exact("gamma", gamma, at_least=1)
    return after * (1 - before) / (before * (1 - after)) > gamma


def protection(
    operator: Operator,
    *,
    sizes: Iterable[int],
    n_items: int,
    priors: Sequence[Number] = ("1/100", "1/20", "1/5"),
) -> tuple[Protection, ...]:
    """Return the local epsilon and posterior bounds for each public size.

    Parameters
    ----------
    operator : Operator
        What is applied.
    sizes : iterable of int
        The sizes of transactions.
    n_items : int
        Number of all items.
    priors : sequence of probabilities
        Priors to give the bound for.

    Returns
    -------
    tuple of Protection
        One for each size, ascending. Between sizes there is no protection: they are published.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=7, rho={1: 0.047, 5: 0.353, 10: 0.395})
    >>> for one in protection(operator, sizes=[1, 5, 10], n_items=1000, priors=["1/20"]):
    ...     print(one.size, round(one.epsilon, 2), round(float(one.posteriors[0][1]), 3))
    1 5.01 0.888
    5 6.47 0.971
    10 7.0 0.983
    """
    out = []
    for size in sorted({checks.whole("sizes", size, at_least=0) for size in sizes}):
        gamma = operator.gamma(size, n_items)
        bounds = tuple(
            (checks.share("priors", prior), posterior_bound(prior, gamma=gamma)) for prior in priors
        )
        out.append(Protection(size=size, gamma=gamma, posteriors=bounds))
    return tuple(out)
