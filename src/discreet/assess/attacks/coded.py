"""A release and the people attacked in one coding: equal values, equal numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.data.table import Table


def one_coding(
    tables: Sequence[Table], columns: Sequence[str]
) -> list[NDArray[np.unsignedinteger]]:
    """Return the cells of some tables as numbers, one row of an array for each column.

    Parameters
    ----------
    tables : sequence of Table
        They may number their values differently.
    columns : sequence of str
        Columns that all of them have.

    Returns
    -------
    list of arrays
        One for each table, of the smallest unsigned type that holds all codes. Equal values of
        a column have equal codes; a missing or suppressed cell is a value of its own.

    Examples
    --------
    >>> import discreet as dc
    >>> first, second = (dc.Table.from_frame({"sex": cells}) for cells in (["f", "m"], ["m", "f"]))
    >>> one_coding([first, second], ["sex"])
    [array([[0, 1]], dtype=uint8), array([[1, 0]], dtype=uint8)]
    """
    coded: list[list[NDArray[np.int64]]] = [[] for _ in tables]
    largest = 0
    for name in columns:
        code_of: dict[tuple[type, object], int] = {}
        for table, cells in zip(tables, coded, strict=True):
            new = [
                code_of.setdefault((type(value), value), len(code_of))
                for value in table.values(name)
            ]
            cells.append(np.array(new, np.int64)[table.codes(name)])
        largest = max(largest, len(code_of) - 1)
    kind = np.min_scalar_type(largest)
    return [
        np.array(cells, kind).reshape(len(columns), table.n_rows)
        for table, cells in zip(tables, coded, strict=True)
    ]
