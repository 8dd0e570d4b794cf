"""The itemsets of a collection that are about some columns only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, did_you_mean
from discreet.mine.database import Item
from discreet.patterns.collection import select

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from discreet.mine.itemsets import Itemsets


def of_columns(published: Itemsets, *, columns: Iterable[str]) -> Itemsets:
    """Return the itemsets whose items are all values of some columns.

    Parameters
    ----------
    published : Itemsets
        A collection of a table: its items are values of columns, or texts ``column=value``.
    columns : iterable of str
        Such as the quasi-identifiers.

    Returns
    -------
    Itemsets
        Their supports as they are: those of the collection of these columns alone.

    Raises
    ------
    ParameterError
        If no item is of one of the columns.

    Examples
    --------
    >>> from discreet.mine import Itemsets
    >>> published = Itemsets.from_mapping(
    ...     {frozenset({"sex=f"}): 5, frozenset({"ill=no"}): 7}, n_rows=9)
    >>> [sorted(items) for items, _ in of_columns(published, columns=["sex"])]
    [['sex=f']]
    """
    names = tuple(columns)
    codes = np.unique(published.items).tolist()
    is_kept = np.zeros(len(published.labels), bool)
    is_kept[codes] = [_is_of(published.labels[code], names) for code in codes]
    for name in names:
        if not any(_is_of(published.labels[code], (name,)) for code in codes):
            known = {str(published.labels[code]).partition("=")[0] for code in codes}
            raise ParameterError(
                f"No published item is of column '{name}'. {did_you_mean(name, sorted(known))}"
            )
    n_left_out = np.concatenate([[0], np.cumsum(~is_kept[published.items])])[published.offsets]
    return select(published, np.flatnonzero(np.diff(n_left_out) == 0))


def _is_of(label: Hashable, columns: tuple[str, ...]) -> bool:
    """Return whether an item is a value of one of some columns."""
    if isinstance(label, Item):
        return label.column in columns
    return any(str(label).startswith(f"{name}=") for name in columns)
