"""All tests for leaks in one call: channels, the border, and windows of items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.mine.frequent import frequent
from discreet.mine.itemsets import Itemsets
from discreet.mine.support import least_support
from discreet.patterns.border import border_leaks
from discreet.patterns.channels import channels, projected
from discreet.patterns.leak import Leak, Leaks, worst_first
from discreet.patterns.windows import window_leaks

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from discreet.mine.limits import Limits

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
    """Return every group of few rows that a collection is found to give away.

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
            raise ParameterError("columns= is for tables; a collection is looked at as a whole.")
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
