"""Suppressive sanitization against brute force and the paper's examples."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DiscreetWarning, ParameterError
from discreet.patterns import channels, suppressive
from tests.examples import examples
from tests.oracles import channels as oracle
from tests.strategies import Record, as_transactions, tables, transactions

RUNNING = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
Rows = list[frozenset[str]]


def letters(rows: list[str]) -> dc.Transactions:
    return dc.Transactions.from_iterable(list(map(set, rows)))


def suppressed(rows: Rows, sigma: int, k: int) -> tuple[list[bool], int]:
    """Which rows are kept, and after how many rounds, by the definitions."""
    kept, rounds = [True] * len(rows), 0
    while True:
        left = [row for row, stays in zip(rows, kept, strict=True) if stays]
        found = oracle.maximal_channels(left, sigma, k)
        if not found:
            return kept, rounds
        kept = [
            stays and not any(row & outer == inside for inside, outer in found)
            for row, stays in zip(rows, kept, strict=True)
        ]
        rounds += 1


@examples(100)
@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(1, 6),
    k=st.integers(2, 4),
)
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_it_removes_what_the_definitions_remove(rows: Rows, sigma: int, k: int) -> None:
    done = suppressive(dc.Transactions.from_iterable(rows), k=k, min_support=sigma)
    kept, rounds = suppressed(rows, max(sigma, k), k)
    assert done.rows is not None
    assert (done.rows.tolist(), done.rounds) == (kept, rounds)
    left = [row for row, stays in zip(rows, kept, strict=True) if stays]
    whole = oracle.published(left, max(sigma, k))
    published = {frozenset(map(str, items)): support for items, support in done.published}
    assert {frozenset(): done.published.n_rows, **published} == whole
    assert not oracle.naive_channels(whole, k)
    assert done.n_removed == len(rows) - len(left)


@examples(60)
@given(records=tables(max_columns=4, max_records=14), sigma=st.integers(2, 5))
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_equal_rows_of_a_table_stay_together(records: list[Record], sigma: int) -> None:
    columns = {f"c{n}": list(values) for n, values in enumerate(zip(*records, strict=True))}
    if not columns:
        return
    done = suppressive(dc.Table.from_frame(columns), k=2, min_support=sigma)
    spelled = [frozenset(f"{n}{value}" for n, value in row) for row in as_transactions(records)]
    kept, rounds = suppressed(spelled, sigma, 2)
    assert done.rows is not None
    assert (done.rows.tolist(), done.rounds) == (kept, rounds)


def test_004_running() -> None:
    done = suppressive(letters(RUNNING), k=3, min_support=8)
    assert done.rows is not None
    removed = [row for row, stays in zip(RUNNING, done.rows, strict=True) if not stays]
    assert removed == ["abde", "ae", "ab"]
    left = dc.Transactions.from_iterable(
        [set(row) for row, stays in zip(RUNNING, done.rows, strict=True) if stays]
    )
    assert [
        ("".join(sorted(map(str, items))), n) for items, n in dc.mine.closed(left, min_support=8)
    ] == [("cde", 9)]
    assert done.published == dc.mine.frequent(left, min_support=8)
    assert (done.n_removed, done.rounds, done.n_channels) == (3, 1, 5)


def test_004_leak_after_suppressive() -> None:
    rows = ["b", "ac", "b", "ab", "bc", "ab", "abc", "ac", "a", "bc", "bc", "ab", "bc"]
    done = suppressive(letters(rows), k=2, min_support=2)
    assert done.rows is not None
    assert [row for row, stays in zip(rows, done.rows, strict=True) if not stays] == ["a"]
    assert {"".join(sorted(map(str, items))): n for items, n in done.published} == {
        "a": 6, "b": 10, "c": 7, "ab": 4, "ac": 3, "bc": 5,
    }  # fmt: skip


def test_004_suppress_rounds() -> None:
    """Without the rows of the first channels there are others, which were none before."""
    rows = [frozenset(row) for row in ["abc", "bc", "a", "a", "abc", "c"]]
    first = oracle.maximal_channels(rows, 3, 2)
    left = [row for row in rows if not any(row & outer == inside for inside, outer in first)]
    assert set(oracle.maximal_channels(left, 3, 2)) - set(first)
    with pytest.warns(DiscreetWarning, match="3 of 4 frequent itemsets"):
        done = suppressive(dc.Transactions.from_iterable(rows), k=2, min_support=3)
    assert suppressed(rows, 3, 2)[1] == done.rounds == 2
    assert done.n_removed > len(rows) - len(left)


def test_much_loss_is_told() -> None:
    rows = ["ab"] * 4 + ["a", "b", "c"]
    with pytest.warns(DiscreetWarning, match=r"removed .* of 7 rows .*Use additive\(\)"):
        done = suppressive(letters(rows), k=3, min_support=5)
    assert done.n_removed > 0
    with pytest.warns(DiscreetWarning, match="removed 2 of 2 rows"):
        nothing = suppressive(letters(["ab", "a"]), k=3, min_support=3)
    assert (len(nothing.published), nothing.published.n_rows) == (0, 0)


def test_little_loss_is_not() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = suppressive(dc.datasets.census(3000), k=20, min_support=300)
    assert 0 < done.n_removed < 3000
    assert not len(channels(done.published, k=20))
    assert done.rows is not None
    assert int(np.count_nonzero(~done.rows)) == done.n_removed


def test_columns_are_projected_on() -> None:
    table = dc.datasets.census(3000)
    some = ["sex", "country_of_birth", "condition"]
    done = suppressive(table, k=20, min_support=100, columns=some)
    assert done.published == suppressive(table.select(some), k=20, min_support=100).published
    assert done.n_removed > 0


def test_options_are_checked() -> None:
    with pytest.raises(ParameterError, match="at least 2"):
        suppressive(letters(RUNNING), k=1, min_support=8)
    with pytest.warns(DiscreetWarning, match="min_support=3 is used"):
        suppressive(letters(["ab"] * 5 + ["a"] * 4), k=3, min_support=2)
