"""How well a sensitive column is mixed inside the equivalence classes.

k-anonymity hides who a row belongs to, not what the row says: if all rows of a class have the
same sensitive value, the class tells it. l-diversity and t-closeness measure that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.closeness import equal_distance, hierarchical_distance, ordered_distance
from discreet.assess.value_counts import ValueCounts
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column, Label
    from discreet.data.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    r"""One sensitive column: the diversity of its least diverse class.

    Attributes
    ----------
    column : str
        The sensitive column.
    n_values : int
        Number of its values in the table, a missing one included.
    distinct : int
        Distinct l-diversity: every class has at least so many values; 0 without rows.
    entropy : float
        Entropy l-diversity: :math:`\min_E \exp(-\sum_v p_E(v) \ln p_E(v))`, where
        :math:`p_E(v)` is the share of value :math:`v` in class :math:`E`.
    recursive_ratios : tuple of float
        Entry :math:`l - 1` is :math:`\max_E r_1 / (r_l + \dots + r_m)`, where
        :math:`r_1 \ge \dots \ge r_m` are the counts of the values in class :math:`E`; for
        :math:`l` up to ``distinct``. See :meth:`is_recursive`.
    t_equal : float
        t-closeness if all values are equally far apart.
    t_ordered, t_hierarchical : float or None
        t-closeness along the order and through the hierarchy, if they were given.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity,
    definitions 4 (entropy) and 5 (recursive); N. Li, T. Li, S. Venkatasubramanian (2007),
    t-Closeness, definition 2.
    """

    column: str
    n_values: int
    distinct: int
    entropy: float
    recursive_ratios: tuple[float, ...]
    t_equal: float
    t_ordered: float | None = None
    t_hierarchical: float | None = None

    def is_recursive(self, *, c: float, l: int) -> bool:  # noqa: E741  the paper's letter
        """Return whether the table is recursive (c, l)-diverse.

        In every class the most frequent value must occur less than ``c`` times as often as
        the values from the ``l``-th most frequent on together.

        Parameters
        ----------
        c : float
            Above 0.
        l : int
            At least 1.

        Examples
        --------
        >>> mixed = Diversity(
        ...     column="job", n_values=2, distinct=2, entropy=1.9, recursive_ratios=(0.6, 1.5),
        ...     t_equal=0.1,
        ... )
        >>> mixed.is_recursive(c=2, l=2), mixed.is_recursive(c=1.5, l=2)
        (True, False)
        """
        if c <= 0:
            raise ParameterError(f"c={c} must be above 0.")
        if l < 1:
            raise ParameterError(f"l={l} must be at least 1.")
        if not self.distinct:  # no class, so none that fails
            return True
        return l <= self.distinct and self.recursive_ratios[l - 1] < c

    @property
    def sentence(self) -> str:
        """The diversity in one plain sentence."""
        if not self.distinct:
            return f"There is no row, so nothing is told about '{self.column}'."
        if self.distinct == 1:
            return (
                f"Some class has one value of '{self.column}' only: whoever is known to be in it "
                f"has that value (distinct l = 1, t = {self.t_equal:.3f})."
            )
        return (
            f"Every class has at least {self.distinct} values of '{self.column}' "
            f"(entropy l = {self.entropy:.2f}, t = {self.t_equal:.3f})."
        )

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "column": self.column,
            "n_values": self.n_values,
            "distinct": self.distinct,
            "entropy": self.entropy,
            "recursive_ratios": list(self.recursive_ratios),
            "t_equal": self.t_equal,
            "t_ordered": self.t_ordered,
            "t_hierarchical": self.t_hierarchical,
        }


def diversity(
    name: str,
    column: Column,
    classes: Classes,
    *,
    order: Sequence[Label] | None = None,
    hierarchy: Hierarchy | None = None,
) -> Diversity:
    """Return the diversity of one sensitive column in given classes.

    Parameters
    ----------
    name : str
        The column's name.
    column : Column
        Its codes and values.
    classes : Classes
        The equivalence classes.
    order : sequence, optional
        All values of the column in their order, for the ordered distance.
    hierarchy : Hierarchy, optional
        A tree over its values, for the hierarchical distance.

    Notes
    -----
    Time and memory grow with the rows, for the ordered and hierarchical distance also with
    classes times values.
    """
    counts = ValueCounts.of(classes, column)
    distinct = int(np.diff(counts.starts).min()) if len(classes) else 0
    places = None if order is None else _places(name, column, order)
    return Diversity(
        column=name,
        n_values=len(column.values),
        distinct=distinct,
        entropy=_entropy(counts),
        recursive_ratios=_recursive_ratios(counts, distinct),
        t_equal=equal_distance(counts),
        t_ordered=(
            None
            if order is None or places is None
            else ordered_distance(counts, places, len(order))
        ),
        t_hierarchical=None if hierarchy is None else hierarchical_distance(counts, hierarchy),
    )


def _entropy(counts: ValueCounts) -> float:
    if not counts.n_classes:
        return 0.0
    nats = -np.add.reduceat(counts.shares * np.log(counts.shares), counts.starts[:-1])
    return float(np.exp(max(0.0, nats.min())))


def _recursive_ratios(counts: ValueCounts, distinct: int) -> tuple[float, ...]:
    """Return max over classes of r_1 / (r_l + ... + r_m) for l = 1 to ``distinct``."""
    begin = counts.starts[counts.classes]
    before = np.concatenate([[0], np.cumsum(counts.counts)])
    tail = counts.sizes[counts.classes] - (before[:-1] - before[begin])
    largest = np.zeros(len(counts.labels))
    np.maximum.at(
        largest, np.arange(len(begin)) - begin, counts.counts[begin] / np.maximum(tail, 1)
    )
    return tuple(largest[:distinct].tolist())


def _places(name: str, column: Column, order: Sequence[Label]) -> NDArray[np.int64]:
    """Return the place of each value of the column in the order given."""
    place_of = {value: place for place, value in enumerate(order)}
    if len(place_of) < len(order):
        raise ParameterError(f"The order of column '{name}' names a value twice.")
    lacking = [value for value in column.values if value not in place_of]
    if lacking:
        shown = ", ".join(map(repr, lacking[:3])) + (", ..." if len(lacking) > 3 else "")
        raise ParameterError(
            f"The order of column '{name}' lacks {len(lacking)} of its values: {shown}. "
            "List every value once, None for a missing one."
        )
    return np.array([place_of[value] for value in column.values], np.int64)
