"""Lower bounds of what each row must cost: feasible, and below the least total."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.generalize.cover_cases import Case, cases, closed_case
from tests.oracles.set_cover import (
    least_total,
    under,
)


@examples(100)
@given(case=cases(max_rows=9), rounds=st.integers(1, 4), data=st.data())
def test_bounds_are_feasible_and_below_the_least(
    case: Case, rounds: int, data: st.DataObject
) -> None:
    n_rows = len(case.rows)
    weights = data.draw(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0, 9.0]), min_size=n_rows, max_size=n_rows)
    )
    closed = case.closed()
    found = case.bounds(closed, weights, rounds)
    for nodes in closed:
        rows = under(case.parents, case.rows, nodes)
        largest = sorted(found[sorted(rows)])[-case.k :]
        assert sum(largest) <= case.k * case.cost(nodes) + 1e-9
    assert found.sum() <= least_total(n_rows, k=case.k, cost=case.cost_of_rows) + 1e-9
    assert (case.bounds(closed, weights, rounds + 1) >= found - 1e-9).all()


def test_equal_weights_give_the_cheapest_set_above_each_row() -> None:
    case = closed_case()
    assert case.bounds(case.closed(), [1.0] * 6, 1).tolist() == [2, 3, 2, 0, 2, 0]
    by_number = case.bounds(case.closed(), [1.0, 1.0, 1.0, 0.0, 1.0, 0.0], 4)
    assert by_number.sum() > 9


def test_bad_weights_and_rounds_are_refused() -> None:
    case = closed_case()
    for weights, rounds in (
        ([1.0] * 5, 1),
        ([-1.0] * 6, 1),
        ([float("nan")] * 6, 1),
        ([1.0] * 6, 0),
    ):
        with pytest.raises(ValueError, match=r"weight|round"):
            case.bounds(case.closed(), weights, rounds)
