"""Tables with the most minimal infrequent itemsets: counts, fields, limits."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import discreet as dc
from discreet.errors import LimitError, ParameterError
from discreet.suppress import mii_bound, worst_case_table
from discreet.suppress.worst_case import _plus, _powers, _prime_power, _times


def rows_of(table: dc.Table) -> list[tuple[int, ...]]:
    return list(zip(*(table.codes(name).tolist() for name in table.columns), strict=True))


def n_miis(table: dc.Table, theta: int) -> int:
    return dc.mine.count_minimal_infrequent(table, theta=theta).total


def test_strength_two_over_five_values() -> None:  # 000-oa-counts
    table = worst_case_table(6, theta=4, strength=2)
    assert (table.n_rows, table.n_columns) == (25, 6)
    expected = [
        (*((c0 + c1 * x) % 5 for x in range(5)), c1) for c0, c1 in product(range(5), repeat=2)
    ]
    assert Counter(rows_of(table)) == Counter(expected)
    assert [n_miis(table, theta) for theta in (1, 4, 5, 24, 25)] == [375, 375, 30, 30, 0]


def test_strength_three_over_five_values_attains_the_bound() -> None:  # 000-6
    table = worst_case_table(6, theta=1)
    assert table.n_rows == 125
    assert n_miis(table, 1) == n_miis(table, 4) == 2500 == mii_bound(125, n_columns=6)


def test_six_by_four_matrix_attains_the_bound() -> None:  # 000-6x4
    rows = ["0000", "0111", "0222", "1012", "1120", "1201"]
    columns = {f"c{i}": [int(row[i]) for row in rows] for i in range(4)}
    table = dc.Table.from_codes(columns, {name: [0, 1, 2] for name in columns})
    assert n_miis(table, 1) == 36 == mii_bound(6, n_columns=4)


@pytest.mark.parametrize(
    ("n_columns", "theta", "n_values"),
    [(1, 3, 4), (2, 1, 2), (3, 5, 6), (4, 1, 3), (4, 3, 4), (5, 1, 4), (6, 7, 8), (9, 1, 8)],
)
def test_the_bound_is_attained(n_columns: int, theta: int, n_values: int) -> None:
    table = worst_case_table(n_columns, theta=theta)
    strength = max(1, n_columns // 2)
    assert {len(table.values(name)) for name in table.columns} == {n_values}
    assert table.n_rows == n_values**strength
    assert n_miis(table, theta) == mii_bound(table.n_rows, n_columns=n_columns)


@pytest.mark.parametrize(("n_columns", "theta", "strength"), [(5, 1, 3), (9, 1, 2), (10, 2, 3)])
def test_every_combination_occurs_once_in_every_choice_of_columns(
    n_columns: int, theta: int, strength: int
) -> None:
    table = worst_case_table(n_columns, theta=theta, strength=strength)
    rows = np.array(rows_of(table))
    for chosen in combinations(range(n_columns), strength):
        assert len(np.unique(rows[:, chosen], axis=0)) == table.n_rows
    assert n_miis(table, theta) == table.n_rows * math.comb(n_columns, strength)


@examples(40)
@given(
    rows=st.integers(1, 5).flatmap(
        lambda n: st.lists(st.tuples(*[st.integers(0, 2)] * n), min_size=1, max_size=12)
    ),
    theta=st.integers(1, 4),
)
def test_no_table_passes_the_bound(rows: list[tuple[int, ...]], theta: int) -> None:
    columns = {f"c{i}": [row[i] for row in rows] for i in range(len(rows[0]))}
    table = dc.Table.from_codes(columns, {name: [0, 1, 2] for name in columns})
    assert n_miis(table, theta) <= mii_bound(len(rows), n_columns=len(columns))


@pytest.mark.parametrize("s", [2, 3, 4, 5, 7, 8, 9, 16, 25, 27])
def test_a_field_is_a_field(s: int) -> None:
    p, degree = _prime_power(s)
    assert p**degree == s
    powers = _powers(p, degree)
    all_s = np.arange(s)
    times = np.stack([_times(x, powers) for x in range(s)])
    plus = np.stack([_plus(np.full(s, x), all_s, p, degree) for x in range(s)])
    assert (times == times.T).all()
    assert (plus == plus.T).all()
    assert (times[1] == all_s).all()
    assert (plus[0] == all_s).all()
    assert all(sorted(times[x].tolist()) == list(range(s)) for x in range(1, s))
    assert all(sorted(plus[x].tolist()) == list(range(s)) for x in range(s))
    for x in range(s):  # x (y + z) = x y + x z, for all y and z at once
        assert (times[x][plus] == plus[times[x]][:, times[x]]).all()
        assert (times[x][times] == times[times[x]]).all()  # x (y z) = (x y) z


def test_smallest_prime_powers() -> None:
    found = [p**degree for p, degree in (_prime_power(n) for n in (2, 6, 10, 14, 24, 126, 1000))]
    assert found == [2, 7, 11, 16, 25, 127, 1009]


def test_large_fields_and_thresholds() -> None:
    assert worst_case_table(3, theta=100_000).n_rows == 100_001
    assert worst_case_table(2, theta=1023, strength=2).n_rows == 1024**2


@pytest.mark.parametrize(
    ("n_columns", "theta", "strength", "told"),
    [
        (0, 1, None, "n_columns=0 must"),
        (4, 0, None, "theta=0 must"),
        (4, True, None, "theta=True must"),
        (4, 1, 5, "strength=5 must be from 1 to 4"),
        (4, 1, 0, "strength=0 must"),
    ],
)
def test_bad_parameters_are_named(
    n_columns: int, theta: int, strength: int | None, told: str
) -> None:
    with pytest.raises(ParameterError, match=told):
        worst_case_table(n_columns, theta=theta, strength=strength)


def test_a_table_too_large_is_refused_before_it_is_made() -> None:
    with pytest.raises(LimitError, match=r"19\*\*10 rows"):
        worst_case_table(20, theta=1)


@pytest.mark.parametrize(("n_rows", "n_columns"), [(-1, 2), (3, 0), (1.5, 2)])
def test_the_bound_names_bad_parameters(n_rows: int, n_columns: int) -> None:
    with pytest.raises(ParameterError, match=r"n_(rows|columns)=.* must be .*at least"):
        mii_bound(n_rows, n_columns=n_columns)
