"""What randomized cells cost: one cell, a group of columns, a row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import LimitError, ParameterError, did_you_mean
from discreet.release.exact import shown
from discreet.result import Preview, Result
from discreet.synthesize.parameters import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from discreet.synthesize.channel import Channel

MAX_PATTERNS = 4096


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
        The sum over all columns. This is what a person gives away.
    """

    cells: dict[str, Fraction]
    groups: dict[str, Fraction]
    row: Fraction

    def preview(self) -> Preview:
        """Return all three, the row last."""
        rows = [(f"cell of {name}", shown("epsilon", one)) for name, one in self.cells.items()]
        rows += [(f"columns {name}", shown("epsilon", one)) for name, one in self.groups.items()]
        rows.append(("row", shown("epsilon", self.row)))
        return Preview(title="What is given away", header=("of", "epsilon"), rows=rows)

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
    >>> from discreet.synthesize.channel import Channel
    >>> two = [Channel(column=name, values=(0, 1), epsilon=Fraction(1, 2)) for name in "ab"]
    >>> account(two, groups={"both": "ab"}).groups
    {'both': Fraction(1, 1)}
    """
    cells = {channel.column: channel.epsilon for channel in channels}
    for group, names in (groups or {}).items():
        for name in names:
            if name not in cells:
                raise ParameterError(f"Group {group!r}: no column {name!r}. "
                                     f"{did_you_mean(name, cells)}")  # fmt: skip
        if len(set(names)) < len(names):
            raise ParameterError(f"Group {group!r} names a column twice.")
    return Accounting(
        cells=cells,
        groups={
            group: sum((cells[name] for name in names), Fraction(0))
            for group, names in (groups or {}).items()
        },
        row=sum(cells.values(), Fraction(0)),
    )


def query_epsilon(
    itemsets: Iterable[Iterable[tuple[str | int, Hashable]]],
    *,
    epsilon: Fraction | float,
    sizes: Mapping[str | int, int] | None = None,
) -> Fraction:
    r"""Return what a row costs if it answers, randomized, whether it contains each itemset.

    .. math:: \varepsilon \max_{x, x'} \#\{ i : 1[I_i \subseteq x] \ne 1[I_i \subseteq x'] \}

    Parameters
    ----------
    itemsets : iterable of itemsets
        Each a set of (column, value) pairs: the queries.
    epsilon : Fraction or float
        Cost of each answer, which is a bit under randomized response of its own.
    sizes : mapping, optional
        Number of values of each column. By default every column may have a value that no
        itemset names.

    Returns
    -------
    Fraction
        At most epsilon times the number of itemsets, and tight for these sizes.

    Raises
    ------
    LimitError
        If rows can answer in more than 4096 ways; the number of itemsets times epsilon is then
        a bound.

    Examples
    --------
    >>> query_epsilon([[("sex", "f")], [("sex", "m")], [("age", 1)]], epsilon=Fraction(1, 10))
    Fraction(3, 10)
    """
    queries = [frozenset(itemset) for itemset in itemsets]
    cost = exact_epsilon(epsilon)
    values: dict[str | int, set[Hashable]] = {}
    for query in queries:
        for column, value in query:
            values.setdefault(column, set()).add(value)
    patterns = {(1 << len(queries)) - 1}  # bit i: itemset i is not ruled out yet
    for column, named in values.items():
        masks = {_left_by(queries, column, value) for value in named}
        if sizes is None or sizes[column] > len(named):
            masks.add(_left_by(queries, column, None))
        patterns = {pattern & mask for pattern in patterns for mask in masks}
        if len(patterns) > MAX_PATTERNS:
            raise LimitError(
                f"Rows can answer {len(queries)} queries in more than {MAX_PATTERNS} ways. "
                f"Count with epsilon {shown('epsilon', cost * len(queries))} or ask less."
            )
    return cost * max((a ^ b).bit_count() for a in patterns for b in patterns)


def _left_by(
    queries: Sequence[frozenset[tuple[str | int, Hashable]]], column: str | int, value: Hashable
) -> int:
    """Return the queries that a row with this value in this column may still contain."""
    return sum(
        1 << i
        for i, query in enumerate(queries)
        if all(other == value for name, other in query if name == column)
    )
