"""k-anonymity: every row is equal to at least k - 1 others in the columns of the claim."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.verify.certificate import show
from discreet.verify.closeness import as_read, check_closeness, class_counts
from discreet.verify.evidence import FewValues, class_sizes, small_classes, supports
from discreet.verify.files.bounded import plain
from discreet.verify.outcome import Check
from discreet.verify.people import (
    SEVERAL_ROWS,
    check_member_closeness,
    check_one_row_each,
    check_shares,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.verify.certificate import Claims, Step
    from discreet.verify.closeness import ClassCounts
    from discreet.verify.evidence import Evidence


K_ANONYMITY = "k-anonymity"


def check_k_anonymity(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether the smallest equivalence class has k members.

    A suppressed cell is a value of its own, equal to other suppressed cells only. The rows are
    taken as they are: if cells were imputed, the claim must hold for the filled rows.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameter ``k`` and names its columns.

    Returns
    -------
    tuple of Check
        One check.

    References
    ----------
    L. Sweeney (2002), k-anonymity: a model for protecting privacy, definition 3.
    """
    claims = evidence.claims
    k, columns = claims.parameters.get("k"), claims.covered
    unknown = [name for name in columns if name not in claims.column_names]
    if type(k) is not int or k < 1 or not columns or unknown:
        detail = (
            f"The claim is about column '{unknown[0]}', which is not released."
            if unknown
            else "The claim lacks its k, a whole number from 1, or its columns."
        )
        return (Check(name=K_ANONYMITY, passed=False, detail=detail),)
    listed = ", ".join(columns)
    if not evidence.rows.height:
        return (Check(name=K_ANONYMITY, passed=True, detail="No rows are released."),)
    sizes = class_sizes(evidence.rows, columns)
    fault = small_classes(sizes, k)
    if fault:
        why = LOST if is_imputed(claims) else ""
        return (Check(name=K_ANONYMITY, passed=False, detail=f"In {listed}: {fault}.{why}"),)
    detail = f"In {listed}: the smallest equivalence class has {sizes.min()} rows, k is {k}."
    return (Check(name=K_ANONYMITY, passed=True, detail=detail),)


# The support floor: what a released row shows, more than theta rows of the original had.

SUPPORT_FLOOR = "support floor"


def check_support_floor(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether every released row is contained in more than theta rows of the original.

    A released row is reduced to the cells it shows in the columns of the claim. The claim is
    about the original, so that it cannot be recomputed from the release alone.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameter ``theta`` and names its columns; a ``floor`` larger than
        ``theta + 1`` is held to. With ``max_size`` it is about so many values of a row at most.

    Returns
    -------
    tuple of Check
        One check, without a verdict if the original is not given.
    """
    claims, matched = evidence.claims, evidence.matched
    columns = claims.covered or claims.column_names
    fault = _fault_of_floor(claims, columns)
    if fault is not None:
        return (Check(name=SUPPORT_FLOOR, passed=False, detail=fault),)
    if matched is None:
        detail = (
            "It is a claim about the original, and cannot be recomputed from the release alone. "
            "Give the original."
        )
        unseen = "that the original has as many rows as claimed under every released row"
        return (Check(name=SUPPORT_FLOOR, passed=None, detail=detail, unseen=unseen),)
    absent = [name for name in columns if name in matched.absent]
    apart = [name for name in columns if name in matched.other_type and name in matched.invented]
    if absent or apart:
        detail = f"Column '{(absent + apart)[0]}' cannot be compared with the original."
        return (Check(name=SUPPORT_FLOOR, passed=None, detail=detail),)
    theta, more, most = (claims.parameters.get(each) for each in ("theta", "floor", "max_size"))
    assert isinstance(theta, int)
    floor = max(theta + 1, more if isinstance(more, int) else 0)
    if isinstance(most, int) and most < len(columns):
        return (_check_few_values(evidence, columns, floor, most),)
    return (_check_whole_rows(evidence, columns, floor),)


def _check_whole_rows(evidence: Evidence, columns: Sequence[str], floor: int) -> Check:
    """Return whether all that a released row shows is in enough rows of the original."""
    assert evidence.matched is not None
    found = supports(evidence.matched, columns, progress=evidence.progress)
    if found.is_empty():
        return Check(name=SUPPORT_FLOOR, passed=True, detail="No rows are released.")
    least = int(found["support"].to_numpy().min())
    if least < floor:
        n_low = int(found.filter(pl.col("support") < floor)["n_released"].sum())
        detail = (
            f"{n_low:,} released rows show a combination of values that fewer than {floor} rows "
            f"of the original have; the rarest occurs in {least}."
            f"{LOST if is_imputed(evidence.claims) else ''}"
        )
        return Check(name=SUPPORT_FLOOR, passed=False, detail=detail)
    detail = (
        f"At least {floor} rows of the original have the values of each released row; the fewest "
        f"are {least:,}."
    )
    return Check(name=SUPPORT_FLOOR, passed=True, detail=detail)


def _fault_of_floor(claims: Claims, columns: Sequence[str]) -> str | None:
    """Return what makes a claim none, or larger than the combinations looked for; or None."""
    theta, floor = claims.parameters.get("theta"), claims.parameters.get("floor", 0)
    unknown = [name for name in columns if name not in claims.column_names]
    if unknown:
        return f"The claim is about column '{unknown[0]}', which is not released."
    if type(theta) is not int or theta < 0 or type(floor) is not int:
        return "The claim lacks its theta, a whole number from 0, or has a floor that is none."
    most = claims.parameters.get("max_size")
    if most is not None and (type(most) is not int or most < 1):
        return "The max_size of the claim is no whole number from 1."
    step = claims.step("mii_suppress")
    looked = None if step is None else step.parameters.get("max_size")
    if type(looked) is int and looked < len(columns) and (most is None or looked < most):
        return f"Combinations of at most {looked} values were looked for, and the claim is of more."
    return None


# The same of any few values of a row: every set of so many columns is counted, by brute force.

MOST_CELLS = 10**11  # looked at: some minutes


def _check_few_values(evidence: Evidence, columns: tuple[str, ...], floor: int, most: int) -> Check:
    """Return whether any few values that a row shows are in enough rows of the original.

    Where the claim is about people and the original knows them, people are counted.
    """
    matched, original = evidence.matched, evidence.original
    assert matched is not None
    assert original is not None
    people = None if evidence.claims.unit != SEVERAL_ROWS else original.people
    whose = None if people is None else people.codes.astype(np.int64)
    n_sets = sum(math.comb(len(columns), size) for size in range(1, most + 1))
    if n_sets * (matched.original.height + matched.released.height) > MOST_CELLS:
        detail = (
            f"Not recomputed: {len(columns)} columns have {n_sets:,} sets of at most {most}, which "
            "takes too long to count one by one."
        )
        unseen = f"that any {most} values of a row are in as many rows of the original as claimed"
        return Check(name=SUPPORT_FLOOR, passed=None, detail=detail, unseen=unseen)
    search = FewValues(matched, columns, whose=whose, floor=floor, most=most)
    found = search.first_rare(evidence.progress)
    who = "rows" if whose is None else "people"
    if found is not None:
        detail = (
            f"Row {found.row + 1} of the data shows in {', '.join(found.columns)} what fewer than "
            f"{floor} {who} of the original have.{LOST if is_imputed(evidence.claims) else ''}"
        )
        return Check(name=SUPPORT_FLOOR, passed=False, detail=detail)
    values = "Any value" if most == 1 else f"Any {most} values or fewer"
    detail = (
        f"{values} that a released row shows: at least {floor} {who} of the original have them."
    )
    return Check(name=SUPPORT_FLOOR, passed=True, detail=detail)


# l-diversity: in every equivalence class a sensitive column has many values, well mixed.

DIVERSITY = "l-diversity"

ROUNDING = 1e-9  # of logarithms


def check_diversity(evidence: Evidence, columns: tuple[str, ...]) -> Check:
    r"""Return whether sensitive columns are l-diverse in every class.

    With the counts :math:`r_1 \ge \dots \ge r_m` of the values in a class of :math:`s` rows:
    *distinct*: :math:`m \ge l`; *entropy*: :math:`\ln s - \frac1s \sum_i r_i \ln r_i \ge \ln l`;
    *recursive*: :math:`r_1 < c \, (r_l + \dots + r_m)`, exactly.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameters ``l``, ``diversity`` and, if recursive, ``c``.
    columns : tuple of str
        The sensitive columns, all released.

    Returns
    -------
    Check
        The column, and a row of a class that is not diverse, are named.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity,
    definitions 4 and 5.
    """
    stated = evidence.claims.parameters
    if stated.get("diversity") == "share":
        return check_shares(evidence, columns)
    low, kind, ratio = stated.get("l"), stated.get("diversity"), stated.get("c", 0)
    if (
        not isinstance(low, int | Fraction)
        or low < 1
        or kind not in ("distinct", "entropy", "recursive")
        or (kind == "recursive" and (not isinstance(ratio, int | Fraction) or ratio <= 0))
    ):
        detail = "The claim lacks l, a number from 1, the kind of diversity, or its c."
        return Check(name=DIVERSITY, passed=False, detail=detail)
    if kind != "entropy" and Fraction(low).denominator != 1:
        detail = f"l = {show(low)} is no whole number, which {kind} diversity needs."
        return Check(name=DIVERSITY, passed=False, detail=detail)
    assert isinstance(ratio, int | Fraction)
    for name in columns:
        shown = evidence.rows.with_columns(as_read(evidence.rows[name]))
        found = class_counts(shown, evidence.claims.covered, name)
        if kind == "distinct":
            short = np.flatnonzero(np.bincount(found.classes) < int(low))
        elif kind == "entropy":
            short = _low_entropy(found, float(low))
        else:
            short = _dominated(found, int(low), Fraction(ratio))
        if len(short):
            classes = "1 class is" if len(short) == 1 else f"{len(short):,} classes are"
            detail = (
                f"In column '{name}' {classes} not {kind}ly {show(low)}-diverse, such as that of "
                f"row {found.first[short].min() + 1} of the data."
            ).replace("entropyly", "by entropy")
            return Check(name=DIVERSITY, passed=False, detail=detail)
    detail = f"In every class {', '.join(columns)}: {kind} l-diversity, l is {show(low)}."
    return Check(name=DIVERSITY, passed=True, detail=detail)


def _low_entropy(found: ClassCounts, low: float) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the classes whose entropy is below ln l."""
    sizes = found.sizes
    inside = np.zeros(len(sizes))
    np.add.at(inside, found.classes, found.counts * np.log(found.counts))
    return np.flatnonzero(np.log(sizes) - inside / sizes < math.log(low) - ROUNDING)


def _dominated(
    found: ClassCounts, low: int, ratio: Fraction
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return the classes whose commonest value outweighs the l-th and rarer ones."""
    starts = np.searchsorted(found.classes, np.arange(len(found.first) + 1))
    wrong = []
    for place, (start, stop) in enumerate(pairwise(starts.tolist())):
        counts = sorted(found.counts[start:stop].tolist(), reverse=True)
        if not counts[0] < ratio * sum(counts[low - 1 :]):
            wrong.append(place)
    return np.array(wrong, np.intp)


# k-anonymity together with l-diversity or t-closeness of sensitive columns.

RULES = "sensitive columns"


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
    without_rule = () if step is None else step.parameters.get("not_ruled", ())
    if not isinstance(columns, tuple) or not columns or not isinstance(without_rule, tuple):
        detail = f"{claims.model} is about sensitive columns, and no step names them."
        return (*size, Check(name=RULES, passed=False, detail=detail))
    fault = _fault(evidence, columns, without_rule)
    if fault:
        return (*size, Check(name=RULES, passed=False, detail=fault))
    detail = f"The rules are about {', '.join(columns)}."
    checks = [*size, Check(name=RULES, passed=True, detail=detail)]
    if not evidence.rows.height or any(check.passed is False for check in size):
        return tuple(checks)
    if "l-diversity" in claims.model:
        checks.append(check_diversity(evidence, columns))
    if "t-closeness" in claims.model:
        by_member = claims.parameters.get("distance") == "members"
        check = check_member_closeness if by_member else check_closeness
        checks.append(check(evidence, columns))
    return (*checks, *check_one_row_each(evidence))


def check_columns_without_rules(evidence: Evidence) -> tuple[Check, ...]:
    """Return, for a person to judge, the sensitive columns that no rule is about.

    Parameters
    ----------
    evidence : Evidence
        Claims and released rows.

    Returns
    -------
    tuple of Check
        Without a verdict if there are any.
    """
    step = evidence.claims.step("obey_rules")
    without_rule = () if step is None else step.parameters.get("not_ruled", ())
    if not isinstance(without_rule, tuple) or not without_rule:
        return ()
    detail = f"{', '.join(without_rule)}: sensitive, and no rule is about it."
    return (Check(name="columns without rules", passed=None, detail=detail),)


def _fault(
    evidence: Evidence, columns: tuple[str, ...], without_rule: tuple[str, ...]
) -> str | None:
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
        if name in sensitive and name not in columns and name not in without_rule:
            return f"Column '{name}' is sensitive, and the step obey_rules does not name it."
    return None


# Claims that hold as stated and still say little: for a person to judge.


_LARGE_EPSILON = 10


def check_figures(claims: Claims) -> tuple[Check, ...]:
    """Return, for a person to judge, figures that say next to nothing, and a part of a source.

    Parameters
    ----------
    claims : Claims
        Model, figures and steps.

    Returns
    -------
    tuple of Check
        Without a verdict.
    """
    figures, checks = claims.parameters, []
    k, low, near, theta = (figures.get(name) for name in ("k", "l", "t", "theta"))
    epsilon = figures.get("epsilon")
    is_large = isinstance(epsilon, int | Fraction) and epsilon >= _LARGE_EPSILON
    faults = {
        "k = 1 is true of any rows": k == 1,
        "l = 1 is true of any class": low == 1,
        "t = 1 is true of any class": near == 1,
        "theta = 0 is true of any row that was there": theta == 0,
        f"epsilon = {show(epsilon)} leaves next to no doubt about anybody": is_large,
    }
    weak = [words for words, is_so in faults.items() if is_so]
    if weak:
        checks.append(Check(name="strength", passed=None, detail=f"{'; '.join(weak)}."))
    step = next((each for each in claims.events if each.name == "restrict_to_part"), None)
    if step is not None:
        part, partition = (plain(str(step.parameters.get(n))) for n in ("part", "partition"))
        detail = (
            f"Made from the part {part} of {partition}, by names that its publisher chose: what is "
            "in it is not checkable from the files."
        )
        checks.append(Check(name="part of the source", passed=None, detail=detail))
    return tuple(checks)


def check_weakness(evidence: Evidence) -> tuple[Check, ...]:
    """Return what a reader of a differentially private release should know.

    Parameters
    ----------
    evidence : Evidence
        Claims, released rows and perhaps the original.

    Returns
    -------
    tuple of Check
        Without a verdict, each for the reader to judge: a delta of at least one over the number of
        rows, which publishing a few rows as they are would satisfy; and counts beside the release.

    Notes
    -----
    The number of rows of the original is not published. It is at least that of the release, so
    a delta that is too large for the released rows is too large.
    """
    claims, matched = evidence.claims, evidence.matched
    if "differential privacy" not in claims.model:
        return ()
    checks = []
    n_rows = evidence.rows.height if matched is None else matched.original.height
    delta = claims.parameters.get("delta", Fraction(0))
    if isinstance(delta, Fraction) and delta * n_rows >= 1:
        detail = (
            f"delta = {show(delta)} is at least one over {n_rows:,} rows: publishing some rows "
            "unchanged would satisfy it."
        )
        checks.append(Check(name="size of delta", passed=None, detail=detail))
    # How many cells were imputed is computed from the release, and covered as it is.
    counted = [event.name for event in claims.events if event.counts and event.name != IMPUTE]
    if counted:
        detail = (
            f"{', '.join(counted)}: states counts. Whether the claim covers them is not checkable."
        )
        checks.append(Check(name="counts", passed=None, detail=detail))
    return tuple(checks)


# Null cells filled after a release was made: what that leaves of its claim.
#
# Differential privacy holds for whatever is computed from a release alone, at no cost. A claim
# about equal rows does not: filling makes equal rows differ, and is recomputed as any other.

IMPUTE = "impute"

ALONE = "the release alone"

IMPUTED = "imputed cells"

LOST = (
    " Cells were imputed after the rows had been made alike, and draws make them differ: the "
    "claim was for the release before that step. Publish that one."
)


def is_imputed(claims: Claims) -> bool:
    """Say whether cells of a release were filled after it was made, by its events."""
    return any(event.name == IMPUTE for event in claims.events)


def check_source(step: Step) -> Check | None:
    """Return what is wrong with a step ``impute`` that ought to cost nothing.

    Parameters
    ----------
    step : Step
        One event ``impute``.

    Returns
    -------
    Check or None
        None if it states that its values come from the release alone. Failed if it does not,
        without a verdict if it states more than is known here.
    """
    if step.parameters.get("source") != ALONE:
        detail = f"impute does not state that its values come from {ALONE}. Others are not free."
        return Check(name="steps", passed=False, detail=detail)
    more = sorted(set(step.parameters) - {"source", "max_context"})
    if more:
        detail = f"This verifier does not know what '{more[0]}' of impute does to the claim."
        return Check(name="steps", passed=None, detail=detail)
    return None


def check_imputed(evidence: Evidence, suppress: Step) -> Check:
    """Return whether filled rows can come from classes of at least k equal rows.

    A value is filled in only where its column showed it, which was in a whole class. So every
    value is in at least k rows; and a row that fewer than k rows equal now has a filled cell.

    Parameters
    ----------
    evidence : Evidence
        The last events are ``impute``.
    suppress : Step
        The event ``k_suppress`` before them.

    Returns
    -------
    Check
        Necessary, not sufficient: which cells were filled is not in the files.
    """
    k, rows = suppress.parameters.get("k"), evidence.rows
    stated = [e.counts.get("n_cells_imputed") for e in evidence.claims.events if e.name == IMPUTE]
    n_visible = rows.height * rows.width - sum(rows.null_count().row(0))
    n_filled = sum(n for n in stated if n is not None)
    if type(k) is not int or k < 1:
        return Check(name=IMPUTED, passed=False, detail="k_suppress does not state its k.")
    if None in stated or n_filled > n_visible:
        detail = "impute does not state how many cells it filled, or more than there are."
        return Check(name=IMPUTED, passed=False, detail=detail)
    rare = [name for name in rows.columns if _least(rows[name], k) < k]
    if rare:
        detail = (
            f"Column '{rare[0]}' has a value in fewer than {k} rows: no class of {k} showed it, "
            "so that nothing could be filled in from there."
        )
        return Check(name=IMPUTED, passed=False, detail=detail)
    n_small = int((class_sizes(rows, rows.columns) < k).sum()) if rows.height else 0
    if n_small > n_filled:
        detail = (
            f"{n_small:,} rows are in classes of fewer than {k}, and {n_filled:,} cells are said "
            "to be filled: some of these rows were never in a class that may be released."
        )
        return Check(name=IMPUTED, passed=False, detail=detail)
    detail = (
        f"{n_filled:,} cells were filled from the release, by its steps, which costs nothing. "
        f"Every value is in at least {k} rows, as values of whole classes are."
    )
    return Check(name=IMPUTED, passed=True, detail=detail)


def _least(column: pl.Series, k: int) -> int:
    """Return in how many rows the rarest value of a column is; k if it has no value."""
    counts = column.drop_nulls().unique_counts().to_numpy()
    return int(counts.min()) if len(counts) else k


def not_checkable_after_imputing(evidence: Evidence) -> tuple[Check, ...]:
    """Return what filled rows no longer show of a release by sampling.

    Parameters
    ----------
    evidence : Evidence
        Claims and released rows.

    Returns
    -------
    tuple of Check
        The classes, without a verdict, if the release is imputed and differentially private.
    """
    claims = evidence.claims
    if not is_imputed(claims) or "differential privacy" not in claims.model:
        return ()
    detail = (
        "Not recomputed: which cells were filled is not in the files, so that filled rows do not "
        "show whether they were in classes of k, nor sorted. Both rest on the stated steps; the "
        "release before imputing shows them. Delta and total are recomputed from the parameters."
    )
    return (Check(name="classes", passed=None, detail=detail),)
