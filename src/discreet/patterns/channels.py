"""Inference channels: groups of few rows that published supports disclose.

Supports of a set and of its supersets say how many rows have the one and lack the rest. That number
can be small although every published support is large.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _native, checks
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.data.transactions import Transactions
from discreet.errors import ParameterError
from discreet.limits import search
from discreet.mine.database import Database, Item, check_one_each, least_support
from discreet.mine.frequent import frequent, maximal
from discreet.mine.itemsets import Itemsets, list_column
from discreet.patterns.collection import (
    all_but_empty,
    condensed,
    explain_contradiction,
    explain_lack,
    native,
    select,
)
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.limits import Limits


MAX_PAIRS = 2**33  # pairs of an itemset and a subset that are looked at to count all channels

REMEDY = "Raise min_support, or look at fewer columns"


def channels(
    data: object,
    *,
    k: int,
    min_support: int | None = None,
    min_frequency: float | None = None,
    columns: Iterable[str] | None = None,
    count_all: bool = True,
    **limits: Unpack[Limits],
) -> Channels:
    r"""Return the maximal inference channels of a published or to be published collection.

    .. math:: f_I^J = \sum_{I \subseteq X \subseteq J} (-1)^{|X \setminus I|} \mathrm{supp}(X)

    is the number of rows that have every item of :math:`I` and none of :math:`J \setminus I`. The
    pair is a channel if :math:`0 < f_I^J < k`, and a maximal one if no item can be added to either
    part: then :math:`J` is a maximal frequent itemset and :math:`I` is closed.

    Parameters
    ----------
    data : Itemsets, or Database, Table, Transactions or frame
        A collection as it is published: all frequent itemsets, or the closed ones (``kind`` is
        "closed"). Or the data, of which the collection at ``min_support`` is looked at.
    k : int
        Groups of fewer rows are channels, at least 2.
    min_support, min_frequency : optional
        Least support, in rows or as a share; needed with data, not used with a collection.
    columns : iterable of str, optional
        Columns of a table to look at, such as the quasi-identifiers; all by default.
    count_all : bool
        Whether to count all itemsets and channels too, which takes longer.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Channels
        The maximal channels, smallest group first.

    Raises
    ------
    DataError
        If a collection lacks a subset of one of its members, or no data can have its supports.
    LimitError
        If there are more itemsets or channels than ``max_itemsets``.

    Notes
    -----
    **Guarantee.** None: this is a test. Without a channel, nobody can infer a group of fewer than
    ``k`` rows by a pattern whose items are, in each conjunction, a published itemset
    (:math:`\sigma`-vulnerable patterns, corollary 2). More can be inferred about itemsets that
    are *not* published: that is what :mod:`discreet.patterns.border` tests.

    With a collection, :math:`f_I^J` is the support of :math:`I` less :math:`f_X^J` of all closed
    :math:`X` with :math:`I \subset X \subseteq J`: for each maximal set, the square of its closed
    subsets. With data, rows are grouped by their part of each maximal set: one pass over the rows
    that have one of its items. A maximal set has at most 64 items.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, lemma 1, definitions 11 and 16 (a strictly larger pair with a frequent :math:`L` is
    meant), algorithm 2.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> found = channels(baskets, k=3, min_support=8)
    >>> for channel in found:
    ...     print(channel)
    only 1 row has a, but not b
    >>> found.n_itemsets, found.n_channels
    (4, 2)
    """
    k = checks.whole("k", k, at_least=2)
    if isinstance(data, Itemsets):
        if columns is not None:
            raise ParameterError(
                "{columns} is for tables; a collection is looked at as a whole.",
                parameter="columns",
                options={"columns": ...},
            )
        return _of_collection(data, k, count_all=count_all, **limits)
    database = projected(data, columns, **limits)
    support = least_support(min_support, min_frequency, n_rows=database.n_rows)
    return _of_data(database, k, support, count_all=count_all, **limits)


def rows_in_channels(
    data: object, *, k: int, min_support: int, **limits: Unpack[Limits]
) -> NDArray[np.bool_]:
    """Return which transactions of a database are in the group of some maximal channel.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        The data.
    k, min_support : int
        As in :func:`channels`.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    ndarray of bool
        One for each transaction of the database; equal rows of a table are one.
    """
    check_one_each(data)
    database = Database.of(data, **limits)
    tops = _maximal(database, min_support, **limits)
    with search("channels", REMEDY, **limits) as running:
        # Marks only, not the channels: a removed row needs no reason, and there can be very many
        # channels.
        marked = _native.rows_in_channels(
            database.native, native(tops), k, running.control, running.progress
        )
    return marked.view(np.bool_)


def projected(data: object, columns: Iterable[str] | None, **limits: Unpack[Limits]) -> Database:
    """Return the database of some columns of a table, or of everything.

    Raises
    ------
    ParameterError
        If a person has several rows: channels rest on one set of items of each.
    """
    check_one_each(data)
    if columns is None or isinstance(data, Database | Transactions):
        if columns is not None:
            raise ParameterError(
                "{columns} is for tables.", parameter="columns", options={"columns": ...}
            )
        return Database.of(data, **limits)
    table = as_table(data)
    table.refuse_carried("patterns are of categories", columns)
    return Database.from_table(table, columns=columns, **limits)


def _of_data(
    database: Database, k: int, support: int, *, count_all: bool, **limits: Unpack[Limits]
) -> Channels:
    """Return the channels of what data would publish at a support."""
    tops = _maximal(database, support, **limits)
    with search("channels", REMEDY, **limits) as running:
        found = _native.channels_of_rows(
            database.native, native(tops), k, running.control, running.progress
        )
    if not count_all:
        return _result(k, found, tops)
    published = frequent(database, min_support=support, **limits)
    with search("channels", REMEDY, **limits) as running:
        n_channels = _native.count_channels(
            native(published), k, MAX_PAIRS, running.control, running.progress
        )
    return _result(k, found, tops, n_itemsets=len(published), n_channels=n_channels)


def _of_collection(
    published: Itemsets, k: int, *, count_all: bool, **limits: Unpack[Limits]
) -> Channels:
    """Return the channels of a collection, without the data."""
    sets = all_but_empty(published)
    n_itemsets = len(sets) if count_all and published.kind != "closed" else None
    if published.kind == "closed" or not len(sets):
        return _of_closed(published, k, n_itemsets, **limits)
    # Counting looks at every pair of a set and a subset; detecting needs maximal sets only.
    max_pairs = MAX_PAIRS if count_all else 0
    with search("channels", REMEDY, **limits) as running, explain_contradiction(sets):
        found, n_channels, lacking, without, contradicts = _native.detect_channels(
            native(sets), k, max_pairs, running.control, running.progress
        )
    # A collection without a part of one of its members was not published whole; a group that
    # follows from the missing part could not be seen.
    if lacking >= 0:
        explain_lack(published, lacking, without, contradicts=contradicts)
    return _result(k, found, sets, n_itemsets=n_itemsets, n_channels=n_channels)


def _of_closed(
    published: Itemsets, k: int, n_itemsets: int | None, **limits: Unpack[Limits]
) -> Channels:
    """Return the channels of a collection of closed sets only, or of no set but the empty one."""
    closed, tops = condensed(published, **limits)
    with search("channels", REMEDY, **limits) as running, explain_contradiction(tops):
        found = _native.channels_of_collection(
            native(closed), native(tops), k, running.control, running.progress
        )
    # Counted is only the collection without a set, which has no pairs.
    n_channels = -1 if n_itemsets is None else 0
    return _result(k, found, tops, n_itemsets=n_itemsets, n_channels=n_channels)


def _result(
    k: int,
    found: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]],
    sets: Itemsets,
    *,
    n_itemsets: int | None = None,
    n_channels: int = -1,
) -> Channels:
    """Return the channels that a kernel found in some sets; counts lack the empty set.

    A number of channels below 0 means that they were not counted.
    """
    offsets, items, supports, of = found
    # The empty set is in all rows: a channel of its own if these are few.
    alone = int(0 < sets.n_rows < k)
    return Channels(
        k=k,
        n_itemsets=None if n_itemsets is None else n_itemsets + 1,
        n_channels=None if n_channels < 0 else n_channels + alone,
        inner=Itemsets(
            kind="channel",
            offsets=offsets,
            items=items,
            supports=supports,
            labels=sets.labels,
            n_rows=sets.n_rows,
        ),
        outer=select(sets, of),
    )


def _maximal(database: Database, support: int, **limits: Unpack[Limits]) -> Itemsets:
    """Return the maximal itemsets at a support; the empty one if there is no other."""
    tops = maximal(database, min_support=support, **limits)
    if len(tops):
        return tops
    return Itemsets(
        kind="maximal",
        offsets=np.zeros(2, np.int64),
        items=np.zeros(0, np.int32),
        supports=np.array([database.n_rows], np.int64),
        labels=database.labels,
        n_rows=database.n_rows,
    )


# Inference channels as results: what each discloses, in plain words, worst first.

N_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A group of fewer than k rows that published supports disclose.

    Attributes
    ----------
    inside : frozenset
        Items that every row of the group has.
    outside : frozenset
        Items that no row of the group has.
    support : int
        Rows of the group.

    Examples
    --------
    >>> print(Channel(inside=frozenset("a"), outside=frozenset("bc"), support=1))
    only 1 row has a, but neither b nor c
    >>> print(Channel(inside=frozenset(), outside=frozenset({Item("job", "clerk")}), support=3))
    only 3 rows have another job than clerk
    """

    inside: frozenset[Hashable]
    outside: frozenset[Hashable]
    support: int

    def __str__(self) -> str:
        one = self.support == 1
        count = f"only {self.support:,} row{'' if one else 's'} {'has' if one else 'have'}"
        return f"{count} {in_words(self.inside, self.outside)}"

    def to_dict(self) -> dict[str, object]:
        """Return items as text, sorted, and the support."""
        return {
            "inside": [str(item) for item in in_order(self.inside)],
            "outside": [str(item) for item in in_order(self.outside)],
            "support": self.support,
            "in_words": str(self),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Channels(Result):
    """The maximal inference channels of a collection, and how many there are in all.

    Iterating gives :class:`Channel` objects, smallest group first.

    Attributes
    ----------
    k : int
        Groups of fewer rows are channels.
    n_itemsets : int or None
        Published itemsets, the empty one counted; None if they were not counted.
    n_channels : int or None
        All channels, of which the maximal ones are the most specific; None if not counted.
    inner, outer : Itemsets
        Of each maximal channel the items its rows have, with their number as support, and the
        maximal itemset that it is a part of, with its support.
    """

    k: int
    n_itemsets: int | None
    n_channels: int | None
    inner: Itemsets
    outer: Itemsets

    @property
    def n_maximal_channels(self) -> int:
        """Number of maximal channels."""
        return len(self.inner)

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, index: int) -> Channel:
        items, support = self.inner[index]
        return Channel(inside=items, outside=self.outer[index].items - items, support=support)

    def __iter__(self) -> Iterator[Channel]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"Channels({self.sentence})"

    @property
    def sentence(self) -> str:
        """What was found, in one plain sentence."""
        if not len(self):
            return f"These itemsets disclose no group of fewer than {self.k} rows."
        smallest = int(self.inner.supports[0])
        return (
            f"These itemsets disclose {len(self):,} group{'s' if len(self) > 1 else ''} of fewer "
            f"than {self.k} rows; the smallest has {smallest} row{'' if smallest == 1 else 's'}."
        )

    def preview(self) -> Preview:
        """Return the smallest groups in words."""
        rows = [(f"{channel.support:,}", str(channel)) for channel in self.worst(N_SHOWN)]
        return Preview(title=self.sentence, header=("rows", "what is disclosed"), rows=rows)

    def worst(self, n: int) -> list[Channel]:
        """Return the channels of the smallest groups, those of few items first among equals."""
        n = checks.whole("n", n, at_least=0)
        return [self[index] for index in range(min(n, len(self)))]

    def to_dict(self) -> dict[str, object]:
        """Return the counts and every maximal channel, items as text."""
        return {
            "k": self.k,
            "n_rows": self.inner.n_rows,
            "n_itemsets": self.n_itemsets,
            "n_channels": self.n_channels,
            "n_maximal_channels": self.n_maximal_channels,
            "maximal_channels": [channel.to_dict() for channel in self],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with columns inside, outside (lists of text) and support."""
        import polars as pl

        kept = np.ones(len(self.outer.items), bool)
        for index in range(len(self)):
            low, high = self.outer.offsets[index : index + 2]
            within = self.inner.items[slice(*self.inner.offsets[index : index + 2])]
            kept[low:high] = ~np.isin(self.outer.items[low:high], within)
        offsets = np.concatenate([[0], np.cumsum(kept)])[self.outer.offsets]
        labels = self.inner.labels
        frame = pl.DataFrame(
            {
                "inside": list_column(labels, self.inner.offsets, self.inner.items),
                "outside": list_column(labels, offsets, self.outer.items[kept]),
                "support": self.inner.supports,
            }
        )
        return as_kind(frame, kind)


def in_order(items: Iterable[Hashable]) -> list[Hashable]:
    """Return items in the order of their texts, numbers by value."""
    return sorted(
        items,
        key=lambda item: (
            not isinstance(item, int),
            item if isinstance(item, int) else 0,
            str(item),
        ),
    )


def in_words(inside: Iterable[Hashable], outside: Iterable[Hashable]) -> str:
    """Return ``a and b, but neither c nor d``, or ``sex f and another job than clerk``."""
    inside, outside = in_order(inside), in_order(outside)
    if all(isinstance(item, Item) for item in (*inside, *outside)):
        has = [f"{item.column} {item.value}" for item in inside if isinstance(item, Item)]
        lacks = [
            f"another {item.column} than {item.value}" for item in outside if isinstance(item, Item)
        ]
        return _listed([*has, *lacks], "and") or "any values at all"
    parts = [_listed([str(item) for item in inside], "and")] if inside else []
    without = [str(item) for item in outside]
    if len(without) == 1:
        parts.append(f"not {without[0]}")
    elif without:
        parts.append(f"neither {_listed(without, 'nor')}")
    return ", but ".join(parts) or "any items at all"


def _listed(words: list[str], joined_by: str) -> str:
    """Return words as a list in a sentence."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joined_by} {words[-1]}"
