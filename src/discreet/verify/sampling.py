"""Differential privacy by sampling: rows sampled at a rate, classes below k suppressed.

The draw itself cannot be seen in its result. What can be recomputed is all the rest: that the
classes are as large as stated, that sampling at this rate is worth the delta stated, and that
the parts add up to the total.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.verify.certificate import (
    CHOOSE,
    NEIGHBOURS_OF_PEOPLE,
    chose_one,
    fault_of_choice,
    show,
)
from discreet.verify.chance import check_sample_size
from discreet.verify.classes import IMPUTE, check_imputed, check_source, is_imputed
from discreet.verify.evidence import class_sizes, small_classes
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.verify.certificate import Claims, Step, Value
    from discreet.verify.evidence import Evidence


ADD_REMOVE = "tables that differ in one row added or removed"

PUBLISHED = ("learn_scheme", "suppress_by_scheme", "bernoulli_sample", "k_suppress")

RANDOMNESS = "randomness"

# How the model begins where the scheme counts over lists that were read from the table; in
# version 1 it did not.
IF_PUBLIC = "Only if the lists of values are public: "

LISTS_PUBLIC = "The lists of values that columns can have are public."

UNSEEN_LISTS = "that the lists of values were public, without which the figures do not hold"

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
    That rows were sampled at random, from the whole table and in secret, is not checkable from the
    files, nor that imputed values came from the release alone.
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
        *_check_size(evidence, sample),
        _unseen(claims),
    )


def _check_size(evidence: Evidence, sample: Step) -> tuple[Check, ...]:
    """Return whether the released rows are no more than were sampled, beside the original."""
    beta, split = read_share(sample.parameters.get("beta")), evidence.claims.step("split_rows")
    kept = None if split is None else read_share(split.parameters.get("split_rate"))
    if evidence.matched is None or beta is None:
        return ()
    return (check_sample_size(evidence, beta * (1 - (kept or 0))),)


_UNSEEN = {
    "public": "that rows were really sampled at random, and that the scheme is public",
    "dp": "that rows were really sampled at random, and that noise was really drawn",
    "split": "that rows were really split and sampled at random",
}


def _unseen(claims: Claims) -> Check:
    """Return what the claim rests on and its result does not show."""
    learn = claims.step("learn_scheme")
    scheme = None if learn is None else learn.parameters.get("scheme")
    unseen = _UNSEEN.get(str(scheme), _UNSEEN["split"])
    if claims.model.startswith(IF_PUBLIC):
        unseen = f"{UNSEEN_LISTS}, {unseen}"
    detail = f"Not seen in the files: {unseen}."
    return Check(name=RANDOMNESS, passed=None, detail=detail, unseen=unseen)


def _check_steps(claims: Claims) -> Check:
    """Return whether the steps are those that the claim is proved for, in their order."""
    names = [event.name for event in claims.events if event.name != "restrict_to_part"]
    fault_of_people = fault_of_choice(claims)
    if fault_of_people is not None:
        return Check(name="steps", passed=False, detail=fault_of_people)
    if names and names[0] == CHOOSE:
        names = names[1:]
    if names and names[0] == "split_rows":
        names = names[1:]
    while names and names[-1] == IMPUTE:
        names.pop()
    if tuple(names) != PUBLISHED:
        return _check_other_steps(names)
    neighbours = NEIGHBOURS_OF_PEOPLE["central"] if chose_one(claims) else ADD_REMOVE
    if claims.neighbours != neighbours:
        detail = f"The claim is proved between {neighbours}, and the certificate says otherwise."
        return Check(name="steps", passed=False, detail=detail)
    for step in claims.events:
        fault = check_source(step) if step.name == IMPUTE else None
        if fault is not None:
            return fault
    if claims.version > 1 and claims.model.startswith(IF_PUBLIC) != _reads_lists(claims):
        detail = (
            f"The model begins '{IF_PUBLIC.rstrip(': ')}' if the scheme counts over lists of "
            "values that are not stated to be public, and else not."
        )
        return Check(name="steps", passed=False, detail=detail)
    then = ", then imputed from the release alone" if is_imputed(claims) else ""
    detail = f"Sampled, suppressed and published in the order that the claim is proved for{then}."
    return Check(name="steps", passed=True, detail=detail)


def _reads_lists(claims: Claims) -> bool:
    """Say whether the scheme counts over lists that are not stated to be public."""
    learn = claims.step("learn_scheme")
    is_counted = learn is not None and learn.parameters.get("scheme") == "dp"
    return is_counted and LISTS_PUBLIC not in claims.assumptions


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
    """Return whether every equivalence class over all columns has k members."""
    k = suppress.parameters.get("k")
    if type(k) is not int or k < 1:
        return Check(name="classes", passed=False, detail="k_suppress does not state its k.")
    if not evidence.rows.height:
        return Check(name="classes", passed=True, detail="No rows are released.")
    sizes = class_sizes(evidence.rows, evidence.rows.columns)
    fault = small_classes(sizes, k)
    if fault:
        return Check(name="classes", passed=False, detail=f"{fault}.")
    detail = f"The smallest equivalence class has {sizes.min()} rows, k is {k}."
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
    # Floats here, exact numbers there: a difference within rounding is no fault.
    if delta < Fraction(needed) * (1 - ROUNDING):
        detail = f"{figures} has a delta of {needed:.6g}, and {show(delta)} is stated."
        return Check(name=name, passed=False, detail=detail)
    detail = f"{figures} has a delta of {needed:.6g}; {show(delta)} is stated."
    return Check(name=name, passed=True, detail=detail)


# The delta of sampling and k-suppression, by its definition: a maximum over class sizes.
#
# This is a second computation of it. The mechanism has a closed form for where the maximum is,
# in decimal arithmetic; here all class sizes are looked at, in floating point, until a bound that
# needs no closed form says that no larger class can matter.

MOST_CLASSES = 1 << 20

ACCURACY = 1e-10

_LARGEST_EPSILON = 700.0  # its exponential is a float; a larger epsilon has a smaller delta


@dataclass(frozen=True, slots=True)
class _Laws:
    """Sums over the laws of Bin(n, beta) and Bin(n + 1, beta), for many n at once."""

    beta: float
    epsilon: float
    pmf: Callable[..., NDArray[np.float64]]
    cdf: Callable[..., NDArray[np.float64]]
    sf: Callable[..., NDArray[np.float64]]

    def adding(self, n: NDArray[np.int64], least: int) -> NDArray[np.float64]:
        """Return the sum of [b_{n+1}(j) - e^epsilon b_n(j)]_+ over j >= least.

        b_{n+1}(j) / b_n(j) = (1 - beta)(n + 1) / (n + 1 - j) grows with j, so the positive
        terms are those from some m on. By Pascal's rule the upper tail from m grows by
        beta b_n(m - 1) with one more row.
        """
        # Decided by n + 1 - j, which is exact however large epsilon is; j = n + 1 always counts.
        left_out = np.ceil((1 - self.beta) * math.exp(-self.epsilon) * (n + 1)) - 1
        m = np.maximum(least, n + 1 - np.maximum(left_out, 0).astype(np.int64))
        gained = self.beta * self.pmf(m - 1, n, self.beta)
        found = gained - math.expm1(self.epsilon) * self.sf(m - 1, n, self.beta)
        return np.maximum(found, 0.0)

    def removing(self, n: NDArray[np.int64], least: int) -> NDArray[np.float64]:
        """Return the sum of [b_n(j) - e^epsilon b_{n+1}(j)]_+, all j < least being one outcome.

        Now the positive terms are those below some m; if it is below ``least``, the one
        outcome of all j < least is what may be positive.
        """
        gamma = max(0.0, self.beta * math.exp(self.epsilon) - math.expm1(self.epsilon))
        m = np.maximum(least, np.ceil(gamma * (n + 1)).astype(np.int64))
        lost = math.exp(self.epsilon) * self.beta * self.pmf(m - 1, n, self.beta)
        found = lost - math.expm1(self.epsilon) * self.cdf(m - 1, n, self.beta)
        return np.maximum(found, 0.0)


def sampling_delta(k: int, *, beta: Fraction, epsilon: Fraction) -> float:
    r"""Return the delta of Bernoulli sampling followed by suppression of classes below k.

    .. math:: \delta = \max_n \max \Big\{
        \sum_j [P_{n+1}(j) - e^\varepsilon P_n(j)]_+, \;
        \sum_j [P_n(j) - e^\varepsilon P_{n+1}(j)]_+ \Big\}

    where :math:`P_n` is the law of :math:`\mathrm{Bin}(n, \beta)` with every value below
    :math:`k` turned into 0.

    Parameters
    ----------
    k : int
        Least size of a class that is published, at least 1.
    beta : Fraction
        The sampling rate, from 0 to 1.
    epsilon : Fraction
        At least 0.

    Returns
    -------
    float
        Delta, with a relative error below 1e-9 (for deltas above 1e-250).

    Raises
    ------
    LimitError
        If more than 2**20 class sizes would have to be looked at.

    Notes
    -----
    The scan begins at :math:`n = k - 1`: before, both laws are certain to be 0. It stops by
    two facts. Turning small values into 0 is post-processing, so the distance of
    :math:`P_n` and :math:`P_{n+1}` is at most that of the two binomial laws. Adding one more
    independent row to both of these is post-processing too, so their distance does not grow
    with :math:`n`. Once it is at most the largest value found (up to 1e-10 of it), no later
    :math:`n` can be larger. Rounding: the two terms of each sum cancel by a factor of about
    :math:`2 \ln(1 / \delta)` at most, and each has the accuracy of scipy's binomial, about
    1e-13.

    Examples
    --------
    >>> from fractions import Fraction
    >>> round(sampling_delta(5, beta=Fraction("0.034"), epsilon=Fraction("0.1")), 12)
    0.000174078884
    """
    from scipy.stats import binom  # type: ignore[import-untyped]

    laws = _Laws(
        beta=float(beta),
        epsilon=min(float(epsilon), _LARGEST_EPSILON),
        pmf=binom.pmf,
        cdf=binom.cdf,
        sf=binom.sf,
    )
    best, first, n_next = 0.0, k - 1, 64
    while first < k - 1 + MOST_CLASSES:
        n = np.arange(first, first + n_next)
        both = np.maximum(laws.adding(n, k), laws.removing(n, k))
        best = max(best, float(both.max()))
        # The same without suppression: all outcomes apart.
        bound = max(float(laws.adding(n[-1:], 0)[0]), float(laws.removing(n[-1:], 0)[0]))
        if bound <= best * (1 + ACCURACY):
            return min(best, 1.0)
        first, n_next = first + n_next, min(2 * n_next, 1 << 16)
    raise LimitError(
        f"delta at k = {k}, beta = {float(beta):.3g} and epsilon = {float(epsilon):.3g} needs "
        f"more than {MOST_CLASSES:,} class sizes to be looked at."
    )


# Where a suppression scheme came from, what it cost, and what the whole release costs.

_NOISE = "discrete Laplace"


def check_scheme(claims: Claims, suppress: Step) -> tuple[Check, ...]:
    r"""Return whether the scheme was made as stated, and whether the total follows.

    ============ ============================================================================
    scheme       in total
    ============ ============================================================================
    ``"public"`` :math:`(\varepsilon_2, \delta_2)`: it was not learnt from this table
    ``"dp"``     :math:`(\max(\varepsilon_1, \varepsilon_2), \max(\delta_1, \delta_2))`
    ``"split"``  :math:`(\varepsilon_2, \; r + (1 - r) \delta_2)`
    ============ ============================================================================

    where 1 is the scheme, 2 the sampled part, and :math:`r` the rate of the split.

    Parameters
    ----------
    claims : Claims
        What the certificate says.
    suppress : Step
        Its event ``k_suppress``.

    Returns
    -------
    tuple of Check
        The noise of a scheme learnt with noise, and the total.
    """
    learn, split = claims.step("learn_scheme"), claims.step("split_rows")
    assert learn is not None
    scheme = learn.parameters.get("scheme")
    rate = None if split is None else read_share(split.parameters.get("split_rate"))
    if scheme not in ("public", "dp", "split"):
        detail = f"This verifier does not know the scheme {scheme!r}."
        return (Check(name="total", passed=None, detail=detail),)
    if (scheme == "public") != (split is None) or (split is not None and rate is None):
        detail = (
            "A public scheme has no split_rows; the others have one, with its rate from 0 to 1."
        )
        return (Check(name="total", passed=False, detail=detail),)
    total = _check_total(claims, learn, suppress, rate)
    return (_check_noise(claims, learn), total) if scheme == "dp" else (total,)


def _check_noise(claims: Claims, learn: Step) -> Check:
    """Return whether the noise is as large as the epsilon of the scheme needs.

    One row has C(n, l) combinations of l of its n values, so that it changes as many supports:
    the noise must have the scale of all of them together over epsilon.
    """
    name, stated = "noise of the scheme", learn.parameters
    n_columns, size = stated.get("n_columns"), stated.get("max_size")
    epsilon, scale = stated.get("epsilon"), stated.get("scale")
    if stated.get("noise") != _NOISE:
        detail = f"This verifier knows noise that is {_NOISE} only."
        return Check(name=name, passed=None, detail=detail)
    if (
        type(n_columns) is not int
        or type(size) is not int
        or not 0 < size <= 64
        or not isinstance(epsilon, Fraction)
        or epsilon <= 0
        or not isinstance(scale, int | Fraction)
    ):
        detail = "learn_scheme lacks n_columns, max_size, epsilon or scale."
        return Check(name=name, passed=False, detail=detail)
    mapped = claims.step("suppress_by_scheme")
    columns = None if mapped is None else mapped.parameters.get("columns")
    if not isinstance(columns, tuple) or len(columns) != n_columns:
        detail = f"The scheme is for {n_columns} columns, and was applied to others."
        return Check(name=name, passed=False, detail=detail)
    touched = sum(comb(n_columns, length) for length in range(1, size + 1))
    if stated.get("sensitivity") != touched:
        detail = f"One row changes {touched:,} supports; stated: {stated.get('sensitivity')}."
        return Check(name=name, passed=False, detail=detail)
    # Equal, although more noise would be safe: what the method never writes is not taken for its
    # release.
    if scale != touched / epsilon:
        detail = f"The scale must be {show(touched / epsilon)}; {show(Fraction(scale))} is stated."
        return Check(name=name, passed=False, detail=detail)
    detail = f"{_NOISE} of scale {touched:,} / {show(epsilon)}, as one row changes {touched:,}."
    return Check(name=name, passed=True, detail=detail)


def _check_total(claims: Claims, learn: Step, suppress: Step, rate: Fraction | None) -> Check:
    """Return whether the claim is not below what the parts come to."""
    losses = [
        step.parameters.get(name)
        for name in ("epsilon", "delta")
        for step in (suppress, learn, claims)
    ]
    epsilon_2, epsilon_1, epsilon, delta_2, delta_1, delta = losses
    learnt_with_noise = learn.parameters.get("scheme") == "dp"
    needed: list[Value] = [epsilon_2, delta_2, epsilon, delta]
    needed += [epsilon_1, delta_1] if learnt_with_noise else []
    if not all(isinstance(each, Fraction) for each in needed):
        detail = "An epsilon or a delta is missing, so that there is no total."
        return Check(name="total", passed=False, detail=detail)
    assert isinstance(epsilon, Fraction)
    assert isinstance(delta, Fraction)
    assert isinstance(epsilon_2, Fraction)
    assert isinstance(delta_2, Fraction)
    due_epsilon, due_delta = epsilon_2, delta_2
    if isinstance(epsilon_1, Fraction) and isinstance(delta_1, Fraction) and learnt_with_noise:
        # A row is in the training part or in the published one, never in both.
        due_epsilon, due_delta = max(epsilon_1, epsilon_2), max(delta_1, delta_2)
    elif rate is not None:
        due_delta = rate + (1 - rate) * delta_2
    due = f"epsilon = {show(due_epsilon)} and delta = {show(due_delta)}"
    if epsilon < due_epsilon or delta < due_delta:
        detail = (
            f"The parts come to {due}; the release claims epsilon = {show(epsilon)} and "
            f"delta = {show(delta)}."
        )
        return Check(name="total", passed=False, detail=detail)
    return Check(name="total", passed=True, detail=f"The parts come to {due}; no less is claimed.")


def read_share(value: Value) -> Fraction | None:
    """Return a share from 0 to 1, or None if a value is none.

    Examples
    --------
    >>> read_share(Fraction(1, 2)), read_share(1), read_share("all")
    (Fraction(1, 2), Fraction(1, 1), None)
    """
    if type(value) is not int and not isinstance(value, Fraction):
        return None
    return Fraction(value) if 0 <= value <= 1 else None
