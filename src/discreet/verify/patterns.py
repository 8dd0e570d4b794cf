"""k-anonymous patterns: what a published collection says of every group of rows, recomputed.

Every published itemset and all its subsets split the rows into groups; how many rows each group has
follows from the supports. None may have fewer than k rows, unless it has none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import DataError
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import polars as pl
    from numpy.typing import NDArray

    from discreet.verify.certificate import Claims
    from discreet.verify.evidence import Evidence


PATTERNS = "patterns"

MOST_CELLS = 2**26  # groups looked at, all maximal itemsets together

WITNESSED = "k-anonymous patterns, witnessed"


def check_patterns(evidence: Evidence) -> tuple[Check, ...]:
    r"""Return whether no group of fewer than k rows can be inferred from the collection.

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
    Time and memory grow with :math:`2^{|J|}`; past 2**26 groups the check has no verdict.
    """
    claims = evidence.claims
    k, least, n_rows = (claims.parameters.get(name) for name in ("k", "min_support", "n_rows"))
    if type(k) is not int or type(least) is not int or type(n_rows) is not int or k < 2:
        detail = "The claim lacks k (from 2), min_support or n_rows, whole numbers."
        return (Check(name=PATTERNS, passed=False, detail=detail),)
    try:
        stated = read_pattern_rows(evidence.rows, is_strict=claims.version > 1)
    except DataError as error:
        return (Check(name=PATTERNS, passed=False, detail=str(error)),)
    supports = {frozenset[str](): n_rows, **stated.supports}
    fault = _fault_of_rows(claims, stated) or _fault(supports, n_rows=n_rows, least=max(k, least))
    if fault:
        return (Check(name=PATTERNS, passed=False, detail=fault),)
    found = f"{len(stated.supports):,} itemsets with all their parts"
    detail = f"{found}, none more frequent than a part of it."
    checks = [Check(name=PATTERNS, passed=True, detail=detail)]
    checks.append(_check_groups(supports, k, claims.covered))
    if claims.model == WITNESSED:
        checks.append(check_witness(stated, k=k, min_support=least, n_rows=n_rows))
    return tuple(checks)


_COLUMNS = ("items", "support", "kind")


def _fault_of_rows(claims: Claims, stated: PatternRows) -> str | None:
    """Return what the data has beside itemsets that the claim is about, or None."""
    if claims.column_names not in (_COLUMNS, _COLUMNS[:2]):
        return f"The columns are not {', '.join(_COLUMNS)}, in this order."
    if stated.witness and claims.model != WITNESSED:
        return "There are rows of a witness, and the claim is of none."
    items = {item for itemset in stated.supports for item in itemset}
    for step in claims.events if claims.version > 1 else ():
        named = step.parameters.get("columns")
        if isinstance(named, tuple) and not all(_is_of(item, named) for item in items):
            return f"The step '{step.name}' names columns, and an item is of none of them."
    for name in claims.covered:
        if "=" in name:
            return f"Column '{name}' has '=' in its name, so that its items cannot be read apart."
        if not any(_is_of(item, (name,)) for item in items):
            return f"The claim is about column '{name}', of which no item is published."
    return None


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
                f"{small} group{'s' if small > 1 else ''} of fewer than {k} rows can be "
                f"inferred from {_in_words(top)} and its parts."
            )
            return Check(name=name, passed=False, detail=detail)
    of_columns = f" by {', '.join(columns)}" if columns else ""
    detail = f"Each of {n_looked_at:,} groups of rows{of_columns} has none or at least {k} members."
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


# A released collection of patterns, read from its rows with nothing of the code that wrote it.

Items: TypeAlias = frozenset[str]

PATTERN, WITNESS = "pattern", "witness"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRows:
    """Supports of the published itemsets, and the rows of a witness with their numbers."""

    supports: dict[Items, int]
    witness: dict[Items, int]


def read_pattern_rows(rows: pl.DataFrame, *, is_strict: bool = True) -> PatternRows:
    """Return the patterns that the rows of a release state.

    Parameters
    ----------
    rows : DataFrame
        With columns ``items`` (a JSON list of texts), ``support`` and, if there is a witness,
        ``kind``, which is "pattern" or "witness".
    is_strict : bool
        Whether the lists have to be written in the one way that there is: items sorted, nothing
        escaped in vain. Certificates of version 1 did not demand it.

    Returns
    -------
    PatternRows
        What is stated, each itemset once.

    Raises
    ------
    DataError
        If a row cannot be read, or an itemset is stated twice; the row is named.

    Examples
    --------
    >>> import polars as pl
    >>> stated = pl.DataFrame({"items": ['["a"]', '["a", "b"]'], "support": [5, 3]})
    >>> list(read_pattern_rows(stated).supports.values())
    [5, 3]
    """
    for name in ("items", "support"):
        if name not in rows.columns:
            raise DataError(
                f"The data has no column '{name}', which a collection has.", column=name
            )
    kinds = rows["kind"].to_list() if "kind" in rows.columns else [PATTERN] * rows.height
    found: dict[str, dict[Items, int]] = {PATTERN: {}, WITNESS: {}}
    stated = zip(kinds, rows["items"].to_list(), rows["support"].to_list(), strict=True)
    for number, (kind, text, support) in enumerate(stated, 1):
        items, count = _items(text), _count(support)
        if items is None or count is None or kind not in found:
            raise DataError(f"Row {number} of the data is not an itemset with its support.")
        if is_strict and text != json.dumps(sorted(items), ensure_ascii=False):
            raise DataError(
                f"Row {number} of the data is not written as its itemset is: see blanks, escapes "
                "and the order of items."
            )
        if items in found[kind]:
            raise DataError(f"Row {number} of the data states an itemset again.")
        found[kind][items] = count
    return PatternRows(supports=found[PATTERN], witness=found[WITNESS])


def _items(text: object) -> Items | None:
    """Return the items of a JSON list of distinct texts, or None if it is none."""
    try:
        items = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    return frozenset(items) if len(set(items)) == len(items) else None


def _count(support: object) -> int | None:
    """Return a support, from a CSV file a text, or None if it is none."""
    try:
        count = int(support) if isinstance(support, int | str) else -1
    except ValueError:
        return None
    return count if count >= 0 else None


# A witness: data that anybody can look at, in which no group is small, with the same patterns.
#
# An attacker cannot distinguish the true data from the witness; so nothing can be inferred
# that is false there, and there every group has no member or at least k.

WITNESS_ROWS = "witness"


def check_witness(stated: PatternRows, *, k: int, min_support: int, n_rows: int) -> Check:
    """Return whether the witness has these patterns and no others, and no small group.

    Parameters
    ----------
    stated : PatternRows
        Published supports, and the rows of the witness with their numbers.
    k, min_support, n_rows : int
        Of the claim.

    Returns
    -------
    Check
        Passed if every row of the witness is there at least k times, they number ``n_rows``,
        every published support is that of the witness, and no other itemset reaches
        ``min_support`` there.

    Notes
    -----
    That no other itemset is frequent is seen on the smallest ones that are not published: an
    item, or an itemset all of whose parts are published.
    """
    if not stated.witness:
        return Check(
            name=WITNESS_ROWS, passed=False, detail="The witness that is claimed is not there."
        )
    fewest, total = min(stated.witness.values()), sum(stated.witness.values())
    if fewest < k or total != n_rows:
        detail = (
            f"A row of the witness is there {fewest} times only, k is {k}."
            if fewest < k
            else f"The witness has {total:,} rows, and {n_rows:,} are claimed."
        )
        return Check(name=WITNESS_ROWS, passed=False, detail=detail)
    counts = _Counts(stated.witness)
    for items, support in stated.supports.items():
        if counts.of(items) != support:
            detail = f"{sorted(items)} has another support in the witness than is published."
            return Check(name=WITNESS_ROWS, passed=False, detail=detail)
    for items in _smallest_unpublished(stated):
        if counts.of(items) >= min_support:
            detail = f"{sorted(items)} is as frequent in the witness as what is published."
            return Check(name=WITNESS_ROWS, passed=False, detail=detail)
    detail = (
        f"{len(stated.witness):,} different rows, each at least {k} times, have just the published "
        "itemsets with their supports."
    )
    return Check(name=WITNESS_ROWS, passed=True, detail=detail)


class _Counts:
    """Supports in a database of weighted rows, by one line of booleans for each item."""

    def __init__(self, rows: dict[Items, int]) -> None:
        self._weights = np.array(list(rows.values()), np.int64)
        self._with_item: dict[str, NDArray[np.bool_]] = {}
        for place, items in enumerate(rows):
            for item in items:
                line = self._with_item.setdefault(item, np.zeros(len(rows), bool))
                line[place] = True
        self._nowhere = np.zeros(len(rows), bool)

    def of(self, items: Items) -> int:
        within = np.ones(len(self._weights), bool)
        for item in items:
            within &= self._with_item.get(item, self._nowhere)
        return int(self._weights[within].sum())


def _smallest_unpublished(stated: PatternRows) -> Iterator[Items]:
    """Yield the itemsets that are not published although all their parts are."""
    known = stated.supports
    items = sorted({item for row in stated.witness for item in row})
    frequent = [item for item in items if frozenset({item}) in known]
    yield from (frozenset({item}) for item in items if frozenset({item}) not in known)
    for itemset in known:
        largest = max(itemset, default="")
        for item in frequent:
            longer = itemset | {item}
            if item <= largest or longer in known or not itemset:
                continue
            if all(longer - {other} in known for other in longer):
                yield longer
