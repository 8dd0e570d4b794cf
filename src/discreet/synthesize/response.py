"""Randomized response: every cell tells the truth only sometimes, before anything is learned.

Each cell keeps its value with a chance that is an exact fraction, and otherwise becomes one of
the other values. Nobody has to be trusted with the rows, and whatever is computed from the
result costs nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.listed_values import listed_codes
from discreet.data.table import Table
from discreet.data.typed_like import typed_like
from discreet.errors import ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.result import Preview, Result
from discreet.synthesize.accounting import account
from discreet.synthesize.budget import split_budget
from discreet.synthesize.channel import Channel
from discreet.synthesize.domains import column_domains, published_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.listed_values import DomainsLike
    from discreet.noise import Noise
    from discreet.synthesize.accounting import Accounting
    from discreet.synthesize.budget import Split


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sanitized(Result):
    """A table of randomized cells, and everything needed to estimate what is behind them.

    Attributes
    ----------
    table : Table
        The randomized cells: same columns, roles and rows; identifying columns left out.
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
            raise ParameterError(f"No column {column!r}. {did_you_mean(str(column), known)}")
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
        One row per person.
    epsilon : Fraction or float
        The budget of a row, above 0; a float is the decimal it is written as.
    split : {"equal", "pairs"} or mapping
        How it is split over columns, see :func:`~discreet.synthesize.budget.split_budget`.
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
    Sanitized(4 rows, 2 columns, epsilon 2 a row, experimental: not for publication)
    >>> sent.table.to_frame()["job"].to_list()
    ['b', 'b', 'a', 'a']
    """
    given = table if isinstance(table, Table) else Table.from_frame(table)
    names = published_columns(given, columns)
    noise = noise_from(seed)
    values = column_domains(given, columns=names, domains=domains)
    budget = split_budget({n: len(v) for n, v in values.items()}, epsilon=epsilon, split=split)
    channels = tuple(
        Channel(column=name, values=values[name], epsilon=budget[name]) for name in names
    )
    codes = {
        one.column: respond(listed_codes(given, one.column, one.values), channel=one, noise=noise)
        for one in channels
    }
    like = typed_like(values, given, is_public=domains is not None)
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
    other = noise.integers(channel.size - 1, len(codes))
    other += other >= codes  # the values but one's own, in order
    return np.where(noise.bernoulli(channel.p, len(codes)), codes, other)
