"""Random tiny inputs: tables, transactions and hierarchies small enough for brute force.

Small alphabets make equal rows, columns with one value and items of every row common; nothing here
is ever filtered, so that every draw is a test.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import strategies as st

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Record = tuple[str, ...]
Hierarchy = dict[str, str]

SUPPORTS = st.integers(min_value=1, max_value=12)
"""Thresholds of support, some of them larger than any number of rows."""

THETAS = st.integers(min_value=0, max_value=12)
"""Thresholds of infrequency, 0 and some larger than any number of rows included."""


class TableWithHierarchies(NamedTuple):
    """Records and, per column, a mapping from child to parent."""

    records: list[Record]
    hierarchies: list[Hierarchy]


def transactions(
    *, max_items: int = 6, max_transactions: int = 10
) -> st.SearchStrategy[list[frozenset[str]]]:
    """Return transactions over at most 8 items, empty and equal ones included."""
    items = st.sampled_from("abcdefgh")
    return st.lists(st.frozensets(items, max_size=max_items), max_size=max_transactions)


@st.composite
def tables(draw: DrawFn, *, max_columns: int = 8, max_records: int = 10) -> list[Record]:
    """Return the records of a table of 1 to 8 columns with 1 to 4 values each."""
    n_values = draw(
        st.lists(st.integers(min_value=1, max_value=4), min_size=1, max_size=max_columns)
    )
    record = st.tuples(*(st.sampled_from("pqrs"[:count]) for count in n_values))
    return draw(st.lists(record, max_size=max_records))


def as_transactions(records: list[Record]) -> list[frozenset[tuple[int, str]]]:
    """Return each record as the set of its pairs (column, value)."""
    return [frozenset(enumerate(record)) for record in records]


@st.composite
def hierarchies(draw: DrawFn, values: str = "pqrs") -> Hierarchy:
    """Return a tree over the values, as a mapping from child to parent; the root is ``*``.

    Trees are unbalanced as they come. A group of one makes a unary chain.
    """
    parent_of: Hierarchy = {}
    tops = list(values)
    for number in range(draw(st.integers(min_value=0, max_value=2))):
        group = draw(st.sets(st.sampled_from(tops), min_size=1))
        name = f"group{number}"
        parent_of.update(dict.fromkeys(sorted(group), name))
        tops = [top for top in tops if top not in group] + [name]
    parent_of.update(dict.fromkeys(tops, "*"))
    return parent_of


@st.composite
def tables_with_hierarchies(
    draw: DrawFn, *, max_columns: int = 3, max_records: int = 8
) -> TableWithHierarchies:
    """Return a table together with one hierarchy per column."""
    n_columns = draw(st.integers(min_value=1, max_value=max_columns))
    record = st.tuples(*(st.sampled_from("pqrs") for _ in range(n_columns)))
    return TableWithHierarchies(
        records=draw(st.lists(record, max_size=max_records)),
        hierarchies=[draw(hierarchies()) for _ in range(n_columns)],
    )
