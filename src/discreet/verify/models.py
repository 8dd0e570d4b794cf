"""Which checker is for which claim. A new model is one line here and one file beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.verify.k_anonymity import check_k_anonymity
from discreet.verify.outcome import Check
from discreet.verify.patterns import WITNESSED, check_patterns
from discreet.verify.rules import check_k_anonymity_and_rules
from discreet.verify.sampling import check_sampling
from discreet.verify.support_floor import check_support_floor

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.verify.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Model:
    """A model by its name and, where one name has several mechanisms, a step that only one has."""

    name: str
    check: Callable[[Evidence], tuple[Check, ...]]
    step: str | None = None


MODELS = (
    Model("k-anonymity", check_k_anonymity),
    Model("k-anonymity and l-diversity", check_k_anonymity_and_rules),
    Model("k-anonymity and t-closeness", check_k_anonymity_and_rules),
    Model("k-anonymity, l-diversity and t-closeness", check_k_anonymity_and_rules),
    Model("support floor", check_support_floor),
    Model("k-anonymous patterns", check_patterns),
    Model(WITNESSED, check_patterns),
    Model("(epsilon, delta)-differential privacy", check_sampling, step="k_suppress"),
)


def check_claim(evidence: Evidence) -> tuple[Check, ...]:
    """Return the checks of a claim; it holds if each of them passed.

    Parameters
    ----------
    evidence : Evidence
        Claims, released rows and perhaps the original.

    Returns
    -------
    tuple of Check
        Never empty. One check that is left open if no checker is for this claim.
    """
    claims = evidence.claims
    steps = {event.name for event in claims.events}
    for model in MODELS:
        if model.name == claims.model and (model.step is None or model.step in steps):
            return model.check(evidence)
    known = ", ".join(dict.fromkeys(model.name for model in MODELS))
    detail = (
        f"This verifier cannot check the claim '{claims.model}' made in this way. It knows {known}."
    )
    return (Check(name="claim", passed=None, detail=detail),)
