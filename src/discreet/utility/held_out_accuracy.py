"""How well models trained on one table predict a column of held-out rows.

Trained on synthetic rows and tested on held-out true ones, this is the utility of the synthetic
data for learning; trained on the true rows they were made from, it is the baseline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.table import as_table
from discreet.errors import DataError
from discreet.result import Preview, Result
from discreet.utility.learning import (
    MAX_VALUES,
    MODELS,
    Accuracies,
    Trainer,
    check_settings,
    check_target,
    examples,
    said_of_pooled,
)
from discreet.utility.pairs import commonest, pair_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.limits import Progress
    from discreet.utility.learning import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOutAccuracy(Result):
    """Accuracy of each model on the held-out rows, and that of the most common value trained on.

    ``pooled`` names the columns of which only the commonest values were learnt from.
    """

    target: str
    models: dict[Model, Accuracies]
    majority: float
    n_train: int
    n_test: int
    pooled: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The accuracies in one plain sentence."""
        rates = ", ".join(f"{name.replace('_', ' ')} {seen}" for name, seen in self.models.items())
        return (
            f"Trained on {self.n_train:,} rows, models predict {self.target} of {self.n_test:,} "
            f"held-out rows with accuracy {rates}; the most common value alone has "
            f"{self.majority:.4f}.{said_of_pooled(self.pooled)}"
        )

    def preview(self) -> Preview:
        """Return one row for each model and one for the most common value."""
        rows = [(name.replace("_", " "), str(seen)) for name, seen in self.models.items()]
        rows.append(("most common value", f"{self.majority:.4f}"))
        return Preview(title=self.sentence, header=("model", "accuracy"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "target": self.target,
            "n_train": self.n_train,
            "n_test": self.n_test,
            "pooled": list(self.pooled),
            "majority": self.majority,
            "models": {name: seen.to_dict() for name, seen in self.models.items()},
        }


def held_out_accuracy(
    train: object,
    held_out: object,
    *,
    target: str,
    models: Sequence[Model] = MODELS,
    n_repeats: int = 1,
    n_trees: int = 100,
    max_values: int | None = MAX_VALUES,
    rng: np.random.Generator | int | None = None,
    progress: Progress | None = None,
) -> HeldOutAccuracy:
    r"""Return how well models trained on one table predict a column of held-out rows.

    .. math::
        \mathrm{accuracy} = \frac{1}{|T|} |\{ i \in T : h(t_i) = y_i \}|

    where :math:`T` are the rows held out, :math:`y_i` is the value of ``target`` in row
    :math:`i`, :math:`t_i` its other values, and :math:`h` the model, trained on all rows of
    ``train``.

    Parameters
    ----------
    train : Release, Table or frame
        The rows to learn from: synthetic ones or, for comparison, the real ones they stand for.
    held_out : Release, Table or frame
        Real rows that were not used to make them; columns in any order, values in any coding.
    target : str
        The column to predict from the others. Rows without a value there are ignored.
    models : sequence of {"random_forest", "decision_tree", "naive_bayes"}
        What to train; all by default.
    n_repeats : int, default 1
        How often, with new randomness of the trees, at least 1. Rows are the same every time:
        the spread is that of training only.
    n_trees : int, default 100
        Trees of the random forest, at least 1.
    max_values : int or None, default 100
        As in `learning_utility`.
    rng : Generator, int or None
        Randomness of the trees; a number makes the result repeatable.
    progress : callable, optional
        Called with the share of the work done after each training.

    Returns
    -------
    HeldOutAccuracy
        The accuracies of each model.

    Raises
    ------
    ParameterError
        If scikit-learn is not installed, ``target`` is no column of both tables, or a setting
        is out of its range.
    DataError
        If the columns do not agree, or a table has no row with a target.

    Notes
    -----
    `learning_utility` asks the same of a release whose rows are those of the original. Models
    and features are the same as there. No guarantee: the figures describe real rows and are
    not for publication as they stand.

    References
    ----------
    J.E.G. Dorrestijn (2018), Provable Privacy for Database Generation, table 4 (there the rows
    tested on are those that the synthetic data were made from).

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(600).select(["education", "occupation", "income"])
    >>> train, test = people.take(range(400)), people.take(range(400, 600))
    >>> seen = held_out_accuracy(train, test, target="income", models=["naive_bayes"])
    >>> seen.n_test, seen.models["naive_bayes"].mean > seen.majority
    (200, True)
    """
    train, held_out = as_table(train), as_table(held_out)
    found_pairs = pair_columns(held_out, train)
    check_target(target, found_pairs, max_values)
    pairs, pooled = commonest(found_pairs, max_values)
    check_settings(models, n_repeats=n_repeats, n_trees=n_trees)
    wanted = pairs.pop(target)
    test = examples([pair.original for pair in pairs.values()], wanted.original)
    rows = examples([pair.release for pair in pairs.values()], wanted.release)
    test, rows = (
        each.take(np.flatnonzero(each.target != wanted.suppressed)) for each in (test, rows)
    )
    for name, each in (("train", rows), ("held_out", test)):
        if not len(each):
            raise DataError(f"No row of {name} has a value in '{target}'.")
    trainer = Trainer(
        n_values=tuple(len(pair.labels) for pair in pairs.values()) or (1,), n_trees=n_trees
    )
    generator = checks.generator("rng", rng)
    found: dict[Model, list[float]] = {model: [] for model in models}
    for repeat in range(n_repeats):
        for place, model in enumerate(models):
            seed = int(generator.integers(2**31))
            found[model].append(trainer.accuracy(model, train=rows, test=test, seed=seed))
            if progress is not None:
                progress((repeat + (place + 1) / len(models)) / n_repeats)
    return HeldOutAccuracy(
        target=target,
        models={model: Accuracies(values=tuple(values)) for model, values in found.items()},
        majority=float((test.target == np.bincount(rows.target).argmax()).mean()),
        n_train=len(rows),
        n_test=len(test),
        pooled=pooled,
    )
