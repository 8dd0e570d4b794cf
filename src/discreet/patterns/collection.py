"""A collection of itemsets as published: checked, and cut down to what stands for all of it."""

from __future__ import annotations

import warnings
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet import _native, checks
from discreet.data.table import as_table
from discreet.data.transactions import Transactions
from discreet.errors import DataError, DiscreetWarning, ParameterError, did_you_mean
from discreet.limits import search
from discreet.mine.database import Database, Item, table_columns
from discreet.mine.frequent import frequent
from discreet.mine.itemsets import Itemsets
from discreet.result import Preview, Result
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.utility.distortion import Distortion


def native(itemsets: Itemsets) -> _native.Collection:
    """Return the collection as the kernels take it."""
    try:
        return _native.Collection(
            itemsets.offsets, itemsets.items, itemsets.supports, itemsets.n_rows
        )
    except ValueError as error:
        raise DataError(f"These itemsets cannot have been published: {error}.") from None


def select(itemsets: Itemsets, which: NDArray[np.int64]) -> Itemsets:
    """Return some of the itemsets, in the order asked for; one may be there twice."""
    starts = itemsets.offsets[which]
    sizes = itemsets.offsets[which + 1] - starts
    offsets = np.zeros(len(which) + 1, np.int64)
    sizes.cumsum(out=offsets[1:])
    places = (starts - offsets[:-1]).repeat(sizes)
    places += np.arange(len(places))
    return Itemsets(
        kind=itemsets.kind,
        offsets=offsets,
        items=itemsets.items[places],
        supports=itemsets.supports[which],
        labels=itemsets.labels,
        n_rows=itemsets.n_rows,
    )


def all_but_empty(published: Itemsets) -> Itemsets:
    """Return a collection without the empty itemset; without copying where it comes first.

    Raises
    ------
    DataError
        If the empty itemset is not in all rows, or there twice.
    """
    offsets = published.offsets
    empty = (offsets[1:] == offsets[:-1]).nonzero()[0]
    if not len(empty):
        return published
    _check_empty(published, empty)
    if empty[0] > 0:
        return select(published, np.flatnonzero(published.sizes > 0))
    return replace(published, offsets=offsets[1:], supports=published.supports[1:])


def condensed(published: Itemsets, **limits: Unpack[Limits]) -> tuple[Itemsets, Itemsets]:
    """Return the closed and the maximal itemsets of a published collection.

    Parameters
    ----------
    published : Itemsets
        All frequent itemsets, with or without the empty one; or, if its kind says so, the closed
        ones only.
    **limits : Limits
        ``threads``, ``max_memory``, ``progress``.

    Raises
    ------
    DataError
        If an itemset is there twice, or lacks a subset, or is more frequent than one.

    Examples
    --------
    >>> published = Itemsets.from_mapping(
    ...     {frozenset("a"): 3, frozenset("b"): 2, frozenset("ab"): 2}, n_rows=4)
    >>> closed, maximal = condensed(published)
    >>> [sorted(items) for items, _ in closed], [sorted(items) for items, _ in maximal]
    ([['a'], ['a', 'b']], [['a', 'b']])
    """
    rest = all_but_empty(published)
    if not len(rest):
        only = Itemsets.from_mapping({frozenset(): published.n_rows}, n_rows=published.n_rows)
        return only, only
    with search("closed itemsets", "Publish fewer itemsets", **limits) as running:
        if published.kind == "closed":
            _refuse_repeats(published)
            is_maximal = _native.maximal_among(native(rest), running.control, running.progress)
            return rest, select(rest, is_maximal.nonzero()[0])
        is_closed, is_maximal, lacking, without, contradicts = _native.condense(
            native(rest), running.control, running.progress
        )
    if lacking >= 0:
        explain_lack(published, lacking, without, contradicts=contradicts)
    return select(rest, is_closed.nonzero()[0]), select(rest, is_maximal.nonzero()[0])


@contextmanager
def explain_contradiction(tops: Itemsets) -> Iterator[None]:
    """Turn a kernel's word that supports contradict each other into a sentence."""
    try:
        yield
    except _native.Contradiction as error:
        which, items, count = error.args
        inside = [str(tops.labels[item]) for item in items]
        outside = [word for word in tops.in_words(which) if word not in inside]
        raise DataError(
            "No data can have these supports: the rows with "
            f"{' and '.join(inside) or 'any items'} but none of {', '.join(outside)} would number "
            f"{count}. The inequality that fails is the sum of (-1)^|X \\ I| supp(X) >= 0 over "
            f"{{{', '.join(inside)}}} = I <= X <= {{{', '.join(tops.in_words(which))}}}."
        ) from None


def explain_lack(published: Itemsets, lacking: int, without: int, *, contradicts: bool) -> None:
    """Raise DataError about an itemset, not counting the empty one, and one of its subsets."""
    _refuse_repeats(published)
    rest = all_but_empty(published)
    words = rest.in_words(lacking)
    smaller = [word for word in words if word != str(rest.labels[without])]
    shown, subset = ", ".join(words), ", ".join(smaller)
    if contradicts or not smaller:
        raise DataError(
            f"No data can have these supports: {{{shown}}} is in {rest.supports[lacking]} rows, "
            f"but its part {{{subset}}} in fewer."
        )
    raise DataError(
        f"The collection has {{{shown}}}, but not its part {{{subset}}}, which is at least as "
        "frequent.",
        remedy="Give all frequent itemsets; of closed ones only, say {kind}.",
        options={"kind": "closed"},
    )


def _check_empty(published: Itemsets, empty: NDArray[np.int64]) -> None:
    """Raise DataError if the empty itemset is there twice, or not in all rows."""
    if len(empty) > 1:
        _refuse_repeats(published)
    if published.supports[empty[0]] != published.n_rows:
        raise DataError(
            f"The empty itemset has support {published.supports[empty[0]]}, but there are "
            f"{published.n_rows} rows: every row contains it."
        )


def _refuse_repeats(published: Itemsets) -> None:
    """Raise DataError if an itemset is there twice."""
    seen: dict[bytes, int] = {}
    for index, (low, high) in enumerate(
        zip(published.offsets, published.offsets[1:], strict=False)
    ):
        key = published.items[low:high].tobytes()
        if key in seen:
            words = ", ".join(published.in_words(index)) or "the empty one"
            raise DataError(
                f"The itemset {{{words}}} is there twice: number {seen[key]} and {index} "
                "(counting from 0)."
            )
        seen[key] = index


# The itemsets of a collection that are about some columns only.


def of_columns(published: Itemsets, *, columns: Iterable[str]) -> Itemsets:
    """Return the itemsets whose items are all values of some columns.

    Parameters
    ----------
    published : Itemsets
        A collection of a table: its items are values of columns, or texts ``column=value``.
    columns : iterable of str
        Such as the quasi-identifiers.

    Returns
    -------
    Itemsets
        Their supports as they are: those of the collection of these columns alone.

    Raises
    ------
    ParameterError
        If no item is of one of the columns.

    Examples
    --------
    >>> from discreet.mine import Itemsets
    >>> published = Itemsets.from_mapping(
    ...     {frozenset({"sex=f"}): 5, frozenset({"ill=no"}): 7}, n_rows=9)
    >>> [sorted(items) for items, _ in of_columns(published, columns=["sex"])]
    [['sex=f']]
    """
    names = tuple(columns)
    codes = np.unique(published.items).tolist()
    is_kept = np.zeros(len(published.labels), bool)
    is_kept[codes] = [_is_of(published.labels[code], names) for code in codes]
    for name in names:
        if not any(_is_of(published.labels[code], (name,)) for code in codes):
            known = {str(published.labels[code]).partition("=")[0] for code in codes}
            raise ParameterError(
                f"No published item is of column '{name}'.",
                parameter="columns",
                column=name,
                remedy=did_you_mean(name, sorted(known)),
            )
    n_left_out = np.concatenate([[0], np.cumsum(~is_kept[published.items])])[published.offsets]
    return select(published, np.flatnonzero(np.diff(n_left_out) == 0))


def _is_of(label: Hashable, columns: tuple[str, ...]) -> bool:
    """Return whether an item is a value of one of some columns."""
    if isinstance(label, Item):
        return label.column in columns
    return any(str(label).startswith(f"{name}=") for name in columns)


# Rows as groups: distinct sets of items, and how many rows are each of them.

Row: TypeAlias = tuple[int, ...]

Groups: TypeAlias = dict[Row, int]


def groups_of(database: Database, items: Iterable[int]) -> Groups:
    """Return the distinct rows of a database with only some of its items, with their numbers."""
    kept = np.zeros(database.n_items + 1, bool)
    kept[list(items)] = True
    within = kept[database.items]
    cuts = np.concatenate([[0], np.cumsum(within)])[database.offsets].tolist()
    left = database.items[within].tolist()
    counts: Counter[Row] = Counter()
    for start, end, weight in zip(cuts, cuts[1:], database.weights.tolist(), strict=False):
        counts[tuple(left[start:end])] += weight
    return dict(counts)


def recoded(groups: Groups, old: tuple[Hashable, ...], new: tuple[Hashable, ...]) -> Groups:
    """Return groups with the items numbered as in other labels, which have all of them."""
    if old == new:
        return groups
    code_of = {label: code for code, label in enumerate(new)}
    return {
        tuple(sorted(code_of[old[item]] for item in row)): count for row, count in groups.items()
    }


def database_of(groups: Groups, labels: tuple[Hashable, ...]) -> Database:
    """Return groups as a database of weighted transactions."""
    rows = sorted(row for row, count in groups.items() if count)
    return Database(
        offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        items=np.array([item for row in rows for item in row], np.int32),
        weights=np.array([groups[row] for row in rows], np.int64),
        labels=labels,
    )


def itemsets_of(groups: Groups, labels: tuple[Hashable, ...]) -> Itemsets:
    """Return groups as a collection: distinct rows, with their numbers as supports."""
    rows = sorted((row for row, count in groups.items() if count), key=lambda row: (len(row), row))
    return Itemsets(
        kind="rows",
        offsets=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        items=np.array([item for row in rows for item in row], np.int32),
        supports=np.array([groups[row] for row in rows], np.int64),
        labels=labels,
        n_rows=sum(groups.values()),
    )


# The two thresholds of publishing patterns: k rows to hide among, and a support not below it.


def checked(k: int, min_support: int | None) -> tuple[int, int | None]:
    """Return k and the least support as integers, refusing what they cannot be."""
    k = checks.whole("k", k, at_least=2)
    if min_support is not None:
        min_support = checks.whole("min_support", min_support, at_least=1)
    return k, min_support


def support_for_k(min_support: int, k: int) -> int:
    """Return the support, raised to ``k`` with a warning if it is less.

    An itemset of fewer than ``k`` rows is a group that is too small by itself.

    Examples
    --------
    >>> support_for_k(12, 10)
    12
    """
    if min_support >= k:
        return min_support
    warnings.warn(
        f"min_support={min_support} is below k={k}: itemsets of fewer than {k} rows cannot be "
        f"published, min_support={k} is used.",
        DiscreetWarning,
        stacklevel=3,
    )
    return k


# A collection of itemsets made fit for publication, and what that took.

Method: TypeAlias = Literal["additive", "suppressive", "certified"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sanitized(Result):
    """A collection of itemsets without inference channels, and how it was made.

    Only ``published`` is for publication; the rest describes the original too.

    Attributes
    ----------
    published : Itemsets
        The collection to publish; its ``n_rows`` is the number of rows to publish.
    k : int
        The published supports disclose no group of fewer rows.
    min_support : int
        Least support of the collection.
    method : {"additive", "suppressive", "certified"}
        How it was made.
    distortion : Distortion
        How far the supports are from the true ones.
    n_channels : int
        Maximal channels that there were before.
    n_added, n_removed : int
        Transactions by which the published supports differ from the true ones.
    groups : Itemsets or None
        The transactions added, with their numbers as supports; None if none can be.
    n_added_first_fit : int or None
        Transactions that the paper's merging would add.
    n_added_at_least : int or None
        Transactions that any choice of closed itemsets would have to add, as far as known.
    rounds : int
        How often rows were removed.
    rows : ndarray of bool or None
        Which rows of the input are left, in memory only.
    quasi : tuple of str
        The columns in which groups are protected, if there are others; empty if it is all of them.
    """

    published: Itemsets
    k: int
    min_support: int
    method: Method
    distortion: Distortion
    n_channels: int = 0
    n_added: int = 0
    n_removed: int = 0
    groups: Itemsets | None = None
    n_added_first_fit: int | None = None
    n_added_at_least: int | None = None
    rounds: int = 0
    rows: NDArray[np.bool_] | None = None
    quasi: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was done, in one plain sentence."""
        if not self.n_channels:
            return f"No group of fewer than {self.k} rows was disclosed: nothing was changed."
        groups = f"{self.n_channels:,} group{'' if self.n_channels == 1 else 's'}"
        did = [f"added {self.n_added:,}"] if self.n_added else []
        did += [f"removed {self.n_removed:,}"] if self.n_removed else []
        return (
            f"To hide {groups} of fewer than {self.k} rows, the {self.method} method "
            f"{' and '.join(did) or 'changed no'} transactions."
        )

    def __repr__(self) -> str:
        return f"Sanitized({self.sentence})"

    def preview(self) -> Preview:
        """Return the measures of distortion and what was added or removed."""
        rows = [("itemsets published", f"{len(self.published):,}")]
        rows += [(str(name), str(value)) for name, value in self.distortion.preview().rows]
        if self.n_added_first_fit is not None:
            rows.append(("added by the paper's merging", f"{self.n_added_first_fit:,}"))
        if self.rounds:
            rows.append(("rounds", f"{self.rounds:,}"))
        return Preview(title=self.sentence, header=("measure", "value"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all but the rows as plain values."""
        return {
            "method": self.method,
            "k": self.k,
            "min_support": self.min_support,
            "n_channels": self.n_channels,
            "n_added": self.n_added,
            "n_removed": self.n_removed,
            "n_added_first_fit": self.n_added_first_fit,
            "n_added_at_least": self.n_added_at_least,
            "rounds": self.rounds,
            "quasi": list(self.quasi),
            "groups": None if self.groups is None else self.groups.to_dict()["itemsets"],
            "distortion": self.distortion.to_dict(),
            "published": self.published.to_dict(),
        }


# Itemsets with sensitive values, beside sanitized ones of the quasi-identifiers.
#
# An attacker knows quasi-identifiers only, so that small groups are protected in these columns
# alone. The rows added for that get sensitive values too, those of rows that are like them: then
# the values of a sensitive column still add up, and do not show which supports were raised.


def with_sensitive(made: Sanitized, table: Table, **limits: Unpack[Limits]) -> Sanitized:
    r"""Return the itemsets of all columns, with the rows that hide small groups in some of them.

    .. math:: F(D', \sigma), \qquad
        D' = D \cup \bigcup_{A} \{A \cup s_1(A), \dots, A \cup s_k(A)\}

    where :math:`A` are the itemsets of quasi-identifiers that additive sanitization adds :math:`k`
    times each, and :math:`s_i(A)` the sensitive values of one of the :math:`n` rows of :math:`D`
    that have :math:`A`: of these rows, in the order of their sensitive values, number
    :math:`\lfloor (2 i - 1) n / 2 k \rfloor`, counting from 0.

    Parameters
    ----------
    made : Sanitized
        What :func:`~discreet.patterns.additive` made of some columns, its ``quasi``.
    table : Table
        The table it was made from, with the columns to publish itemsets of.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Sanitized
        The collection of all columns; ``groups`` are the rows added, sensitive values included.

    Notes
    -----
    **Guarantee.** That of additive sanitization for patterns over the quasi-identifiers. *Proof*:
    of the quasi-identifiers, an added row has :math:`A` alone, whatever else it has. So the
    supports of their itemsets are those that additive sanitization published, and no other
    itemset of theirs is frequent. All supports are those of :math:`D'`, hence without
    contradictions. Not protected: groups that a sensitive value discloses, and what all rows of a
    group have in common.

    Every added row is part of a real one, so that no combination is published that nobody has;
    one with a sensitive value that was just below the least support may become frequent. Of the
    rows added for :math:`A`, each combination of sensitive values gets its share among the rows
    that have :math:`A`, rounded up or down. Time: one more mining, and a pass over the distinct
    rows for each :math:`A`.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 3.1 and requirement 2 of section 7 (a database with just these itemsets).

    Examples
    --------
    >>> from discreet.patterns import additive
    >>> from discreet.data.table import Table
    >>> people = Table.from_frame({
    ...     "sex": ["f", "f", "f", "f", "f", "m"] * 2, "ill": ["no", "no", "yes"] * 4})
    >>> done = additive(people, k=3, min_support=4, quasi=["sex"])
    >>> [(sorted(map(str, items)), copies) for items, copies in done.groups]
    [(['ill=no'], 2), (['ill=yes'], 1)]
    >>> done.published.n_rows, dict(done.published)[frozenset({("ill", "yes")})]
    (15, 5)
    """
    table.refuse_carried("patterns are of categories")
    whole = Database.from_table(table, columns=table.columns, **limits)
    added = _added(made, whole)
    before = frequent(whole, min_support=made.min_support, **limits)
    after = frequent(_joined(whole, added), min_support=made.min_support, **limits)
    rows = itemsets_of(added, whole.labels)
    return replace(
        made,
        published=after,
        distortion=distortion(before, after),
        groups=replace(rows, kind="added", n_rows=after.n_rows),
    )


def checked_quasi(
    data: object, columns: Iterable[str] | None, quasi: Iterable[str]
) -> tuple[Table, tuple[str, ...]]:
    """Return the columns to publish and which of them an attacker can know, checked."""
    if isinstance(data, Database | Itemsets | Transactions):
        raise ParameterError(
            "{quasi} is for tables: it names columns that an attacker can know.",
            parameter="quasi",
            options={"quasi": ...},
        )
    if isinstance(quasi, str):
        raise ParameterError(
            f"{{quasi}} takes a list of names: quasi=['{quasi}'].",
            parameter="quasi",
            options={"quasi": ...},
        )
    table = as_table(data)
    names, known = tuple(dict.fromkeys(quasi)), table_columns(table, columns)
    if not names:
        raise ParameterError(
            "{quasi} names no column: name those that an attacker can know.",
            parameter="quasi",
            options={"quasi": ...},
        )
    for name in names:
        if name not in known:
            raise ParameterError(
                f"{{quasi}} names column '{name}', of which no itemset would be published.",
                parameter="quasi",
                column=name,
                remedy=did_you_mean(name, known),
                options={"quasi": ...},
            )
    return table.select(known), names


def _added(made: Sanitized, whole: Database) -> Groups:
    """Return the rows to add, with the sensitive values of rows that have their items."""
    assert made.groups is not None
    values = whole.items.reshape(whole.n_transactions, len(whole.columns))
    sensitive = values[:, [name not in made.quasi for name in whole.columns]]
    in_order = np.lexsort((*sensitive.T[::-1], np.zeros(len(values))))  # of no column, as they are
    added: Counter[tuple[int, ...]] = Counter()
    for items, copies in made.groups:
        codes = np.array([whole.code(item) for item in items], np.int64)
        has_all = (values[:, whole.column_of[codes]] == codes).all(axis=1)
        rows = in_order[has_all[in_order]]
        n_up_to = whole.weights[rows].cumsum()
        numbers = (2 * np.arange(copies) + 1) * n_up_to[-1] // (2 * copies)
        for row in rows[np.searchsorted(n_up_to, numbers, side="right")]:
            added[tuple(sorted((*codes.tolist(), *sensitive[row].tolist())))] += 1
    return dict(added)


def _joined(whole: Database, added: Groups) -> Database:
    """Return the rows of a table and some more, which need not have a value in each column."""
    sizes = np.array([len(row) for row in added], np.int64)
    items = np.array([item for row in added for item in row], np.int32)
    return Database(
        offsets=np.concatenate([whole.offsets, whole.offsets[-1] + sizes.cumsum()]),
        items=np.concatenate([whole.items, items]),
        weights=np.concatenate([whole.weights, np.array(list(added.values()), np.int64)]),
        labels=whole.labels,
    )
