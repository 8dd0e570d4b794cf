"""Apriori and FP-growth: all frequent itemsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from hypothesis import given

from discreet.errors import ParameterError
from discreet.mine.textbook import apriori, fp_growth
from tests.oracles import brute_force
from tests.strategies import SUPPORTS, as_transactions, tables, transactions

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable

    from tests.strategies import Record


class Miner(Protocol):
    def __call__(
        self, transactions: Iterable[Collection[Hashable]], *, min_support: int
    ) -> dict[frozenset[Hashable], int]: ...


both = pytest.mark.parametrize("miner", [apriori, fp_growth])


@both
@given(database=transactions(), min_support=SUPPORTS)
def test_equals_brute_force_on_transactions(
    miner: Miner, database: list[frozenset[str]], min_support: int
) -> None:
    found = miner(database, min_support=min_support)
    assert found == brute_force.frequent(database, min_support)


@both
@given(records=tables(max_columns=6), min_support=SUPPORTS)
def test_equals_brute_force_on_tables(
    miner: Miner, records: list[Record], min_support: int
) -> None:
    database = as_transactions(records)
    found = miner(database, min_support=min_support)
    assert found == brute_force.frequent(database, min_support)


@both
@pytest.mark.parametrize(
    ("database", "min_support", "expected"),
    [
        pytest.param(
            ["acdef", "abe", "cef", "acdf", "cef"],
            2,
            "a3 c4 d2 e4 f4 ac2 ad2 ae2 af2 cd2 ce3 cf4 df2 ef3 acd2 acf2 adf2 cdf2 cef3 acdf2",
            id="002 table 6.1 and figure 6.2, min_sup 2",
        ),
        pytest.param(
            ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"],
            8,
            "a9 b8 c9 d10 e11 ab8 ae8 cd9 ce9 de10 cde9",
            id="004-running, sigma 8",
        ),
    ],
)
def test_paper_example(miner: Miner, database: list[str], min_support: int, expected: str) -> None:
    found = miner(database, min_support=min_support)
    shown = " ".join("".join(map(str, sorted(map(str, x)))) + str(n) for x, n in found.items())
    assert shown == expected


@both
@given(database=transactions(), min_support=SUPPORTS)
def test_order_of_transactions_and_items_does_not_matter(
    miner: Miner, database: list[frozenset[str]], min_support: int
) -> None:
    turned = [sorted(transaction, reverse=True) for transaction in reversed(database)]
    assert list(miner(turned, min_support=min_support).items()) == list(
        miner(database, min_support=min_support).items()
    )


@both
def test_items_that_do_not_compare_keep_one_order(miner: Miner) -> None:
    found = miner([{1, "a", (2, None)}, {"a", 1}], min_support=2)
    assert list(found) == [frozenset({1}), frozenset({"a"}), frozenset({1, "a"})]


@both
def test_repeated_item_counts_once(miner: Miner) -> None:
    assert miner([["a", "a"], ["a"]], min_support=2) == {frozenset({"a"}): 2}


@both
@pytest.mark.parametrize("min_support", [0, -1])
def test_min_support_below_one_is_refused(miner: Miner, min_support: int) -> None:
    with pytest.raises(ParameterError, match=f"min_support={min_support} must be at least 1"):
        miner([], min_support=min_support)
