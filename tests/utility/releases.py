"""Releases to judge: random pairs of tables, and suppression by a mask."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from numpy.typing import NDArray

import discreet as dc

Row = tuple[str | None, ...]


def table(rows: list[Row], n_columns: int) -> dc.Table:
    """Return the table of these rows; columns are called c0, c1, ..."""
    codes: dict[str, list[int]] = {}
    values: dict[str, list[str | None]] = {}
    for place in range(n_columns):
        cells = [row[place] for row in rows]
        values[f"c{place}"] = list(dict.fromkeys(cells))
        codes[f"c{place}"] = [values[f"c{place}"].index(cell) for cell in cells]
    return dc.Table.from_codes(codes, values)


@st.composite
def pairs(
    draw: DrawFn, *, max_columns: int = 4, max_rows: int = 8
) -> tuple[list[Row], list[Row], int]:
    """Return rows of an original, rows of a release, and the number of their columns."""
    n_columns = draw(st.integers(min_value=1, max_value=max_columns))
    row = st.tuples(*(st.sampled_from(["p", "q", "r", None]) for _ in range(n_columns)))
    rows = st.lists(row, max_size=max_rows)
    return draw(rows), draw(rows), n_columns


def suppress(original: dc.Table, cells: NDArray[np.bool_]) -> dc.Table:
    """Return the table with these cells cleared; all columns must be mined ones."""
    release = original
    for place, name in enumerate(original.columns):
        values = original.values(name)
        codes = np.where(cells[:, place], len(values), original.codes(name).astype(np.int64))
        if None in values:
            codes[cells[:, place]] = values.index(None)
            release = release.with_column(name, codes, values)
        else:
            release = release.with_column(name, codes, (*values, None))
    return release


def recoded(original: dc.Table) -> dc.Table:
    """Return the same table with values numbered the other way round and columns reversed."""
    names = original.columns[::-1]
    last = {name: len(original.values(name)) - 1 for name in names}
    return dc.Table.from_codes(
        {name: last[name] - original.codes(name).astype(np.int64) for name in names},
        {name: original.values(name)[::-1] for name in names},
        original.roles,
    )
