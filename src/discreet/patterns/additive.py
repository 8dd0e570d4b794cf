"""Additive sanitization: supports raised as if transactions were added, so that no group is small.

Every count that the published supports tell of is changed by 0 or by a multiple of k, so that no
new channel can arise, and no itemset becomes frequent that was not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.mine.frequent import frequent
from discreet.mine.item_bits import ItemBits
from discreet.mine.itemsets import Itemsets
from discreet.mine.support import least_support
from discreet.patterns.channels import channels, projected
from discreet.patterns.collection import condensed, select
from discreet.patterns.grouping import group_channels
from discreet.patterns.sanitized import Sanitized
from discreet.patterns.thresholds import checked_k, support_for_k
from discreet.patterns.with_sensitive import checked_quasi, with_sensitive
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from discreet.mine.limits import Limits
    from discreet.patterns.grouping import Method


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
        Least size of a group that may be told apart, at least 2.
    min_support, min_frequency : optional
        Least support, in rows or as a share of the original rows; needed with data. Of a
        collection, less frequent itemsets are left out. It is raised to ``k``, with a warning, if
        it is less.
    columns : iterable of str, optional
        Columns of a table to publish itemsets of, such as the quasi-identifiers; all by default.
    quasi : iterable of str, optional
        Those of the columns that an attacker can know of a person; all by default. Groups are then
        hidden in these columns only, and itemsets with values of the others are published beside
        them, see :func:`discreet.patterns.with_sensitive.with_sensitive`.
    grouping : {"best", "first-fit"}
        How itemsets to add are chosen, see :func:`discreet.patterns.grouping.group_channels`.
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
    k = checked_k(k)
    table, known = (None, ()) if quasi is None else checked_quasi(published, columns, quasi)
    before, support = _collection(
        published, k, min_support, min_frequency, known or columns, **limits
    )
    found = channels(before, k=k, count_all=False, **limits)
    closed, _ = condensed(before, **limits)
    grouped = group_channels(found, closed, method=grouping)
    n_added = k * len(grouped.itemsets)
    n_rows = before.n_rows + n_added
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
        raise ParameterError("columns= is for tables; a collection is published as a whole.")
    given = published.supports[published.sizes > 0]
    asked = int(given.min(initial=max(published.n_rows, k)))
    if min_support is not None or min_frequency is not None:
        asked = least_support(min_support, min_frequency, n_rows=published.n_rows)
    support = support_for_k(asked, k)
    stays = (published.supports >= support) | (published.sizes == 0)
    return select(published, np.flatnonzero(stays)), support
