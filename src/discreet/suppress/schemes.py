"""Where the rule comes from that says which cells of a row are suppressed.

Each scheme is told which rows train it, if any, and marks cells of the rows to be published.
What it marks in a row depends on that row and on what was learnt, never on other rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.mine.database import Database
from discreet.mine.mark_itemsets import mark_itemsets
from discreet.mine.minimal_infrequent import minimal_infrequent

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.mine.limits import Limits
    from discreet.noise import Noise
    from discreet.suppress.domain_itemsets import DomainItemsets

    Marks = NDArray[np.bool_]
    Rows = NDArray[np.int64]


class Scheme(Protocol):
    """What says which cells are suppressed."""

    @property
    def split_rate(self) -> Fraction | None:
        """Share of the rows that train it, or None if no row does."""

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:
        """Return the rule learnt from rows, given by place: from other rows to their marks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DpScheme:
    """An allow list of values and pairs, by noisy supports in the training part.

    An itemset is allowed if its support plus noise is above ``theta``. One row changes
    ``itemsets.sensitivity`` supports by one each, so the list is
    (sensitivity / scale)-differentially private for the rows that train it.
    """

    codes: NDArray[np.int64]
    itemsets: DomainItemsets
    split_rate: Fraction
    theta: int
    scale: Fraction

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:
        """Return the rule of the allow list."""
        supports = self.itemsets.supports(self.codes[training])
        allowed = supports + noise.discrete_laplace(self.scale, len(self.itemsets)) > self.theta
        return lambda rows: self.itemsets.marks(self.codes[rows], allowed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicScheme:
    """Minimal infrequent itemsets of a public table; values that it lacks are marked too."""

    table: Table
    public: Table
    theta: int
    limits: Limits
    split_rate: None = None

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:  # noqa: ARG002
        """Return the rule of the public table; no row of the protected one trains it."""
        return _infrequent_in(self.public, self.table, self.theta, self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitScheme:
    """Minimal infrequent itemsets of the training part as it is: no protection for its rows."""

    table: Table
    split_rate: Fraction
    theta: int
    limits: Limits

    def learn(self, training: Rows, noise: Noise) -> Callable[[Rows], Marks]:  # noqa: ARG002
        """Return the rule of the training part."""
        return _infrequent_in(self.table.take(training), self.table, self.theta, self.limits)


def _infrequent_in(
    learnt_from: Table, table: Table, theta: int, limits: Limits
) -> Callable[[Rows], Marks]:
    """Return the rule that marks what is infrequent in one table in rows of another."""
    columns = table.columns
    if learnt_from.n_rows <= theta:  # the empty set is infrequent: nothing may be seen
        return lambda rows: np.ones((len(rows), len(columns)), np.bool_)
    seen = Database.from_table(learnt_from, columns=columns, **limits)
    infrequent = minimal_infrequent(seen, theta=theta, **limits)

    def marks(rows: Rows) -> Marks:
        applied = table.take(rows)
        found = mark_itemsets(Database.from_table(applied, **limits), infrequent, **limits)
        for place, name in enumerate(columns):
            known = set(learnt_from.values(name))
            new = np.array([value not in known for value in applied.values(name)], np.bool_)
            found[:, place] |= new[applied.codes(name)] if len(new) else False
        return found

    return marks
