"""What came of training models on a release and on the original, beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean, stdev
from typing import TYPE_CHECKING, Any

from discreet.data.frames.export import as_kind
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import altair as alt

    from discreet.data.frames.kinds import FrameKind
    from discreet.utility.models import Model


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
    """Accuracies on rows of the original, beside that of always saying the commonest value.

    ``n_unusable`` counts the rows of the original that the release has not, or not with a
    target; ``n_train_original``, ``n_train_release`` and ``n_test`` are rows of each repetition.
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

    @property
    def sentence(self) -> str:
        """The accuracies in one plain sentence."""
        parts = [
            f"{_words(seen.model)} {seen.release} instead of {seen.original}"
            for seen in self.models
        ]
        return (
            f"Trained on the release, models tell {self.target} of unseen original rows with "
            f"accuracy {', '.join(parts)}; the commonest value alone gives {self.majority}."
        )

    def preview(self) -> Preview:
        """Return one row for each model and one for the commonest value."""
        rows = [(_words(s.model), str(s.original), str(s.release)) for s in self.models]
        rows.append(("commonest value", str(self.majority), ""))
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


def _words(model: Model) -> str:
    return model.replace("_", " ")
