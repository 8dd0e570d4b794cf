"""Krimp: the itemsets that compress the data best, chosen greedily by description length.

Candidates are tried from the most to the least supported; one stays if data and code table
together become shorter, and elements it made superfluous go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import _native
from discreet.errors import LimitError, ParameterError
from discreet.mine.closed import closed
from discreet.mine.database import Database
from discreet.mine.frequent import frequent
from discreet.mine.limits import search
from discreet.synthesize.code_table import CodeTable, renumbered

if TYPE_CHECKING:
    from typing import Unpack

    from discreet.mine.limits import Limits

MINERS = {"closed": closed, "all": frequent}
MAX_ROW = 4096  # items


def krimp(
    data: object,
    *,
    min_support: int = 1,
    candidates: Literal["closed", "all"] = "closed",
    prune: bool = True,
    **limits: Unpack[Limits],
) -> CodeTable:
    r"""Return the code table that Krimp finds for the data.

    A row is covered by taking, in cover order (size falling, support falling, lexicographic), every
    element whose items are all still uncovered. Starting from single items only, each candidate
    X, in candidate order (support falling, size falling, lexicographic), is accepted if

    .. math:: L(D, CT \cup \{X\}) < L(D, CT), \qquad L(D, CT) = L(D \mid CT) + L(CT \mid D)

    with the lengths of :class:`CodeTable`.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to compress.
    min_support : int, default 1
        Least support of a candidate, at least 1.
    candidates : {"closed", "all"}, default "closed"
        Closed itemsets only, or all frequent ones: many more, seldom much better.
    prune : bool, default True
        Whether, after an acceptance, elements that lost usage are removed if the total does not
        grow without them.
    **limits : Limits
        ``threads`` (of mining), ``max_itemsets`` (candidates), ``max_memory``, ``progress``.

    Returns
    -------
    CodeTable
        The elements with their usages; single items that never occur included.

    Raises
    ------
    ParameterError
        If ``min_support`` is below 1 or ``candidates`` is no such kind.
    LimitError
        If there are more candidates than ``max_itemsets``, memory passes its limit, or a row has
        more than 4,096 items.

    Notes
    -----
    **Guarantee.** None: this is a heuristic, and the table tells what is in the data. Made from
    randomized cells it is post-processing and costs nothing more.

    Items are numbered by falling support, of equal ones the last in the data first;
    *lexicographic* means these numbers. A difference below a millionth of a bit is a tie, which
    rejects a candidate and removes an element. Pruning tries elements in cover order and, from
    the first removal on, the least used first. All this is as in the original program, which
    departs from the published algorithm 3 (least used first from the start).

    Time grows with candidates times distinct rows / 64, plus the rows that would use each
    candidate; these are the AND of one bitmap for each of its items, and no other row is
    looked at.

    References
    ----------
    J. Vreeken, M. van Leeuwen, A. Siebes (2011), algorithms 1 to 3. J. Dorrestijn (2018),
    Provable privacy for database generation, algorithm 1.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{*"abc"}] * 4 + [{*"ab"}] * 2 + [{"c"}] * 2)
    >>> table = krimp(baskets)
    >>> [(sorted(items), int(usage)) for items, usage in zip(table.itemsets, table.usages)]
    [(['a', 'b'], 6), (['c'], 6), (['b'], 0), (['a'], 0)]
    >>> round(table.data_bits, 3), round(table.table_bits, 3)
    (12.0, 6.755)
    """
    if candidates not in MINERS:
        raise ParameterError(f"candidates={candidates!r} must be 'closed' or 'all'.")
    database = by_support(Database.of(data, **limits))
    longest = int(np.diff(database.offsets).max(initial=0))
    if longest > MAX_ROW:
        raise LimitError(
            f"A row has {longest:,} items, and Krimp is for rows of at most {MAX_ROW:,}. Leave out "
            "the items that occur least, or the longest rows."
        )
    found = MINERS[candidates](database, min_support=min_support, **limits)
    with search("a code table", "Raise min_support", **limits) as running:
        offsets, items, supports, usages, alone, n_accepted = _native.krimp(
            database.native, found.offsets, found.items, found.supports, prune, running.control,
            running.progress,
        )  # fmt: skip
    n_items = database.n_items
    return CodeTable(
        offsets=np.concatenate([offsets, offsets[-1] + np.arange(1, n_items + 1)]),
        items=np.concatenate([items, np.arange(n_items, dtype=np.int32)]),
        usages=np.concatenate([usages, alone]),
        supports=np.concatenate([supports, item_supports(database)]),
        labels=database.labels,
        n_rows=database.n_rows,
        n_accepted=n_accepted,
    )


def by_support(database: Database) -> Database:
    """Return the database with items numbered by falling support, of equal ones the last first."""
    supports = item_supports(database)
    order = np.lexsort((-np.arange(database.n_items), -supports))
    codes = np.empty(database.n_items, np.int32)
    codes[order] = np.arange(database.n_items, dtype=np.int32)
    return renumbered(database, codes, tuple(database.labels[item] for item in order))


def item_supports(database: Database) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the number of rows that have each item."""
    rows = np.repeat(database.weights, np.diff(database.offsets))
    return np.bincount(database.items, rows, database.n_items).astype(np.int64)
