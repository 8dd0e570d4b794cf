"""Whether a release by suppression or generalization shows the original and nothing else."""

from __future__ import annotations

from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.verify.carried import carried_columns
from discreet.verify.classes import IMPUTE, check_source, is_imputed
from discreet.verify.evidence import INVENTED, supports
from discreet.verify.generalized import AFTER, check_generalized, weights_column
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims, Step
    from discreet.verify.evidence import Evidence, Matched


_VALUES, _ROWS = "values of original", "rows of original"

# Steps that take away cells and rows and do nothing else.
SUPPRESSION = frozenset(
    (
        "restrict_to_part",
        "choose_one_per_person",
        "mii_suppress",
        "enforce_classes",
        "obey_rules",
        "split_rows",
        "learn_scheme",
        "suppress_by_scheme",
        "carry_column",
        "bernoulli_sample",
        "k_suppress",
    )
)


def check_original(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether released values and rows could have come from the original.

    Parameters
    ----------
    evidence : Evidence
        With the original.

    Returns
    -------
    tuple of Check
        Values: every visible value of a column occurs in that column of the original. Rows:
        there are no more than in the original, and no combination is released more often than
        rows of the original contain it. Imputed cells have values of their column, in
        combinations that no row need have: of imputed rows only the number is compared.

    Notes
    -----
    Necessary, not sufficient: the rows could still be dealt out so that two released rows rest
    on the same original row. Columns whose values are numbers on one side and text on the
    other, as after binning, are named as not compared.
    """
    claims, matched = evidence.claims, evidence.matched
    assert matched is not None
    names = [event.name for event in claims.events]
    if claims.step("generalize") is not None and AFTER.issuperset(
        names[names.index("generalize") + 1 :]
    ):
        return check_generalized(evidence)
    strange = [event.name for event in claims.events if not _is_known(event)]
    if strange or not claims.events:
        what = f"the step '{strange[0]}' may do more" if strange else "no steps are stated"
        detail = f"Not compared: a release by suppression shows what was there, but {what}."
        return (Check(name=_VALUES, passed=None, detail=detail),)
    if matched.absent:
        detail = f"Column '{matched.absent[0]}' is released, and the original does not have it."
        return (Check(name=_VALUES, passed=False, detail=detail),)
    carried = carried_columns(claims)
    unknown = [name for name in matched.invented if name not in carried]
    apart = [name for name in unknown if name in matched.other_type]
    invented = [name for name in unknown if name not in matched.other_type]
    if invented:
        detail = (
            f"Column '{invented[0]}' shows {_first_invented(evidence, invented[0])}, which it does "
            "not have in the original."
        )
        values = Check(name=_VALUES, passed=False, detail=detail)
    elif apart:
        detail = (
            f"Column '{apart[0]}' cannot be compared: numbers on one side, text on the other. "
            "Was it binned? Read the original with the same bins."
        )
        values = Check(name=_VALUES, passed=None, detail=detail)
    else:
        detail = "Every visible value is one that its column has in the original."
        values = Check(name=_VALUES, passed=True, detail=detail)
    compared = [n for n in matched.released.columns if n not in apart and n not in carried]
    return (values, _check_rows(evidence, compared))


def _first_invented(evidence: Evidence, column: str) -> str:
    """Return a released value that the original lacks, and its row."""
    assert evidence.matched is not None
    row = int((evidence.matched.released[column] == INVENTED).arg_max() or 0)
    return f"{str(evidence.rows[column][row])!r} (row {row + 1} of the data)"


def _is_known(event: Step) -> bool:
    """Say whether a step shows no value that its column does not have."""
    is_from_release = event.name == IMPUTE and check_source(event) is None
    return is_from_release or event.name in SUPPRESSION


def _check_rows(evidence: Evidence, columns: list[str]) -> Check:
    """Return whether every released row is contained in rows of the original, often enough."""
    matched = evidence.matched
    assert matched is not None
    before, after = matched.original.height, matched.released.height
    if after > before:
        detail = f"{after:,} rows are released, and the original has {before:,}."
        return Check(name=_ROWS, passed=False, detail=detail)
    if is_imputed(evidence.claims):
        detail = f"{after:,} of {before:,} rows; imputed rows need not be contained in any."
        return Check(name=_ROWS, passed=None, detail=detail)
    if not columns:
        detail = "No column can be compared with the original."
        return Check(name=_ROWS, passed=None, detail=detail)
    found = supports(matched, columns, progress=evidence.progress)
    low = found.filter(pl.col("support") < pl.col("n_released"))
    if not low.is_empty():
        detail = (
            f"{low['n_released'].sum():,} released rows show combinations of values that fewer "
            "rows of the original have."
        )
        return Check(name=_ROWS, passed=False, detail=detail)
    some = "" if len(columns) == len(matched.released.columns) else f", in {', '.join(columns)}"
    detail = f"{after:,} of {before:,} rows; each is contained in rows of the original{some}."
    return Check(name=_ROWS, passed=True, detail=detail)


# Whether anything that names people was released: by its role, and by how it looks.

_UNIQUE_RATE = 0.9

_LEAST_VISIBLE = 20


def check_identifying(
    claims: Claims, rows: pl.DataFrame, matched: Matched | None
) -> tuple[Check, ...]:
    """Return whether a released column is identifying, and which ones look as if they were.

    Parameters
    ----------
    claims : Claims
        Roles as certified.
    rows : DataFrame
        The released rows.
    matched : Matched, optional
        The original, whose roles count too.

    Returns
    -------
    tuple of Check
        The roles; and, for the reader to judge, columns in which at least nine of ten
        visible cells have a value of their own, and all columns outside the claim.
    """
    checks = [_check_roles(claims, matched)]
    unique = [name for name in rows.columns if _looks_identifying(rows[name])]
    if unique:
        detail = (
            f"In {', '.join(unique)} almost every visible cell has a value of its own, as names "
            "and numbers of people have. Judge whether it identifies them."
        )
        checks.append(Check(name="identifying values", passed=None, detail=detail))
    rules = claims.step("obey_rules")
    ruled = () if rules is None else rules.parameters.get("sensitive")
    inside = {*claims.covered, weights_column(claims), *(ruled if isinstance(ruled, tuple) else ())}
    carried = carried_columns(claims)
    outside = [
        f"{column.name} ({column.role})"
        for column in claims.columns
        if claims.covered and column.name not in inside and column.name not in carried
    ]
    shown = [f"{name} ({step.shown})" for name, step in carried.items()]
    if outside or shown:
        detail = f"Outside the claim, and released as they are: {', '.join(outside)}."
        beside = f"Outside the claim, carried along: {', '.join(shown)}."
        detail = " ".join([detail] * bool(outside) + [beside] * bool(shown))
        checks.append(Check(name="columns outside", passed=None, detail=detail))
    return tuple(checks)


def _check_roles(claims: Claims, matched: Matched | None) -> Check:
    """Return whether no released column has the role identifying, here or in the original."""
    certified = [column.name for column in claims.columns if column.role == "identifying"]
    before = () if matched is None else matched.identifying
    for names, where in ((certified, "its certificate"), (before, "the original")):
        if names:
            detail = f"Column '{names[0]}' is released, and is identifying by {where}."
            return Check(name="roles", passed=False, detail=detail)
    detail = (
        "No released column is declared identifying. Columns without that role are not checked."
    )
    return Check(name="roles", passed=True, detail=detail)


def _looks_identifying(column: pl.Series) -> bool:
    visible = column.drop_nulls()
    return len(visible) >= _LEAST_VISIBLE and visible.n_unique() >= _UNIQUE_RATE * len(visible)


# Whether the order of released rows follows from the rows themselves.


def rows_are_sorted(rows: pl.DataFrame) -> bool:
    """Say whether rows are sorted by their values, column by column from the left.

    Any order of the values of a column will do (that of their categories, suppressed cells
    first or last), as long as it is the same all the way down.

    Parameters
    ----------
    rows : DataFrame
        The released rows.

    Returns
    -------
    bool
        False if the order of the rows could say something that the rows do not.

    Notes
    -----
    Where all columns to the left stay the same, the step from one row to the next says which
    of two values of a column comes first. The rows are sorted if these statements have no
    circle.

    Examples
    --------
    >>> import polars as pl
    >>> rows_are_sorted(pl.DataFrame({"a": ["m", "m", "f"], "b": [1, None, 1]}))
    True
    >>> rows_are_sorted(pl.DataFrame({"a": ["m", "f", "m"]}))
    False
    """
    n_steps = max(rows.height - 1, 0)
    left_stays = np.ones(n_steps, dtype=np.bool_)
    for name in rows.columns:
        codes = rows[name].rank("dense").fill_null(0).to_numpy()
        changes = left_stays & (codes[:-1] != codes[1:])
        before: defaultdict[int, set[int]] = defaultdict(set)
        for first, second in zip(
            codes[:-1][changes].tolist(), codes[1:][changes].tolist(), strict=True
        ):
            before[second].add(first)
        try:
            TopologicalSorter(before).prepare()
        except CycleError:
            return False
        left_stays &= ~changes
    return True


def check_row_order(rows: pl.DataFrame, *, is_claimed: bool) -> Check:
    """Return whether rows are sorted; if that is not claimed, other orders have no verdict.

    Parameters
    ----------
    rows : DataFrame
        The released rows.
    is_claimed : bool
        Whether the claim is about the multiset of rows, as differential privacy by sampling is:
        rows in their old order would break it.

    Returns
    -------
    Check
        Passed if the rows are sorted.
    """
    if rows_are_sorted(rows):
        detail = "Rows are sorted by their values, so that their order discloses nothing more."
        return Check(name="row order", passed=True, detail=detail)
    detail = "Rows are not sorted by their values: their order may disclose where they were before."
    return Check(name="row order", passed=False if is_claimed else None, detail=detail)


# An imputed release beside the release that its cells were imputed from.

BASE = "base release"

UNSEEN = "that imputed cells were computed from the base release alone, which was not given"


def check_base(
    claims: Claims, rows: pl.DataFrame, base: tuple[Claims, pl.DataFrame, Check] | None
) -> tuple[Check, ...]:
    """Return whether an imputed release is its base release with empty cells filled.

    Parameters
    ----------
    claims : Claims
        Of the release.
    rows : DataFrame
        Its rows, in the order of those of the base release.
    base : tuple, optional
        Claims, rows and answer of the base release.

    Returns
    -------
    tuple of Check
        None if nothing was imputed and no base release is given. Without a base release, what is
        not seen. Failed if the claims differ, a cell that was not suppressed differs, or a value
        was filled in that its column does not show there.
    """
    if base is None:
        if not is_imputed(claims):
            return ()
        detail = "Give the base release (--base): without it, rows as they were pass for imputed."
        return (Check(name=BASE, passed=None, detail=detail, unseen=UNSEEN),)
    claimed, before, answer = base
    fault = answer.detail if answer.passed is False else _fault(claims, rows, claimed, before)
    if fault:
        return (Check(name=BASE, passed=False, detail=fault),)
    detail = "Every cell that the base release shows is as it was; others have values of it."
    return (Check(name=BASE, passed=True, detail=detail),)


def _fault(claims: Claims, rows: pl.DataFrame, claimed: Claims, before: pl.DataFrame) -> str | None:
    """Return where a release is not its base release with empty cells filled."""
    fault = _fault_of_claims(claims, claimed)
    if fault is not None:
        return fault
    if rows.columns != before.columns or rows.height != before.height:
        return "The base release has other rows or columns."
    for name in rows.columns:
        fault = _fault_of_column(before[name], rows[name])
        if fault is not None:
            return f"Column '{name}' {fault}."
    n_filled = sum(before.null_count().row(0)) - sum(rows.null_count().row(0))
    after = claims.events[len(claimed.events) :]
    stated = sum(event.counts.get("n_cells_imputed", 0) for event in after)
    if stated != n_filled:
        return f"{n_filled:,} cells were imputed, and {stated:,} are stated."
    return None


def _fault_of_claims(claims: Claims, claimed: Claims) -> str | None:
    """Return where the claim is not that of the base release, imputed since."""
    n_steps = len(claimed.events)
    after = [event.name for event in claims.events[n_steps:]]
    if claims.events[:n_steps] != claimed.events or not after or {*after} != {IMPUTE}:
        return "The steps are not those of the base release, with imputing after them."
    for what in ("model", "parameters", "unit", "neighbours", "covered"):
        if getattr(claims, what) != getattr(claimed, what):
            return f"The base release states another claim: its {what} differ."
    return None


def _fault_of_column(was: pl.Series, now: pl.Series) -> str | None:
    """Return where a column is not what it was with empty cells filled."""
    if was.null_count() == len(was):
        return None if now.null_count() == len(now) else "had no value to impute from"
    if was.dtype != now.dtype:
        return "is of another type in the base release"
    changed = was.is_not_null() & was.ne_missing(now)
    if changed.any():
        return f"differs from the base release in row {(changed.arg_max() or 0) + 1} of the data"
    filled = now.filter(was.is_null() & now.is_not_null())
    if not filled.is_in(was.drop_nulls().unique().to_list()).all():
        return "has an imputed value that the base release does not show"
    return None
