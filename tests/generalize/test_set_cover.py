"""Generalization by set cover: near the best, with a bound below, and open about limits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.assess.classes import equivalence_classes
from discreet.errors import DiscreetWarning, InfeasibleError, LimitError, ParameterError
from discreet.generalize.clusters import closures, fraction_costs, generalization_costs, mean_loss
from discreet.generalize.cover import (
    Price,
    cover_candidates,
    gen_cover,
    lower_bound,
    sorted_windows,
)
from discreet.generalize.problem import Problem, state_problem
from discreet.generalize.release import LossSummary
from discreet.generalize.rules import Options
from discreet.generalize.set_cover import cover_to_clusters, set_cover, set_cover_clusters
from discreet.mine import Item
from discreet.release.release import Release
from tests.adult_arx import adult_arx
from tests.examples import examples
from tests.oracles.set_cover import closure, least_total

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
LETTERS = dc.Hierarchy.from_mapping({"*": {"ab": ["a", "b"], "c": []}})
TREES = {"number": NUMBERS, "letter": LETTERS}
CLOSED = [(1, "a"), (1, "b"), (2, "a"), (3, "c"), (4, "c"), (3, "c")]


def table(rows: Sequence[tuple[int, str]]) -> dc.Table:
    return dc.Table.from_frame({"number": [n for n, _ in rows], "letter": [c for _, c in rows]})


def problem_of(rows: Sequence[tuple[int, str]], k: int, **options: object) -> Problem:
    given: Options = {"hierarchies": TREES, **options}  # type: ignore[typeddict-item]
    return state_problem(table(rows), k=k, options=given)


def loss_of(release: Release) -> LossSummary:
    assert isinstance(release.loss, LossSummary)
    return release.loss


def optimum(problem: Problem) -> float:
    """Return the least mean loss of a cell, by trying all clusters."""
    whole = fraction_costs(problem)
    parents = [tree.parent.tolist() for tree in problem.records.hierarchies]
    leaves = problem.records.leaves.tolist()

    def cost(rows: frozenset[int]) -> int:
        nodes = closure(parents, [leaves[row] for row in rows])
        return sum(int(of[node]) for of, node in zip(whole.costs, nodes, strict=True))

    total = least_total(problem.n_rows, k=problem.k, cost=cost)
    return total / whole.parts / problem.n_rows / len(problem.costs)


ROWS = st.lists(st.tuples(st.integers(1, 4), st.sampled_from("abc")), min_size=4, max_size=9)


@examples(50)
@given(rows=ROWS, k=st.integers(2, 4), price=st.sampled_from(["rows", "set"]))
def test_the_ratio_and_the_bound_hold(
    rows: list[tuple[int, str]], k: int, price: Price
) -> None:  # 002-5
    problem = problem_of(rows, k)
    found = set_cover_clusters(problem, price=price)
    sizes = np.bincount(found.clusters)
    assert k <= sizes.min() <= sizes.max() <= 2 * k - 1
    best = optimum(problem)
    loss = mean_loss(problem, closures(problem.records, clusters=found.clusters)[found.clusters])
    assert found.ratio == 2 * (1 + math.log(2 * k))
    sharper = (2 * k - 1) / k * sum(1 / n for n in range(1, 2 * k))
    assert best - 1e-12 <= loss <= sharper * best + 1e-12
    assert found.least <= best + 1e-12


@examples(30)
@given(rows=ROWS, k=st.integers(2, 3), most=st.integers(1, 6), data=st.data())
def test_bounds_by_parts_of_the_columns_hold(
    rows: list[tuple[int, str]], k: int, most: int, data: st.DataObject
) -> None:
    problem = problem_of(rows, k)
    assert 0 <= lower_bound(problem, max_itemsets=most) <= optimum(problem) + 1e-12
    weights = np.array([data.draw(st.sampled_from([1.0, 2.0, 5.0])) for _ in rows])
    weighted = Problem(
        records=problem.records, costs=problem.costs, loss="lm", k=k, weights=weights
    )
    found = set_cover_clusters(weighted)
    clusters = found.clusters
    assert found.least <= mean_loss(
        weighted, closures(problem.records, clusters=clusters)[clusters]
    )
    assert found.ratio is None


@pytest.mark.parametrize("price", ["rows", "set"])
def test_the_closed_example(price: Price) -> None:  # 002-closed
    release = set_cover(table(CLOSED), k=2, price=price, hierarchies=TREES)
    assert release.data.to_frame().rows() == [("low", "ab")] * 3 + [("high", "c")] * 3
    loss = loss_of(release)
    assert Fraction(loss.loss).limit_denominator(1000) == Fraction(7, 24)
    assert loss.before == loss.loss
    assert loss.least is not None
    assert 0.16 < loss.least <= 7 / 24 + 1e-12  # by the cheapest set of each row, only 0.125
    assert release.guarantee.parameters["k"] == 2
    assert dict(release.events[0].parameters) == {
        "k": 2, "loss": "lm", "price": price, "candidates": "all closed", "improved": True,
    }  # fmt: skip


def test_flat_hierarchies_are_closed_itemsets() -> None:
    random = np.random.default_rng(1)
    people = dc.Table.from_frame({f"c{j}": random.integers(0, 3, 60).tolist() for j in range(4)})
    problem = state_problem(people, k=5, options={})
    found = {
        frozenset(
            (name, tree.labels[node])
            for name, tree, node in zip(
                people.columns, problem.records.hierarchies, nodes, strict=True
            )
            if node != tree.root
        )
        for nodes in cover_candidates(problem).nodes.tolist()
    }
    expected = {
        frozenset((item.column, item.value) for item in items if isinstance(item, Item))
        for items, _ in dc.mine.closed(people, min_support=5)
    }
    assert found == expected | {frozenset()}


def test_whole_costs() -> None:
    problem = problem_of(CLOSED, 2)
    whole = fraction_costs(problem)
    assert (whole.parts, whole.is_exact) == (6, True)
    assert [of.tolist() for of in whole.costs] == [[0, 0, 0, 0, 2, 2, 6], [0, 0, 0, 3, 6]]
    for loss in ("entropy", "plain_entropy"):
        rounded = fraction_costs(problem_of(CLOSED, 2, loss=loss))
        assert (rounded.parts, rounded.is_exact) == (2**40, False)
        for given_costs, of in zip(
            problem_of(CLOSED, 2, loss=loss).costs, rounded.costs, strict=True
        ):
            low = of / rounded.parts
            assert ((low <= given_costs) & (given_costs < low + 2.0**-39)).all()
    assert fraction_costs(problem_of(CLOSED, 2, loss="suppression")).parts == 1
    balanced = {"number": NUMBERS, "letter": dc.Hierarchy.flat("abc")}
    assert fraction_costs(problem_of(CLOSED, 2, loss="tree", hierarchies=balanced)).parts == 2


def test_a_denominator_that_is_too_large_is_given_up() -> None:
    primes = [10007, 10009, 10037, 10039]
    columns = {f"c{p}": [f"v{v % p}" for v in range(3)] for p in primes}
    trees = {f"c{p}": dc.Hierarchy.flat([f"v{v}" for v in range(p + 1)]) for p in primes}
    people = dc.Table.from_frame(columns)
    whole = fraction_costs(state_problem(people, k=2, options={"hierarchies": trees}))
    assert (whole.parts, whole.is_exact) == (2**40, False)


def test_k_of_one_loses_nothing() -> None:
    release = set_cover(table(CLOSED), k=1, hierarchies=TREES)
    assert sorted(release.data.to_frame().rows()) == sorted(CLOSED)
    assert (loss_of(release).loss, loss_of(release).least, loss_of(release).ratio) == (0, 0, None)


def test_equal_rows_and_one_column() -> None:
    same = dc.Table.from_frame({"a": ["x"] * 7, "b": ["y"] * 7})
    for k in (2, 3, 7):
        assert loss_of(set_cover(same, k=k)).loss == 0
        assert loss_of(set_cover(same, k=k)).least == 0
    one = dc.Table.from_frame({"number": [1, 2, 3, 3, 4]})
    shown = set_cover(one, k=2, hierarchies={"number": NUMBERS}).data.to_frame()["number"]
    assert shown.to_list() == ["low", "low", "high", "high", "high"]


def test_refused() -> None:
    with pytest.raises(InfeasibleError, match="6 rows, fewer than k=7"):
        set_cover(table(CLOSED), k=7, hierarchies=TREES)
    with pytest.raises(ParameterError, match="Did you mean 'rows'"):
        set_cover(table(CLOSED), k=2, price="row")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="not a cover for k=2: the cover leaves out a row"):
        cover_to_clusters([0, 1], offsets=[0, 2], n_rows=3, k=2)


def test_no_ratio_where_nothing_is_proved() -> None:
    assert set_cover_clusters(problem_of(CLOSED, 2, loss="entropy")).ratio is not None
    uneven = [(1, "a")] * 20 + [(3, "b"), (4, "c")] * 2  # the upper half costs more than all
    pruned = problem_of(uneven, 2, loss="plain_entropy")  # without the nodes that spoil the proof
    assert set_cover_clusters(pruned).ratio is not None
    costs = tuple(tree.leaf_counts[::-1].astype(float) for tree in pruned.records.hierarchies)
    assert set_cover_clusters(replace(pruned, costs=costs)).ratio is None
    diverse = dc.Table.from_frame(
        {"number": [1, 1, 3, 3], "ill": list("yxyx")}, roles={"ill": "sensitive"}
    )
    ruled = state_problem(diverse, k=2, options={"l": 2})
    assert set_cover_clusters(ruled).ratio is None


def wide(n_rows: int = 200, n_columns: int = 8) -> dc.Table:
    random = np.random.default_rng(0)
    return dc.Table.from_frame(
        {f"c{j}": random.integers(0, 4, n_rows).tolist() for j in range(n_columns)}
    )


def test_past_the_limit_the_release_says_so() -> None:
    people = wide()
    free = set_cover(people, k=4)
    with pytest.warns(DiscreetWarning, match=r"More than 500 results.*bounded part"):
        bounded = set_cover(people, k=4, max_itemsets=500)
    assert bounded.events[0].parameters["candidates"] == "bounded"
    assert loss_of(bounded).ratio is None
    assert equivalence_classes(bounded.data, bounded.data.columns).sizes.min() >= 4
    assert loss_of(free).ratio is not None
    least = loss_of(bounded).least
    assert least is not None
    assert 0 <= least <= loss_of(free).loss <= loss_of(bounded).loss < 1.3 * loss_of(free).loss


def test_nothing_fits_the_memory() -> None:
    with (
        pytest.raises(LimitError, match="More than 10,000 bytes"),
        pytest.warns(DiscreetWarning, match="bounded part"),
    ):
        set_cover(wide(), k=4, max_memory=10_000)


@examples(60)
@given(rows=ROWS, k=st.integers(1, 4))
def test_windows_are_closed_sets_that_hold_all_rows(rows: list[tuple[int, str]], k: int) -> None:
    problem = problem_of(rows, k)
    windows = sorted_windows(problem)
    every = {tuple(nodes) for nodes in cover_candidates(problem).nodes.tolist()}
    assert {tuple(nodes) for nodes in windows.tolist()} <= every
    is_held = np.zeros(len(rows), bool)
    for nodes in windows.tolist():
        is_held |= np.logical_and.reduce(
            [
                np.isin(column, tree.leaves_under(node))
                for column, tree, node in zip(
                    problem.records.leaves.T, problem.records.hierarchies, nodes, strict=True
                )
            ]
        )
    assert is_held.all()


def test_threads_and_progress_change_nothing() -> None:
    people = wide(400, 6)
    told: list[float] = []
    one = set_cover(people, k=3, threads=1)
    three = set_cover(people, k=3, threads=3, progress=told.append)
    assert one.data == three.data
    assert loss_of(one) == loss_of(three)
    assert told == sorted(told)
    assert all(0 <= share <= 1 for share in told)


def test_prices_are_shared_among_new_rows() -> None:
    problem = problem_of(CLOSED, 2)
    cover = gen_cover(problem, candidates=cover_candidates(problem))
    assert np.split(cover.rows, cover.offsets[1:-1])[0].tolist() == [3, 5]
    paid = [Fraction(price).limit_denominator(100) for price in cover.prices]
    third = Fraction(1, 3)
    assert paid == [third, Fraction(1), third, 0, 2 * third, 0]
    nodes = closures(problem.records, clusters=[0, 0, 0, 1, 1, 1])
    assert generalization_costs(nodes, costs=problem.costs).tolist() == pytest.approx(
        [5 / 6, 1 / 3]
    )


def test_adult_at_50(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    release = set_cover(adult, k=50, hierarchies=trees)
    assert equivalence_classes(release.data, adult.quasi).sizes.min() >= 50
    loss = loss_of(release)
    assert loss.least is not None
    assert 0.12 < loss.least < loss.loss < 0.15
    assert release.events[0].parameters["candidates"] == "all closed"


def test_keys_of_windows_that_do_not_fit_into_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    table = dc.datasets.census(60, seed=3).select(["sex", "age", "education", "region"])
    options: Options = {
        "hierarchies": {name: dc.datasets.census_hierarchies()[name] for name in table.columns}
    }
    problem = state_problem(table, k=3, options=options)
    whole = sorted_windows(problem)
    monkeypatch.setattr("discreet.generalize.cover._MOST_CODES", 50)
    assert sorted_windows(problem).tolist() == whole.tolist()


def test_a_loss_is_told_in_figures() -> None:
    loss = LossSummary(measure="lm", loss=0.5, before=0.75, least=0.25, ratio=3.0, n_groups=1)
    assert loss.preview().rows == [
        ("before improvement", "0.7500"),
        ("after", "0.5000"),
        ("least possible, at least", "0.2500"),
        ("proved ratio", "3.0000"),
    ]
    assert "in 1 group;" in repr(loss)
    assert loss.to_dict()["least"] == 0.25
    assert len(LossSummary(measure="lm", loss=0.5, n_groups=2).preview().rows) == 1
