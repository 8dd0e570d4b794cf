"""A released collection of patterns, read from its rows with nothing of the code that wrote it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from discreet.errors import DataError

if TYPE_CHECKING:
    import polars as pl

Items: TypeAlias = frozenset[str]

PATTERN, WITNESS = "pattern", "witness"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternRows:
    """Supports of the published itemsets, and the rows of a witness with their numbers."""

    supports: dict[Items, int]
    witness: dict[Items, int]


def read_pattern_rows(rows: pl.DataFrame) -> PatternRows:
    """Return the patterns that the rows of a release state.

    Parameters
    ----------
    rows : DataFrame
        With columns ``items`` (a JSON list of texts), ``support`` and, if there is a witness,
        ``kind``, which is "pattern" or "witness".

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
            raise DataError(f"The data has no column '{name}', which a collection has.")
    kinds = rows["kind"].to_list() if "kind" in rows.columns else [PATTERN] * rows.height
    found: dict[str, dict[Items, int]] = {PATTERN: {}, WITNESS: {}}
    stated = zip(kinds, rows["items"].to_list(), rows["support"].to_list(), strict=True)
    for number, (kind, text, support) in enumerate(stated, 1):
        items, count = _items(text), _count(support)
        if items is None or count is None or kind not in found:
            raise DataError(f"Row {number} of the data is not an itemset with its support.")
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
