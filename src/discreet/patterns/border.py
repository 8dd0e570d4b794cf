"""Leaks beyond the published itemsets: what they say about sets just outside the collection.

If all proper subsets of a set are published, inclusion and exclusion bound its own support, and
with it every group that its items make. Two facts more are used: a set that is not published
is rarer than the least support, and a sum of two groups can be known where neither is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, LimitError, ParameterError
from discreet.patterns.border_sets import border_sets
from discreet.patterns.lattice import Lattice
from discreet.patterns.leak import Leak, Leaks, worst_first
from discreet.patterns.remainders import remainders

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets
    from discreet.mine.limits import Limits
    from discreet.patterns.border_sets import Candidates
    from discreet.patterns.leak import Kind

MAX_LEAKS = 1_000_000
EXAMINED = (
    "every Boolean pattern over the items of a set of which all parts are published",
    "rows with none of a column's published values (tables only)",
)
NOT_EXAMINED = (
    "patterns over items of which several sets are unpublished, one inside the other",
    "what an attacker knows of the rows from elsewhere",
)


def border_leaks(
    published: Itemsets,
    *,
    k: int,
    min_support: int | None = None,
    **limits: Unpack[Limits],
) -> Leaks:
    r"""Return what a collection says about groups of few rows at its border.

    A set :math:`J` is on the border if it is not published and all its proper subsets are. Then

    .. math:: \delta_I = \sum_{I \subseteq X \subset J} (-1)^{|J \setminus X| + 1} \mathrm{supp}(X)

    bounds :math:`\mathrm{supp}(J)` from above (by :math:`u`) where :math:`|J \setminus I|` is odd
    and from below (by :math:`l \ge 0`) where it is even, and :math:`|\delta_I - \mathrm{supp}(J)|`
    is the number of rows that have of :math:`J` exactly :math:`I`.

    Parameters
    ----------
    published : Itemsets
        The collection as it is published: all frequent itemsets, or the closed ones (``kind`` is
        "closed").
    k : int
        Groups of fewer rows are leaks, at least 2.
    min_support : int, optional
        The least support of published sets, if the attacker knows it: then a border set has a
        smaller one. By default nothing is known of unpublished sets.
    **limits : Limits
        ``max_itemsets`` (most leaks to return, a million by default, and most border sets to look
        at), ``threads``, ``max_memory``, ``progress``.

    Returns
    -------
    Leaks
        One for each group, smallest first; :func:`~discreet.patterns.channels` is not part of it.

    Raises
    ------
    DataError
        If no data can have these supports.
    LimitError
        If there are more leaks or border sets than ``max_itemsets``.

    Notes
    -----
    **Guarantee.** None: this is a test. It is complete for each border set :math:`J`: if there
    is no inference channel among its subsets, some Boolean pattern over :math:`J` is known to
    have at least one row and fewer than :math:`k` *iff* one of these is found

    - a group :math:`|\delta_I - s|` within 1 and :math:`k - 1` for all :math:`l \le s \le
      \min(u, \sigma - 1)` (kind "border", or "sigma" if only the least support tells),
    - :math:`l < u < l + k`: the groups that attain :math:`l` and :math:`u` have :math:`u - l` rows
      together, however they share them (kind "disjunctive").

    In a table, two values of one column are never on the border: no row has both. What then
    follows for rows with none of the published values is of kind "column".

    Border sets are joined from published sets of equal prefix; of pairs, only those are looked
    at that their supports alone allow to leak. Time and memory grow as :math:`|J| 2^{|J|}` for
    each border set, in pieces of a few million numbers.

    References
    ----------
    T. Calders, B. Goethals (2002), Mining all non-derivable frequent itemsets, theorem 1.
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 8 and example 17, which leave these leaks open.

    Examples
    --------
    >>> from discreet.mine import Itemsets
    >>> supports = {"a": 14, "b": 14, "c": 13, "ab": 9, "ac": 8, "bc": 5}
    >>> published = Itemsets.from_mapping(
    ...     {frozenset(items): support for items, support in supports.items()}, n_rows=22)
    >>> for leak in border_leaks(published, k=3):
    ...     print(leak)
    exactly 2 rows have b and c, but not a
    """
    k, min_support = checked(k, min_support)
    lattice = Lattice.of(published, **limits)
    most = limits.get("max_itemsets", MAX_LEAKS)
    found: list[Leak] = []
    for leak in _leaks_of(lattice, k, min_support, **limits):
        found.append(leak)
        if len(found) > most:
            raise LimitError(
                f"More than {most:,} leaks at the border. Publish at a larger min_support, or "
                "raise max_itemsets."
            )
    return Leaks(
        k=k,
        min_support=min_support,
        leaks=worst_first(found),
        examined=EXAMINED,
        not_examined=NOT_EXAMINED,
    )


def checked(k: int, min_support: int | None) -> tuple[int, int | None]:
    """Return k and the least support as integers, refusing what they cannot be."""
    if isinstance(k, bool) or int(k) != k or k < 2:
        raise ParameterError(f"k={k} must be a whole number of rows, at least 2.")
    if min_support is None:
        return int(k), None
    if isinstance(min_support, bool) or int(min_support) != min_support or min_support < 1:
        raise ParameterError(f"min_support={min_support} must be a whole number, at least 1.")
    return int(k), int(min_support)


def _leaks_of(
    lattice: Lattice, k: int, min_support: int | None, **limits: Unpack[Limits]
) -> Iterator[Leak]:
    """Return the leaks of all border sets, and of columns."""
    yield from remainders(lattice, k=k)
    for candidates in border_sets(lattice, k=k, min_support=min_support, **limits):
        bounded = _bounded(lattice, candidates, min_support)
        yield from _of_cells(lattice, bounded, k)
        yield from _of_sums(lattice, bounded, k)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Bounded:
    """Border sets of one size: their bounds, and what each group is beside their support."""

    items: NDArray[np.int64]  # one row for each set
    sums: NDArray[np.int64]  # by mask: the group is this plus or minus the support of the set
    is_even: NDArray[np.bool_]  # by mask: plus
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]  # by the supports alone
    capped: NDArray[np.int64]  # and by the least support


def _bounded(lattice: Lattice, candidates: Candidates, min_support: int | None) -> _Bounded:
    """Return the bounds of some border sets, refusing supports that contradict each other."""
    items = candidates.items
    size = items.shape[1]
    sums = lattice.subset_supports(candidates.facets, size)
    for bit in range(size):  # subtract supersets item by item: the sum over I <= X < J
        halves = sums.reshape(len(sums), -1, 2, 1 << bit)
        halves[:, :, 0] -= halves[:, :, 1]
    masks = np.arange(1 << size)
    is_even = (size - np.bitwise_count(masks)) % 2 == 0
    lower = (-sums[:, is_even]).max(axis=1)  # the set itself gives 0
    upper = sums[:, ~is_even].min(axis=1)
    capped = upper if min_support is None else np.minimum(upper, min_support - 1)
    wrong = np.flatnonzero(lower > capped)
    if len(wrong):
        words = ", ".join(str(lattice.labels[item]) for item in items[wrong[0]])
        low, high = lower[wrong[0]], capped[wrong[0]]
        because = "" if min_support is None else " if it is not published"
        raise DataError(
            f"No data can have these supports: {{{words}}} would be in at least {low} and at most "
            f"{high} rows{because}. Check min_support and that no itemset is missing."
        )
    return _Bounded(
        items=items, sums=sums, is_even=is_even, lower=lower, upper=upper, capped=capped
    )


def _of_cells(lattice: Lattice, bounded: _Bounded, k: int) -> Iterator[Leak]:
    """Return the single groups that are known to be small."""
    least, most = _ranges(bounded, bounded.capped)
    rows, masks = np.nonzero((least > 0) & (most < k))
    free_least, free_most = _ranges(bounded, bounded.upper)
    anyway = (free_least > 0) & (free_most < k)
    for row, mask in zip(rows.tolist(), masks.tolist(), strict=True):
        kind: Kind = "border" if anyway[row, mask] else "sigma"
        inside, outside = _split(lattice, bounded.items[row], mask)
        yield Leak(
            kind=kind,
            inside=inside,
            outside=outside,
            least=int(least[row, mask]),
            most=int(most[row, mask]),
        )


def _of_sums(lattice: Lattice, bounded: _Bounded, k: int) -> Iterator[Leak]:
    """Return the pairs of groups whose sum is known to be small."""
    width = bounded.upper - bounded.lower
    masks = np.arange(bounded.sums.shape[1])
    even, odd = masks[bounded.is_even], masks[~bounded.is_even]
    for row in np.flatnonzero((width > 0) & (width < k)).tolist():
        first = int(even[(-bounded.sums[row, even]).argmax()])
        second = int(odd[bounded.sums[row, odd].argmin()])
        inside, outside = _split(lattice, bounded.items[row], first)
        or_inside, or_outside = _split(lattice, bounded.items[row], second)
        yield Leak(
            kind="disjunctive",
            inside=inside,
            outside=outside,
            or_inside=or_inside,
            or_outside=or_outside,
            least=int(width[row]),
            most=int(width[row]),
        )


def _ranges(
    bounded: _Bounded, upper: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least and the greatest number of rows of each group."""
    low, high = bounded.lower[:, None], upper[:, None]
    least = np.where(bounded.is_even, bounded.sums + low, bounded.sums - high)
    most = np.where(bounded.is_even, bounded.sums + high, bounded.sums - low)
    return least, most


def _split(
    lattice: Lattice, items: NDArray[np.int64], mask: int
) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
    """Return the labels of the items that a mask has and of those it lacks."""
    inside = frozenset(lattice.labels[item] for p, item in enumerate(items) if mask >> p & 1)
    outside = frozenset(lattice.labels[item] for p, item in enumerate(items) if not mask >> p & 1)
    return inside, outside
