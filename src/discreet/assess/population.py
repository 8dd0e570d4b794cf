"""How many people of the population share a row's values: counted, or estimated.

A row that is alone in a sample need not be alone in the population it was drawn from. With the
population at hand its classes are counted; without it, the sampling rate tells what to expect.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column
    from discreet.data.table import Table

SMALL = 30  # class sizes up to which the recurrence is used; above, the series is short


def inverse_of_population(
    table: Table, classes: Classes, population: Table, columns: Sequence[str]
) -> NDArray[np.float64]:
    """Return 1 / F for each class of a table, F being its size in the population.

    Parameters
    ----------
    table : Table
        The sample.
    classes : Classes
        Its classes in ``columns``.
    population : Table
        Everybody, those in the table included, with the same values in ``columns``.
    columns : sequence of str
        Columns of both.

    Raises
    ------
    DataError
        If a class has fewer rows in the population than in the table.
    """
    n_everybody = population.n_rows
    codes = [
        np.concatenate(
            [population.codes(name), _codes_there(table.column(name), population.column(name))]
        )
        for name in columns
    ]
    joint = equal_codes(codes, n_everybody + table.n_rows)
    sizes = np.bincount(joint.class_of[:n_everybody], minlength=len(joint))
    there = sizes[joint.class_of[n_everybody + classes.first]]
    lacking = there < classes.sizes
    if lacking.any():
        n_rows = int(classes.sizes[lacking].sum())
        raise DataError(
            f"{n_rows:,} rows are in classes that have fewer rows in the population than in the "
            "table: the population must hold everybody in the table, with values in the same "
            "form (generalize both alike)."
        )
    return 1.0 / there


def expected_inverse(sizes: NDArray[np.int64], *, sampling_rate: float) -> NDArray[np.float64]:
    r"""Return the expected value of 1 / F for classes of these sizes in a random sample.

    .. math:: E[1/F \mid f] = \sum_{h \ge f} \frac1h \binom{h-1}{f-1} \pi^f (1-\pi)^{h-f}
        = \frac{\pi}{f} \sum_{n \ge 0} \frac{n!}{(f+1) \cdots (f+n)} (1-\pi)^n

    where :math:`f` is the size in the sample, :math:`F` that in the population and
    :math:`\pi` the sampling rate.

    Parameters
    ----------
    sizes : array of int
        Class sizes in the sample, at least 1.
    sampling_rate : float
        Share of the population in the sample, above 0 and at most 1.

    Notes
    -----
    Assumes simple random sampling and the negative binomial law of the reference. For a
    sample unique it is :math:`\pi \ln(1/\pi) / (1-\pi)`, more than the naive :math:`\pi / f`.
    It is an average, no bound, and too low where the population itself has many rare classes:
    for every tenth row of Adult, all 15 columns known, the mean is 0.10 and in truth 0.21. Count
    the population where it can be had.

    References
    ----------
    R. Benedetti, L. Franconi (1998), Statistical and technological solutions for controlled
    data dissemination: the individual risk of mu-Argus and sdcMicro.

    Examples
    --------
    >>> expected_inverse(np.array([1, 2, 10]), sampling_rate=0.1).round(4).tolist()
    [0.2558, 0.0827, 0.011]
    """
    if not 0 < sampling_rate <= 1:
        raise ParameterError(f"sampling_rate={sampling_rate} must be above 0 and at most 1.")
    distinct, where = np.unique(sizes, return_inverse=True)
    if sampling_rate > 0.5:
        return _series(distinct, sampling_rate)[where]
    inverse = np.empty(len(distinct))
    small = distinct <= SMALL
    inverse[small] = _recurrence(sampling_rate)[distinct[small] - 1]
    inverse[~small] = _series(distinct[~small], sampling_rate)
    return inverse[where]


def _series(sizes: NDArray[np.int64], sampling_rate: float) -> NDArray[np.float64]:
    """Sum the series; 100 terms are enough for sizes above 30 or rates above a half."""
    term = sampling_rate / sizes
    total = term.copy()
    for n in range(1, 101):
        term = term * (n / (sizes + n) * (1 - sampling_rate))
        total += term
    return total


def _recurrence(sampling_rate: float) -> NDArray[np.float64]:
    r"""Return the values for sizes 1 to 30, for rates up to a half.

    The sum is :math:`I_f = \int_0^1 y^{f-1} / (1 + a y) \, dy` with :math:`a = (1 - \pi)/\pi`,
    so that :math:`I_{f+1} = (1/f - I_f) / a`; errors shrink as long as :math:`a \ge 1`.
    """
    ratio = (1 - sampling_rate) / sampling_rate
    found = [math.log1p(ratio) / ratio]
    for size in range(1, SMALL):
        found.append((1 / size - found[-1]) / ratio)
    return np.array(found)


def _codes_there(here: Column, there: Column) -> NDArray[np.int64]:
    """Return a column's codes in terms of another column, new ones for values it lacks."""
    code_of = {(type(value), value): code for code, value in enumerate(there.values)}
    new = [
        code_of.get((type(value), value), len(there.values) + place)
        for place, value in enumerate(here.values)
    ]
    return np.array(new, np.int64)[here.codes]
