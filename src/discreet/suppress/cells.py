"""What every suppression does to a table: hide cells.

A hidden cell is missing in frames and files, and an ordinary value ``*`` when classes are formed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.data.table import Table


def hide_cells(table: Table, columns: Sequence[str], hidden: NDArray[np.bool_]) -> Table:
    """Return the table with some cells missing.

    Parameters
    ----------
    table : Table
        The table.
    columns : sequence of str
        Columns with cells to hide.
    hidden : array of bool, rows by columns
        Which of their cells.

    Returns
    -------
    Table
        Values that no longer occur are left out.

    Examples
    --------
    >>> from discreet import Table
    >>> table = Table.from_frame({"sex": ["f", "m", "f"]})
    >>> hide_cells(table, ["sex"], np.array([[True], [False], [False]])).to_frame()["sex"].to_list()
    [None, 'm', 'f']
    """
    for place, name in enumerate(columns):
        if not hidden[:, place].any():
            continue
        values = [value for value in table.values(name) if value is not None]
        # A missing value is last, so that its code is that of the hidden cells.
        codes = np.where(hidden[:, place], len(values), table.codes(name))
        table = table.with_column(name, codes, [*values, None])
    return table


def count_hidden(table: Table, columns: Sequence[str]) -> int:
    """Return how many cells of some columns are missing or hidden."""
    return sum(
        int(np.count_nonzero(table.codes(name) == len(table.values(name)) - 1))
        for name in columns
        if table.values(name)[-1:] == (None,)
    )
