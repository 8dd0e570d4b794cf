"""How far off measured counts will be under central trust, told before anything is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.release.exact import shown, whole
from discreet.result import Preview, Result
from discreet.synthesize.check_noise import check_noise
from discreet.synthesize.column_errors import (
    N_NAMED,
    are_mostly_lost,
    lost_columns,
    lost_sentence,
    percent,
)
from discreet.synthesize.marginal_budget import marginal_parts
from discreet.synthesize.measured import SHARES
from discreet.synthesize.parameters import exact_delta, exact_epsilon
from discreet.synthesize.spending import Spending

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from discreet.synthesize.column_errors import ColumnErrors

NOT_IN_PAIRS = (
    "What pairs do not tell of three values comes on top, and how much that is depends on the data."
)


WILL_BE_NOISE = (
    "The answer will be noise; take fewer columns, fewer values, more rows or a larger epsilon."
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
    triple_error : float or None
        Of the support of three values together, which follows from their pairs: at most this by
        the noise on the pairs, likewise; what pairs do not tell of three values comes on top.
        None if there are fewer than three columns.
    column_errors : tuple of (str, float)
        For each column of two values or more, at most how far all shares of its values are off
        together: the total variation by the noise on its counts alone.
    epsilon, delta : Fraction
        The budget of a row.
    n_rows : int
        Number of rows.
    frequency : float
        The share of rows that should still be told from none.
    """

    value_error: float
    pair_error: float | None
    triple_error: float | None
    column_errors: ColumnErrors
    epsilon: Fraction
    delta: Fraction
    n_rows: int
    frequency: float

    @property
    def lost(self) -> tuple[str, ...]:
        """Columns whose values are lost in noise: shares off by more than 25 % of the rows."""
        return tuple(name for name, _ in lost_columns(self.column_errors))

    @property
    def is_noise(self) -> bool:
        """Whether two standard errors reach the frequency, or half of the columns are lost."""
        return self._hides_frequency or are_mostly_lost(self.column_errors)

    @property
    def _hides_frequency(self) -> bool:
        return 2 * max(self.value_error, self.pair_error or 0.0) >= self.frequency

    @property
    def sentence(self) -> str:
        """What to expect, in plain words."""
        budget = f"epsilon {shown('epsilon', self.epsilon)}"
        budget += f" and delta {shown('delta', self.delta)}" if self.delta else ""
        text = (
            f"With {budget} and {self.n_rows:,} rows, the support of one value is measured to "
            f"{percent(self.value_error)} of the rows"
        )
        text += " or better" if self.value_error <= 1 else ""
        if self.pair_error is not None:
            text += (
                f", that of two values together, if all pairs are, to {percent(self.pair_error)}"
            )
        if self.triple_error is not None:
            text += f", and three follow from their pairs to {percent(self.triple_error)}"
        if self._hides_frequency:
            text += (
                f": what is true of {self.frequency:.2%} of them cannot be told from what is true "
                "of none"
            )
        sentences = [f"{text}.", lost_sentence(self.column_errors)]
        if self.is_noise:
            sentences.append(WILL_BE_NOISE)
        elif self.triple_error is not None:
            sentences.append(NOT_IN_PAIRS)
        return " ".join(filter(None, sentences))

    def preview(self) -> Preview:
        """Return one row for each size, and for the columns that are lost in noise."""
        pair = "no pair" if self.pair_error is None else f"{self.pair_error:.4%}"
        triple = "-" if self.triple_error is None else f"{self.triple_error:.4%}"
        rows = [
            ("one value", f"{self.value_error:.4%}"),
            ("two values together", pair),
            ("three values together, by their pairs", triple),
        ]
        lost = lost_columns(self.column_errors)[:N_NAMED]
        rows += [(f"'{name}', lost: all values in total", f"{error:.4%}") for name, error in lost]
        return Preview(title=self.sentence, header=("support of", "off by"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the errors, whether they are noise, and the sentence."""
        return {
            "epsilon": str(self.epsilon),
            "delta": str(self.delta),
            "n_rows": self.n_rows,
            "frequency": self.frequency,
            "value_error": self.value_error,
            "pair_error": self.pair_error,
            "triple_error": self.triple_error,
            "column_errors": dict(self.column_errors),
            "lost": list(self.lost),
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
    r"""Return how far off supports of one to three values will be, before anything is spent.

    .. math:: \mathrm{error}_1 = \max_j \frac{\sigma(0.2 B w_j)}{n}, \qquad
        \mathrm{error}_2^2 = \frac{\sum_{j<l} m_j m_l \, \sigma_{jl}^2}{n^2 \sum_{j<l} m_j m_l},
        \qquad \mathrm{column}_j = \min\Bigl(1, \frac{m_j \, \mu(0.2 B w_j)}{2 n}\Bigr)

    .. math:: \mathrm{error}_3^2 = \frac{\sum_{j<l<r} m_j m_l m_r (\sigma_{jl}^2 / m_r^2 +
        \sigma_{jr}^2 / m_l^2 + \sigma_{lr}^2 / m_j^2)}{n^2 \sum_{j<l<r} m_j m_l m_r}

    where :math:`B` is the budget, :math:`\sigma(b)` the standard deviation of the noise that a
    count gets for :math:`b` and :math:`\mu(b)` its mean absolute value, :math:`m_j` the number of
    values of column :math:`j`, :math:`\sigma_{jl} = \sigma(0.7 B w_{jl})`, and :math:`w` the part
    of a column or pair (see :func:`~discreet.synthesize.marginal_budget.marginal_parts`).

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
        If a number is out of its range, epsilon so little that its noise cannot be drawn, or no
        column has two values.

    Notes
    -----
    No property of the table but its size and its lists of values is used. If fewer pairs are
    chosen, each is measured better, and the others are taken as independent, which is an error
    of its own. Making marginals agree afterwards lowers errors a little. Three values have the
    support that pairs hand on where all values are equally frequent: a pair's error is spread
    evenly over the values of the third column, and what two pairs both say of a column is counted
    twice, so that the error is rather less.

    The error of a column is an upper estimate: about that where its values are equally frequent
    and no pair of it is measured, less where negative counts are cut off or pairs tell of it too.
    A column is called lost above 25 % of the rows. All is called noise if half of the columns are
    lost, or if two standard errors of one or two values reach the frequency.

    Examples
    --------
    >>> expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, delta=1e-9, n_rows=100).sentence
    "With epsilon 1 and delta 1e-9 and 100 rows, the support of one value is measured to 21.78% of
    the rows or better, that of two values together, if all pairs are, to 6.91%: what is true of
    10.00% of them cannot be told from what is true of none. Lost in noise are the shares of
    the values of 'job' (off by up to 32% of the rows in all): leave such columns out or generalize
    them. The answer will be noise; take fewer columns, fewer values, more rows or a larger
    epsilon."
    """
    if isinstance(sizes, Table):
        n_rows = sizes.n_rows if n_rows is None else n_rows
        names = [name for name in sizes.columns if name not in sizes.identifying]
        sizes = {name: len(sizes.values(name)) for name in names}
    n = whole("n_rows", n_rows, least=1)
    if not 0 < frequency <= 1:
        raise ParameterError(f"frequency={frequency} must be above 0 and at most 1.")
    loss, slack = exact_epsilon(epsilon), exact_delta(delta)
    names = [name for name, size in sizes.items() if size > 1]
    varied = [sizes[name] for name in names]
    if not varied:
        raise ParameterError("No column has two values or more; there is nothing to measure.")
    budget = Spending.of(epsilon=loss, delta=slack, noise=noise_from(None))
    check_noise(varied, budget)
    share = budget.total * (SHARES["values"] if len(varied) > 1 else 1)
    parts = marginal_parts(varied, budget.law)
    pair, triple = _pair_and_triple_error(varied, budget)
    return ExpectedPairErrors(
        value_error=math.sqrt(budget.variance(share * min(parts))) / n,
        pair_error=None if pair is None else pair / n,
        triple_error=None if triple is None else triple / n,
        column_errors=tuple(
            (name, min(1.0, size * budget.mean_noise(share * part) / (2 * n)))
            for name, size, part in zip(names, varied, parts, strict=True)
        ),
        epsilon=loss,
        delta=slack,
        n_rows=n,
        frequency=frequency,
    )


def _pair_and_triple_error(sizes: list[int], budget: Spending) -> tuple[float | None, float | None]:
    """Return root mean squares of the noise on two and three values together, in rows.

    Only pairs are gone through: over all triples, a pair's squares come to its own times the
    sum of 1 / size of the other columns.
    """
    pairs = list(combinations(sizes, 2))
    parts = marginal_parts([a * b for a, b in pairs], budget.law)
    share, inverse = budget.total * SHARES["pairs"], sum(1 / size for size in sizes)
    of_pairs = of_triples = 0.0
    for (a, b), part in zip(pairs, parts, strict=True):
        squares = a * b * budget.variance(share * part)
        of_pairs += squares
        of_triples += squares * (inverse - 1 / a - 1 / b)
    n_cells = [1, 0, 0, 0]  # of all sets of 0, 1, 2 and 3 columns
    for size in sizes:
        n_cells = [1, *(n_cells[i] + size * n_cells[i - 1] for i in (1, 2, 3))]
    errors = [
        math.sqrt(max(squares, 0.0) / n) if n else None
        for squares, n in ((of_pairs, n_cells[2]), (of_triples, n_cells[3]))
    ]
    return errors[0], errors[1]
