"""How far off supports will be, computed before anything is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

from discreet import checks
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.release.exact import shown
from discreet.result import Preview, Result
from discreet.synthesize.budget import (
    Spending,
    exact_delta,
    exact_epsilon,
    marginal_parts,
)
from discreet.synthesize.marginals import check_noise, shares_of, values_budget
from discreet.synthesize.response import Channel, split_budget

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from discreet.synthesize.budget import Split


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
        The share of rows that should still be distinguishable from none.
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
                f"rows: a share of {self.frequency:.2%} cannot be distinguished from none."
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
    sizes: object,
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
    sizes : mapping of str to int, Table or frame
        Number of values of each column; of a table, its columns that are not identifying.
    epsilon : Fraction or float
        The budget of a row, above 0.
    n_rows : int, optional
        Number of rows, at least 1; of a table, its own.
    split : {"equal", "pairs"} or mapping
        As in :func:`~discreet.synthesize.response.randomized_response`.
    frequency : float
        The share of rows that should be distinguishable from none, above 0 and at most 1; it
        decides what is called noise.

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
    off or pairs measure it too. A column is called lost above 25 % of the rows, and all is called
    noise if half of the columns are.

    Examples
    --------
    >>> expected_errors({"sex": 2, "job": 5, "age": 8}, epsilon=0.3, n_rows=10_000).sentence
    "With epsilon 0.3 a row and 10,000 rows, the support of one value is off by about 22.03% of
    the rows: a share of 10.00% cannot be distinguished from none. Lost in noise are
    the shares of the values of 'age' (off by up to 81% of the rows in all) and 'job' (up to 39%):
    leave such columns out or generalize them. The answer will be noise; take fewer columns, more
    rows or a larger epsilon."
    """
    sizes, n_rows = _counted(sizes, n_rows)
    n = checks.whole("n_rows", n_rows, at_least=1)
    frequency = float(checks.exact("frequency", frequency, above=0, at_most=1))
    budget = split_budget(sizes, epsilon=epsilon, split=split)
    channels = [
        Channel(column=name, values=tuple(range(size)), epsilon=budget[name])
        for name, size in sizes.items()
        if size > 1  # a column of one value is known
    ]
    if not channels:
        raise ParameterError(
            "No column has two values or more; there is nothing to estimate.", parameter="domains"
        )
    # The variances of all itemsets of m items add up to the same for every table (see
    # split_budget), so their mean is known before anything is read.
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
        # Downwards, so that no number is in one product twice.
        for m in (3, 2, 1):
            sums[m] += number * sums[m - 1]
    return sums


# How far off measured counts will be under central trust, computed before anything is spent.

NOT_IN_PAIRS = (
    "Three values may differ further by what their pairs do not show; how much depends on the data."
)

PAIRS_WILL_BE_NOISE = (
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
        the noise on the pairs, likewise; what pairs do not show comes on top.
        None if there are fewer than three columns.
    column_errors : tuple of (str, float)
        For each column of two values or more, at most how far all shares of its values are off
        together: the total variation by the noise on its counts alone.
    epsilon, delta : Fraction
        The budget of a row.
    n_rows : int
        Number of rows.
    frequency : float
        The share of rows that should still be distinguishable from none.
    """

    value_error: float
    pair_error: float | None
    triple_error: float | None
    column_errors: ColumnErrors
    epsilon: Fraction
    delta: Fraction
    n_rows: int
    frequency: float
    tau: int | None = None
    likely_lost: tuple[tuple[str, int, int], ...] = ()

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
            f"With {budget} and {self.n_rows:,} rows, the standard error is "
            f"{percent(self.value_error)} of the rows"
        )
        text += " or less" if self.value_error <= 1 else ""
        text += " for the share of one value"
        if self.pair_error is not None:
            text += (
                f", {percent(self.pair_error)} for two values together if all pairs are measured"
            )
        if self.triple_error is not None:
            text += f", and {percent(self.triple_error)} for three, which follow from their pairs"
        if self._hides_frequency:
            text += f": a share of {self.frequency:.2%} cannot be distinguished from none"
        sentences = [f"{text}.", lost_sentence(self.column_errors), self._selection]
        if self.is_noise:
            sentences.append(PAIRS_WILL_BE_NOISE)
        elif self.triple_error is not None:
            sentences.append(NOT_IN_PAIRS)
        return " ".join(filter(None, sentences))

    @property
    def _selection(self) -> str:
        """Which values are likely lost because few rows have them."""
        if not self.likely_lost:
            return ""
        named = [f"{n} of {of} in '{name}'" for name, n, of in self.likely_lost[:N_NAMED]]
        rest = len(self.likely_lost) - N_NAMED
        named += [f"some in {rest} more columns"] if rest > 0 else []
        return (
            f"Values that fewer than about {self.tau:,} rows have are not listed but become "
            f"'other': {', '.join(named)}."
        )

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
            "tau": self.tau,
            "likely_lost": [list(each) for each in self.likely_lost],
            "sentence": self.sentence,
        }


def _counted(sizes: object, n_rows: int | None) -> tuple[Mapping[str, int], int | None]:
    """Return the numbers of values and of rows, as given or as those of a table."""
    if isinstance(sizes, Mapping):
        return sizes, n_rows
    table = as_table(sizes)
    names = [name for name in table.columns if name not in table.identifying]
    counted = {name: len(table.values(name)) for name in names}
    return counted, table.n_rows if n_rows is None else n_rows


def expected_pair_errors(
    sizes: object,
    *,
    epsilon: Fraction | float,
    delta: Fraction | float = 0,
    n_rows: int | None = None,
    frequency: float = 0.1,
    budget: Spending | None = None,
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
    of a column or pair (see :func:`~discreet.synthesize.budget.marginal_parts`). Where values are
    selected first, columns get 0.05 and pairs 0.5.

    Parameters
    ----------
    sizes : mapping of str to int, Table or frame
        Number of values of each column; of a table, its columns that are not identifying.
    epsilon, delta : Fraction or float
        The budget, as in :class:`~discreet.synthesize.Synthesizer`.
    n_rows : int, optional
        Number of rows, at least 1; of a table, its own.
    frequency : float
        The share of rows that should be distinguishable from none, above 0 and at most 1; it
        decides what is called noise.

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
    and no pair of it is measured, less where negative counts are cut off or pairs measure it too.
    A column is called lost above 25 % of the rows. All is called noise if half of the columns are
    lost, or if two standard errors of one or two values reach the frequency.

    Examples
    --------
    >>> expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, delta=1e-9, n_rows=100).sentence
    "With epsilon 1 and delta 1e-9 and 100 rows, the standard error is 21.78% of the rows or less
    for the share of one value, 6.91% for two values together if all pairs are measured: a share
    of 10.00% cannot be distinguished from none. Lost in noise are the shares of
    the values of 'job' (off by up to 32% of the rows in all): leave such columns out or generalize
    them. The answer will be noise; take fewer columns, fewer values, more rows or a larger
    epsilon."
    """
    sizes, n_rows = _counted(sizes, n_rows)
    n = checks.whole("n_rows", n_rows, at_least=1)
    frequency = float(checks.exact("frequency", frequency, above=0, at_most=1))
    loss, slack = exact_epsilon(epsilon), exact_delta(delta)
    names = [name for name, size in sizes.items() if size > 1]
    varied = [sizes[name] for name in names]
    if not varied:
        raise ParameterError(
            "No column has two values or more; there is nothing to measure.", parameter="domains"
        )
    if budget is None:
        budget = Spending.of(epsilon=loss, delta=slack, noise=noise_from(None))
    check_noise(varied, budget)
    share = values_budget(budget, has_pairs=len(varied) > 1)
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
    share, inverse = budget.total * shares_of(budget)["pairs"], sum(1 / size for size in sizes)
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


# How far off the shares of a column's values will be, and which columns are lost in noise.

ColumnErrors: TypeAlias = tuple[tuple[str, float], ...]

LOST = 0.25  # of the rows: the values of a column that is farther off are lost in noise

N_NAMED = 5  # columns at most that a sentence or table names


def lost_columns(errors: ColumnErrors) -> ColumnErrors:
    """Return the columns that are lost in noise with their errors, the worst first.

    Examples
    --------
    >>> lost_columns((("sex", 0.01), ("job", 0.3), ("ward", 1.0)))
    (('ward', 1.0), ('job', 0.3))
    """
    lost = [each for each in errors if each[1] > LOST]
    return tuple(sorted(lost, key=lambda each: -each[1]))


def are_mostly_lost(errors: ColumnErrors) -> bool:
    """Say whether half of the columns or more are lost in noise.

    Examples
    --------
    >>> are_mostly_lost((("sex", 0.01), ("ward", 1.0)))
    True
    """
    return 2 * len(lost_columns(errors)) >= len(errors)


def lost_sentence(errors: ColumnErrors) -> str:
    """Return which columns are lost and what to do, or nothing if none is.

    Examples
    --------
    >>> lost_sentence((("sex", 0.01), ("ward", 1.0)))
    "Lost in noise are the shares of the values of 'ward' (off by up to 100% of the rows in all):
    leave such columns out or generalize them."
    """
    lost = lost_columns(errors)
    if not lost:
        return ""
    (first, error), *others = lost[:N_NAMED]
    named = [f"'{first}' (off by up to {error:.0%} of the rows in all)"]
    named += [f"'{name}' (up to {error:.0%})" for name, error in others]
    named += [f"{len(lost) - N_NAMED} more"] if len(lost) > N_NAMED else []
    together = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return (
        f"Lost in noise are the shares of the values of {together}: leave such columns out or "
        "generalize them."
    )


def percent(share: float) -> str:
    """Return a share of the rows as a person reads it.

    Examples
    --------
    >>> percent(0.0123), percent(7.0)
    ('1.23%', 'more than 100%')
    """
    return f"{share:.2%}" if share <= 1 else "more than 100%"
