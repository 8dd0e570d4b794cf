"""Items as texts in files and frames: sets in a cell read, labels told apart when written."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

_OF_PYTHON = ("frozenset({", "{")


def read_items(cell: object, *, where: str) -> frozenset[str]:
    """Return the set of items in one cell, as texts.

    Parameters
    ----------
    cell : object
        A list or set of items; or the text of one: a JSON array, Python's ``frozenset({...})``, or
        items with blanks between them.
    where : str
        What the cell is called in an error.

    Returns
    -------
    frozenset of str
        Every item as text.

    Raises
    ------
    DataError
        If the cell is missing, is no set, or has an item twice.

    Examples
    --------
    >>> sorted(read_items('["sex=f", "job=clerk"]', where="row 0"))
    ['job=clerk', 'sex=f']
    >>> read_items("frozenset({'tea'})", where="row 0"), read_items("tea", where="row 0")
    (frozenset({'tea'}), frozenset({'tea'}))
    """
    items = _parsed(cell, where) if isinstance(cell, str) else cell
    if items is None or isinstance(items, dict | bytes) or not hasattr(items, "__iter__"):
        raise DataError(f"{where}: {cell!r} is no set of items. Give a list or a JSON array.")
    texts = [str(item) for item in items]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise DataError(f"{where}: item {twice!r} is there twice.")
    return frozenset(texts)


def item_texts(labels: Sequence[Hashable], used: Iterable[int]) -> dict[int, str]:
    """Return the text of each used item, by its number.

    Raises
    ------
    DataError
        If two items have the same text, so that nobody could tell them apart.

    Examples
    --------
    >>> item_texts(("tea", 5), [1])
    {1: '5'}
    """
    texts: dict[int, str] = {}
    seen: dict[str, int] = {}
    for code in used:
        text = str(labels[code])
        if text in seen:
            raise DataError(
                f"Two items are both written {text!r}: {labels[seen[text]]!r} and {labels[code]!r}."
                " Rename a column or a value, so that they can be told apart."
            )
        texts[code] = text
        seen[text] = code
    return texts


def json_items(items: Iterable[str]) -> str:
    """Return items as a JSON array, sorted.

    Examples
    --------
    >>> json_items({"b", "a"})
    '["a", "b"]'
    """
    return json.dumps(sorted(items), ensure_ascii=False)


def _parsed(text: str, where: str) -> object:
    """Return what a text of items means."""
    stripped = text.strip()
    if stripped.startswith("["):
        try:
            return json.loads(stripped)
        except (ValueError, RecursionError):
            return _literal(stripped, text, where)
    if stripped == "frozenset()":
        return ()
    for opening in _OF_PYTHON:
        if stripped.startswith(opening):
            inner = stripped[len(opening) :].rstrip(")").removesuffix("}")
            return _literal(f"[{inner}]", text, where)
    return stripped.split()


def _literal(code: str, text: str, where: str) -> object:
    """Return a list written in Python."""
    try:
        return ast.literal_eval(code)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        raise DataError(
            f'{where}: {text!r} is no set of items. Write a JSON array, as in ["tea", "milk"].'
        ) from None
