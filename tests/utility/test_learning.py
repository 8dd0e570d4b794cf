"""Models trained on a release and tested on the original."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.utility import LearningUtility, learning, learning_utility
from discreet.utility.learning import MODELS, Examples, Model, Splitter, Trainer
from discreet.utility.pairs import pair_columns
from tests.utility.releases import recoded, suppress


@pytest.fixture(scope="module")
def people() -> dc.Table:
    return dc.datasets.census(600).select(["sex", "education", "occupation", "income"])


def means(seen: LearningUtility) -> list[tuple[float | None, float | None]]:
    return [(found.original.mean, found.release.mean) for found in seen.models]


def test_the_same_table_loses_nothing_in_any_coding(people: dc.Table) -> None:
    settings = {"target": "income", "n_repeats": 3, "n_trees": 10, "rng": 1}
    same = learning_utility(people, people, **settings)  # type: ignore[arg-type]
    assert [found.model for found in same.models] == list(MODELS)
    assert [found.loss for found in same.models] == [0, 0, 0]
    assert all(found.release == found.original for found in same.models)
    again = learning_utility(people, recoded(people), **settings)  # type: ignore[arg-type]
    assert again == same


def test_models_learn_and_suppression_costs(people: dc.Table) -> None:
    luck = np.random.default_rng(0).random((600, 4))
    luck[:, 3] = 1  # the target stays
    seen = {
        share: learning_utility(
            people,
            suppress(people, luck < share),
            target="income",
            models=["naive_bayes"],
            rng=1,
        )
        for share in (0.0, 0.5, 1.0)
    }
    accuracy = {share: found.models[0].release.mean or 0.0 for share, found in seen.items()}
    majority = seen[0.0].majority.mean
    assert majority is not None
    assert accuracy[0.0] > majority + 0.05
    assert accuracy[0.0] >= accuracy[0.5] - 0.02
    assert accuracy[0.5] > accuracy[1.0]
    # Nothing is left but the shares of the target.
    assert accuracy[1.0] == pytest.approx(majority, abs=0.02)


def test_a_rule_without_exception_is_learnt_through_labels() -> None:
    """Target equals feature; the release numbers values the other way and lost half the rows."""
    values = ["a", "b", "c"]
    codes = np.arange(60) % 3
    original = dc.Table.from_codes({"x": codes, "y": codes}, {"x": values, "y": values})
    kept = np.arange(30)
    release = recoded(original.take(kept))
    for rows in (kept, None):
        seen = learning_utility(
            original, release, target="y", rows=rows, n_repeats=2, n_trees=5, rng=3
        )
        assert means(seen) == [(1, 1)] * 3
        assert seen.majority.mean is not None
        assert seen.majority.mean < 0.6


def test_the_papers_split() -> None:
    """Test rows: a fifth of the rows with a target, and a fifth of those lost or without."""
    original = dc.Table.from_frame({"y": ["a", "b"] * 50})
    matched = np.arange(90)[::-1].copy()  # the last ten rows are lost
    codes = original.codes("y")[matched].astype(np.int64)
    codes[:20] = 2  # rows 89 to 70 have no target in the release
    release = dc.Table.from_codes({"y": codes}, {"y": ["a", "b", None]})
    (target,) = pair_columns(original, release)
    splitter = Splitter.of(target, matched=matched, test_rate=0.2)
    assert splitter.others.tolist() == list(range(70, 100))
    split = splitter.draw(np.random.default_rng(0))
    assert (len(split.test), len(split.train_release), len(split.train_original)) == (20, 56, 80)
    assert sum(row < 70 for row in split.test) == 14
    assert sorted({*split.test, *split.train_original}) == list(range(100))
    sources = matched[split.train_release]
    assert sources.max() < 70
    assert not {*sources.tolist()} & {*split.test.tolist()}
    again = splitter.draw(np.random.default_rng(1))
    assert set(again.test.tolist()) != set(split.test.tolist())


def test_unmatched_rows_are_all_of_the_release() -> None:
    original = dc.Table.from_frame({"y": ["a", "b"] * 10})
    release = dc.Table.from_frame({"y": ["a", None] * 35})
    (target,) = pair_columns(original, release)
    split = Splitter.of(target, matched=None, test_rate=0.2).draw(np.random.default_rng(0))
    assert (len(split.test), len(split.train_original), len(split.train_release)) == (4, 16, 28)
    assert all(row % 2 == 0 for row in split.train_release)


def test_rows_without_a_target_are_neither_learnt_nor_tested() -> None:
    original = dc.Table.from_frame({"x": ["u", "v"] * 10, "y": ["a", "b"] * 5 + [None] * 10})
    seen = learning_utility(original, original, target="y", n_repeats=1, n_trees=2, rng=0)
    assert (seen.n_test, seen.n_train_original, seen.n_train_release, seen.n_unusable) == (
        (2, 8, 8, 0)
    )
    assert seen.models[0].original.deviation is None


def test_values_unknown_to_the_release_are_told_apart() -> None:
    rows = Examples(features=np.array([[0], [1]]), target=np.array([0, 1]))
    unseen = Examples(features=np.array([[2]]), target=np.array([1]))
    for model in MODELS:
        score = Trainer(n_values=(3,), n_trees=3).accuracy(model, train=rows, test=unseen, seed=0)
        assert score in (0, 1)


DEGENERATE = {
    "empty release": ({"x": ["u", "v"] * 5, "y": ["a", "b"] * 5}, []),
    "one row released": ({"x": ["u", "v"] * 5, "y": ["a", "b"] * 5}, [3]),
    "one row": ({"x": ["u"], "y": ["a"]}, [0]),
    "empty": ({"x": [], "y": []}, []),
    "no features": ({"y": ["a", "b", "a", "a", "b"]}, [0, 1, 2, 3, 4]),
    "one class": ({"x": ["u", "v"] * 5, "y": ["a"] * 10}, list(range(10))),
}


@pytest.mark.parametrize("case", DEGENERATE)
def test_degenerate_tables(case: str) -> None:
    columns, kept = DEGENERATE[case]
    original = dc.Table.from_frame(columns)
    seen = learning_utility(
        original, original.take(kept), target="y", rows=kept, n_repeats=2, n_trees=2, rng=0
    )
    trained = {found.release.mean is not None for found in seen.models}
    assert trained == {case in ("no features", "one class")}
    if case == "one class":
        assert means(seen) == [(1, 1)] * 3
    assert json.loads(json.dumps(seen.to_dict()))["n_repeats"] == 2
    assert isinstance(seen.sentence, str)
    seen.plot().to_dict()


def test_all_cells_or_all_targets_suppressed(people: dc.Table) -> None:
    nothing = suppress(people, np.ones((600, 4), bool))
    seen = learning_utility(people, nothing, target="income", models=["naive_bayes"], n_repeats=2)
    assert seen.models[0].release.mean is None
    assert seen.models[0].loss is None
    assert seen.models[0].original.mean is not None
    assert (seen.n_unusable, seen.n_train_release, seen.n_test) == (600, 0, 120)
    assert "naive bayes none instead of" in seen.sentence


def test_shown_and_exported(people: dc.Table) -> None:
    steps: list[float] = []
    chosen: list[Model] = ["naive_bayes", "decision_tree"]
    seen = learning_utility(
        people, people, target="income", models=chosen, n_repeats=2, rng=0, progress=steps.append
    )
    assert steps == pytest.approx([0.25, 0.5, 0.75, 1])
    frame = seen.to_frame("pandas")
    assert len(frame) == 8
    assert frame["accuracy"].mean() == pytest.approx(np.mean(np.array(means(seen), float)))
    plain = json.loads(json.dumps(seen.to_dict()))
    assert plain["models"][0]["release"]["mean"] == seen.models[0].release.mean
    assert [row[0] for row in seen.preview().rows] == [
        "naive bayes",
        "decision tree",
        "most common value",
    ]
    assert "Trained on the release, models predict income" in seen.sentence
    assert len(seen.plot().to_dict()["datasets"].popitem()[1]) == 8


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"target": "incom"}, "Did you mean 'income'"),
        ({"models": ["forest"]}, "no models='forest'"),
        ({"models": []}, "at least one model"),
        ({"models": ["naive_bayes"] * 2}, "each once"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"n_trees": 0}, "n_trees=0"),
        ({"test_rate": 1.0}, "test_rate=1.0"),
        ({"test_rate": 0.0}, "test_rate=0.0"),
        ({"rows": [0]}, "names 1 rows"),
    ],
)
def test_wrong_parameters(people: dc.Table, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        learning_utility(people, people, **{"target": "income", **wrong})  # type: ignore[arg-type]


def test_identifying_target_and_columns_that_do_not_agree(people: dc.Table) -> None:
    named = people.with_roles(income="identifying")
    with pytest.raises(ParameterError, match="'income' is not a column to predict"):
        learning_utility(named, named, target="income")
    with pytest.raises(DataError, match="release has no column 'sex'"):
        learning_utility(people, people.select(people.columns[1:]), target="income")


def test_without_scikit_learn_the_extra_is_named(
    people: dc.Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in ("ensemble", "tree", "naive_bayes"):
        monkeypatch.setitem(sys.modules, f"sklearn.{part}", None)
    for model in MODELS:
        with pytest.raises(ParameterError, match=r"pip install 'discreet\[learning\]'"):
            learning_utility(people, people, target="income", models=[model])


def test_scikit_learn_is_loaded_when_used_only() -> None:
    script = "import sys, discreet.utility; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_warning_filters_of_the_caller_are_left_alone(people: dc.Table) -> None:
    chosen: list[Model] = ["random_forest"]
    learning_utility(people, people, target="income", models=chosen, n_repeats=1, n_trees=2)
    before = list(warnings.filters)
    learning_utility(people, people, target="income", models=chosen, n_repeats=2, n_trees=20)
    assert list(warnings.filters) == before


def test_too_many_values_for_trees(people: dc.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MAX_BYTES", 1000)
    with pytest.raises(LimitError, match=r"models=\['naive_bayes'\]"):
        learning_utility(people, people, target="income", models=["decision_tree"])


def test_breast_as_published(public_data: Path) -> None:
    """Table 4.5, breast: 94.46 % from the original, 94.67 % after suppression with theta 1."""
    original = dc.load(public_data / "lucs" / "breast.D20.N699.C2.num")
    assert isinstance(original, dc.Table)
    release = suppress(original, dc.mine.mark_cells(original, theta=1))
    seen = learning_utility(
        original,
        release,
        target=original.columns[-1],
        models=["random_forest"],
        n_repeats=3,
        rng=1,
    )
    assert means(seen)[0] == pytest.approx((0.9446, 0.9467), abs=0.03)


def test_adult_with_rare_combinations_suppressed(public_data: Path) -> None:
    """Little is lost at theta 1: the paper's random forest loses nothing (table 4.5)."""
    original = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(original, dc.Table)
    release = suppress(original, dc.mine.mark_cells(original, theta=1))
    target = original.columns[-1]
    seen = learning_utility(
        original, release, target=target, models=["naive_bayes"], n_repeats=3, rng=1
    )
    assert seen.majority.mean == pytest.approx(0.752, abs=0.01)
    assert seen.models[0].original.mean == pytest.approx(0.83, abs=0.01)
    assert seen.models[0].loss == pytest.approx(0, abs=0.02)


def test_many_values_are_learnt_from_as_one_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 dates would be 3,000 columns of zeros and ones, in every node of every tree."""
    n = 3_000
    dates = [f"1900-{place:05d}" for place in range(n)]
    income = ["low" if place % 3 else "high" for place in range(n)]
    people = dc.Table.from_frame({"born": dates, "income": income})
    seen: list[tuple[int, ...]] = []
    accuracy = Trainer.accuracy

    def spy(self: Trainer, *args: object, **options: object) -> float:
        seen.append(self.n_values)
        return accuracy(self, *args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Trainer, "accuracy", spy)
    options = {"models": ["decision_tree"], "n_repeats": 1, "rng": 1}
    found = learning_utility(people, people, target="income", **options)  # type: ignore[arg-type]
    assert set(seen) == {(101,)}  # 99 values, the others, and no value
    assert found.pooled == ("born",)
    assert "The rarer values of born were learnt from as one." in found.sentence
    with pytest.raises(ParameterError, match="3,000 values"):
        learning_utility(people, people, target="born", **options)  # type: ignore[arg-type]
    few = learning_utility(people, people, target="income", max_values=None, models=["naive_bayes"])
    assert few.pooled == ()


def test_a_model_learns_from_groups_and_is_tested_on_the_same_groups() -> None:
    jobs = {"*": {"food": ["cook", "baker"], "tech": ["coder", "tester"]}}
    job = ["cook", "baker", "coder", "tester"] * 50
    people = dc.Table.from_frame(
        {"job": job, "pay": ["low" if each in ("cook", "baker") else "high" for each in job]},
        roles={"job": "quasi", "pay": "sensitive"},
    )
    tree = dc.Hierarchy.from_mapping(jobs)
    release = dc.generalize.datafly(people, k=100, hierarchies={"job": tree})
    assert set(release.data.values("job")) == {"food", "tech"}
    found = learning_utility(people, release, target="pay", n_repeats=2, n_trees=5, rng=1)
    assert means(found) == [(1, 1)] * 3  # no original row shows a group: 0.5 without it
    assert found.groups == ("job",)
