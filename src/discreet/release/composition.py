"""What several releases of one source cost together, as far as that can be said.

Privacy losses add up (sequential composition); of releases of disjoint parts only the largest
counts (parallel composition). What has no epsilon, such as k-anonymity, does not compose.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from discreet.release.exact import number_to_json, shown
from discreet.release.guarantee import ADD_REMOVE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.release.event import Event
    from discreet.release.fingerprint import Fingerprint
    from discreet.release.guarantee import Guarantee


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A privacy loss: epsilon and delta, exact."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def __add__(self, other: Loss) -> Loss:
        return Loss(epsilon=self.epsilon + other.epsilon, delta=self.delta + other.delta)

    def __str__(self) -> str:
        """Both figures, rounded up."""
        return f"epsilon {shown('epsilon', self.epsilon)}, delta {shown('delta', self.delta)}"

    def is_within(self, budget: Loss) -> bool:
        """Say whether neither figure passes that of a budget."""
        return self.epsilon <= budget.epsilon and self.delta <= budget.delta


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One recorded release: what it claimed and what was done, without its data."""

    source: str
    number: int
    recorded: str
    guarantee: Guarantee
    events: tuple[Event, ...]
    fingerprint: Fingerprint | None
    created: str
    version: str

    @property
    def loss(self) -> Loss | None:
        """Its privacy loss; None if it has none that is finite, as with k-anonymity or a seed."""
        claim = self.guarantee
        # Who has the seed can repeat all draws: then no epsilon holds.
        if not claim.is_differentially_private or claim.experimental:
            return None
        epsilon = cast("Fraction", claim.parameters["epsilon"])
        return Loss(
            epsilon=epsilon, delta=cast("Fraction", claim.parameters.get("delta", Fraction()))
        )

    @property
    def basis(self) -> tuple[str, str | None]:
        """What its epsilon is about: the unit and the neighbours. Only equal ones add up."""
        return self.guarantee.unit, self.guarantee.neighbours

    @property
    def part(self) -> tuple[str, str] | None:
        """The partition and the part it used alone, where parallel composition holds.

        A row that is replaced may change its part, so that only adding and removing compose in
        parallel.
        """
        # Replacing a row can move it from one part to another, and then it costs in both.
        if self.guarantee.neighbours != ADD_REMOVE:
            return None
        return next((event.part for event in self.events if event.part is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the recorded releases of one source cost together.

    Parameters
    ----------
    source : str
        The source.
    epsilon, delta : Fraction
        Of all releases that have them.
    n_releases : int
        All recorded releases.
    n_without_epsilon : int
        Those that the figures do not cover.
    notes : tuple of str
        How it was composed, and what it does not cover.
    """

    source: str
    epsilon: Fraction
    delta: Fraction
    n_releases: int
    n_without_epsilon: int
    notes: tuple[str, ...] = ()

    @property
    def loss(self) -> Loss:
        """Both figures together."""
        return Loss(epsilon=self.epsilon, delta=self.delta)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "source": self.source,
            "epsilon": number_to_json("epsilon", self.epsilon),
            "delta": number_to_json("delta", self.delta),
            "n_releases": self.n_releases,
            "n_without_epsilon": self.n_without_epsilon,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """What is left of the budget of a source."""

    source: str
    epsilon: Fraction
    delta: Fraction
    budget: Loss

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values; what is left is rounded down."""
        return {
            "source": self.source,
            "epsilon": number_to_json("remaining epsilon", self.epsilon),
            "delta": number_to_json("remaining delta", self.delta),
            "budget_epsilon": number_to_json("epsilon", self.budget.epsilon),
            "budget_delta": number_to_json("delta", self.budget.delta),
        }


def compose(source: str, entries: Iterable[Entry]) -> Spent:
    r"""Return what releases of one source cost together.

    .. math:: \epsilon = \sum_{i} \epsilon_i + \sum_{P} \max_{p \in P} \sum_{j \in p} \epsilon_j

    where *i* are the releases of the whole source, *P* the partitions that releases speak of,
    *p* the parts of one, *j* the releases of one part; the same for delta.

    Parameters
    ----------
    source : str
        The source.
    entries : iterable of Entry
        Its releases.

    Returns
    -------
    Spent
        With notes on everything that is not a plain sum.

    References
    ----------
    Dwork and Roth 2014, theorem 3.16 (sums); McSherry 2009, theorem 4 (disjoint parts).

    Examples
    --------
    >>> compose("census", []).epsilon
    Fraction(0, 1)
    """
    held = list(entries)
    total = Loss()
    parts: dict[str, dict[str, Loss]] = defaultdict(lambda: defaultdict(Loss))
    for entry in held:
        if entry.loss is None:
            continue
        if entry.part is None:
            total += entry.loss
        else:
            partition, part = entry.part
            parts[partition][part] += entry.loss
    notes = []
    for partition, losses in parts.items():
        # A row is in one part of a partition only: it loses what that part costs, at most the
        # largest.
        total += Loss(
            epsilon=max(loss.epsilon for loss in losses.values()),
            delta=max(loss.delta for loss in losses.values()),
        )
        notes.append(
            f"Parts of the partition by {partition} ({', '.join(losses)}) compose in parallel: "
            "the largest counts."
        )
    uncovered = [entry for entry in held if entry.loss is None]
    if uncovered:
        models = sorted({_model(entry) for entry in uncovered})
        notes.append(
            f"{len(uncovered)} of {len(held)} releases have no epsilon ({', '.join(models)}): the "
            "figures do not cover them."
        )
    if len({entry.basis for entry in held if entry.loss is not None}) > 1:
        notes.append(
            "The releases protect different units or compare different neighbours, so that their "
            "sum is no guarantee for any of them."
        )
    return Spent(
        source=source,
        epsilon=total.epsilon,
        delta=total.delta,
        n_releases=len(held),
        n_without_epsilon=len(uncovered),
        notes=tuple(notes),
    )


def _model(entry: Entry) -> str:
    """Return the model of a release, and whether it is only an experiment."""
    return (
        f"experimental {entry.guarantee.model}"
        if entry.guarantee.experimental
        else (entry.guarantee.model)
    )
