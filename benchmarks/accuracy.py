"""The accuracy of a forest trained on a release, by the protocol of `learning_utility`.

That function trains on the original as well, every time. Here the original is trained on once
for all releases of it; draws are made in the same order, so that both give the same figures.
"""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet.utility.learning import Splitter, Trainer, examples
from discreet.utility.pairs import match_rows, pair_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.data.table import Table

SMALL = 10_000  # rows; such tables are trained on ten times as often, up to the paper's hundred


class Learnt(NamedTuple):
    """Mean accuracy in percent and its standard error; None where it cannot be had."""

    accuracy: float | None
    error: float | None
    n_repeats: int  # asked for; none if accuracy was not to be measured

    def __str__(self) -> str:
        if self.accuracy is None:
            return "no rows to train on" if self.n_repeats else "not run"
        return f"{self.accuracy:.2f}" + ("" if self.error is None else f" ± {self.error:.2f}")


def forest_accuracies(
    original: Table,
    release: Table,
    *,
    target: str,
    rows: NDArray[np.int64],
    n_repeats: int,
    seed: int = 0,
    n_trees: int = 100,
) -> tuple[float, ...]:
    """Return what ``learning_utility(..., rng=seed)`` says of the release, each repetition."""
    pairs = {pair.name: pair for pair in pair_columns(original, release)}
    matched = match_rows(rows, original=original, release=release)
    result = pairs.pop(target)
    before = examples([pair.original for pair in pairs.values()], result.original)
    after = examples([pair.release for pair in pairs.values()], result.release)
    splitter = Splitter.of(result, matched=matched, test_rate=0.2)
    trainer = Trainer(n_values=tuple(len(pair.labels) for pair in pairs.values()), n_trees=n_trees)
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(n_repeats):
        split = splitter.draw(generator)
        forest = int(generator.integers(2**31))
        train, test = after.take(split.train_release), before.take(split.test)
        if len(train) and len(test):
            found.append(trainer.accuracy("random_forest", train=train, test=test, seed=forest))
    return tuple(found)


def in_percent(values: Sequence[float], n_repeats: int) -> Learnt:
    """Return mean and standard error of repetitions."""
    if not values:
        return Learnt(None, None, n_repeats)
    error = 100 * stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return Learnt(100 * mean(values), error, n_repeats)


def repeats_for(n_rows: int, n_repeats: int) -> int:
    """Return how often to train: small tables vary more and cost less."""
    return max(n_repeats, min(10 * n_repeats, 100)) if n_rows < SMALL else n_repeats
