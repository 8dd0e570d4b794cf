"""Full-domain generalization: every value of a column is shown at one level of its hierarchy.

Levels are counted from the leaves that are farthest from the root: level 0 shows every value,
each level shows nodes one step nearer to the root, and a value nearer to the root than others
stays as it is until the others have come up to it. The last level is the root.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.classes import equal_codes
from discreet.errors import ParameterError
from discreet.generalize.release import nodes_release
from discreet.release.event import Event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.table import Table
    from discreet.generalize.problem import Options, Problem
    from discreet.release.release import Release


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FullDomain:
    """The distinct rows of a problem, and what they show at every level.

    Attributes
    ----------
    problem : Problem
        The rows, costs, ``k`` and rules.
    distinct : Classes
        The distinct rows.
    shown : tuple of arrays
        For each column, levels by distinct rows: the node that the row shows.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> tree = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
    >>> people = dc.Table.from_frame({"number": [1, 3, 2, 1]})
    >>> problem = state_problem(people, k=2, options={"hierarchies": {"number": tree}})
    >>> domain = FullDomain.of(problem)
    >>> [[tree.labels[node] for node in nodes] for nodes in domain.shown[0]]
    [[1, 3, 2], ['low', 'high', 'low'], ['*', '*', '*']]
    >>> domain.to_drop([0]).tolist(), domain.to_drop([1]).tolist()
    ([False, True, True], [False, True, False])
    """

    problem: Problem
    distinct: Classes
    shown: tuple[NDArray[np.uint32], ...]

    @classmethod
    def of(cls, problem: Problem) -> FullDomain:
        """Return the distinct rows of a problem at every level."""
        records = problem.records
        distinct = equal_codes(list(records.leaves.T), problem.n_rows)
        leaves = records.leaves[distinct.first]
        shown = tuple(
            tree.level_nodes().T[:, leaves[:, place]].astype(np.uint32)
            for place, tree in enumerate(records.hierarchies)
        )
        return cls(problem=problem, distinct=distinct, shown=shown)

    @property
    def depths(self) -> tuple[int, ...]:
        """The last level of each column."""
        return tuple(len(nodes) - 1 for nodes in self.shown)

    def nodes(self, levels: Sequence[int]) -> list[NDArray[np.uint32]]:
        """Return for each column what the distinct rows show at its level."""
        return [nodes[level] for nodes, level in zip(self.shown, levels, strict=True)]

    def to_drop(self, levels: Sequence[int]) -> NDArray[np.bool_]:
        """Return which distinct rows are in classes that are too small or break a rule.

        Closeness is to the rows that stay, so classes are dropped until all that stay obey.
        """
        classes = equal_codes(self.nodes(levels), len(self.distinct))
        sizes = np.bincount(classes.class_of, self.distinct.sizes)
        is_dropped = sizes < self.problem.k  # of classes
        by_row = classes.class_of[self.distinct.class_of] if self.problem.rules else None
        while by_row is not None and not is_dropped.all():
            kept = np.flatnonzero(~is_dropped[by_row])
            found, class_of = np.unique(by_row[kept], return_inverse=True)
            obeys = np.logical_and.reduce(
                [rule.of_rows(kept).holds(class_of, len(found)) for rule in self.problem.rules]
            )
            if obeys.all():
                break
            is_dropped[found[~obeys]] = True
        return is_dropped[classes.class_of]

    def n_rows(self, is_some: NDArray[np.bool_]) -> int:
        """Return how many rows some of the distinct rows stand for."""
        return int(self.distinct.sizes[is_some].sum())


def full_domain_release(
    table: Table,
    *,
    domain: FullDomain,
    options: Options,
    levels: Sequence[int],
    method: str,
    max_dropped: float,
) -> Release:
    """Return the release in which each column is at its level, without the rows to drop."""
    problem, records = domain.problem, domain.problem.records
    distinct_rows = np.column_stack(domain.nodes(levels)).astype(np.int32)
    is_dropped = domain.to_drop(levels)
    in_words = tuple(
        f"{name}: {level} of {depth}"
        for name, level, depth in zip(records.columns, levels, domain.depths, strict=True)
    )
    event = Event(
        name=method,
        parameters={
            "k": problem.k,
            "loss": problem.loss,
            "max_dropped": Fraction(str(max_dropped)),
            "levels": in_words,
        },
        counts={"n_rows_dropped": domain.n_rows(is_dropped)},
    )
    each = domain.distinct.class_of
    return nodes_release(
        table, problem=problem, options=options, nodes=distinct_rows[each],
        is_dropped=is_dropped[each], events=(event,),
    )  # fmt: skip


def most_dropped(problem: Problem, max_dropped: float) -> int:
    """Return how many rows a share is, or raise ParameterError if it is none.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.generalize.problem import state_problem
    >>> rows = state_problem(dc.Table.from_frame({"sex": ["f"] * 100}), k=2, options={})
    >>> most_dropped(rows, 0.29)
    29
    """
    if isinstance(max_dropped, bool | str) or not 0 <= max_dropped <= 1:
        raise ParameterError(f"max_dropped={max_dropped!r} must be a share of the rows, 0 to 1.")
    return int(Fraction(str(max_dropped)) * problem.n_rows)  # in floats 0.29 of 100 is 28.99...
