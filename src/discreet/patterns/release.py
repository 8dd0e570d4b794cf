"""Sanitized collections as releases: a table of itemsets and supports, with its claim."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.data.table import Table
from discreet.errors import DataError, GuaranteeError, InfeasibleError
from discreet.mine.database import Item
from discreet.mine.itemsets import Itemsets
from discreet.patterns.claims import WITNESSED, pattern_guarantee
from discreet.patterns.item_texts import item_texts, json_items, read_items
from discreet.patterns.sanitized import Sanitized
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.release import Release

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.transactions import Transactions
    from discreet.patterns.certified import Certified

PATTERN, WITNESS = "pattern", "witness"
COLUMNS = ("items", "support", "kind")


def pattern_release(
    made: Sanitized | Certified,
    *,
    source: Table | Transactions | None = None,
    columns: Sequence[str] | None = None,
) -> Release:
    """Return a sanitized collection as a release, with its guarantee and what was done.

    Parameters
    ----------
    made : Sanitized or Certified
        What :func:`~discreet.patterns.additive`, :func:`~discreet.patterns.suppressive` or
        :func:`~discreet.patterns.certified` made.
    source : Table or Transactions, optional
        What it was made from, for the fingerprint.
    columns : sequence of str, optional
        The columns of the source that the itemsets are about, if not all.

    Returns
    -------
    Release
        Its data has a row for each itemset: ``items`` (a JSON array of texts, sorted),
        ``support`` and ``kind``, which is "pattern". The rows that prove a certified collection
        safe follow, with their numbers as supports and "witness" as kind. The order is that of
        sizes, then texts. The empty itemset is left out: its support is
        ``n_rows`` of the guarantee. ``loss`` has the measures of distortion, in memory only.

    Raises
    ------
    InfeasibleError
        If there is no itemset to release.
    DataError
        If two items have the same text, the text of one does not tell its column, or only closed
        itemsets are given.
    GuaranteeError
        If a certified collection comes without the rows that prove it safe.

    Notes
    -----
    **Guarantee.** That of the method, with what it does not protect. How many transactions were
    added or removed is not part of the release: whoever knows that *k* were added looks for the
    one group that was raised, and finds the small one. The events tell options, and the number of
    itemsets, which everybody can count.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.patterns import additive
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> release = pattern_release(additive(baskets, k=3, min_support=8), source=baskets)
    >>> release.data.to_frame().rows()
    [('["a"]', 12, 'pattern'), ('["b"]', 11, 'pattern'), ('["a", "b"]', 8, 'pattern')]
    >>> patterns_of(release).n_rows
    15
    """
    sanitized, proof = (
        (made, None) if isinstance(made, Sanitized) else (made.sanitized, made.witness)
    )
    published = sanitized.published
    if published.kind == "closed":
        raise DataError(
            "A release holds all frequent itemsets, and this collection has closed ones only: "
            "sanitize the data, or the collection of all frequent itemsets."
        )
    if sanitized.method == "certified" and (proof is None or proof.rows is None):
        raise GuaranteeError(
            "A certified collection is released with the rows that prove it: give the whole "
            "result of certified()."
        )
    rows = [(PATTERN, *row) for row in _rows(published) if row[0]]
    if not rows:
        instead = "" if sanitized.method == "additive" else ", or use additive: it loses no itemset"
        raise InfeasibleError(
            f"No itemset of at least {sanitized.min_support} rows is left to release. Lower "
            f"min_support or k{instead}."
        )
    if proof is not None and proof.rows is not None:
        rows += [(WITNESS, *row) for row in _rows(proof.rows)]
    _check_names(published, sanitized.quasi)
    named = {} if columns is None else {"columns": tuple(columns)}
    named |= {"quasi": sanitized.quasi} if sanitized.quasi else {}
    event = Event(
        name=f"{sanitized.method}_sanitization",
        parameters={"k": sanitized.k, "min_support": sanitized.min_support, **named},
        counts={"n_itemsets": sum(kind == PATTERN for kind, *_ in rows)},
    )
    return Release(
        data=_table(rows),
        guarantee=pattern_guarantee(
            sanitized.method,
            k=sanitized.k,
            min_support=sanitized.min_support,
            n_rows=published.n_rows,
            quasi=sanitized.quasi,
        ),
        events=(event,),
        fingerprint=None if source is None else _fingerprint(source),
        loss=sanitized.distortion,
    )


def patterns_of(release: Release) -> Itemsets:
    """Return the collection in a release of patterns, items as texts.

    Raises
    ------
    DataError
        If the release is of another kind, or its rows are no itemsets.
    """
    return _itemsets(release, PATTERN, "frequent")


def witness_of(release: Release) -> Itemsets | None:
    """Return the rows of the witness with their numbers, or None if there is none."""
    if release.guarantee.model != WITNESSED:
        return None
    return _itemsets(release, WITNESS, "witness")


def is_pattern_release(release: Release) -> bool:
    """Say whether the rows of a release are itemsets, not people."""
    return "patterns" in release.guarantee.model


def _check_names(published: Itemsets, quasi: tuple[str, ...]) -> None:
    """Refuse an item that reads like one of a quasi-identifier, and is of another column."""
    for code in np.unique(published.items).tolist() if quasi else ():
        label = published.labels[code]
        column = label.column if isinstance(label, Item) else None
        like = next((name for name in quasi if str(label).startswith(f"{name}=")), None)
        if like is not None and column not in quasi:
            raise DataError(
                f"The item {str(label)!r} of column '{column}' reads like one of column '{like}'. "
                "Rename a column, so that everybody can tell which items the claim is about."
            )


def _rows(itemsets: Itemsets) -> list[tuple[tuple[str, ...], int]]:
    """Return itemsets as sorted texts with supports, by size, then text."""
    texts = item_texts(itemsets.labels, np.unique(itemsets.items).tolist())
    bounds = zip(itemsets.offsets, itemsets.offsets[1:], itemsets.supports, strict=False)
    rows = [
        (tuple(sorted(texts[code] for code in itemsets.items[low:high].tolist())), int(support))
        for low, high, support in bounds
    ]
    return sorted(rows, key=lambda row: (len(row[0]), row[0]))


def _table(rows: list[tuple[str, tuple[str, ...], int]]) -> Table:
    """Return the table of a release."""
    columns: dict[str, list[str] | list[int]] = {
        "items": [json_items(items) for _, items, _ in rows],
        "support": [support for _, _, support in rows],
        "kind": [kind for kind, _, _ in rows],
    }
    roles = dict.fromkeys(COLUMNS, "insensitive")
    return Table.from_frame(columns, roles=roles, categorical=True)


def _itemsets(release: Release, wanted: str, kind: str) -> Itemsets:
    """Return the itemsets of one kind of a release."""
    n_rows = release.guarantee.parameters.get("n_rows")
    if not is_pattern_release(release) or not isinstance(n_rows, int):
        raise DataError(f"This release is of {release.guarantee.model}, not of patterns.")
    if release.data.columns != COLUMNS:
        raise DataError(
            f"A release of patterns has columns {', '.join(COLUMNS)}, not "
            f"{', '.join(release.data.columns)}."
        )
    rows = release.data.to_frame("polars").rows()
    found = {
        read_items(text, where=f"row {number}"): cast(int, support)
        for number, (text, support, kind) in enumerate(rows, 1)
        if kind == wanted
    }
    return Itemsets.from_mapping(found, n_rows=n_rows, kind=kind)


def _fingerprint(source: Table | Transactions) -> Fingerprint:
    """Return the fingerprint of the input; of transactions, that of a column of their items."""
    if isinstance(source, Table):
        return Fingerprint.of(source)
    texts = [json.dumps(str(label), ensure_ascii=False) for label in source.labels]
    cells = [
        f"[{', '.join(texts[code] for code in source.items[low:high].tolist())}]"
        for low, high in zip(source.offsets, source.offsets[1:], strict=False)
    ]
    return Fingerprint.of(Table.from_frame({"items": cells}))
