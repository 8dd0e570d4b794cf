"""Closed generalized itemsets: the kernel against brute force, known answers and real data."""

from __future__ import annotations

import contextlib
import csv
import itertools
import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet import _native
from tests.examples import examples

if TYPE_CHECKING:
    from collections.abc import Sequence

Parents: TypeAlias = list[int]
Sets: TypeAlias = list[tuple[tuple[int, ...], int]]
Table: TypeAlias = tuple[list[NDArray[np.int32]], list[NDArray[np.uint32]], NDArray[np.int64]]


def mine(
    parents: list[Parents],
    rows: Sequence[tuple[int, ...]],
    weights: list[int],
    k: int,
    threads: int = 1,
) -> Sets:
    arguments = arrays(parents, rows, weights)
    nodes, supports = _native.generalized_closed(*arguments, k, _native.Control(threads))
    assert nodes.shape == (len(supports), len(parents))
    assert nodes.dtype == np.int32
    assert supports.dtype == np.int64
    n_sets = _native.count_generalized_closed(*arguments, k, _native.Control(threads))
    assert n_sets == len(supports)
    return [
        (tuple(set_), support)
        for set_, support in zip(nodes.tolist(), supports.tolist(), strict=True)
    ]


def arrays(parents: list[Parents], rows: Sequence[tuple[int, ...]], weights: list[int]) -> Table:
    return (
        [np.array(parent, np.int32) for parent in parents],
        [np.array([row[c] for row in rows], np.uint32) for c in range(len(parents))],
        np.array(weights, np.int64),
    )


def above(parent: Parents, node: int) -> list[int]:
    path = [node]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path


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


BAD_TREES = {
    "no nodes": [],
    "2 roots": [-1, -1],
    "0 roots": [1, 0],
    "cycle": [-1, 2, 1],
    "not a node": [-1, 5],
    "parent of node 1": [-1, -2],
}


@pytest.mark.parametrize("told", BAD_TREES)
def test_a_bad_tree_is_refused_by_column(told: str) -> None:
    parents = [[-1], BAD_TREES[told]]
    for call in (_native.generalized_closed, _native.count_generalized_closed):
        with pytest.raises(ValueError, match=f"column 1: .*{told}"):
            call(*arrays(parents, [], []), 1, _native.Control())


def test_bad_rows_are_refused() -> None:
    for rows, weights, told in [
        ([(0,)], [1], "column 0: .*row 0 is not a leaf"),
        ([(9,)], [1], "column 0: .*row 0 is not a node"),
        ([(1,)], [1, 1], "column 0: there must be one code per weight"),
        ([(1,)], [0], "below 1"),
        ([(1,), (1,)], [2**31 - 1, 1], "2\\^31"),
    ]:
        with pytest.raises(ValueError, match=told):
            _native.generalized_closed(*arrays([[-1, 0]], rows, weights), 1, _native.Control())
    with pytest.raises(ValueError, match="k must be"):
        _native.generalized_closed(*arrays([[-1, 0]], [(1,)], [1]), 0, _native.Control())
    with pytest.raises(ValueError, match="one array per column"):
        _native.generalized_closed(
            [np.array([-1], np.int32)], [], np.array([], np.int64), 1, _native.Control()
        )


def test_other_types_are_refused() -> None:
    parents, leaves, weights = arrays([[-1, 0]], [(1,)], [1])
    bad: Any  # on purpose: what the stub forbids
    for bad in (np.zeros(1), np.zeros(1, np.int16), np.zeros((1, 1), np.int32), [0], None):
        for changed in (
            ([bad], leaves, weights),
            (parents, [bad], weights),
            (parents, leaves, bad),
        ):
            with pytest.raises(TypeError):
                _native.generalized_closed(changed[0], changed[1], changed[2], 1, _native.Control())


@examples(200)
@given(data=st.data())
def test_malformed_arrays_never_crash(data: st.DataObject) -> None:
    number = st.integers(-2, 5) | st.sampled_from([2**31 - 1, -(2**31)])
    dtype = st.sampled_from([np.int32, np.uint32, np.int64, np.float64, np.uint8])

    def array(preferred: type[np.generic]) -> Any:  # noqa: ANN401
        kind = data.draw(st.just(preferred) | st.just(preferred) | dtype)
        return (
            np.array(data.draw(st.lists(number, max_size=5)), np.float64)
            .astype(np.int64)
            .astype(kind)
        )

    parents = [array(np.int32) for _ in range(data.draw(st.integers(0, 2)))]
    leaves = [array(np.uint32) for _ in range(data.draw(st.integers(0, 2)))]
    with contextlib.suppress(TypeError, ValueError):
        _native.generalized_closed(
            parents, leaves, array(np.int64), data.draw(st.integers(-1, 3)), _native.Control()
        )


def cube(n_columns: int, n_values: int) -> Table:
    """Rows drawn over flat hierarchies: very many closed sets from very few arrays."""
    random = np.random.default_rng(1)
    parents = [np.array([-1] + [0] * n_values, np.int32)] * n_columns
    leaves = [random.integers(1, n_values + 1, 4000).astype(np.uint32) for _ in range(n_columns)]
    return parents, leaves, np.ones(4000, np.int64)


@pytest.mark.parametrize("threads", [1, 3])
def test_limits_are_obeyed(threads: int) -> None:
    table = cube(8, 3)
    control = _native.Control(threads)
    nodes, _ = _native.generalized_closed(*table, 5, control)
    assert control.n_found == len(nodes)
    assert control.peak_memory > nodes.nbytes
    assert control.fraction == 1.0
    _native.generalized_closed(*table, 5, _native.Control(threads, max_itemsets=len(nodes)))
    for call in (_native.generalized_closed, _native.count_generalized_closed):
        with pytest.raises(_native.LimitReached) as limit:
            call(*table, 5, _native.Control(threads, max_itemsets=len(nodes) - 1))
        assert limit.value.args == ("itemsets", len(nodes) - 1)
    with pytest.raises(_native.LimitReached) as limit:
        _native.generalized_closed(*table, 5, _native.Control(threads, max_memory=1000))
    assert limit.value.args == ("memory", 1000)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_progress_stops_the_search(threads: int) -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise Enough

    with pytest.raises(Enough):
        _native.count_generalized_closed(*cube(20, 3), 2, _native.Control(threads), stop)


# --- Adult with the hierarchies that come with ARX ---------------------------------


@pytest.fixture(scope="module")
def adult() -> Table:
    folder = Path(os.environ.get("DISCREET_DATA", "")) / "adult_arx"
    if "DISCREET_DATA" not in os.environ or not folder.is_dir():
        pytest.skip("DISCREET_DATA does not name a folder with adult_arx")
    with lzma.open(folder / "adult.csv.xz", "rt") as file:
        names, *rows = csv.reader(file, delimiter=";")
    parents, leaves = [], []
    for c, name in enumerate(names):
        node: dict[tuple[str, ...], int] = {}
        parent: list[int] = []
        leaf: dict[str, int] = {}
        with (folder / f"adult_hierarchy_{name}.csv").open() as file:
            for path in filter(None, csv.reader(file, delimiter=";")):
                labels = tuple(reversed(path))
                for depth in range(1, len(labels) + 1):
                    if labels[:depth] not in node:
                        node[labels[:depth]] = len(parent)
                        parent.append(node[labels[: depth - 1]] if depth > 1 else -1)
                leaf[path[0]] = node[labels]
        parents.append(np.array(parent, np.int32))
        leaves.append(np.array([leaf[row[c]] for row in rows], np.uint32))
    return parents, leaves, np.ones(len(rows), np.int64)


@pytest.fixture(scope="module")
def below(
    adult: Table,
) -> list[NDArray[np.bool_]]:
    """For each column whether a row (second axis) lies under a node (first axis)."""
    parents, leaves, _ = adult
    return [
        np.array([[v in above(list(p), leaf) for leaf in range(len(p))] for v in range(len(p))])[
            :, column
        ]
        for p, column in zip(parents, leaves, strict=True)
    ]


def test_adult_every_support_is_recounted(adult: Table, below: list[NDArray[np.bool_]]) -> None:
    nodes, supports = _native.generalized_closed(*adult, 500, _native.Control(2))
    assert len(np.unique(nodes, axis=0)) == len(nodes)
    order = np.lexsort((*nodes.T[::-1], -supports))
    assert (order == np.arange(len(order))).all()
    bits = [np.packbits(column, axis=1) for column in below]
    for start in range(0, len(nodes), 1000):
        inside = bits[0][nodes[start : start + 1000, 0]]
        for column, chosen in zip(bits[1:], nodes[start : start + 1000, 1:].T, strict=True):
            inside &= column[chosen]
        counted = np.bitwise_count(inside).sum(axis=1, dtype=np.int64)
        assert (counted == supports[start : start + 1000]).all()


def test_adult_sets_are_closed_and_none_is_missing(
    adult: Table, below: list[NDArray[np.bool_]]
) -> None:
    nodes, supports = _native.generalized_closed(*adult, 50, _native.Control(2))
    assert len(nodes) == 765_152
    parents, leaves, _ = adult

    def closure(rows: NDArray[np.int64]) -> tuple[int, ...]:
        """Lowest common ancestor of the rows' leaves in each column."""
        chosen = []
        for parent, column in zip(parents, leaves, strict=True):
            paths = [above(list(parent), leaf) for leaf in set(column[rows].tolist())]
            shared = set.intersection(*map(set, paths))
            chosen.append(next(node for node in paths[0] if node in shared))
        return tuple(chosen)

    def cover(chosen: tuple[int, ...]) -> NDArray[np.int64]:
        return np.flatnonzero(
            np.logical_and.reduce([b[node] for b, node in zip(below, chosen, strict=True)])
        )

    random = np.random.default_rng(0)
    for i in random.choice(len(nodes), 500, replace=False):
        rows = cover(tuple(nodes[i]))
        assert len(rows) == supports[i]
        assert closure(rows) == tuple(nodes[i])
    found = set(map(tuple, nodes.tolist()))
    for _ in range(500):
        # The closure of any k rows; like rows, or else it is nearly always the root.
        chosen = [random.choice(np.flatnonzero(b[:, random.integers(b.shape[1])])) for b in below]
        rows = cover(tuple(chosen))
        if len(rows) >= 50:
            assert closure(random.choice(rows, 50, replace=False)) in found


def test_adult_is_the_same_for_every_number_of_threads(
    adult: Table,
) -> None:
    nodes, supports = _native.generalized_closed(*adult, 10, _native.Control(1))
    assert len(nodes) == 1_826_609
    for threads in (2, 3):
        assert _native.count_generalized_closed(*adult, 10, _native.Control(threads)) == len(nodes)
        again, counted = _native.generalized_closed(*adult, 10, _native.Control(threads))
        assert (again == nodes).all()
        assert (counted == supports).all()
