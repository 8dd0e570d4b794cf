"""What the supports of an itemset's subsets say about its own.

Inclusion and exclusion turn every published subset into an inequality; together they bound
the support of an itemset that was never published, sometimes to a single number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError
from discreet.mine.database import Database, least_support, list_itemsets

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits, Progress
    from discreet.mine.itemsets import Itemsets

MAX_ITEMS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The least and the greatest support an itemset can have."""

    lower: int
    upper: int

    @property
    def is_exact(self) -> bool:
        """Whether only one support is possible."""
        return self.lower == self.upper


def bounds(itemsets: Itemsets, items: Collection[Hashable]) -> Bounds:
    r"""Return the tightest bounds on the support of ``items`` by the deduction rules.

    For :math:`I \subset X` with all sets from :math:`I` up to :math:`X` published, but for
    :math:`X` itself,

    .. math:: \delta_I = \sum_{I \subseteq Z \subset X} (-1)^{|X \setminus Z| + 1}
        \mathrm{supp}(Z)

    bounds :math:`\mathrm{supp}(X)` from above if :math:`|X \setminus I|` is odd and from below
    if it is even. The result is the largest lower bound (at least 0) and the smallest upper
    bound (at most the support of any published subset).

    Parameters
    ----------
    itemsets : Itemsets
        The published collection. The empty set counts as published, with all rows.
    items : collection of items
        The itemset, as labels; at most 24 items. Its own support is not used.

    Returns
    -------
    Bounds
        Least and greatest possible support. Tight if all proper subsets are published.

    Raises
    ------
    ParameterError
        If ``items`` has more than 24 items or is empty.

    Notes
    -----
    Time and memory O(n 2^n) for n items.

    References
    ----------
    T. Calders, B. Goethals (2002), Mining all non-derivable frequent itemsets, theorem 1.

    Examples
    --------
    >>> import discreet as dc
    >>> published = dc.mine.Itemsets.from_mapping(
    ...     {frozenset("a"): 4, frozenset("b"): 3}, n_rows=5)
    >>> bounds(published, "ab")
    Bounds(lower=2, upper=3)
    """
    members = tuple(dict.fromkeys(items))
    if not 1 <= len(members) <= MAX_ITEMS:
        raise ParameterError(
            f"items has {len(members)} items; bounds takes 1 to {MAX_ITEMS}.", parameter="items"
        )
    lower, upper = _native.bounds(_subset_supports(itemsets, members))
    return Bounds(lower=lower, upper=upper)


def non_derivable(
    data: object,
    *,
    min_support: int | None = None,
    min_frequency: float | None = None,
    max_size: int | None = None,
    **limits: Unpack[Limits],
) -> Itemsets:
    r"""Return the frequent itemsets whose support does not follow from their subsets.

    An itemset is derivable if its bounds by the deduction rules over all its proper subsets
    (see :func:`bounds`) coincide. Every subset of a non-derivable itemset is non-derivable,
    and the collection determines the supports of all other frequent itemsets.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine.
    min_support : int, optional
        Least number of rows, at least 1; give this or ``min_frequency``.
    min_frequency : float, optional
        Least share of the rows, above 0 and at most 1.
    max_size : int, optional
        Most items in an itemset, at least 1; any number by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Itemsets
        In canonical order; the empty itemset is not part of it.

    Raises
    ------
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    Notes
    -----
    A non-derivable itemset has at most :math:`\log_2 n + 1` items for :math:`n` rows.

    References
    ----------
    T. Calders, B. Goethals (2002), Mining all non-derivable frequent itemsets, theorem 3
    and its corollaries.

    Examples
    --------
    >>> import discreet as dc
    >>> twins = dc.Transactions.from_iterable([{1, 2}, {1, 2}, {3}])
    >>> [sorted(items) for items, _ in dc.mine.non_derivable(twins, min_support=1)]
    [[1], [2], [3], [1, 2]]
    """
    database = Database.of(data, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return list_itemsets("non-derivable", _kernel, database, support, max_size, **limits)


def _kernel(
    database: _native.Database,
    threshold: int,
    max_size: int,
    control: _native.Control,
    progress: Progress | None,
    /,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return what the kernel finds without the bounds it found on the way."""
    offsets, items, supports, _, _ = _native.non_derivable(
        database, threshold, max_size, control, progress
    )
    return offsets, items, supports


def _subset_supports(itemsets: Itemsets, members: tuple[Hashable, ...]) -> NDArray[np.int64]:
    """Return the published supports of the subsets of ``members`` by bit mask, -1 if none."""
    bit_of = dict(zip(members, 1 << np.arange(len(members)), strict=True))
    bits = np.array([bit_of.get(label, 0) for label in itemsets.labels], np.int64)
    within = np.cumsum(np.concatenate([[0], bits[itemsets.items] > 0]))[itemsets.offsets]
    masks = np.cumsum(np.concatenate([[0], bits[itemsets.items]]))[itemsets.offsets]
    inside = np.diff(within) == itemsets.sizes
    supports = np.full(1 << len(members), -1, np.int64)
    supports[0] = itemsets.n_rows
    supports[np.diff(masks)[inside]] = itemsets.supports[inside]
    return supports
