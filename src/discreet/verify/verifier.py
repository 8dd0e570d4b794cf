"""One call that recomputes what a release folder claims."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.verify.certificate import (
    CERTIFICATE_FILE,
    DRAW,
    PATTERNS,
    ROWS,
    SYNTHETIC,
    TRANSACTIONS,
    check_files,
    chose_one,
    read_claims,
)
from discreet.verify.classes import (
    check_columns_without_rules,
    check_figures,
    check_k_anonymity,
    check_k_anonymity_and_rules,
    check_support_floor,
    check_weakness,
    not_checkable_after_imputing,
)
from discreet.verify.evidence import Evidence, match
from discreet.verify.files.bounded import (
    MAX_BYTES,
    MAX_CELLS,
    MAX_COLUMNS,
    ReadLimits,
    UnreadableError,
    plain,
)
from discreet.verify.files.contents import check_contents
from discreet.verify.files.folder import open_files
from discreet.verify.generalized import (
    check_households,
    check_nodes,
    check_numbers,
    use_whole,
)
from discreet.verify.hierarchies import HIERARCHIES_FILE
from discreet.verify.original import (
    BASE,
    check_base,
    check_identifying,
    check_original,
    check_row_order,
)
from discreet.verify.outcome import (
    CONSISTENT,
    PUBLICATION,
    REFUTED,
    Check,
    Findings,
    Interrupted,
    Verification,
    answer_of,
    guarded,
)
from discreet.verify.patterns import WITNESSED, check_patterns
from discreet.verify.people import HOUSEHOLD, SEVERAL_ROWS, check_people, known_original
from discreet.verify.randomized import IF_ITEMS_PUBLIC, OPERATOR_FILE, check_randomized
from discreet.verify.sampling import check_sampling
from discreet.verify.strict import OLD_VERSION, check_format
from discreet.verify.synthetic import IF_PUBLIC, check_synthetic

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    import polars as pl

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.limits import Progress
    from discreet.verify.certificate import Claims
    from discreet.verify.files.folder import Files

ClaimCheck: TypeAlias = "Callable[[Evidence], tuple[Check, ...]]"


def verify_release(
    folder: str | os.PathLike[str],
    *,
    original: object | None = None,
    base: str | os.PathLike[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    person: str | None = None,
    progress: Progress | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
    max_columns: int = MAX_COLUMNS,
) -> Verification:
    """Return whether a release folder is what its certificate claims, recomputed from the files.

    Parameters
    ----------
    folder : path
        A release: ``certificate.json``, the data, and perhaps report and policy. A zip of one
        is read in memory, and nothing is extracted.
    original : Table, frame or Transactions, optional
        What the release was made from, if you have it: claims about the original can then be
        recomputed, and invented values are found. Numbers must be binned as they were.
    base : path, optional
        The release that the cells of an imputed release were imputed from: without it nobody can
        see that they were.
    hierarchies : mapping of str to Hierarchy, optional
        The whole hierarchies of columns, if you have them: a release states only the groups that it
        shows, so that without them it is not checked which values lie under a group.
    person : str, optional
        The column of the original that says whose each row is: where the claim is about people
        who may have several rows, they are counted again.
    progress : Progress, optional
        Called with the share of the comparison with the original that is done.
    max_bytes : int
        Most bytes of all files together, stored and unpacked; 2 GiB by default. A JSON file may
        have a 32nd of it.
    max_cells : int
        Most cells of the data, rows times columns; 200 million by default.
    max_columns : int
        Most columns of the data; 10,000 by default.

    Returns
    -------
    Verification
        The ``answer`` is ``"verified"`` if the claim was recomputed from the files and holds,
        ``"consistent"`` if nothing speaks against a claim that rests on what cannot be seen,
        such as noise, and else ``"refuted"``. An experimental release is none to publish,
        whatever the answer.

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
    >>> from discreet.suppress import k_mii
    >>> release = k_mii(Table.from_frame({"sex": ["f", "f"]}), k=2)
    >>> found = verify_release(release.save(pathlib.Path(tempfile.mkdtemp()) / "out"))
    >>> found.answer, found.sentence
    ('verified', 'Verified: k-anonymity with k = 2 holds for the 2 released rows.')
    """
    limits = ReadLimits.of(max_bytes=max_bytes, max_cells=max_cells, max_columns=max_columns)
    try:
        heard = None if progress is None else _heard(progress)
        before = None if base is None else _base(base, limits)
        known = original if person is None else known_original(original, person)
        read = _release(folder, limits)
        return _verify(read, known, before, heard, trees=hierarchies or {})[0]
    except Interrupted as stop:
        raise stop.reason from None


Looked: TypeAlias = "tuple[Verification, Claims | None, pl.DataFrame | None]"


def _release(folder: str | os.PathLike[str], limits: ReadLimits) -> Files:
    """Return the files of a release, or raise DataError if there is none."""
    files = open_files(folder, limits)
    if CERTIFICATE_FILE not in files:
        raise DataError(
            f"There is no release in {plain(str(folder))}: it has no {CERTIFICATE_FILE}."
        )
    return files


def _base(folder: str | os.PathLike[str], limits: ReadLimits) -> tuple[Claims, pl.DataFrame, Check]:
    """Return claims and rows of a base release, and whether it is one to rest on."""
    found, claims, rows = _verify(_release(folder, limits), None, None, None, trees={})
    if claims is None or rows is None:
        raise DataError(
            f"The base release in {plain(str(folder))} cannot be read: {found.sentence}"
        )
    detail = f"The base release itself: {found.sentence}"
    return claims, rows, Check(name=BASE, passed=found.answer != REFUTED, detail=detail)


def _verify(
    files: Files,
    original: object,
    base: tuple[Claims, pl.DataFrame, Check] | None,
    progress: Progress | None,
    *,
    trees: Mapping[str, Hierarchy],
) -> Looked:
    """Return what is found of a folder, whatever is in it."""
    try:
        claims = read_claims(files.read(CERTIFICATE_FILE))
    except (DataError, UnreadableError, ArithmeticError, ValueError) as error:
        said = f"{CERTIFICATE_FILE} has a number that cannot be worked with."
        if isinstance(error, UnreadableError):
            said = f"{CERTIFICATE_FILE} {error}."
        elif isinstance(error, DataError):
            said = str(error)
        unread = Check(name="certificate", passed=False, detail=said)
        sentence = f"Refuted: {unread.detail.rstrip('.')}."
        return Verification(answer=REFUTED, sentence=sentence, checks=(unread,)), None, None
    as_certified, found = check_files(files, claims)
    rows: pl.DataFrame | None = None

    def contents() -> tuple[Check, ...]:
        nonlocal rows
        looked, rows = check_contents(found.get(claims.data_file), claims, files.limits)
        return looked

    checks = [_check_certificate(), _check_checksum(claims), *as_certified]
    checks += guarded("data", contents)
    checks += check_scope(claims)
    if rows is None:
        claim = Check(name="claim", passed=None, detail="There are no rows to recompute it on.")
        return _verification(claims, [*checks, claim], (claim,), 0), claims, None
    contradictions = check_published(claims)
    if contradictions:
        refuted = _verification(claims, [*checks, *contradictions], contradictions, rows.height)
        return refuted, claims, rows
    checks += guarded("format", lambda: check_format(claims, found))
    evidence = Evidence(
        claims=claims,
        rows=rows,
        files=found,
        given=original,
        progress=progress,
        trees=trees,
    )
    findings = checker_of(claims).check(evidence)
    checks += findings.checks
    checks += guarded(BASE, lambda: check_base(claims, rows, base))
    return _verification(claims, checks, findings.claim, rows.height), claims, rows


def _heard(progress: Progress) -> Progress:
    """Return a progress whose exceptions end the work, through every guard."""

    def heard(share: float) -> None:
        try:
            progress(share)
        except Exception as error:
            raise Interrupted(error) from error

    return heard


def _check_certificate() -> Check:
    return Check(name="certificate", passed=True, detail="Complete, and of a known version.")


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
    claims: Claims, checks: list[Check], claim: tuple[Check, ...], n_rows: int
) -> Verification:
    """Return the verification that some checks come to."""
    if claims.experimental:
        reason = claims.experimental_reason or "the certificate does not say why"
        detail = f"Experimental, not for publication: {reason.rstrip('.')}."
        checks = [*checks, Check(name=PUBLICATION, passed=False, detail=detail)]
    found = Verification(
        answer=answer_of(tuple(checks), claim),
        sentence="",
        checks=tuple(checks),
        not_protected=claims.not_protected,
        experimental=claims.experimental,
    )
    sentence = _sentence(claims, found, claim, n_rows)
    if claims.experimental:
        sentence = f"Experimental, not for publication: {sentence[0].lower()}{sentence[1:]}"
    return replace(found, sentence=f"{sentence}.")


def _sentence(claims: Claims, found: Verification, claim: tuple[Check, ...], n_rows: int) -> str:
    """Return the answer in words, without its full stop."""
    of = claims.summary
    if found.answer == REFUTED:
        failed = [check.name for check in found.failed if check.name != PUBLICATION]
        if failed:
            return f"Refuted: {of} is not shown; failed: {', '.join(failed)}"
        names = ", ".join(check.name for check in claim if not check.passed)
        return f"Refuted: {of} could not be recomputed ({names})"
    # Beside its itemsets, the file of a witnessed collection has the rows of the witness.
    witness = " and witness rows" if claims.model == WITNESSED else ""
    released = f"{n_rows:,} {SHOWN[claims.publishes]}{witness}{_people(claims)}"
    named = [check.name for check in found.not_checkable if not check.unseen]
    beside = [name for name in named if name != OLD_VERSION]
    unclear = f"; not checkable from the files: {', '.join(beside)}" if beside else ""
    if claims.version == 1:
        unasked = "its sentences, and what files say beside rows"
        unclear = f"; of version 1: {unasked}, are not checked{unclear}"
    if found.answer == CONSISTENT:
        unseen = "; ".join(found.unseen)
        return (
            f"Consistent: the {released} and the steps stated agree with {of}; what cannot be "
            f"seen here is {unseen}{unclear}"
        )
    return f"Verified: {of} holds for the {released}{unclear}"


def _people(claims: Claims) -> str:
    """Return what the released rows are, where the unit of privacy is a person."""
    is_of_people = claims.publishes == ROWS and claims.unit in PERSON_PER_ROW
    return ", each of another person, as it states" if is_of_people else ""


# How each kind of data is looked at: what is checked beside the claim itself.


def _with_table(evidence: Evidence) -> Evidence:
    """Return the evidence with the original as a table, numbers as they are."""
    given = evidence.given
    if given is None or isinstance(given, Table):
        return replace(evidence, original=given)
    return replace(evidence, original=Table.from_frame(given, categorical=True))


def _rows(check_claim: ClaimCheck) -> Callable[[Evidence], Findings]:
    """Return the checker of rows, each of which stands for one of the original."""

    def check(evidence: Evidence) -> Findings:
        claims, rows = evidence.claims, evidence.rows
        table = _with_table(evidence).original
        matched = None if table is None else match(table, rows)
        look = replace(evidence, original=table, matched=matched)

        def nodes() -> tuple[Check, ...]:
            nonlocal look
            found, hierarchies = check_nodes(look.files.get(HIERARCHIES_FILE), claims, rows)
            given, hierarchies = use_whole(look, hierarchies)
            look = replace(look, hierarchies=hierarchies)
            return (*found, *given)

        # What was done to a sampled release afterwards may well change its order.
        is_sampled = bool(claims.events) and claims.events[-1].name == "k_suppress"
        stated = guarded("hierarchies", nodes)
        claim = guarded("claim", lambda: check_claim(look))
        beside: dict[str, Callable[[], tuple[Check, ...]]] = {
            "classes": lambda: not_checkable_after_imputing(look),
            "row order": lambda: (check_row_order(rows, is_claimed=is_sampled),),
            "size of delta": lambda: check_weakness(look),
            "columns without rules": lambda: check_columns_without_rules(look),
            "numbers of classes": lambda: check_numbers(look),
            "original": lambda: () if table is None else check_original(look),
            "households": lambda: check_households(look),
            "people": lambda: check_people(look),
        }
        checks = [
            *stated,
            *guarded("roles", lambda: check_identifying(claims, rows, matched)),
            *claim,
        ]
        for name, each in beside.items():
            checks += guarded(name, each)
        return Findings(claim=claim, checks=tuple(checks))

    return check


def _synthetic(evidence: Evidence) -> Findings:
    """Check synthetic rows."""
    with_table = _with_table(evidence)
    return _guarded_findings(lambda: check_synthetic(with_table))


def _transactions(evidence: Evidence) -> Findings:
    """Check randomized transactions."""
    return _guarded_findings(lambda: check_randomized(evidence))


def _guarded_findings(check: Callable[[], Findings]) -> Findings:
    """Return what a checker found; if it breaks down, that the claim failed."""
    found: list[Findings] = []

    def claim() -> tuple[Check, ...]:
        found.append(check())
        return ()

    broken = guarded("claim", claim)
    return found[0] if found else Findings(claim=broken, checks=broken)


def _patterns(check_claim: ClaimCheck) -> Callable[[Evidence], Findings]:
    """Return the checker of a collection, whose rows are itemsets, not people."""

    def check(evidence: Evidence) -> Findings:
        claim = guarded("claim", lambda: check_claim(evidence))
        if evidence.given is None:
            return Findings(claim=claim, checks=claim)
        detail = "Supports may be changed on purpose, so a collection is not compared with it."
        beside = Check(name="original", passed=None, detail=detail)
        return Findings(claim=claim, checks=(beside, *claim))

    return check


def _unknown(evidence: Evidence) -> tuple[Check, ...]:
    """Return a check without a verdict, for a claim that no checker knows."""
    known = ", ".join(dict.fromkeys(each.model for each in CHECKERS if each.model))
    detail = (
        f"This verifier cannot check the claim '{evidence.claims.model}' made in this way. It "
        f"knows {known}."
    )
    return (Check(name="claim", passed=None, detail=detail),)


def _unknown_of_transactions(evidence: Evidence) -> Findings:
    claim = _unknown(evidence)
    return Findings(claim=claim, checks=claim)


# Which checker is for which claim on what. A new model is one line here and one file beside it.


@dataclass(frozen=True, slots=True)
class Checker:
    """Who checks a model of what is published.

    Attributes
    ----------
    publishes : str
        What is published: "rows", "synthetic rows", "patterns" or "transactions".
    model : str or None
        The model; None for all that no other checker knows.
    figures : tuple of str
        The parameters of the claim that are recomputed.
    check : callable
        Recomputes the claim, and looks at what is beside it.
    step : str or None
        Where one model has several mechanisms, a step that only one of them has.
    """

    publishes: str
    model: str | None
    figures: tuple[str, ...]
    check: Callable[[Evidence], Findings]
    step: str | None = None


_RULES = ("k", "l", "diversity", "c", "t", "distance")
_GROUPS = ("k", "min_support", "n_rows")
_PRIVACY = ("epsilon", "delta")
_APPROXIMATE = "(epsilon, delta)-differential privacy"
_LOCAL = "local differential privacy"

CHECKERS = (
    Checker(ROWS, "k-anonymity", ("k",), _rows(check_k_anonymity)),
    Checker(ROWS, "k-anonymity and l-diversity", _RULES, _rows(check_k_anonymity_and_rules)),
    Checker(ROWS, "k-anonymity and t-closeness", _RULES, _rows(check_k_anonymity_and_rules)),
    Checker(
        ROWS,
        "k-anonymity, l-diversity and t-closeness",
        _RULES,
        _rows(check_k_anonymity_and_rules),
    ),
    Checker(ROWS, "support floor", ("theta", "floor", "max_size"), _rows(check_support_floor)),
    Checker(ROWS, _APPROXIMATE, _PRIVACY, _rows(check_sampling), step="k_suppress"),
    Checker(ROWS, IF_PUBLIC + _APPROXIMATE, _PRIVACY, _rows(check_sampling), step="k_suppress"),
    Checker(ROWS, None, (), _rows(_unknown)),
    Checker(SYNTHETIC, "differential privacy", _PRIVACY, _synthetic),
    Checker(SYNTHETIC, _APPROXIMATE, _PRIVACY, _synthetic),
    Checker(SYNTHETIC, _LOCAL, ("epsilon",), _synthetic),
    Checker(SYNTHETIC, IF_PUBLIC + "differential privacy", _PRIVACY, _synthetic),
    Checker(SYNTHETIC, IF_PUBLIC + _APPROXIMATE, _PRIVACY, _synthetic),
    Checker(SYNTHETIC, IF_PUBLIC + _LOCAL, ("epsilon",), _synthetic),
    Checker(SYNTHETIC, None, (), _synthetic),
    Checker(PATTERNS, "k-anonymous patterns", _GROUPS, _patterns(check_patterns)),
    Checker(PATTERNS, WITNESSED, _GROUPS, _patterns(check_patterns)),
    Checker(PATTERNS, None, (), _patterns(_unknown)),
    Checker(TRANSACTIONS, _LOCAL, ("epsilon",), _transactions),
    Checker(TRANSACTIONS, IF_ITEMS_PUBLIC + _LOCAL, ("epsilon",), _transactions),
    Checker(TRANSACTIONS, None, (), _unknown_of_transactions),
)

# What the rows of each kind are called.
SHOWN = {
    ROWS: "released rows",
    SYNTHETIC: "synthetic rows",
    PATTERNS: "released itemsets",
    TRANSACTIONS: "released transactions",
}


def checker_of(claims: Claims) -> Checker:
    """Return the checker of a claim; one without a verdict if no checker knows the model."""
    steps = {event.name for event in claims.events}
    return next(
        each
        for each in CHECKERS
        if each.publishes == claims.publishes
        and each.model in (claims.model, None)
        and (each.step is None or each.step in steps)
    )


# Whether a claim says nothing beside what was recomputed: for whom it holds, and its figures.

# Units of which each released row is another one, by what the certificate assumes.
PERSON_PER_ROW = ("one person, who has one row",)

# Units of which patterns are counted over one set of items each, by the step that made it.
SEVERAL_EACH = {
    "one person, who may have several rows": ("choose_one_per_person",),
    "one person, who may have several transactions": ("choose_one_per_person", "unite_per_person"),
}

# Units of which the files do not show which rows belong together.
SEVERAL = ("one person, who may have several rows", "one person, who may have several transactions")

UNITS = (
    "one row",
    "one row, which is one person",  # of version 1
    *PERSON_PER_ROW,
    "one transaction, which is what one person sends",
    *SEVERAL,
    "one transaction, of several that one person may send",
)


def check_scope(claims: Claims) -> tuple[Check, ...]:
    """Return what is claimed and cannot follow from the checks of its model.

    Parameters
    ----------
    claims : Claims
        Unit, model and figures.

    Returns
    -------
    tuple of Check
        None if all is in order, or if the model is not known: then the claim has no verdict.
    """
    found = []
    steps = [event.name for event in claims.events]
    first = [[step] for step in SEVERAL_EACH.get(claims.unit, ())]
    one_each = claims.publishes == PATTERNS and steps[:1] in first
    of_classes = claims.publishes == ROWS and "differential privacy" not in claims.model
    recounted = of_classes and claims.unit in (SEVERAL_ROWS, HOUSEHOLD)
    needs_step = claims.publishes == PATTERNS and claims.unit in SEVERAL_EACH
    if (claims.unit not in UNITS or needs_step) and not one_each and not recounted:
        detail = f"The claim is not recomputed for '{claims.unit}', or a step for it is missing."
        found.append(Check(name="unit", passed=False, detail=detail))
    if claims.unit in SEVERAL and not recounted:
        detail = (
            "Whose a released row is, is not released: numbers of rows are all that the files show "
            "of numbers of people."
        )
        unseen = "that people were counted, and not rows"
        if chose_one(claims) and claims.publishes != PATTERNS:
            unseen = "that one row of each person was really chosen at random"
        elif claims.publishes == SYNTHETIC:
            unseen = "that no more rows of each person than stated were taken, chosen at random"
        found.append(Check(name="people", passed=None, detail=detail, unseen=unseen))
    rules = claims.step("obey_rules")
    if claims.unit == HOUSEHOLD and (rules is None or not rules.parameters.get("households")):
        detail = "The claim is for households, and no step names the column that identifies them."
        found.append(Check(name="unit", passed=False, detail=detail))
    known = next((each.figures for each in CHECKERS if each.model == claims.model), None)
    beside = [] if known is None else [name for name in claims.parameters if name not in known]
    if beside:
        detail = f"The claim states '{beside[0]}', which is no figure of {claims.model}."
        found.append(Check(name="figures", passed=False, detail=detail))
    return (*found, *check_figures(claims))


def check_published(claims: Claims) -> tuple[Check, ...]:
    """Return where a certificate contradicts what it says that it publishes.

    Parameters
    ----------
    claims : Claims
        Of version 1 there is nothing to contradict: it does not say what it publishes.

    Returns
    -------
    tuple of Check
        None if model, steps, columns and files are such as this kind has.
    """
    if claims.version == 1:
        return ()
    kind = claims.publishes
    kinds = dict.fromkeys(each.publishes for each in CHECKERS if each.model == claims.model)
    is_drawn = any(event.name == DRAW for event in claims.events)
    has_sets = any(column.type == "items" for column in claims.columns)
    has_operator = OPERATOR_FILE in claims.files
    faults = {
        f"the model '{claims.model}' is for {' and '.join(kinds)}": kinds and kind not in kinds,
        "a step says that rows were drawn": is_drawn and kind != SYNTHETIC,
        "no step says that rows were drawn": not is_drawn and kind == SYNTHETIC,
        "a column holds sets of items": has_sets and kind != TRANSACTIONS,
        "no column holds sets of items": not has_sets and kind == TRANSACTIONS,
        f"there is {OPERATOR_FILE}": has_operator and kind != TRANSACTIONS,
        f"there is no {OPERATOR_FILE}": not has_operator and kind == TRANSACTIONS,
        "the columns are not those of itemsets": kind == PATTERNS
        and claims.column_names[:2] != ("items", "support"),
    }
    found = [words for words, is_so in faults.items() if is_so]
    if not found:
        return ()
    detail = f"The certificate says that it publishes {kind}, but {found[0]}."
    return (Check(name="publishes", passed=False, detail=detail),)
