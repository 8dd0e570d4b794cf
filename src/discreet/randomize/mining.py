"""Apriori on randomized transactions: what is frequent among originals that nobody has seen."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet import checks
from discreet.data.frames import as_kind
from discreet.errors import DataError, InfeasibleError, LimitError
from discreet.limits import most_itemsets, size_limit
from discreet.randomize.files import RandomizedFile, SizedSupports
from discreet.randomize.recovery import support_weights
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self, Unpack

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.data.item_sets import Label, Labels
    from discreet.limits import Limits, Progress
    from discreet.randomize.operators.base import Randomized


CandidateLimit: TypeAlias = Literal["sigma", "two sigmas", "none"]

SIGMAS = {"sigma": 1.0, "two sigmas": 2.0, "none": 0.0}

STEP = 1 << 18  # candidates counted and estimated at a time


def mine_randomized(
    randomized: Randomized | RandomizedFile,
    *,
    min_frequency: float,
    max_size: int | None = None,
    limit: CandidateLimit = "sigma",
    **limits: Unpack[Limits],
) -> Discovered:
    r"""Return the itemsets that are frequent among the originals, by estimates.

    Apriori, level by level. The supports of an itemset's subsets among the randomized
    transactions of true size m give its partial supports, and these its estimated support:

    .. math:: \Sigma_l = \sum_{C \subseteq A, |C| = l} \mathrm{supp}(C), \qquad
        s'_l = \sum_{j=l}^k (-1)^{j-l} \binom{j}{l} \Sigma_j \qquad (13)

    An itemset is returned if its estimate is at least :math:`s_{min}`; it is kept for making
    larger candidates already if the estimate is at least :math:`s_{min} - \sigma`, as a
    subset of a frequent itemset may by chance seem less frequent.

    Parameters
    ----------
    randomized : Randomized or RandomizedFile
        What was sent. A file is read a few thousand transactions at a time.
    min_frequency : float
        :math:`s_{min}`, above 0 and at most 1.
    max_size : int, optional
        Most items of an itemset, at least 1. By default as many as can be recovered.
    limit : {"sigma", "two sigmas", "none"}
        How far below :math:`s_{min}` a candidate is kept.
    **limits : Limits
        ``threads``, ``max_itemsets`` (candidates of all sizes), ``max_memory``, ``progress``.

    Returns
    -------
    Discovered
        Itemsets with estimate, sigma and whether they are clearly not 0.

    Raises
    ------
    ParameterError
        If a parameter is out of its range.
    DataError
        If there are no transactions.
    InfeasibleError
        If not even the supports of single items can be recovered.
    LimitError
        If there are more candidates, or more bytes needed, than the limits allow.

    Notes
    -----
    The transactions are read once, into bitmaps of an eighth of a byte for each transaction
    and item. A candidate then costs one intersection: its cumulative supports are sums over
    those of its k subsets with one item less, :math:`\Sigma_l(A) = \frac{1}{k-l} \sum_{a \in A}
    \Sigma_l(A \setminus a)`, which have all been counted before. Null items of padded
    transactions are not mined.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 4.5 and Statements 3 and 4.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"], ["jam"]] * 5000)
    >>> sent = CutAndPaste(cutoff=3, rho="1/10").randomize(baskets, seed=1)
    >>> for found in mine_randomized(sent, min_frequency=0.2):
    ...     print(sorted(found.items), f"{found.support:.2f}", found.is_discoverable)
    ['jam'] 0.3... True
    ['milk'] 0.6... True
    ['tea'] 0.3... True
    ['milk', 'tea'] 0.3... True
    """
    min_frequency = _check(len(randomized), min_frequency, max_size, limit)
    if isinstance(randomized, RandomizedFile):
        counted = SizedSupports.of_file(randomized, **limits)
    else:
        counted = SizedSupports.of(randomized, **limits)
    return mine_supports(
        counted, min_frequency=min_frequency, max_size=max_size, limit=limit, **limits
    )


def mine_supports(
    counted: SizedSupports,
    *,
    min_frequency: float,
    max_size: int | None = None,
    limit: CandidateLimit = "sigma",
    **limits: Unpack[Limits],
) -> Discovered:
    """Return what `mine_randomized` does, from bitmaps made before."""
    total = int(counted.counts.sum())
    min_frequency = _check(total, min_frequency, max_size, limit)
    report = _rising(limits.pop("progress", None))
    left = most_itemsets(limits)
    limits.pop("max_itemsets", None)
    levels = Levels(counted.n_items)
    kept = EstimatedLevel.empty(counted)
    saved, n_candidates, stopped = [kept], list[int](), None
    while max_size is None or len(n_candidates) < max_size:
        k = len(n_candidates) + 1
        try:
            weights = level_weights(counted, k)
        except InfeasibleError as error:
            if k == 1:
                raise
            stopped = str(error)
            break
        parts, n_counted = [], 0
        for itemsets, subsets in _pieces(levels, counted.n_items, k):
            n_counted += len(itemsets)
            if n_counted > left:
                raise LimitError(
                    f"More candidates than max_itemsets at itemsets of {k} items. Raise "
                    f"min_frequency, set max_size or raise max_itemsets."
                )
            limits["progress"] = _part(report, k)
            supports = counted.supports(itemsets, **limits)
            level = kept.larger(itemsets, subsets, supports, weights)
            margin = SIGMAS[limit] * level.sigmas
            parts.append(level.where(level.supports >= min_frequency - margin))
        if not n_counted:
            break
        left -= n_counted
        n_candidates.append(n_counted)
        kept = EstimatedLevel.joined(parts)
        saved.append(kept.where(kept.supports >= min_frequency))
        levels.add(kept.itemsets)
    sizes = np.repeat([one.size for one in saved], [len(one) for one in saved])
    return Discovered(
        offsets=np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]),
        items=np.concatenate([one.itemsets.ravel() for one in saved]),
        supports=np.concatenate([one.supports for one in saved]),
        sigmas=np.concatenate([one.sigmas for one in saved]),
        is_discoverable=np.concatenate([one.is_clear for one in saved]),
        labels=counted.labels[: counted.n_items],
        min_frequency=float(min_frequency),
        n_transactions=total,
        n_candidates=tuple(n_candidates),
        stopped=stopped,
    )


def _pieces(
    levels: Levels, n_items: int, k: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """Yield the candidates of k items and the numbers of their subsets, some at a time."""
    if k == 1:
        yield np.arange(n_items, dtype=np.int32)[:, None], np.zeros((n_items, 1), np.int64)
        return
    for itemsets, subsets in levels.candidates():
        for start in range(0, len(itemsets), STEP):
            yield itemsets[start : start + STEP], subsets[start : start + STEP]


def _part(report: Progress | None, k: int) -> Progress | None:
    """Return the progress of level k, which is half of what is left after the one before."""
    if report is None:
        return None
    return lambda fraction: report(1 - 0.5 ** (k - 1) * (1 - fraction / 2))


def _rising(progress: Progress | None) -> Progress | None:
    """Return a progress that never falls, as a level may be counted in several pieces."""
    if progress is None:
        return None
    highest = 0.0

    def report(fraction: float) -> None:
        nonlocal highest
        highest = max(highest, fraction)
        progress(highest)

    return report


def _check(n: int, min_frequency: float, max_size: int | None, limit: str) -> float:
    share = float(checks.exact("min_frequency", min_frequency, above=0, at_most=1))
    size_limit(max_size)
    checks.one_of("limit", limit, SIGMAS)
    if n == 0:
        raise DataError("There are no randomized transactions to mine.")
    return share


# Candidates of Apriori as arrays: joined from the itemsets of one size, pruned by all subsets.
#
# An itemset is known by its number among those of its size. Its key is the number of its
# beginning, without the last item, and that last item; so a look-up takes one binary search for
# each item, whatever the number of items there are.

JOINS = 1 << 21  # pairs of itemsets joined at a time


class Levels:
    """Itemsets that were kept, level by level, each level in ascending order.

    Parameters
    ----------
    n_items : int
        Items are numbered from 0 to n_items - 1.

    Examples
    --------
    >>> levels = Levels(4)
    >>> levels.add(np.array([[0], [1], [3]], np.int32))
    >>> levels.add(np.array([[0, 1], [0, 3], [1, 3]], np.int32))
    >>> for itemsets, subsets in levels.candidates():
    ...     print(itemsets.tolist(), subsets.tolist())
    [[0, 1, 3]] [[2, 1, 0]]
    """

    def __init__(self, n_items: int) -> None:
        self._n_items = n_items
        self._keys: list[NDArray[np.int64]] = []
        self._last = np.empty((0, 0), np.int32)

    def add(self, itemsets: NDArray[np.int32]) -> None:
        """Add the itemsets of the next size, ascending; their subsets are all there."""
        beginnings = self._find(itemsets[:, :-1])
        self._keys.append(beginnings * self._n_items + itemsets[:, -1])
        self._last = itemsets

    def candidates(self) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
        """Yield the itemsets one larger of which all subsets are there, some at a time.

        Yields
        ------
        tuple of arrays
            The itemsets, ascending, and for each the numbers of its subsets: that without the
            first item, without the second, and so on.
        """
        level = self._last
        n, k = level.shape
        begins = np.flatnonzero((level[1:, :-1] != level[:-1, :-1]).any(axis=1)) + 1
        ends = np.repeat([*begins.tolist(), n], np.diff([0, *begins.tolist(), n]))
        n_partners = ends - np.arange(n) - 1  # the itemsets after it that begin alike
        done = np.concatenate([[0], np.cumsum(n_partners)])
        start = 0
        while start < n:
            stop = max(start + 1, int(np.searchsorted(done, done[start] + JOINS, "right")) - 1)
            first = np.repeat(np.arange(start, stop), n_partners[start:stop])
            second = first + 1 + np.arange(done[start], done[stop]) - done[first]
            start = stop
            itemsets = np.column_stack([level[first], level[second, -1]])
            subsets = np.empty((len(itemsets), k + 1), np.int64)
            subsets[:, k], subsets[:, k - 1] = first, second
            for place in range(k - 1):
                subsets[:, place] = self._find(np.delete(itemsets, place, axis=1))
                kept = subsets[:, place] >= 0
                itemsets, subsets = itemsets[kept], subsets[kept]
            if len(itemsets):
                yield itemsets, subsets

    def _find(self, itemsets: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the number of each itemset in its level, -1 for those that are not there."""
        found = np.zeros(len(itemsets), np.int64)
        for keys, items in zip(self._keys, itemsets.T, strict=False):
            wanted = found * self._n_items + items
            place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
            is_there = (keys[place] == wanted) & (found >= 0) if len(keys) else found < 0
            found = np.where(is_there, place, -1)
        return found


# Itemsets of one size with the supports recovered for them, many at a time.

CLEAR = 4  # sigmas from zero: discoverable, section 5.1 of the paper


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EstimatedLevel:
    """Itemsets of one size, their estimates, and what those of the next size are made from.

    Attributes
    ----------
    itemsets : array of int32, a row each
        Items, ascending.
    supports : array of float64
        Estimated shares of the originals (Statement 3).
    variances : array of float64
        Unbiased estimates of their variances, which may be negative.
    cumulative : array of int64, itemset x true size x order
        Cumulative supports among the randomized transactions of each true size, (12).
    """

    itemsets: NDArray[np.int32]
    supports: NDArray[np.float64]
    variances: NDArray[np.float64]
    cumulative: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.itemsets)

    @property
    def size(self) -> int:
        """Number of items of each itemset."""
        return int(self.itemsets.shape[1])

    @property
    def sigmas(self) -> NDArray[np.float64]:
        """Estimated standard deviations, 0 where the variance came out negative."""
        sigmas: NDArray[np.float64] = np.sqrt(np.maximum(0, self.variances))
        return sigmas

    @property
    def is_clear(self) -> NDArray[np.bool_]:
        """Whether a support is four sigmas from zero; a sigma that is not known is not small."""
        clear: NDArray[np.bool_] = (self.variances > 0) & (self.supports >= CLEAR * self.sigmas)
        return clear

    @classmethod
    def empty(cls, counted: SizedSupports) -> Self:
        """Return the level of no items: the empty itemset is in every transaction, and certain."""
        return cls(
            itemsets=np.empty((0, 0), np.int32),
            supports=np.empty(0),
            variances=np.empty(0),
            cumulative=counted.counts[None, :, None],
        )

    @classmethod
    def joined(cls, parts: Sequence[EstimatedLevel]) -> Self:
        """Return parts of a level as one."""
        return cls(
            itemsets=np.concatenate([part.itemsets for part in parts]),
            supports=np.concatenate([part.supports for part in parts]),
            variances=np.concatenate([part.variances for part in parts]),
            cumulative=np.concatenate([part.cumulative for part in parts]),
        )

    def where(self, mask: NDArray[np.bool_]) -> EstimatedLevel:
        """Return the itemsets where the mask is true."""
        return EstimatedLevel(
            itemsets=self.itemsets[mask],
            supports=self.supports[mask],
            variances=self.variances[mask],
            cumulative=self.cumulative[mask],
        )

    def larger(
        self,
        itemsets: NDArray[np.int32],
        subsets: NDArray[np.int64],
        supports: NDArray[np.int64],
        weights: NDArray[np.float64],
    ) -> EstimatedLevel:
        """Return itemsets of one item more, estimated.

        Parameters
        ----------
        itemsets : array of int32, a row each
            Items, ascending.
        subsets : array of int64, as many columns as items
            Where their subsets without one item stand here.
        supports : array of int64, a column for each true size
            How many randomized transactions hold them.
        weights : array of float64, a row for each true size
            What a transaction is worth, by the number of items it holds; `level_weights`.
        """
        n, k = itemsets.shape
        cumulative = np.empty((n, supports.shape[1], k + 1), np.int64)
        for order in range(k):
            of_subsets = (self.cumulative[subsets[:, place], :, order] for place in range(k))
            # A subset of this many items is in k - order of those without one item.
            cumulative[:, :, order] = sum(of_subsets) // (k - order)
        cumulative[:, :, k] = supports
        signed = [[(-1) ** (j - i) * comb(j, i) for i in range(k + 1)] for j in range(k + 1)]
        partial = cumulative @ np.array(signed)  # (13), as counts
        total = float(self.cumulative[0, :, 0].sum()) if len(self.cumulative) else 1.0
        return EstimatedLevel(
            itemsets=itemsets,
            supports=np.einsum("nml,ml->n", partial, weights) / total,
            variances=np.einsum("nml,ml->n", partial, weights**2 - weights) / total**2,
            cumulative=cumulative,
        )


def level_weights(counted: SizedSupports, k: int) -> NDArray[np.float64]:
    """Return what a transaction of each true size is worth, by how many of k items it holds.

    Raises
    ------
    InfeasibleError
        If supports of k items cannot be recovered from transactions of some size.
    """
    n_labels = len(counted.labels)
    rows = [support_weights(counted.operator, m, k, n_items=n_labels) for m in counted.sizes]
    return np.array(rows)


# Itemsets mined from randomized transactions, with how sure each support is.


class Found(NamedTuple):
    """An itemset, its estimated support as a share, and the sigma of that."""

    items: frozenset[Label]
    support: float
    sigma: float
    is_discoverable: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Discovered(Result):
    """Itemsets whose support, recovered from randomized transactions, is large enough.

    Attributes
    ----------
    offsets, items : arrays of int64 and int32
        Itemset i is ``items[offsets[i]:offsets[i + 1]]``, as places in `labels`; smaller ones
        first, those of one size by item.
    supports : array of float64
        Estimated shares of the original transactions that hold each itemset.
    sigmas : array of float64
        Estimated standard deviations; 0 where the estimate of the variance came out negative.
    is_discoverable : array of bool
        Whether the support is at least four of its sigmas, and so clearly is not 0.
    labels : tuple of int, or tuple of str
        What the items stand for.
    min_frequency : float
        The least estimate asked for.
    n_transactions : int
        Number of randomized transactions.
    n_candidates : tuple of int
        How many itemsets of 1, 2, ... items were counted.
    stopped : str or None
        Why larger itemsets were not looked for, where it was not for want of candidates.

    Notes
    -----
    Estimates are unbiased, but among many candidates those that chance lifts over the
    threshold are the ones reported: expect false ones near it, more where sigma is large.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.float64]
    sigmas: NDArray[np.float64]
    is_discoverable: NDArray[np.bool_]
    labels: Labels
    min_frequency: float
    n_transactions: int
    n_candidates: tuple[int, ...]
    stopped: str | None = None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each itemset."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.supports)

    def __getitem__(self, index: int) -> Found:
        at = range(len(self))[index]
        codes = self.items[self.offsets[at] : self.offsets[at + 1]].tolist()
        return Found(
            frozenset(self.labels[code] for code in codes),
            float(self.supports[at]),
            float(self.sigmas[at]),
            bool(self.is_discoverable[at]),
        )

    def __iter__(self) -> Iterator[Found]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        stopped = f"; {self.stopped}" if self.stopped else ""
        return (
            f"Discovered: {len(self):_} itemsets with an estimated support of at least "
            f"{self.min_frequency:g}, {int(self.is_discoverable.sum()):_} of them discoverable, "
            f"from {self.n_transactions:_} randomized transactions{stopped}"
        )

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401 - of the library asked for
        """Return a frame: ``items`` (lists), ``support``, ``sigma`` and ``is_discoverable``."""
        import polars as pl

        names = [self.labels[code] for code in self.items.tolist()]
        cuts = self.offsets.tolist()
        kind_of = pl.String if names and isinstance(names[0], str) else pl.Int64
        lists = [names[start:end] for start, end in pairwise(cuts)]
        frame = pl.DataFrame(
            {
                "items": pl.Series(lists, dtype=pl.List(kind_of)),
                "support": self.supports,
                "sigma": self.sigmas,
                "is_discoverable": self.is_discoverable,
            }
        )
        return as_kind(frame, kind)

    def preview(self) -> Preview:
        """Return the ten itemsets of the largest estimated support."""
        order = np.argsort(-self.supports, kind="stable")[:10].tolist()
        rows = []
        for at in order:
            codes = self.items[self.offsets[at] : self.offsets[at + 1]].tolist()
            words = ", ".join(str(self.labels[code]) for code in codes)
            sure = "yes" if self.is_discoverable[at] else "no"
            rows.append((words, f"{self.supports[at]:.4%}", f"{self.sigmas[at]:.4%}", sure))
        return Preview(title=repr(self), header=("items", "support", "sigma", "clear"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain values, items as labels."""
        cuts = self.offsets.tolist()
        names = [self.labels[code] for code in self.items.tolist()]
        return {
            "itemsets": [names[start:end] for start, end in pairwise(cuts)],
            "supports": self.supports.tolist(),
            "sigmas": self.sigmas.tolist(),
            "is_discoverable": self.is_discoverable.tolist(),
            "min_frequency": self.min_frequency,
            "n_transactions": self.n_transactions,
            "n_candidates": list(self.n_candidates),
            "stopped": self.stopped,
        }
