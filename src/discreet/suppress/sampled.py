"""Suppression by the rare combinations of a sample: cheaper, and not the support floor.

What is rare in a sample is nearly what is rare in the table. Mining the sample costs less than
mining the table, and its minimal infrequent itemsets are looked up in all rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.mine.database import Database
from discreet.mine.mark_itemsets import mark_itemsets
from discreet.mine.minimal_infrequent import minimal_infrequent
from discreet.suppress.cells import hide_cells
from discreet.suppress.mii import suppression_event

if TYPE_CHECKING:
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.mine.limits import Limits
    from discreet.release.event import Event


def suppress_sampled(
    table: Table,
    *,
    theta: int,
    columns: tuple[str, ...],
    sample_size: int,
    seed: int | None = None,
    **limits: Unpack[Limits],
) -> tuple[Table, Event]:
    r"""Return the table with every cell of an MII of a sample hidden, and the event of doing so.

    The sample of :math:`n` of the :math:`m` rows is mined at
    :math:`\lceil \theta n / m \rceil`: what is in :math:`\theta` rows of the table is expected in
    so many of the sample.

    Parameters
    ----------
    table : Table
        The table.
    theta : int
        Infrequency threshold for the whole table, at least 1.
    columns : tuple of str
        Columns to suppress in.
    sample_size : int
        Rows of the sample, at least 2.
    seed : int, optional
        To repeat the sample.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    tuple of Table and Event
        Values that the sample never saw stay visible: the classes decide about them.

    Examples
    --------
    >>> from discreet import datasets
    >>> census = datasets.census(1000)
    >>> _, event = suppress_sampled(census, theta=9, columns=("sex", "age"), sample_size=200)
    >>> event.parameters["sample_size"], event.parameters["theta_of_sample"]
    (200, 2)
    """
    if isinstance(sample_size, bool) or int(sample_size) != sample_size or sample_size < 2:
        raise ParameterError(
            f"sample_size={sample_size} must be a whole number of rows, at least 2."
        )
    n = min(int(sample_size), table.n_rows)
    rows = np.random.default_rng(seed).choice(table.n_rows, n, replace=False)
    scaled = -(-theta * n // max(table.n_rows, 1))
    sample = Database.from_table(table.take(np.sort(rows)), columns=columns, **limits)
    rare = minimal_infrequent(sample, theta=scaled, **limits)
    marks = mark_itemsets(Database.from_table(table, columns=columns, **limits), rare, **limits)
    hidden = hide_cells(table, columns, marks)
    return hidden, suppression_event(
        table, hidden, theta=theta, columns=columns, sample_size=n, theta_of_sample=scaled
    )
