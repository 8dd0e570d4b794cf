"""Recovering supports: what the originals held, from what was sent.

Each randomized transaction is worth a number that depends on its true size and on how many
items of the itemset it holds. The mean of these numbers is the support, on average exactly.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.transactions import as_transactions
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.randomize.operators.base import check_n_items
from discreet.randomize.operators.law import floats
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions
    from discreet.randomize.operators.base import Operator, Randomized


def support_weights(
    operator: Operator, m: int, k: int, *, n_items: int | None = None
) -> NDArray[np.float64]:
    r"""Return what a randomized transaction is worth for the support of an itemset.

    .. math:: q[k \leftarrow l'] = (P^{-1})_{k l'}

    Parameters
    ----------
    operator : Operator
        What was applied.
    m : int
        True size of the transaction, at least 0.
    k : int
        Size of the itemset, at least 1.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    ndarray of float64
        One weight for each number l' of items of the itemset, 0 to k. The support is their
        mean, :math:`\sum_{l'} s'_{l'} (q^2 - q) / N` its variance. All 0 for m < k: such a
        transaction supports nothing, whatever it became.

    Raises
    ------
    InfeasibleError
        If the transition matrix is singular.

    References
    ----------
    Evfimievski et al. (2004), Statement 3.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> support_weights(CutAndPaste(cutoff=2, rho="1/5"), 3, 2)
    array([ 0.5625, -2.25  ,  9.    ])
    """
    m, k = checks.whole("m", m, at_least=0), checks.whole("k", k, at_least=0)
    check_n_items(n_items)
    if m < k:
        return np.zeros(k + 1)
    last_row = operator.inverse(m, k, n_items=n_items)[-1]
    return np.array([float(weight) for weight in last_row])


def recover_support(
    counts_by_size: Mapping[int, ArrayLike], *, operator: Operator, n_items: int | None = None
) -> Estimate:
    r"""Return the support of an itemset from counts of randomized transactions.

    .. math:: \tilde s = \sum_m \frac{N_m}{N} \sum_{l'} s'_{m l'} \, q_m[k \leftarrow l'],
        \qquad (\mathrm{Var}\, \tilde s)_{est} = \sum_m \Big(\frac{N_m}{N}\Big)^2
        \frac{1}{N_m} \sum_{l'} s'_{m l'} \big(q_m[k \leftarrow l']^2 - q_m[k \leftarrow l']\big)

    where :math:`N_m` transactions have the true size m and a share :math:`s'_{m l'}` of them
    holds exactly l' items of the itemset after randomization.

    Parameters
    ----------
    counts_by_size : mapping from m to k + 1 counts
        How many randomized transactions hold 0, 1, ..., k items of the itemset, for each true
        size; see :func:`partial_counts`.
    operator : Operator
        What was applied.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    Estimate
        Unbiased support and variance.

    Raises
    ------
    DataError
        If there are no counts, or not the same number of them for every size.
    InfeasibleError
        If the support cannot be recovered from transactions of some size.

    Notes
    -----
    The variance is that of the randomization, the originals being fixed. Both estimators are
    unbiased, but that of the variance can be negative; it is then clipped at 0 and says so.
    Sizes below k contribute support 0 and variance 0.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, Statement 3 and Remark 4.4.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> recover_support({3: [500, 400, 100]}, operator=CutAndPaste(cutoff=2, rho="1/5"))
    Estimate: support 0.2812 with sigma 0.1, from 1_000 randomized transactions
    """
    counts, k, total = _checked(counts_by_size)
    support = variance = worst = 0.0
    for m, row in counts.items():
        weights = support_weights(operator, m, k, n_items=n_items)
        support += float(row @ weights)
        # The plug-in estimate of Statement 3: unbiased, and therefore sometimes below 0.
        variance += float(row @ (weights**2 - weights))
        if m >= k:
            chances = operator.transition(m, k, n_items=n_items)
            spread = chances.T @ weights**2 - (np.arange(k + 1) == k)  # Statement 3, by l
            worst += float(row.sum() * spread.max())
    return Estimate(
        support=support / total,
        unbiased_variance=variance / total**2,
        worst_variance=worst / total**2,
        n_transactions=total,
    )


def recover_partial_supports(
    counts_by_size: Mapping[int, ArrayLike], *, operator: Operator, n_items: int | None = None
) -> PartialSupports:
    r"""Return all partial supports of an itemset from counts of randomized transactions.

    .. math:: \vec s_{est} = Q \vec s\,', \qquad (\mathrm{Cov}\, \vec s_{est})_{est}
        = \tfrac{1}{N} \big(Q \, \mathrm{diag}(\vec s\,') \, Q^T - \mathrm{diag}(\vec s_{est})\big)

    for each true size; sizes combine as in :func:`recover_support`.

    Parameters
    ----------
    counts_by_size : mapping from m to k + 1 counts
        As for :func:`recover_support`.
    operator : Operator
        What was applied.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    PartialSupports
        Unbiased, with an unbiased estimate of their covariance.

    Raises
    ------
    InfeasibleError
        If they cannot be recovered from transactions of some size.

    Notes
    -----
    The covariance is (11) with the estimate in place of the partial supports: as
    :math:`Q \vec p_l` is the l-th unit vector, :math:`Q D[l] Q^T = Q \, \mathrm{diag}(\vec p_l)
    \, Q^T - e_l e_l^T`, and the sum over l is the form above.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=2, rho="1/5")
    >>> recover_partial_supports({3: [500, 400, 100]}, operator=operator).supports
    array([0.53125, 0.1875 , 0.28125])
    """
    counts, k, total = _checked(counts_by_size)
    supports, covariance = np.zeros(k + 1), np.zeros((k + 1, k + 1))
    for m, row in counts.items():
        q = floats(operator.inverse(m, k, n_items=n_items))
        size = len(q)  # of l from 0 to min(k, m)
        found = q @ row
        supports[:size] += found
        covariance[:size, :size] += (q * row) @ q.T - np.diag(found)
    return PartialSupports(
        supports=supports / total, covariance=covariance / total**2, n_transactions=total
    )


def support(randomized: Randomized, itemset: Iterable[Label]) -> Estimate:
    """Return the support of an itemset among the originals, from the randomized transactions.

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    itemset : iterable of labels
        At least one, each once.

    Returns
    -------
    Estimate
        See :func:`recover_support`.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"], ["tea"]] * 5000)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> support(sent, ["tea", "milk"])
    Estimate: support 0.3... with sigma 0.0..., from 15_000 randomized transactions
    """
    counts = partial_counts(randomized, itemset)
    return recover_support(counts, operator=randomized.operator, n_items=randomized.n_items)


def partial_supports(randomized: Randomized, itemset: Iterable[Label]) -> PartialSupports:
    """Return all partial supports of an itemset among the originals.

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    itemset : iterable of labels
        At least one, each once.

    Returns
    -------
    PartialSupports
        See :func:`recover_partial_supports`.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"], ["tea"]] * 5000)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> abs(partial_supports(sent, ["tea", "milk"]).supports - [0, 2 / 3, 1 / 3]).max() < 0.05
    np.True_
    """
    counts = partial_counts(randomized, itemset)
    return recover_partial_supports(
        counts, operator=randomized.operator, n_items=randomized.n_items
    )


def _checked(
    counts_by_size: Mapping[int, ArrayLike],
) -> tuple[dict[int, NDArray[np.float64]], int, int]:
    """Return the counts as arrays, the size of the itemset and the number of transactions."""
    counts = {
        checks.whole("counts_by_size", m, at_least=0): np.asarray(row, np.float64)
        for m, row in counts_by_size.items()
    }
    shapes = {row.shape for row in counts.values()}
    if len(shapes) != 1 or any(len(shape) != 1 or shape[0] < 2 for shape in shapes):
        raise DataError("Give k + 1 counts, of 0 to k items of the itemset, for every size.")
    if any((row < 0).any() or not np.isfinite(row).all() for row in counts.values()):
        raise DataError("Counts of transactions are at least 0.")
    total = sum(float(row.sum()) for row in counts.values())
    if total == 0:
        raise DataError("There are no randomized transactions to recover a support from.")
    return counts, shapes.pop()[0] - 1, int(total)


# What is recovered: a support or all partial supports, with how far off they may be.


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Result):
    """An unbiased estimate of the support of an itemset, as a share of the transactions.

    Attributes
    ----------
    support : float
        The estimate. It may lie outside 0 to 1, which is no error: cutting it off would make
        it biased.
    unbiased_variance : float
        The unbiased estimate of its variance, which may be negative.
    worst_variance : float
        The variance that no data would exceed, for these sizes and this operator.
    n_transactions : int
        Number of transactions, of all sizes.

    Examples
    --------
    >>> found = Estimate(support=0.28, unbiased_variance=0.0025, worst_variance=0.01,
    ...                  n_transactions=1000)
    >>> found
    Estimate: support 0.28 with sigma 0.05, from 1_000 randomized transactions
    >>> low, high = found.interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.182, 0.378)
    """

    support: float
    unbiased_variance: float
    worst_variance: float
    n_transactions: int

    @property
    def clipped(self) -> bool:
        """Whether the variance came out negative and is taken as 0."""
        return self.unbiased_variance < 0

    @property
    def variance(self) -> float:
        """The estimated variance, 0 where it came out negative."""
        return max(0.0, self.unbiased_variance)

    @property
    def sigma(self) -> float:
        """The estimated standard deviation."""
        return math.sqrt(self.variance)

    @property
    def worst_sigma(self) -> float:
        """The standard deviation that no data would exceed."""
        return math.sqrt(self.worst_variance)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval by the normal approximation.

        Parameters
        ----------
        level : float
            Chance that the interval holds the true support, above 0 and below 1.

        Returns
        -------
        tuple of float
            Lower and upper end. Where the variance was clipped, the worst variance stands in
            for it: an interval of no width would claim certainty.
        """
        level = float(checks.inner_share("level", level))
        # A variance estimated as 0 or less would give an interval of no width: the worst case is
        # used.
        sigma = self.worst_sigma if self.clipped else self.sigma
        reach = NormalDist().inv_cdf((1 + level) / 2) * sigma
        return self.support - reach, self.support + reach

    def preview(self) -> Preview:
        """Return one row."""
        low, high = self.interval()
        row = (f"{self.support:.6g}", f"{self.sigma:.3g}", f"{low:.6g} to {high:.6g}")
        return Preview(
            title=f"Support recovered from {self.n_transactions:,} randomized transactions",
            header=("support", "sigma", "95 % interval"),
            rows=[row],
        )

    def to_dict(self) -> dict[str, object]:
        """Return the estimate as plain values."""
        return {
            "support": self.support,
            "sigma": self.sigma,
            "variance": self.variance,
            "unbiased_variance": self.unbiased_variance,
            "worst_variance": self.worst_variance,
            "clipped": self.clipped,
            "n_transactions": self.n_transactions,
        }

    def __repr__(self) -> str:
        clipped = " (its square came out negative)" if self.clipped else ""
        return (
            f"Estimate: support {self.support:.4g} with sigma {self.sigma:.3g}{clipped}, "
            f"from {self.n_transactions:_} randomized transactions"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialSupports:
    """Unbiased estimates of the partial supports of an itemset, with their covariance.

    Attributes
    ----------
    supports : ndarray of float64
        Share of the transactions that hold exactly l of the k items, l from 0 to k.
    covariance : ndarray of float64
        The unbiased estimate of their covariance matrix, (11).
    n_transactions : int
        Number of transactions, of all sizes.
    """

    supports: NDArray[np.float64]
    covariance: NDArray[np.float64]
    n_transactions: int


# How many items of an itemset each randomized transaction holds, and how often, by size.


def overlaps(transactions: object, itemset: Iterable[Label]) -> NDArray[np.int64]:
    """Return how many items of an itemset each transaction holds.

    Parameters
    ----------
    transactions : Transactions, frame or iterable of sets
        Randomized or not.
    itemset : iterable of labels
        At least one, each once.

    Returns
    -------
    ndarray of int64
        From 0 to the size of the itemset, one for each transaction.

    Raises
    ------
    DataError
        If a label is not one of the transactions'.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> overlaps(Transactions.from_iterable([["a", "b"], ["b", "c"], []]), ["a", "b"]).tolist()
    [2, 1, 0]
    """
    transactions = as_transactions(transactions)
    wanted = np.zeros(transactions.n_items, np.bool_)
    wanted[itemset_codes(transactions, itemset)] = True
    at = np.flatnonzero(wanted[transactions.items])
    row = np.searchsorted(transactions.offsets, at, side="right") - 1
    return np.bincount(row, minlength=transactions.n_transactions)


def partial_counts(
    randomized: Randomized, itemset: Iterable[Label]
) -> dict[int, NDArray[np.int64]]:
    """Return how many randomized transactions hold 0, 1, ... items of an itemset, by true size.

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    itemset : iterable of labels
        At least one, each once.

    Returns
    -------
    dict from m to ndarray of int64
        Counts for l' from 0 to k; what :func:`recover_support` takes.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"]] * 500)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> {m: int(counts.sum()) for m, counts in partial_counts(sent, ["tea", "milk"]).items()}
    {1: 500, 2: 500}
    """
    codes = itemset_codes(randomized.transactions, itemset)
    found = overlaps(randomized.transactions, [randomized.transactions.labels[c] for c in codes])
    width = len(codes) + 1
    counts = np.bincount(randomized.sizes * np.int64(width) + found)
    counts = np.pad(counts, (0, -counts.size % width)).reshape(-1, width)
    return {m: counts[m] for m in np.flatnonzero(counts.sum(axis=1)).tolist()}


def itemset_codes(transactions: Transactions, itemset: Iterable[Label]) -> list[int]:
    """Return the codes of labels, or raise an error that names the one that is wrong.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> itemset_codes(Transactions.from_iterable([["tea", "milk"]]), ["tea"])
    [1]
    """
    if isinstance(itemset, str):
        raise ParameterError(
            f"An itemset is a list of items; write [{itemset!r}] for one item.", parameter="items"
        )
    labels = list(itemset)
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(
            f"The itemset {labels!r} must have at least one item, each once.", parameter="items"
        )
    places = {label: code for code, label in enumerate(transactions.labels)}
    wrong = next((label for label in labels if label not in places), None)
    if wrong is not None:
        raise DataError(f"There is no item {wrong!r}. {did_you_mean(str(wrong), map(str, places))}")
    return [places[label] for label in labels]


# Partial supports as the formulas of what can be discovered assume them.


def independent_supports(support: float, k: int) -> NDArray[np.float64]:
    """Return partial supports of k independent and equally frequent items.

    Examples
    --------
    >>> independent_supports(0.25, 2)
    array([0.25, 0.5 , 0.25])
    """
    frequency = support ** (1 / k)
    orders = np.arange(k + 1)
    ways = np.array([math.comb(k, order) for order in range(k + 1)], np.float64)
    found: NDArray[np.float64] = ways * frequency**orders * (1 - frequency) ** (k - orders)
    return found
