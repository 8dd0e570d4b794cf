"""Closed generalized itemsets: the kernel against brute force and known answers."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence
from tests.mine.generalized_closed import Parents, Sets, above, mine


def brute_force(
    parents: list[Parents], rows: Sequence[tuple[int, ...]], weights: list[int], k: int
) -> Sets:
    """Every combination of nodes, straight from the definition."""

    def support(nodes: tuple[int, ...]) -> int:
        return sum(
            weight
            for row, weight in zip(rows, weights, strict=True)
            if all(
                node in above(parent, leaf)
                for parent, node, leaf in zip(parents, nodes, row, strict=True)
            )
        )

    found = []
    for nodes in itertools.product(*(range(len(parent)) for parent in parents)):
        own = support(nodes)
        if own < k:
            continue
        lower = (
            (*nodes[:c], child, *nodes[c + 1 :])
            for c, parent in enumerate(parents)
            for child in range(len(parent))
            if parent[child] == nodes[c]
        )
        if all(support(other) < own for other in lower):
            found.append((nodes, own))
    return sorted(found, key=lambda found: (-found[1], found[0]))


@st.composite
def trees(draw: st.DrawFn) -> Parents:
    """Any shape: stars, chains, caterpillars; the root at any number."""
    n = draw(st.integers(1, 7))
    parent = [-1] + [draw(st.integers(0, v - 1)) for v in range(1, n)]
    number = draw(st.permutations(range(n)))
    renumbered = [-1] * n
    for v in range(1, n):
        renumbered[number[v]] = number[parent[v]]
    return renumbered


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Parents], list[tuple[int, ...]], list[int]]:
    parents = draw(st.lists(trees(), min_size=0, max_size=4))
    leaves = [sorted(set(range(len(parent))) - set(parent)) for parent in parents]
    row = st.tuples(*(st.sampled_from(some) for some in leaves))
    rows = draw(st.lists(row, max_size=9))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(rows), max_size=len(rows)))
    return parents, rows, weights


@examples(400)
@given(table=tables(), k=st.integers(1, 8))
def test_equals_brute_force(
    table: tuple[list[Parents], list[tuple[int, ...]], list[int]], k: int
) -> None:
    parents, rows, weights = table
    expected = brute_force(parents, rows, weights, k)
    for threads in (1, 2, 3):
        assert mine(parents, rows, weights, k, threads) == expected


@examples(60)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 30))
def test_many_rows_equal_brute_force_over_bitmaps(seed: int, k: int) -> None:
    """Enough rows for lifting and merging to set in, which tiny tables never reach."""
    random = np.random.default_rng(seed)
    parents = []
    for _ in range(3):
        n = int(random.integers(2, 12))
        parents.append([-1] + [int(random.integers(max(0, v - 4), v)) for v in range(1, n)])
    leaves = [sorted(set(range(len(parent))) - set(parent)) for parent in parents]
    n_rows = int(random.integers(50, 400))
    columns = [
        random.choice(some, n_rows, p=random.dirichlet(np.ones(len(some)))) for some in leaves
    ]
    weights = random.integers(1, 4, n_rows)
    below = [
        np.array([[node in above(parent, leaf) for leaf in column] for node in range(len(parent))])
        for parent, column in zip(parents, columns, strict=True)
    ]

    def support(nodes: tuple[int, ...]) -> int:
        inside = np.logical_and.reduce([b[node] for b, node in zip(below, nodes, strict=True)])
        return int(weights[inside].sum())

    everything = {
        nodes: support(nodes) for nodes in itertools.product(*(range(len(p)) for p in parents))
    }
    expected = [
        (nodes, own)
        for nodes, own in everything.items()
        if own >= k
        and all(
            everything[(*nodes[:c], child, *nodes[c + 1 :])] < own
            for c, parent in enumerate(parents)
            for child in range(len(parent))
            if parent[child] == nodes[c]
        )
    ]
    expected.sort(key=lambda found: (-found[1], found[0]))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    for threads in (1, 2, 3):
        assert mine(parents, rows, weights.tolist(), k, threads) == expected


def test_known_answer_002_closed() -> None:
    # Numbers: root 0, {1,2} or {a,b} 1, {3,4} 2 (first column); then the leaves.
    first = [-1, 0, 0, 1, 1, 2, 2]  # leaves 3..6 are the values 1..4
    second = [-1, 0, 1, 1, 0]  # leaves 2, 3, 4 are a, b, c
    a, b, c = 2, 3, 4
    records = [(3, a), (3, b), (4, a), (5, c), (6, c), (5, c)]
    assert mine([first, second], records, [1] * 6, 2) == [
        ((0, 0), 6),
        ((1, 1), 3),
        ((2, c), 3),
        ((1, a), 2),
        ((3, 1), 2),
        ((5, c), 2),
    ]


def test_known_answer_004_running_over_flat_hierarchies() -> None:
    """Plain closed itemsets are the special case "has the item" against "one of a kind"."""
    transactions = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
    n = len(transactions)
    # Node 0 is the root, node 1 "has the item", node 2 + t "row t lacks it".
    parents = [[-1] + [0] * (n + 1)] * 5
    rows = [
        tuple(1 if item in transaction else 2 + t for item in "abcde")
        for t, transaction in enumerate(transactions)
    ]
    found = {
        "".join(item for item, node in zip("abcde", nodes, strict=True) if node): support
        for nodes, support in mine(parents, rows, [1] * n, 8)
    }
    assert found == {"": 12, "a": 9, "e": 11, "ab": 8, "ae": 8, "de": 10, "cde": 9}


def test_a_unary_chain_is_told_by_its_lowest_node() -> None:
    chain = [-1, 0, 1, 2]
    assert mine([chain], [(3,), (3,)], [1, 1], 1) == [((3,), 2)]


def test_a_long_chain_and_a_caterpillar_do_not_cost_their_square() -> None:
    n = 100_000
    chain = [-1, *range(n - 1)]
    assert mine([chain], [(n - 1,)], [7], 7) == [((n - 1,), 7)]
    # Spine 0..n-1, leaf n+i hanging from spine node i; two leaves are seen.
    caterpillar = [-1, *range(n - 1), *range(n)]
    assert mine([caterpillar], [(n + 5,), (2 * n - 1,)], [1, 1], 2) == [((5,), 2)]


def test_a_comb_deeper_than_the_stack() -> None:
    n = 1000
    comb = [-1, *range(n - 1), *range(n), n - 1]  # the last spine node has two leaves
    rows = [(leaf,) for leaf in range(n, 2 * n + 1)]
    found = mine([comb], rows, [1] * (n + 1), 1, threads=2)
    spine = [((v,), n + 1 - v) for v in range(n)]
    assert found == spine + [((leaf,), 1) for leaf in range(n, 2 * n + 1)]


def test_more_nodes_than_sixteen_bits() -> None:
    n = 70_000
    star = [-1] + [0] * n
    rows = [(leaf,) for leaf in range(1, n + 1)]
    found = mine([star], rows, [1] * n, 1, threads=2)
    assert found == [((0,), n), *(((leaf,), 1) for leaf in range(1, n + 1))]


def test_too_few_rows_and_no_rows_give_nothing() -> None:
    assert mine([[-1, 0]], [(1,)], [4], 5) == []
    assert mine([[-1, 0]], [], [], 1) == []
    assert mine([], [], [], 1) == []


def test_no_columns_give_the_empty_tuple() -> None:
    assert mine([], [(), ()], [2, 3], 5) == [((), 5)]
