"""Every miner, through its public function, against brute force."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.mine import Item, Itemsets
from tests.oracles import brute_force
from tests.strategies import (
    SUPPORTS,
    THETAS,
    Record,
    TableWithHierarchies,
    as_transactions,
    tables,
    tables_with_hierarchies,
    transactions,
)

Supports = dict[frozenset[Hashable], int]
ABOVE: list[tuple[str, Callable[..., Supports]]] = [  # all three take (transactions, min_support)
    ("frequent", brute_force.frequent),
    ("closed", brute_force.closed),
    ("maximal", brute_force.maximal),
    ("non_derivable", brute_force.non_derivable),
]


def as_table(records: Sequence[Record]) -> dc.Table:
    width = len(records[0]) if records else 1
    return dc.Table.from_frame({f"c{j}": [record[j] for record in records] for j in range(width)})


def plain(found: Itemsets) -> Supports:
    """Undo the labels of a table: items as pairs (column number, value)."""
    numbered = {
        label: (int(label.column[1:]), label.value)
        for label in found.labels
        if isinstance(label, Item)
    }
    return {
        frozenset(numbered[item] for item in items if isinstance(item, Item)): support
        for items, support in found
    }


@pytest.mark.parametrize(("name", "oracle"), ABOVE)
@given(baskets=transactions(), min_support=SUPPORTS)
def test_above_threshold_in_transactions(
    name: str, oracle: Callable[..., Supports], baskets: list[frozenset[str]], min_support: int
) -> None:
    found = getattr(dc.mine, name)(dc.Transactions.from_iterable(baskets), min_support=min_support)
    assert dict(found) == oracle(baskets, min_support)


@pytest.mark.parametrize(("name", "oracle"), ABOVE)
@given(records=tables(max_columns=6), min_support=SUPPORTS)
def test_above_threshold_in_tables(
    name: str, oracle: Callable[..., Supports], records: list[Record], min_support: int
) -> None:
    found = getattr(dc.mine, name)(as_table(records), min_support=min_support)
    assert plain(found) == oracle(as_transactions(records), min_support)


@given(tables(max_columns=6), THETAS)
def test_minimal_infrequent_and_their_cells(records: list[Record], theta: int) -> None:
    table, baskets = as_table(records), as_transactions(records)
    found = plain(dc.mine.minimal_infrequent(table, theta=theta))
    assert found == brute_force.minimal_infrequent(baskets, theta)
    marks = dc.mine.mark_cells(table, theta=theta)
    for row, basket in enumerate(baskets):
        inside = {item for itemset in found if itemset <= basket for item in itemset}
        assert [bool(mark) for mark in marks[row]] == [cell in inside for cell in sorted(basket)]


@given(transactions(), THETAS)
def test_minimal_infrequent_in_transactions(baskets: list[frozenset[str]], theta: int) -> None:
    found = dict(dc.mine.minimal_infrequent(dc.Transactions.from_iterable(baskets), theta=theta))
    assert found == brute_force.minimal_infrequent(baskets, theta)


@pytest.mark.parametrize("name", ["frequent", "closed", "maximal"])
@given(baskets=transactions(), min_support=SUPPORTS, max_size=st.integers(1, 4))
def test_counting_agrees_with_listing(
    name: str, baskets: list[frozenset[str]], min_support: int, max_size: int
) -> None:
    data = dc.Transactions.from_iterable(baskets)
    found = getattr(dc.mine, name)(data, min_support=min_support, max_size=max_size)
    counts = getattr(dc.mine, f"count_{name}")(data, min_support=min_support, max_size=max_size)
    assert counts.total == len(found)
    by_size = np.bincount(found.sizes, minlength=len(counts.by_size)).tolist()
    assert list(counts.by_size) == by_size[: len(counts.by_size)]


@given(transactions(), SUPPORTS)
def test_the_empty_itemset_is_asked_for_by_name(
    baskets: list[frozenset[str]], min_support: int
) -> None:
    data = dc.Transactions.from_iterable(baskets)
    n_rows, empty = len(baskets), frozenset[str]()
    everywhere = frozenset.intersection(*baskets) if baskets else empty
    any_frequent = bool(brute_force.frequent(baskets, min_support))
    expected = {
        "frequent": n_rows >= min_support,
        "closed": n_rows >= min_support and not everywhere,
        "maximal": n_rows >= min_support and not any_frequent,
    }
    for name, wanted in expected.items():
        plain_result = dict(getattr(dc.mine, name)(data, min_support=min_support))
        with_empty = dict(getattr(dc.mine, name)(data, min_support=min_support, include_empty=True))
        assert with_empty == plain_result | ({empty: n_rows} if wanted else {})


@given(tables_with_hierarchies(), st.integers(1, 5))
def test_generalized_closed(case: TableWithHierarchies, k: int) -> None:
    names = [f"c{j}" for j in range(len(case.hierarchies))]
    table = as_table(case.records) if case.records else dc.Table.from_frame({n: [] for n in names})
    trees = {}
    for name, parent_of in zip(names, case.hierarchies, strict=True):
        rows = [[str(node) for node in brute_force.chain(value, parent_of)] for value in "pqrs"]
        trees[name] = dc.Hierarchy.from_levels(rows)
    found = dc.mine.generalized_closed(table, trees, k=k)
    supports = sorted(found.supports.tolist())
    assert supports == sorted(
        brute_force.generalized_closed(case.records, case.hierarchies, k).values()
    )
    for i in range(len(found)):
        covers = [
            {
                leaf
                for leaf in "pqrs"
                if node in (tree.node_of(leaf), *tree.ancestors(tree.node_of(leaf)))
            }
            for node, tree in zip(found.nodes[i].tolist(), trees.values(), strict=True)
        ]
        inside = [r for r in case.records if all(v in c for v, c in zip(r, covers, strict=True))]
        assert len(inside) == found.supports[i]


@given(transactions(), SUPPORTS, st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 0.9, 1.0]))
def test_rules(baskets: list[frozenset[str]], min_support: int, min_confidence: float) -> None:
    itemsets = dc.mine.frequent(dc.Transactions.from_iterable(baskets), min_support=min_support)
    found = dc.mine.rules(itemsets, min_confidence=min_confidence)
    expected = brute_force.rules(baskets, min_support, Fraction(str(min_confidence)))
    words = [found.in_words(i) for i in range(len(found))]
    assert {(frozenset(a), frozenset(c)) for a, c in words} == set(expected)
    assert len(words) == len(expected)
    for i, (antecedent, consequent) in enumerate(words):
        rule = expected[frozenset(antecedent), frozenset(consequent)]
        assert found.supports[i] == rule.support
        assert found.confidences[i] == pytest.approx(float(rule.confidence))
        assert found.lifts[i] == pytest.approx(float(rule.lift))


@given(transactions(max_items=5), st.data())
def test_bounds_from_all_subsets(baskets: list[frozenset[str]], data: st.DataObject) -> None:
    items = data.draw(st.frozensets(st.sampled_from("abcde"), min_size=1))
    supports = {s: brute_force.support(baskets, s) for s in brute_force.subsets(items)}
    published = Itemsets.from_mapping(
        {s: n for s, n in supports.items() if s and s != items}, n_rows=len(baskets)
    )
    found = dc.mine.bounds(published, items)
    assert (found.lower, found.upper) == brute_force.deduction_bounds(supports, items)
    assert found.lower <= supports[items] <= found.upper


@given(transactions(max_items=5), st.data())
def test_bounds_from_some_subsets_never_cut_off_the_truth(
    baskets: list[frozenset[str]], data: st.DataObject
) -> None:
    items = data.draw(st.frozensets(st.sampled_from("abcde"), min_size=1))
    every = sorted((s for s in brute_force.subsets(items) if s and s != items), key=sorted)
    some = data.draw(st.sets(st.sampled_from(every))) if every else set()
    supports = {s: brute_force.support(baskets, s) for s in some}
    found = dc.mine.bounds(Itemsets.from_mapping(supports, n_rows=len(baskets)), items)
    assert found.lower <= brute_force.support(baskets, items) <= found.upper
    assert found.upper <= min([len(baskets), *supports.values()])


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_any_number_of_threads_gives_the_same_arrays(threads: int) -> None:
    data = dc.datasets.baskets(400)
    for found, again in (
        (
            dc.mine.frequent(data, min_support=8),
            dc.mine.frequent(data, min_support=8, threads=threads),
        ),
        (
            dc.mine.minimal_infrequent(data, theta=2, max_size=3),
            dc.mine.minimal_infrequent(data, theta=2, max_size=3, threads=threads),
        ),
    ):
        assert len(found) > 50
        assert np.array_equal(found.items, again.items)
        assert np.array_equal(found.offsets, again.offsets)
        assert np.array_equal(found.supports, again.supports)


def test_canonical_order_is_by_size_then_item_number() -> None:
    found = dc.mine.frequent(dc.datasets.baskets(300), min_support=5)
    keys = [
        (int(size), found.items[start:end].tolist())
        for size, start, end in zip(found.sizes, found.offsets, found.offsets[1:], strict=False)
    ]
    assert keys == sorted(keys)


def test_limits_say_how_far_it_came_and_what_to_change() -> None:
    data = dc.Transactions.from_iterable([range(20)] * 2)
    with pytest.raises(LimitError, match=r"More than 1,000 results .* Raise min_support"):
        dc.mine.frequent(data, min_support=1, max_itemsets=1000)
    with pytest.raises(LimitError, match=r"More than 100 bytes needed .* raise max_memory"):
        dc.mine.frequent(data, min_support=1, max_memory=100)


def test_two_to_the_sixty_itemsets_end_in_an_error() -> None:
    data = dc.Transactions.from_iterable([range(60)] * 2)
    with pytest.raises(LimitError, match="More than 50,000,000 results"):
        dc.mine.frequent(data, min_support=1)
    assert dict(dc.mine.closed(data, min_support=1)) == {frozenset(range(60)): 2}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (dc.mine.frequent, "exactly one of min_support"),
        (
            lambda d: dc.mine.frequent(d, min_support=1, min_frequency=0.5),
            "exactly one of min_support",
        ),
        (lambda d: dc.mine.closed(d, min_support=0), "min_support=0 must be"),
        (lambda d: dc.mine.closed(d, min_support=True), "use min_frequency"),
        (lambda d: dc.mine.maximal(d, min_frequency=30), "use min_support"),
        (lambda d: dc.mine.frequent(d, min_support=1, max_size=0), "max_size=0"),
        (lambda d: dc.mine.frequent(d, min_support=1, threads=-1), "threads=-1"),
        (lambda d: dc.mine.frequent(d, min_support=1, max_itemsets=0), "max_itemsets=0"),
        (lambda d: dc.mine.frequent(d, min_support=1, max_memory=0), "max_memory=0"),
        (lambda d: dc.mine.minimal_infrequent(d, theta=-1), "theta=-1"),
        (lambda d: dc.mine.mark_cells(d, theta=1), "needs a table"),
        (
            lambda d: dc.mine.rules(dc.mine.frequent(d, min_support=1), min_confidence=2),
            "min_confidence=2",
        ),
        (lambda d: dc.mine.bounds(dc.mine.frequent(d, min_support=1), ()), "0 items"),
        (lambda d: dc.mine.bounds(dc.mine.frequent(d, min_support=1), range(30)), "30 items"),
        (lambda d: dc.mine.Database.of(d).code("x"), "No item 'x'"),
    ],
)
def test_bad_parameters_are_named(call: Callable[[dc.Transactions], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call(dc.Transactions.from_iterable([{"a", "b"}, {"a"}]))


def test_generalized_closed_names_wrong_columns_and_k() -> None:
    table = dc.Table.from_frame({"sex": ["f", "m"]})
    with pytest.raises(ParameterError, match=r"'sxe', which is no column\. Did you mean 'sex'"):
        dc.mine.generalized_closed(table, {"sxe": dc.Hierarchy.flat(["f", "m"])}, k=1)
    with pytest.raises(ParameterError, match="k=0"):
        dc.mine.generalized_closed(table, {}, k=0)


def test_rules_need_all_subsets() -> None:
    closed = dc.mine.closed(dc.Transactions.from_iterable([{1, 2}] * 2), min_support=1)
    with pytest.raises(DataError, match=r"use dc\.mine\.frequent"):
        dc.mine.rules(closed, min_confidence=0.5)


def test_a_share_is_read_as_the_decimal_it_prints_as() -> None:
    assert 0.07 * 100 > 7  # what binary rounding would ask for
    data = dc.Transactions.from_iterable([{1}] * 7 + [{2}] * 6 + [set()] * 87)
    assert dict(dc.mine.frequent(data, min_frequency=0.07)) == {frozenset({1}): 7}


def test_progress_is_told_and_can_stop_the_search() -> None:
    dense = np.random.default_rng(1).random((200, 80)) < 0.7
    data = dc.Transactions.from_iterable([np.flatnonzero(row).tolist() for row in dense])

    class Enough(Exception):  # noqa: N818  not an error
        pass

    def stop(fraction: float, /) -> None:
        assert 0 <= fraction <= 1
        raise Enough

    with pytest.raises(Enough):
        dc.mine.count_closed(data, min_support=1, max_itemsets=2**60, progress=stop)


def test_identifying_columns_take_no_part() -> None:
    table = dc.Table.from_frame(
        {"name": ["x", "y", "z"], "sex": ["f", "f", "m"]}, roles={"name": "identifying"}
    )
    assert plain_words(dc.mine.minimal_infrequent(table, theta=1)) == [["sex=m"]]
    assert dc.mine.mark_cells(table, theta=1).tolist() == [[False], [False], [True]]


def plain_words(found: Itemsets) -> list[list[str]]:
    return [found.in_words(i) for i in range(len(found))]
