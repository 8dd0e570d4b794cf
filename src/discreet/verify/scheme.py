"""Where a suppression scheme came from, what it cost, and what the whole release costs."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from discreet.verify.certificate import show
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims, Step, Value

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
