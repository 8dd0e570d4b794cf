"""Why K-MII suppresses as much as it does: the same without one of its properties at a time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
from suppress_methods import Made, Method, codes_of, suppressed_cells

import discreet as dc
from discreet.assess.uniqueness import covered_rows
from discreet.suppress.mii import enforce_classes, suppress_cells

if TYPE_CHECKING:
    from collections.abc import Sequence


def one_cell_each(table: dc.Table, known: Sequence[str], k: int) -> Made:
    """Suppress one cell of every minimal rare combination, not all: that of the most varied column.

    Then no rare combination is visible either. Which cell goes is a choice K-MII does not make.
    """
    start = time.process_time()
    database = dc.mine.Database.from_table(table, columns=known)
    found = dc.mine.minimal_infrequent(database, theta=k - 1)
    rows = database.items.reshape(database.n_transactions, len(known))
    n_values = np.array([len(table.values(name)) for name in known])
    column = database.column_of[found.items]
    # The largest of an itemset's (number of values, column) pairs.
    rank = n_values[column] * len(known) + column
    chosen = np.maximum.reduceat(rank, found.offsets[:-1]) % len(known)
    marked = np.zeros(rows.shape, bool)
    for which, row in covered_rows(found, rows, database.column_of):
        marked[row, chosen[which]] = True
    assert database.group_of is not None
    suppressed = suppress_cells(table, known, marked[database.group_of])
    data, kept, _ = enforce_classes(suppressed, k=k, columns=tuple(known))
    cpu = time.process_time() - start
    return Made(data=data, rows=kept, suppressed=suppressed_cells(data, known), cpu=cpu)


def age_in_tens(table: dc.Table, known: Sequence[str], k: int) -> Made:
    """Group single years of age by ten before K-MII; a coarser age does not count as lost."""
    tens = np.array([int(str(value)) // 10 for value in table.values("age")])
    labels, group = np.unique(tens, return_inverse=True)
    coarse = table.with_column("age", group[table.codes("age")], [f"{n}0s" for n in labels])
    start = time.process_time()
    release = dc.k_mii(coarse, k=k, columns=known)
    cpu = time.process_time() - start
    assert release.input_rows is not None
    return Made(
        data=release.data,
        rows=release.input_rows,
        suppressed=suppressed_cells(release.data, known),
        cpu=cpu,
        codes=codes_of(coarse, known),
    )


ABLATIONS = (
    Method(name="one cell of each rare combination", make=one_cell_each, is_learnt=False),
    Method(name="K-MII, drop, age in tens", make=age_in_tens, is_learnt=False),
)
