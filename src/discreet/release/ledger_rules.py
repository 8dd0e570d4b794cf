"""What a ledger refuses and what it warns of, when one more release meets the earlier ones."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from discreet.errors import CompositionWarning, GuaranteeError
from discreet.release.composition import compose
from discreet.release.ledger_patterns import advice_on_patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.release.composition import Entry, Loss


def refuse_past_budget(new: Entry, earlier: Sequence[Entry], budget: Loss | None) -> None:
    """Raise GuaranteeError if a budget is set and would not hold with one more release."""
    if budget is None:
        return
    claim = new.guarantee
    if new.loss is None:
        why = (
            "is experimental" if claim.experimental else f"has {claim.model}, which has no epsilon"
        )
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
