"""Randomized response: every cell is true only sometimes, before anything is learned.

Each cell keeps its value with a chance that is an exact fraction, and otherwise becomes one of
the other values. Nobody has to be trusted with the rows, and whatever is computed from the
result costs nothing more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.data.domains import (
    column_domains,
    listed_codes,
    listed_like,
    one_row_of_each,
    published_columns,
    refuse_cut_by_rows,
)
from discreet.data.table import Table, as_table
from discreet.errors import ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.release.exact import exp_below, shown
from discreet.result import Preview, Result
from discreet.synthesize.budget import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.domains import DomainsLike
    from discreet.noise import Noise
    from discreet.synthesize.budget import Split


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sanitized(Result):
    """A table of randomized cells, and everything needed to estimate what is behind them.

    Attributes
    ----------
    table : Table
        The randomized cells: same columns, roles and rows, without identifying columns.
    channels : tuple of Channel
        For each column its public values, its epsilon and its chances p and q.
    domains_are_public : bool
        Whether the lists of values were given. If they were read from the data, the list
        itself shows which values occur, and the guarantee says nothing of that.
    is_secure : bool
        Whether nobody can repeat the draws; False for a seed, which is for experiments only.
    """

    table: Table
    channels: tuple[Channel, ...]
    domains_are_public: bool
    is_secure: bool

    @property
    def n_rows(self) -> int:
        """Number of rows, which is not protected."""
        return self.table.n_rows

    def accounting(self, groups: Mapping[str, Sequence[str]] | None = None) -> Accounting:
        """Return what a cell, a group of columns and a row cost.

        Groups are those of the roles by default.
        """
        if groups is None:
            roles = {self.table.role(channel.column) for channel in self.channels}
            groups = {
                role: [c.column for c in self.channels if self.table.role(c.column) == role]
                for role in sorted(roles)
            }
        return account(self.channels, groups=groups)

    def channel(self, column: str) -> Channel:
        """Return the channel of a column."""
        known = {channel.column: channel for channel in self.channels}
        if column not in known:
            raise ParameterError(
                f"No column {column!r}.", column=column, remedy=did_you_mean(str(column), known)
            )
        return known[column]

    def codes(self, column: str) -> NDArray[np.int64]:
        """Return the places of the randomized cells of a column in its list of values."""
        return listed_codes(self.table, column, self.channel(column).values)

    def preview(self) -> Preview:
        """Return columns, number of values, epsilon and the chance to keep the value."""
        rows = [
            (one.column, str(one.size), f"{float(one.epsilon):.6g}", f"{float(one.p):.4f}")
            for one in self.channels
        ]
        header = ("column", "values", "epsilon of a cell", "kept")
        return Preview(title=repr(self), header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the chances as exact text, without the rows."""
        return {
            "n_rows": self.n_rows,
            "domains_are_public": self.domains_are_public,
            "is_secure": self.is_secure,
            "accounting": self.accounting().to_dict(),
            "columns": [
                {
                    "column": one.column,
                    "n_values": one.size,
                    "epsilon": str(one.epsilon),
                    "p": str(one.p),
                    "q": str(one.q),
                }
                for one in self.channels
            ],
        }

    def __repr__(self) -> str:
        total = float(sum(channel.epsilon for channel in self.channels))
        kind = "" if self.is_secure else ", experimental: not for publication"
        kind += "" if self.domains_are_public else ", only if the lists of values are public"
        return (
            f"Sanitized({self.n_rows:,} rows, {len(self.channels)} columns, "
            f"epsilon {total:.6g} a row{kind})"
        )


def randomized_response(
    table: object,
    *,
    epsilon: Fraction | float,
    split: Split = "equal",
    domains: DomainsLike | None = None,
    columns: Iterable[str] | None = None,
    seed: int | None = None,
) -> Sanitized:
    r"""Return a table of which every cell is randomized, at a budget per row.

    .. math:: P(\text{cell } y \mid \text{true } x) = \begin{cases}
        p_j = E_j / (E_j + k_j - 1) & y = x \\ q_j = 1 / (E_j + k_j - 1) & y \ne x \end{cases}
        \qquad E_j \le e^{\varepsilon_j}, \quad \sum_j \varepsilon_j = \varepsilon

    where :math:`k_j` is the number of values of column :math:`j`.

    Parameters
    ----------
    table : Table or frame
        If it says whose each row is, one row of each person is chosen at random and all others
        are passed over.
    epsilon : Fraction or float
        The budget of a row, above 0; a float is the decimal it is written as.
    split : {"equal", "pairs"} or mapping
        How it is split over columns, see :func:`~discreet.synthesize.response.split_budget`.
    domains : mapping or Table, optional
        The public list of values of each column; read from the table by default, which is
        noted in the result.
    columns : iterable of str, optional
        The columns to publish; all but the identifying ones by default.
    seed : int, optional
        None draws from the operating system; a seed is for experiments only.

    Returns
    -------
    Sanitized
        The randomized table and its chances.

    Raises
    ------
    ParameterError
        If an option is out of its range.
    DataError
        If a cell has a value that is not listed, or no column is left.

    Notes
    -----
    **Guarantee.** Local differential privacy: epsilon_j for one cell given all other cells, the
    sum over its columns for a group, and ``epsilon`` for a row, exactly and for any attacker.
    The number of rows, the order of rows and the lists of values are not protected. That a cell
    costs epsilon_j only, whatever the others are, would need independent columns: count rows.

    Chances are fractions with :math:`p_j / q_j` surely not above :math:`e^{\varepsilon_j}`,
    and the draws are exact. Time O(cells).

    References
    ----------
    S. Warner (1965), Randomized response. J. Dorrestijn (2018), Provable privacy for database
    generation, section 3.3, where the cost is stated per cell only.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f", "m", "f", "f"], "job": ["a", "b", "c", "a"]})
    >>> sent = randomized_response(people, epsilon=2, seed=1)
    >>> sent
    Sanitized(4 rows, 2 columns, epsilon 2 a row, experimental: not for publication, only if the
    lists of values are public)
    >>> sent.table.to_frame()["job"].to_list()
    ['b', 'b', 'a', 'a']
    """
    whole = as_table(table)
    names = published_columns(whole, columns)
    if domains is not None:
        refuse_cut_by_rows(whole, names)
    noise = noise_from(seed)
    values = column_domains(whole, columns=names, domains=domains)
    given, _ = one_row_of_each(whole, noise.permutation)
    budget = split_budget({n: len(v) for n, v in values.items()}, epsilon=epsilon, split=split)
    channels = tuple(
        Channel(column=name, values=values[name], epsilon=budget[name]) for name in names
    )
    codes = {
        one.column: respond(listed_codes(given, one.column, one.values), channel=one, noise=noise)
        for one in channels
    }
    like = listed_like(values, given)
    return Sanitized(
        table=Table.from_codes(codes, values, like=like),
        channels=channels,
        domains_are_public=domains is not None,
        is_secure=noise.is_secure,
    )


def respond(codes: NDArray[np.int64], *, channel: Channel, noise: Noise) -> NDArray[np.int64]:
    """Return randomized codes: each kept with chance p, else one of the others, all alike."""
    if channel.size == 1:
        return codes
    # Both draws for every cell, kept or not: how many there are does not depend on the data.
    other = noise.integers(channel.size - 1, len(codes))
    other += other >= codes  # the values but one's own, in order
    return np.where(noise.bernoulli(channel.p, len(codes)), codes, other)


# One budget per row, split over the columns.

GRID = 100_000  # budgets by domain size are multiples of this part of the whole

_LEAST = 1e-3  # of an equal share: no column is left without anything


def split_budget(
    sizes: Mapping[str, int], *, epsilon: Fraction | float, split: Split = "equal"
) -> dict[str, Fraction]:
    r"""Return what each column may cost, together exactly ``epsilon`` a row.

    .. math:: \sum_j \varepsilon_j = \varepsilon

    Parameters
    ----------
    sizes : mapping of str to int
        Number of values of each column, at least 1; a column of one value costs nothing.
    epsilon : Fraction or float
        The budget of a row, above 0.
    split : {"equal", "pairs"} or mapping
        ``"equal"`` gives every column the same; ``"pairs"`` gives columns of many values more,
        so that the mean variance of all supports of two values is least; a mapping of column
        to epsilon, or to any positive weights, is scaled to the budget.

    Returns
    -------
    dict of str to Fraction
        Epsilon of each column, exact.

    Raises
    ------
    ParameterError
        If sizes, epsilon or weights are out of their range.

    Notes
    -----
    Added up over all values of two columns, the variances of the supports do not depend on the
    data: they are :math:`(A_i A_j - 1) / n` with
    :math:`A = ((E + k - 2)^2 + k - 1) / (E - 1)^2` and :math:`E = e^{\varepsilon_j}`. So the
    best split is found before the data are seen, and it costs nothing. The logarithm of
    :math:`A` is convex in epsilon, therefore so is :math:`\sum_{i<j} A_i A_j`, and its one
    minimum is found by descent; it is rounded to parts of 1/100000 of the budget.

    Examples
    --------
    >>> split_budget({"sex": 2, "age": 5}, epsilon=1)
    {'sex': Fraction(1, 2), 'age': Fraction(1, 2)}
    >>> best = split_budget({"sex": 2, "age": 5, "zip": 50}, epsilon=6, split="pairs")
    >>> {name: round(float(share), 2) for name, share in best.items()}
    {'sex': 0.9, 'age': 1.56, 'zip': 3.54}
    """
    total = exact_epsilon(epsilon)
    for name, size in sizes.items():
        checks.whole(f"sizes['{name}']", size, at_least=1)
    # A column of one value has nothing to protect, and costs nothing.
    varied = [name for name, size in sizes.items() if size > 1]
    if isinstance(split, Mapping):
        weights = _given(split, sizes)
    elif split == "equal":
        weights = dict.fromkeys(varied, Fraction(1))
    elif split == "pairs":
        weights = _best_for_pairs({name: sizes[name] for name in varied}, float(total))
    else:
        checks.one_of("split", split, ("equal", "pairs"))
    together = sum((weights[name] for name in varied), Fraction(0))
    return {
        name: total * weights[name] / together if name in varied else Fraction(0) for name in sizes
    }


def _given(split: Mapping[str, Fraction | float], sizes: Mapping[str, int]) -> dict[str, Fraction]:
    for name in split:
        if name not in sizes:
            raise ParameterError(
                f"split names column {name!r}.",
                parameter="split",
                column=name,
                remedy=did_you_mean(name, sizes),
            )
    for name in sizes:
        if name not in split:
            raise ParameterError(
                f"split says nothing of column '{name}'.", parameter="split", column=name
            )
    return {name: exact_epsilon(split[name], name=f"split['{name}']") for name in sizes}


def _best_for_pairs(sizes: Mapping[str, int], total: float) -> dict[str, Fraction]:
    """Return whole weights that minimise the sum of A_i A_j over pairs of columns."""
    n = len(sizes)
    if n < 3 and len(set(sizes.values())) < 2:
        return dict.fromkeys(sizes, Fraction(1))
    from scipy import optimize  # type: ignore[import-untyped]  # scipy has no types

    k = np.array(list(sizes.values()), float)
    least = _LEAST * total / n

    def objective(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        a, slope = _squares(shares * total, k)
        pairs = (a.sum() ** 2 - (a**2).sum()) / 2
        return float(np.log(pairs)), slope * total * (a.sum() - a) / pairs

    found: Any = optimize.minimize(  # scipy has no types
        objective,
        np.full(n, 1 / n),
        jac=True,
        method="SLSQP",
        bounds=[(least / total, 1.0)] * n,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    # Sums are rounded, not parts, so that rounding does not add up over many columns.
    ends = np.rint(np.cumsum(found.x) / found.x.sum() * GRID).astype(int)
    # At least one part each: without a budget a column would be noise alone.
    parts = np.maximum(1, np.diff(ends, prepend=0)).tolist()
    return {name: Fraction(part) for name, part in zip(sizes, parts, strict=True)}


def _squares(
    epsilon: NDArray[np.float64], k: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return A of each column and its derivative by epsilon; in u = 1 / E, which stays small."""
    # A column with a large epsilon has E beyond all floats; u = 1 / E only vanishes.
    u, gap = np.exp(-epsilon), -np.expm1(-epsilon)
    above = (1 + (k - 2) * u) ** 2 + (k - 1) * u**2
    by_u = 2 * ((1 + (k - 2) * u) * (k - 2) + (k - 1) * u) / gap**2 + 2 * above / gap**3
    return above / gap**2, -u * by_u


# One column under k-ary randomized response: its chances, exactly, and what they cost.

LEAST_GROWTH = Fraction(1, 2**40)  # below it, p and q are hardly two different floats


@dataclass(frozen=True, kw_only=True)
class Channel:
    r"""A column of which every cell is kept with chance p, else another value is drawn.

    .. math:: p = \frac{E}{E + k - 1}, \qquad q = \frac{1}{E + k - 1}, \qquad
        E \le e^{\varepsilon}

    where :math:`k` is the number of values and :math:`q` the chance of each other value.

    Parameters
    ----------
    column : str
        Its name.
    values : tuple
        The public list of its values, at least one.
    epsilon : Fraction
        What one cell may cost, above 0; 0 for a column of one value, which says nothing.

    Notes
    -----
    :math:`p / q = E` exactly, and :math:`E` is a fraction that is surely not above
    :math:`e^\varepsilon` (see :func:`~discreet.release.exact.exp_below`), so the
    promise is kept in exact arithmetic, not up to rounding. The budget not used is less than
    2**-60 for epsilon up to 1.

    References
    ----------
    S. Warner (1965), Randomized response. P. Kairouz, K. Bonawitz, D. Ramage (2016), Discrete
    distribution estimation under local privacy, section 3.

    Examples
    --------
    >>> channel = Channel(column="sex", values=("f", "m"), epsilon=Fraction(1, 10))
    >>> round(float(channel.p), 12), channel.p / channel.q <= exp_below(Fraction(1, 10))
    (0.524979187479, True)
    """

    column: str
    values: tuple[Label, ...]
    epsilon: Fraction

    def __post_init__(self) -> None:
        if len(self.values) == 1:
            object.__setattr__(self, "epsilon", Fraction(0))
            return
        object.__setattr__(self, "epsilon", exact_epsilon(self.epsilon))
        if self.growth - 1 < LEAST_GROWTH:
            raise ParameterError(
                f"Column '{self.column}' is given epsilon {float(self.epsilon):.3g}, so little "
                "that nothing of it would be left.",
                parameter="epsilon",
                column=self.column,
                remedy="Give more, or leave the column out.",
            )

    @property
    def size(self) -> int:
        """Number of values, k."""
        return len(self.values)

    @cached_property
    def growth(self) -> Fraction:
        """The ratio p / q, surely not above e to the epsilon."""
        return exp_below(self.epsilon)

    @cached_property
    def p(self) -> Fraction:
        """The chance that a cell keeps its value."""
        # growth is a fraction below e to the epsilon: p / q is exactly growth, with nothing to
        # round.
        return self.growth / (self.growth + self.size - 1)

    @cached_property
    def q(self) -> Fraction:
        """The chance of each other value; 0 if there is no other."""
        return 1 / (self.growth + self.size - 1) if self.size > 1 else Fraction(0)

    @cached_property
    def weights(self) -> tuple[float, float]:
        """What a cell that has a value, or has not, counts for in the estimate of its support.

        They are (1 - q) / (p - q) and -q / (p - q): the inverse of the channel.
        """
        gap = self.p - self.q
        return float((1 - self.q) / gap), float(-self.q / gap)

    @cached_property
    def matched(self) -> float:
        """Mean square of the weight where the true cell has the value (a of the variance)."""
        p, q = self.p, self.q
        return float((p * (1 - q) ** 2 + (1 - p) * q**2) / (p - q) ** 2)

    @cached_property
    def unmatched(self) -> float:
        """Mean square of the weight where the true cell has it not (b of the variance)."""
        return float(self.q * (1 - self.q) / (self.p - self.q) ** 2)

    @property
    def total_square(self) -> float:
        """Mean square of the weights added up over all values: a + (k - 1) b."""
        return self.matched + (self.size - 1) * self.unmatched


# What randomized cells cost: one cell, a group of columns, a row.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting(Result):
    """Epsilon of a cell, given the others; of groups of columns; and of a row.

    Attributes
    ----------
    cells : dict of str to Fraction
        For each column, what one cell of it costs if all other cells of the row are known.
    groups : dict of str to Fraction
        For each group, the sum over its columns.
    row : Fraction
        The sum over all columns. This is what a person's report can disclose.
    """

    cells: dict[str, Fraction]
    groups: dict[str, Fraction]
    row: Fraction

    def preview(self) -> Preview:
        """Return all three, the row last."""
        rows = [(f"cell of {name}", shown("epsilon", one)) for name, one in self.cells.items()]
        rows += [(f"columns {name}", shown("epsilon", one)) for name, one in self.groups.items()]
        rows.append(("row", shown("epsilon", self.row)))
        return Preview(title="What is disclosed", header=("of", "epsilon"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the exact numbers as text."""
        return {
            "cells": {name: str(one) for name, one in self.cells.items()},
            "groups": {name: str(one) for name, one in self.groups.items()},
            "row": str(self.row),
        }


def account(
    channels: Sequence[Channel], *, groups: Mapping[str, Sequence[str]] | None = None
) -> Accounting:
    r"""Return what cells, groups of columns and rows cost.

    .. math:: \varepsilon_{\text{row}} = \sum_j \varepsilon_j

    Parameters
    ----------
    channels : sequence of Channel
        One for each column.
    groups : mapping of str to columns, optional
        Columns to be counted together, under a name; they may overlap.

    Returns
    -------
    Accounting
        Exact.

    Raises
    ------
    ParameterError
        If a group names a column that is not there, or one twice.

    Notes
    -----
    Cells are randomized independently, so the ratio of the chances of a randomized row is the
    product of those of its cells, and two rows that differ in every cell attain it: the sum is
    tight. What a cell costs holds for an attacker who knows all other cells, or to whom they
    say nothing; where columns are associated, a cell is also seen through the others, up to
    the cost of the row.

    Examples
    --------
    >>> from discreet.synthesize.response import Channel
    >>> two = [Channel(column=name, values=(0, 1), epsilon=Fraction(1, 2)) for name in "ab"]
    >>> account(two, groups={"both": "ab"}).groups
    {'both': Fraction(1, 1)}
    """
    cells = {channel.column: channel.epsilon for channel in channels}
    for group, names in (groups or {}).items():
        for name in names:
            if name not in cells:
                raise ParameterError(
                    f"Group {group!r}: no column {name!r}.",
                    parameter="groups",
                    column=name,
                    remedy=did_you_mean(name, cells),
                )
        if len(set(names)) < len(names):
            raise ParameterError(f"Group {group!r} names a column twice.", parameter="groups")
    return Accounting(
        cells=cells,
        groups={
            group: sum((cells[name] for name in names), Fraction(0))
            for group, names in (groups or {}).items()
        },
        row=sum(cells.values(), Fraction(0)),
    )
