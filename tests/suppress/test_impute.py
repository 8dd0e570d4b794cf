"""Imputation: the stated distribution, the mask, and what is still claimed afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.fit import P_LEAST, p_value

import discreet as dc
from discreet.release.guarantee import ADD_REMOVE, Guarantee
from discreet.release.release import Release
from discreet.suppress import dp_mii_suppress, impute
from discreet.suppress.impute import MAX_CONTEXT, _draws, _information

Cells = tuple[str | None, ...]


def k_anonymous(columns: Sequence[str]) -> Guarantee:
    return Guarantee(
        model="k-anonymity", parameters={"k": 1}, unit="one row", columns=tuple(columns),
        not_protected=("What a class has in common can be learnt.",),
    )  # fmt: skip


def private(columns: Sequence[str]) -> Guarantee:
    return Guarantee(
        model="(epsilon, delta)-differential privacy",
        parameters={"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}, unit="one row",
        neighbours=ADD_REMOVE, columns=tuple(columns), not_protected=("Several rows of one.",),
    )  # fmt: skip


def release_of(rows: Sequence[Cells], *, dp: bool = False) -> Release:
    names = [f"c{j}" for j in range(len(rows[0]))]
    frame = {name: [row[j] for row in rows] for j, name in enumerate(names)}
    claim = private(names) if dp else k_anonymous(names)
    return Release(data=dc.Table.from_frame(frame), guarantee=claim)


def rows_of(table: dc.Table) -> list[tuple[Any, ...]]:
    return list(table.to_frame("polars").rows())


def chances(rows: Sequence[Cells], place: int, column: int) -> dict[str, float]:
    """Return the distribution of one null cell by the definition, row by row."""
    codes = np.array([[-1 if v is None else ord(v) - 97 for v in row] for row in rows])
    told = _information(codes, np.ones(len(rows), np.int64), column)
    visible = [
        j
        for j in sorted(range(len(rows[0])), key=lambda j: (-told[j], j))
        if j != column and rows[place][j] is not None
    ][:MAX_CONTEXT]
    while True:
        agreeing = [
            row[column]
            for row in rows
            if row[column] is not None and all(row[j] == rows[place][j] for j in visible)
        ]
        if agreeing or not visible:
            return {str(v): n / len(agreeing) for v, n in Counter(agreeing).items()}
        visible.pop()


TABLES = st.integers(2, 6).flatmap(
    lambda n: st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "c", None])] * n), min_size=1, max_size=14
    )
)


@examples(40)
@given(rows=TABLES, seed=st.integers(0, 3))
def test_only_cells_that_can_be_filled_are_filled_and_with_possible_values(
    rows: list[Cells], seed: int
) -> None:
    filled = impute(release_of(rows), rng=seed)
    after = rows_of(filled.data)
    for place, row in enumerate(rows):
        for column, cell in enumerate(row):
            possible = chances(rows, place, column) if cell is None else {}
            assert filled.mask[place, column] == bool(possible)
            if possible:
                assert after[place][column] in possible
            else:
                assert after[place][column] == cell


@given(rows=TABLES, column=st.integers(0, 1))
def test_every_class_draws_from_the_rows_of_the_definition(rows: list[Cells], column: int) -> None:
    """The ranges that draws come from, spelled out, against the definition."""
    distinct = list(dict.fromkeys(rows))
    codes = np.array([[-1 if v is None else ord(v) - 97 for v in row] for row in distinct])
    sizes = np.array([rows.count(row) for row in distinct])
    seen = 0
    for wanting, low, high, donors in _draws(codes, sizes, column):
        values = [chr(97 + codes[d, column]) for d in donors for _ in range(sizes[d])]
        for place, start, end in zip(wanting, low, high, strict=True):
            drawn = Counter(values[start:end])
            total = sum(drawn.values())
            found = {value: n / total for value, n in drawn.items()}
            assert found == pytest.approx(chances(rows, rows.index(distinct[place]), column))
            seen += 1
    some_visible = any(row[column] is not None for row in rows)
    assert seen == (sum(row[column] is None for row in distinct) if some_visible else 0)


def test_draws_have_the_stated_frequencies() -> None:
    rows: list[Cells] = [*[("a", "x")] * 300, *[("b", "x")] * 100, *[("b", "y")] * 400]
    rows += [(None, "x")] * 6000 + [(None, None)] * 6000
    filled = impute(release_of(rows), rng=8)
    after = rows_of(filled.data)
    given_x = Counter(row[0] for row in after[800:6800])
    alone = Counter(row[0] for row in after[6800:])
    for found, share in ((given_x, 3 / 4), (alone, 3 / 8)):
        counts = np.array([found["a"], found["b"]])
        assert p_value(counts, np.array([share, 1 - share])) > P_LEAST
        for wrong in (0.7 * share, 1 - 1.3 * (1 - share)):
            assert p_value(counts, np.array([wrong, 1 - wrong])) < P_LEAST


def test_a_column_without_a_value_stays_null() -> None:
    filled = impute(release_of([("a", None), (None, None)]), rng=1)
    assert rows_of(filled.data) == [("a", None), ("a", None)]
    assert filled.mask.tolist() == [[False, False], [True, False]]


def test_k_anonymity_is_not_claimed_of_filled_rows() -> None:
    filled = impute(release_of([("a", "x"), ("b", "x"), (None, "x")]), rng=1)
    assert filled.release is None
    assert filled.to_dict()["guarantee_is_kept"] is False
    assert "Publish the release" in filled.sentence


def test_differential_privacy_is_kept_and_the_step_is_told() -> None:
    before = release_of([("a", "x"), ("b", "x"), (None, "x")], dp=True)
    filled = impute(before, rng=1)
    assert filled.release is not None
    assert filled.release.guarantee == before.guarantee
    assert filled.release.data == filled.data
    assert filled.release.events[-1].name == "impute"
    assert filled.release.events[-1].counts == {"n_cells_imputed": 1}
    assert before.events == ()


def test_the_release_alone_decides() -> None:
    """Equal releases of different tables are filled alike, draw by draw."""
    first = dp_mii_suppress(
        dc.datasets.census(3000), epsilon=1, delta=1e-6, columns=["sex", "education"], seed=2
    )
    copy = Release(data=first.data, guarantee=first.guarantee)
    assert impute(first, rng=4).data == impute(copy, rng=4).data
    assert impute(first, rng=4).data.frame_kind == first.data.frame_kind


def test_frames_of_the_same_kind() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": ["x", None, "x"], "b": ["p", "p", "q"]})
    release = Release(data=dc.Table.from_frame(frame), guarantee=k_anonymous(["a", "b"]))
    filled = impute(release, rng=1)
    assert filled.to_frame()["a"].tolist() == ["x", "x", "x"]
    mask = filled.mask_frame()
    assert isinstance(mask, pd.DataFrame)
    assert mask["a"].tolist() == [False, True, False]
    assert mask["b"].tolist() == [False, False, False]


def test_nothing_to_fill() -> None:
    release = release_of([("a", "x"), ("b", "x")])
    filled = impute(release)
    assert filled.data == release.data
    assert filled.n_imputed == 0
    assert [row[1] for row in filled.preview().rows] == ["0", "0"]
    assert impute(Release(data=release.data.take([]), guarantee=release.guarantee)).n_imputed == 0
