"""Rows as they may be published: without identifying columns, in an order that tells nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import GuaranteeError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.data.table import Table


def publishable(table: Table, *, without: Iterable[str] = ()) -> Table:
    """Return the table without its identifying columns and others, or refuse if none is left.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> people = Table.from_frame({"name": ["a"], "sex": ["f"]}, roles={"name": "identifying"})
    >>> publishable(people).columns
    ('sex',)
    """
    hidden = {*table.identifying, *without}
    names = [name for name in table.columns if name not in hidden]
    if not names:
        raise GuaranteeError("There is nothing to release: every column is identifying.")
    return table.select(names)


def sorted_rows(table: Table) -> NDArray[np.int64]:
    """Return the rows in the order of their values, first column first.

    The order of a sorted table tells nothing that the rows without any order would not.

    Examples
    --------
    >>> from discreet import Table
    >>> sorted_rows(Table.from_frame({"a": ["y", "x", "x"], "b": ["u", "v", "u"]})).tolist()
    [2, 1, 0]
    """
    keys = [table.codes(name) for name in reversed(table.columns)]
    return np.lexsort(keys) if keys else np.arange(table.n_rows)
