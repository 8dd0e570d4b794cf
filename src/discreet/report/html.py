"""The report: one HTML page of a release that stands alone, for people who sign and for experts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from discreet.assess.classes import as_table
from discreet.errors import ParameterError
from discreet.patterns.release import is_pattern_release
from discreet.report.palette import CHART, PAGE
from discreet.report.sections.attacks import attacks_section
from discreet.report.sections.classes import classes_section
from discreet.report.sections.collection import collection_section
from discreet.report.sections.dangerous import dangerous_section
from discreet.report.sections.generalization import generalization_section
from discreet.report.sections.given_away import given_away_section
from discreet.report.sections.marginals import marginals_section
from discreet.report.sections.measured import measured_section
from discreet.report.sections.parameters import parameters_section, released_columns
from discreet.report.sections.rare import rare_section
from discreet.report.sections.risk import risk_section
from discreet.report.sections.suppression import suppression_section
from discreet.report.sections.utility import utility_section
from discreet.report.sections.words import first_page
from discreet.report.subject import aligned, make_subject
from discreet.report.text import visible
from discreet.synthesize.release import is_synthetic_release

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

    from discreet.progress import Progress
    from discreet.release.any_release import AnyRelease
    from discreet.release.release import Release
    from discreet.report.blocks import Section
    from discreet.report.protocols import VerificationLike
    from discreet.report.sections.words import FirstPage
    from discreet.report.subject import Subject


TABLE_SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    dangerous_section,
    risk_section,
    classes_section,
    generalization_section,
    suppression_section,
    rare_section,
    marginals_section,
    utility_section,
)
DRAWN_SECTIONS: tuple[Callable[[Subject], Section | None], ...] = (
    measured_section,
    marginals_section,
    utility_section,
)


def html_report(
    release: Release,
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
        People of the same population whose rows were not used: an internal page of drawn rows
        then tells what attacks find out of members and of them.
    internal : bool
        Whether the page may show the original as it is, for the curator only. Such a page says
        so at its head and must not go with the release.
    verification : Verification, optional
        The outcome of ``verify_release``; any object with ``passed``, ``sentence`` and
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
        for a page that does not tell of attacks, or are the original.

    Notes
    -----
    Guarantee: a public page (the default) tells nothing that the guarantee of the release does
    not allow. Under differential privacy everything on it is computed from the release
    (post-processing). Under k-anonymity it adds aggregate figures about the original: no value
    or combination that fewer than k rows share, counts of values rounded to at least 2 k, the
    rest averages over the table. These averages are not covered by a proof.

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
    of_patterns = is_pattern_release(release)
    subject = make_subject(release, original=None if of_patterns else original, internal=internal)
    attack = _attack(subject, controls)
    tell = progress or (lambda _: None)
    first = first_page(subject, verification)
    sections: list[Section] = []
    makers = _makers(release)
    if of_patterns and internal and original is not None:
        sections.append(given_away_section(release, original))
    for place, make in enumerate(makers, start=1):
        made = make(subject)
        sections += [made] if made is not None else []
        tell(place / (len(makers) + 1))
    sections += [] if attack is None else [attack]
    sections.append(
        parameters_section(
            release,
            columns=released_columns(subject),
            command=command,
            policy=policy,
            hashes=hashes,
        )
    )
    page = render(release, first, sections, internal=internal)
    tell(1.0)
    return page


def _makers(release: Release) -> tuple[Callable[[Subject], Section | None], ...]:
    """Return the sections that are about a kind of release."""
    if is_pattern_release(release):
        return (collection_section,)
    return DRAWN_SECTIONS if is_synthetic_release(release) else TABLE_SECTIONS


def _attack(subject: Subject, controls: object) -> Section | None:
    """Return the section about attacks if there are people to compare with."""
    if controls is None:
        return None
    if not subject.internal or subject.before is None or not is_synthetic_release(subject.release):
        raise ParameterError(
            "controls are for internal pages of drawn rows, with the original: attacks on "
            "people in the data are not to publish."
        )
    return attacks_section(
        subject, aligned(as_table(controls), subject.data, what="table of controls")
    )


def render(
    release: AnyRelease, first: FirstPage, sections: Sequence[Section], *, internal: bool
) -> str:
    """Return the page that a first page and sections make.

    Parameters
    ----------
    release : AnyRelease
        What it is about.
    first : FirstPage
        The release in plain words.
    sections : sequence of Section
        The rest, in order.
    internal : bool
        Whether the page is for the curator only.
    """
    kind = "Internal report" if internal else "Release report"
    page = _templates().get_template("page.html.j2")
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
def _templates() -> Environment:
    """Return the templates: all that is printed is escaped, and nothing in it is unseen."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("discreet.report", "templates"),
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
