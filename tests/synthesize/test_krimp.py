"""Code tables: known answers, sums that must hold, and the totals of the original program."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.synthesize import CodeTable, krimp
from tests.examples import examples
from tests.oracles import krimp as oracle

if TYPE_CHECKING:
    from pathlib import Path

ABC = [set("abc")] * 4 + [set("ab")] * 2 + [{"c"}] * 2


def transactions(path: Path) -> dc.Transactions:
    lines = path.read_text().splitlines()
    return dc.Transactions.from_iterable([int(item) for item in line.split()] for line in lines)


def test_known_003_krimp() -> None:
    rows = [frozenset("abc".index(item) for item in row) for row in ABC]
    single: set[oracle.Itemset] = {(0,), (1,), (2,)}
    expected = {
        "ST": (28.529325012980813, 9.509775004326938),
        "ST+ab": (12.0, 6.754887502163468),
        "ST+ab+abc": (12.0, 14.509775004326938),
    }
    for name, more in (("ST", []), ("ST+ab", [(0, 1)]), ("ST+ab+abc", [(0, 1), (0, 1, 2)])):
        counts = oracle.usages(single.union(more), rows)
        assert oracle.lengths(counts, rows) == pytest.approx(expected[name], abs=1e-9)
    table = krimp(dc.Transactions.from_iterable(ABC))
    assert [set(x) for x in table.itemsets if len(x) > 1] == [{"a", "b"}]
    assert (table.data_bits, table.table_bits) == pytest.approx(expected["ST+ab"], abs=1e-9)
    assert table.standard_bits == pytest.approx(expected["ST"][0], abs=1e-9)
    assert table.n_accepted == 1


@examples(40)
@given(
    rows=st.lists(st.frozensets(st.sampled_from("abcde"), min_size=1), min_size=1, max_size=12),
    candidates=st.sampled_from(["closed", "all"]),
    prune=st.booleans(),
)
def test_lengths_and_covers_equal_the_definitions(
    *, rows: list[frozenset[str]], candidates: Literal["closed", "all"], prune: bool
) -> None:
    data = dc.Transactions.from_iterable(rows)
    table = krimp(data, candidates=candidates, prune=prune)
    code = {label: number for number, label in enumerate(table.labels)}
    coded = [frozenset(code[item] for item in row) for row in rows]
    mined = oracle.frequent(coded, 1, closed=candidates == "closed")
    expected = oracle.krimp(coded, mined, pruned=prune)
    elements = [tuple(sorted(code[item] for item in x)) for x in table.itemsets]
    assert dict(zip(elements, table.usages.tolist(), strict=True)) == expected
    assert (table.data_bits, table.table_bits) == pytest.approx(oracle.lengths(expected, coded))
    assert_lossless(table, data)


def assert_lossless(table: CodeTable, data: dc.Transactions) -> None:
    """Every row is the disjoint union of its cover, and the covers add up to the usages."""
    covers = table.cover(data)
    for row, cover in zip(data, covers, strict=True):
        assert sum(map(len, cover)) == len(row)
        assert frozenset().union(*cover) == row
    place = {itemset: e for e, itemset in enumerate(table.itemsets)}
    used = np.bincount([place[x] for cover in covers for x in cover], minlength=len(table))
    assert used.tolist() == table.usages.tolist()
    assert (table.usages <= table.supports).all()
    assert table.usages @ table.sizes == sum(map(len, data))
    assert table.encoded_lengths(data).sum() == pytest.approx(table.data_bits)


REFERENCE = [  # of the original program: non-singleton sets used, L(D | CT), L(CT | D)
    ("led7.D24.N3200.C10", True, 152, 24784, 5841),
    ("led7.D24.N3200.C10", False, 194, 23891, 7653),
    ("nursery.D32.N12960.C5", True, 260, 250143, 8754),
    ("ticTacToe.D29.N958.C2", True, 160, 24231, 4632),
    ("wine.D68.N178.C3", True, 63, 8252, 2666),
]


@pytest.mark.parametrize(("name", "prune", "n_itemsets", "data_bits", "table_bits"), REFERENCE)
def test_totals_of_the_original_program(
    *, public_data: Path, name: str, prune: bool, n_itemsets: int, data_bits: int, table_bits: int
) -> None:
    data = transactions(public_data / f"lucs/{name}.num")
    table = krimp(data, candidates="all", prune=prune)
    assert table.n_itemsets == n_itemsets
    assert (round(table.data_bits), round(table.table_bits)) == (data_bits, table_bits)
    if name.startswith("led7"):
        assert table.standard_bits == pytest.approx(107090.87469, abs=1e-4)
        assert_lossless(table, data)


def test_a_table_of_columns_is_a_set_of_items() -> None:
    import polars as pl

    frame = pl.DataFrame({"x": ["a", "a", "b", "a"] * 5, "y": [1, 1, 2, 1] * 5})
    table = krimp(frame)
    as_sets = dc.Transactions.from_iterable([(f"x={x}", f"y={y}") for x, y in frame.iter_rows()])
    assert table.total_bits == pytest.approx(krimp(as_sets).total_bits)
    assert table.encoded_lengths(frame).sum() == pytest.approx(table.data_bits)
    assert len(table.cover(frame)) == 20


def test_shows_itself() -> None:
    table = krimp(dc.Transactions.from_iterable(ABC))
    assert repr(table) == "CodeTable(1 itemsets used, 19 bits, 65.7% of 29)"
    assert table.preview().rows[0] == ("b, a", "6", "6")
    assert table.to_dict()["n_rows"] == 8
    frame = table.to_frame()
    assert frame.columns == ["items", "size", "usage", "support", "bits"]
    assert frame["usage"].to_list() == [6, 6, 0, 0]


def test_rows_not_seen_before() -> None:
    table = krimp(dc.Transactions.from_iterable(ABC))
    alone = dc.Transactions.from_iterable([{"a"}, {"a", "b"}])
    assert table.encoded_lengths(alone).tolist() == [np.inf, 1.0]
    assert table.encoded_lengths(alone, smoothing=1)[0] == pytest.approx(4.0)
    with pytest.raises(DataError, match="no item 'z'"):
        table.cover(dc.Transactions.from_iterable([{"a", "z"}]))


def test_no_rows() -> None:
    table = krimp(dc.Transactions.from_iterable([]))
    assert (table.total_bits, len(table), table.compression_ratio) == (0.0, 0, 1.0)


def test_refuses() -> None:
    data = dc.Transactions.from_iterable(ABC)
    with pytest.raises(ParameterError, match="candidates='some'"):
        krimp(data, candidates="some")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="min_support=0"):
        krimp(data, min_support=0)
    with pytest.raises(LimitError, match="max_itemsets"):
        krimp(data, candidates="all", max_itemsets=2)
    with pytest.raises(ParameterError, match="smoothing=-1"):
        krimp(data).encoded_lengths(data, smoothing=-1)


def test_an_item_in_sets_of_hundreds_of_sizes() -> None:
    """Each row begins the next, so that the first item is in a set of every size there is."""
    rows = [frozenset(range(size)) for size in range(1, 271) for _ in range(20)]
    table = krimp(dc.Transactions.from_iterable(rows))
    assert int(table.usages @ table.sizes) == sum(map(len, rows))  # every item is covered once


def test_rows_that_are_too_long_are_refused() -> None:
    data = dc.Transactions.from_iterable([range(5000), range(3)])
    with pytest.raises(LimitError, match=r"A row has 5,000 items, and Krimp is for .* 4,096"):
        krimp(data, min_support=2)
