"""Differential privacy by sampling: rows sampled at a rate, classes below k suppressed.

The draw itself cannot be seen in its result. What can be recomputed is all the rest: that the
classes are as large as stated, that sampling at this rate is worth the delta stated, and that
the parts add up to the total.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import LimitError
from discreet.verify.certificate import show
from discreet.verify.evidence import class_sizes, small_classes
from discreet.verify.imputed import IMPUTE, check_imputed, check_source, is_imputed
from discreet.verify.outcome import Check
from discreet.verify.sampling_delta import sampling_delta
from discreet.verify.scheme import check_scheme, read_share

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims, Step
    from discreet.verify.evidence import Evidence

ADD_REMOVE = "tables that differ in one row added or removed"
PUBLISHED = ("learn_scheme", "suppress_by_scheme", "bernoulli_sample", "k_suppress")
ROUNDING = Fraction(1, 10**9)  # the accuracy of the delta computed here


def check_sampling(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether what a sampled release states about itself holds together.

    Parameters
    ----------
    evidence : Evidence
        The claim is (epsilon, delta)-differential privacy, and the events are those of
        sampling and k-suppression.

    Returns
    -------
    tuple of Check
        Steps, classes, delta of sampling, noise of the scheme and total: all must hold. If
        cells were imputed afterwards, what is left of the classes takes their place.

    Notes
    -----
    That rows were sampled at random, from the whole table and unseen, is not in the files: it
    rests on whoever ran the mechanism. So does that imputed values came from the release alone.
    """
    claims = evidence.claims
    steps = _check_steps(claims)
    if not steps.passed:
        return (steps,)
    suppress, sample = claims.step("k_suppress"), claims.step("bernoulli_sample")
    assert suppress is not None
    assert sample is not None
    return (
        steps,
        (check_imputed if is_imputed(claims) else _check_classes)(evidence, suppress),
        _check_delta(sample, suppress),
        *check_scheme(claims, suppress),
    )


def _check_steps(claims: Claims) -> Check:
    """Return whether the steps are those that the claim is proved for, in their order."""
    names = [event.name for event in claims.events if event.name != "restrict_to_part"]
    if names and names[0] == "split_rows":
        names = names[1:]
    while names and names[-1] == IMPUTE:
        names.pop()
    if tuple(names) != PUBLISHED:
        return _check_other_steps(names)
    if claims.neighbours != ADD_REMOVE:
        detail = f"The claim is proved between {ADD_REMOVE}, and the certificate says otherwise."
        return Check(name="steps", passed=False, detail=detail)
    for step in claims.events:
        fault = check_source(step) if step.name == IMPUTE else None
        if fault is not None:
            return fault
    then = ", then imputed from the release alone" if is_imputed(claims) else ""
    detail = f"Sampled, suppressed and published in the order that the claim is proved for{then}."
    return Check(name="steps", passed=True, detail=detail)


def _check_other_steps(names: list[str]) -> Check:
    """Return what is to be said of steps that the claim is not proved for."""
    strange = [name for name in names if name not in {"split_rows", IMPUTE, *PUBLISHED}]
    if strange:
        detail = (
            f"This verifier does not know what the step '{strange[0]}' does to the claim. Verify "
            "the release as it was before that step."
        )
        return Check(name="steps", passed=None, detail=detail)
    detail = f"The claim is proved for the steps {', '.join(PUBLISHED)}, in this order."
    if IMPUTE in names:
        detail += " Imputing costs nothing after them only, as a computation on the release."
    return Check(name="steps", passed=False, detail=detail)


def _check_classes(evidence: Evidence, suppress: Step) -> Check:
    """Return whether every class of equal released rows, all columns counted, has k members."""
    k = suppress.parameters.get("k")
    if type(k) is not int or k < 1:
        return Check(name="classes", passed=False, detail="k_suppress does not state its k.")
    if not evidence.rows.height:
        return Check(name="classes", passed=True, detail="No rows are released.")
    sizes = class_sizes(evidence.rows, evidence.rows.columns)
    fault = small_classes(sizes, k)
    if fault:
        return Check(name="classes", passed=False, detail=f"{fault}.")
    detail = f"The smallest class of equal rows has {sizes.min()}, k is {k}."
    return Check(name="classes", passed=True, detail=detail)


def _check_delta(sample: Step, suppress: Step) -> Check:
    """Return whether sampling at the stated rate is worth the stated delta."""
    name = "delta of sampling"
    k = suppress.parameters.get("k")
    beta = read_share(sample.parameters.get("beta"))
    epsilon, delta = suppress.parameters.get("epsilon"), suppress.parameters.get("delta")
    if (
        type(k) is not int
        or k < 1
        or beta is None
        or not isinstance(epsilon, Fraction)
        or not isinstance(delta, Fraction)
        or epsilon < 0
    ):
        detail = "bernoulli_sample states no rate from 0 to 1, or k_suppress no k, epsilon, delta."
        return Check(name=name, passed=False, detail=detail)
    try:
        needed = sampling_delta(k, beta=beta, epsilon=epsilon)
    except LimitError as error:
        return Check(name=name, passed=None, detail=f"It could not be recomputed: {error}")
    figures = f"sampling at rate {show(beta)} with k = {k} and epsilon = {show(epsilon)}"
    if delta < Fraction(needed) * (1 - ROUNDING):
        detail = f"{figures} has a delta of {needed:.6g}, and {show(delta)} is stated."
        return Check(name=name, passed=False, detail=detail)
    detail = f"{figures} has a delta of {needed:.6g}; {show(delta)} is stated."
    return Check(name=name, passed=True, detail=detail)
