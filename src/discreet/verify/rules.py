"""k-anonymity together with l-diversity or t-closeness of sensitive columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.verify.closeness import check_closeness
from discreet.verify.diversity import check_diversity
from discreet.verify.k_anonymity import check_k_anonymity
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence

NAME = "sensitive columns"


def check_k_anonymity_and_rules(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether classes have k members and keep the rules of the sensitive columns.

    Parameters
    ----------
    evidence : Evidence
        The step ``obey_rules`` names the sensitive columns; the model says which rules.

    Returns
    -------
    tuple of Check
        Of k-anonymity, of the columns that the rules are about, and of each rule. Every
        released column with the role sensitive must be named, as one with rules or as one
        without.
    """
    claims = evidence.claims
    size = check_k_anonymity(evidence)
    step = claims.step("obey_rules")
    columns = None if step is None else step.parameters.get("sensitive")
    left_out = () if step is None else step.parameters.get("not_ruled", ())
    if not isinstance(columns, tuple) or not columns or not isinstance(left_out, tuple):
        detail = f"{claims.model} is about sensitive columns, and no step names them."
        return (*size, Check(name=NAME, passed=False, detail=detail))
    fault = _fault(evidence, columns, left_out)
    if fault:
        return (*size, Check(name=NAME, passed=False, detail=fault))
    detail = f"The rules are about {', '.join(columns)}."
    checks = [*size, Check(name=NAME, passed=True, detail=detail)]
    if not evidence.rows.height or any(check.passed is False for check in size):
        return tuple(checks)
    if "l-diversity" in claims.model:
        checks.append(check_diversity(evidence, columns))
    if "t-closeness" in claims.model:
        checks.append(check_closeness(evidence, columns))
    return tuple(checks)


def check_left_out(evidence: Evidence) -> tuple[Check, ...]:
    """Return, for a person to judge, the sensitive columns that no rule is about.

    Parameters
    ----------
    evidence : Evidence
        Claims and released rows.

    Returns
    -------
    tuple of Check
        Left open if there are any.
    """
    step = evidence.claims.step("obey_rules")
    left_out = () if step is None else step.parameters.get("not_ruled", ())
    if not isinstance(left_out, tuple) or not left_out:
        return ()
    detail = f"{', '.join(left_out)}: sensitive, and no rule is about it."
    return (Check(name="columns without rules", passed=None, detail=detail),)


def _fault(evidence: Evidence, columns: tuple[str, ...], left_out: tuple[str, ...]) -> str | None:
    """Return what is wrong with the columns of the rules, or None."""
    claims, original = evidence.claims, evidence.original
    for name in columns:
        if name not in claims.column_names:
            return f"A rule is about column '{name}', which is not released."
        if name in claims.covered:
            return f"Column '{name}' was generalized, and a rule is about it."
    sensitive = {column.name for column in claims.columns if column.role == "sensitive"}
    if original is not None:
        sensitive |= {name for name in original.sensitive if name in claims.column_names}
    for name in claims.column_names:
        if name in sensitive and name not in columns and name not in left_out:
            return f"Column '{name}' is sensitive, and the step obey_rules does not name it."
    return None
