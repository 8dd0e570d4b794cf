"""Windows of items by integer programs, against all compatible databases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.mine import Itemsets
from discreet.patterns import channels
from discreet.patterns.leaks import leaks, window_leaks
from tests.examples import examples
from tests.oracles import channels as sets
from tests.oracles import leaks as oracle

ROWS = st.lists(st.frozensets(st.sampled_from("abc"), max_size=3), min_size=2, max_size=8)


def collection(supports: dict[str, int], n_rows: int) -> Itemsets:
    return Itemsets.from_mapping(
        {frozenset(items): support for items, support in supports.items()}, n_rows=n_rows
    )


@examples(150)
@given(rows=ROWS, k=st.integers(2, 4), sigma=st.integers(1, 4), knows=st.booleans())
def test_all_conjunctions_of_three_items(
    rows: list[frozenset[str]], k: int, sigma: int, *, knows: bool
) -> None:
    supports = sets.published(rows, sigma)
    items = "".join(sorted(frozenset().union(*supports)))
    known = sigma if knows else None
    possible = oracle.compatible(supports, len(rows), items, known)
    expected = oracle.leaking_conjunctions(possible, items, k)
    published = dc.mine.frequent(dc.Transactions.from_iterable(rows), min_support=sigma)
    found = leaks(published, k=k, min_support=known)
    told = {
        ("".join(sorted(map(str, leak.inside))), "".join(sorted(map(str, leak.outside))))
        for leak in found
        if leak.kind != "disjunctive"
    }
    assert told <= expected
    # Every leak is part of one that is told, or of a channel with fewer items.
    direct = {
        ("".join(sorted(inside)), "".join(sorted(outer - inside)))
        for inside, outer in sets.naive_channels(supports, k)
    }
    for inside, outside in expected:
        assert any(
            set(less) <= set(inside) and set(without) <= set(outside)
            for less, without in told | direct
        )
    if found.count("disjunctive"):
        assert oracle.leaking_patterns(possible, k)


def test_004_leak_sigma_has_one_database() -> None:
    published = collection({"a": 3, "b": 2, "c": 3}, 5)
    possible = oracle.compatible(
        {frozenset(i): s for i, s in {"a": 3, "b": 2, "c": 3}.items()}, 5, "abc", 2
    )
    assert possible.tolist() == [[0, 1, 0, 1, 1, 1, 1, 0]]
    assert {str(leak) for leak in window_leaks(published, k=2, min_support=2)} >= {
        "exactly 1 row has a and b", "exactly 1 row has a and c", "exactly 1 row has b and c",
    }  # fmt: skip
    assert len(window_leaks(published, k=2)) == 0


def test_one_value_in_each_column_is_used() -> None:
    table = dc.Table.from_frame({"land": ["us"] * 9 + ["fr"] * 8 + ["it"] * 2})
    published = dc.mine.frequent(table, min_support=8)
    assert [str(leak) for leak in window_leaks(published, k=3)] == [
        "exactly 2 rows have another land than fr and another land than us"
    ]


def test_windows_are_spread_over_many_items() -> None:
    data = dc.datasets.baskets(300)
    published = dc.mine.frequent(data, min_support=20)
    found = window_leaks(published, k=3, n_items=4, max_windows=3)
    assert "windows beyond max_windows" in found.not_examined
    assert found.examined[0].startswith("conjunctions in ")


def test_contradictions_are_refused() -> None:
    with pytest.raises(DataError, match="below 2"):
        window_leaks(collection({"a": 5, "b": 5, "c": 5}, 5), k=2, min_support=2)


@pytest.mark.parametrize("options", [{"n_items": 9}, {"n_items": 0}, {"max_windows": 0}])
def test_parameters_are_checked(options: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match=next(iter(options))):
        window_leaks(collection({"a": 5}, 9), k=2, **options)  # type: ignore[arg-type]  # sizes


def test_all_tests_in_one_call() -> None:
    table = dc.datasets.census(500)
    quasi = table.columns[:3]
    found = leaks(table, k=5, min_support=50, columns=quasi, deep=False)
    of_channels = channels(table, k=5, min_support=50, columns=quasi)
    assert found.count("channel") == len(of_channels)
    assert [leak.most for leak in found] == sorted(leak.most for leak in found)
    assert any("from elsewhere" in words for words in found.not_examined)
    with pytest.raises(ParameterError, match="columns is for tables"):
        leaks(dc.mine.frequent(table, min_support=50), k=5, columns=quasi)


def test_an_attacker_who_does_not_know_the_support_knows_less() -> None:
    baskets = dc.Transactions.from_iterable([{"a"}, {"c"}, {"a", "b"}, {"a", "c"}, {"b", "c"}])
    assert len(leaks(baskets, k=2, min_support=2)) > 0
    assert len(leaks(baskets, k=2, min_support=2, knows_support=False)) == 0
