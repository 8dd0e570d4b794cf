"""The transformer: what fitted rows show, and what later ones do."""

from __future__ import annotations

import copy
from collections import Counter
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
from sklearn.preprocessing import OneHotEncoder  # type: ignore[import-untyped]

import discreet as dc
from discreet.errors import HierarchyError, InfeasibleError, LimitError, ParameterError
from discreet.sklearn import GeneralizingTransformer
from tests.examples import examples
from tests.strategies import tables_with_hierarchies

SUPPRESSED = "*"
AGES = dc.Hierarchy.intervals(range(20, 60), steps=[10, 20])
PEOPLE = [[21, "f"], [24, "f"], [33, "m"], [38, "m"]]


def people(n_rows: int = 300) -> tuple[pl.DataFrame, dict[str, dc.Hierarchy]]:
    names = ["sex", "age", "education", "region"]
    trees = dc.datasets.census_hierarchies()
    frame = dc.datasets.census(n_rows, seed=2).select(names).to_frame("polars")
    return frame, {name: trees[name] for name in names}


@given(
    made=tables_with_hierarchies(max_records=12),
    k=st.integers(1, 4),
    max_dropped=st.sampled_from([0, 0.2, 1]),
    search=st.sampled_from(["datafly", "incognito"]),
    extra=st.lists(st.tuples(*[st.sampled_from("pqrsx")] * 3), max_size=5),
)
@examples(100)
def test_what_is_shown_at_least_k_fitted_rows_show(
    made: Any,  # noqa: ANN401
    k: int,
    max_dropped: float,
    search: Literal["datafly", "incognito"],
    extra: list[tuple[str, ...]],
) -> None:
    if len(made.records) < k or not made.records:
        return
    rows = [list(record) for record in made.records]
    trees = {
        f"x{place}": dc.Hierarchy.from_parents({**parents, "*": None})
        for place, parents in enumerate(made.hierarchies)
    }
    transformer = GeneralizingTransformer(
        k, hierarchies=trees, max_dropped=max_dropped, search=search
    )
    fitted = [tuple(row) for row in transformer.fit_transform(rows).tolist()]
    hidden = (SUPPRESSED,) * len(rows[0])
    counts = Counter(fitted)
    assert all(count >= k for row, count in counts.items() if row != hidden)
    later = [list(row[: len(rows[0])]) for row in extra]
    if later:
        for row in transformer.transform(later).tolist():
            assert tuple(row) == hidden or counts[tuple(row)] >= k


def test_it_shows_what_the_release_shows() -> None:
    frame, trees = people()
    table = dc.Table.from_frame(frame, categorical=True)
    for search, method in (("datafly", dc.datafly), ("incognito", dc.incognito)):
        made = GeneralizingTransformer(5, hierarchies=trees, max_dropped=0.05, search=search)  # type: ignore[arg-type]
        rows = made.fit_transform(frame)
        shown = sorted(map(tuple, rows[(rows != SUPPRESSED).any(axis=1)].tolist()))
        release = method(table, k=5, hierarchies=trees, max_dropped=0.05)
        assert shown == sorted(
            tuple(map(str, row)) for row in release.data.to_frame("polars").rows()
        )
        assert made.n_suppressed_ == len(frame) - len(shown)


def test_rows_that_come_later() -> None:
    made = GeneralizingTransformer(2, hierarchies={"x0": AGES}, max_dropped=0).fit(PEOPLE)
    later = [[29, "f"], [29, "m"], [29, "x"], [99, "f"], [None, "f"]]
    shown = made.transform(later).tolist()
    assert shown[0] == ["[20, 30)", "f"]
    assert shown[1:] == [[SUPPRESSED, SUPPRESSED]] * 4
    assert made.levels_ == {"x0": 1, "x1": 0}


def test_a_column_that_is_suppressed_takes_any_value() -> None:
    rows = [[str(number), "f"] for number in range(10)]
    made = GeneralizingTransformer(5).fit(rows)
    assert made.transform([["new", "f"], ["new", "m"]]).tolist() == [
        [SUPPRESSED, "f"],
        [SUPPRESSED] * 2,
    ]


def test_values_of_hidden_rows_are_not_kept() -> None:
    rows = [["usual"]] * 99 + [["secret"]]
    made = GeneralizingTransformer(5).fit(rows)
    assert made.n_suppressed_ == 1
    assert made.transform([["secret"], ["usual"]]).tolist() == [[SUPPRESSED], ["usual"]]
    assert "secret" not in str(vars(made))


def test_missing_cells_are_a_value() -> None:
    made = GeneralizingTransformer(2).fit_transform([[None], [np.nan], ["a"], ["a"]])
    assert made.tolist() == [[None], [None], ["a"], ["a"]]


def test_the_same_rows_show_the_same_in_any_company() -> None:
    frame, trees = people()
    made = GeneralizingTransformer(5, hierarchies=trees)
    whole = made.fit_transform(frame)
    again = copy.deepcopy(made).fit(frame).transform(frame)
    assert (whole == again).all()
    order = np.random.default_rng(1).permutation(len(frame))
    assert (made.transform(frame[order]) == whole[order]).all()
    pieces = [made.transform(frame[place : place + 50]) for place in range(0, len(frame), 50)]
    assert (np.concatenate(pieces) == whole).all()
    assert (
        GeneralizingTransformer(5, hierarchies=trees).fit(frame).transform(frame) == whole
    ).all()


def test_frames_and_pipelines() -> None:
    frame, trees = people()
    made = GeneralizingTransformer(5, hierarchies=trees).set_output(transform="polars")
    shown = made.fit_transform(frame)
    assert shown.columns == frame.columns
    encoded = make_pipeline(made, OneHotEncoder(handle_unknown="ignore")).fit_transform(frame)
    assert encoded.shape[0] == len(frame)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 0}, ParameterError, "k=0"),
        ({"k": 5}, InfeasibleError, "fewer than k=5"),
        ({"k": 2, "max_dropped": 2}, ParameterError, "max_dropped=2 must be from 0 to 1"),
        ({"k": 2, "search": "best"}, ParameterError, "no search='best'"),
        ({"k": 2, "hierarchies": {"age": AGES}}, ParameterError, "'age', which is no column"),
        ({"k": 2, "hierarchies": {"x1": AGES}}, HierarchyError, "lacks 2 of the values"),
    ],
)
def test_what_cannot_be(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        GeneralizingTransformer(**options).fit(PEOPLE)


def test_the_best_levels_of_many_columns_are_not_looked_for() -> None:
    with pytest.raises(LimitError, match="combinations of columns and levels"):
        GeneralizingTransformer(2, search="incognito").fit([[*"abcdefghijklmno"], ["z"] * 15] * 3)
