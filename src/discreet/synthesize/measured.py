"""Counts of single values and of pairs of values, with noise and its variance."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.synthesize.choose_pairs import MOST_CHANGE, choose_pairs, pair_dependence
from discreet.synthesize.marginal_budget import marginal_parts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.synthesize.spending import Spending

SHARES = {"values": Fraction(20, 100), "dependence": Fraction(10, 100), "pairs": Fraction(70, 100)}


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


def measure_marginals(
    codes: Sequence[NDArray[np.int64]],
    *,
    names: Sequence[str],
    sizes: Sequence[int],
    spending: Spending,
) -> Measured:
    """Return the marginals worth knowing, measured with a budget that is spent wholly.

    First the counts of the values of every column, then the dependence of every pair of columns,
    then the counts of the pairs that are chosen by it. Marginals of more cells get more.

    Parameters
    ----------
    codes : sequence of array of int64
        The columns.
    names : sequence of str
        Their names, for the account.
    sizes : sequence of int
        Their numbers of values.
    spending : Spending
        The budget. Every measured quantity is entered.

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
    varied = [j for j, size in enumerate(sizes) if size > 1] or [0]
    pairs = list(combinations(varied, 2))

    def measured(columns: tuple[int, ...], cost: Fraction) -> Marginal:
        of = tuple(names[j] for j in columns)
        counts = true_counts(codes, columns, sizes)
        noisy, entry = spending.measure(
            f"counts of {' and '.join(of)}", counts, cost=cost, columns=of
        )
        return Marginal(columns=columns, counts=noisy.astype(float), variance=entry.variance)

    budget = spending.total * (SHARES["values"] if pairs else 1)
    parts = marginal_parts([sizes[j] for j in varied], spending.law)
    found = [measured((j,), budget * part) for j, part in zip(varied, parts, strict=True)]
    if not pairs:
        return Measured(marginals=found, dependences={})
    true = np.array([pair_dependence(codes[a], codes[b]) for a, b in pairs], np.int64)
    noisy, entry = spending.measure(
        "dependence of each pair of columns", true, cost=spending.total * SHARES["dependence"],
        most=MOST_CHANGE, n_changed=len(pairs),
    )  # fmt: skip
    cells = [sizes[a] * sizes[b] for a, b in pairs]
    budget = spending.total * SHARES["pairs"]
    unit = float(np.sqrt(2 / np.pi * spending.variance(budget)))
    chosen = choose_pairs(noisy.tolist(), cells, law=spending.law, unit=unit)
    parts = marginal_parts([cells[place] for place in chosen], spending.law)
    for place, part in zip(chosen, parts, strict=True):
        found.append(measured(pairs[place], budget * part))
    likely = np.maximum(noisy, 0) + np.sqrt(entry.variance)
    return Measured(marginals=found, dependences=dict(zip(pairs, likely.tolist(), strict=True)))


def true_counts(
    codes: Sequence[NDArray[np.int64]], columns: Sequence[int], sizes: Sequence[int]
) -> NDArray[np.int64]:
    """Return how many rows have each combination of values of some columns."""
    shape = tuple(sizes[j] for j in columns)
    places = np.ravel_multi_index([codes[j] for j in columns], shape)
    return np.bincount(places, minlength=int(np.prod(shape))).reshape(shape)
