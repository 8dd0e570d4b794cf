"""Whether the order of released rows follows from the rows themselves."""

from __future__ import annotations

from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np

from discreet.verify.outcome import Check

if TYPE_CHECKING:
    import polars as pl


def rows_are_sorted(rows: pl.DataFrame) -> bool:
    """Say whether rows are sorted by their values, column by column from the left.

    Any order of the values of a column will do (that of their categories, suppressed cells
    first or last), as long as it is the same all the way down.

    Parameters
    ----------
    rows : DataFrame
        The released rows.

    Returns
    -------
    bool
        False if the order of the rows could say something that the rows do not.

    Notes
    -----
    Where all columns to the left stay the same, the step from one row to the next says which
    of two values of a column comes first. The rows are sorted if these statements have no
    circle.

    Examples
    --------
    >>> import polars as pl
    >>> rows_are_sorted(pl.DataFrame({"a": ["m", "m", "f"], "b": [1, None, 1]}))
    True
    >>> rows_are_sorted(pl.DataFrame({"a": ["m", "f", "m"]}))
    False
    """
    n_steps = max(rows.height - 1, 0)
    left_stays = np.ones(n_steps, dtype=np.bool_)
    for name in rows.columns:
        codes = rows[name].rank("dense").fill_null(0).to_numpy()
        changes = left_stays & (codes[:-1] != codes[1:])
        before: defaultdict[int, set[int]] = defaultdict(set)
        for first, second in zip(
            codes[:-1][changes].tolist(), codes[1:][changes].tolist(), strict=True
        ):
            before[second].add(first)
        try:
            TopologicalSorter(before).prepare()
        except CycleError:
            return False
        left_stays &= ~changes
    return True


def check_row_order(rows: pl.DataFrame, *, is_claimed: bool) -> Check:
    """Return whether rows are sorted; if that is not claimed, other orders are left open.

    Parameters
    ----------
    rows : DataFrame
        The released rows.
    is_claimed : bool
        Whether the claim is about the multiset of rows, as differential privacy by sampling is:
        rows in their old order would break it.

    Returns
    -------
    Check
        Passed if the rows are sorted.
    """
    if rows_are_sorted(rows):
        detail = "Rows are sorted by their values, so that their order tells nothing more."
        return Check(name="row order", passed=True, detail=detail)
    detail = "Rows are not sorted by their values: their order may tell where they stood before."
    return Check(name="row order", passed=False if is_claimed else None, detail=detail)
