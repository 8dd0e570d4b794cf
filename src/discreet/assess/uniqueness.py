"""Sample uniques and special uniques: how easily each row is singled out.

A minimal sample unique (MSU) is a combination of values that one row has and none of whose
parts is unique. The fewer values it needs and the more of them a row has, the likelier it is
that the row is unique in the whole population as well.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import as_table, quasi_columns
from discreet.assess.covers import covered_rows
from discreet.assess.dis import dis_rate, dis_suda, exponent
from discreet.assess.look import most_dangerous
from discreet.assess.unique_rows import Uniqueness
from discreet.errors import ParameterError
from discreet.mine import Database, minimal_infrequent

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.limits import Limits

MAX_COLUMNS = 170  # 170! is the largest factorial a float holds


def uniqueness(
    table: object,
    *,
    columns: Iterable[str] | None = None,
    max_size: int | None = None,
    sampling_rate: float | None = None,
    n_shown: int = 10,
    **limits: Unpack[Limits],
) -> Uniqueness:
    r"""Return the sample uniques of a table with their SUDA scores.

    .. math:: \mathrm{score}(t) = \sum_{X \in \mathrm{MSU}(t)} \prod_{i=|X|}^{M-1} (M - i)
        = \sum_{X \in \mathrm{MSU}(t)} (M - |X|)!

    where :math:`\mathrm{MSU}(t)` are the minimal sample uniques that row :math:`t` contains
    (the minimal infrequent itemsets with :math:`\theta = 1`) and :math:`M` is the number of
    ``columns``.

    Parameters
    ----------
    table : Table or frame
        What to measure. A missing cell is a value of its own.
    columns : iterable of str, optional
        The columns an attacker may know, 1 to 170; the quasi-identifiers by default.
    max_size : int, optional
        Only combinations of at most so many values, at least 1; any number by default.
    sampling_rate : float, optional
        Share of the population that the table holds, above 0 and at most 1; then DIS-SUDA
        scores are returned as well (see :func:`~discreet.assess.dis.dis_suda`).
    n_shown : int, default 10
        How many of the most dangerous combinations to keep.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Uniqueness
        The unique rows, their scores, and the columns and values the risk goes through.

    Notes
    -----
    Guarantee: none, this is a measure. The product is the paper's with its largest size set
    to :math:`M - 1`, whatever ``max_size``: a smaller one would divide all scores by the same
    number. A table of one row has no combination (the empty one is unique already): the row
    is counted as unique, with score 0. Time beyond the mining as in
    :func:`~discreet.assess.covers.covered_rows`.

    References
    ----------
    M. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane (2005), SUDA: a program for detecting
    special uniques; A. Manning, D. Haglin, J. Keane (2008), A recursive search algorithm for
    statistical disclosure assessment (SUDA2).

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    >>> found = uniqueness(people)
    >>> found.row_scores().tolist(), found.column_rates
    ([2.0, 4.0, 2.0], (('a', 0.5), ('b', 0.375), ('c', 0.375)))
    """
    data = as_table(table)
    known = quasi_columns(data, columns)
    _check(len(known), sampling_rate)
    database = Database.from_table(data, columns=known, **limits)
    found = minimal_infrequent(database, theta=1, max_size=max_size, **limits)

    cells = database.items.reshape(database.n_transactions, len(known))
    alone = database.weights == 1
    unique = cells[alone]
    covered = np.empty(len(found), np.int64)  # each is contained in one row: theta is 1
    for which, row in covered_rows(found, unique, database.column_of):
        covered[which] = row
    weight = _weights(found.sizes, len(known))
    scores = np.zeros(len(unique))
    np.add.at(scores, covered, weight)
    parts = _contributions(found.sizes, covered, weight, database.column_of[found.items], unique)
    smallest = np.full(len(unique), len(known) + 1)
    np.minimum.at(smallest, covered, found.sizes)
    smallest[smallest > len(known)] = 0

    # Distinct rows come in the order of the table, so the unique ones do too.
    assert database.group_of is not None
    rows = np.flatnonzero(alone[database.group_of])
    of_file = None
    if sampling_rate is not None:
        paired = int(2 * np.sum(database.weights == 2))
        of_file = dis_rate(len(rows), paired, sampling_rate=sampling_rate)
    total = float(scores.sum()) or 1.0
    values = np.bincount(unique.ravel(), weights=parts.ravel(), minlength=database.n_items) / total
    ranked = np.argsort(-values, kind="stable")
    return Uniqueness(
        columns=known,
        n_rows=data.n_rows,
        n_special=int(np.sum((smallest > 0) & (smallest < len(known)))),
        n_combinations_by_size=tuple(np.bincount(found.sizes, minlength=1).tolist()),
        rows=rows,
        scores=scores,
        dis_scores=(
            None if of_file is None else dis_suda(scores, n_columns=len(known), file_rate=of_file)
        ),
        n_combinations=np.bincount(covered, minlength=len(unique)),
        smallest=smallest,
        contributions=parts,
        column_rates=tuple(zip(known, (parts.sum(axis=0) / total).tolist(), strict=True)),
        value_rates=tuple(
            (str(database.labels[item]), float(values[item])) for item in ranked if values[item]
        ),
        dis_rate=of_file,
        combinations=most_dangerous(found, database, n_shown),
        max_size=max_size,
    )


def _weights(sizes: NDArray[np.int64], n_columns: int) -> NDArray[np.float64]:
    """Return (M - m)! for each size m."""
    factorials = np.array([float(math.factorial(n_columns - m)) for m in range(n_columns + 1)])
    return factorials[sizes]


def _contributions(
    sizes: NDArray[np.int64],
    covered: NDArray[np.int64],
    weight: NDArray[np.float64],
    column: NDArray[np.int32],
    unique: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return the part of each unique row's score that goes through each column."""
    cell = np.repeat(covered, sizes) * unique.shape[1] + column
    parts = np.zeros(unique.size)
    np.add.at(parts, cell, np.repeat(weight, sizes))
    return parts.reshape(unique.shape)


def _check(n_columns: int, sampling_rate: float | None) -> None:
    if n_columns > MAX_COLUMNS:
        raise ParameterError(
            f"{n_columns} columns are too many for SUDA scores: choose at most {MAX_COLUMNS}."
        )
    if sampling_rate is not None:
        exponent(n_columns)
        dis_rate(0, 0, sampling_rate=sampling_rate)
