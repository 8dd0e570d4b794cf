"""What checks may look at: the claims, the released rows, stated hierarchies, the original."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.progress import Progress
    from discreet.verify.certificate import Claims
    from discreet.verify.matching import Matched
    from discreet.verify.stated import Stated


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Claims, released rows (a suppressed cell is null) and, if given, the original.

    ``matched`` is the original in the same codes as the rows.
    """

    claims: Claims
    rows: pl.DataFrame
    hierarchies: dict[str, Stated] = field(default_factory=dict)
    original: Table | None = None
    matched: Matched | None = None
    progress: Progress | None = None


def class_sizes(rows: pl.DataFrame, columns: Sequence[str]) -> NDArray[np.uint32]:
    """Return for each row how many rows are equal to it in some columns, ``*`` being a value.

    Examples
    --------
    >>> rows = pl.DataFrame({"sex": ["f", "f", None, "m"]})
    >>> class_sizes(rows, ["sex"]).tolist()
    [2, 2, 1, 1]
    """
    # Null is a group of its own in polars: a suppressed cell equals suppressed cells only.
    return rows.select(pl.len().over(list(columns))).to_series().to_numpy()


def small_classes(sizes: NDArray[np.uint32], k: int) -> str | None:
    """Return in words what is wrong with classes below k, without values; None if none is.

    Examples
    --------
    >>> small_classes(np.array([2, 2, 1], np.uint32), 2)
    '1 row is in classes of fewer than 2; the smallest class has 1 (row 3 of the data)'
    """
    n_below = int((sizes < k).sum())
    if not n_below:
        return None
    least = sizes.min()
    where = np.flatnonzero(sizes == least)[:3] + 1
    listed = ", ".join(map(str, where.tolist()))
    rows = "1 row is" if n_below == 1 else f"{n_below:,} rows are"
    return (
        f"{rows} in classes of fewer than {k}; the smallest class has {least} "
        f"({'row' if len(where) == 1 else 'rows'} {listed} of the data)"
    )
