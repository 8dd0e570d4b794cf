"""Minimal infrequent itemsets (MIIs): the smallest combinations that few rows share.

They are the identifying combinations: an attacker who knows the values of an MII of a record
finds at most ``theta`` rows, and knowing fewer of these values leaves more than ``theta``. Where
it is known whose the rows are, people are counted in place of rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native, checks
from discreet.data.item_sets import sorted_sets
from discreet.errors import DiscreetWarning, ParameterError
from discreet.limits import search, size_limit
from discreet.mine.database import REMEDY, Database, count_itemsets, list_itemsets
from discreet.mine.itemsets import Counts, Itemsets

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits, Progress


KIND = "minimal infrequent"
REMEDY_OF_CELLS = (
    "Set max_size, to 3 for instance, use fewer columns, take a method that generalizes"
)


def minimal_infrequent(
    data: object, *, theta: int, max_size: int | None = None, **limits: Unpack[Limits]
) -> Itemsets:
    r"""Return the itemsets that occur at most ``theta`` times while all their subsets occur more.

    .. math:: \{ X : 1 \le \mathrm{supp}_D(X) \le \theta, \;
        \mathrm{supp}_D(Y) > \theta \text{ for all } Y \subset X \}

    where :math:`Y` runs over all proper subsets, the empty set (support = number of rows)
    included, and :math:`\theta` is ``theta``. Of a table that knows its people, the support of a
    set is the number of people with a row that contains it.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to mine. Of a Table, the identifying columns are ignored.
    theta : int
        Infrequency threshold, at least 0; ``k - 1`` for k-anonymity.
    max_size : int, optional
        Most items in an itemset, at least 1; any number by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Itemsets
        In canonical order. Empty if there are at most ``theta`` rows: then the empty set is
        infrequent itself and nothing is minimal but it.

    Raises
    ------
    LimitError
        If the result would pass ``max_itemsets`` or ``max_memory``.

    Notes
    -----
    At most :math:`m \binom{n}{\lfloor n/2 \rfloor}` for :math:`m` rows and :math:`n` columns
    (theorem 3.2). Sets that never occur are not counted; the theorem would fail with them.

    References
    ----------
    D. Haglin, A. Manning (2007), On minimal infrequent itemset mining, definition 1; the
    thesis this package's suppression family follows, definition of section 2.1.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> for items, support in dc.mine.minimal_infrequent(people, theta=1):
    ...     print(sorted(map(str, items)), support)
    ['job=a'] 1
    ['job=b', 'sex=f'] 1
    """
    database = Database.of(data, of_people=True, **limits)
    if database.people is not None:
        return _of_people(database, _checked(theta), max_size, **limits)
    return list_itemsets(
        KIND, _native.minimal_infrequent, database, _checked(theta), max_size, **limits
    )


def _of_people(
    database: Database, theta: int, max_size: int | None, **limits: Unpack[Limits]
) -> Itemsets:
    """Return the itemsets that few people have; ``n_rows`` is the number of people."""
    people = database.people
    assert people is not None
    size, what = size_limit(max_size), f"{KIND} itemsets of people (theta {theta:,})"
    with search(what, REMEDY[KIND], **limits) as running:
        offsets, items, supports = _native.minimal_infrequent_of_people(
            database.native, people, theta, size, running.control, running.progress
        )
    return Itemsets(
        kind=KIND, offsets=offsets, items=items, supports=supports, labels=database.labels,
        n_rows=int(people.max(initial=-1)) + 1,
    )  # fmt: skip


def count_minimal_infrequent(
    data: object, *, theta: int, max_size: int | None = None, **limits: Unpack[Limits]
) -> Counts:
    """Return how many minimal infrequent itemsets there are of each size.

    Takes the parameters of :func:`minimal_infrequent` and stores no itemset, unless it counts
    people.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> dc.mine.count_minimal_infrequent(people, theta=1).by_size
    (0, 1, 1)
    """
    database = Database.of(data, of_people=True, **limits)
    if database.people is not None:
        found = _of_people(database, _checked(theta), max_size, **limits)
        by_size = np.bincount(np.diff(found.offsets), minlength=1)
        return Counts(kind=KIND, by_size=tuple(by_size.tolist()), n_rows=found.n_rows)
    return count_itemsets(
        KIND, _native.count_minimal_infrequent, database, _checked(theta), max_size, **limits
    )


def mark_cells(
    data: object, *, theta: int, max_size: int | None = None, **limits: Unpack[Limits]
) -> NDArray[np.bool_]:
    """Return which cells of a table lie in a minimal infrequent itemset of their row.

    The search marks cells as it goes and stores no itemset, so memory does not grow with
    their number, and it skips branches whose cells are all marked.

    Parameters
    ----------
    data : Database of a table, Table or frame
        The table; of a Table, the identifying columns are ignored.
    theta : int
        Infrequency threshold, at least 0; ``k - 1`` for k-anonymity.
    max_size : int, optional
        Only itemsets of at most so many items count; any number by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    ndarray of bool
        One row for each row of the table, one column for each column mined.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> dc.mine.mark_cells(people, theta=1)
    array([[False,  True],
           [ True,  True],
           [False, False],
           [False, False]])
    """
    database = Database.of(data, of_people=True, **limits)
    if database.group_of is None:
        raise ParameterError(
            "mark_cells needs a table; transactions have no cells.", parameter="data"
        )
    theta, size = _checked(theta), size_limit(max_size)
    what = f"cells to suppress (theta {theta:,})"
    if max_size is None:
        limits["progress"] = _warns_when_long(limits.get("progress"), database)
    with search(what, REMEDY_OF_CELLS, **limits) as running:
        if database.people is None:
            marks = _native.mark_cells(
                database.native, theta, size, running.control, running.progress
            )
        else:
            marks = _native.mark_cells_of_people(
                database.native, database.people, theta, size, running.control, running.progress
            )
    shape = (database.n_transactions, len(database.columns))
    distinct: NDArray[np.bool_] = marks.view(np.bool_).reshape(shape)
    # Equal rows were searched once; each of them gets the marks.
    return distinct.take(database.group_of, axis=0)


PATIENCE = 30.0  # seconds


def _warns_when_long(progress: Progress | None, database: Database) -> Progress:
    """Return a progress that says once how to go on with a search that takes long."""
    started = time.monotonic()
    has_warned = False

    def heard(fraction: float, /) -> None:
        nonlocal has_warned
        if progress is not None:
            progress(fraction)
        seconds = time.monotonic() - started
        if not has_warned and seconds >= PATIENCE:
            has_warned = True
            warnings.warn(
                f"Combinations of any size are looked for in {len(database.columns)} columns: "
                f"{fraction:.0%} of the search is done after {seconds:,.0f} seconds, and it can "
                "take very long. max_size=3 looks for combinations of at most 3 values; fewer "
                "columns, or a method that generalizes, are other ways. max_seconds ends a search.",
                DiscreetWarning,
                stacklevel=2,
            )

    return heard


def _checked(theta: int) -> int:
    return checks.whole("theta", theta, at_least=0)


# Marking the cells of a table that lie in given itemsets, wherever these come from.
#
# Itemsets mined from one table, such as a sample or a public table, mark the cells of another:
# its rows are walked through a tree of the itemsets, each distinct row once.


def mark_itemsets(
    data: object,
    itemsets: Itemsets | Iterable[Iterable[Hashable]],
    **limits: Unpack[Limits],
) -> NDArray[np.bool_]:
    """Return which cells of a table lie in one of the itemsets that their row contains.

    Parameters
    ----------
    data : Database of a table, Table or frame
        The table; of a Table, the identifying columns are ignored.
    itemsets : Itemsets, or iterable of sets of items
        Mined from this or another table, or written down as pairs (column, value). An item
        that this table does not have is contained in no row. Values match if they are equal
        and in columns of the same name.
    **limits : Limits
        ``threads``, ``max_memory``, ``progress``.

    Returns
    -------
    ndarray of bool
        One row for each row of the table, one column for each column mined.

    Raises
    ------
    ParameterError
        If the data are transactions, or an itemset is not a set of pairs.
    LimitError
        If it needs more than ``max_memory``.

    Notes
    -----
    Time grows with the number of beginnings of itemsets that a row contains, items being taken
    by rising support; equal rows are looked at once. Memory: about 40 bytes for each item
    listed in the itemsets.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m"], "job": ["a", "b", "b"]})
    >>> dc.mine.mark_itemsets(people, [{("sex", "f"), ("job", "b")}, {("job", "z")}])
    array([[False, False],
           [ True,  True],
           [False, False]])
    """
    database = Database.of(data, **limits)
    if database.group_of is None:
        raise ParameterError(
            "mark_itemsets needs a table; transactions have no cells.", parameter="data"
        )
    offsets, items, labels = _coded(itemsets)
    native = _in_codes_of(database, offsets, items, labels)
    with search("cells of itemsets", "Give fewer itemsets", **limits) as running:
        marks = _native.mark_itemsets(database.native, native, running.control, running.progress)
    shape = (database.n_transactions, len(database.columns))
    distinct: NDArray[np.bool_] = marks.view(np.bool_).reshape(shape)
    return distinct[database.group_of]


def _coded(
    itemsets: Itemsets | Iterable[Iterable[Hashable]],
) -> tuple[NDArray[np.int64], NDArray[np.int32], tuple[Hashable, ...]]:
    """Return offsets, codes and labels of the itemsets."""
    if isinstance(itemsets, Itemsets):
        return itemsets.offsets, itemsets.items, itemsets.labels
    code_of: dict[Hashable, int] = {}
    offsets, codes = [0], list[int]()
    for place, itemset in enumerate(itemsets):
        if isinstance(itemset, str) or not isinstance(itemset, Iterable):
            raise ParameterError(
                f"Itemset {place} is {itemset!r}, not a set of items.", parameter="itemsets"
            )
        for item in itemset:
            if not isinstance(item, tuple) or len(item) != 2:
                raise ParameterError(
                    f"Itemset {place} has the item {item!r}; an item of a table is a pair "
                    "(column, value).",
                    parameter="itemsets",
                )
            codes.append(code_of.setdefault(item, len(code_of)))
        offsets.append(len(codes))
    return np.array(offsets, np.int64), np.array(codes, np.int32), tuple(code_of)


def _in_codes_of(
    database: Database,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
    labels: tuple[Hashable, ...],
) -> _native.Database:
    """Return the itemsets all of whose items the database has, in its codes."""
    known = {label: code for code, label in enumerate(database.labels)}
    code_of = np.array([known.get(label, -1) for label in labels], np.int64)
    codes = code_of[items] if len(labels) else np.empty(0, np.int64)
    n_unknown = np.concatenate([[0], np.cumsum(codes < 0)])
    # An itemset with an item that no row has marks nothing.
    kept = n_unknown[offsets[1:]] == n_unknown[offsets[:-1]]
    sizes = np.diff(offsets)
    cuts, sets, _ = sorted_sets(
        np.concatenate([[0], np.cumsum(sizes[kept])]),
        codes[np.repeat(kept, sizes)],
        max(database.n_items, 1),
    )
    ones, no_columns = np.ones(len(cuts) - 1, np.int64), np.empty(0, np.int32)
    return _native.Database(cuts, sets, ones, database.n_items, no_columns)
