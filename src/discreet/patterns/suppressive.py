"""Suppressive sanitization: rows that form too small a group are suppressed, until none does."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import _native, checks
from discreet.errors import DiscreetWarning
from discreet.limits import search
from discreet.mine.database import Database, least_support, one_per_person
from discreet.mine.frequent import frequent
from discreet.patterns.channels import REMEDY, channels, projected
from discreet.patterns.collection import Sanitized, native, select, support_for_k
from discreet.patterns.release import check_columns, pattern_release
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.mine.database import PerPerson
    from discreet.mine.itemsets import Itemsets
    from discreet.patterns.channels import Channels
    from discreet.release.release import Release
    from discreet.utility.distortion import Distortion

MUCH = 0.5  # share of itemsets whose loss is worth a warning


def suppressive(
    data: object,
    *,
    k: int,
    min_support: int | None = None,
    min_frequency: float | None = None,
    columns: Iterable[str] | None = None,
    **limits: Unpack[Limits],
) -> Sanitized:
    r"""Return the frequent itemsets of the data without the rows that form too small groups.

    In each round the channels :math:`0 < f_I^J < k` of the collection are looked for, and every
    row :math:`t` of one, :math:`t \cap J = I`, is removed. This goes on until there is none.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        The data. They are not changed.
    k : int
        Least size of a group that may be disclosed, at least 2.
    min_support, min_frequency : optional
        Least support, in rows or as a share of the original rows; give one of them. It stays the
        same in all rounds, and is raised to ``k``, with a warning, if it is less.
    columns : iterable of str, optional
        Columns of a table to publish itemsets of, such as the quasi-identifiers; all by default.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Sanitized
        The collection of the rows that are left; ``rows`` says which those are.

    Raises
    ------
    LimitError
        If there are more itemsets or channels than ``max_itemsets``.

    Warns
    -----
    DiscreetWarning
        If half of the itemsets or more are no longer frequent, or all are gone.

    Notes
    -----
    **Guarantee.** The published collection is that of real rows and has no inference channel:
    nobody can infer from it a group of fewer than ``k`` rows by a pattern whose items are, in each
    conjunction, a published itemset. Not protected: what can be inferred about itemsets that are
    not published (:mod:`discreet.patterns.border` tests that).

    Every round removes a row, so there is an end, but possibly with nothing left. Without the
    removed rows a set can lose its place in the collection, and what it had covered may
    be a channel: that is why one round is not enough. The paper's pseudo-code leaves the removed
    rows in the data and would subtract them again in the next round; here they are gone.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 7.3, algorithm 4.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> done = suppressive(baskets, k=3, min_support=8)
    >>> [(sorted(items), support) for items, support in done.published], done.published.n_rows
    ([(['a'], 8), (['b'], 11), (['a', 'b'], 8)], 11)
    >>> done.n_removed, done.rounds
    (1, 1)
    """
    k = checks.whole("k", k, at_least=2)
    database = projected(data, columns, **limits)
    asked = least_support(min_support, min_frequency, n_rows=database.n_rows)
    # Below k the support of a published itemset itself would be a small group.
    support = support_for_k(asked, k)
    before = after = frequent(database, min_support=support, **limits)
    found = channels(before, k=k, count_all=False, **limits)
    n_channels, rounds = len(found), 0
    kept, left = np.ones(database.n_transactions, np.bool_), database
    # Removed rows lower other supports, which can open channels that were not there: until none is
    # left.
    while len(found):
        kept[np.flatnonzero(kept)[_rows_of(found, left, **limits)]] = False
        left = _only(database, kept)
        rounds += 1
        # The least support stays that of the first round: a falling one would publish rarer sets
        # than asked.
        after = frequent(left, min_support=support, **limits)
        found = channels(after, k=k, count_all=False, **limits)
    lost = distortion(before, after)
    _warn_of_loss(lost, database.n_rows)
    return Sanitized(
        published=after,
        k=k,
        min_support=support,
        method="suppressive",
        distortion=lost,
        n_channels=n_channels,
        n_removed=database.n_rows - left.n_rows,
        rounds=rounds,
        rows=kept if database.group_of is None else kept[database.group_of],
    )


def suppressive_release(
    data: object,
    *,
    columns: Sequence[str] | None = None,
    per_person: PerPerson | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    seed: int | None = None,
    **options: Any,  # noqa: ANN401  those of suppressive
) -> Release[Itemsets]:
    """Return the release of what :func:`~discreet.patterns.suppressive` makes of data.

    Parameters
    ----------
    data, columns, per_person, person, one_row_per_person, seed
        As in :func:`~discreet.patterns.additive_release`.
    **options
        As in :func:`~discreet.patterns.suppressive`.
    """
    counted = one_per_person(
        data, per_person=per_person, person=person, one_row_per_person=one_row_per_person, seed=seed
    )
    check_columns(counted.data, columns)
    made = suppressive(counted.data, columns=columns, **options)
    return pattern_release(made, source=counted, columns=columns)


def _rows_of(found: Channels, database: Database, **limits: Unpack[Limits]) -> NDArray[np.bool_]:
    """Return which transactions are in the group of a channel."""
    # A maximal set comes once for each of its channels; the kernel wants every one once.
    outer = found.outer
    first = {
        outer.items[low:high].tobytes(): index
        for index, (low, high) in enumerate(zip(outer.offsets, outer.offsets[1:], strict=False))
    }
    tops = select(outer, np.array(list(first.values()), np.int64))
    with search("channels", REMEDY, **limits) as running:
        marked = _native.rows_in_channels(
            database.native, native(tops), found.k, running.control, running.progress
        )
    return marked.view(np.bool_)


def _only(database: Database, kept: NDArray[np.bool_]) -> Database:
    """Return a database of some of the transactions, items numbered as before."""
    sizes = np.diff(database.offsets)
    return Database(
        offsets=np.concatenate([[0], np.cumsum(sizes[kept])]),
        items=database.items[np.repeat(kept, sizes)],
        weights=database.weights[kept],
        labels=database.labels,
        columns=database.columns,
        column_of=database.column_of,
    )


def _warn_of_loss(lost: Distortion, n_rows: int) -> None:
    """Warn if little is left."""
    n_sets = lost.n_itemsets - 1  # the empty one aside
    n_lost = min(lost.n_lost, n_sets)
    if not lost.n_removed or (n_lost < MUCH * n_sets and lost.n_removed < n_rows):
        return
    warnings.warn(
        f"Suppression removed {lost.n_removed:,} of {n_rows:,} rows "
        f"({lost.n_removed / n_rows:.1%}) and {n_lost:,} of {n_sets:,} frequent itemsets. "
        "Use additive(), which keeps every itemset, or a higher min_support.",
        DiscreetWarning,
        stacklevel=3,
    )
