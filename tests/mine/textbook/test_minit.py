"""MINIT: minimal infrequent itemsets."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from statistics import mode
from typing import TYPE_CHECKING

import pytest
from hypothesis import given

from discreet.errors import ParameterError
from discreet.mine.textbook import minit
from tests.oracles import brute_force
from tests.strategies import THETAS, as_transactions, tables, transactions

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from tests.strategies import Record

Pairs = set[tuple[int, "Hashable"]]


@given(database=transactions(), theta=THETAS)
def test_equals_brute_force_on_transactions(database: list[frozenset[str]], theta: int) -> None:
    assert minit(database, theta=theta) == brute_force.minimal_infrequent(database, theta)


@given(records=tables(), theta=THETAS)
def test_equals_brute_force_on_tables(records: list[Record], theta: int) -> None:
    database = as_transactions(records)
    assert minit(database, theta=theta) == brute_force.minimal_infrequent(database, theta)


@pytest.mark.parametrize(
    ("table", "theta", "expected"),
    [
        pytest.param(["ax", "ax", "by", "by"], 1, [], id="000-mii-positive-support"),
        pytest.param(["ab", "ab", "ac"], 1, [{(1, "c")}], id="000-kmii-equality"),
        pytest.param(["a", "a"], 2, [], id="000-mii-m-le-theta"),
        pytest.param(
            ["11", "12", "12", "21", "21", "22", "22"],
            2,
            [{(0, a), (1, b)} for a in "12" for b in "12"],
            id="000-thm23-strong",
        ),
    ],
)
def test_known_answer(
    table: Sequence[Sequence[Hashable]], theta: int, expected: list[Pairs]
) -> None:
    assert list(minit([set(enumerate(record)) for record in table], theta=theta)) == expected


def test_count_000_6x4() -> None:
    table = ["0000", "0111", "0222", "1012", "1120", "1201"]
    assert len(minit([set(enumerate(record)) for record in table], theta=1)) == 36


@pytest.mark.parametrize(
    ("theta", "expected"),
    [
        pytest.param(t, n, id=f"000-oa-counts, theta {t}")
        for t, n in [(1, 375), (4, 375), (5, 30), (24, 30), (25, 0)]
    ],
)
def test_count_of_orthogonal_array(theta: int, expected: int) -> None:
    table = [[(c0 + c1 * x) % 5 for x in range(5)] + [c1] for c0, c1 in product(range(5), repeat=2)]
    assert len(minit([set(enumerate(record)) for record in table], theta=theta)) == expected


@pytest.mark.skipif("DISCREET_DATA" not in os.environ, reason="DISCREET_DATA is not set")
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        pytest.param("breast.D20.N699.C2.num", [9, 18, 26, 41], id="000 LUCS breast"),
        pytest.param("iris.D19.N150.C3.num", [48, 82, 57, 20], id="000 LUCS iris"),
    ],
)
def test_counts_on_rows_of_modal_length(name: str, counts: list[int]) -> None:
    text = (Path(os.environ["DISCREET_DATA"]) / "lucs" / name).read_text(encoding="ascii")
    rows = [line.split() for line in text.splitlines()]
    n_columns = mode(map(len, rows))
    kept = [row for row in rows if len(row) == n_columns]
    assert [len(minit(kept, theta=theta)) for theta in (1, 5, 10, 50)] == counts


def test_negative_theta_is_refused() -> None:
    with pytest.raises(ParameterError, match="theta=-1 must be at least 0"):
        minit([], theta=-1)
