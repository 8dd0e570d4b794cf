"""From groups to a release: what is shown, what is told, what is left out and what is refused."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import GuaranteeError
from discreet.generalize.clusters import mean_loss
from discreet.generalize.problem import state_problem
from discreet.generalize.release import LossSummary, clustered_release, nodes_release
from discreet.generalize.rules import Options
from discreet.release.event import Event

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
DONE = (Event(name="by hand"),)
ROLES = {"ill": "sensitive", "name": "identifying", "weight": "insensitive"}


def people() -> dc.Table:
    return dc.Table.from_frame(
        {
            "name": list("uvwxyz"),
            "number": [3, 1, 4, 2, 3, 1],
            "ill": list("abbaab"),
            "home": list("pppqrs"),
            "weight": [1, 2, 4, 8, 16, 32],
        },
        roles=ROLES,
    )


def release_of(
    options: Options, clusters: list[int], k: int = 2, table: dc.Table | None = None
) -> dc.Release:
    rows = people() if table is None else table
    given: Options = {"columns": ["number"], "hierarchies": {"number": NUMBERS}, **options}
    problem = state_problem(rows, k=k, options=given)
    return clustered_release(rows, problem=problem, options=given, clusters=clusters, events=DONE)


def dropping(options: Options, dropped: list[int], level: int = 1) -> dc.Release:
    rows = people()
    given: Options = {"columns": ["number"], "hierarchies": {"number": NUMBERS}, **options}
    problem = state_problem(rows, k=2, options=given)
    nodes = NUMBERS.level_nodes()[problem.records.leaves[:, 0], level][:, None]
    return nodes_release(
        rows, problem=problem, options=given, nodes=nodes,
        is_dropped=np.isin(np.arange(6), dropped), events=DONE,
    )  # fmt: skip


HALVES = [0, 1, 0, 1, 0, 1]


def summary(release: dc.Release) -> LossSummary:
    assert isinstance(release.loss, LossSummary)
    return release.loss


def test_rows_are_sorted_and_known_to_the_curator() -> None:
    release = release_of({}, HALVES)
    assert release.data.columns == ("number", "ill", "home", "weight")
    shown = release.data.to_frame("polars").select("number", "ill").rows()
    assert shown == [("low", "a"), ("low", "b"), ("low", "b"), ("high", "a"), ("high", "a"),
                     ("high", "b")]  # fmt: skip
    assert release.input_rows is not None
    assert release.input_rows.tolist() == [3, 1, 5, 0, 4, 2]
    assert summary(release).loss == pytest.approx(1 / 3)
    assert (summary(release).n_groups, summary(release).n_dropped) == (2, 0)
    assert release.events[:-1] == DONE  # and the step that shows nodes
    assert release.guarantee.columns == ("number",)
    assert release.fingerprint is not None


def test_clusters_that_show_the_same_are_one_class() -> None:
    assert summary(release_of({}, [0, 1, 0, 1, 5, 1], k=1)).n_groups == 3
    assert summary(release_of({}, [0, 7, 0, 3, 0, 7], k=1)).n_groups == 3
    twice = dc.Table.from_frame({"number": [1, 2, 1, 2]})
    one = release_of({"columns": ["number"]}, [0, 0, 1, 1], table=twice)
    assert summary(one).n_groups == 1


def test_weights_are_means_of_classes_and_keep_their_total() -> None:
    release = release_of({"weights": "weight"}, HALVES)
    shown = release.data.to_frame("polars").select("number", "weight").rows()
    assert set(shown) == {("low", 14.0), ("high", 7.0)}
    assert sum(weight for _, weight in shown) == pytest.approx(63)
    assert not any("'weight'" in text for text in release.guarantee.not_protected)
    assert any("'home'" in text for text in release.guarantee.not_protected)


def test_weights_of_dropped_rows_go_with_them() -> None:
    release = dropping({"weights": "weight"}, [1])
    shown = release.data.to_frame("polars").select("number", "weight").rows()
    assert set(shown) == {("low", 20.0), ("high", 7.0)}


@given(
    weights=st.lists(st.floats(0.001, 1000), min_size=6, max_size=6),
    clusters=st.lists(st.integers(0, 2), min_size=6, max_size=6),
)
def test_total_and_mean_of_any_weights(weights: list[float], clusters: list[int]) -> None:
    table = dc.Table.from_frame(
        {"number": [3, 1, 4, 2, 3, 1], "weight": weights}, categorical=["weight"]
    )
    release = release_of({"weights": "weight"}, clusters, k=1, table=table)
    frame = release.data.to_frame("polars")
    assert frame["weight"].sum() == pytest.approx(sum(weights))
    assert len(set(frame.rows())) == frame["number"].n_unique()
    # The loss counts each row by its own weight.
    tree_cost = dict(zip(map(str, NUMBERS.labels), [0, 0, 0, 0, 1 / 3, 1 / 3, 1], strict=True))
    assert release.input_rows is not None
    parts = [
        weights[row] * tree_cost[str(label)]
        for row, label in zip(release.input_rows.tolist(), frame["number"].to_list(), strict=True)
    ]
    assert summary(release).loss == pytest.approx(sum(parts) / sum(weights))


def test_households_are_not_released() -> None:
    release = release_of({"households": "home"}, [0] * 6, k=4)
    assert "home" not in release.data.columns
    assert release.events[-1].name == "obey_rules"
    assert release.events[-1].parameters["households"] == "home"
    with pytest.raises(GuaranteeError, match="rule of column 'home'"):
        release_of({"households": "home"}, HALVES, k=3)


def test_dropped_rows_lose_all() -> None:
    release = dropping({}, [0, 5])
    assert release.data.n_rows == 4
    assert release.input_rows is not None
    assert sorted(release.input_rows.tolist()) == [1, 2, 3, 4]
    assert summary(release).n_dropped == 2
    assert summary(release).loss == pytest.approx((2 * 1 + 4 / 3) / 6)


def test_values_keep_their_type_if_only_dropped_rows_showed_a_group() -> None:
    rows = dc.Table.from_frame({"number": [1, 1, 3, 4]})
    options: Options = {"hierarchies": {"number": NUMBERS}}
    problem = state_problem(rows, k=2, options=options)
    release = nodes_release(
        rows, problem=problem, options=options, nodes=np.array([[0], [0], [5], [5]], np.int32),
        is_dropped=np.array([False, False, True, True]), events=DONE,
    )  # fmt: skip
    assert release.data.values("number") == (1,)


def test_all_rows_dropped() -> None:
    release = dropping({"weights": "weight"}, list(range(6)))
    assert (release.data.n_rows, summary(release).loss) == (0, 1.0)
    assert summary(release).n_groups == 0


def test_broken_groups_are_never_released() -> None:
    with pytest.raises(GuaranteeError, match="A group has 1 rows, fewer than k=2"):
        release_of({}, [0, 1, 0, 1, 2, 1])
    with pytest.raises(GuaranteeError, match="A group has 1 rows"):
        dropping({}, [0, 2])
    with pytest.raises(GuaranteeError, match="rule of column 'ill'"):
        release_of({"l": 2}, [0, 1, 2, 1, 0, 2])
    with pytest.raises(GuaranteeError, match="rule of column 'ill'"):
        release_of({"t": 0.1}, HALVES)


def test_closeness_is_to_the_rows_released() -> None:
    # low: b a b, high: a b a. In all rows half are a; without one a of high, 2 of 5.
    assert dropping({"t": 0.2}, []).data.n_rows == 6
    with pytest.raises(GuaranteeError, match="rule of column 'ill'"):
        dropping({"t": 0.05}, [0])
    assert dropping({"t": 0.1}, [0]).data.n_rows == 5  # a is 1/3 and 1/2 of classes, 2/5 in all


def test_the_claim_says_what_was_asked_for() -> None:
    release = release_of({"l": 1.5, "diversity": "entropy", "t": 0.25}, [0] * 6)
    claim = release.guarantee
    assert claim.model == "k-anonymity, l-diversity and t-closeness"
    assert claim.parameters["l"] == Fraction(3, 2)
    assert claim.parameters["t"] == Fraction(1, 4)
    assert claim.parameters["diversity"] == "entropy"
    assert claim.parameters["distance"] == "equal"
    assert release.events[-1].parameters["sensitive"] == ("ill",)
    plain = release_of({"l": 2, "c": 2.1, "diversity": "recursive"}, [0] * 6).guarantee
    assert plain.model == "k-anonymity and l-diversity"
    assert plain.parameters["c"] == Fraction(21, 10)


def test_a_release_goes_to_a_folder_and_back(tmp_path: Path) -> None:
    release = release_of({"weights": "weight", "l": 2}, HALVES)
    for kind in ("parquet", "csv"):
        folder = release.save(tmp_path / kind, format=kind)
        assert dc.Release.load(folder).data.to_frame().rows() == release.data.to_frame().rows()


def test_mean_loss_by_weight() -> None:
    table = dc.Table.from_frame({"sex": ["f", "m", "f"], "weight": [1, 2, 5]})
    plain = state_problem(table, k=2, options={"columns": ["sex"]})
    heavy = state_problem(table, k=2, options={"columns": ["sex"], "weights": "weight"})
    nodes = np.array([[0], [2], [2]], np.int32)
    assert mean_loss(plain, nodes) == pytest.approx(2 / 3)
    assert mean_loss(heavy, nodes) == pytest.approx(7 / 8)


def test_the_input_stays_as_it_was() -> None:
    table = people()
    before = table.to_frame("polars").rows()
    release_of({"weights": "weight"}, HALVES, table=table)
    assert table.to_frame("polars").rows() == before


def test_a_hierarchy_of_exactly_the_values_that_occur_is_named() -> None:
    table = dc.Table.from_frame({"age": [20, 21, 22, 31, 33, 47, 48, 59] * 3})
    ages = [20, 21, 22, 31, 33, 47, 48, 59]
    narrow = dc.Hierarchy.intervals(ages, steps=[5, 10])
    wide = dc.Hierarchy.intervals(range(100), steps=[5, 10])
    for tree, is_named in ((narrow, True), (wide, False)):
        release = dc.mondrian(table, k=5, columns=["age"], hierarchies={"age": tree})
        said = [each for each in release.guarantee.not_protected if "exactly the values" in each]
        assert bool(said) == is_named
        assert all("column 'age'" in each for each in said)
