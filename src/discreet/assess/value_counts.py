"""How often each value of a column occurs in each equivalence class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column, Label


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ValueCounts:
    """How often each value occurs in each class: one entry for each pair that occurs.

    Entries are sorted by class, most frequent value first; those of class ``i`` are
    ``starts[i]`` to ``starts[i + 1]``.
    """

    labels: tuple[Label, ...]
    overall: NDArray[np.float64]
    sizes: NDArray[np.int64]
    starts: NDArray[np.int64]
    classes: NDArray[np.int64]
    values: NDArray[np.int64]
    counts: NDArray[np.int64]
    shares: NDArray[np.float64]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.sizes)

    @classmethod
    def of(cls, classes: Classes, column: Column) -> ValueCounts:
        """Return the counts of a column's values in these classes."""
        n_rows = len(classes.class_of)
        pairs = equal_codes([classes.class_of, column.codes], n_rows)
        class_of = classes.class_of[pairs.first].astype(np.int64)
        values = column.codes[pairs.first].astype(np.int64)
        order = np.lexsort((values, -pairs.sizes, class_of))
        class_of, counts = class_of[order], pairs.sizes[order]
        n_of_value = np.bincount(column.codes, minlength=len(column.values))
        return cls(
            labels=column.values,
            overall=n_of_value / max(n_rows, 1),
            sizes=classes.sizes,
            starts=np.searchsorted(class_of, np.arange(len(classes) + 1)),
            classes=class_of,
            values=values[order],
            counts=counts,
            shares=counts / classes.sizes[class_of],
        )
