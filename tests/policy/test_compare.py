"""Methods side by side: the figures are those of each release, measured alike."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.policy import Comparison, compare, plan

PEOPLE = dc.datasets.census(300, seed=3).select(["sex", "region", "education", "income"])
TREES = {"education": dc.datasets.census_hierarchies()["education"]}
METHODS = ("k-mii", "set-cover", "mondrian", "mii-suppress")


@pytest.fixture(scope="module")
def found() -> Comparison:
    return compare(PEOPLE, methods=METHODS, k=[10, 3], hierarchies=TREES)


def test_every_method_is_run_at_every_k(found: Comparison) -> None:
    asked = [(method, k) for method in METHODS for k in (3, 10)]
    assert [(each.method, each.k) for each in found.runs] == asked
    assert all(each.seconds > 0 for each in found.runs)
    assert "income" not in found.columns  # sensitive, and no quasi-identifier


def test_figures_are_those_of_the_release(found: Comparison) -> None:
    for run, release in (
        (found.runs[1], dc.k_mii(PEOPLE, k=10)),
        (found.runs[4], dc.mondrian(PEOPLE, k=3, hierarchies=TREES)),
    ):
        assert run.n_suppressed_records == PEOPLE.n_rows - release.data.n_rows
        known = dc.assess.anonymity(release, columns=found.columns)
        assert run.smallest_class == known.k
        lost = dc.utility.loss(PEOPLE, release, columns=found.columns, hierarchies=TREES)
        assert run.loss == pytest.approx(lost.mean)


def test_classes_are_as_large_as_asked_for_where_that_is_claimed(found: Comparison) -> None:
    for each in found.runs:
        assert each.smallest_class is not None
        if each.method != "mii-suppress":
            assert each.smallest_class >= each.k


def test_more_protection_costs_more(found: Comparison) -> None:
    for small, large in pairwise(found.runs):
        if small.method == large.method == "set-cover":
            assert small.loss is not None
            assert large.loss is not None
            assert small.loss < large.loss


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_as_a_frame(found: Comparison, kind: Any) -> None:  # noqa: ANN401
    frame = found.to_frame(kind)
    names = ["method", "k", "loss", "n_suppressed_records", "smallest_class", "seconds", "failed"]
    assert list(getattr(frame, "column_names", frame.columns)) == names
    assert len(frame) == len(found.runs)


def test_as_a_chart_and_shown(found: Comparison) -> None:
    drawn = found.plot().to_dict()
    (values,) = drawn["datasets"].values()
    assert {row["measure"] for row in values} == {"loss", "suppressed records", "seconds"}
    assert {row["method"] for row in values} == set(METHODS)
    assert len(values) == 3 * len(found.runs)
    assert "Least loss: " in repr(found)
    assert "set-cover" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["n_rows"] == 300


def test_a_method_with_options() -> None:
    section = {"name": "k-mii", "leftover": "suppress"}
    (one,) = compare(PEOPLE, methods=[section], k=5).runs
    assert (
        one.n_suppressed_records
        == PEOPLE.n_rows - dc.k_mii(PEOPLE, k=5, leftover="suppress").data.n_rows
    )


def test_what_finds_no_release_is_a_row_that_says_so() -> None:
    found = compare(PEOPLE.head(4), methods=["k-mii", "mondrian"], k=[2, 5])
    failed = [(each.method, each.k) for each in found.runs if each.failed]
    assert failed == [("mondrian", 5)]
    run = found.runs[-1]
    assert (run.loss, run.n_suppressed_records, run.smallest_class) == (None, None, None)
    assert "fewer than k=5" in found.preview().rows[-1][-1]
    assert "mondrian" in found.to_frame()["method"].to_list()


def test_rows_that_cannot_be_matched_have_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(table: dc.Table, *, k: int, **_: object) -> dc.Release:
        return replace(dc.k_mii(table, k=k), input_rows=None)

    monkeypatch.setattr(dc.suppress, "k_mii", forgetful)
    found = compare(PEOPLE, methods=["k-mii"], k=5)
    assert found.runs[0].loss is None
    assert found.runs[0].smallest_class == 5
    assert "No loss is known" in found.sentence


def test_progress_rises_to_the_end() -> None:
    shares: list[float] = []
    compare(PEOPLE, methods=["k-mii", "mondrian"], k=[2, 5], threads=1, progress=shares.append)
    assert all(a <= b for a, b in pairwise(shares))
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"methods": ["k-mi"]}, "There is no method 'k-mi'. Did you mean 'k-mii'"),
        ({"methods": "k-mii"}, r"methods=\['k-mii'\]"),
        ({"methods": []}, "at least one method"),
        ({"methods": [{"k": 3}]}, "There is no method None"),
        ({"methods": ["dp-mii-suppress"]}, "epsilon"),
        ({"methods": [{"name": "k-mii", "leftovers": "drop"}]}, "leftovers"),
        ({"methods": ["synthesize"]}, "synthesize"),
        ({"k": []}, "at least one k"),
        ({"k": [1]}, "at least 2"),
        ({"thread": 2}, "'threads'"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(options: Any, message: str) -> None:  # noqa: ANN401
    with pytest.raises(ParameterError, match=message):
        compare(PEOPLE, **options)


def test_a_plan_as_a_frame() -> None:
    made = plan(PEOPLE, ks=(2, 5))
    frame = made.to_frame()
    assert frame.rows(named=True) == made.to_dict()["settings"]
    assert list(made.to_frame("pandas")["k"]) == [2, 5]
