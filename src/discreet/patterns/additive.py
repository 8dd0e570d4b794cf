"""Additive sanitization: supports raised as if transactions were added, so that no group is small.

Every count that follows from the published supports is changed by 0 or by a multiple of k, so that
no new channel can arise, and no itemset becomes frequent that was not.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from discreet import checks
from discreet.errors import LimitError, ParameterError
from discreet.mine.database import least_support, one_per_person, with_empty
from discreet.mine.frequent import frequent
from discreet.mine.itemsets import ItemBits, Itemsets, unpacked
from discreet.patterns.channels import channels, projected
from discreet.patterns.collection import (
    Sanitized,
    checked_quasi,
    condensed,
    select,
    support_for_k,
    with_sensitive,
)
from discreet.patterns.release import check_columns, pattern_release
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.mine.database import PerPerson
    from discreet.patterns.channels import Channels
    from discreet.release.release import Release


def additive(
    published: object,
    *,
    k: int,
    min_support: int | None = None,
    min_frequency: float | None = None,
    columns: Iterable[str] | None = None,
    quasi: Iterable[str] | None = None,
    grouping: Method = "best",
    **limits: Unpack[Limits],
) -> Sanitized:
    r"""Return a collection without inference channels, supports raised where needed.

    For a few closed frequent itemsets :math:`A` the supports of all subsets of :math:`A` are
    raised by :math:`k`, as if :math:`k` transactions :math:`A` were added. Then

    .. math:: f_I^J \leftarrow f_I^J + k \, |\{A : A \cap J = I\}|

    and the itemsets are chosen so that for every maximal channel :math:`(I, J)` there is one.

    Parameters
    ----------
    published : Itemsets, or Database, Table, Transactions or frame
        The collection to be published: all frequent itemsets, or the closed ones (``kind`` is
        "closed"); or the data, of which the frequent itemsets are published.
    k : int
        Least size of a group that may be disclosed, at least 2.
    min_support, min_frequency : optional
        Least support, in rows or as a share of the original rows; needed with data. Of a
        collection, less frequent itemsets are dropped. It is raised to ``k``, with a warning, if
        it is less.
    columns : iterable of str, optional
        Columns of a table to publish itemsets of, such as the quasi-identifiers; all by default.
    quasi : iterable of str, optional
        Those of the columns that an attacker can know of a person; all by default. Groups are then
        protected in these columns only, and itemsets with values of the others are published beside
        them, see :func:`discreet.patterns.collection.with_sensitive`.
    grouping : {"best", "first-fit"}
        How itemsets to add are chosen, see :func:`discreet.patterns.additive.group_channels`.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Sanitized
        The same itemsets with supports for publication, and the itemsets added.

    Raises
    ------
    DataError
        If no data can have the supports of a collection.
    LimitError
        If there are more itemsets or channels than can be handled.

    Notes
    -----
    **Guarantee.** The published collection has no inference channel: nobody can infer from it a
    group of fewer than ``k`` rows by a pattern whose items are, in each conjunction, a published
    itemset. It is :math:`F(D + \text{added}, \sigma)`, hence free of contradictions. Not
    protected: what can be inferred about itemsets that are not published
    (:mod:`discreet.patterns.border` tests that); and whoever knows ``k`` sees that a count
    between ``k`` and ``2k`` may have been raised.

    The itemsets stay the same, and so do the closed ones: the added transactions are closed. To
    add fewer than ``k`` copies would make new channels. Time beyond detection grows with the
    number of channels times the number of closed itemsets, a bit each.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 7.2, algorithm 3.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> done = additive(baskets, k=3, min_support=8)
    >>> done.sentence
    'To hide 1 group of fewer than 3 rows, the additive method added 3 transactions.'
    >>> [(sorted(items), support) for items, support in done.published], done.published.n_rows
    ([(['a'], 12), (['b'], 11), (['a', 'b'], 8)], 15)
    """
    k = checks.whole("k", k, at_least=2)
    table, known = (None, ()) if quasi is None else checked_quasi(published, columns, quasi)
    before, support = _collection(
        published, k, min_support, min_frequency, known or columns, **limits
    )
    found = channels(before, k=k, count_all=False, **limits)
    closed, _ = condensed(before, **limits)
    grouped = group_channels(found, closed, method=grouping)
    n_added = k * len(grouped.itemsets)
    n_rows = before.n_rows + n_added
    # Added k times each: a support that an attacker computes from others is changed by 0 or a
    # multiple of k, so that a small group becomes one of k or more, and no new small one arises.
    raised = k * ItemBits.of(grouped.itemsets).n_supersets(before)
    after = replace(before, supports=before.supports + raised, n_rows=n_rows)
    made = Sanitized(
        published=after,
        k=k,
        min_support=support,
        method="additive",
        distortion=distortion(before, after),
        n_channels=len(found),
        n_added=n_added,
        groups=replace(
            grouped.itemsets,
            kind="added",
            supports=np.full(len(grouped.itemsets), k, np.int64),
            n_rows=n_rows,
        ),
        n_added_first_fit=k * grouped.n_first_fit,
        n_added_at_least=k * grouped.at_least,
        quasi=known,
    )
    return made if table is None else with_sensitive(made, table, **limits)


def additive_release(
    data: object,
    *,
    columns: Sequence[str] | None = None,
    per_person: PerPerson | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    seed: int | None = None,
    **options: Any,  # noqa: ANN401  those of additive
) -> Release[Itemsets]:
    """Return the release of what :func:`~discreet.patterns.additive` makes of data.

    Parameters
    ----------
    data : Table, Transactions or frame
        Identifying columns are not released. A table, or transactions, may know whose each row is.
    columns : sequence of str, optional
        The columns that itemsets are about; all but the identifying ones by default.
    per_person : {"unite", "one"}, optional
        What becomes of several rows of one person, as in :func:`discreet.mine.one_per_person`.
    person, one_row_per_person : optional
        Of a frame: the column that says whose each row is, or the statement that every row is
        another person.
    seed : int, optional
        Of the choice of one row of each person, for experiments.
    **options
        As in :func:`~discreet.patterns.additive`.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> len(additive_release(baskets, k=3, min_support=8).data)
    3
    """
    counted = one_per_person(
        data, per_person=per_person, person=person, one_row_per_person=one_row_per_person, seed=seed
    )
    check_columns(counted.data, columns)
    made = additive(counted.data, columns=columns, **options)
    return pattern_release(made, source=counted, columns=columns)


def _collection(
    published: object,
    k: int,
    min_support: int | None,
    min_frequency: float | None,
    columns: Iterable[str] | None,
    **limits: Unpack[Limits],
) -> tuple[Itemsets, int]:
    """Return what would be published without sanitization, and its least support."""
    if not isinstance(published, Itemsets):
        database = projected(published, columns, **limits)
        asked = least_support(min_support, min_frequency, n_rows=database.n_rows)
        support = support_for_k(asked, k)
        return frequent(database, min_support=support, **limits), support
    if columns is not None:
        raise ParameterError(
            "{columns} is for tables; a collection is published as a whole.",
            parameter="columns",
            options={"columns": ...},
        )
    # Without a stated least support it is that of the rarest published itemset.
    given = published.supports[published.sizes > 0]
    asked = int(given.min(initial=max(published.n_rows, k)))
    if min_support is not None or min_frequency is not None:
        asked = least_support(min_support, min_frequency, n_rows=published.n_rows)
    support = support_for_k(asked, k)
    stays = (published.supports >= support) | (published.sizes == 0)
    return select(published, np.flatnonzero(stays)), support


# Which transactions to add so that every channel gets one: as few kinds of them as possible.
#
# A transaction A hides a channel (I, J) if it holds of J exactly I. One transaction can hide many
# channels, of each maximal set J one at most.

Method: TypeAlias = Literal["best", "first-fit"]

MAX_COVER_BITS = 2**32  # pairs of a channel and an itemset: 512 MB, held twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """The itemsets to add as transactions.

    Attributes
    ----------
    itemsets : Itemsets
        What to add, large ones first, with their supports in the data.
    n_first_fit : int
        How many the paper's merging adds.
    at_least : int
        How many any choice has to add, as far as known.
    """

    itemsets: Itemsets
    n_first_fit: int
    at_least: int


def group_channels(found: Channels, closed: Itemsets, *, method: Method = "best") -> Grouping:
    r"""Return closed itemsets such that each channel is closed by one of them.

    .. math:: \min |G| \text{ over } G \subseteq C \text{ with } \forall (I, J)\; \exists A \in G:
        A \cap J = I

    where :math:`(I, J)` are the maximal channels and :math:`C` the closed itemsets.

    Parameters
    ----------
    found : Channels
        The maximal channels of a collection.
    closed : Itemsets
        The closed itemsets of the same collection; the empty one may be missing.
    method : {"best", "first-fit"}
        *first-fit* is the paper's merging: channels in the order of decreasing :math:`|I|` (then
        by item numbers) go to the first group whose itemset hides them, or found a new group with
        the itemset :math:`I`. *best* is a set cover: greedy, without what became superfluous,
        every itemset made as small as can be, and improved by integer programming where the
        problem is small. It is never more than first-fit.

    Returns
    -------
    Grouping
        The itemsets, and how many first-fit needs.

    Raises
    ------
    LimitError
        If there are too many channels to compare.

    Notes
    -----
    In this order, a merged pair is :math:`(A, \cdot)` with :math:`A` the inner set of the first
    channel of its group, and definition 17 says :math:`A \cap J = I`. If :math:`A` hides some
    channels, so does the closure of the union of their inner sets, which is the smallest closed
    set that does: it is what we add. A maximal set needs as many transactions as it has channels;
    that, and the bound of the linear program, is ``at_least``. Time and memory grow with the
    number of channels times the number of closed itemsets (a bit each); above 2^32 such pairs
    only the inner sets are tried.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, definition 17 and algorithm 3, lines 1-8. V. Chvatal (1979), A greedy heuristic for
    the set-covering problem.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.patterns import channels
    >>> rows = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
    >>> baskets = dc.Transactions.from_iterable(map(set, rows))
    >>> found = channels(baskets, k=3, min_support=8)
    >>> chosen = group_channels(found, dc.mine.closed(baskets, min_support=8))
    >>> [sorted(items) for items, _ in chosen.itemsets], chosen.at_least
    ([['d', 'e'], ['a'], ['e']], 3)
    """
    checks.one_of("grouping", method, get_args(Method))
    candidates = _candidates(found, closed)
    hides = _hides(found, candidates)
    inner_at = _places(found.inner, candidates)
    first_fit = _first_fit(hides, inner_at)
    # A transaction holds of one maximal set one part only.
    at_least = max(np.unique(_numbered(found.outer), return_counts=True)[1], default=0)
    chosen = first_fit
    if method == "best":
        chosen, bound = fewest(
            hides, n_sets=len(candidates), start=first_fit, at_least=int(at_least)
        )
        at_least = max(at_least, bound)
    return Grouping(
        itemsets=select(candidates, np.sort(chosen)),
        n_first_fit=len(first_fit),
        at_least=int(at_least),
    )


def _candidates(found: Channels, closed: Itemsets) -> Itemsets:
    """Return the itemsets to choose from, large ones first, then by item number."""
    family = closed if (closed.sizes == 0).any() else with_empty(closed)
    if len(family) * len(found) > MAX_COVER_BITS:
        family = select(family, np.unique(_places(found.inner, family)))
    if len(family) * len(found) > MAX_COVER_BITS:
        raise LimitError(
            f"{len(found):,} channels are too many to hide with few transactions. "
            "Raise min_support, lower k, or look at fewer columns."
        )
    keys = [
        (low - high, tuple(family.items[low:high].tolist()))
        for low, high in zip(family.offsets, family.offsets[1:], strict=False)
    ]
    return select(family, np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64))


def _hides(found: Channels, candidates: Itemsets) -> NDArray[np.uint64]:
    """Return a row of bits for each channel: the candidates that hold of J exactly I."""
    inner, outer = found.inner, found.outer
    n_items = max(len(candidates.labels), 1)
    which_inner, which_outer = (
        np.repeat(np.arange(len(sets)) * n_items, sets.sizes) + sets.items
        for sets in (inner, outer)
    )
    outside = ~np.isin(which_outer, which_inner, assume_unique=True)
    offsets = np.concatenate([[0], np.cumsum(outside)])[outer.offsets]
    members = ItemBits.of(candidates)
    hides = members.having_any(offsets, outer.items[outside])
    np.invert(hides, out=hides)
    hides &= members.having_all(inner.offsets, inner.items)
    return hides


def _first_fit(hides: NDArray[np.uint64], inner_at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the inner sets that found a group, in order."""
    order = np.argsort(inner_at, kind="stable")
    places, starts = np.unique(inner_at[order], return_index=True)
    groups = np.zeros(hides.shape[1], np.uint64)
    chosen = []
    for place, of_place in zip(places, np.split(order, starts[1:]), strict=False):
        if not (hides[of_place] & groups).any(axis=1).all():
            groups[place // 64] |= np.uint64(1 << int(place) % 64)
            chosen.append(place)
    return np.array(chosen, np.int64)


def _places(sets: Itemsets, among: Itemsets) -> NDArray[np.int64]:
    """Return where each of some itemsets is in a collection that has them all."""
    place_of = {
        among.items[low:high].tobytes(): place
        for place, (low, high) in enumerate(zip(among.offsets, among.offsets[1:], strict=False))
    }
    return np.array(
        [
            place_of[sets.items[low:high].tobytes()]
            for low, high in zip(sets.offsets, sets.offsets[1:], strict=False)
        ],
        np.int64,
    )


def _numbered(sets: Itemsets) -> list[int]:
    """Return a number for each itemset, equal for equal ones."""
    number_of: dict[bytes, int] = {}
    return [
        number_of.setdefault(sets.items[low:high].tobytes(), len(number_of))
        for low, high in zip(sets.offsets, sets.offsets[1:], strict=False)
    ]


# Few sets that cover everything: greedy, cleaned up, and exact where the problem is small.

CHUNK_BITS = 2**25

MAX_EXACT_PAIRS = 200_000  # pairs of an element and a set that cover each other

MAX_NODES = 2_000

MAX_SECONDS = 10.0


def fewest(
    covers: NDArray[np.uint64], *, n_sets: int, start: NDArray[np.int64], at_least: int
) -> tuple[NDArray[np.int64], int]:
    """Return few sets that cover every element, and a number below which no cover is.

    Parameters
    ----------
    covers : ndarray of uint64
        A row of bits for each element: the sets that cover it, at least one.
    n_sets : int
        Number of sets, in the order of falling size: of equals, the last is the smallest.
    start : ndarray of int
        A cover to be improved on.
    at_least : int
        A bound that is known already.

    Returns
    -------
    (ndarray of int, int)
        The sets of the cover, and the bound.

    Notes
    -----
    The same input gives the same output, unless the exact search runs into its limit of 10
    seconds; it is bounded by nodes first.

    Examples
    --------
    >>> covers = np.array([[0b011], [0b110], [0b100]], np.uint64)
    >>> fewest(covers, n_sets=3, start=np.array([0, 1, 2]), at_least=1)
    (array([1, 2]), 2)
    """
    by_set = np.ascontiguousarray(covers.T)  # the same bits, for reading one set at a time
    greedy = _smaller(covers, by_set, n_sets, _greedy(covers, by_set, n_sets))
    best = greedy if len(greedy) < len(start) else _smaller(covers, by_set, n_sets, start)
    best = min(greedy, best, key=_cost)
    if len(best) <= at_least:
        return np.sort(best), at_least
    exact, bound = _exact(covers, n_sets)
    at_least = max(at_least, bound)
    if exact is not None and len(exact) <= len(best):
        best = min(best, _smaller(covers, by_set, n_sets, exact), key=_cost)
    return np.sort(best), at_least


def _greedy(
    covers: NDArray[np.uint64], by_set: NDArray[np.uint64], n_sets: int
) -> NDArray[np.int64]:
    """Return a cover that takes in each step what covers most of the rest."""
    gains = np.zeros(n_sets, np.int64)
    _count(covers, gains, 1)
    left = np.arange(len(covers))
    chosen = []
    while len(left):
        best = n_sets - 1 - int(np.argmax(gains[::-1]))  # of equals the smallest
        covered = _has(by_set, best)[left]
        _count(covers[left[covered]], gains, -1)
        left = left[~covered]
        chosen.append(best)
    return np.array(chosen, np.int64)


def _smaller(
    covers: NDArray[np.uint64],
    by_set: NDArray[np.uint64],
    n_sets: int,
    chosen: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Return a cover without superfluous sets, each the smallest that covers what it has to."""
    covered_by = {int(place): np.flatnonzero(_has(by_set, place)) for place in chosen}
    times = np.zeros(len(covers), np.int64)
    for elements in covered_by.values():
        times[elements] += 1
    kept = []
    for place in sorted(covered_by):  # large ones first
        elements = covered_by[place]
        alone = elements[times[elements] == 1]
        times[elements] -= 1
        if not len(alone):
            continue
        suits = unpacked(np.bitwise_and.reduce(covers[alone], axis=0, keepdims=True), n_sets)[0]
        smallest = int(np.flatnonzero(suits)[-1])
        times[_has(by_set, smallest)] += 1
        kept.append(smallest)
    return np.unique(np.array(kept, np.int64))


def _exact(covers: NDArray[np.uint64], n_sets: int) -> tuple[NDArray[np.int64] | None, int]:
    """Return a smallest cover and its size; none, or a bound, if the search was cut short."""
    if np.bitwise_count(covers).sum(dtype=np.int64) > MAX_EXACT_PAIRS * 64:
        return None, 0
    optimize = importlib.import_module("scipy.optimize")  # scipy has no types
    sparse = importlib.import_module("scipy.sparse")
    distinct = np.unique(covers, axis=0)  # elements covered by the same sets are one
    elements, places = np.nonzero(unpacked(distinct, n_sets))
    # Of sets that cover the same elements only the smallest is of use.
    order = np.lexsort((elements, places))
    used, starts = np.unique(places[order], return_index=True)
    last_of = {
        part.tobytes(): place
        for place, part in zip(used, np.split(elements[order], starts[1:]), strict=True)
    }
    columns = np.array(sorted(last_of.values()), np.int64)
    is_kept = np.isin(places, columns)
    elements, places = elements[is_kept], np.searchsorted(columns, places[is_kept])
    if len(elements) > MAX_EXACT_PAIRS:
        return None, 0
    matrix = sparse.csr_array(
        (np.ones(len(elements)), (elements, places)), shape=(len(distinct), len(columns))
    )
    solved = optimize.milp(
        np.ones(len(columns)),
        integrality=np.ones(len(columns)),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(matrix, lb=1),
        options={"node_limit": MAX_NODES, "time_limit": MAX_SECONDS},
    )
    bound = solved.mip_dual_bound
    at_least = 0 if bound is None or not np.isfinite(bound) else int(np.ceil(bound - 1e-6))
    if solved.x is None:
        return None, at_least
    chosen = np.flatnonzero(solved.x > 0.5)
    is_cover = np.bincount(elements[np.isin(places, chosen)], minlength=len(distinct)).all()
    return (columns[chosen] if is_cover else None), at_least


def _cost(cover: NDArray[np.int64]) -> tuple[int, int]:
    """Return what makes one cover better than another: few sets, then small ones."""
    return len(cover), -int(cover.sum())


def _has(by_set: NDArray[np.uint64], place: int) -> NDArray[np.bool_]:
    """Return which elements a set covers."""
    bits: NDArray[np.uint64] = by_set[place // 64] >> np.uint64(place % 64)
    return (bits & np.uint64(1)).astype(np.bool_)


def _count(covers: NDArray[np.uint64], gains: NDArray[np.int64], step: int) -> None:
    """Add a step to the gain of a set for each of these elements that it covers."""
    at_a_time = max(CHUNK_BITS // max(len(gains), 1), 1)
    for low in range(0, len(covers), at_a_time):
        bits = unpacked(covers[low : low + at_a_time], len(gains))
        gains += step * bits.sum(axis=0, dtype=np.int64)
