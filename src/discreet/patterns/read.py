"""Published collections of itemsets, read from files, frames and releases."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from discreet import checks
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.mine.itemsets import Itemsets
from discreet.patterns.collection import condensed
from discreet.patterns.texts import plain_columns, read_items
from discreet.release.certificate import CERTIFICATE_FILE
from discreet.release.contents import PATTERN
from discreet.release.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.patterns.texts import Columns

Kind: TypeAlias = Literal["frequent", "closed"]

ITEMS = ("items", "itemsets")
KNOWN = (*ITEMS, "support", "size", "length", "frequency", "kind")
_NEARLY = 1e-6  # shares are decimals of whole numbers


def read_patterns(
    source: object, *, n_rows: int | None = None, kind: Kind | None = None
) -> Itemsets:
    """Return a published collection of itemsets, checked to be one.

    Parameters
    ----------
    source : path, frame, Release or Itemsets
        A CSV or Parquet file, or a frame, with columns ``items`` and ``support`` as
        :meth:`Itemsets.write <discreet.mine.itemsets.Itemsets.write>` makes them; mlxtend's frame
        with ``itemsets`` and ``support`` as a share; a release of patterns, or its folder.
    n_rows : int, optional
        The published number of rows. Not needed if it follows from the collection: from its
        empty itemset, its ``frequency`` column, or its certificate.
    kind : {"frequent", "closed"}, optional
        What the collection holds: all frequent itemsets (the default), or closed ones only.

    Returns
    -------
    Itemsets
        Items are texts.

    Raises
    ------
    DataError
        If a column or a subset is missing, an itemset is there twice, or supports contradict
        each other or the number of rows.
    ParameterError
        If ``n_rows`` is needed and not given.

    Examples
    --------
    >>> found = read_patterns({"items": ['["a"]', '["b"]', '["a", "b"]'], "support": [5, 4, 3]},
    ...     n_rows=9)
    >>> [(sorted(items), support) for items, support in found]
    [(['a'], 5), (['b'], 4), (['a', 'b'], 3)]
    """
    if kind is not None:
        checks.one_of("kind", kind, ("frequent", "closed"))
    if n_rows is not None:
        n_rows = checks.whole("n_rows", n_rows, at_least=0)
    found = _read(source, n_rows, kind or "frequent")
    if n_rows is not None and found.n_rows != n_rows:
        raise DataError(
            f"The collection says it has {found.n_rows} rows, and {{n_rows}}.",
            options={"n_rows": n_rows},
        )
    condensed(found)
    return found


def is_collection(columns: Iterable[str]) -> bool:
    """Say whether columns are those of a collection of itemsets."""
    names = set(columns)
    return "support" in names and any(name in names for name in ITEMS)


def _read(source: object, n_rows: int | None, kind: Kind) -> Itemsets:
    """Return the collection, not yet checked as a whole."""
    if isinstance(source, Itemsets):
        return source
    if isinstance(source, str | Path) and (Path(source) / CERTIFICATE_FILE).is_file():
        source = Release.load(source)
    if isinstance(source, Release):
        if source.kind != "patterns":
            raise DataError(f"This release is of {source.guarantee.model}, not of patterns.")
        patterns: Itemsets = source.data
        return patterns
    columns = plain_columns(source, what="a collection of itemsets")
    _check_columns(columns)
    named = next(name for name in ITEMS if name in columns.values)
    which = [
        row
        for row in range(columns.n_rows)
        if "kind" not in columns.values or columns.values["kind"][row] == PATTERN
    ]
    sets = [read_items(columns.values[named][row], where=columns.where(row)) for row in which]
    _check_sizes(columns, which, sets)
    shares = [_number(columns, "support", row) for row in which]
    if all(str(columns.values["support"][row]).strip().isdigit() for row in which):
        supports = [int(share) for share in shares]
        n_rows = _rows(columns, which, sets, supports, n_rows)
    else:
        supports = _counts(columns, which, shares, n_rows)
        assert n_rows is not None  # or there were no counts
    found: dict[frozenset[str], int] = {}
    for row, items, support in zip(which, sets, supports, strict=True):
        if items in found:
            raise DataError(
                f"{columns.where(row)}: the itemset {{{', '.join(sorted(items))}}} is there twice, "
                f"with support {found[items]} and {support}."
            )
        if not 0 <= support <= n_rows:
            raise DataError(f"{columns.where(row)}: support {support} of {n_rows} rows.")
        found[items] = support
    return Itemsets.from_mapping(found, n_rows=n_rows, kind=kind)


def _check_columns(columns: Columns) -> None:
    """Raise DataError if a column is missing or nobody knows what it means."""
    names = list(columns.values)
    if not is_collection(names):
        missing = "support" if "support" not in names else "items"
        raise DataError(
            f"{columns.name} has no column '{missing}': a collection has 'items' and 'support'. "
            f"It has {', '.join(map(repr, names)) or 'none'}.",
            column=missing,
        )
    for name in names:
        if name not in KNOWN:
            raise DataError(
                f"{columns.name} has a column '{name}' that a collection does not have.",
                column=name,
                remedy=f"{did_you_mean(name, KNOWN)} Leave it out.",
            )


def _check_sizes(columns: Columns, which: list[int], sets: list[frozenset[str]]) -> None:
    """Raise DataError if a set has another size than stands beside it, as items with blanks do."""
    for name in ("size", "length"):
        for row, items in zip(which, sets, strict=True):
            if name in columns.values and _number(columns, name, row) != len(items):
                raise DataError(
                    f"{columns.where(row)}: {len(items)} items are read, and {name} says "
                    f"{columns.values[name][row]}. Items that contain blanks need a JSON array."
                )


def _counts(
    columns: Columns, which: list[int], shares: list[Fraction], n_rows: int | None
) -> list[int]:
    """Return supports given as shares as whole numbers of rows."""
    if n_rows is None:
        raise ParameterError(
            f"{columns.name} gives supports as shares: pass {{n_rows}}, the number of rows.",
            parameter="n_rows",
            options={"n_rows": ...},
        )
    counts = []
    for row, share in zip(which, shares, strict=True):
        count = round(share * n_rows)
        if abs(share * n_rows - count) > _NEARLY * max(n_rows, 1):
            raise DataError(
                f"{columns.where(row)}: support {float(share)} is no whole number of {n_rows} "
                "rows; check n_rows."
            )
        counts.append(count)
    return counts


def _rows(
    columns: Columns,
    which: list[int],
    sets: list[frozenset[str]],
    supports: list[int],
    n_rows: int | None,
) -> int:
    """Return the number of rows: given, of the empty itemset, or by the frequencies."""
    empty = [support for items, support in zip(sets, supports, strict=True) if not items]
    stated = {empty[0]} if empty else set()
    if not stated and "frequency" in columns.values:
        stated = {
            round(support / share)
            for row, support in zip(which, supports, strict=True)
            if (share := _number(columns, "frequency", row))
        }
    if n_rows is not None and not stated:
        return n_rows
    if not stated:
        raise ParameterError(
            f"{columns.name} does not say how many rows there are: pass {{n_rows}}.",
            parameter="n_rows",
            options={"n_rows": ...},
        )
    if len(stated) > 1:
        raise DataError(f"{columns.name}: frequencies and supports do not fit one number of rows.")
    return stated.pop()


def _number(columns: Columns, name: str, row: int) -> Fraction:
    """Return the number in a cell, exactly as it is written."""
    cell = columns.values[name][row]
    try:
        number = Fraction(str(cell).strip())
    except (ValueError, ZeroDivisionError):
        number = Fraction(-1)
    if number < 0:
        raise DataError(f"{columns.where(row)}: {name} is {cell!r}, which is no count or share.")
    return number
