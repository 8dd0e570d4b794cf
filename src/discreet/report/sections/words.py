"""Page one: the release in plain words, for those who sign it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.assess.anonymity import anonymity
from discreet.release.exact import shown
from discreet.release.guarantee import ADD_REMOVE, HOUSEHOLD, ONE_ROW, SEVERAL_ROWS
from discreet.report.blocks import Fact, Note
from discreet.report.sections.changes import suppressed_cells
from discreet.report.sections.events import steps_in_words
from discreet.report.subject import column_levels
from discreet.report.text import counted, listed, percent
from discreet.synthesize.budget import ANY_ROWS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.table import Table
    from discreet.release.guarantee import Guarantee
    from discreet.release.release import Release
    from discreet.report.blocks import VerificationLike
    from discreet.report.subject import Subject


LOCAL = "local differential privacy"

SIGNERS = (
    ("Data owner", "that these columns may be published, and the size of equivalence classes"),
    ("Privacy officer", "that the assumptions hold, and that what is not protected is acceptable"),
    ("Statistician or researcher", "that the release still answers the questions of its users"),
    ("Publisher", "who may receive the release, and that no other release undermines it"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstPage:
    """What the first page says."""

    title: str
    subtitle: str
    banners: Sequence[Note]
    facts: Sequence[Fact]
    done: Sequence[str]
    guaranteed: str
    exactly: str
    not_protected: Sequence[str]
    assumptions: Sequence[str]
    checked: Note
    checks: Sequence[tuple[str, str, str]]
    signers: Sequence[tuple[str, str]]


def first_page(subject: Subject, verification: VerificationLike | None) -> FirstPage:
    """Return the release in plain words."""
    release = subject.release
    claim = release.guarantee
    return FirstPage(
        title="What this release protects, and what it does not",
        subtitle=(
            f"{_size(subject)}, released "
            f"on {release.created:%Y-%m-%d} with discreet {release.version}. "
            f"What is protected: {claim.unit}"
        ),
        banners=banners(claim, verification, internal=subject.internal),
        facts=_facts(subject),
        done=steps_in_words(release.events) or ["The certificate of this release lists no steps."],
        guaranteed=in_plain_words(claim, n_rows=subject.data.n_rows),
        exactly=claim.sentence,
        not_protected=claim.not_protected,
        assumptions=claim.assumptions,
        checked=outcome(verification),
        checks=single_checks(
            verification, in_detail=subject.internal or not claim.is_differentially_private
        ),
        signers=SIGNERS,
    )


def in_plain_words(claim: Guarantee, *, n_rows: int | None = None) -> str:
    """Return what a guarantee means to a person who is in the data.

    Parameters
    ----------
    claim : Guarantee
        Of any model.
    n_rows : int, optional
        Rows released, if that is known: a delta is small or not beside them.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> print(in_plain_words(Guarantee(
    ...     model="k-anonymity", parameters={"k": 5}, unit="one row", columns=("age", "sex"),
    ...     not_protected=("What a class has in common.",))))
    No record is unique. An attacker who knows a person's age and sex finds at least 5 rows of
    this release that are equal in these columns, or none at all. The probability of picking the
    right one is at most 1 in 5.
    """
    if claim.is_differentially_private:
        return _words_of_epsilon(claim, n_rows)
    k, theta = claim.parameters.get("k"), claim.parameters.get("theta")
    if "patterns" in claim.model and isinstance(k, int):
        return _pattern_words(claim, k)
    if "k-anonymity" in claim.model and isinstance(k, int):
        return _class_words(claim, k)
    if isinstance(theta, int):
        whose = ("row", "rows") if claim.unit == ONE_ROW else ("person", "people")
        return (
            "No rare combination is shown. At least "
            f"{counted(theta + 1, *whose)} in the original data have all the values "
            "that a released row shows. This is about the original: in the release itself a row "
            "may still be unique."
        )
    return claim.sentence


def _class_words(claim: Guarantee, k: int) -> str:
    known = listed(claim.columns)
    if len(claim.columns) > 8:
        known = f"values in the {len(claim.columns)} columns below"
    if claim.unit in (SEVERAL_ROWS, HOUSEHOLD):
        whose = ("household", "households") if claim.unit == HOUSEHOLD else ("person", "people")
        return (
            f"An attacker who knows {known} of one row finds rows of at least "
            f"{counted(k, *whose)} in this release that are equal in these columns, or none "
            f"at all. How many of these rows are of one {whose[0]} is not limited, so that no "
            f"probability of picking the right one is claimed.{_mixed_words(claim)}"
        )
    return (
        f"No record is unique. An attacker who knows a person's {known} finds at least "
        f"{counted(k, 'row')} of this release that are equal in these columns, or none at all. "
        f"The probability of picking the right one is at most 1 in {k}.{_mixed_words(claim)}"
    )


def _mixed_words(claim: Guarantee) -> str:
    """Return what l-diversity and t-closeness add, in words; nothing without them."""
    text, low, near = "", claim.parameters.get("l"), claim.parameters.get("t")
    if low is not None:
        mixed = {
            "distinct": f"at least {shown('l', low)} different values",
            "share": f"no member that more than a share 1/{shown('l', low)} of it holds",
            "entropy": f"values as mixed as {shown('l', low)} equally common ones",
            "recursive": "no value that is much more common than the rarer ones together",
        }.get(str(claim.parameters.get("diversity")), "different values")
        text += f" In each equivalence class, each sensitive column has {mixed}."
    if claim.parameters.get("distance") == "members" and near is not None:
        text += (
            " The share of those in a class who hold a member differs from that in the whole "
            f"release by at most {shown('t', near)}, for each member."
        )
    elif near is not None:
        text += (
            " The distribution of its values in a class differs from that in the whole "
            f"release by at most {shown('t', near)}, from 0 (not at all) to 1 (completely)."
        )
    return text


def _pattern_words(claim: Guarantee, k: int) -> str:
    who = _counted(claim)
    if "witnessed" in claim.model:
        return (
            f"No small group can be inferred. Data in which every group of {who} has no member "
            f"or at least {k} gives exactly these supports, and is published with them: an "
            "attacker who has only the supports cannot distinguish it from the true data."
        )
    of = f" of {listed(claim.columns)}" if claim.columns else ""
    return (
        "No small group can be found by adding and subtracting the published supports: any group "
        f"of {who} described by published combinations{of} has at least {k} members, or none."
    )


def _counted(claim: Guarantee) -> str:
    """Return what a claim counts: people only where the unit of privacy is a person."""
    return "rows" if claim.unit == ONE_ROW else "people"


def _facts(subject: Subject) -> list[Fact]:
    """Return the few figures to be seen first, what was lost before all others."""
    if subject.release.kind == "patterns":
        return _pattern_facts(subject.release)
    if subject.release.kind == "synthetic rows":
        return _drawn_facts(subject)
    data = subject.data
    before = subject.before if subject.internal else None  # its counts are not published
    rows = Fact(
        name="rows released",
        value=f"{data.n_rows:,}",
        more="" if before is None else f"of {before.n_rows:,} in the original{_of(before)}",
    )
    facts = [_cells(subject.release), rows]
    if before is not None and data.n_rows < before.n_rows * _kept(subject.release):
        facts.reverse()  # more was suppressed by records than by cells of others
    if not data.n_rows:
        return facts
    after = anonymity(data, columns=subject.columns, sensitive=())
    facts.append(
        Fact(
            name=f"{'rows' if data.people is None else 'people'} in the smallest equivalence class",
            value=f"{after.k:,}",
            more=""
            if before is None or not before.n_rows
            else f"{anonymity(before, columns=subject.columns, sensitive=()).k:,} in the original",
        )
    )
    if subject.release.guarantee.unit in (SEVERAL_ROWS, HOUSEHOLD):
        return facts  # rows of a class may be unevenly shared: no probability is claimed
    facts.append(
        Fact(
            name="highest probability of re-identification",
            value=f"1 in {after.k:,}",
            more="if the attacker knows that the person is in the release",
        )
    )
    return facts


def _of(before: Table) -> str:
    """Return of how many people the rows of the original are, where it says whose each is."""
    return "" if before.people is None else f", which are of {before.people.n_people:,} people"


def _drawn_facts(subject: Subject) -> list[Fact]:
    """Return the figures of synthetic rows to be seen first; no row is a person's."""
    claim = subject.release.guarantee
    before = subject.before if subject.internal else None
    facts = [
        Fact(
            name="synthetic rows",
            value=f"{subject.data.n_rows:,}",
            more=""
            if before is None
            else f"in place of {before.n_rows:,} of the original{_of(before)}",
        ),
        Fact(
            name=f"epsilon of a {'person' if claim.unit == SEVERAL_ROWS else 'row'}",
            value=shown("epsilon", claim.parameters["epsilon"]),
        ),
    ]
    if "delta" in claim.parameters:
        facts.append(Fact(name="delta", value=shown("delta", claim.parameters["delta"])))
    return facts


def _kept(release: Release) -> float:
    """Return the share of released cells that are not suppressed."""
    n_cells = release.data.n_rows * release.data.n_columns
    return 1 - sum(suppressed_cells(release.data)) / n_cells if n_cells else 1.0


def _cells(release: Release) -> Fact:
    """Return how many cells were suppressed or generalized, as far as the release shows it."""
    found = column_levels(release)
    if found:
        kept = sum(each.shares[0] for each in found) / len(found)
        return Fact(
            name="of the generalized cells still show their value",
            value=percent(kept),
            more=f"in {counted(len(found), 'column')}",
        )
    n_empty = sum(suppressed_cells(release.data))
    n_cells = release.data.n_rows * release.data.n_columns
    return Fact(
        name="cells without a value",
        value=percent(n_empty / n_cells if n_cells else 0),
        more=f"{n_empty:,} of {n_cells:,}",
    )


def _size(subject: Subject) -> str:
    """Return how much is released."""
    if subject.release.kind == "patterns":
        return counted(len(subject.release.data), "itemset")
    columns = counted(subject.data.n_columns, "column")
    return f"{counted(subject.data.n_rows, 'row')} in {columns}"


def _pattern_facts(release: Release) -> list[Fact]:
    """Return the figures of a collection to be seen first."""
    published = release.data
    figures, columns = release.guarantee.parameters, release.guarantee.columns
    by = f" by {listed(columns)}" if columns else ""
    who = _counted(release.guarantee)
    return [
        Fact(name="itemsets released", value=f"{len(published):,}"),
        Fact(name=f"{who} behind them", value=f"{published.n_rows:,}"),
        Fact(name=f"{who}, or more, share an itemset", value=f"{figures['min_support']}"),
        Fact(
            name=f"{who}, or more, are in any group that can be inferred{by}",
            value=f"{figures['k']}",
        ),
    ]


# Differential privacy in plain words: what epsilon and delta mean to one person.
#
# A guarantee bounds chances for each person taken alone, and delta is added to these chances. It is
# called a small difference only where both numbers are small.

_SMALL = 1  # no chance is more than 2.72 times another

_HOPELESS = 10  # more than 20,000 times as likely

_FEWEST_ROWS = 1000  # a delta of one in a thousand is not small, however few rows there are


def private_words(claim: Guarantee, n_rows: int | None = None) -> str:
    """Return what differential privacy means to a person who may be in the data.

    Parameters
    ----------
    claim : Guarantee
        With an epsilon, and perhaps a delta.
    n_rows : int, optional
        Rows released, which delta is compared with. A delta is not called small without it.

    Returns
    -------
    str
        A few sentences. Numbers are rounded up: the page never claims more than is true.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> claim = Guarantee(
    ...     model="(epsilon, delta)-differential privacy", unit="one row", neighbours=ADD_REMOVE,
    ...     parameters={"epsilon": 3, "delta": Fraction(1, 10**6)}, not_protected=("Much.",))
    >>> print(private_words(claim, 500))
    For each person: the probability of anything that this release may show is at most 20.09 times
    what it would be without the row of that person, plus 0.000001, and the other way round. What
    it discloses about the population applies to you, too.
    """
    epsilon = Fraction(claim.parameters["epsilon"])
    delta = Fraction(claim.parameters.get("delta", 0))
    if epsilon > _HOPELESS:
        return (
            f"An epsilon of {shown('epsilon', epsilon)} protects hardly anyone: what this release "
            "shows may be almost entirely due to one person. It is differential privacy in name "
            "only."
        )
    factor = math.ceil(math.exp(epsilon) * 100) / 100
    plus = f", plus {shown('delta', delta)}" if delta else ""
    if claim.neighbours == ADD_REMOVE:
        small = epsilon <= _SMALL and _is_small(delta, n_rows)
        text = "It makes little difference whether you are in the data. " if small else ""
        text += (
            "For each person: the probability of anything that this release may show is at most "
            f"{factor:,.2f} times what it would be without the row of that person{plus}, and the "
            "other way round."
        )
    else:
        text = (
            f"Compare {claim.neighbours}: the probability of anything that this release may show "
            f"is at most {factor:,.2f} times as large with one as with the other{plus}."
        )
    text += _large_delta(delta, n_rows)
    return f"{text} What it discloses about the population applies to you, too."


def _words_of_epsilon(claim: Guarantee, n_rows: int | None) -> str:
    """Return what differential privacy means, after the condition that it holds on, if any."""
    condition = claim.condition
    if condition is not None:
        claim = replace(claim, model=claim.model.partition(": ")[2])
    words = local_words(claim) if claim.model == LOCAL else private_words(claim, n_rows)
    if condition is None:
        return words
    return f"{condition.capitalize()} does what follows hold. {words}"


def local_words(claim: Guarantee) -> str:
    """Return what local differential privacy means to a person who sent a report or a row.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> print(local_words(Guarantee(
    ...     model="local differential privacy", parameters={"epsilon": 3}, unit="one transaction",
    ...     neighbours="any two transactions", not_protected=("Much.",))))
    Each report was randomized on its own; where people did that themselves before they sent it, no
    collector had to be trusted. Compare any two transactions: one makes the report at most 20.1
    times as likely as the other, so the odds of a guess between the two can rise by that factor.
    """
    epsilon = Fraction(claim.parameters["epsilon"])
    if epsilon > _HOPELESS:
        return (
            f"An epsilon of {shown('epsilon', epsilon)} protects hardly anyone: some reports all "
            "but prove what was in them. It is differential privacy in name only."
        )
    factor = math.ceil(math.exp(epsilon) * 10) / 10
    guess = "the odds of a guess between the two can rise by that factor"
    if claim.neighbours == ANY_ROWS:
        so = (
            "nothing in the release proves what a person's row held" if epsilon <= _SMALL else guess
        )
        return (
            "Every cell of every row was randomized before anything was learnt from it. "
            f"Compare {ANY_ROWS}: one makes what was learnt at most {factor:,.1f} times as likely "
            f"as the other, so {so}."
        )
    so = "a report never proves what a person has" if epsilon <= _SMALL else guess
    return (
        "Each report was randomized on its own; where people did that themselves before they sent "
        f"it, no collector had to be trusted. Compare {claim.neighbours}: one makes the report at "
        f"most {factor:,.1f} times as likely as the other, so {so}."
    )


def _is_small(delta: Fraction, n_rows: int | None) -> bool:
    """Say whether a delta is below one over the rows, and below one in a thousand."""
    if not delta:
        return True
    return n_rows is not None and delta * max(n_rows, _FEWEST_ROWS) < 1


def _large_delta(delta: Fraction, n_rows: int | None) -> str:
    """Return what a delta of at least one over the rows allows; nothing if it is below."""
    if not n_rows or delta * n_rows < 1:
        return ""
    return (
        f" A delta of {shown('delta', delta)} is too large for {n_rows:,} rows: publishing some "
        "rows of the original unchanged, each with that probability, would satisfy it."
    )


# What checking a release again said, and warnings at the head of its page.

NOT_TO_PUBLISH = "The release is experimental: do not publish it."

TITLES = {
    "verified": "Verified: recomputed from the files, the claim holds",
    "consistent": "Consistent with its claim, which rests on what cannot be seen in the files",
    "refuted": "Refuted: the claim is not shown",
}


def banners(
    claim: Guarantee, verification: VerificationLike | None, *, internal: bool
) -> list[Note]:
    """Return what must be seen before anything else."""
    found = []
    if internal:
        found.append(
            Note(
                tone="danger",
                title="Internal, not for publication",
                text="This page shows the original data, down to single people. Only those who "
                "may see the original may see it; never publish it with the release.",
            )
        )
    if claim.experimental:
        reason = str(claim.experimental_reason).rstrip(".")
        found.append(
            Note(
                tone="danger",
                title="Experimental, not for publication",
                text=f"Do not rely on the guarantee: {reason}.",
            )
        )
    if verification is not None and verification.answer == "refuted":
        found.append(Note(tone="danger", title=TITLES["refuted"], text=verification.sentence))
    return found


def outcome(verification: VerificationLike | None) -> Note:
    """Return the answer of the verifier, and its sentence."""
    if verification is None:
        return Note(
            tone="warning",
            title="Not verified yet",
            text="This page states the guarantee as it was claimed. Run “discreet verify” on the "
            "release folder to verify it.",
        )
    title, sentence = TITLES[verification.answer], verification.sentence
    if verification.answer == "refuted":
        return Note(tone="danger", title=title, text=sentence)
    if is_experiment(verification):
        return Note(
            tone="warning",
            title=f"{title}, but not for publication",
            text=f"{NOT_TO_PUBLISH} {sentence}",
        )
    return Note(tone="good", title=title, text=sentence)


def is_experiment(verification: VerificationLike) -> bool:
    """Say whether a check says that the release is none to publish."""
    return any(each.name == "publication" and each.passed is False for each in verification.checks)


def single_checks(
    verification: VerificationLike | None, *, in_detail: bool
) -> list[tuple[str, str, str]]:
    """Return name and outcome of each check, and what was found if that may depend on rows."""
    words = {True: "holds", False: "fails", None: "not checkable from the files"}
    checks = () if verification is None else verification.checks
    return [(each.name, words[each.passed], each.detail if in_detail else "") for each in checks]
