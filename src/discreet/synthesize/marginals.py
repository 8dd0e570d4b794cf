"""Counts of single values and of pairs of values, with noise and its variance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.synthesize.budget import POWERS, marginal_parts, marginal_weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.release.event import Event
    from discreet.result import Result
    from discreet.synthesize.budget import Law, Spending


# Of the budget, for the three rounds of measuring; set by trials on public tables.
SHARES = {"values": Fraction(20, 100), "dependence": Fraction(10, 100), "pairs": Fraction(70, 100)}

# Where values are selected first, which is paid from what values get: rows of values that are not
# listed are a larger error than noise.
SELECTED = {
    "values": Fraction(40, 100), "dependence": Fraction(10, 100), "pairs": Fraction(50, 100),
}  # fmt: skip


def shares_of(spending: Spending) -> dict[str, Fraction]:
    """Return which parts of a budget the rounds of measuring get, the selection of values too."""
    return SELECTED if spending.selection else SHARES


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Marginal:
    """Noisy counts of one column or of a pair of them.

    Attributes
    ----------
    columns : tuple of int
        The numbers of its columns, rising.
    counts : array of float
        One axis for each column; any sign.
    variance : float
        Of the noise on one count.
    """

    columns: tuple[int, ...]
    counts: NDArray[np.float64]
    variance: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Measured:
    """All that was measured of a table.

    Attributes
    ----------
    marginals : list of Marginal
        Of columns, then of pairs of them.
    dependences : dict
        For every pair of columns the most that it is likely to depend, in rows: what was
        measured, at least 0, and a standard deviation of its noise.
    """

    marginals: list[Marginal]
    dependences: dict[tuple[int, int], float]


def values_budget(spending: Spending, *, has_pairs: bool) -> Fraction:
    """Return what the counts of single columns may cost, less what their values cost before."""
    share = shares_of(spending)["values"] if has_pairs else 1
    return spending.total * share - spending.selection


def varied_columns(sizes: Sequence[int]) -> list[int]:
    """Return the columns to measure: those of two values or more."""
    # If no column varies, the first is measured all the same: it gives the number of rows.
    return [j for j, size in enumerate(sizes) if size > 1] or [0]


def measure_values(
    codes: Sequence[NDArray[np.int64]],
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    spending: Spending,
) -> list[Marginal]:
    """Return the counts of the values of every column; see :func:`measure_pairs`."""
    varied = varied_columns(sizes)
    budget = values_budget(spending, has_pairs=len(varied) > 1)
    parts = marginal_parts([sizes[j] for j in varied], spending.law)
    table = _Counted(codes=codes, names=names, sizes=sizes, spending=spending)
    return [table.measured((j,), budget * part) for j, part in zip(varied, parts, strict=True)]


def measure_marginals(
    codes: Sequence[NDArray[np.int64]],
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    spending: Spending,
) -> Measured:
    """Return single columns by :func:`measure_values`, then pairs by :func:`measure_pairs`."""
    found = measure_values(codes, names=names, sizes=sizes, spending=spending)
    return measure_pairs(codes, names=names, sizes=sizes, spending=spending, found=found)


def measure_pairs(
    codes: Sequence[NDArray[np.int64]],
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    spending: Spending,
    found: Sequence[Marginal],
) -> Measured:
    """Return the marginals worth knowing, measured with a budget that is spent wholly.

    First the counts of the values of every column, by :func:`measure_values`, then the dependence
    of every pair of columns, then the counts of the pairs that are chosen by it. Marginals of more
    cells get more.

    Parameters
    ----------
    codes : sequence of array of int64
        The columns; a cell below 0 is counted nowhere.
    names : sequence of str
        Their names, for the account.
    sizes : sequence of int
        Their numbers of values.
    spending : Spending
        The budget. Every measured quantity is entered.
    found : sequence of Marginal
        The counts of single columns.

    Returns
    -------
    Measured
        Marginals of all columns of two values or more, then of pairs of them, and dependences. A
        column of one value is known, but for the number of rows.

    Notes
    -----
    **Guarantee.** Differential privacy for adding or removing one row, at the cost entered: a row
    changes one count of each marginal by 1, and each dependence by at most 4. Which pairs are
    chosen depends on noisy dependences only.
    """
    pairs = list(combinations(varied_columns(sizes), 2))
    if not pairs:
        return Measured(marginals=list(found), dependences={})
    table = _Counted(codes=codes, names=names, sizes=sizes, spending=spending)
    true = np.array([pair_dependence(*_in_both(codes[a], codes[b])) for a, b in pairs], np.int64)
    noisy, entry = spending.measure(
        "dependence of each pair of columns", true,
        cost=spending.total * shares_of(spending)["dependence"],
        most=MOST_CHANGE, n_changed=len(pairs),
    )  # fmt: skip
    cells = [sizes[a] * sizes[b] for a, b in pairs]
    budget = spending.total * shares_of(spending)["pairs"]
    # Mean absolute value of a Gaussian of this variance.
    unit = float(np.sqrt(2 / np.pi * spending.variance(budget)))
    chosen = choose_pairs(noisy.tolist(), cells, law=spending.law, unit=unit)
    parts = marginal_parts([cells[place] for place in chosen], spending.law)
    of_pairs = [
        table.measured(pairs[place], budget * part)
        for place, part in zip(chosen, parts, strict=True)
    ]
    # One standard deviation on top: pairs that were not measured are later kept below this, and
    # noise alone should not make them independent.
    likely = np.maximum(noisy, 0) + np.sqrt(entry.variance)
    return Measured(
        marginals=[*found, *of_pairs], dependences=dict(zip(pairs, likely.tolist(), strict=True))
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Counted:
    """The columns that are counted, and the budget for it."""

    codes: Sequence[NDArray[np.int64]]
    names: Sequence[str]
    sizes: Sequence[int]
    spending: Spending

    def measured(self, columns: tuple[int, ...], cost: Fraction) -> Marginal:
        of = tuple(self.names[j] for j in columns)
        counts = true_counts(self.codes, columns, self.sizes)
        noisy, entry = self.spending.measure(
            f"counts of {' and '.join(of)}", counts, cost=cost, columns=of
        )
        return Marginal(columns=columns, counts=noisy.astype(float), variance=entry.variance)


def _in_both(
    first: NDArray[np.int64], second: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return two columns without the rows in which one of them is counted nowhere."""
    both = (first >= 0) & (second >= 0)
    return first[both], second[both]


def true_counts(
    codes: Sequence[NDArray[np.int64]], columns: Sequence[int], sizes: Sequence[int]
) -> NDArray[np.int64]:
    """Return how many rows have each combination of values; none is of a code below 0."""
    shape = tuple(sizes[j] for j in columns)
    counted = np.all([codes[j] >= 0 for j in columns], axis=0)
    places = np.ravel_multi_index([codes[j][counted] for j in columns], shape)
    return np.bincount(places, minlength=int(np.prod(shape))).reshape(shape)


# Which pairs of columns are worth measuring: dependence against noise.

MOST_CHANGE = 4  # of a dependence, by one row

SHRUNK = 0.4  # share of the noise that is left when marginals are made to agree


def pair_dependence(first: NDArray[np.int64], second: NDArray[np.int64]) -> int:
    r"""Return how far a pair of columns is from independent, in rows, rounded down.

    .. math:: \left\lfloor \sum_{a,b} \left| n_{ab} - \frac{n_a n_b}{n} \right| \right\rfloor

    One row more or less changes it by at most 4: the pair's own count by 1, the products by less
    than 3 in all; and rounding down keeps whole bounds.

    Parameters
    ----------
    first, second : array of int64
        The codes of the columns.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn: differentially private data synthesis, lemma 2.

    Examples
    --------
    >>> pair_dependence(np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))
    4
    """
    n = len(first)
    if n == 0:
        return 0
    width = int(second.max()) + 1
    pairs = np.bincount(first * width + second, minlength=(int(first.max()) + 1) * width)
    # n times the distances are whole numbers, so that the floor is exact: floors of floats could
    # differ by more than the sensitivity. Products of counts fit 64 bits up to 2**30 rows.
    table = pairs.reshape(-1, width).astype(object if n > 2**30 else np.int64)
    products = np.outer(table.sum(1), table.sum(0))
    return int(np.abs(n * table - products).sum()) // n


def choose_pairs(
    dependences: Sequence[int], n_cells: Sequence[int], *, law: Law, unit: float
) -> list[int]:
    r"""Return the places of the pairs to measure, most dependent for their size first.

    With the budget shared as by :func:`~discreet.synthesize.budget.marginal_weights` the
    noise of all chosen pairs together is

    .. math:: u \Bigl(\sum_{i \text{ chosen}} w_i\Bigr)^{p}, \qquad
        p = \tfrac32 \text{ (Gaussian) or } 2 \text{ (Laplace)}

    and a pair that is not chosen is off by its dependence. Pairs are taken in the order of
    dependence by weight as long as the sum of both falls.

    Parameters
    ----------
    dependences : sequence of int
        Of each pair, noisy: see :func:`pair_dependence`.
    n_cells : sequence of int
        Number of cells of each pair's table.
    law : {"gaussian", "laplace"}
        Of the noise.
    unit : float
        The mean size of noise, in rows, of a pair of weight 1 that gets the whole budget.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn, algorithm 1, where each step tries every pair.

    Examples
    --------
    >>> choose_pairs([500, 3, 90], [4, 4, 40], law="gaussian", unit=1.0)
    [0, 2]
    """
    weights = marginal_weights(n_cells, law)
    gains = np.maximum(np.asarray(dependences, float), 0)
    order = np.argsort(-gains / weights, kind="stable")
    # errors[i]: the noise of the first i pairs in this order, and the dependence of all others.
    power = 1 / POWERS[law]
    noise = SHRUNK * unit * np.cumsum(weights[order]) ** power
    errors = (
        np.concatenate([[0.0], noise])
        + gains.sum()
        - np.concatenate([[0.0], np.cumsum(gains[order])])
    )
    return [int(place) for place in order[: int(np.argmin(errors))]]


# Whether the noise that a budget asks for can be drawn, checked before anything is measured.


def check_noise(sizes: Sequence[int], spending: Spending) -> None:
    """Raise ParameterError if epsilon is too little to measure columns and all their pairs.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of values of the columns.
    spending : Spending
        The budget, of which nothing is spent.

    Raises
    ------
    ParameterError
        If noise would be larger than can be drawn.

    Notes
    -----
    Marginals of the fewest cells get the least of the budget, so that only they are looked at.
    """
    varied = [size for size in sizes if size > 1]
    pairs = [a * b for a, b in combinations(varied, 2)]
    total, shares = spending.total, shares_of(spending)
    if varied:
        share = values_budget(spending, has_pairs=bool(pairs))
        spending.variance(share * min(marginal_parts(varied, spending.law)))
    if pairs:
        spending.variance(total * shares["dependence"], most=MOST_CHANGE, n_changed=len(pairs))
        spending.variance(total * shares["pairs"] * min(marginal_parts(pairs, spending.law)))


# Whether columns have few enough values, checked before anything is spent.

MAX_VALUES = 1_500  # of all columns: layers of weights grow with its square

N_NAMED = 3  # of the columns of most values, where there are too many


def count_values(domain: Mapping[str, tuple[Label, ...]]) -> int:
    """Return the number of values of all columns, or raise LimitError if layers are too large.

    Examples
    --------
    >>> count_values({"sex": ("f", "m"), "age": (30, 40, 50)})
    5
    """
    n_values = sum(map(len, domain.values()))
    if n_values > MAX_VALUES:
        raise LimitError(
            f"The columns have {n_values:,} values in all, over {MAX_VALUES:,}: {_widest(domain)}.",
            remedy=(
                "Choose others by {columns}, give these the role identifying, cut "
                "numbers into bins, or generalize values."
            ),
            options={"columns": ...},
        )
    return n_values


def _widest(domain: Mapping[str, tuple[Label, ...]]) -> str:
    """Return the columns of most values in words."""
    widest = sorted(domain, key=lambda name: -len(domain[name]))[:N_NAMED]
    return ", ".join(f"'{name}' has {len(domain[name]):,}" for name in widest)


# Noisy marginals made to agree: one number of rows, no negative counts, equal sums.

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Learnt:
    """What was learnt from a table and what that cost, whoever is trusted with it.

    Attributes
    ----------
    agreed : Agreed
        The shares.
    events : tuple of Event
        Every quantity that was measured, or every column that was randomized.
    spent : Fraction
        Rho or epsilon, of the selection of values too.
    cells : Sanitized or None
        The randomized cells it was learnt from, with local trust.
    """

    agreed: Agreed
    events: tuple[Event, ...]
    spent: Fraction
    cells: Result | None = None


def reconcile(
    marginals: Sequence[Marginal],
    *,
    sizes: Sequence[int],
    dependences: Mapping[tuple[int, int], float] | None = None,
) -> Agreed:
    r"""Return shares that agree, from noisy counts of columns and pairs.

    The number of rows, and then the counts of each column, are means of all marginals that hold
    them, weighted by 1 / variance; a sum of m counts has m times the variance. A pair whose
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
    >>> from discreet.synthesize.marginals import Marginal
    >>> one = Marginal(columns=(0,), counts=np.array([6.0, 3.0, -1.0]), variance=1.0)
    >>> reconcile([one], sizes=[3]).values[0].tolist()
    [0.6875, 0.3125, 0.0]
    """
    # Noise can bring the number of rows to 0 or below; everything later divides by it.
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
    # Projections in turn only come near to the sums; this last step meets them.
    return _filled_up(table, rows, columns)


def _mean(estimates: Sequence[tuple[float, float]]) -> float:
    """Return the mean of (estimate, variance) with the least variance."""
    # Of all means of independent estimates, the one by inverse variances varies least.
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
        # Each of these counts is a sum of so many noisy ones.
        estimates.append((counts, marginal.variance * marginal.counts.size / size))
    if not estimates:
        return np.full(size, n_rows / size)
    weights = [1 / variance for _, variance in estimates]
    found: NDArray[np.float64] = np.average([c for c, _ in estimates], axis=0, weights=weights)
    return found


def _not_negative(counts: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Return the nearest counts, in least squares, that are not negative and have the total."""
    # Projection onto the simplex: J. Duchi et al. (2008), Efficient projections onto the l1-ball,
    # figure 1. One level is taken from all counts, and what falls below 0 is cut off.
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
    # Moved first: a pair and its columns also disagree in sums, by noise, which is no dependence.
    apart = _moved(pair.counts, rows, columns) - products
    squares, freedom = float((apart**2).sum()), (len(rows) - 1) * (len(columns) - 1)
    by_noise = freedom * pair.variance
    # Of independent columns, squares / variance is about chi-squared with f degrees of freedom:
    # mean f, standard deviation sqrt(2 f). Beyond CLEAR of these the dependence is real.
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
