"""The parts of the private mechanism: lists of values, itemsets of a domain, classes."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles.release_law import laplace_above

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.noise import SeededNoise
from discreet.suppress.dp_mii import k_suppress
from discreet.suppress.dp_plan import noise_margin
from discreet.suppress.schemes import DomainItemsets, PublicScheme, column_domains

CODES = st.integers(1, 4).flatmap(
    lambda n: st.tuples(
        st.tuples(*[st.integers(1, 3)] * n),
        st.lists(st.tuples(*[st.integers(0, 2)] * n), max_size=12),
    )
)


def numbered(sizes: tuple[int, ...]) -> list[tuple[tuple[int, int], ...]]:
    """List the itemsets in their order, as pairs (column, value)."""
    singles = [((c, v),) for c, size in enumerate(sizes) for v in range(size)]
    pairs = [
        ((c, v), (d, w))
        for c, d in combinations(range(len(sizes)), 2)
        for v in range(sizes[c])
        for w in range(sizes[d])
    ]
    return [*singles, *pairs]


@given(case=CODES, data=st.data())
def test_supports_and_marks_equal_brute_force(
    case: tuple[tuple[int, ...], list[tuple[int, ...]]], data: st.DataObject
) -> None:
    sizes, drawn = case
    rows = [tuple(min(v, n - 1) for v, n in zip(row, sizes, strict=True)) for row in drawn]
    codes = np.array(rows, np.int64).reshape(len(rows), len(sizes))
    itemsets, listed = DomainItemsets(sizes), numbered(sizes)
    assert len(itemsets) == len(listed)
    contained = [[all(row[c] == v for c, v in x) for x in listed] for row in rows]
    assert all(sum(row) == itemsets.sensitivity for row in contained)
    expected_supports = [sum(row[i] for row in contained) for i in range(len(listed))]
    assert itemsets.supports(codes).tolist() == expected_supports
    allowed = data.draw(st.lists(st.booleans(), min_size=len(listed), max_size=len(listed)))
    may = dict(zip(listed, allowed, strict=True))
    expected = []
    for row in rows:
        cells = list(enumerate(row))
        bad = {c for c, v in cells if not may[((c, v),)]}
        for first, second in combinations(cells, 2):
            if may[(first,)] and may[(second,)] and not may[(first, second)]:
                bad |= {first[0], second[0]}
        expected.append([c in bad for c in range(len(sizes))])
    assert itemsets.marks(codes, np.array(allowed)).tolist() == expected


@given(data=st.data())
def test_values_that_no_row_has_change_nothing(data: st.DataObject) -> None:
    """A list of values that is too long, or read from the data, leaves every mark as it is."""
    row = st.tuples(st.integers(0, 1), st.integers(0, 1))
    codes = np.array(data.draw(st.lists(row, min_size=1)), np.int64)
    short, long = DomainItemsets((2, 2)), DomainItemsets((3, 5))
    noise = {x: data.draw(st.integers(-3, 3)) for x in numbered((3, 5))}
    marks = [
        domain.marks(
            codes, domain.supports(codes) + np.array([noise[x] for x in numbered(sizes)]) > 1
        ).tolist()
        for domain, sizes in ((short, (2, 2)), (long, (3, 5)))
    ]
    assert marks[0] == marks[1]


@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=15),
    k=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_k_suppress_equals_brute_force_in_any_order(
    rows: list[tuple[int, int]], k: int, seed: int
) -> None:
    sizes = Counter(rows)
    expected = sorted(row for row in rows if sizes[row] >= k)
    order = [rows[i] for i in np.random.default_rng(seed).permutation(len(rows))]
    for given_rows in (rows, order):
        codes = np.array(given_rows, np.int64).reshape(len(given_rows), 2)
        kept = codes[k_suppress(codes, k=k)]
        assert list(map(tuple, kept.tolist())) == expected


def test_one_pass_by_equality_000_ksuppress_single_pass() -> None:
    rows = np.array([[0, 9], [0, 1], [0, 2]])  # {a}, {a, b}, {a, c}
    assert len(k_suppress(rows, k=2)) == 0


# Lists of values


def people() -> dc.Table:
    return dc.Table.from_frame({"sex": ["m", "f", None], "age": [40, 20, 20]})


def test_lists_are_sorted_and_end_with_missing() -> None:
    known = column_domains(people(), columns=("age", "sex"))
    assert known.values == ((20, 40, None), ("f", "m", None))
    assert not known.is_public
    assert known.encode(people()).tolist() == [[1, 1], [0, 0], [0, 2]]
    assert known.suppressed.tolist() == [2, 2]


def test_lists_from_hierarchies_and_tables() -> None:
    ages = dc.Hierarchy.from_mapping({"*": {"young": [30, 20], "old": [50, 40]}})
    known = column_domains(
        people(), columns=("sex", "age"), domains={"sex": ["f", "m", "x"], "age": ages}
    )
    assert known.is_public
    assert known.sizes == (4, 5)
    public = dc.Table.from_frame({"sex": ["m", "f"], "age": [20, 40], "job": ["a", "b"]})
    assert column_domains(people(), columns=("sex",), domains=public).values == (("f", "m", None),)


def test_a_value_outside_its_list_is_named() -> None:
    known = column_domains(people(), columns=("sex",), domains={"sex": ["m"]})
    with pytest.raises(DataError, match=r"Column 'sex' has the value 'f'.*Nothing was released"):
        known.encode(people())


def test_lists_that_are_missing_or_wrong_are_named() -> None:
    with pytest.raises(ParameterError, match="domains says nothing of column 'age'"):
        column_domains(people(), columns=("sex", "age"), domains={"sex": ["m", "f"]})
    with pytest.raises(ParameterError, match="one text"):
        column_domains(people(), columns=("sex",), domains={"sex": "mf"})
    with pytest.raises(DataError, match="mixes"):
        column_domains(people(), columns=("sex",), domains={"sex": ["m", 1]})


# Numbers


@pytest.mark.parametrize("scale", [Fraction(1, 5), Fraction(3), Fraction(120), Fraction(2400)])
def test_the_margin_is_the_least_that_noise_passes_once_in_a_hundred(scale: Fraction) -> None:
    margin = noise_margin(scale)
    assert laplace_above(margin, scale) <= 0.01
    assert margin == 0 or laplace_above(margin - 1, scale) > 0.01


# The scheme of a public table


def test_values_the_public_table_lacks_are_suppressed() -> None:
    public = dc.Table.from_frame({"sex": ["f"] * 3 + ["m"] * 3, "age": [20, 20, 40] * 2})
    table = dc.Table.from_frame({"sex": ["f", "m", "x"], "age": [20, 99, 40]})
    scheme = PublicScheme(table=table, public=public, theta=1, limits={})
    rule = scheme.learn(np.empty(0, np.int64), SeededNoise(1))
    # 40 is in two rows, but with either sex in one only: an MII of two items.
    assert rule(np.arange(3)).tolist() == [[False, False], [False, True], [True, False]]
    assert rule(np.array([2])).tolist() == [[True, False]]
    assert rule(np.empty(0, np.int64)).shape == (0, 2)
