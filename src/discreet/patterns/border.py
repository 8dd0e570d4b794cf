"""Leaks beyond the published itemsets: what they say about sets just outside the collection.

If all proper subsets of a set are published, inclusion and exclusion bound its own support, and
with it every group that its items make. Two facts more are used: a set that is not published
is rarer than the least support, and a sum of two groups can be known where neither is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet.errors import DataError, LimitError
from discreet.limits import most_itemsets
from discreet.patterns.channels import in_order, in_words
from discreet.patterns.collection import checked
from discreet.patterns.lattice import NO_SET, Lattice
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.mine.itemsets import Itemsets


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
      \min(u, \sigma - 1)` (kind "border", or "sigma" if it follows from the least support only),
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
    most = most_itemsets(limits, default=MAX_LEAKS)
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
    # No group has fewer than 0 rows. Each bounds the support of the set: from below where it is
    # added, from above where it is subtracted (inclusion and exclusion).
    upper = sums[:, ~is_even].min(axis=1)
    capped = upper if min_support is None else np.minimum(upper, min_support - 1)
    # Such supports cannot be those of any rows, so that every conclusion from them would be
    # worthless.
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
    # Also without the least support, to say which leaks exist for an attacker who does not know it.
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
    # The two groups that attain the bounds add up to exactly this, whatever the support is.
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


# The negative border of a collection: sets that are not in it, though all their subsets are.

PIECE = 1 << 21  # numbers held at once for one array

MOST_ITEMS = 20


class Candidates(NamedTuple):
    """Border sets of one size, and the numbers of their subsets of one item less."""

    items: NDArray[np.int64]
    facets: NDArray[np.int64]


def border_sets(
    lattice: Lattice, *, k: int | None, min_support: int | None = None, **limits: Unpack[Limits]
) -> Iterator[Candidates]:
    r"""Return the border sets of a collection piece by piece, by size.

    Parameters
    ----------
    lattice : Lattice
        The collection.
    k : int or None
        If given, pairs are skipped that cannot leak a group of fewer than ``k`` rows: those of
        supports :math:`a \ge b` with :math:`\min(b, n - a) \ge k` and, if the least support
        :math:`\sigma` is known, :math:`a + b - n \le \sigma - k`.
    min_support : int, optional
        The least support, if the attacker knows it.
    **limits : Limits
        ``max_itemsets`` is the most joins to look at.

    Yields
    ------
    Candidates
        Sets of two or more items. Two values of one column are not on the border: they are
        known to exclude each other.

    Raises
    ------
    LimitError
        If there are more joins than ``max_itemsets``, or a set of more than 20 items.
    """
    most = most_itemsets(limits)
    if len(lattice.levels) < 2:
        return
    yield from _pairs(lattice, k, min_support, most)
    n_joins = 0
    for size in range(2, len(lattice.levels)):
        followers = _followers(lattice, size)
        n_joins += int(followers.sum())
        _refuse_more(n_joins, most)
        # A set of so many items has 2 to that power groups: fewer sets at a time, so that memory
        # stays.
        limit = max(1, PIECE >> min(size + 1, 20))
        for left, right in _joined(followers):
            found = _checked(lattice, size, left, right)
            if len(found.items) and size + 1 > MOST_ITEMS:
                raise LimitError(
                    f"A border set has {size + 1} items; at most {MOST_ITEMS} can be looked at. "
                    "Publish at a larger min_support."
                )
            for start in range(0, len(found.items), limit):
                yield Candidates(*(part[start : start + limit] for part in found))


def _pairs(
    lattice: Lattice, k: int | None, min_support: int | None, most: int
) -> Iterator[Candidates]:
    """Return the border pairs, of those that can leak if k is given."""
    singles = lattice.levels[1]
    order = np.argsort(-singles.supports, kind="stable")
    supports = singles.supports[order]
    n_items = len(order)
    last = np.full(n_items, n_items)
    if k is not None:
        least = lattice.n_rows + 1 if min_support is None else min_support - k + 1
        # Pairs with l = a + b - n >= least, and with l = 0 if the least support is below k.
        needed = lattice.n_rows + least - supports if least > 0 else np.zeros(n_items, np.int64)
        last = np.searchsorted(-supports, -needed, side="right")
        last[(supports < k) | (lattice.n_rows - supports < k)] = n_items
        n_rare = int((supports < k).sum())  # at the end: pairs of anything with these
    followers = np.maximum(last - np.arange(n_items) - 1, 0)
    if k is not None and n_rare:
        followers = n_items - np.arange(n_items) - 1
    _refuse_more(int(followers.sum()), most)
    columns = lattice.column_of()
    for left, right in _joined(followers):
        pair = np.sort(np.stack([order[left], order[right]], axis=1), axis=1)
        items = singles.items[pair, 0]
        outside = lattice.continued(1, pair[:, 0], items[:, 1]) == NO_SET
        if columns is not None:
            outside &= columns[items[:, 0]] != columns[items[:, 1]]
        if outside.any():
            yield Candidates(items[outside], pair[outside][:, ::-1])


def _followers(lattice: Lattice, size: int) -> NDArray[np.int64]:
    """Return for each set how many after it have the same prefix."""
    prefix = lattice.levels[size].without[:, -1]
    ends = np.searchsorted(prefix, prefix, side="right")
    return ends - np.arange(len(prefix)) - 1


def _joined(
    followers: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return pairs (i, j) with j among the followers of i, some at a time."""
    ends = np.cumsum(followers)
    start = 0
    while start < len(followers):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + PIECE // 8, side="right")))
        counts = followers[start:stop]
        left = np.repeat(np.arange(start, stop), counts)
        within = np.arange(len(left)) - np.repeat(np.cumsum(counts) - counts, counts)
        if len(left):
            yield left, left + 1 + within
        start = stop


def _checked(
    lattice: Lattice, size: int, left: NDArray[np.int64], right: NDArray[np.int64]
) -> Candidates:
    """Return of joined sets those that are not published while all their subsets are."""
    level = lattice.levels[size]
    last = level.items[right, -1]
    kept = lattice.continued(size, left, last) == NO_SET
    left, right, last = left[kept], right[kept], last[kept]
    facets = np.empty((len(left), size + 1), np.int64)
    facets[:, size], facets[:, size - 1] = left, right
    for place in range(size - 1):
        found = lattice.continued(size - 1, level.without[left, place], last)
        kept = found != NO_SET
        facets[:, place] = found
        left, last, facets = left[kept], last[kept], facets[kept]
    return Candidates(np.concatenate([level.items[left], last[:, None]], axis=1), facets)


def _refuse_more(n_joins: int, most: int) -> None:
    """Raise LimitError if there is too much to look at."""
    if n_joins > most:
        raise LimitError(
            f"{n_joins:,} sets at the border may have to be looked at, more than {most:,}. Publish "
            "at a larger min_support, or raise max_itemsets."
        )


# Rows with none of a column's published values: what a table discloses beside its itemsets.


def remainders(lattice: Lattice, *, k: int) -> Iterator[Leak]:
    r"""Return the leaks that follow because a row has one value in each column.

    .. math:: \mathrm{supp}(X) - \sum_v \mathrm{supp}(X \cup \{v\})

    over the values :math:`v` of a column that are published together with :math:`X` is the number
    of rows that have :math:`X` and another value than these.

    Parameters
    ----------
    lattice : Lattice
        The collection; nothing follows unless its items are values of columns.
    k : int
        Groups of fewer rows are leaks.

    Yields
    ------
    Leak
        Of kind "column", where two values or more are published; with one it is a channel.
    """
    columns = lattice.column_of()
    if columns is None:
        return
    n_columns = int(columns.max(initial=-1)) + 1
    for size in range(1, len(lattice.levels)):
        below, level = lattice.levels[size - 1], lattice.levels[size]
        keys = (level.without * n_columns + columns[level.items]).reshape(-1)
        values = level.items.reshape(-1)
        order = np.argsort(keys, kind="stable")
        groups, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(np.repeat(level.supports, size)[order], starts)
        rest = below.supports[groups // n_columns] - sums
        for group in np.flatnonzero((counts > 1) & (rest > 0) & (rest < k)).tolist():
            own = order[starts[group] : starts[group] + counts[group]]
            inside = below.items[groups[group] // n_columns]
            yield Leak(
                kind="column",
                inside=frozenset(lattice.labels[item] for item in inside.tolist()),
                outside=frozenset(lattice.labels[item] for item in values[own].tolist()),
                least=int(rest[group]),
                most=int(rest[group]),
            )


# What published itemsets disclose, in plain words: the results of every test for leaks.

Kind: TypeAlias = Literal["channel", "border", "sigma", "disjunctive", "column", "window"]

N_SHOWN = 10

WHY: dict[Kind, str] = {
    "channel": "published supports say so",
    "border": "the supports of its parts leave no other possibility",
    "sigma": "what is not published has less than the least support",
    "disjunctive": "the two groups are not known, their sum is",
    "column": "a row has one value in each column",
    "window": "all published supports of these items together leave no other possibility",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A group that is known to have at least one row, and fewer than k.

    Attributes
    ----------
    kind : str
        How it is inferred: from a published "channel", from the "border" of the collection, from
        the fact that unpublished sets have a support below "sigma", as a "disjunctive" pattern
        whose two parts are not known, from the other values of a "column", or from all supports
        in a "window" of items.
    inside, outside : frozenset
        Items that every row of the group has, and items that none has.
    or_inside, or_outside : frozenset
        The same for the second part of a disjunction; both empty if there is none.
    least, most : int
        What is known of the number of rows.

    Examples
    --------
    >>> print(Leak(kind="border", inside=frozenset("bc"), outside=frozenset("a"), least=2, most=2))
    exactly 2 rows have b and c, but not a
    >>> print(Leak(kind="disjunctive", inside=frozenset("ab"), outside=frozenset(),
    ...            or_outside=frozenset("ab"), least=1, most=1))
    exactly 1 row has either a and b, or neither a nor b
    """

    kind: Kind
    inside: frozenset[Hashable]
    outside: frozenset[Hashable]
    least: int
    most: int
    or_inside: frozenset[Hashable] = frozenset()
    or_outside: frozenset[Hashable] = frozenset()

    def __str__(self) -> str:
        if self.least == self.most:
            count = f"exactly {self.most:,}"
        else:
            count = f"at least {self.least:,} and at most {self.most:,}"
        one = self.most == 1
        group = in_words(self.inside, self.outside)
        if self.or_inside or self.or_outside:
            group = f"either {group}, or {in_words(self.or_inside, self.or_outside)}"
        return f"{count} row{'' if one else 's'} {'has' if one else 'have'} {group}"

    @property
    def why(self) -> str:
        """How anybody can know, in words."""
        return WHY[self.kind]

    @property
    def n_items(self) -> int:
        """Number of items that are spoken of."""
        return len(self.inside | self.outside | self.or_inside | self.or_outside)

    def to_dict(self) -> dict[str, object]:
        """Return items as text, sorted, the bounds, and the words."""
        groups = {
            "inside": self.inside,
            "outside": self.outside,
            "or_inside": self.or_inside,
            "or_outside": self.or_outside,
        }
        return {
            "kind": self.kind,
            **{name: [str(item) for item in in_order(items)] for name, items in groups.items()},
            "least": self.least,
            "most": self.most,
            "in_words": str(self),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks(Result):
    """Leaks of a collection, worst first, with what was looked at and what was not.

    Attributes
    ----------
    k : int
        Groups of fewer rows are leaks.
    min_support : int or None
        What the attacker is taken to know of unpublished sets: their support is smaller.
    leaks : tuple of Leak
        Those found, smallest group first.
    examined, not_examined : tuple of str
        What these leaks are all of, and what may leak still, in words.
    """

    k: int
    min_support: int | None
    leaks: tuple[Leak, ...]
    examined: tuple[str, ...]
    not_examined: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.leaks)

    def __getitem__(self, index: int) -> Leak:
        return self.leaks[index]

    def __iter__(self) -> Iterator[Leak]:
        return iter(self.leaks)

    def __repr__(self) -> str:
        return f"Leaks({self.sentence})"

    def count(self, kind: Kind) -> int:
        """Return the number of leaks of one kind."""
        return sum(leak.kind == kind for leak in self.leaks)

    @property
    def sentence(self) -> str:
        """What was found, in one plain sentence."""
        knowing = "" if self.min_support is None else ", knowing the least support"
        if not self.leaks:
            return f"No group of fewer than {self.k} rows was found that these itemsets disclose."
        return (
            f"{len(self):,} group{'s' if len(self) > 1 else ''} of fewer than {self.k} rows can be "
            f"inferred from these itemsets{knowing}; worst: {self.leaks[0]}."
        )

    def preview(self) -> Preview:
        """Return the worst leaks in words."""
        rows = [(leak.kind, str(leak), leak.why) for leak in self.leaks[:N_SHOWN]]
        return Preview(
            title=self.sentence, header=("kind", "what is disclosed", "because"), rows=rows
        )

    def to_dict(self) -> dict[str, object]:
        """Return every leak, and what was and was not looked at."""
        return {
            "k": self.k,
            "min_support": self.min_support,
            "n_leaks": len(self),
            "examined": list(self.examined),
            "not_examined": list(self.not_examined),
            "leaks": [leak.to_dict() for leak in self.leaks],
        }


def worst_first(leaks: list[Leak]) -> tuple[Leak, ...]:
    """Return leaks by size of the group, those of few items first among equals."""
    return tuple(
        sorted(leaks, key=lambda leak: (leak.most, leak.least, leak.n_items, leak.kind, str(leak)))
    )
