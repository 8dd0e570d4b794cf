"""Breaches that happened: what itemsets in reports say of the originals, counted.

Only whoever has both originals and reports can count this: it is for experiments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.data.frames import as_kind
from discreet.data.transactions import as_transactions
from discreet.errors import DataError, LimitError
from discreet.limits import size_limit
from discreet.mine import frequent
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions
    from discreet.randomize.operators.base import Randomized


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredBreach:
    """Breaches of one transaction size by itemsets of one size.

    Attributes
    ----------
    size : int
        m, of the transactions.
    k : int
        Of the itemsets.
    n_itemsets : int
        How many itemsets occurred in reports.
    average, worst : float
        Mean and maximum over the itemsets of the share of reports with the itemset whose
        original held the item of it that is found most often.
    n_reports : int
        Reports that hold the worst itemset: few make for a large fluctuation.
    """

    size: int
    k: int
    n_itemsets: int
    average: float
    worst: float
    n_reports: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredBreaches(Result):
    """Breaches by transaction size and itemset size; the paper's tables 4 and 8.

    Attributes
    ----------
    breaches : tuple of MeasuredBreach
        Averages over reports, for the data at hand.
    epsilons : mapping from m to float
        The local epsilon of each transaction size, which holds for any data and every report.
    """

    breaches: tuple[MeasuredBreach, ...]
    epsilons: Mapping[int, float]

    def worst_average(self) -> dict[int, MeasuredBreach]:
        """Return, for each transaction size, the itemset size with the largest average."""
        return self._largest(lambda one: one.average)

    def worst(self) -> dict[int, MeasuredBreach]:
        """Return, for each transaction size, the itemset size with the largest breach."""
        return self._largest(lambda one: one.worst)

    def _largest(self, key: Any) -> dict[int, MeasuredBreach]:  # noqa: ANN401 - of a breach
        sizes = sorted({one.size for one in self.breaches})
        return {m: max((one for one in self.breaches if one.size == m), key=key) for m in sizes}

    def preview(self) -> Preview:
        """Return one row for each transaction size, as in the paper's table 4."""
        averages, worsts = self.worst_average(), self.worst()
        rows = [
            (
                str(m),
                f"{averages[m].k}: {averages[m].average:.1%}",
                f"{worsts[m].k}: {worsts[m].worst:.1%}",
                f"{worsts[m].n_reports:,}",
                f"{self.epsilons[m]:.2f}",
            )
            for m in averages
        ]
        return Preview(
            title="Breaches counted (itemset size: share of reports)",
            header=("size", "worst average", "worst of the worst", "reports", "epsilon"),
            rows=rows,
        )

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401 - of the library asked for
        """Return a frame with a row for each transaction size and itemset size."""
        import polars as pl

        names = ("size", "k", "n_itemsets", "average", "worst", "n_reports")
        columns = {name: [getattr(one, name) for one in self.breaches] for name in names}
        return as_kind(pl.DataFrame(columns), kind)

    def to_dict(self) -> dict[str, object]:
        """Return all breaches as plain values."""
        names = ("size", "k", "n_itemsets", "average", "worst", "n_reports")
        return {
            "breaches": [{name: getattr(one, name) for name in names} for one in self.breaches],
            "epsilons": {
                str(m): epsilon if math.isfinite(epsilon) else None
                for m, epsilon in self.epsilons.items()
            },
        }


def measured_breaches(
    original: object,
    randomized: Randomized,
    *,
    min_frequency: float = 0.002,
    max_size: int | None = None,
) -> MeasuredBreaches:
    """Return the breaches that frequent itemsets caused, by transaction and itemset size.

    Of the reports that hold an itemset, the share whose originals held one item of it; the
    item with the largest share counts.

    Parameters
    ----------
    original : Transactions, frame or iterable of sets
        Before randomization.
    randomized : Randomized
        What became of them, in the same order.
    min_frequency : float
        Share of the originals from which on an itemset is frequent, above 0 and at most 1.
    max_size : int, optional
        Largest itemset, at least 1; by default that of the largest transaction.

    Returns
    -------
    MeasuredBreaches
        One entry for each size m and k up to m with an itemset that some report holds.

    Raises
    ------
    DataError
        If the two do not belong together.

    Notes
    -----
    Where no itemset of a size is frequent, the commonest one of the transactions of that size
    stands in, as in the paper. Memory: one bit for each transaction and item that occurs in
    the itemsets, twice.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 5.4, tables 4 and 8.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["tea"], ["jam"]] * 2000)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> found = measured_breaches(baskets, sent, min_frequency=0.1)
    >>> [(one.size, one.k, one.n_itemsets) for one in found.breaches]
    [(1, 1, 3), (2, 1, 3), (2, 2, 1)]
    """
    original = as_transactions(original)
    sent = randomized.transactions
    real = original.n_items
    if sent.labels[:real] != original.labels or not np.array_equal(
        original.sizes, randomized.sizes
    ):
        raise DataError(
            "The originals are not those of the randomized transactions: labels or sizes differ."
        )
    min_frequency = float(checks.exact("min_frequency", min_frequency, above=0, at_most=1))
    limit = min(size_limit(max_size), int(original.sizes.max(initial=0)))
    if limit == 0:
        return MeasuredBreaches(breaches=(), epsilons={})
    common = _by_size(original, min_frequency, limit)
    found: list[MeasuredBreach] = []
    for m in sorted(set(original.sizes.tolist()) - {0}):
        rows = np.flatnonzero(original.sizes == m)
        before, after = original.take(rows), sent.take(rows)
        orders = range(1, min(m, limit) + 1)
        rarer = {} if all(k in common for k in orders) else _commonest(before, m)
        for k in orders:
            one = _measure(before, after, common.get(k) or rarer[k], m, k)
            if one is not None:
                found.append(one)
    sizes = sorted({one.size for one in found})
    epsilons = {m: randomized.operator.local_epsilon(m, randomized.n_items) for m in sizes}
    return MeasuredBreaches(breaches=tuple(found), epsilons=epsilons)


def _by_size(
    original: Transactions, min_frequency: float, max_size: int
) -> dict[int, list[list[int]]]:
    """Return the codes of the frequent itemsets by their size."""
    mined = frequent(original, min_frequency=min_frequency, max_size=max_size)
    code_of: dict[object, int] = {label: code for code, label in enumerate(original.labels)}
    out: dict[int, list[list[int]]] = {}
    for items, _ in mined:
        codes = sorted(code_of[item] for item in items)
        out.setdefault(len(codes), []).append(codes)
    return out


def _commonest(before: Transactions, m: int) -> dict[int, list[list[int]]]:
    """Return the codes of the commonest itemset of each size, among transactions of m items."""
    code_of: dict[object, int] = {label: code for code, label in enumerate(before.labels)}
    return {
        k: [] if best.itemset is None else [sorted(code_of[item] for item in best.itemset)]
        for k, best in enumerate(max_supports(before, sizes=[m])[m], start=1)
    }


def _measure(
    before: Transactions, after: Transactions, itemsets: Sequence[Sequence[int]], m: int, k: int
) -> MeasuredBreach | None:
    """Return the breaches of itemsets of one size, None if no report holds any."""
    used = sorted({code for itemset in itemsets for code in itemset})
    old, new = _bits(before, used), _bits(after, used)
    place = {code: i for i, code in enumerate(used)}
    levels: list[tuple[float, int]] = []
    for itemset in itemsets:
        at = [place[code] for code in itemset]
        holding = np.bitwise_and.reduce(new[at], axis=0)
        n_reports = int(np.bitwise_count(holding).sum())
        if n_reports:
            n_held = np.bitwise_count(old[at] & holding).sum(axis=1)
            levels.append((int(n_held.max()) / n_reports, n_reports))
    if not levels:
        return None
    worst, n_reports = max(levels)
    average = sum(level for level, _ in levels) / len(levels)
    return MeasuredBreach(
        size=m, k=k, n_itemsets=len(levels), average=average, worst=worst, n_reports=n_reports
    )


def _bits(transactions: Transactions, used: Sequence[int]) -> NDArray[np.uint8]:
    """Return a row of bits for each item used, one bit for each transaction."""
    place = np.full(transactions.n_items, -1)
    place[list(used)] = np.arange(len(used))
    row = np.repeat(np.arange(len(transactions)), transactions.sizes)
    at = place[transactions.items]
    is_used = at >= 0
    out = np.zeros((len(used), (len(transactions) + 7) // 8), np.uint8)
    bit = np.left_shift(1, row[is_used] % 8).astype(np.uint8)
    np.bitwise_or.at(out, (at[is_used], row[is_used] // 8), bit)
    return out


# The commonest itemsets of every size, which decide how much randomization is needed.

MOST_ITEMSETS = 2_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxSupport:
    """The largest support of itemsets of one size.

    Attributes
    ----------
    share : Fraction
        Of the transactions.
    itemset : frozenset of labels, or None
        One that has it; None where the share is a bound that no itemset passes.
    """

    share: Fraction
    itemset: frozenset[Label] | None


def max_supports(
    transactions: object, *, sizes: Iterable[int] | None = None
) -> dict[int, tuple[MaxSupport, ...]]:
    """Return the largest support of an itemset of 1, 2, ..., m items, for each size m.

    Parameters
    ----------
    transactions : Transactions, frame or iterable of sets
        Of a pilot study or an earlier year: those to be protected are not known yet.
    sizes : iterable of int, optional
        Sizes m of transactions to look at; by default all that occur, but 0.

    Returns
    -------
    dict from m to tuple of MaxSupport
        ``tune(..., s_max={m: [one.share for one in row] for m, row in found.items()})``.

    Notes
    -----
    Among the transactions of one size, the threshold is halved until itemsets of every size
    are frequent. Where that would take more than two million itemsets, the last threshold
    stands as a bound for what was not found: a larger share is the safe side.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["tea", "jam"], ["tea"]])
    >>> {m: [str(one.share) for one in row] for m, row in max_supports(baskets).items()}
    {1: ['1'], 2: ['1', '1/2']}
    """
    transactions = as_transactions(transactions)
    found_sizes = np.unique(transactions.sizes).tolist()
    chosen = found_sizes if sizes is None else [checks.whole("sizes", m, at_least=0) for m in sizes]
    return {
        m: _of_size(transactions.take(transactions.sizes == m), m)
        for m in sorted(set(chosen) & set(found_sizes) - {0})
    }


def _of_size(transactions: Transactions, m: int) -> tuple[MaxSupport, ...]:
    """Return the largest supports among transactions that all have m items."""
    n = len(transactions)
    best: dict[int, tuple[int, frozenset[Label]]] = {}
    threshold = bound = n
    while len(best) < m:
        try:
            mined = frequent(transactions, min_support=threshold, max_itemsets=MOST_ITEMSETS)
        except LimitError:
            break
        for k in np.unique(mined.sizes).tolist():
            places = np.flatnonzero(mined.sizes == k)
            top = int(places[np.argmax(mined.supports[places])])
            if k not in best:
                codes = mined.items[mined.offsets[top] : mined.offsets[top + 1]]
                names = frozenset(transactions.labels[code] for code in codes.tolist())
                best[k] = int(mined.supports[top]), names
        bound = threshold - 1
        if threshold == 1:
            break
        threshold = max(1, threshold // 2)
    return tuple(
        MaxSupport(share=Fraction(best[k][0], n), itemset=best[k][1])
        if k in best
        else MaxSupport(share=Fraction(bound, n), itemset=None)
        for k in range(1, m + 1)
    )
