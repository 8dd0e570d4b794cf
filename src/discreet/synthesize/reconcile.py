"""Noisy marginals made to agree: one number of rows, no negative counts, equal sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.synthesize.measured import Marginal

ROUNDS = 30
CLEAR = 2.0  # standard deviations by which squared distances from independence are above noise
LEAST = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Agreed:
    """Shares of rows that agree with each other.

    Attributes
    ----------
    n_rows : float
        The estimated number of rows, at least 1.
    values : tuple of array
        For each column the shares of its values.
    pairs : dict
        For each measured pair of columns, numbers rising, the table of shares.
    errors : dict
        For each of them the standard error of a share before anything was made to agree.
    dependences : dict
        For pairs, the most that they are likely to depend: the sum of the distances of shares
        from independence. Empty if that was not measured.
    """

    n_rows: float
    values: tuple[NDArray[np.float64], ...]
    pairs: dict[tuple[int, int], NDArray[np.float64]]
    errors: dict[tuple[int, int], float]
    dependences: dict[tuple[int, int], float]


def reconcile(
    marginals: Sequence[Marginal],
    *,
    sizes: Sequence[int],
    dependences: Mapping[tuple[int, int], float] | None = None,
) -> Agreed:
    r"""Return shares that agree, from noisy counts of columns and pairs.

    The number of rows, and then the counts of each column, are means of all marginals that tell
    of them, weighted by 1 / variance; a sum of m counts has m times the variance. A pair whose
    counts are no farther from independence than noise can take them is moved towards it,

    .. math:: E + \Bigl(1 - \frac{f \sigma^2}{|D|^2}\Bigr)_+ D \quad \text{if } |D|^2 \le
        \sigma^2 (f + 2 \sqrt{2 f})

    with :math:`E` the products of its columns' counts by rows, :math:`D` the distances from them,
    :math:`f` the degrees of freedom and :math:`\sigma^2` the variance. Every pair is then moved to
    the counts of its columns, in turns with cutting off negative counts and taking the same from
    all others; the little that is then still missing from a sum is spread in proportion.

    Parameters
    ----------
    marginals : sequence of Marginal
        At least one.
    sizes : sequence of int
        The number of values of each column; one without marginal is taken as uniform.
    dependences : mapping, optional
        Of pairs of columns, the most that they are likely to depend, in rows.

    Notes
    -----
    Post-processing: it costs nothing. Moving a table to given sums evenly is the nearest table in
    the sense of least squares. Noise of randomized cells is larger in these distances than in
    sums, so that with local trust fewer pairs are moved towards independence than could be.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn, section 4.3; W. Qardaji, W. Yang, N. Li (2014), PriView;
    W. James, C. Stein (1961), Estimation with quadratic loss, for moving towards independence;
    J. Altschuler, J. Weed, P. Rigollet (2017), Near-linear time approximation algorithms for
    optimal transport, algorithm 2, for the last step.

    Examples
    --------
    >>> from discreet.synthesize.measured import Marginal
    >>> one = Marginal(columns=(0,), counts=np.array([6.0, 3.0, -1.0]), variance=1.0)
    >>> reconcile([one], sizes=[3]).values[0].tolist()
    [0.6875, 0.3125, 0.0]
    """
    n_rows = max(1.0, _mean([(m.counts.sum(), m.variance * m.counts.size) for m in marginals]))
    values = tuple(
        _not_negative(_of_column(marginals, j, size, n_rows), n_rows)
        for j, size in enumerate(sizes)
    )
    pairs = {m.columns: m for m in marginals if len(m.columns) == 2}
    return Agreed(
        n_rows=n_rows,
        values=tuple(counts / n_rows for counts in values),
        pairs={
            (a, b): fit_sums(_towards_independence(m, values[a], values[b]), values[a], values[b])
            / n_rows
            for (a, b), m in pairs.items()
        },
        errors={(a, b): float(np.sqrt(m.variance)) / n_rows for (a, b), m in pairs.items()},
        dependences={pair: most / n_rows for pair, most in (dependences or {}).items()},
    )


def fit_sums(
    table: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a table near another with these sums of rows and columns, none negative."""
    total = float(rows.sum())
    for _ in range(ROUNDS):
        table = _not_negative(_moved(table, rows, columns), total)
    return _filled_up(table, rows, columns)


def _mean(estimates: Sequence[tuple[float, float]]) -> float:
    """Return the mean of (estimate, variance) with the least variance."""
    weights = [1 / variance for _, variance in estimates]
    return float(np.average([estimate for estimate, _ in estimates], weights=weights))


def _of_column(
    marginals: Sequence[Marginal], column: int, size: int, n_rows: float
) -> NDArray[np.float64]:
    estimates = []
    for marginal in marginals:
        if column not in marginal.columns:
            continue
        others = tuple(k for k, j in enumerate(marginal.columns) if j != column)
        counts = marginal.counts.sum(axis=others)
        estimates.append((counts, marginal.variance * marginal.counts.size / size))
    if not estimates:
        return np.full(size, n_rows / size)
    weights = [1 / variance for _, variance in estimates]
    found: NDArray[np.float64] = np.average([c for c, _ in estimates], axis=0, weights=weights)
    return found


def _not_negative(counts: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the nearest counts, in least squares, that are not negative and have the total."""
    counts = counts - counts.max()  # the same nearest ones, and no total lost to rounding
    falling = np.sort(counts.ravel())[::-1]
    levels = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    n_positive = int(np.flatnonzero(falling > levels)[-1]) + 1
    found: NDArray[np.float64] = np.maximum(counts - levels[n_positive - 1], 0)
    return found


def _towards_independence(
    pair: Marginal, rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the counts of a pair, nearer to independence if noise alone could be as far."""
    products: NDArray[np.float64] = np.outer(rows, columns) / rows.sum()
    apart = _moved(pair.counts, rows, columns) - products
    squares, freedom = float((apart**2).sum()), (len(rows) - 1) * (len(columns) - 1)
    by_noise = freedom * pair.variance
    if squares > by_noise * (1 + CLEAR * np.sqrt(2 / max(freedom, 1))):
        return pair.counts
    nearer: NDArray[np.float64] = products + max(0.0, 1 - by_noise / max(squares, LEAST)) * apart
    return nearer


def _moved(
    table: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the nearest table with these sums of rows and columns, in least squares."""
    table = table + ((rows - table.sum(1)) / len(columns))[:, None]
    moved: NDArray[np.float64] = table + ((columns - table.sum(0)) / len(rows))[None, :]
    return moved


def _filled_up(
    table: NDArray[np.float64], rows: NDArray[np.float64], columns: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a table with exactly these sums: what is above them is cut, the rest spread."""
    table = table * np.minimum(1, rows / np.maximum(table.sum(1), LEAST))[:, None]
    table = table * np.minimum(1, columns / np.maximum(table.sum(0), LEAST))[None, :]
    more_rows = np.maximum(rows - table.sum(1), 0)
    more_columns = np.maximum(columns - table.sum(0), 0)
    more: NDArray[np.float64] = np.outer(more_rows, more_columns) / max(more_rows.sum(), LEAST)
    return table + more
