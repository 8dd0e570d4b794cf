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
from discreet.verify.strict.names import fault_of_names

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
    fault = None if claims.version == 1 else _fault_of_steps(claims, items, len(stated.supports))
    owners = {_owner(item, {*claims.covered}) for item in items} if claims.covered else set()
    for name in claims.covered if fault is None else ():
        if "=" in name:
            return f"Column '{name}' has '=' in its name, so that its items cannot be read apart."
        if name not in owners:
            return f"The claim is about column '{name}', of which no item is published."
    return fault


def _fault_of_steps(claims: Claims, items: set[str], n_itemsets: int) -> str | None:
    """Return where steps say something else of the itemsets than what is published, or None."""
    for step in claims.events:
        named, counted = step.parameters.get("columns"), step.counts.get("n_itemsets")
        if isinstance(named, tuple) and not all(_owner(item, {*named}) for item in items):
            return f"The step '{step.name}' names columns, and an item is of none of them."
        is_last = step is claims.events[-1]
        if counted is not None and (counted < n_itemsets or (is_last and counted > n_itemsets)):
            return f"{n_itemsets:,} itemsets are published, and '{step.name}' counts {counted:,}."
    return None


def _fault(supports: dict[Items, int], *, n_rows: int, least: int) -> str | None:
    """Return what is wrong with the supports as such, or None."""
    for items, support in supports.items():
        if support > n_rows:
            return f"{_in_words(items)} is in {support} of {n_rows} rows."
        if items and support < least:
            return f"{_in_words(items)} is in {support} rows, and at least {least} are claimed."
        for item in items:
            part = supports.get(items - {item})
            if part is None:
                return f"{_in_words(items)} is published, but not its part without {item!r}."
            if part < support:
                return f"{_in_words(items)} is more frequent than its part without {item!r}."
    return None


def _check_groups(supports: dict[Items, int], k: int, columns: tuple[str, ...] = ()) -> Check:
    """Return whether no group of 1 to k - 1 rows follows from the supports of some columns."""
    name = "groups"
    known = {*columns}
    claimed = _maximal(
        items for items in supports if not columns or all(_owner(item, known) for item in items)
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


def _owner(item: str, columns: set[str]) -> str | None:
    """Return the one of some columns of which an item is, or could be, a value."""
    place = item.find("=")
    while place >= 0:
        if item[:place] in columns:
            return item[:place]
        place = item.find("=", place + 1)
    return None


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
    before: tuple[str, int, list[str]] = (PATTERN, 0, [])
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
        place = (kind, len(items), sorted(items))
        if is_strict and place < before:
            raise DataError(
                f"Row {number} of the data stands in another place than by its kind, its size and "
                "its items: the order of rows could say something."
            )
        before = place
    fault = _fault_of_items(found) if is_strict else None
    if fault is not None:
        raise DataError(fault)
    return PatternRows(supports=found[PATTERN], witness=found[WITNESS])


_LONGEST = 1000  # letters of an item


def _fault_of_items(found: dict[str, dict[Items, int]]) -> str | None:
    """Return which items cannot be read, or not be read apart, or None."""
    items = {item for each in found.values() for itemset in each for item in itemset}
    if any(len(item) > _LONGEST for item in items):
        return f"An item has more than {_LONGEST:,} letters."
    fault = fault_of_names(sorted(items))
    return None if fault is None else f"Items: {fault}."


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
    The witness is mined again, item by item; past some hundred million items looked at the check
    has no verdict.
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
    mined = _Mined(stated, min_support)
    fault = mined.fault()
    if fault is not None:
        is_limit = mined.n_looked_at > MOST_LOOKED_AT
        return Check(name=WITNESS_ROWS, passed=None if is_limit else False, detail=fault)
    detail = (
        f"{len(stated.witness):,} different rows, each at least {k} times, have just the published "
        "itemsets with their supports."
    )
    return Check(name=WITNESS_ROWS, passed=True, detail=detail)


MOST_LOOKED_AT = 2 * 10**8  # items of rows: some minutes


class _Mined:
    """The witness, mined again: each itemset that is frequent there, from its beginnings.

    Rows are lists of items in one order. Of the rows that hold an itemset, the items behind its
    last one are counted: those that are frequent make the itemsets that begin with it. So each is
    found once, and none that is not published is passed over.
    """

    def __init__(self, stated: PatternRows, least: int) -> None:
        self.known, self.least, self.n_looked_at = stated.supports, least, 0
        self.names = sorted({item for row in stated.witness for item in row})
        place_of = {name: place for place, name in enumerate(self.names)}
        rows = [sorted(place_of[item] for item in row) for row in stated.witness]
        sizes = np.array([len(row) for row in rows], np.int64)
        self.items = np.array([item for row in rows for item in row], np.int64)
        self.stops = np.repeat(np.cumsum(sizes), sizes)  # for each entry, where its row ends
        self.weights = np.repeat(np.array(list(stated.witness.values()), np.int64), sizes)

    def fault(self) -> str | None:
        """Return in words where the witness has other itemsets than are published, or None."""
        n_found = 0
        waiting: list[tuple[Items, NDArray[np.int64]]] = [(frozenset(), np.arange(len(self.items)))]
        while waiting:
            itemset, behind = waiting.pop()
            self.n_looked_at += len(behind)
            if self.n_looked_at > MOST_LOOKED_AT:
                return "The witness has too many items in common rows to be mined again here."
            for longer, support, entries in self._extended(itemset, behind):
                if longer not in self.known:
                    return (
                        f"{_in_words(longer)} is as frequent in the witness as what is published."
                    )
                if support != self.known[longer]:
                    return f"{_in_words(longer)} has another support in the witness than published."
                n_found += 1
                after = self._behind(entries)
                if len(after):
                    waiting.append((longer, after))
        if n_found < len(self.known):
            return "An itemset has another support in the witness than is published."
        return None

    def _extended(
        self, itemset: Items, behind: NDArray[np.int64]
    ) -> Iterator[tuple[Items, int, NDArray[np.int64]]]:
        """Yield the frequent itemsets with one item more, and where that item stands in rows."""
        behind = behind[np.argsort(self.items[behind], kind="stable")]
        items = self.items[behind]
        starts = np.flatnonzero(np.diff(items, prepend=-1))
        if not len(starts):
            return
        supports = np.add.reduceat(self.weights[behind], starts)
        stops = [*starts[1:].tolist(), len(behind)]
        for start, stop, support in zip(starts.tolist(), stops, supports.tolist(), strict=True):
            if support >= self.least:
                yield itemset | {self.names[items[start]]}, support, behind[start:stop]

    def _behind(self, entries: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the entries that stand behind some in their rows."""
        n_each = self.stops[entries] - entries - 1
        ends = np.cumsum(n_each)
        if not len(ends) or not ends[-1]:
            return entries[:0]
        return np.repeat(entries + 1 - (ends - n_each), n_each) + np.arange(ends[-1])
