"""Whether a release by suppression or generalization shows the original and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from discreet.verify.generalized import AFTER, check_generalized
from discreet.verify.imputed import IMPUTE, check_source, is_imputed
from discreet.verify.matching import INVENTED, supports
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Step
    from discreet.verify.evidence import Evidence

_VALUES, _ROWS = "values of original", "rows of original"
# Steps that take away cells and rows and do nothing else.
SUPPRESSION = frozenset(
    (
        "restrict_to_part",
        "mii_suppress",
        "enforce_classes",
        "split_rows",
        "learn_scheme",
        "suppress_by_scheme",
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
    other, as after binning, are said to be left out.
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
    apart = [name for name in matched.invented if name in matched.other_type]
    invented = [name for name in matched.invented if name not in matched.other_type]
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
    compared = [name for name in matched.released.columns if name not in apart]
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
