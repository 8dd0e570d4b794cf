"""The kernels for minimal infrequent itemsets against known answers and real data."""

from __future__ import annotations

import lzma
import os
from collections import Counter
from itertools import combinations, product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

if TYPE_CHECKING:
    pass
from tests.mine.minimal_infrequent import Itemset, Rows, counted, listed, marked, table

# Known answers.


def test_only_itemsets_that_occur_000_mii_positive_support() -> None:
    assert listed(table(["ax", "ax", "by", "by"]), 1) == []


def test_every_pair_000_thm23_strong() -> None:
    rows = table([(1, 1), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2), (2, 2)])
    assert [itemset for itemset, _ in listed(rows, 2)] == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert marked(rows, 2) == [1] * 14


def test_too_few_rows_000_mii_m_le_theta() -> None:
    assert listed(table(["a", "a"]), 2) == []


@pytest.mark.parametrize(("theta", "expected"), [(1, 375), (4, 375), (5, 30), (24, 30), (25, 0)])
def test_orthogonal_array_000_oa_counts(theta: int, expected: int) -> None:
    rows = table(
        [[*((a + b * x) % 5 for x in range(5)), b] for a, b in product(range(5), repeat=2)]
    )
    assert sum(counted(rows, theta).values()) == len(listed(rows, theta)) == expected


def test_most_of_six_rows_000_6x4() -> None:
    rows = table(["0000", "0111", "0222", "1012", "1120", "1201"])
    assert len(listed(rows, 1)) == 36


# Real data.

DATA = Path(os.environ.get("DISCREET_DATA", "")) / "lucs"
needs_data = pytest.mark.skipif(
    "DISCREET_DATA" not in os.environ or not DATA.is_dir(),
    reason="set DISCREET_DATA to the folder of data sets",
)


def lucs(name: str) -> Rows:
    """The rows of modal length, one item for each column, equal rows collapsed."""
    (path,) = DATA.glob(f"{name}.D*")
    content = path.read_bytes()
    text = (lzma.decompress(content) if path.suffix == ".xz" else content).decode()
    rows = [tuple(map(int, line.split())) for line in text.splitlines()]
    modal = Counter(map(len, rows)).most_common(1)[0][0]
    collapsed = Counter(row for row in rows if len(row) == modal)
    return table(list(collapsed), list(collapsed.values()))


@needs_data
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("breast", [9, 18, 26, 41]),
        ("iris", [48, 82, 57, 20]),
        ("pageBlocks", [118, 76, 73, 43]),
        ("adult", [39464, 36137, 28995, 13149]),
    ],
)
def test_counts_of_real_data(name: str, counts: list[int]) -> None:
    rows = lucs(name)
    for theta, expected in zip([1, 5, 10, 50], counts, strict=True):
        assert sum(counted(rows, theta, threads=2).values()) == expected


@needs_data
def test_negative_border_of_adult() -> None:
    rows, theta = lucs("adult"), 5
    covers = np.zeros((rows.n_items, len(rows.weights)), dtype=bool)
    for r, transaction in enumerate(rows.transactions):
        covers[list(transaction), r] = True
    weights = np.array(rows.weights)

    def support(itemset: Itemset) -> int:
        return int(weights[covers[list(itemset)].all(axis=0)].sum())

    found = listed(rows, theta)
    assert len(set(found)) == 36137
    marks = np.zeros_like(covers)
    for itemset, n in found[::7]:
        assert support(itemset) == n
        assert 1 <= n <= theta
        assert all(support(subset) > theta for subset in combinations(itemset, len(itemset) - 1))
    for itemset, _ in found:
        inside = np.flatnonzero(covers[list(itemset)].all(axis=0))
        marks[np.ix_(np.array(itemset), inside)] = True
    expected = [bool(marks[i, r]) for r, t in enumerate(rows.transactions) for i in t]
    assert [bool(mark) for mark in marked(rows, theta)] == expected
