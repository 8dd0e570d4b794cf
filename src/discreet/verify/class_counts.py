"""How often each value of a column occurs in each class of equal released rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

_CELLS = 1 << 22  # of one block of classes by values


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCounts:
    """Counts of values by class, only those that are not zero.

    Attributes
    ----------
    values : list
        The different values, None for an empty cell.
    overall : array of int
        Rows with each value, all classes together.
    classes, places, counts : array of int
        Class, place of the value, and rows; sorted by class.
    first : array of int
        A row of each class, counted from 0.
    """

    values: list[object]
    overall: NDArray[np.int64]
    classes: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each class."""
        total = np.zeros(len(self.first), np.int64)
        np.add.at(total, self.classes, self.counts)
        return total

    def blocks(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield classes by values in blocks, each with the number of its first class."""
        n_values = max(len(self.values), 1)
        step = max(1, _CELLS // n_values)
        for low in range(0, len(self.first), step):
            part = slice(*np.searchsorted(self.classes, [low, low + step]))
            block = np.zeros((min(step, len(self.first) - low), n_values), np.int64)
            block[self.classes[part] - low, self.places[part]] = self.counts[part]
            yield low, block


def class_counts(rows: pl.DataFrame, columns: Sequence[str], of: str) -> ClassCounts:
    """Return how often each value of one column occurs in each class of others.

    Parameters
    ----------
    rows : DataFrame
        The released rows, at least one.
    columns : sequence of str
        Rows that are equal in these are a class.
    of : str
        The column to count.

    Examples
    --------
    >>> rows = pl.DataFrame({"sex": ["f", "f", "m"], "ill": ["flu", "cold", "flu"]})
    >>> found = class_counts(rows, ["sex"], "ill")
    >>> found.values, found.overall.tolist(), found.sizes.tolist()
    (['cold', 'flu'], [1, 2], [2, 1])
    """
    numbered = rows.select(
        class_=pl.struct(list(columns)).rank("dense"),
        value=pl.struct(pl.col(of)).rank("dense"),
        row=pl.int_range(pl.len()),
    )
    classes = numbered["class_"].to_numpy().astype(np.int64) - 1
    codes = numbered["value"].to_numpy().astype(np.int64) - 1
    first = np.unique(classes, return_index=True)[1]
    shown, where, places = np.unique(codes, return_index=True, return_inverse=True)
    pairs, counts = np.unique(classes * len(shown) + places.reshape(-1), return_counts=True)
    by_class, by_value = np.divmod(pairs, len(shown))
    return ClassCounts(
        values=rows[of].gather(where).to_list(),
        overall=np.bincount(by_value, counts).astype(np.int64),
        classes=by_class,
        places=by_value,
        counts=counts.astype(np.int64),
        first=first,
    )
