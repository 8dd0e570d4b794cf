"""How far off measured counts will be under central trust, told before anything is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.release.exact import shown
from discreet.result import Preview, Result
from discreet.synthesize.marginal_budget import marginal_parts
from discreet.synthesize.measured import SHARES
from discreet.synthesize.parameters import exact_delta, exact_epsilon, whole
from discreet.synthesize.spending import Spending

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

NOT_MEASURED = (
    "Three values together are not measured: their support follows from the pairs, and how far "
    "off it is depends on the data."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedPairErrors(Result):
    """Standard errors of measured supports, as shares of the rows.

    Attributes
    ----------
    value_error : float
        Of the support of one value, by the noise on the counts of its column alone, in the
        column of fewest values, where it is largest.
    pair_error : float or None
        Of the support of two values together if all pairs were measured, root mean square
        over all cells of all pairs; None if there is one column only.
    epsilon, delta : Fraction
        The budget of a row.
    n_rows : int
        Number of rows.
    frequency : float
        The share of rows that should still be told from none.
    """

    value_error: float
    pair_error: float | None
    epsilon: Fraction
    delta: Fraction
    n_rows: int
    frequency: float

    @property
    def is_noise(self) -> bool:
        """Whether two standard errors reach the frequency asked for."""
        return 2 * max(self.value_error, self.pair_error or 0.0) >= self.frequency

    @property
    def sentence(self) -> str:
        """What to expect, in plain words."""
        budget = f"epsilon {shown('epsilon', self.epsilon)}"
        budget += f" and delta {shown('delta', self.delta)}" if self.delta else ""
        text = (
            f"With {budget} and {self.n_rows:,} rows, the support of one value is measured to "
            f"{self.value_error:.2%} of the rows or better"
        )
        if self.pair_error is not None:
            text += f", that of two values together, if all pairs are, to {self.pair_error:.2%}"
        if self.is_noise:
            return (
                f"{text}: what is true of {self.frequency:.2%} of them cannot be told from what is "
                "true of none. The answer will be noise; take fewer columns, fewer values, more "
                "rows or a larger epsilon."
            )
        return f"{text}. {NOT_MEASURED}" if self.pair_error is not None else f"{text}."

    def preview(self) -> Preview:
        """Return one row for each size."""
        pair = "no pair" if self.pair_error is None else f"{self.pair_error:.4%}"
        rows = [
            ("one value", f"{self.value_error:.4%}"),
            ("two values together", pair),
            ("three values together", "not measured"),
        ]
        return Preview(title=self.sentence, header=("support of", "standard error"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the errors, whether they are noise, and the sentence."""
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "n_rows": self.n_rows,
            "frequency": self.frequency,
            "value_error": self.value_error,
            "pair_error": self.pair_error,
            "is_noise": self.is_noise,
            "sentence": self.sentence,
        }


def expected_pair_errors(
    sizes: Mapping[str, int] | Table,
    *,
    epsilon: Fraction | float,
    delta: Fraction | float = 0,
    n_rows: int | None = None,
    frequency: float = 0.1,
) -> ExpectedPairErrors:
    r"""Return how far off supports of one and two values will be, before anything is spent.

    .. math:: \mathrm{error}_1 = \max_j \frac{\sigma(0.2 B w_j)}{n}, \qquad
        \mathrm{error}_2^2 = \frac{\sum_i c_i \, \sigma(0.7 B w_i)^2}{n^2 \sum_i c_i}

    where :math:`B` is the budget, :math:`\sigma(b)` the standard deviation of the noise that a
    count gets for :math:`b`, :math:`c_i` the number of cells of pair :math:`i`, and :math:`w` the
    part of a column or pair (see :func:`~discreet.synthesize.marginal_budget.marginal_parts`).

    Parameters
    ----------
    sizes : mapping of str to int, or Table
        Number of values of each column; of a table, its columns that are not identifying.
    epsilon, delta : Fraction or float
        The budget, as in :class:`~discreet.synthesize.KrimpSynthesizer`.
    n_rows : int, optional
        Number of rows, at least 1; of a table, its own.
    frequency : float
        The share of rows that should be told from none, above 0 and at most 1; it decides what
        is called noise.

    Returns
    -------
    ExpectedPairErrors
        Of the counts as they are measured.

    Raises
    ------
    ParameterError
        If a number is out of its range, or no column has two values.

    Notes
    -----
    No property of the table but its size and its lists of values is used. If fewer pairs are
    chosen, each is measured better, and the others are taken as independent, which is an error
    of its own. Making marginals agree afterwards lowers errors a little.

    Examples
    --------
    >>> expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, delta=1e-9, n_rows=100).sentence
    'With epsilon 1 and delta 1e-9 and 100 rows, the support of one value is measured to 21.78% of
    the rows or better, that of two values together, if all pairs are, to 6.91%: what is true of
    10.00% of them cannot be told from what is true of none. The answer will be noise; take fewer
    columns, fewer values, more rows or a larger epsilon.'
    """
    if isinstance(sizes, Table):
        n_rows = sizes.n_rows if n_rows is None else n_rows
        names = [name for name in sizes.columns if name not in sizes.identifying]
        sizes = {name: len(sizes.values(name)) for name in names}
    n = whole("n_rows", n_rows, least=1)
    if not 0 < frequency <= 1:
        raise ParameterError(f"frequency={frequency} must be above 0 and at most 1.")
    loss, slack = exact_epsilon(epsilon), exact_delta(delta)
    varied = [size for size in sizes.values() if size > 1]
    if not varied:
        raise ParameterError("No column has two values or more; there is nothing to measure.")
    budget = Spending.of(epsilon=loss, delta=slack, noise=noise_from(None))
    cells = [a * b for a, b in combinations(varied, 2)]
    share = budget.total * (SHARES["values"] if cells else 1)
    least = min(marginal_parts(varied, budget.law))
    return ExpectedPairErrors(
        value_error=math.sqrt(budget.variance(share * least)) / n,
        pair_error=_pair_error(cells, budget) / n if cells else None,
        epsilon=loss,
        delta=slack,
        n_rows=n,
        frequency=frequency,
    )


def _pair_error(cells: list[int], budget: Spending) -> float:
    """Return the root mean square of the noise on a cell if all pairs are measured, in rows."""
    share, parts = budget.total * SHARES["pairs"], marginal_parts(cells, budget.law)
    squares = (n * budget.variance(share * part) for n, part in zip(cells, parts, strict=True))
    return math.sqrt(sum(squares) / sum(cells))
