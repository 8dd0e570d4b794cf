"""Itemsets with sensitive values, beside sanitized ones of the quasi-identifiers.

Who looks for a person knows quasi-identifiers only, so that small groups are hidden in these
columns alone. The rows added for that get sensitive values too, those of rows that are like them:
then the values of a sensitive column still add up, and do not tell which supports were raised.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import Table
from discreet.data.transactions import Transactions
from discreet.errors import ParameterError, did_you_mean
from discreet.mine.database import Database, table_columns
from discreet.mine.frequent import frequent
from discreet.mine.itemsets import Itemsets
from discreet.patterns.groups import itemsets_of
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from discreet.mine.limits import Limits
    from discreet.patterns.groups import Groups
    from discreet.patterns.sanitized import Sanitized


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
    contradictions. Not protected: groups that a sensitive value tells apart, and what all rows of a
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
    >>> people = Table.from_frame({
    ...     "sex": ["f", "f", "f", "f", "f", "m"] * 2, "ill": ["no", "no", "yes"] * 4})
    >>> done = additive(people, k=3, min_support=4, quasi=["sex"])
    >>> [(sorted(map(str, items)), copies) for items, copies in done.groups]
    [(['ill=no'], 2), (['ill=yes'], 1)]
    >>> done.published.n_rows, dict(done.published)[frozenset({("ill", "yes")})]
    (15, 5)
    """
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
        raise ParameterError("quasi= is for tables: it names columns that an attacker can know.")
    if isinstance(quasi, str):
        raise ParameterError(f"quasi= takes a list of names: quasi=['{quasi}'].")
    table = data if isinstance(data, Table) else Table.from_frame(data)
    names, known = tuple(dict.fromkeys(quasi)), table_columns(table, columns)
    if not names:
        raise ParameterError("quasi= names no column: name those that an attacker can know.")
    for name in names:
        if name not in known:
            raise ParameterError(
                f"quasi= names column '{name}', of which no itemset would be published. "
                f"{did_you_mean(name, known)}"
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
