"""Padded transactions: one public size for everybody, so that the size discloses nothing.

A transaction that is too large loses items drawn at random, one that is too small is filled up
with null items. Then the local epsilon of that one size holds between any two transactions.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.randomize.operators.base import Randomized

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.noise import Noise
    from discreet.randomize.operators.base import Operator


@dataclass(frozen=True, slots=True, kw_only=True)
class Truncation:
    """What padding to one size took away.

    It is counted from the originals, so it is for whoever holds them.

    Attributes
    ----------
    size : int
        m, the public size.
    n_of_size : mapping from int to int
        Number of originals of each size.
    """

    size: int
    n_of_size: Mapping[int, int]

    @property
    def transaction_rate(self) -> float:
        """Share of the transactions that lost items."""
        n = sum(self.n_of_size.values())
        return sum(count for s, count in self.n_of_size.items() if s > self.size) / max(1, n)

    @property
    def item_rate(self) -> float:
        """Share of the items that were lost."""
        n = sum(s * count for s, count in self.n_of_size.items())
        lost = sum(max(0, s - self.size) * count for s, count in self.n_of_size.items())
        return lost / max(1, n)

    def survival(self, k: int) -> float:
        """Return the expected share of all occurrences of itemsets of k items that are left.

        The support of one itemset shrinks by its own factor, the mean of
        :func:`survival_rate` over the transactions that hold it; this is the mean over all
        itemsets of k items. Where no transaction is too large it is 1.

        Examples
        --------
        >>> Truncation(size=2, n_of_size={2: 30, 4: 10}).survival(2)
        0.444...
        """
        k = checks.whole("k", k, at_least=0)
        before = sum(comb(s, k) * count for s, count in self.n_of_size.items())
        after = sum(comb(min(s, self.size), k) * count for s, count in self.n_of_size.items())
        return after / before if before else 1.0

    def worst_survival(self, k: int) -> float:
        """Return the smallest factor that the support of an itemset of k items can have."""
        largest = max(self.n_of_size, default=0)
        return float(survival_rate(largest, size=self.size, k=k))

    def to_dict(self) -> dict[str, object]:
        """Return the shares as plain values, with factors for itemsets of 1 to 3 items."""
        return {
            "size": self.size,
            "transaction_rate": self.transaction_rate,
            "item_rate": self.item_rate,
            "survival": {str(k): self.survival(k) for k in (1, 2, 3)},
            "worst_survival": {str(k): self.worst_survival(k) for k in (1, 2, 3)},
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Padded:
    """Transactions of one size, the last labels of which are null items.

    Attributes
    ----------
    transactions : Transactions
        All of ``truncation.size`` items.
    truncation : Truncation
        What was taken away for that.
    """

    transactions: Transactions
    truncation: Truncation

    @property
    def dummies(self) -> int:
        """Number of null items."""
        return self.truncation.size


def survival_rate(s: int, *, size: int, k: int) -> Fraction:
    r"""Return the chance that k given items are left of a transaction of s items.

    .. math:: \binom{m}{k} \Big/ \binom{s}{k} \quad (s > m), \qquad 1 \quad (s \le m)

    Parameters
    ----------
    s : int
        Size of the original, at least k for a chance that matters.
    size : int
        m, the public size.
    k : int
        Number of items, at least 0.

    Returns
    -------
    Fraction
        Exact.

    Examples
    --------
    >>> survival_rate(10, size=5, k=2)
    Fraction(2, 9)
    """
    s, size = checks.whole("s", s, at_least=0), checks.whole("size", size, at_least=0)
    k = checks.whole("k", k, at_least=0)
    return Fraction(1) if s <= size or s < k else Fraction(comb(size, k), comb(s, k))


def pad(transactions: object, *, size: int, seed: int | None = None) -> Padded:
    """Return the transactions brought to one size.

    Parameters
    ----------
    transactions : Transactions, frame or iterable of sets
        Of any sizes.
    size : int
        m, at least 1. It is public, and must not be chosen by looking at the transactions.
    seed : int, optional
        For experiments. By default what is lost is drawn from the operating system.

    Returns
    -------
    Padded
        A larger transaction keeps m items drawn uniformly; one with s < m items gets the first
        m - s of m null items, whose labels come after all others.

    Examples
    --------
    >>> baskets = Transactions.from_iterable([["tea", "milk", "jam"], ["tea"], []])
    >>> padded = pad(baskets, size=2)
    >>> padded.transactions.labels
    ('jam', 'milk', 'tea', 'null 1', 'null 2')
    >>> [sorted(one) for one in padded.transactions][1:]
    [['null 1', 'tea'], ['null 1', 'null 2']]
    """
    transactions = as_transactions(transactions)
    m = checks.whole("size", size, at_least=1)
    noise = noise_from(seed)
    labels = (*transactions.labels, *_null_labels(transactions.labels, m))
    real, sizes = transactions.n_items, transactions.sizes
    rows = np.empty((len(transactions), m), np.int64)
    for s in np.unique(sizes).tolist():
        at = np.flatnonzero(sizes == s)
        own = transactions.items[transactions.offsets[at][:, None] + np.arange(s)]
        # Which items a large transaction loses is random: a rule such as the first m would favour
        # some items.
        rows[at, : min(s, m)] = _choose(own, m, noise)
        # Null items are part of the list like all others, so that the operator randomizes them
        # alike and a report does not show how many there were.
        rows[at, s:] = real + np.arange(max(0, m - s))
    offsets = np.arange(0, rows.size + 1, m)
    counted, counts = np.unique(sizes, return_counts=True)
    return Padded(
        transactions=Transactions.from_csr(offsets, rows.ravel(), labels),
        truncation=Truncation(
            size=m, n_of_size=dict(zip(counted.tolist(), counts.tolist(), strict=True))
        ),
    )


def randomize_padded(
    operator: Operator, transactions: object, *, size: int, seed: int | None = None
) -> Randomized:
    r"""Return the transactions padded to one public size, then randomized.

    Parameters
    ----------
    operator : Operator
        Applied to transactions of ``size`` items; it must be per-transaction.
    transactions : Transactions, frame or iterable of sets
        Of any sizes; their labels are the list of all items.
    size : int
        m, at least 1. It is public, and must not be chosen by looking at the transactions.
    seed : int, optional
        For experiments that are repeated and not published.

    Returns
    -------
    Randomized
        All of true size m, with m null labels at the end (``dummies``). Supports recovered from
        it are those of the padded transactions: of itemsets of k items, a transaction of
        s > m items counts with chance :func:`survival_rate` only.

    Notes
    -----
    **Guarantee.** Local differential privacy between **any** two transactions, whatever their
    sizes, with the epsilon of size m among n + m items (:func:`padded_epsilon`), where n is
    the number of items.

    **Proof.** Let u be what a transaction t is padded to: a set of m of n + m items, drawn with
    some chance :math:`\pi_t(u)`. For any two such sets
    :math:`\mathrm{P}[t' \mid u_1] \le \gamma \, \mathrm{P}[t' \mid u_2]`, with the gamma of one
    size m, as both have m items. So
    :math:`\mathrm{P}[t' \mid t_1] = \sum_u \pi_{t_1}(u) \, \mathrm{P}[t' \mid u] \le \gamma
    \min_v \mathrm{P}[t' \mid v] \le \gamma \sum_v \pi_{t_2}(v) \, \mathrm{P}[t' \mid v] =
    \gamma \, \mathrm{P}[t' \mid t_2]`. It is attained for n >= m: a transaction of m items and
    the empty one are padded, with certainty, to sets that share no item, and every ratio of
    two disjoint sets occurs. With fewer than m null items the empty transaction could not be
    padded; with more of them epsilon would stay the same.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste, support
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"], []] * 5000)
    >>> sent = randomize_padded(CutAndPaste(cutoff=3, rho="1/4"), baskets, size=2, seed=1)
    >>> sent
    Randomized: 15,000 transactions of true sizes 2, 2 items and 2 null items, by ...
    >>> abs(support(sent, ["tea", "milk"]).support - 1 / 3) < 0.05
    True
    """
    transactions = as_transactions(transactions)
    if not operator.is_per_transaction:
        raise ParameterError(
            f"Operator {operator.kind!r} needs all transactions in one place.", parameter="operator"
        )
    size = checks.whole("size", size, at_least=1)
    # Before any draw: what is refused does not depend on what was drawn.
    operator.check_sizes([size], transactions.n_items + size)
    # Two streams: what is lost must not depend on the draws that randomize.
    first = None if seed is None else 2 * checks.whole("seed", seed, at_least=0)
    padded = pad(transactions, size=size, seed=first)
    sent = operator.randomize(padded.transactions, seed=None if first is None else first + 1)
    return Randomized(
        transactions=sent.transactions,
        sizes=sent.sizes,
        operator=operator,
        experimental=sent.experimental,
        dummies=padded.dummies,
    )


def padded_epsilon(operator: Operator, *, size: int, n_items: int) -> float:
    """Return the local epsilon between any two padded transactions, rounded up.

    Parameters
    ----------
    operator : Operator
        What is applied after padding.
    size : int
        The public size m, at least 1.
    n_items : int
        Number of real items, at least 1: m null items come on top.

    Returns
    -------
    float
        See the proof in :func:`randomize_padded`.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> round(padded_epsilon(CutAndPaste(cutoff=3, rho="1/4"), size=2, n_items=100), 3)
    3.611
    """
    size = checks.whole("size", size, at_least=1)
    return operator.local_epsilon(size, checks.whole("n_items", n_items, at_least=1) + size)


def _choose(own: NDArray[np.int32], m: int, noise: Noise) -> NDArray[np.int32]:
    """Return m items of every row, drawn uniformly, or all if there are no more."""
    return own if own.shape[1] <= m else _shuffle_rows(own, noise)[:, :m]


def _null_labels(labels: tuple[Label, ...], m: int) -> list[Label]:
    """Return m labels that are not in use, of the kind of the others."""
    if labels and isinstance(labels[0], int):
        below = min(0, *(int(label) for label in labels))
        return [below - 1 - i for i in range(m)]
    used, name = set(labels), "null"
    while any(f"{name} {i + 1}" in used for i in range(m)):
        name += "'"
    return [f"{name} {i + 1}" for i in range(m)]


def _shuffle_rows(rows: NDArray[np.int32], noise: Noise) -> NDArray[np.int32]:
    """Return every row in an order drawn uniformly from all orders, rows independent.

    Examples
    --------
    >>> np.sort(_shuffle_rows(np.array([[1, 2, 3]], np.int32), noise_from(0))).tolist()
    [[1, 2, 3]]
    """
    out, at = rows.copy(), np.arange(len(rows))
    for i in range(rows.shape[1] - 1):  # Fisher and Yates, one column of all rows at a time
        chosen = i + noise.integers(rows.shape[1] - i, size=len(rows))
        out[at, i], out[at, chosen] = out[at, chosen], out[:, i].copy()
    return out
