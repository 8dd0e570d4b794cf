"""The classifiers a release is judged by, from scikit-learn.

scikit-learn is loaded when a model is first trained. Trees see one column of zeros and ones for
each value, a missing or suppressed cell being a value; naive Bayes sees the codes themselves,
and learns nothing from a value that was not there in training.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast, get_args

import numpy as np

from discreet.errors import LimitError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    from numpy.typing import NDArray

Model: TypeAlias = Literal["random_forest", "decision_tree", "naive_bayes"]
MODELS: tuple[Model, ...] = get_args(Model)
MAX_BYTES = 2**32  # of the zeros and ones of one training set


class Classifier(Protocol):
    """What discreet uses of a scikit-learn classifier."""

    def fit(self, features: NDArray[np.generic], target: NDArray[np.int64], /) -> object:
        """Learn to tell the target from the features."""

    def predict(self, features: NDArray[np.generic], /) -> NDArray[np.int64]:
        """Return the most likely target of each row."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Examples:
    """Rows to learn from or to be tested on: codes of the features, and of the target."""

    features: NDArray[np.int64]
    target: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.target)

    def take(self, rows: NDArray[np.int64]) -> Examples:
        """Return some of the rows."""
        return Examples(features=self.features[rows], target=self.target[rows])


def examples(features: Sequence[NDArray[np.int64]], target: NDArray[np.int64]) -> Examples:
    """Return rows from columns of codes; without features, one that is always the same."""
    columns = features or [np.zeros_like(target)]
    return Examples(features=np.stack(columns, axis=1), target=target)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trainer:
    """How models are trained: the number of values of each feature, and of trees."""

    n_values: tuple[int, ...]
    n_trees: int = 100

    def accuracy(self, model: Model, *, train: Examples, test: Examples, seed: int) -> float:
        """Return the share of the test rows whose target a model trained on others tells.

        Raises
        ------
        ParameterError
            If scikit-learn is not installed.
        LimitError
            If the features have too many values for memory.

        Examples
        --------
        >>> rows = Examples(features=np.array([[0], [1], [0], [1]]), target=np.array([0, 1, 0, 1]))
        >>> Trainer(n_values=(2,)).accuracy("naive_bayes", train=rows, test=rows, seed=0)
        1.0
        """
        classifier = self._classifier(model, seed)
        encode = np.asarray if model == "naive_bayes" else self._zeros_and_ones
        classifier.fit(encode(train.features), train.target)
        if model == "naive_bayes":
            _silence_unseen(classifier)
        return float((classifier.predict(encode(test.features)) == test.target).mean())

    def _classifier(self, model: Model, seed: int) -> Classifier:
        if model == "random_forest":
            # One thread: scikit-learn's threads reset the warning filters of the whole process
            # (warnings.catch_warnings is not thread-safe), and do not always put them back.
            forest = _sklearn("ensemble").RandomForestClassifier
            made = forest(n_estimators=self.n_trees, random_state=seed, n_jobs=1)
        elif model == "decision_tree":
            made = _sklearn("tree").DecisionTreeClassifier(random_state=seed)
        else:
            made = _sklearn("naive_bayes").CategoricalNB(min_categories=self.n_values)
        return cast(Classifier, made)

    def _zeros_and_ones(self, codes: NDArray[np.int64]) -> NDArray[np.float32]:
        starts = np.cumsum([0, *self.n_values])
        if 4 * len(codes) * int(starts[-1]) > MAX_BYTES:
            raise LimitError(
                f"{len(codes):,} rows and {starts[-1]:,} values are more than the {MAX_BYTES:,} "
                "bytes trees may be trained on. Leave out columns with many values, take fewer "
                "rows, or use models=['naive_bayes']."
            )
        encoded = np.zeros((len(codes), int(starts[-1])), np.float32)
        encoded[np.arange(len(codes))[:, None], codes + starts[:-1]] = 1
        return encoded


def _silence_unseen(bayes: Any) -> None:  # noqa: ANN401  sklearn's CategoricalNB has no types
    """Let a value that no training row has say nothing about the target.

    Smoothing gives it the share 1 / (rows of the class + values) in each class, a vote for the
    rarest class; where a column is suppressed altogether, every test row has such a value.
    """
    for count, log_share in zip(bayes.category_count_, bayes.feature_log_prob_, strict=True):
        log_share[:, count.sum(axis=0) == 0] = 0


def _sklearn(part: str) -> ModuleType:
    try:
        return importlib.import_module(f"sklearn.{part}")
    except ModuleNotFoundError:
        raise ParameterError(
            "Training classifiers needs scikit-learn, which is not installed: "
            "pip install 'discreet[learning]'."
        ) from None
