"""One call that recomputes what a release folder claims."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.verify.certificate import (
    CERTIFICATE_FILE,
    check_contents,
    check_files,
    check_scope,
    read_claims,
)
from discreet.verify.classes import (
    check_k_anonymity,
    check_k_anonymity_and_rules,
    check_left_out,
    check_support_floor,
    check_weakness,
    left_open_by_imputing,
)
from discreet.verify.evidence import HIERARCHIES_FILE, Evidence, match
from discreet.verify.generalized import check_households, check_nodes, check_weights
from discreet.verify.original import check_identifying, check_original, check_row_order
from discreet.verify.outcome import Check, Verification
from discreet.verify.patterns import WITNESSED, check_patterns
from discreet.verify.randomized import LOCAL, check_randomized
from discreet.verify.sampling import check_sampling
from discreet.verify.synthetic import check_synthetic, is_synthetic

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import polars as pl

    from discreet.limits import Progress
    from discreet.verify.certificate import Claims


def verify_release(
    folder: str | os.PathLike[str],
    *,
    original: object | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Return whether a release folder is what its certificate claims, recomputed from the files.

    Parameters
    ----------
    folder : path
        A release: ``certificate.json``, the data, and perhaps report and policy.
    original : Table, frame or Transactions, optional
        What the release was made from, if you have it: claims about the original can then be
        recomputed, and nothing invented can hide. Numbers must be binned as they were.
    progress : Progress, optional
        Told the share of the comparison with the original that is done.

    Returns
    -------
    Verification
        ``passed`` if no check failed and the claim itself was recomputed and holds. An
        experimental release never passes.

    Raises
    ------
    DataError
        If there is no release in the folder.

    Notes
    -----
    **Guarantee.** None of its own. It says that the claim follows from the files. It cannot say
    who made them: the checksum shows damage and careless edits, it is not a signature. It
    cannot see randomness: that noise and samples were drawn as stated rests on who ran the
    mechanism. No code is shared with the mechanisms or with what writes certificates.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from discreet.release.guarantee import Guarantee
    >>> from discreet.release.release import Release
    >>> claim = Guarantee(
    ...     model="k-anonymity", parameters={"k": 2}, unit="one row", columns=("sex",),
    ...     not_protected=("What a class has in common can be learnt.",),
    ... )
    >>> release = Release(data=Table.from_frame({"sex": ["f", "f"]}), guarantee=claim)
    >>> found = verify_release(release.save(pathlib.Path(tempfile.mkdtemp()) / "out"))
    >>> found.passed, found.sentence
    (True, 'Verified: k-anonymity with k = 2 holds for the 2 released rows.')
    """
    path = Path(folder)
    certificate = _content(path)
    try:
        claims = read_claims(certificate)
    except DataError as error:
        unread = Check(name="certificate", passed=False, detail=str(error))
        sentence = f"Not verified: {str(error).rstrip('.')}."
        return Verification(passed=False, sentence=sentence, checks=(unread,))
    files, found = check_files(path, claims)
    contents, rows = check_contents(found.get(claims.data_file), claims)
    checks = [_check_certificate(), _check_checksum(claims), files, contents, *check_scope(claims)]
    claim: tuple[Check, ...]
    if rows is None:
        claim = (Check(name="claim", passed=None, detail="There are no rows to recompute it on."),)
        return _verification(claims, [*checks, *claim], claim, "released rows")
    if is_synthetic(claims):
        return _of_drawn_rows(claims, checks, rows, original)
    if claims.model == LOCAL:
        claim, more = check_randomized(claims, rows, found.get("operator.json"), original)
        shown = f"{rows.height:,} released transactions"
        return _verification(claims, [*checks, *claim, *more], claim, shown)
    if "patterns" in claims.model:
        return _of_patterns(claims, checks, Evidence(claims=claims, rows=rows), original)
    table = original if isinstance(original, Table) or original is None else _table(original)
    nodes, hierarchies = check_nodes(found.get(HIERARCHIES_FILE), claims, rows)
    checks += nodes
    evidence = Evidence(
        claims=claims,
        rows=rows,
        hierarchies=hierarchies,
        original=table,
        matched=None if table is None else match(table, rows),
        progress=progress,
    )
    claim = check_claim(evidence)
    checks += check_identifying(claims, rows, evidence.matched)
    checks += (*claim, *left_open_by_imputing(evidence))
    # What was done to a sampled release afterwards may well change its order.
    is_sampled = bool(claims.events) and claims.events[-1].name == "k_suppress"
    checks.append(check_row_order(rows, is_claimed=is_sampled))
    checks += check_weakness(evidence)
    checks += check_left_out(evidence)
    checks += check_weights(claims, rows)
    checks += () if table is None else check_original(evidence)
    checks += check_households(evidence)
    return _verification(claims, checks, claim, f"{rows.height:,} released rows")


def _of_patterns(
    claims: Claims, checks: list[Check], evidence: Evidence, original: object | None
) -> Verification:
    """Return the verification of a collection, whose rows are itemsets, not people."""
    claim = check_claim(evidence)
    if original is not None:
        detail = "Supports may be changed on purpose, so a collection is not held against it."
        checks = [*checks, Check(name="original", passed=None, detail=detail)]
    shown = f"{evidence.rows.height:,} released itemsets"
    return _verification(claims, [*checks, *claim], claim, shown)


def _of_drawn_rows(
    claims: Claims, checks: list[Check], rows: pl.DataFrame, original: object | None
) -> Verification:
    """Return the verification of rows that were drawn from a model, and are nobody's."""
    table = original if isinstance(original, Table) or original is None else _table(original)
    n_original = None if table is None else table.n_rows
    claim, more = check_synthetic(claims, rows, n_original=n_original)
    if table is not None:
        detail = "Rows were drawn, so none of them is held against a row of the original."
        more = (*more, Check(name="original", passed=None, detail=detail))
    return _verification(claims, [*checks, *claim, *more], claim, f"{rows.height:,} drawn rows")


def _content(folder: Path) -> bytes:
    """Return the certificate of a folder, or raise DataError if there is no release."""
    if not folder.is_dir():
        raise DataError(f"There is no folder {folder}.")
    try:
        return (folder / CERTIFICATE_FILE).read_bytes()
    except FileNotFoundError:
        raise DataError(f"There is no release in {folder}: it has no {CERTIFICATE_FILE}.") from None
    except OSError as error:
        raise DataError(f"{folder / CERTIFICATE_FILE} cannot be read: {error.strerror}.") from error


def _table(frame: object) -> Table:
    """Return the table of a frame, numbers as they are."""
    return Table.from_frame(frame, categorical=True)


def _check_certificate() -> Check:
    return Check(name="certificate", passed=True, detail="Whole, and of a version known here.")


def _check_checksum(claims: Claims) -> Check:
    """Return whether the certificate has the checksum it was written with."""
    if claims.checksum_fits:
        detail = "Unchanged since it was written, by its checksum, which is not a signature."
    elif claims.checksum_fits is None:
        detail = f"{CERTIFICATE_FILE} has no checksum."
    else:
        detail = f"{CERTIFICATE_FILE} was changed after it was written: its checksum differs."
    return Check(name="checksum", passed=bool(claims.checksum_fits), detail=detail)


def _verification(
    claims: Claims, checks: list[Check], claim: tuple[Check, ...], shown: str
) -> Verification:
    """Return the verification that some checks come to."""
    holds = all(check.passed for check in claim)
    held = f"{claims.summary} holds for the {shown}"
    failed = [check.name for check in checks if check.passed is False]
    n_open = sum(check.passed is None for check in checks)
    if failed:
        sentence = f"Not verified: {claims.summary} is not shown, because of {', '.join(failed)}"
    elif not holds:
        names = ", ".join(check.name for check in claim if not check.passed)
        sentence = f"Not verified: {claims.summary} could not be recomputed ({names})"
    elif n_open:
        points = "1 point is" if n_open == 1 else f"{n_open} points are"
        sentence = f"Verified: {held}; {points} left open"
    else:
        sentence = f"Verified: {held}"
    if claims.experimental:
        reason = claims.experimental_reason or "the certificate does not say why"
        detail = f"Experimental, not for publication: {reason.rstrip('.')}."
        checks = [*checks, Check(name="publication", passed=False, detail=detail)]
        sentence = f"Experimental, not for publication: {sentence[0].lower()}{sentence[1:]}"
    return Verification(
        passed=holds and not failed and not claims.experimental,
        sentence=f"{sentence}.",
        checks=tuple(checks),
        not_protected=claims.not_protected,
        experimental=claims.experimental,
    )


# Which checker is for which claim. A new model is one line here and one file beside it.


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
