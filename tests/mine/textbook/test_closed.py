"""CLOSET and CHARM: closed frequent itemsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest
from hypothesis import given

from discreet.errors import ParameterError
from discreet.mine.textbook import charm, closet
from tests.oracles import brute_force
from tests.strategies import SUPPORTS, as_transactions, tables, transactions

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable

    from tests.strategies import Record


class Miner(Protocol):
    def __call__(
        self, transactions: Iterable[Collection[Hashable]], *, min_support: int
    ) -> dict[frozenset[Hashable], int]: ...


both = pytest.mark.parametrize("miner", [closet, charm])


@both
@given(database=transactions(), min_support=SUPPORTS)
def test_equals_brute_force_on_transactions(
    miner: Miner, database: list[frozenset[str]], min_support: int
) -> None:
    found = miner(database, min_support=min_support)
    assert found == brute_force.closed(database, min_support)


@both
@given(records=tables(max_columns=6), min_support=SUPPORTS)
def test_equals_brute_force_on_tables(
    miner: Miner, records: list[Record], min_support: int
) -> None:
    database = as_transactions(records)
    found = miner(database, min_support=min_support)
    assert found == brute_force.closed(database, min_support)


@both
@pytest.mark.parametrize(
    ("database", "min_support", "expected"),
    [
        pytest.param(
            ["acdef", "abe", "cef", "acdf", "cef"],
            2,
            {"a": 3, "e": 4, "ae": 2, "cf": 4, "cef": 3, "acdf": 2},
            id="002-charm: table 6.1, example 6.3.1",
        ),
        pytest.param(
            ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"],
            8,
            {"a": 9, "e": 11, "ab": 8, "ae": 8, "de": 10, "cde": 9},
            id="004-running, sigma 8",
        ),
        pytest.param(
            ["abd", "acd", "b", "c"],
            1,
            {"b": 2, "c": 2, "ad": 2, "abd": 1, "acd": 1},
            id="002 lemma 6.3.3: the root is an ancestor",
        ),
        pytest.param(
            ["ab", "ac", "a"],
            1,
            {"a": 3, "ab": 1, "ac": 1},
            id="002 algorithm 10 line 6: removed from the header only",
        ),
        pytest.param(["abc", "abc"], 1, {"abc": 2}, id="one branch"),
        pytest.param([], 1, {}, id="empty"),
    ],
)
def test_known_answer(
    miner: Miner, database: list[str], min_support: int, expected: dict[str, int]
) -> None:
    found = miner(database, min_support=min_support)
    assert list(found.items()) == [(frozenset(x), support) for x, support in expected.items()]


@both
@pytest.mark.parametrize("min_support", [0, -1])
def test_min_support_below_one_is_refused(miner: Miner, min_support: int) -> None:
    with pytest.raises(ParameterError, match=f"min_support={min_support} must be at least 1"):
        miner([], min_support=min_support)
