"""Trees of measured pairs: the best by brute force, and the law of the rows they give."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.synthesize.marginals import Agreed, Marginal, reconcile, true_counts
from discreet.synthesize.pairs import information, pair_table, pair_tree, spanning_tree
from tests.examples import examples
from tests.oracles import code_tree as oracle

Pair = tuple[int, int]


def agreed_of(sizes: list[int], pairs: list[Pair], seed: int, n_rows: int = 200) -> Agreed:
    """Return the shares of a random table of dependent columns, exactly."""
    draw = np.random.default_rng(seed)
    base = draw.integers(0, 5, n_rows)
    codes = [
        np.where(draw.random(n_rows) < draw.random(), base % size, draw.integers(0, size, n_rows))
        for size in sizes
    ]
    wanted = [*((j,) for j in range(len(sizes))), *pairs]
    exact = [
        Marginal(columns=c, counts=true_counts(codes, c, sizes).astype(float), variance=1.0)
        for c in wanted
    ]
    return reconcile(exact, sizes=sizes)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], list[Pair], int]:
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))
    edges = list(combinations(range(len(sizes)), 2))
    pairs = draw(st.lists(st.sampled_from(edges), unique=True)) if edges else []
    return sizes, pairs, draw(st.integers(0, 10**6))


def components(n: int, edges: list[Pair]) -> list[int]:
    """Return for each column the smallest one it is connected with."""
    found = list(range(n))
    for _ in range(n):
        for a, b in edges:
            found[a] = found[b] = min(found[a], found[b])
    return found


def most_told(n: int, told: dict[Pair, float]) -> float:
    """Return the most that a forest which connects all that can be can tell, by trying all."""
    whole = components(n, list(told))
    n_edges = n - len(set(whole))
    return max(
        math.fsum(told[pair] for pair in chosen)
        for chosen in combinations(told, n_edges)
        if components(n, list(chosen)) == whole
    )


@examples(120)
@given(graph=graphs(), data=st.data())
def test_spanning_trees_tell_most(
    graph: tuple[list[int], list[Pair], int], data: st.DataObject
) -> None:
    sizes, pairs, seed = graph
    n = len(sizes)
    agreed = agreed_of(sizes, pairs, seed)
    first = data.draw(st.none() | st.integers(0, n - 1))
    order = spanning_tree(agreed, first=first)
    assert sorted(column for column, _ in order) == list(range(n))
    assert first is None or order[0][0] == first
    seen: set[int] = set()
    edges: list[Pair] = []
    for column, parent in order:
        if parent is not None:
            assert parent in seen
            edges.append((min(column, parent), max(column, parent)))
        seen.add(column)
    assert set(edges) <= set(pairs)
    told = {pair: information(table) for pair, table in agreed.pairs.items()}
    assert components(n, edges) == components(n, pairs)
    found = math.fsum(told[edge] for edge in edges)
    assert found == pytest.approx(most_told(n, told), abs=1e-9)


def test_the_first_column_tells_most_by_default() -> None:
    agreed = agreed_of([3, 3, 3, 3], [(0, 2), (1, 2), (2, 3)], 3)
    order = spanning_tree(agreed)
    assert order[0] == (2, None)
    assert {parent for _, parent in order[1:]} == {2}


def test_information() -> None:
    assert information(np.eye(4) / 4) == pytest.approx(math.log(4))
    assert information(np.full((2, 3), 1 / 6)) == pytest.approx(0, abs=1e-12)
    table = np.array([[0.4, 0.1], [0.0, 0.5]])
    by_hand = 0.4 * math.log(0.4 / 0.2) + 0.1 * math.log(0.1 / 0.3) + 0.5 * math.log(0.5 / 0.3)
    assert information(table) == pytest.approx(by_hand)


@examples(60)
@given(graph=graphs())
def test_rows_of_the_tree_have_the_agreed_pairs(graph: tuple[list[int], list[Pair], int]) -> None:
    sizes, pairs, seed = graph
    agreed = agreed_of(sizes, pairs, seed)
    order = spanning_tree(agreed)
    tree = pair_tree(agreed, order, domain={f"c{j}": tuple(range(s)) for j, s in enumerate(sizes)})
    assert list(tree.domain) == [f"c{column}" for column, _ in order]
    law = oracle.row_law(tree)
    assert sum(law.values()) == pytest.approx(1)
    place = {column: at for at, (column, _) in enumerate(order)}

    def shares(*columns: int) -> NDArray[np.float64]:
        found = np.zeros([sizes[j] for j in columns])
        for row, p in law.items():
            found[tuple(row[place[j]] for j in columns)] += p
        return found

    for j, values in enumerate(agreed.values):
        assert shares(j) == pytest.approx(values, abs=1e-9)
    for column, parent in order:
        if parent is not None:
            table = pair_table(agreed, parent, column)
            assert shares(parent, column) == pytest.approx(table, abs=1e-9)
            assert pair_table(agreed, column, parent) == pytest.approx(table.T)
        else:  # nothing earlier connects it: it is drawn alone
            for other in [c for c, _ in order[: place[column]]]:
                alone = np.outer(agreed.values[other], agreed.values[column])
                assert shares(other, column) == pytest.approx(alone, abs=1e-9)
