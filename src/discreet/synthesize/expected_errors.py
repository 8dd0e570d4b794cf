"""How far off supports will be, told before anything is spent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.release.exact import shown, whole
from discreet.result import Preview, Result
from discreet.synthesize.budget import split_budget
from discreet.synthesize.channel import Channel
from discreet.synthesize.column_errors import (
    N_NAMED,
    are_mostly_lost,
    lost_columns,
    lost_sentence,
    percent,
)
from discreet.synthesize.parameters import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from discreet.synthesize.budget import Split
    from discreet.synthesize.column_errors import ColumnErrors

WILL_BE_NOISE = "The answer will be noise; take fewer columns, more rows or a larger epsilon."
_WAYS = ("one value", "two values together", "three values together")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedErrors(Result):
    """Standard errors of the supports of itemsets of one, two and three items.

    Attributes
    ----------
    errors : tuple of float
        Root mean square over all itemsets of 1, 2, ... items, as a share of the rows.
    column_errors : tuple of (str, float)
        For each column of two values or more, at most how far all shares of its values are off
        together: the total variation by the noise on its cells.
    epsilon : Fraction
        Of a row.
    n_rows : int
        Number of rows.
    frequency : float
        The share of rows that should still be told from none.
    """

    errors: tuple[float, ...]
    column_errors: ColumnErrors
    epsilon: Fraction
    n_rows: int
    frequency: float

    @property
    def lost(self) -> tuple[str, ...]:
        """Columns whose values are lost in noise: shares off by more than 25 % of the rows."""
        return tuple(name for name, _ in lost_columns(self.column_errors))

    @property
    def is_noise(self) -> bool:
        """Whether supports of some size are noise."""
        return any(self.is_noise_by_size)

    @property
    def is_noise_by_size(self) -> tuple[bool, ...]:
        """For each size, whether two standard errors reach the frequency asked for.

        Of every size, if half of the columns are lost.
        """
        is_lost = are_mostly_lost(self.column_errors)
        return tuple(is_lost or hides for hides in self._hides_frequency)

    @property
    def _hides_frequency(self) -> tuple[bool, ...]:
        return tuple(2 * error >= self.frequency for error in self.errors)

    @property
    def sentence(self) -> str:
        """What to expect, in plain words."""
        start = f"With epsilon {shown('epsilon', self.epsilon)} a row and {self.n_rows:,} rows, "
        if any(self._hides_frequency):
            first = self._hides_frequency.index(True)
            text = (
                f"the support of {_WAYS[first]} is off by {_about(self.errors[first])} of the "
                f"rows: an itemset in {self.frequency:.2%} of them cannot be told from one in none."
            )
        else:
            text = (
                f"supports of up to {len(self.errors)} values together are off by "
                f"{_about(max(self.errors))} of the rows."
            )
        sentences = [start + text, lost_sentence(self.column_errors)]
        sentences += [WILL_BE_NOISE] if self.is_noise else []
        return " ".join(filter(None, sentences))

    def preview(self) -> Preview:
        """Return one row for each size, and for the columns that are lost in noise."""
        rows = [
            (way, f"{error:.4%}", "noise" if noise else "")
            for way, error, noise in zip(_WAYS, self.errors, self.is_noise_by_size, strict=False)
        ]
        lost = lost_columns(self.column_errors)[:N_NAMED]
        rows += [(f"'{name}', all values in total", f"{error:.4%}", "lost") for name, error in lost]
        return Preview(title=self.sentence, header=("support of", "off by", ""), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the errors, whether they are noise, and the sentence."""
        return {
            "epsilon": str(self.epsilon),
            "n_rows": self.n_rows,
            "frequency": self.frequency,
            "errors": list(self.errors),
            "column_errors": dict(self.column_errors),
            "lost": list(self.lost),
            "is_noise": self.is_noise,
            "is_noise_by_size": list(self.is_noise_by_size),
            "sentence": self.sentence,
        }


def expected_errors(
    sizes: Mapping[str, int] | Table,
    *,
    epsilon: Fraction | float,
    n_rows: int | None = None,
    split: Split = "equal",
    frequency: float = 0.1,
) -> ExpectedErrors:
    r"""Return how far off the supports of 1, 2 and 3 items will be, before anything is spent.

    .. math:: \mathrm{RMSE}_m^2 = \frac{e_m(A_1, \ldots, A_d) - \binom{d}{m}}
        {n \, e_m(k_1, \ldots, k_d)}, \qquad
        A_j = a_j + (k_j - 1) b_j = \frac{(E_j + k_j - 2)^2 + k_j - 1}{(E_j - 1)^2}, \qquad
        \mathrm{column}_j = \min\Bigl(1, \sqrt{\frac{k_j (A_j - 1)}{2 \pi n}}\Bigr)

    where :math:`e_m` is the sum of the products of :math:`m` of the :math:`d` columns,
    :math:`k_j` is the number of values of a column and :math:`E_j = p_j / q_j`.

    Parameters
    ----------
    sizes : mapping of str to int, or Table
        Number of values of each column; of a table, its columns that are not identifying.
    epsilon : Fraction or float
        The budget of a row, above 0.
    n_rows : int, optional
        Number of rows, at least 1; of a table, its own.
    split : {"equal", "pairs"} or mapping
        As in :func:`~discreet.synthesize.response.randomized_response`.
    frequency : float
        The share of rows that should be told from none, above 0 and at most 1; it decides what
        is called noise.

    Returns
    -------
    ExpectedErrors
        The root mean square of the standard errors over all itemsets of each size.

    Raises
    ------
    ParameterError
        If a number is out of its range.

    Notes
    -----
    The true variance of one support depends on the data, but the sum over all values of some
    columns does not: every row matches exactly one combination. So this is exact, and no
    property of the table but its size and its lists of values is used.

    The error of a column is an upper estimate, half the sum over its values of mean absolute
    errors: about that where its values are equally frequent, less where negative supports are cut
    off or pairs tell of it too. A column is called lost above 25 % of the rows, and all is called
    noise if half of the columns are.

    Examples
    --------
    >>> expected_errors({"sex": 2, "job": 5, "age": 8}, epsilon=0.3, n_rows=10_000).sentence
    "With epsilon 0.3 a row and 10,000 rows, the support of one value is off by about 22.03% of
    the rows: an itemset in 10.00% of them cannot be told from one in none. Lost in noise are the
    shares of the values of 'age' (off by up to 81% of the rows in all) and 'job' (up to 39%):
    leave such columns out or generalize them. The answer will be noise; take fewer columns, more
    rows or a larger epsilon."
    """
    if isinstance(sizes, Table):
        n_rows = sizes.n_rows if n_rows is None else n_rows
        names = [name for name in sizes.columns if name not in sizes.identifying]
        sizes = {name: len(sizes.values(name)) for name in names}
    n = whole("n_rows", n_rows, least=1)
    if not 0 < frequency <= 1:
        raise ParameterError(f"frequency={frequency} must be above 0 and at most 1.")
    budget = split_budget(sizes, epsilon=epsilon, split=split)
    channels = [
        Channel(column=name, values=tuple(range(size)), epsilon=budget[name])
        for name, size in sizes.items()
        if size > 1  # a column of one value is known
    ]
    if not channels:
        raise ParameterError("No column has two values or more; there is nothing to estimate.")
    squares = _sums_of_products([channel.total_square for channel in channels])
    supports = _sums_of_products([channel.size for channel in channels])
    return ExpectedErrors(
        errors=tuple(
            math.sqrt(max(0.0, squares[m] - math.comb(len(channels), m)) / n / supports[m])
            for m in range(1, min(3, len(channels)) + 1)
        ),
        column_errors=tuple((each.column, _column_error(each, n)) for each in channels),
        epsilon=exact_epsilon(epsilon),
        n_rows=n,
        frequency=frequency,
    )


def _column_error(channel: Channel, n_rows: int) -> float:
    """Return half the sum of the mean absolute errors of the shares of a column, at most 1."""
    squares = max(0.0, channel.total_square - 1)
    return min(1.0, math.sqrt(channel.size * squares / (2 * math.pi * n_rows)))


def _about(share: float) -> str:
    return f"about {percent(share)}" if share <= 1 else percent(share)


def _sums_of_products(numbers: Sequence[float]) -> list[float]:
    """Return the sums of the products of 0, 1, 2 and 3 of the numbers."""
    sums = [1.0, 0.0, 0.0, 0.0]
    for number in numbers:
        for m in (3, 2, 1):
            sums[m] += number * sums[m - 1]
    return sums
