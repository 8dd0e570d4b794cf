"""Additive sanitization against brute force, the paper's examples and real data."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, DiscreetWarning, LimitError, ParameterError
from discreet.mine import Itemsets
from discreet.patterns import additive, channels
from discreet.patterns.additive import Method, group_channels
from tests.examples import examples
from tests.oracles import channels as oracle
from tests.strategies import transactions

RUNNING = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
Pair = tuple[frozenset[Hashable], frozenset[Hashable]]
Rows = list[frozenset[str]]
METHODS: list[Method] = ["best", "first-fit"]


def letters(rows: list[str]) -> dc.Transactions:
    return dc.Transactions.from_iterable(list(map(set, rows)))


def spelled(itemsets: Itemsets) -> dict[str, int]:
    return {"".join(sorted(map(str, items))): support for items, support in itemsets}


@examples(120)
@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(1, 6),
    k=st.integers(2, 4),
    method=st.sampled_from(METHODS),
)
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_no_channel_is_left_and_a_database_has_these_supports(
    rows: Rows, sigma: int, k: int, method: Method
) -> None:
    done = additive(dc.Transactions.from_iterable(rows), k=k, min_support=sigma, grouping=method)
    assert done.min_support == max(sigma, k)
    assert done.groups is not None
    added = [frozenset(map(str, items)) for items, copies in done.groups for _ in range(copies)]
    whole = oracle.published([*rows, *added], done.min_support)
    published = {frozenset(map(str, items)): support for items, support in done.published}
    assert {frozenset(): done.published.n_rows, **published} == whole
    assert set(whole) == set(oracle.published(rows, done.min_support))
    assert not oracle.naive_channels(whole, k)
    assert done.n_added == len(added) == done.published.n_rows - len(rows)


def merge(ordered: list[oracle.Pair]) -> list[oracle.Pair]:
    """Algorithm 3, lines 1-8, with definition 17."""
    merged: list[oracle.Pair] = []
    for inside, outer in ordered:
        for place, (other, wide) in enumerate(merged):
            if (inside <= other and not other & (outer - inside)) or (
                other <= inside and not inside & (wide - other)
            ):
                merged[place] = (inside | other, outer | wide)
                break
        else:
            merged.append((inside, outer))
    return merged


def can_hide(pairs: list[Pair], sets: list[frozenset[Hashable]], size: int) -> bool:
    """Whether so many sets hide all channels: one of them hides the first."""
    if not pairs:
        return True
    (inside, outer), *_ = pairs
    return size > 0 and any(
        can_hide([(i, j) for i, j in pairs if chosen & j != i], sets, size - 1)
        for chosen in sets
        if chosen & outer == inside
    )


@examples(100)
@given(
    rows=transactions(max_items=4, max_transactions=9),
    sigma=st.integers(2, 4),
    k=st.integers(2, 4),
)
def test_the_best_grouping_is_the_smallest_cover(rows: Rows, sigma: int, k: int) -> None:
    data = dc.Transactions.from_iterable(rows)
    sigma = max(sigma, k)
    found = channels(data, k=k, min_support=sigma)
    closed = dc.mine.closed(data, min_support=sigma)
    best = group_channels(found, closed)
    pairs = [(c.inside, c.inside | c.outside) for c in found]
    sets = [frozenset(), *(items for items, _ in closed)]
    smallest = next(size for size in range(len(pairs) + 1) if can_hide(pairs, sets, size))
    assert len(best.itemsets) == best.at_least == smallest <= best.n_first_fit


@examples(100)
@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(2, 5),
    k=st.integers(2, 4),
)
def test_first_fit_is_the_papers_merging_in_falling_order(rows: Rows, sigma: int, k: int) -> None:
    data = dc.Transactions.from_iterable(rows)
    found = channels(data, k=k, min_support=max(sigma, k))
    ordered = sorted(
        oracle.maximal_channels(rows, max(sigma, k), k),
        key=lambda pair: (-len(pair[0]), sorted(pair[0]), sorted(pair[1])),
    )
    merged = merge(ordered)
    done = group_channels(
        found, dc.mine.closed(data, min_support=max(sigma, k)), method="first-fit"
    )
    assert {items for items, _ in done.itemsets} == {inside for inside, _ in merged}
    assert done.n_first_fit == len(merged)


@pytest.mark.parametrize("method", METHODS)
def test_004_running(method: Method) -> None:
    done = additive(letters(RUNNING), k=3, min_support=8, grouping=method)
    assert done.groups is not None
    assert spelled(done.groups) == {"a": 3, "e": 3, "de": 3}
    closed = additive(
        dc.mine.closed(letters(RUNNING), min_support=8), k=3, grouping=method
    ).published
    expected = {"a": 12, "e": 17, "ab": 8, "ae": 8, "de": 13, "cde": 9}
    assert spelled(closed) == expected
    assert closed.n_rows == done.published.n_rows == 21
    assert expected.items() <= spelled(done.published).items()
    assert done.n_added_first_fit == done.n_added_at_least == done.n_added == 9


def test_004_k_minus_f() -> None:
    rows = ["ad", "bcd", "acd", "bcd", "abcd"]
    done = additive(letters(rows), k=2, min_support=2)
    assert not oracle.naive_channels(
        {frozenset(map(str, items)): n for items, n in done.published}
        | {frozenset(): done.published.n_rows},
        2,
    )
    # One copy of each inner set instead of two: channels that were not there before.
    fewer = oracle.naive_channels(
        oracle.published([frozenset(row) for row in [*rows, "ad", "d", "cd"]], 2), 2
    )
    assert fewer[frozenset(), frozenset("ac")] == fewer[frozenset("d"), frozenset("acd")] == 1


def test_004_merge_order() -> None:
    """Merging finds 2 or 3 groups by the order of the channels, and ours is fixed."""
    rows = ["bd", "", "abc", "ab", "bd", "ad"]
    pairs = sorted(oracle.maximal_channels([frozenset(row) for row in rows], 2, 2), key=str)
    assert {len(merge(list(order))) for order in permutations(pairs)} == {2, 3}
    done = additive(letters(rows), k=2, min_support=2, grouping="first-fit")
    assert done.n_added == done.n_added_at_least == 4


def test_004_worst_distortion() -> None:
    """The number of rows is not always what is changed most, as a share."""
    done = additive(letters(["", "abd", "", "bd", "b"]), k=2, min_support=2)
    assert done.distortion.worst_items == frozenset("b")
    assert done.distortion.worst == 2 / 3 > done.n_added / 5


def test_004_worst_distortion_can_be_seen() -> None:
    """To raise by k hides no change: no other group has more than k and fewer than 2k rows."""
    done = additive(letters(RUNNING), k=3, min_support=8)
    published = {frozenset(map(str, items)): n for items, n in done.published}
    before = oracle.naive_channels(oracle.published(list(map(frozenset, RUNNING)), 8), 3)
    after = oracle.naive_channels({frozenset(): done.published.n_rows, **published}, 6)
    seen = {pair for pair, count in after.items() if count > 3}
    assert len(seen) > 0
    assert seen <= set(before)


def test_004_proposition_4_needs_fewer_rows() -> None:
    """A row that was not there leaves maximal channels at 0, and makes another group of one."""
    rows, other = [frozenset(row) for row in RUNNING], [frozenset("c")]
    maximal = oracle.maximal_channels(rows, 8, 3)
    assert all(oracle.cell(other, *pair) == 0 for pair in maximal)
    assert (frozenset(), frozenset("d")) in oracle.naive_channels(oracle.published(rows, 8), 3)
    assert oracle.cell(other, frozenset(), frozenset("d")) == 1


def test_the_best_grouping_can_be_better_than_merging(public_data: Path) -> None:
    data = dc.load(public_data / "fimi" / "mushroom.dat")
    done = additive(data, k=50, min_frequency=0.2)
    assert done.n_added_first_fit is not None
    assert done.n_added < done.n_added_first_fit
    assert not len(channels(done.published, k=50))


def test_data_and_collection_give_the_same() -> None:
    table = dc.datasets.census(2000)
    of_data = additive(table, k=20, min_support=300)
    of_collection = additive(dc.mine.frequent(table, min_support=300), k=20)
    assert of_data.published == of_collection.published
    assert of_data.n_channels == of_collection.n_channels > 0
    assert of_collection.min_support >= 300


def test_the_order_of_a_collection_does_not_matter() -> None:
    found = dc.mine.frequent(dc.datasets.census(2000), min_support=300)
    turned = Itemsets.from_mapping(dict(reversed(list(found))), n_rows=found.n_rows)
    assert additive(turned, k=20, grouping="first-fit").n_added == (
        additive(found, k=20, grouping="first-fit").n_added
    )


def test_columns_are_projected_on() -> None:
    table = dc.datasets.census(3000)
    some = ["sex", "country_of_birth", "condition"]
    done = additive(table, k=20, min_support=100, columns=some)
    assert done.published == additive(table.select(some), k=20, min_support=100).published
    assert done.n_added > 0
    with pytest.raises(ParameterError, match="columns is for tables"):
        additive(dc.mine.frequent(table, min_support=500), k=10, columns=some)


def test_support_below_k_is_raised() -> None:
    with pytest.warns(DiscreetWarning, match="min_support=3 is used"):
        done = additive(letters(RUNNING), k=3, min_support=2)
    assert done.min_support == 3
    assert done.published == additive(letters(RUNNING), k=3, min_support=3).published
    with pytest.warns(DiscreetWarning, match="min_support=2 is below k=3"):
        of_collection = additive(
            dc.mine.frequent(letters(RUNNING), min_support=2), k=3, min_support=2
        )
    assert of_collection.published == done.published


def test_a_collection_is_cut_at_the_support_asked_for() -> None:
    low = dc.mine.frequent(letters(RUNNING), min_support=3)
    assert additive(low, k=3, min_support=8).published == (
        additive(letters(RUNNING), k=3, min_support=8).published
    )


def test_nothing_to_hide_changes_nothing() -> None:
    data = letters(["ab"] * 9 + ["a"] * 5 + ["b"] * 5)
    done = additive(data, k=3, min_support=5)
    assert done.published == dc.mine.frequent(data, min_support=5)
    assert done.n_added == done.n_added_first_fit == 0
    assert "nothing was changed" in done.sentence
    assert done.distortion.sentence == "No support was changed."


def test_fewer_rows_than_k_become_k_and_more() -> None:
    done = additive(letters(["ab", "a"]), k=3, min_support=3)
    assert (len(done.published), done.published.n_rows) == (0, 5)


def test_options_are_checked() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'first-fit'"):
        additive(letters(RUNNING), k=3, min_support=8, grouping="firstfit")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="at least 2"):
        additive(letters(RUNNING), k=1, min_support=8)
    with pytest.raises(ParameterError, match="exactly one"):
        additive(letters(RUNNING), k=3)
    wrong = Itemsets.from_mapping({frozenset("a"): 6, frozenset("ab"): 3}, n_rows=9)
    with pytest.raises(DataError, match="not its part"):
        additive(wrong, k=2)


def test_many_channels_are_hidden_by_their_inner_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    full = additive(letters(RUNNING), k=3, min_support=8)
    monkeypatch.setattr(sys.modules["discreet.patterns.additive"], "MAX_COVER_BITS", 5 * 5)
    assert additive(letters(RUNNING), k=3, min_support=8).published == full.published
    monkeypatch.setattr(sys.modules["discreet.patterns.additive"], "MAX_COVER_BITS", 5)
    with pytest.raises(LimitError, match="too many to hide"):
        additive(letters(RUNNING), k=3, min_support=8)


def test_it_shows_itself() -> None:
    done = additive(letters(RUNNING), k=3, min_support=8)
    assert "added 9 transactions" in repr(done)
    told = done.to_dict()
    assert told["n_added"] == 9
    assert told["method"] == "additive"
    assert ("transactions added", "9") in done.preview().rows
    assert "9 transactions" in done._repr_html_()
