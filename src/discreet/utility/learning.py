"""Whether a model learnt from a release is as good as one learnt from the original.

Models are trained on the release and on the original and tested on the same rows of the
original, which neither has seen, again and again with new rows.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError, did_you_mean
from discreet.utility.accuracies import Accuracies, LearningUtility, ModelAccuracy
from discreet.utility.models import MODELS, Trainer, examples
from discreet.utility.pairs import match_rows, pair_columns
from discreet.utility.splits import Splitter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from discreet.data.table import Table
    from discreet.progress import Progress
    from discreet.utility.models import Model


def learning_utility(
    original: Table,
    release: Table,
    *,
    target: str,
    rows: ArrayLike | None = None,
    models: Sequence[Model] = MODELS,
    n_repeats: int = 10,
    test_rate: float = 0.2,
    n_trees: int = 100,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> LearningUtility:
    r"""Return how well models trained on a release tell a column of the original.

    .. math::
        \mathrm{accuracy} = \frac{1}{|T|} |\{ i \in T : h(t_i) = y_i \}|

    where :math:`T` are the test rows of the original, :math:`y_i` the value of ``target`` in
    row :math:`i`, :math:`t_i` its other values, and :math:`h` the model. In each repetition a
    share ``test_rate`` of the release's rows with a target is set aside, :math:`h` is trained
    on the others, and :math:`T` are the originals of those set aside together with the same
    share of the rows that the release lost or whose target it hides. For comparison the same
    model is trained on all rows of the original that are not in :math:`T`.

    Parameters
    ----------
    original, release : Table
        Columns in any order, values in any coding; identifying columns are left out.
    target : str
        The column to be told from the others. Rows of the original without a value there are
        left out.
    rows : array, optional
        For each row of the release its position in the original, or one boolean for each row of
        the original. By default the release's rows are the original's in the same order if it
        has as many; if not, they stand for themselves, as those of synthetic data do, and test
        rows are drawn from all rows of the original.
    models : sequence of {"random_forest", "decision_tree", "naive_bayes"}
        What to train; all by default.
    n_repeats : int, default 10
        How often, with new test rows, at least 1; the paper repeats 100 times.
    test_rate : float, default 0.2
        Share of the rows to test on, above 0 and below 1.
    n_trees : int, default 100
        Trees of the random forest, at least 1.
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
        If scikit-learn is not installed, ``target`` is no column to be compared, or a setting
        is out of its range.
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
    pairs = {pair.name: pair for pair in pair_columns(original, release)}
    check_target(target, list(pairs))
    check_settings(models, n_repeats=n_repeats, n_trees=n_trees)
    if not 0 < test_rate < 1:
        raise ParameterError(f"test_rate={test_rate} must be above 0 and below 1.")
    is_known = rows is not None or original.n_rows == release.n_rows
    matched = match_rows(rows, original=original, release=release) if is_known else None
    told = pairs.pop(target)
    before = examples([pair.original for pair in pairs.values()], told.original)
    after = examples([pair.release for pair in pairs.values()], told.release)
    splitter = Splitter.of(told, matched=matched, test_rate=test_rate)
    n_values = tuple(len(pair.labels) for pair in pairs.values()) or (1,)
    trainer = Trainer(n_values=n_values, n_trees=n_trees)
    generator = np.random.default_rng(rng)
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
            commonest = np.bincount(trains["original"].target).argmax()
            majority.append(float((test.target == commonest).mean()))
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
    )


def check_target(target: str, columns: Sequence[str]) -> None:
    """Raise ParameterError unless the column to be told is there."""
    if target not in columns:
        hint = did_you_mean(str(target), columns)
        raise ParameterError(f"target={target!r} is not a column to be told. {hint}")


def check_settings(models: Sequence[Model], **counts: int) -> None:
    """Raise ParameterError unless the models are known and the counts at least 1."""
    for model in models:
        if model not in MODELS:
            hint = did_you_mean(str(model), MODELS)
            raise ParameterError(f"models: there is no model {model!r}. {hint}")
    if not models or len(set(models)) != len(models):
        raise ParameterError("models must name at least one model, and each once.")
    for name, value in counts.items():
        if value < 1:
            raise ParameterError(f"{name}={value} must be at least 1.")
