"""Apriori on randomized transactions: what is frequent among originals that nobody has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet.errors import DataError, InfeasibleError, LimitError, ParameterError, did_you_mean
from discreet.mine.limits import MAX_ITEMSETS
from discreet.randomize.candidates import Levels
from discreet.randomize.discovered import Discovered
from discreet.randomize.estimated_level import EstimatedLevel, level_weights
from discreet.randomize.randomized_file import RandomizedFile
from discreet.randomize.sized_supports import SizedSupports

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.limits import Limits
    from discreet.progress import Progress
    from discreet.randomize.randomized import Randomized

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
    r"""Return the itemsets that are frequent among the originals, as far as can be told.

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
    _check(len(randomized), min_frequency, max_size, limit)
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
    _check(total, min_frequency, max_size, limit)
    tell = _rising(limits.pop("progress", None))
    left = limits.pop("max_itemsets", MAX_ITEMSETS)
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
            limits["progress"] = _part(tell, k)
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


def _part(tell: Progress | None, k: int) -> Progress | None:
    """Return the progress of level k, which is half of what is left after the one before."""
    if tell is None:
        return None
    return lambda fraction: tell(1 - 0.5 ** (k - 1) * (1 - fraction / 2))


def _rising(progress: Progress | None) -> Progress | None:
    """Return a progress that never falls, as a level may be counted in several pieces."""
    if progress is None:
        return None
    told = 0.0

    def tell(fraction: float) -> None:
        nonlocal told
        told = max(told, fraction)
        progress(told)

    return tell


def _check(n: int, min_frequency: float, max_size: int | None, limit: str) -> None:
    if not 0 < min_frequency <= 1:
        raise ParameterError(f"min_frequency={min_frequency} must be above 0 and at most 1.")
    if max_size is not None and max_size < 1:
        raise ParameterError(f"max_size={max_size} must be at least 1.")
    if limit not in SIGMAS:
        raise ParameterError(f"There is no limit {limit!r}. {did_you_mean(str(limit), SIGMAS)}")
    if n == 0:
        raise DataError("There are no randomized transactions to mine.")
