"""The report: one self-contained HTML page of a release, for people who sign and for experts."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.files.packed import atomic_path
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.randomize.release import randomized_of
from discreet.release.certificate import CERTIFICATE_FILE, read_certificate
from discreet.release.folder import EXTRAS, POLICY_FILE
from discreet.release.release import Release
from discreet.report.blocks import Fact, Grid
from discreet.report.charts import CHART, PAGE
from discreet.report.sections.changes import (
    classes_section,
    generalization_section,
    repairs_section,
    suppression_section,
)
from discreet.report.sections.events import (
    in_words,
    measured_section,
    parameters_section,
    released_columns,
)
from discreet.report.sections.patterns import collection_section, disclosure_section
from discreet.report.sections.randomized import protection_section, recovered_section
from discreet.report.sections.risk import (
    attacks_section,
    identifying_section,
    rare_section,
    risk_section,
)
from discreet.report.sections.utility import marginals_section, utility_section
from discreet.report.sections.words import (
    SIGNERS,
    FirstPage,
    banners,
    first_page,
    in_plain_words,
    outcome,
    single_checks,
)
from discreet.report.subject import aligned, make_subject
from discreet.report.text import counted, visible

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.transactions import Transactions
    from discreet.limits import Progress
    from discreet.report.blocks import Section, VerificationLike
    from discreet.report.subject import Subject


TABLE_SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    identifying_section,
    risk_section,
    classes_section,
    generalization_section,
    suppression_section,
    rare_section,
    marginals_section,
    utility_section,
)

SYNTHETIC_SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    measured_section,
    marginals_section,
    utility_section,
)


def html_report(
    release: Release[Any],
    *,
    original: object = None,
    controls: object = None,
    internal: bool = False,
    verification: VerificationLike | None = None,
    command: str | None = None,
    policy: str | None = None,
    hashes: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> str:
    """Return one self-contained HTML page about a release.

    Parameters
    ----------
    release : Release
        What is published.
    original : Table or frame, optional
        What it was made from, to compare with. A public page of a differentially private
        release takes nothing from it.
    controls : Table or frame, optional
        Records of the same population that were not used: an internal page of synthetic rows
        then compares attacks on members with attacks on these.
    internal : bool
        Whether the page may show the original, for the curator only. Such a page says
        so at its head and must not go with the release.
    verification : Verification, optional
        The outcome of ``verify_release``; any object with ``answer``, ``sentence`` and
        ``checks``. Details of the checks are shown on internal pages only.
    command, policy : str, optional
        How the release was made, to be shown as they are.
    hashes : mapping of str to str, optional
        File name to SHA-256, as in the certificate.
    progress : callable, optional
        Called with the share of the work done.

    Returns
    -------
    str
        HTML without script and without any request: style and charts are inside. The same
        input gives the same page.

    Raises
    ------
    DataError
        If the original lacks a column of the release.
    ParameterError
        If the release came from rows that the original does not have, or controls are given
        for a page without attacks, or are the original; or if randomized transactions, whose
        page is made from them alone, come with an original.

    Notes
    -----
    Guarantee: a public page (the default) discloses nothing beyond what the guarantee of the
    release allows. Under differential privacy everything on it is computed from the release
    (post-processing). Under k-anonymity it adds aggregate figures about the original: no value
    or combination that fewer than k rows (or people) share, counts of values rounded to at least
    2 k, the rest averages over the table. These averages are not covered by a proof.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.release.guarantee import Guarantee
    >>> from discreet.release.release import Release
    >>> claim = Guarantee(
    ...     model="k-anonymity", parameters={"k": 2}, unit="one row", columns=("sex",),
    ...     not_protected=("What a class has in common can be learnt.",),
    ... )
    >>> release = Release(data=dc.Table.from_frame({"sex": ["f", "f"]}), guarantee=claim)
    >>> page = html_report(release)
    >>> page.startswith("<!doctype html>"), "<script" in page
    (True, False)
    """
    first, sections = report_parts(
        release, original=original, controls=controls, internal=internal, verification=verification,
        command=command, policy=policy, hashes=hashes, progress=progress,
    )  # fmt: skip
    page = render(release, first, sections, internal=internal)
    if progress is not None:
        progress(1.0)
    return page


def report_parts(
    release: Release[Any],
    *,
    original: object = None,
    controls: object = None,
    internal: bool = False,
    verification: VerificationLike | None = None,
    command: str | None = None,
    policy: str | None = None,
    hashes: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> tuple[FirstPage, list[Section]]:
    """Return what the page of a release is made of: its first page, and its sections.

    Parameters
    ----------
    release, original, controls, internal, verification, command, policy, hashes, progress
        As in :func:`html_report`.
    """
    if release.kind == "transactions":
        _refuse_original(original if controls is None else controls, internal=internal)
        return _parts_of_transactions(release, verification, command, policy, hashes)
    of_patterns = release.kind == "patterns"
    subject = make_subject(release, original=None if of_patterns else original, internal=internal)
    attack = _attack(subject, controls)
    report = progress or (lambda _: None)
    first = first_page(subject, verification)
    sections: list[Section] = []
    makers = _makers(release)
    if of_patterns and internal and original is not None:
        sections.append(disclosure_section(release, original))
    for place, make in enumerate(makers, start=1):
        made = make(subject)
        sections += [made] if made is not None else []
        report(place / (len(makers) + 1))
    sections += [] if attack is None else [attack]
    if internal and original is not None and not of_patterns:
        mended = repairs_section(as_table(original))
        sections += [] if mended is None else [mended]
    sections.append(
        parameters_section(
            subject.release,
            columns=released_columns(subject),
            command=command,
            policy=policy,
            hashes=hashes,
        )
    )
    return first, sections


def _makers(release: Release[Any]) -> tuple[Callable[[Subject], Section | None], ...]:
    """Return the sections that are about a kind of release."""
    if release.kind == "patterns":
        return (collection_section,)
    return SYNTHETIC_SECTIONS if release.kind == "synthetic rows" else TABLE_SECTIONS


def _attack(subject: Subject, controls: object) -> Section | None:
    """Return the section about attacks if there are people to compare with."""
    if controls is None:
        return None
    if not subject.internal or subject.before is None or subject.release.kind != "synthetic rows":
        raise ParameterError(
            "controls are for internal pages of synthetic rows, with the original: attacks on "
            "records of the original are not for publication.",
            parameter="controls",
        )
    return attacks_section(
        subject, aligned(as_table(controls), subject.data, what="table of controls")
    )


def render(
    release: Release[Any], first: FirstPage, sections: Sequence[Section], *, internal: bool
) -> str:
    """Return the page that a first page and sections make.

    Parameters
    ----------
    release : Release
        What it is about.
    first : FirstPage
        The release in plain words.
    sections : sequence of Section
        The rest, in order.
    internal : bool
        Whether the page is for the curator only.
    """
    kind = "Internal report" if internal else "Release report"
    page = templates().get_template("page.html.j2")
    return page.render(
        release=release,
        internal=internal,
        first=first,
        sections=sections,
        page_colours=PAGE,
        chart_colours=CHART,
        heading=f"{kind}: {release.guarantee.model}",
    )


@cache
def templates(*packages: str) -> Environment:
    """Return the templates: all that is printed is escaped, and nothing in it is unseen.

    Parameters
    ----------
    *packages : str
        Where else templates are, such as those of the app, which are looked for first.
    """
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    places = (*packages, "discreet.report")
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(each, "templates") for each in places]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["lines"] = _lines
    return environment


def _finalize(value: object) -> object:
    """Make every text visible on its way into the page; markup is our own and stays."""
    from markupsafe import Markup

    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _lines(text: str) -> Markup:
    """Return a text of several lines, escaped, its line ends kept."""
    from markupsafe import escape

    return escape(visible(text, keep_lines=True))


# A page of a release folder, written to a file of its own.
#
# The folder itself is never touched: each file in it is certified by its hash. An internal page
# inside it would be published with it.


def write_report(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    original: object = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    controls: object = None,
    internal: bool = False,
    verification: VerificationLike | None = None,
    command: str | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write the page of a release folder beside it, and return its path.

    Parameters
    ----------
    folder : path
        A release folder.
    path : path, optional
        The file to write; by default ``NAME-report.html`` (``NAME-internal.html`` for internal
        pages) beside the folder NAME.
    hierarchies : mapping of str to Hierarchy, optional
        The whole hierarchies by which it was generalized, to compare with the original.
    original, controls, internal, verification, command, progress
        As in :func:`~discreet.report.page.html_report`.
    overwrite : bool
        Whether a file of that name may be replaced.

    Returns
    -------
    Path
        The file, written whole or not at all.

    Raises
    ------
    ParameterError
        If the file exists and may not be replaced, or would lie inside a release folder.
    DataError, GuaranteeError
        If there is no release in the folder, or its files were changed.

    Examples
    --------
    >>> import tempfile
    >>> import discreet as dc
    >>> from discreet.release.guarantee import Guarantee
    >>> claim = Guarantee(
    ...     model="k-anonymity", parameters={"k": 2}, unit="one row", columns=("sex",),
    ...     not_protected=("What a class has in common can be learnt.",),
    ... )
    >>> release = Release(data=dc.Table.from_frame({"sex": ["f", "f"]}), guarantee=claim)
    >>> folder = release.save(Path(tempfile.mkdtemp()) / "survey")
    >>> write_report(folder).name
    'survey-report.html'
    """
    source = Path(folder)
    target = Path(path) if path is not None else default_path(source, internal=internal)
    _refuse_inside(target)
    with atomic_path(target, overwrite=overwrite) as temporary:
        release = Release.load(source, hierarchies=hierarchies)
        page = html_report(
            release,
            original=original,
            controls=controls,
            internal=internal,
            verification=verification,
            command=command,
            policy=_policy(source),
            hashes=_hashes(source),
            progress=progress,
        )
        temporary.write_bytes(page.encode())
    return target


def default_path(folder: Path, *, internal: bool) -> Path:
    """Return the default path of the page of a folder.

    Examples
    --------
    >>> default_path(Path("out/survey"), internal=True).as_posix().rpartition("/")[2]
    'survey-internal.html'
    """
    whole = folder.resolve()
    return whole.parent / f"{whole.name}-{'internal' if internal else 'report'}.html"


def _refuse_inside(target: Path) -> None:
    """Raise ParameterError if a file would lie inside a release folder, however deep."""
    for parent in target.resolve().parents:
        if (parent / CERTIFICATE_FILE).exists():
            raise ParameterError(
                f"{target} would lie inside the release folder {parent}, whose files are "
                "certified and published.",
                parameter="path",
                remedy="Write the page elsewhere.",
            )


def _refuse_original(original: object, *, internal: bool) -> None:
    """Raise ParameterError if a page of randomized transactions is to show what they were."""
    if original is not None or internal:
        raise ParameterError(
            "The page of randomized transactions is made from them alone: omit the original and "
            "--internal.",
            parameter="original",
        )


def _policy(folder: Path) -> str | None:
    """Return the policy that goes with a release, if there is one."""
    path = folder / POLICY_FILE
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None


def _hashes(folder: Path) -> dict[str, str]:
    """Return what the certificate says each file hashes to."""
    text = (folder / CERTIFICATE_FILE).read_bytes().decode()
    certificate = read_certificate(text)
    found = {name: getattr(certificate, field) for field, name in EXTRAS.items()}
    certified = {name: digest for name, digest in found.items() if digest is not None}
    return {certificate.data.file: certificate.data.sha256, **certified}


# The page of a release of randomized transactions.


def _parts_of_transactions(
    release: Release[Transactions],
    verification: VerificationLike | None,
    command: str | None,
    policy: str | None,
    hashes: Mapping[str, str] | None,
) -> tuple[FirstPage, list[Section]]:
    """Return the parts of the page of randomized transactions, which is made from them alone."""
    sections = [protection_section(release)]
    recovered = recovered_section(release)
    sections += [recovered] if recovered is not None else []
    sections.append(
        parameters_section(
            release, columns=_columns(release), command=command, policy=policy, hashes=hashes
        )
    )
    return _first_page(release, verification), sections


def _first_page(release: Release[Transactions], verification: VerificationLike | None) -> FirstPage:
    claim = release.guarantee
    n_sent = counted(len(release.data), "randomized transaction")
    return FirstPage(
        title="What this release protects, and what it does not",
        subtitle=f"{n_sent}, released on {release.created:%Y-%m-%d} with discreet "
        f"{release.version}",
        banners=banners(claim, verification, internal=False),
        facts=_facts(release),
        done=[in_words(event) for event in release.events],
        guaranteed=in_plain_words(claim),
        exactly=claim.sentence,
        not_protected=claim.not_protected,
        assumptions=claim.assumptions,
        checked=outcome(verification),
        checks=single_checks(verification, in_detail=True),
        signers=SIGNERS,
    )


def _facts(release: Release[Transactions]) -> list[Fact]:
    data = randomized_of(release)
    sizes = sorted(data.n_of_size())
    spread = f"{sizes[0]} to {sizes[-1]}" if sizes else "none"
    sent = data.transactions.items.size / max(len(data), 1)
    return [
        Fact(name="randomized transactions", value=f"{len(data):,}"),
        Fact(name="items on the list", value=f"{len(data.real_labels):,}"),
        Fact(name="items in a true transaction", value=spread),
        Fact(name="items in a randomized one, on average", value=f"{sent:,.1f}"),
    ]


def _columns(release: Release[Transactions]) -> Grid:
    numbers = f"the randomized set, as places (from 0) in the {release.data.n_items:,} items"
    rows = [
        ("size", "number of items of the true transaction"),
        ("items", f"{numbers} of operator.json"),
    ]
    return Grid(caption="The columns of the release", header=("column", "what"), rows=rows)
