"""Rules on groups of rows besides their size: l-diversity, t-closeness, several households.

Each is a condition on how often the values of one column occur in a group, so one form holds
all of them: a column of values, and a test of its counts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Kind = Literal["distinct", "entropy", "recursive", "closeness"]
SLACK = 1e-12  # a rounding error of sums of shares is no breach
_CELLS = 1 << 22  # of a dense block of groups by values


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rule:
    r"""A condition on the values of one column in every group.

    Attributes
    ----------
    column : str
        The column.
    kind : {"distinct", "entropy", "recursive", "closeness"}
        ``distinct``: at least ``level`` values. ``entropy``:
        :math:`\exp(-\sum_v p(v) \ln p(v)) \ge` ``level``. ``recursive``:
        :math:`r_1 < c \, (r_l + \dots + r_m)` for counts :math:`r_1 \ge \dots \ge r_m`, with
        :math:`l` = ``level`` and :math:`c` = ``ratio``. ``closeness``: distance of the group's
        shares from those of the table at most ``level``.
    level : float
        :math:`l`, :math:`t`, or the number of households.
    ratio : float
        :math:`c` of a recursive rule, else 0.
    values : array of int32
        The value of each row, from 0. For closeness they are numbered so that each edge
        parts a run of them from the others.
    n_values : int
        How many values there are.
    starts, stops : array of int32
        Of closeness: the values on one side of each edge of the tree along which mass moves.
    lengths : array of float
        Of closeness: the length of each edge. The distance is
        :math:`\sum_e \text{length}_e \, | \sum_{v \in e} (p(v) - q(v)) |`.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity,
    definitions 4 and 5; N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.
    """

    column: str
    kind: Kind
    level: float
    ratio: float = 0.0
    values: NDArray[np.int32]
    n_values: int
    starts: NDArray[np.int32]
    stops: NDArray[np.int32]
    lengths: NDArray[np.float64]

    @property
    def overall(self) -> NDArray[np.float64]:
        """The share of each value in the table."""
        return np.bincount(self.values, minlength=self.n_values) / max(len(self.values), 1)

    def of_rows(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Rule:
        """Return the rule of a table that has only these rows; closeness is then to them.

        A value that none of them has is no longer there: on a line its gap closes.
        """
        values = self.values[rows]
        is_line = self.kind == "closeness" and not self.starts.any()
        if not is_line or len(np.unique(values)) == self.n_values:
            return replace(self, values=values)
        found, values = np.unique(values, return_inverse=True)
        each = np.arange(len(found), dtype=np.int32)
        return replace(
            self, values=values.reshape(-1).astype(np.int32), n_values=len(found),
            starts=np.zeros_like(each), stops=each + 1,
            lengths=np.full(len(found), 1 / max(len(found) - 1, 1)),
        )  # fmt: skip

    def holds(self, group_of: NDArray[np.integer], n_groups: int) -> NDArray[np.bool_]:
        """Return for each group of rows whether it obeys the rule.

        Parameters
        ----------
        group_of : array of int
            The group of each row of the table, from 0; -1 for rows in no group.
        n_groups : int
            How many there are; none is empty.
        """
        used = np.flatnonzero(group_of >= 0)
        pairs = group_of[used].astype(np.int64) * self.n_values + self.values[used]
        found, counts = np.unique(pairs, return_counts=True)
        groups, values = np.divmod(found, self.n_values)
        if self.kind == "closeness":
            return self._is_close(groups, values, counts, n_groups)
        sizes = np.bincount(groups, counts, n_groups)
        if self.kind == "distinct":
            return np.asarray(np.bincount(groups, minlength=n_groups) >= self.level)
        if self.kind == "entropy":
            shares = counts / sizes[groups]
            nats = -np.bincount(groups, shares * np.log(shares), n_groups)
            is_diverse: NDArray[np.bool_] = nats >= np.log(self.level) - SLACK
            return is_diverse
        order = np.lexsort((-counts, groups))
        counts, groups = counts[order], groups[order]
        first = np.searchsorted(groups, np.arange(n_groups))
        is_tail = np.arange(len(groups)) - first[groups] >= self.level - 1
        tails = np.bincount(groups, counts * is_tail, n_groups)
        # A quotient of counts rounds to c where it is c; a product of c and a count may not.
        ratios = counts[first] / np.maximum(tails, 1)
        is_mixed: NDArray[np.bool_] = (tails > 0) & (ratios < self.ratio)
        return is_mixed

    def _is_close(
        self,
        groups: NDArray[np.int64],
        values: NDArray[np.int64],
        counts: NDArray[np.int64],
        n_groups: int,
    ) -> NDArray[np.bool_]:
        close = np.ones(n_groups, bool)
        overall = self.overall
        step = max(1, _CELLS // max(self.n_values, 1))
        for low in range(0, n_groups, step):
            part = slice(*np.searchsorted(groups, [low, low + step]))
            block = np.zeros((min(step, n_groups - low), self.n_values))
            block[groups[part] - low, values[part]] = counts[part]
            block /= block.sum(axis=1, keepdims=True)
            below = np.zeros((len(block), self.n_values + 1))
            np.cumsum(block - overall, axis=1, out=below[:, 1:])
            moved = np.abs(below[:, self.stops] - below[:, self.starts]) @ self.lengths
            close[low : low + step] = moved <= self.level + SLACK
        return close
