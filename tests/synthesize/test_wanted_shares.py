"""Shares that rows are balanced to: measured pairs as they are, others as implied."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from discreet.synthesize.marginals import Agreed
from discreet.synthesize.pairs import IMPLIED_SLACK, ROW_SLACK, value_slices, wanted_shares
from discreet.synthesize.rows import Wanted
from tests.examples import examples

VALUES = (np.array([0.5, 0.5]), np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.4]))
ORDER: list[tuple[int, int | None]] = [(2, None), (0, 2), (1, None)]
ERROR = 0.01


def agreed_with(dependences: dict[tuple[int, int], float]) -> Agreed:
    """Columns 0 and 2 were measured together, the others not."""
    return Agreed(
        n_rows=100.0,
        values=VALUES,
        pairs={(0, 2): np.array([[0.5, 0.0], [0.1, 0.4]])},
        errors={(0, 2): ERROR},
        dependences=dependences,
    )


def wanted(
    dependences: dict[tuple[int, int], float], table: NDArray[np.float64], n_counted: int = 400
) -> tuple[Wanted, dict[int, slice]]:
    """What is wanted if rows have the table of columns 0 and 1."""
    agreed = agreed_with(dependences)
    at = value_slices(agreed, ORDER)
    target, errors, implied = np.zeros((7, 7)), np.zeros((7, 7)), np.zeros((7, 7))
    target[at[0], at[2]], target[at[2], at[0]] = agreed.pairs[0, 2], agreed.pairs[0, 2].T
    errors[at[0], at[2]] = errors[at[2], at[0]] = ERROR
    np.fill_diagonal(target, np.concatenate([VALUES[column] for column, _ in ORDER]))
    implied[at[0], at[1]], implied[at[1], at[0]] = table, table.T
    implied[at[1], at[2]] = np.outer(VALUES[1], VALUES[2])
    found = wanted_shares(
        agreed, at, target=target, errors=errors, implied=implied, n_counted=n_counted
    )
    return found, at


def depends(table: NDArray[np.float64]) -> float:
    return float(np.abs(table - np.outer(VALUES[0], VALUES[1])).sum())


SKEW = np.array([[0.15, 0.15, 0.2], [0.05, 0.15, 0.3]])  # sums as agreed, dependence 0.2


def test_values_are_numbered_in_drawing_order() -> None:
    at = value_slices(agreed_with({}), ORDER)
    assert at == {2: slice(0, 2), 0: slice(2, 4), 1: slice(4, 7)}


def test_measured_pairs_stay_and_single_values_are_met() -> None:
    found, at = wanted({}, SKEW)
    assert found.shares[at[0], at[2]].tolist() == [[0.5, 0.0], [0.1, 0.4]]
    assert (found.slack[at[0], at[2]] == ROW_SLACK * ERROR).all()
    assert np.diag(found.shares).tolist() == [0.6, 0.4, 0.5, 0.5, 0.2, 0.3, 0.5]
    assert (np.diag(found.slack) == 0).all()
    inside = found.slack[at[1], at[1]]
    assert np.isinf(inside[~np.eye(3, dtype=bool)]).all()  # two values of one column


def test_other_pairs_are_as_implied() -> None:
    found, at = wanted({}, SKEW)
    assert found.shares[at[0], at[1]] == pytest.approx(SKEW)
    assert found.shares[at[1], at[0]] == pytest.approx(SKEW.T)
    assert found.slack[at[0], at[1]] == pytest.approx(IMPLIED_SLACK * np.sqrt(SKEW / 400))
    assert found.slack[at[1], at[0]] == pytest.approx(found.slack[at[0], at[1]].T)


@pytest.mark.parametrize("most", [0.0, 0.05, 0.199])
def test_none_depends_more_than_was_measured(most: float) -> None:
    found, at = wanted({(0, 1): most, (0, 2): 0.0}, SKEW)
    table = found.shares[at[0], at[1]]
    assert depends(table) == pytest.approx(most, abs=1e-12)
    assert table.sum(1) == pytest.approx(VALUES[0])
    assert table.sum(0) == pytest.approx(VALUES[1])
    # The same direction, and the measured pair is not touched by its own dependence.
    independent = np.outer(VALUES[0], VALUES[1])
    assert table - independent == pytest.approx(most / 0.2 * (SKEW - independent))
    assert found.shares[at[0], at[2]].tolist() == [[0.5, 0.0], [0.1, 0.4]]


def test_nothing_is_implied_by_no_rows() -> None:
    found, at = wanted({}, SKEW, n_counted=0)
    assert np.isinf(found.slack[at[0], at[1]]).all()
    assert np.isfinite(found.slack[at[0], at[2]]).all()


@examples(60)
@given(
    counts=st.lists(st.integers(0, 50), min_size=6, max_size=6).filter(any),
    most=st.floats(0, 2),
)
def test_all_shares_agree_with_those_of_values(counts: list[int], most: float) -> None:
    table = np.array(counts, float).reshape(2, 3) / sum(counts)
    found, at = wanted({(0, 1): most}, table)
    got = found.shares[at[0], at[1]]
    assert got.min() >= 0
    assert got.sum(1) == pytest.approx(VALUES[0])
    assert got.sum(0) == pytest.approx(VALUES[1])
    assert depends(got) <= most + 1e-9
