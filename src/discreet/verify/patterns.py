"""k-anonymous patterns: what a published collection says of every group of rows, recomputed.

Every published itemset and all its subsets split the rows into groups; how many rows each group has
follows from the supports. None may have fewer than k rows, unless it has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError
from discreet.verify.outcome import Check
from discreet.verify.pattern_rows import read_pattern_rows
from discreet.verify.witness import check_witness

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.verify.evidence import Evidence
    from discreet.verify.pattern_rows import Items

NAME = "patterns"
MOST_CELLS = 2**26  # groups looked at, all maximal itemsets together
WITNESSED = "k-anonymous patterns, witnessed"


def check_patterns(evidence: Evidence) -> tuple[Check, ...]:
    r"""Return whether no group of fewer than k rows can be told apart by the collection.

    For each maximal itemset :math:`J` the numbers of rows that hold of it exactly :math:`I` are
    computed for all :math:`I \subseteq J` at once, by subtracting supersets item by item.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameters ``k``, ``min_support`` and ``n_rows``. If it names columns,
        it is about items of these, which are written ``column=value``; itemsets with other items
        have to be possible beside them.

    Returns
    -------
    tuple of Check
        The supports as such, the groups, and, if the claim says so, the witness.

    Notes
    -----
    Time and memory grow with :math:`2^{|J|}`; past 2**26 groups the check is left open.
    """
    claims = evidence.claims
    k, least, n_rows = (claims.parameters.get(name) for name in ("k", "min_support", "n_rows"))
    if type(k) is not int or type(least) is not int or type(n_rows) is not int or k < 2:
        detail = "The claim lacks k (from 2), min_support or n_rows, whole numbers."
        return (Check(name=NAME, passed=False, detail=detail),)
    try:
        stated = read_pattern_rows(evidence.rows)
    except DataError as error:
        return (Check(name=NAME, passed=False, detail=str(error)),)
    supports = {frozenset[str](): n_rows, **stated.supports}
    fault = _fault(supports, n_rows=n_rows, least=max(k, least))
    if fault:
        return (Check(name=NAME, passed=False, detail=fault),)
    checks = [Check(name=NAME, passed=True, detail=f"{len(stated.supports):,} itemsets with all "
              "their parts, none more frequent than a part of it.")]  # fmt: skip
    checks.append(_check_groups(supports, k, claims.covered))
    if claims.model == WITNESSED:
        checks.append(check_witness(stated, k=k, min_support=least, n_rows=n_rows))
    return tuple(checks)


def _fault(supports: dict[Items, int], *, n_rows: int, least: int) -> str | None:
    """Return what is wrong with the supports as such, or None."""
    for items, support in supports.items():
        words = _in_words(items)
        if support > n_rows:
            return f"{words} is in {support} of {n_rows} rows."
        if items and support < least:
            return f"{words} is in {support} rows, and at least {least} are claimed."
        for item in items:
            part = supports.get(items - {item})
            if part is None:
                return f"{words} is published, but not its part without {item!r}."
            if part < support:
                return f"{words} is more frequent than its part without {item!r}."
    return None


def _check_groups(supports: dict[Items, int], k: int, columns: tuple[str, ...] = ()) -> Check:
    """Return whether no group of 1 to k - 1 rows follows from the supports of some columns."""
    name = "groups"
    claimed = _maximal(
        items for items in supports if not columns or all(_is_of(item, columns) for item in items)
    )
    tops = dict.fromkeys((*claimed, *_maximal(supports)))
    if sum(2.0 ** len(top) for top in tops) > MOST_CELLS:
        detail = f"There are more than {MOST_CELLS:,} groups to look at; none was."
        return Check(name=name, passed=None, detail=detail)
    n_looked_at = 0
    for place, top in enumerate(tops):
        cells = _cells(sorted(top), supports)
        if cells.min() < 0:
            detail = f"No data can have these supports: see {_in_words(top)} and its parts."
            return Check(name=name, passed=False, detail=detail)
        if place >= len(claimed):
            continue
        n_looked_at += len(cells)
        small = int(((cells > 0) & (cells < k)).sum())
        if small:
            detail = (
                f"{small} group{'s' if small > 1 else ''} of fewer than {k} rows can be told "
                f"apart by {_in_words(top)} and its parts."
            )
            return Check(name=name, passed=False, detail=detail)
    told_by = f" by {', '.join(columns)}" if columns else ""
    detail = f"Each of {n_looked_at:,} groups of rows{told_by} has none or at least {k} members."
    return Check(name=name, passed=True, detail=detail)


def _is_of(item: str, columns: tuple[str, ...]) -> bool:
    """Say whether an item is, or could be, a value of one of some columns."""
    return any(item.startswith(f"{name}=") for name in columns)


def _maximal(sets: Iterable[Items]) -> list[Items]:
    """Return the itemsets that are no part of another; all parts of each are given."""
    given = list(sets)
    parts = {items - {item} for items in given for item in items}
    return [items for items in given if items not in parts]


def _cells(top: list[str], supports: dict[Items, int]) -> NDArray[np.int64]:
    """Return how many rows hold exactly each part of an itemset, parts numbered by bits."""
    parts = [frozenset[str]()]
    for item in top:
        parts += [part | {item} for part in parts]
    cells = np.array([supports[part] for part in parts], np.int64).reshape((2,) * len(top))
    for axis in range(len(top)):
        halves = np.moveaxis(cells, axis, 0)  # a view: without the item, and with it
        halves[0] -= halves[1]
    return cells.reshape(-1)


def _in_words(items: Items) -> str:
    """Return an itemset by its items, a few of them."""
    words = sorted(items)
    shown = ", ".join(map(repr, words[:6]))
    return f"{{{shown}{', ...' if len(words) > 6 else ''}}}"
