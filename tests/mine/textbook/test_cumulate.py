"""Cumulate: frequent itemsets over taxonomies, and the closed ones among them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from discreet.errors import DataError, HierarchyError, ParameterError
from discreet.mine.textbook import closed_generalized, cumulate
from tests.oracles import brute_force
from tests.strategies import SUPPORTS, tables_with_hierarchies

if TYPE_CHECKING:
    from tests.strategies import TableWithHierarchies

CLOTHES = {"shirts": "clothes", "outwear": "clothes", "jacket": "outwear"}
FOOTWEAR = {"boots": "footwear", "shoes": "footwear"}
SOLD = [("shirts", "boots"), ("jacket", "boots"), ("shirts", "shoes"), ("jacket", "shoes")]


@given(table=tables_with_hierarchies(), min_support=SUPPORTS)
def test_equals_brute_force(table: TableWithHierarchies, min_support: int) -> None:
    extended = [
        {
            (column, node)
            for column, value in enumerate(record)
            for node in brute_force.chain(value, table.hierarchies[column])
        }
        for record in table.records
    ]
    one_node_per_column = {
        itemset: support
        for itemset, support in brute_force.frequent(extended, min_support).items()
        if len({column for column, _ in itemset}) == len(itemset)
    }
    found = cumulate(table.records, table.hierarchies, min_support=min_support)
    assert found == one_node_per_column


@given(table=tables_with_hierarchies(), k=SUPPORTS)
def test_closed_ones_equal_brute_force(table: TableWithHierarchies, k: int) -> None:
    found = cumulate(table.records, table.hierarchies, min_support=k)
    closed = brute_force.generalized_closed(table.records, table.hierarchies, k)
    assert closed_generalized(found, table.hierarchies) == closed


@pytest.mark.parametrize(
    ("min_support", "expected"),
    [
        pytest.param(
            3,
            [{"clothes"}, {"footwear"}, {"clothes", "footwear"}],
            id="002 section 7.3, figure 7.1",
        ),
        pytest.param(5, [], id="more than the records"),
    ],
)
def test_paper_example(min_support: int, expected: list[set[str]]) -> None:
    found = cumulate(SOLD, [CLOTHES, FOOTWEAR], min_support=min_support)
    assert [{node for _, node in itemset} for itemset in found] == expected


def test_known_answer_002_closed() -> None:
    digits = {1: "12", 2: "12", 3: "34", 4: "34", "12": "*", "34": "*"}
    letters = {"a": "ab", "b": "ab", "ab": "*", "c": "*"}
    records = [(1, "a"), (1, "b"), (2, "a"), (3, "c"), (4, "c"), (3, "c")]
    found = cumulate(records, [digits, letters], min_support=2)
    assert closed_generalized(found, [digits, letters]) == {
        ("*", "*"): 6,
        ("12", "ab"): 3,
        ("34", "c"): 3,
        (1, "ab"): 2,
        ("12", "a"): 2,
        (3, "c"): 2,
    }


def test_values_without_a_parent_are_roots() -> None:
    found = cumulate([("p", "x"), ("p", "y")], [{}, {}], min_support=2)
    assert found == {frozenset({(0, "p")}): 2}


def test_cycle_is_named() -> None:
    with pytest.raises(HierarchyError, match="column 1 has a cycle through 'b'"):
        cumulate([("p", "a")], [{}, {"a": "b", "b": "a"}], min_support=1)


def test_ragged_record_is_named() -> None:
    with pytest.raises(DataError, match="Record 1 has 1 values for 2 hierarchies"):
        cumulate([("p", "a"), ("p",)], [{}, {}], min_support=1)


def test_min_support_below_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="min_support=0 must be at least 1"):
        cumulate([], [], min_support=0)
