"""Rows with none of a column's published values: what a table gives away beside its itemsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.patterns.leak import Leak

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.patterns.lattice import Lattice


def remainders(lattice: Lattice, *, k: int) -> Iterator[Leak]:
    r"""Return the leaks that follow because a row has one value in each column.

    .. math:: \mathrm{supp}(X) - \sum_v \mathrm{supp}(X \cup \{v\})

    over the values :math:`v` of a column that are published together with :math:`X` is the number
    of rows that have :math:`X` and another value than these.

    Parameters
    ----------
    lattice : Lattice
        The collection; nothing follows unless its items are values of columns.
    k : int
        Groups of fewer rows are leaks.

    Yields
    ------
    Leak
        Of kind "column", where two values or more are published; with one it is a channel.
    """
    columns = lattice.column_of()
    if columns is None:
        return
    n_columns = int(columns.max(initial=-1)) + 1
    for size in range(1, len(lattice.levels)):
        below, level = lattice.levels[size - 1], lattice.levels[size]
        keys = (level.without * n_columns + columns[level.items]).reshape(-1)
        values = level.items.reshape(-1)
        order = np.argsort(keys, kind="stable")
        groups, starts, counts = np.unique(keys[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(np.repeat(level.supports, size)[order], starts)
        rest = below.supports[groups // n_columns] - sums
        for group in np.flatnonzero((counts > 1) & (rest > 0) & (rest < k)).tolist():
            own = order[starts[group] : starts[group] + counts[group]]
            inside = below.items[groups[group] // n_columns]
            yield Leak(
                kind="column",
                inside=frozenset(lattice.labels[item] for item in inside.tolist()),
                outside=frozenset(lattice.labels[item] for item in values[own].tolist()),
                least=int(rest[group]),
                most=int(rest[group]),
            )
