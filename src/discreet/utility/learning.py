"""Whether a model learnt from a release is as good as one learnt from the original.

Models are trained on the release and on the original and tested on the same rows of the
original, which neither has seen, again and again with new rows.
"""

from __future__ import annotations

import importlib
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias, cast, get_args

import numpy as np

from discreet import checks
from discreet.data.frames import as_kind
from discreet.errors import LimitError, ParameterError, did_you_mean
from discreet.release.release import Release
from discreet.result import Preview, Result
from discreet.utility.pairs import (
    commonest,
    grouped_tables,
    match_rows,
    pair_columns,
    said_of_groups,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

    import altair as alt
    from numpy.typing import ArrayLike, NDArray

    from discreet.data.column import FrameKind
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.limits import Progress
    from discreet.utility.pairs import PairedColumn


# The classifiers a release is judged by, from scikit-learn.
#
# scikit-learn is loaded when a model is first trained. Trees see one column of zeros and ones for
# each value, a missing or suppressed cell being a value; naive Bayes sees the codes themselves,
# and learns nothing from a value that was not there in training.

Model: TypeAlias = Literal["random_forest", "decision_tree", "naive_bayes"]

MODELS: tuple[Model, ...] = get_args(Model)

# A tree has a column of zeros and ones for each value: 3,000 birth dates make minutes of seconds,
# and no model learns from a value that one or two rows have.
MAX_VALUES = 100


def learning_utility(
    original: object,
    release: object,
    *,
    target: str,
    rows: ArrayLike | None = None,
    models: Sequence[Model] = MODELS,
    n_repeats: int = 10,
    test_rate: float = 0.2,
    n_trees: int = 100,
    max_values: int | None = MAX_VALUES,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> LearningUtility:
    r"""Return how well models trained on a release predict a column of the original.

    .. math::
        \mathrm{accuracy} = \frac{1}{|T|} |\{ i \in T : h(t_i) = y_i \}|

    where :math:`T` are the test rows of the original, :math:`y_i` the value of ``target`` in
    row :math:`i`, :math:`t_i` its other values, and :math:`h` the model. In each repetition a
    share ``test_rate`` of the release's rows with a target is set aside, :math:`h` is trained
    on the others, and :math:`T` are the originals of those set aside together with the same
    share of the records that are suppressed, or whose target is. For comparison the same
    model is trained on all rows of the original that are not in :math:`T`.

    Parameters
    ----------
    original, release : Release, Table or frame
        Columns in any order, values in any coding; identifying columns are ignored.
    target : str
        The column to predict from the others. Rows of the original without a value there are
        ignored.
    rows : array, optional
        For each row of the release its position in the original, or one boolean for each row of
        the original. By default the release's rows are the original's in the same order if it
        has as many; if not, or if it is a Release that does not know its rows, they stand for
        themselves, as those of synthetic data do, and test rows are drawn from all rows of the
        original.
    models : sequence of {"random_forest", "decision_tree", "naive_bayes"}
        What to train; all by default.
    n_repeats : int, default 10
        How often, with new test rows, at least 1; the paper repeats 100 times.
    test_rate : float, default 0.2
        Share of the rows to test on, above 0 and below 1.
    n_trees : int, default 100
        Trees of the random forest, at least 1.
    max_values : int or None, default 100
        Of a column with more values than this the commonest are learnt from, and the others are
        one value; a target may not have more. None for no limit: time grows with the number of
        values.
    hierarchies : mapping of str to Hierarchy, optional
        Trees of the columns that were generalized, by default those that a Release in memory
        has: models learn from, and are tested on, the groups that the release shows.
    rng : Generator, int or None
        Draws test rows and the randomness of trees. A number makes the result repeatable.
    progress : callable, optional
        Called with the share of the work done after each training.

    Returns
    -------
    LearningUtility
        The accuracy of each model in each repetition. There is none if fewer than two rows can
        be learnt from.

    Raises
    ------
    ParameterError
        If scikit-learn is not installed, ``target`` is no column to be compared or has too
        many values, or a setting is out of its range.
    DataError
        If the columns do not agree.

    Notes
    -----
    A missing or suppressed cell is a value of its own. Naive Bayes takes a value that no
    training row has as saying nothing; its smoothing alone would take it as a sign of the
    rarest class. Time is that of ``2 * n_repeats`` trainings of each model, on one thread. No
    guarantee: the figures describe the original and are not for publication as they stand.

    References
    ----------
    J.S. ten Tusscher (2024), Privacy preservation on categorical datasets through Minimal
    Infrequent Itemset suppression, section 4.1 (protocol) and tables 4.2, 4.5 and 4.6. There
    models are trained on the original by a split of their own; here both models of a
    repetition have the same test rows, which takes noise out of their difference.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(300).select(["education", "occupation", "income"])
    >>> seen = learning_utility(people, people, target="income", models=["naive_bayes"], rng=1)
    >>> seen.models[0].loss
    0.0
    """
    is_release = isinstance(release, Release)
    if isinstance(release, Release):
        rows = release.input_rows if rows is None else rows
    original, release, groups = grouped_tables(original, release, hierarchies)
    found_pairs = pair_columns(original, release)
    check_target(target, found_pairs, max_values)
    check_settings(models, n_repeats=n_repeats, n_trees=n_trees)
    pairs, pooled = commonest(found_pairs, max_values)
    test_rate = float(checks.exact("test_rate", test_rate, above=0, below=1))
    is_known = rows is not None or (original.n_rows == release.n_rows and not is_release)
    matched = match_rows(rows, original=original, release=release) if is_known else None
    wanted = pairs.pop(target)
    before = examples([pair.original for pair in pairs.values()], wanted.original)
    after = examples([pair.release for pair in pairs.values()], wanted.release)
    splitter = Splitter.of(wanted, matched=matched, test_rate=test_rate)
    n_values = tuple(len(pair.labels) for pair in pairs.values()) or (1,)
    trainer = Trainer(n_values=n_values, n_trees=n_trees)
    generator = checks.generator("rng", rng)
    found: dict[tuple[Model, str], list[float]] = defaultdict(list)
    majority = []
    for repeat in range(n_repeats):
        split = splitter.draw(generator)
        test = before.take(split.test)
        trains = {
            "original": before.take(split.train_original),
            "release": after.take(split.train_release),
        }
        if len(test) and len(trains["original"]):
            most_common = np.bincount(trains["original"].target).argmax()
            majority.append(float((test.target == most_common).mean()))
        for place, model in enumerate(models):
            seed = int(generator.integers(2**31))  # the same for both: equal rows, equal models
            for side, train in trains.items():
                if len(test) and len(train):
                    accuracy = trainer.accuracy(model, train=train, test=test, seed=seed)
                    found[model, side].append(accuracy)
            if progress is not None:
                progress((repeat + (place + 1) / len(models)) / n_repeats)
    return LearningUtility(
        target=target,
        models=tuple(
            ModelAccuracy(
                model=model,
                original=Accuracies(values=tuple(found[model, "original"])),
                release=Accuracies(values=tuple(found[model, "release"])),
            )
            for model in models
        ),
        majority=Accuracies(values=tuple(majority)),
        n_repeats=n_repeats,
        test_rate=test_rate,
        n_train_original=len(split.train_original),
        n_train_release=len(split.train_release),
        n_test=len(split.test),
        n_unusable=0 if matched is None else len(splitter.others),
        pooled=pooled,
        groups=groups,
    )


def check_target(target: str, pairs: Sequence[PairedColumn], max_values: int | None) -> None:
    """Raise ParameterError unless the column to predict is there, and can be predicted."""
    columns = [pair.name for pair in pairs]
    if target not in columns:
        hint = did_you_mean(str(target), columns)
        raise ParameterError(
            "{target} is not a column to predict.",
            parameter="target",
            remedy=hint,
            options={"target": target},
        )
    if max_values is None:
        return
    checks.whole("max_values", max_values, at_least=2)
    n_values = len(pairs[columns.index(target)].labels) - 1
    if n_values > max_values:
        raise ParameterError(
            f"{{target}} has {n_values:,} values, more than {{max_values}}: no model learns to "
            "predict so many.",
            parameter="target",
            remedy="Predict another column, cut it into bins, or give a larger max_values.",
            options={"target": target, "max_values": max_values},
        )


def check_settings(models: Sequence[Model], **counts: int) -> None:
    """Raise ParameterError unless the models are known and the counts at least 1."""
    for model in models:
        checks.one_of("models", model, MODELS)
    if not models or len(set(models)) != len(models):
        raise ParameterError(
            "models must name at least one model, and each once.", parameter="models"
        )
    for name, value in counts.items():
        checks.whole(name, value, at_least=1)


# What came of training models on a release and on the original, beside each other.


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracies:
    """The accuracies of all repetitions; empty if there were no rows to train on."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        """Mean accuracy; None if there is none."""
        return mean(self.values) if self.values else None

    @property
    def deviation(self) -> float | None:
        """Standard deviation between repetitions; None if there are fewer than two."""
        return stdev(self.values) if len(self.values) > 1 else None

    def __str__(self) -> str:
        if not self.values:
            return "none"
        spread = "" if self.deviation is None else f" ± {self.deviation:.4f}"
        return f"{self.mean:.4f}{spread}"

    def to_dict(self) -> dict[str, object]:
        """Return mean, standard deviation and the single accuracies as plain values."""
        return {"mean": self.mean, "deviation": self.deviation, "values": list(self.values)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAccuracy:
    """Accuracy of one model, trained on the original and on the release."""

    model: Model
    original: Accuracies
    release: Accuracies

    @property
    def loss(self) -> float | None:
        """Mean accuracy lost by training on the release; None if it could not be trained."""
        before, after = self.original.mean, self.release.mean
        return None if before is None or after is None else before - after


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningUtility(Result):
    """Accuracies on rows of the original, beside that of always saying the most common value.

    ``n_unusable`` counts the rows of the original that the release has not, or not with a
    target; ``n_train_original``, ``n_train_release`` and ``n_test`` are rows of each repetition.
    ``pooled`` names the columns of which only the commonest values were learnt from, ``groups``
    those whose groups stand for the values of the original too.
    """

    target: str
    models: tuple[ModelAccuracy, ...]
    majority: Accuracies
    n_repeats: int
    test_rate: float
    n_train_original: int
    n_train_release: int
    n_test: int
    n_unusable: int
    pooled: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The accuracies in one plain sentence."""
        parts = [
            f"{_words(seen.model)} {seen.release} instead of {seen.original}"
            for seen in self.models
        ]
        return (
            f"Trained on the release, models predict {self.target} of unseen original rows with "
            f"accuracy {', '.join(parts)}; the most common value alone gives {self.majority}."
            f"{said_of_pooled(self.pooled)}"
            f"{' ' + said_of_groups(self.groups) if self.groups else ''}"
        )

    def preview(self) -> Preview:
        """Return one row for each model and one for the most common value."""
        rows = [(_words(s.model), str(s.original), str(s.release)) for s in self.models]
        rows.append(("most common value", str(self.majority), ""))
        return Preview(
            title=f"Accuracy for {self.target}, mean and deviation of {self.n_repeats} repetitions",
            header=("model", "trained on original", "trained on release"),
            rows=rows,
        )

    def to_dict(self) -> dict[str, object]:
        """Return settings, means, standard deviations and single accuracies as plain values."""
        counts = ("n_repeats", "test_rate", "n_train_original", "n_train_release", "n_test")
        return {
            "target": self.target,
            **{name: getattr(self, name) for name in (*counts, "n_unusable")},
            "pooled": list(self.pooled),
            "groups": list(self.groups),
            "majority": self.majority.to_dict(),
            "models": [
                {
                    "model": seen.model,
                    "original": seen.original.to_dict(),
                    "release": seen.release.to_dict(),
                    "loss": seen.loss,
                }
                for seen in self.models
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each model, training table and repetition."""
        import polars as pl

        rows = [
            (seen.model, trained_on, repeat, accuracy)
            for seen in self.models
            for trained_on, found in (("original", seen.original), ("release", seen.release))
            for repeat, accuracy in enumerate(found.values)
        ]
        schema = {"model": pl.String, "trained_on": pl.String, "repeat": pl.Int64}
        frame = pl.DataFrame(rows, schema={**schema, "accuracy": pl.Float64}, orient="row")
        return as_kind(frame, kind)

    def plot(self) -> alt.Chart:
        """Return a chart of the accuracies of each model, by the table it was trained on."""
        import altair as alt

        chart: alt.Chart = alt.Chart(self.to_frame("polars")).mark_boxplot()
        return chart.encode(
            x="accuracy:Q", y="model:N", color="trained_on:N", yOffset="trained_on:N"
        )


def said_of_pooled(columns: tuple[str, ...]) -> str:
    """Return what to say where the rarer values of some columns were one.

    Examples
    --------
    >>> said_of_pooled(("birth_date",))
    ' The rarer values of birth_date were learnt from as one.'
    """
    return f" The rarer values of {', '.join(columns)} were learnt from as one." if columns else ""


def _words(model: Model) -> str:
    return model.replace("_", " ")


MAX_BYTES = 2**32  # of the zeros and ones of one training set


class Classifier(Protocol):
    """What discreet uses of a scikit-learn classifier."""

    def fit(self, features: NDArray[np.generic], target: NDArray[np.int64], /) -> object:
        """Learn to predict the target from the features."""

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
        """Return the share of the test rows whose target a model trained on others predicts.

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
        return cast("Classifier", made)

    def _zeros_and_ones(self, codes: NDArray[np.int64]) -> NDArray[np.float32]:
        starts = np.cumsum([0, *self.n_values])
        if 4 * len(codes) * int(starts[-1]) > MAX_BYTES:
            raise LimitError(
                f"{len(codes):,} rows and {starts[-1]:,} values are more than the {MAX_BYTES:,} "
                "bytes trees may be trained on. Omit columns with many values, take fewer "
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


# Which rows are learnt from and which are tested on, drawn anew for every repetition.
#
# Rows whose target is suppressed, and suppressed records, cannot be learnt from; some of them are
# tested on all the same, or the test would be of the easy rows only.


class Split(NamedTuple):
    """Rows to train on, of each table, and rows of the original to test on."""

    train_original: NDArray[np.int64]
    train_release: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Splitter:
    """Draws splits; made by :meth:`of`.

    Attributes
    ----------
    usable : array of int
        Rows of the release that have a target.
    source : array of int or None
        The row of the original each of these came from; None if that is not known.
    others : array of int
        Rows of the original, with a target, that no usable row came from; if sources are not
        known, all rows with a target.
    test_rate : float
        Share of the rows to test on.
    """

    usable: NDArray[np.int64]
    source: NDArray[np.int64] | None
    others: NDArray[np.int64]
    test_rate: float

    @classmethod
    def of(
        cls, target: PairedColumn, *, matched: NDArray[np.int64] | None, test_rate: float
    ) -> Splitter:
        """Return the splitter for a target; ``matched`` gives the release's rows their sources."""
        in_original = target.original != target.suppressed
        has_target = target.release != target.suppressed
        if matched is None:
            usable, source = np.flatnonzero(has_target), None
        else:
            usable = np.flatnonzero(has_target & in_original[matched])
            source = matched[usable]
            in_original[source] = False
        others = np.flatnonzero(in_original)
        return cls(usable=usable, source=source, others=others, test_rate=test_rate)

    def draw(self, rng: np.random.Generator) -> Split:
        """Return a new split.

        Examples
        --------
        >>> rows = np.arange(10)
        >>> splitter = Splitter(usable=rows[:8], source=rows[:8], others=rows[8:], test_rate=0.5)
        >>> split = splitter.draw(np.random.default_rng(0))
        >>> len(split.train_original), len(split.train_release), len(split.test)
        (5, 4, 5)
        >>> sorted([*split.train_original.tolist(), *split.test.tolist()]) == rows.tolist()
        True
        """
        test, train = self._part(len(self.usable), rng)
        other_test, other_train = self._part(len(self.others), rng)
        if self.source is None:
            return Split(
                train_original=self.others[other_train],
                train_release=self.usable[train],
                test=self.others[other_test],
            )
        return Split(
            train_original=np.concatenate([self.source[train], self.others[other_train]]),
            train_release=self.usable[train],
            test=np.concatenate([self.source[test], self.others[other_test]]),
        )

    def _part(
        self, n_rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows to test on, rounded up, and the others, in random order."""
        order = rng.permutation(n_rows)
        n_test = ceil(Fraction(str(self.test_rate)) * n_rows)  # 0.2 of 35 is 7, not 7.000...1
        return order[:n_test], order[n_test:]
