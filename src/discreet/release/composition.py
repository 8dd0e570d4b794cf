"""What several releases of one source cost together, as far as that can be said.

Privacy losses add up (sequential composition); of releases of disjoint parts only the largest
counts (parallel composition). What has no epsilon, such as k-anonymity, does not compose.
"""

from __future__ import annotations

import warnings
from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, cast

from discreet.errors import CompositionWarning, GuaranteeError
from discreet.release.exact import number_to_json, shown
from discreet.release.guarantee import ADD_REMOVE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
    """One recorded release: what it claimed and what was done, without its data.

    Parameters
    ----------
    source : str
        What the data is about.
    number : int
        Which release of the source, from 1.
    recorded : str
        When, in UTC.
    guarantee : Guarantee
        What was claimed.
    events : tuple of Event
        What was done.
    fingerprint : Fingerprint, optional
        Of the input.
    created, version : str
        When the release was made, and by which discreet.
    input_mark : str, optional
        The input under the ledger's own key: equal for equal inputs of one ledger.
    head : str
        The hash of this entry, which was the head of the chain when it was added.
    """

    source: str
    number: int
    recorded: str
    guarantee: Guarantee
    events: tuple[Event, ...]
    fingerprint: Fingerprint | None
    created: str
    version: str
    input_mark: str | None = None
    head: str = ""

    @property
    def sentence(self) -> str:
        """Which entry it is, and the new head of the ledger's chain."""
        return f"entry {self.number} of '{self.source}'; the head of the ledger is {self.head}"

    def to_dict(self) -> dict[str, object]:
        """Return which entry it is as plain values."""
        return {"source": self.source, "number": self.number, "head": self.head}

    @property
    def loss(self) -> Loss | None:
        """Its privacy loss; None if none holds, as with k-anonymity, a seed or a condition."""
        claim = self.guarantee
        # Who has the seed can repeat all draws: then no epsilon holds. On a condition that a ledger
        # cannot see, none is counted as if it held.
        if not claim.is_differentially_private or claim.experimental or claim.condition:
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
    without = [entry for entry in uncovered if not _is_conditional(entry)]
    if without:
        models = sorted({_model(entry) for entry in without})
        notes.append(
            f"{len(without)} of {len(held)} releases have no epsilon ({', '.join(models)}): the "
            "figures do not cover them."
        )
    notes += [
        f"Release {entry.number} holds {entry.guarantee.condition}: the figures do not cover its "
        f"{_figures(entry.guarantee)}."
        for entry in held
        if _is_conditional(entry)
    ]
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


def _is_conditional(entry: Entry) -> bool:
    """Say whether a release has an epsilon that holds on a condition only."""
    claim = entry.guarantee
    is_private = claim.is_differentially_private and not claim.experimental
    return is_private and claim.condition is not None


def _figures(claim: Guarantee) -> str:
    """Return epsilon and delta of a claim in words."""
    parts = [
        f"{name} {shown(name, claim.parameters[name])}"
        for name in ("epsilon", "delta")
        if name in claim.parameters
    ]
    return " and ".join(parts)


def _model(entry: Entry) -> str:
    """Return the model of a release, and whether it is only an experiment."""
    return (
        f"experimental {entry.guarantee.model}"
        if entry.guarantee.experimental
        else (entry.guarantee.model)
    )


# What a ledger refuses and what it warns of, when one more release meets the earlier ones.


def refuse_past_budget(new: Entry, earlier: Sequence[Entry], budget: Loss | None) -> None:
    """Raise GuaranteeError if a budget is set and would not hold with one more release."""
    if budget is None:
        return
    claim = new.guarantee
    if new.loss is None:
        why = f"has {claim.model}, which has no epsilon"
        if claim.experimental:
            why = "is experimental"
        elif claim.condition:
            why = f"holds {claim.condition}"
        raise GuaranteeError(
            f"'{new.source}' has a budget of {budget}, and this release {why}: with it no budget "
            "would hold. Nothing was recorded."
        )
    others = {entry.basis for entry in earlier if entry.loss is not None} - {new.basis}
    if others:
        unit, neighbours = next(iter(others))
        raise GuaranteeError(
            f"'{new.source}' has a budget for {unit} between {neighbours}. This release is about "
            f"{claim.unit} between {claim.neighbours}, which does not add up. Nothing was recorded."
        )
    before = compose(new.source, earlier).loss
    after = compose(new.source, [*earlier, new]).loss
    if not after.is_within(budget):
        raise GuaranteeError(
            f"This release ({new.loss}) would bring '{new.source}' to {after}, past its budget of "
            f"{budget}; spent so far: {before}. Nothing was recorded."
        )


def warn_of_composition(new: Entry, earlier: Sequence[Entry]) -> None:
    """Warn if the release and an earlier one together protect less than is claimed."""
    uncovered = [entry for entry in earlier if entry.loss is None]
    of_patterns, uncovered = advice_on_patterns(new, uncovered)
    if of_patterns:
        warnings.warn(of_patterns, CompositionWarning, stacklevel=3)
    if new.loss is None and uncovered:
        warnings.warn(
            f"'{new.source}' has {len(uncovered)} earlier "
            f"release{'s' if len(uncovered) > 1 else ''} without differential privacy "
            f"({uncovered[-1].guarantee.model}), and this is another one "
            f"({new.guarantee.model}). Who holds both can combine them and single out people "
            "whom each of them protects.",
            CompositionWarning,
            stacklevel=3,
        )
    bases = {entry.basis for entry in earlier if entry.loss is not None}
    if new.loss is not None and bases - {new.basis}:
        warnings.warn(
            f"Releases of '{new.source}' protect different units or compare different neighbours. "
            "Their epsilons do not add up to a guarantee.",
            CompositionWarning,
            stacklevel=3,
        )


# Several collections of patterns of one source: which go together, and what to do otherwise.

DERIVE = "derive"

_ADVICE = (
    "An attacker who holds both can compare supports and find groups that neither discloses. "
    "Sanitize once, at the smallest min_support you need, and derive the others from that release."
)


def advice_on_patterns(new: Entry, earlier: Sequence[Entry]) -> tuple[str | None, list[Entry]]:
    """Return what to say of earlier collections of patterns, and the other earlier releases.

    Parameters
    ----------
    new : Entry
        The release to be recorded.
    earlier : sequence of Entry
        Earlier releases of the source that no epsilon covers.

    Returns
    -------
    str or None
        A warning, if the new release is a collection of patterns that was not derived from the
        earlier ones.
    list of Entry
        Earlier releases that this says nothing of.
    """
    if not _is_patterns(new):
        return None, list(earlier)
    others = [entry for entry in earlier if not _is_patterns(entry)]
    collections = [entry for entry in earlier if _is_patterns(entry)]
    if is_derived(new, collections):
        # It discloses no more than its parent, which was warned of when it was recorded.
        return None, []
    if not collections:
        return None, others
    return f"{_difference(new, collections)} {_ADVICE}", others


def is_derived(new: Entry, collections: Sequence[Entry]) -> bool:
    """Say whether a collection was derived from a recorded one, by larger supports only."""
    if not new.events or new.events[-1].name != DERIVE or new.fingerprint is None:
        return False
    *before, _ = new.events
    return any(
        entry.fingerprint == new.fingerprint
        and list(entry.events) == before
        and entry.guarantee.model == new.guarantee.model
        for entry in collections
    )


def _is_patterns(entry: Entry) -> bool:
    return "patterns" in entry.guarantee.model


def _difference(new: Entry, collections: Sequence[Entry]) -> str:
    """Return how a collection differs from earlier ones, in one sentence."""
    last = collections[-1]
    before, after = last.guarantee.parameters, new.guarantee.parameters
    head = f"'{new.source}' has a collection of patterns already (release {last.number}"
    smallest = min(
        (entry for entry in collections),
        key=lambda entry: int(entry.guarantee.parameters["min_support"]),
    )
    least = int(smallest.guarantee.parameters["min_support"])
    if int(after["min_support"]) < least:
        return (
            f"'{new.source}' has a collection of patterns down to min_support = {least} (release "
            f"{smallest.number}), and this one goes down to {after['min_support']}."
        )
    if after["k"] != before["k"]:
        return f"{head}, k = {before['k']}), and this one has k = {after['k']}."
    ways = [_way(entry) for entry in (last, new)]
    if ways[0] != ways[1]:
        return f"{head}, by {ways[0]}), and this one was made by {ways[1]}."
    return f"{head}, min_support = {before['min_support']}), and this one was made anew."


def _way(entry: Entry) -> str:
    """Return how a collection was made, as its first step calls it."""
    return entry.events[0].name.replace("_", " ") if entry.events else entry.guarantee.model
