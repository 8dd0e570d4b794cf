"""The page of a release of randomized transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.report.blocks import Fact, Grid
from discreet.report.html import render
from discreet.report.sections.checked import banners, outcome, single_checks
from discreet.report.sections.events import in_words
from discreet.report.sections.parameters import parameters_section
from discreet.report.sections.protection import protection_section
from discreet.report.sections.recovered import recovered_section
from discreet.report.sections.words import SIGNERS, FirstPage, in_plain_words
from discreet.report.text import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.randomize.release import RandomizedRelease
    from discreet.report.protocols import VerificationLike


def randomized_report(
    release: RandomizedRelease,
    *,
    verification: VerificationLike | None = None,
    command: str | None = None,
    hashes: Mapping[str, str] | None = None,
) -> str:
    """Return one self-contained HTML page about randomized transactions.

    Parameters
    ----------
    release : RandomizedRelease
        What is published. Nothing on the page is computed from anything else.
    verification, command, hashes
        As in :func:`~discreet.report.html.html_report`.

    Returns
    -------
    str
        HTML without script and without any request.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.randomize import CutAndPaste, randomize_transactions
    >>> baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 50)
    >>> release = randomize_transactions(baskets, operator=CutAndPaste(cutoff=3, rho="1/4"))
    >>> "What one report tells" in randomized_report(release)
    True
    """
    sections = [protection_section(release)]
    recovered = recovered_section(release)
    sections += [recovered] if recovered is not None else []
    sections.append(
        parameters_section(release, columns=_columns(release), command=command, hashes=hashes)
    )
    return render(release, _first_page(release, verification), sections, internal=False)


def _first_page(release: RandomizedRelease, verification: VerificationLike | None) -> FirstPage:
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


def _facts(release: RandomizedRelease) -> list[Fact]:
    data = release.data
    sizes = sorted(data.n_of_size())
    spread = f"{sizes[0]} to {sizes[-1]}" if sizes else "none"
    sent = data.transactions.items.size / max(len(data), 1)
    return [
        Fact(name="randomized transactions", value=f"{len(data):,}"),
        Fact(name="items that there are", value=f"{len(data.real_labels):,}"),
        Fact(name="items in a transaction, truly", value=spread),
        Fact(name="items in a randomized one, on average", value=f"{sent:,.1f}"),
    ]


def _columns(release: RandomizedRelease) -> Grid:
    numbers = f"the randomized set, as places (from 0) in the {release.data.n_items:,} items"
    rows = [
        ("size", "how many items the transaction truly had"),
        ("items", f"{numbers} of operator.json"),
    ]
    return Grid(caption="The columns of the release", header=("column", "what"), rows=rows)
