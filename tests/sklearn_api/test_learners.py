"""The classifier and the synthesizer behind scikit-learn's interface."""

from __future__ import annotations

import builtins
import importlib
import sys
from typing import Any

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone  # type: ignore[import-untyped]
from sklearn.exceptions import NotFittedError  # type: ignore[import-untyped]
from sklearn.model_selection import cross_val_score  # type: ignore[import-untyped]

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.sklearn import KrimpClassifier, Synthesizer
from discreet.synthesize import krimp_classifier

FRAME = pl.DataFrame(
    {"shape": ["round", "long", "long"] * 10, "colour": ["red", "red", "green", "green", "red"] * 6}
)
FRUIT = np.array(["apple", "pepper", "pepper"] * 10)


def test_it_is_the_classifier_of_synthesize() -> None:
    made = KrimpClassifier().fit(FRAME, FRUIT)
    known = krimp_classifier(FRAME, classes=FRUIT.tolist())
    assert made.predict(FRAME).tolist() == known.predict(FRAME)
    bits = known.encoded_lengths(FRAME)[:, [known.classes.index(name) for name in made.classes_]]
    chances = np.exp2(-bits) / np.exp2(-bits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(made.predict_proba(FRAME), chances)
    assert made.classes_.tolist() == ["apple", "pepper"]


def test_a_value_that_was_not_fitted_says_nothing() -> None:
    made = KrimpClassifier().fit(FRAME, FRUIT)
    new = pl.DataFrame({"shape": ["round", "square"], "colour": ["blue", "blue"]})
    assert made.predict(new).tolist()[0] == "apple"
    assert made.predict_proba(new)[1].tolist() == [0.5, 0.5]


def test_numbers_beside_text_stay_numbers() -> None:
    made = KrimpClassifier().fit([[1, "a"], [2, "b"]] * 4, [0, 1] * 4)
    assert made.predict([[2, "b"]]).tolist() == [1]
    with pytest.raises(DataError, match="mixes types"):
        made.predict([[1, "a"], ["1", "a"]])


def test_it_learns() -> None:
    scores = cross_val_score(KrimpClassifier(min_support=2), FRAME.to_numpy(), FRUIT, cv=3)
    assert scores.min() == 1


def test_there_is_one_class_for_each_row() -> None:
    with pytest.raises(DataError, match="29 classes for 30 rows"):
        KrimpClassifier().fit(FRAME, FRUIT[1:])
    with pytest.raises(DataError, match="target y is None"):
        KrimpClassifier().fit(FRAME, None)  # type: ignore[arg-type]
    with pytest.raises(NotFittedError):
        KrimpClassifier().predict(FRAME)


def test_it_is_the_synthesizer_of_synthesize() -> None:
    table = dc.Table.from_frame(FRAME)
    taken: Any = {"delta": 1e-6, "domains": "from-data"}
    drawn = dc.Synthesizer(1, **taken, seed=3).fit(table).sample(20)
    made = Synthesizer(1, **taken, random_state=3).fit(FRAME)
    assert [tuple(row) for row in made.sample(20)] == drawn.to_frame("polars").rows()
    assert (made.sample(20, random_state=4) != made.sample(20)).any()
    assert (clone(made).fit(FRAME).sample(20) == made.sample(20)).all()


def test_types_of_drawn_cells() -> None:
    rows = np.array([[1, 2], [3, 4]] * 20)
    assert Synthesizer(1, domains="from-data").fit(rows).sample(5).dtype == np.int64
    assert Synthesizer(1, domains="from-data").fit(rows / 2).sample(5).dtype == np.float64
    assert set(
        Synthesizer(8, domains="from-data").fit([[1, None], [1, "a"]] * 20).sample(50)[:, 1]
    ) == {None, "a"}


def test_what_cannot_be_synthesized() -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        Synthesizer(0, domains="from-data").fit(FRAME)
    with pytest.raises(DataError, match="long"):
        Synthesizer(1, domains={"shape": ["round"], "colour": ["red", "green"]}).fit(FRAME)
    with pytest.raises(NotFittedError):
        Synthesizer(1, domains="from-data").sample()


def test_without_scikit_learn_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: object, **more: object) -> object:
        if name == "sklearn":
            raise ModuleNotFoundError("No module named 'sklearn'")
        return real(name, *rest, **more)  # type: ignore[arg-type]

    for name in [name for name in sys.modules if name.startswith("discreet.sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'discreet\[learning\]'"):
        importlib.import_module("discreet.sklearn")
