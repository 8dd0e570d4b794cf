"""All tests for leaks in one call: channels, the border, and windows of items."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.errors import DataError, ParameterError
from discreet.mine.database import least_support
from discreet.mine.frequent import frequent
from discreet.mine.itemsets import Itemsets
from discreet.patterns.border import Leak, Leaks, border_leaks, border_sets, worst_first
from discreet.patterns.channels import channels, projected
from discreet.patterns.collection import checked
from discreet.patterns.lattice import MAX_NODES, NO_SET, Cells, Lattice

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits


ELSEWHERE = "what an attacker knows of the rows from elsewhere"


def leaks(
    data: object,
    *,
    k: int,
    min_support: int | None = None,
    min_frequency: float | None = None,
    columns: Iterable[str] | None = None,
    knows_support: bool = True,
    deep: bool = True,
    **limits: Unpack[Limits],
) -> Leaks:
    """Return every group of few rows that a collection is found to disclose.

    Parameters
    ----------
    data : Itemsets, or Database, Table, Transactions or frame
        A collection as it is published, or the data it is to be mined from.
    k : int
        Groups of fewer rows are leaks, at least 2.
    min_support, min_frequency : optional
        Least support, in rows or as a share: needed with data; with a collection, give it if the
        attacker knows it.
    columns : iterable of str, optional
        Columns of a table to look at, such as the quasi-identifiers; all by default.
    knows_support : bool
        Whether the attacker knows the least support, and so that unpublished sets are rarer.
    deep : bool
        Whether to look at windows of items too, by integer programs, which takes longer.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Leaks
        Smallest group first. ``examined`` and ``not_examined`` say what this is all of, and what
        not.

    Raises
    ------
    DataError
        If no data can have these supports.
    LimitError
        If there is more to look at than ``max_itemsets``.

    Notes
    -----
    **Guarantee.** None: these are tests, and none of them is complete. That *nothing* leaks is
    what :func:`discreet.patterns.witness` proves.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> print(leaks(baskets, k=3, min_support=8)[0])
    exactly 1 row has a, but not b
    """
    if isinstance(data, Itemsets):
        if columns is not None:
            raise ParameterError(
                "{columns} is for tables; a collection is looked at as a whole.",
                parameter="columns",
                options={"columns": ...},
            )
        if min_frequency is not None:
            min_support = least_support(min_support, min_frequency, n_rows=data.n_rows)
        published = data
    else:
        database = projected(data, columns, **limits)
        min_support = least_support(min_support, min_frequency, n_rows=database.n_rows)
        published = frequent(database, min_support=min_support, **limits)
    known = min_support if knows_support else None
    direct = channels(published, k=k, count_all=False, **limits)
    parts = [border_leaks(published, k=k, min_support=known, **limits)]
    if deep:
        parts.append(window_leaks(published, k=k, min_support=known, **limits))
    found: dict[object, Leak] = {
        (channel.inside, channel.outside, frozenset(), frozenset()): Leak(
            kind="channel",
            inside=channel.inside,
            outside=channel.outside,
            least=channel.support,
            most=channel.support,
        )
        for channel in direct
    }
    for leak in (leak for part in parts for leak in part):
        found.setdefault((leak.inside, leak.outside, leak.or_inside, leak.or_outside), leak)
    missed = dict.fromkeys(words for part in parts[-1:] for words in part.not_examined)
    return Leaks(
        k=parts[0].k,
        min_support=known,
        leaks=worst_first(list(found.values())),
        examined=(
            "every pattern whose conjunctions are over published sets (by maximal channels)",
            *(words for part in parts for words in part.examined),
        ),
        not_examined=tuple(dict.fromkeys([*missed, ELSEWHERE])),
    )


# Leaks within windows of items, by integer programming over all cells of the window.
#
# The border test looks at one unpublished set whose parts are all known. Where several sets are
# unknown at once, the numbers of rows of all 2^w cells are the unknowns of an integer program, and
# the least and the greatest size of a group are its optima.

MOST_ITEMS = 8


def window_leaks(
    published: Itemsets,
    *,
    k: int,
    min_support: int | None = None,
    n_items: int = 6,
    max_windows: int = 16,
    max_nodes: int = MAX_NODES,
    **limits: Unpack[Limits],
) -> Leaks:
    """Return the conjunctions within windows of items that are known to have few rows.

    Parameters
    ----------
    published : Itemsets
        The collection as it is published: all frequent itemsets, or the closed ones.
    k : int
        Groups of fewer rows are leaks, at least 2.
    min_support : int, optional
        The least support, if the attacker knows that unpublished sets have a smaller one.
    n_items : int
        Items of a window, 1 to 8. With so many published items or fewer there is one window.
    max_windows : int
        Most windows to look at, spread evenly over border sets and maximal itemsets.
    max_nodes : int
        Nodes of the solver's search tree for each program, after which it is given up.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Leaks
        Of kind "window". Groups that are part of one that leaks already, here or as a channel, are
        skipped. ``examined`` says how many windows were proved safe.

    Raises
    ------
    DataError
        If no data can have these supports.

    Notes
    -----
    **Guarantee.** None: this is a test. For each window first a witness is sought: rows with these
    supports of which every cell has none or at least ``k``. If there is one, *no Boolean pattern*
    over the window leaks by the supports published within it. If not, all conjunctions
    (items inside, items outside) whose items are not a published set are looked at: one leaks if
    its minimum is above 0 and its maximum below ``k``. Solutions met on the way spare most of
    these programs: a group that is empty or has ``k`` rows in one of them cannot leak.

    *Not proved*: supports of sets that reach out of the window are not used, so that a safe window
    may leak within a larger one; disjunctions are covered only where a witness was found; windows
    beyond ``max_windows`` are not looked at. A leak that is reported is one, up to the rounding of
    the solver, which computes in doubles.

    Examples
    --------
    >>> from discreet.mine import Itemsets
    >>> published = Itemsets.from_mapping(
    ...     {frozenset("a"): 3, frozenset("b"): 2, frozenset("c"): 3}, n_rows=5)
    >>> for leak in window_leaks(published, k=2, min_support=2):
    ...     print(leak)
    exactly 1 row has a and b
    exactly 1 row has a and c
    exactly 1 row has b and c
    exactly 1 row has b, but not a
    exactly 1 row has b, but not c
    exactly 1 row has neither a nor b
    exactly 1 row has neither b nor c
    """
    k, min_support = checked(k, min_support)
    n_items = checks.whole("n_items", n_items, at_least=1, at_most=MOST_ITEMS)
    max_windows = checks.whole("max_windows", max_windows, at_least=1)
    max_nodes = checks.whole("max_nodes", max_nodes, at_least=1)
    lattice = Lattice.of(published, **limits)
    chosen, n_all = _windows(lattice, n_items, max_windows, k, min_support, **limits)
    looks = [_look(lattice, items, k, min_support, max_nodes) for items in chosen]
    found = {(leak.inside, leak.outside): leak for look in looks for leak in look.leaks}
    n_proved = sum(look.is_proved for look in looks)
    not_examined = [
        "patterns over more items than a window has, or over items that share no window",
        *(["windows beyond max_windows"] if n_all > len(chosen) else []),
        *(["disjunctions in windows without a witness"] if n_proved < len(chosen) else []),
        *(["groups that the solver gave up on"] if any(look.gave_up for look in looks) else []),
    ]
    return Leaks(
        k=k,
        min_support=min_support,
        leaks=worst_first(_least(list(found.values()))),
        examined=(
            (
                f"conjunctions in {len(chosen)} of {n_all:,} windows of up to {n_items} items, of "
                f"which {n_proved} were proved to leak nothing"
            ),
        ),
        not_examined=tuple(not_examined),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What was found in one window."""

    leaks: list[Leak]
    is_proved: bool
    gave_up: bool


def _look(
    lattice: Lattice, items: NDArray[np.int64], k: int, min_support: int | None, max_nodes: int
) -> _Look:
    """Return the leaks of one window."""
    cells = Cells.of(lattice, items, min_support)
    if cells.all_or_nothing(k, max_nodes=max_nodes).point is not None:
        return _Look(leaks=[], is_proved=True, gave_up=False)
    inside, outside = _conjunctions(len(items))
    sums = (cells.masks & (inside | outside)[:, None] == inside[:, None]).astype(np.int64)
    first = cells.extreme(np.zeros(len(cells.masks), np.int64), max_nodes=max_nodes)
    if first.is_infeasible:
        raise DataError(_contradiction(lattice, items, min_support))
    if first.point is None:
        return _Look(leaks=[], is_proved=False, gave_up=True)
    sizes = sums @ first.point
    is_open = (sizes > 0) & (sizes < k)
    for channel in np.flatnonzero(is_open & (cells.supports[inside | outside] != NO_SET)):
        is_open &= ~_within(inside, outside, int(channel))
    leaks, gave_up = [], False
    for number in range(len(inside)):
        least = most = -1
        for sign in (1, -1):
            if not is_open[number]:
                break
            found = cells.extreme(sign * sums[number], max_nodes=max_nodes)
            if found.point is None:
                gave_up, is_open[number] = True, False
                break
            sizes = sums @ found.point
            is_open &= (sizes > 0) & (sizes < k)
            best = sign * round(found.bound)
            least, most = (best, most) if sign == 1 else (least, best)
        if is_open[number] and 0 < least <= most < k:
            is_open &= ~_within(inside, outside, number)
            masks = int(inside[number]), int(outside[number])
            leaks.append(_leak(lattice, items, masks, (least, most)))
    return _Look(leaks=leaks, is_proved=False, gave_up=gave_up)


def _windows(
    lattice: Lattice,
    n_items: int,
    max_windows: int,
    k: int,
    min_support: int | None,
    **limits: Unpack[Limits],
) -> tuple[list[NDArray[np.int64]], int]:
    """Return the windows to look at, and how many there would be."""
    used = lattice.used
    if len(used) <= n_items:
        return [used], 1
    ties = _ties(lattice)
    seeds: dict[tuple[int, ...], None] = {}
    for candidates in border_sets(lattice, k=k, min_support=min_support, **limits):
        if candidates.items.shape[1] < n_items:
            seeds.update(dict.fromkeys(map(tuple, candidates.items.tolist())))
    top = lattice.levels[-1].items
    for size in range(min(n_items - 1, top.shape[1]), 0, -1):
        sets = lattice.levels[size]
        if size + 1 < len(lattice.levels):
            covered = np.unique(lattice.levels[size + 1].without)
            rows = np.setdiff1d(np.arange(len(sets)), covered)
        else:
            rows = np.arange(len(sets))
        seeds.update(dict.fromkeys(map(tuple, sets.items[rows].tolist())))
    if not seeds:  # every maximal itemset is larger than a window
        seeds.update(dict.fromkeys(map(tuple, top[:, : n_items - 2].tolist())))
    every = list(seeds)
    picked = np.unique(np.linspace(0, len(every) - 1, min(max_windows, len(every))).astype(int))
    grown = {_grown(every[place], ties, used, n_items) for place in picked.tolist()}
    return [np.array(items, np.int64) for items in sorted(grown)], len(every)


def _ties(lattice: Lattice) -> NDArray[np.bool_]:
    """Return which pairs of published items are published together."""
    used = lattice.used
    ties = np.zeros((len(used), len(used)), bool)
    if len(lattice.levels) > 2:
        pairs = np.searchsorted(used, lattice.levels[2].items)
        ties[pairs[:, 0], pairs[:, 1]] = ties[pairs[:, 1], pairs[:, 0]] = True
    return ties


def _grown(
    seed: tuple[int, ...], ties: NDArray[np.bool_], used: NDArray[np.int64], n_items: int
) -> tuple[int, ...]:
    """Return a set of items with those that are published with most of it."""
    window = np.searchsorted(used, seed).tolist()
    while len(window) < n_items:
        shared = ties[window].sum(axis=0)
        shared[window] = -1
        window.append(int(shared.argmax()))
    return tuple(sorted(used[window].tolist()))


def _conjunctions(n_items: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the masks of items inside and outside of all conjunctions, few items first."""
    ways = np.array(list(product((0, 1, 2), repeat=n_items)), np.int64).reshape(3**n_items, n_items)
    bits = 1 << np.arange(n_items)
    inside, outside = (ways == 1) @ bits, (ways == 2) @ bits
    order = np.lexsort((-inside, np.bitwise_count(inside | outside)))
    return inside[order], outside[order]


def _within(
    inside: NDArray[np.int64], outside: NDArray[np.int64], number: int
) -> NDArray[np.bool_]:
    """Return which conjunctions are about part of the rows of one of them, or about the same."""
    has, lacks = inside[number], outside[number]
    within: NDArray[np.bool_] = (inside & has == has) & (outside & lacks == lacks)
    return within


def _leak(
    lattice: Lattice,
    items: NDArray[np.int64],
    masks: tuple[int, int],
    known: tuple[int, int],
) -> Leak:
    """Return a leak with labels."""
    labels = [lattice.labels[item] for item in items.tolist()]
    inside, outside = masks
    return Leak(
        kind="window",
        inside=frozenset(label for place, label in enumerate(labels) if inside >> place & 1),
        outside=frozenset(label for place, label in enumerate(labels) if outside >> place & 1),
        least=known[0],
        most=known[1],
    )


def _least(leaks: list[Leak]) -> list[Leak]:
    """Return the leaks that are not about part of the rows of another, of another window."""
    return [
        leak
        for leak in leaks
        if not any(
            other.inside <= leak.inside and other.outside <= leak.outside and other is not leak
            for other in leaks
        )
    ]


def _contradiction(lattice: Lattice, items: NDArray[np.int64], min_support: int | None) -> str:
    """Return what is wrong with supports that no data have."""
    words = ", ".join(str(lattice.labels[item]) for item in items.tolist())
    less = "" if min_support is None else f" and leave the others below {min_support}"
    return (
        f"No data can have the published supports of the sets of {{{words}}}{less}. Check "
        "min_support and that no itemset is missing."
    )
