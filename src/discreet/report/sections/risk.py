"""How likely people are found: three attackers by calculation, one by experiment."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.attacks import (
    attribute_attack,
    linkage_attack,
    membership_attack,
    records_in_common,
)
from discreet.assess.attacks.setting import have_same_rows
from discreet.assess.look import look
from discreet.assess.risk import journalist_risk, marketer_risk, prosecutor_risk
from discreet.errors import LimitError
from discreet.release.contents import shown_cells
from discreet.report.blocks import Fact, Facts, Figure, Grid, Note, Paragraph, Section
from discreet.report.charts import bars
from discreet.report.sections.events import number
from discreet.report.subject import counted_of
from discreet.report.text import counted, label, listed, percent
from discreet.suppress.summary import suppression_summary
from discreet.utility.pairs import pair_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.assess.attacks import AttributeAttack, Excess, MembershipAttack, RecordsInCommon
    from discreet.assess.risk import Risk
    from discreet.data.table import Table
    from discreet.release.guarantee import Guarantee
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject
    from discreet.suppress.summary import SuppressionSummary


N_TARGETS = 300

N_KNOWN = 5

SEED = 1  # the same page for the same release

_THRESHOLD = 0.2


def risk_section(subject: Subject) -> Section:
    """Return the risk before and after."""
    blocks: list[Block] = []
    known = listed(label(name) for name in subject.columns)
    if subject.no_before:
        blocks.append(Note(text=subject.no_before))
    if subject.data.n_rows:
        blocks.append(_attackers(subject))
        blocks.append(
            Paragraph(
                text="The prosecutor knows that the person is in the release. The journalist "
                "does not, and has to find the person in the whole population; without figures "
                "about that population the risk is at most that of the prosecutor. The marketer "
                "matches the whole release with a register and counts the correct matches."
            )
        )
    else:
        blocks.append(Note(text="No row was released, so there is no risk.", tone="good"))
    if subject.before is not None and subject.before.n_rows and subject.data.n_rows:
        blocks += _experiment(subject, subject.before)
    return Section(
        name="risk",
        title="Re-identification risk",
        lead=f"The attacker is assumed to know this about a person: {known}. "
        "The risk is the probability of picking the record of that person.",
        blocks=blocks,
    )


def _attackers(subject: Subject) -> Grid:
    """Return one line for each measure, before and after."""
    threshold = _THRESHOLD if subject.k is None else 1 / subject.k
    tables = {"release": subject.data}
    if subject.before is not None and subject.before.n_rows:
        tables = {"original": subject.before, **tables}
    rate = sampling_rate(subject)
    lines: dict[str, list[str]] = {}
    of_people = any(table.people is not None for table in tables.values())
    for name, table in tables.items():
        rates = rate if name == "release" else None
        for what, value in _measures(table, subject.columns, threshold, rates, of_people=of_people):
            lines.setdefault(what, []).append(value)
    return Grid(
        caption="Re-identification risk"
        + (", in the original and in the release" if len(tables) > 1 else " in the release"),
        header=(
            "what an attacker achieves",
            *(f"{name} ({counted_of(each)[1]})" if of_people else name
              for name, each in tables.items()),
        ),
        rows=[(what, *values) for what, values in lines.items()],
        numeric=frozenset(range(1, len(tables) + 1)),
        note="" if rate is None else
        f"Journalist and marketer: estimated, because the release is a sample of {percent(rate)}.",
    )  # fmt: skip


def _measures(
    table: Table, columns: Sequence[str], threshold: float, rate: float | None, *, of_people: bool
) -> list[tuple[str, str]]:
    """Return the measures with their values; where people are counted, no word is of records."""
    prosecutor = prosecutor_risk(table, columns=columns, threshold=threshold)
    unique = prosecutor_risk(table, columns=columns, threshold=0.5)
    journalist: Risk | None = None
    if rate is not None:
        journalist = journalist_risk(table, columns=columns, sampling_rate=rate)
    marketer = marketer_risk(table, columns=columns, sampling_rate=rate)
    bound = "" if journalist else "at most "
    return [
        (f"Prosecutor: highest risk{'' if of_people else ' of any record'}",
         percent(prosecutor.highest)),
        ("Prosecutor: average risk", percent(prosecutor.mean)),
        (f"{'At' if of_people else 'Records at'} risk: above {percent(threshold)}",
         percent(prosecutor.at_risk_rate)),
        ("Unique" if of_people else "Unique records", percent(unique.at_risk_rate)),
        ("Journalist: highest risk", bound + percent((journalist or prosecutor).highest)),
        ("Marketer: share of correct matches", percent(marketer.mean)),
    ]  # fmt: skip


def sampling_rate(subject: Subject) -> float | None:
    """Return the share of the rows that was sampled, if a step says so."""
    for event in subject.release.events:
        beta = number(event, "beta") if event.name == "bernoulli_sample" else None
        if beta is not None and 0 < beta <= Fraction(1):
            return float(beta)
    return None


def _experiment(subject: Subject, before: Table) -> list[Block]:
    """Attack both tables with a few known values, and made-up people as a control group."""
    release = subject.release
    data = shown_cells(release) if release.kind == "rows" else subject.data
    data = replace(data, people=subject.data.people)
    unknown = [name for name in release.stated if name not in release.hierarchies]
    if unknown:
        names = listed(label(name) for name in unknown)
        text = f"No attack was run here: the release shows groups of {names}, and the hierarchies "
        text += "that say which values they hold were not given."
        return [Note(text=text)]
    strange = [
        pair.name
        for pair in pair_columns(before, data)
        if pair.name not in release.hierarchies
        and set(pair.release.tolist()) - set(pair.original.tolist()) - {pair.suppressed}
    ]
    if strange:
        names = listed(label(name) for name in strange)
        return [
            Note(
                tone="warning",
                text=f"The release has values in {names} that the original never has, so no "
                "attack was run: this is not the original of the release, or the certificate does "
                "not list all steps.",
            )
        ]
    trees = {name: release.hierarchies[name] for name in release.stated}
    if data.people is None:  # whose the released rows are is not on a public page
        before = replace(before, people=None)
    one, row = ("Rows of exactly one person match", "people's rows") if before.people else (
        "Exactly one row matches", "rows")  # fmt: skip
    n_known = min(N_KNOWN, len(subject.columns))
    k = max(subject.k or 5, 2)
    invented = made_up(before)
    # Where shuffling changes nothing, as in a single column, all of them exist.
    controls = None if have_same_rows(before, invented, subject.columns) else invented
    found = {
        name: linkage_attack(
            table,
            before,
            hierarchies=known,
            n_known=n_known,
            n_targets=N_TARGETS,
            k=k,
            columns=subject.columns,
            controls=controls,
            rng=SEED,
        )
        for name, table, known in (("original", before, {}), ("release", data, trees))
    }
    lines = [
        (one, [str(each.wildcard.unique) for each in found.values()]),
        (f"1 to {k - 1} {row} match", [str(each.wildcard.below_k) for each in found.values()]),
        (
            f"{one}, by visible values only",
            [str(each.exact.unique) for each in found.values()],
        ),
    ]
    note = (
        "Share of the targets, with its 95% confidence interval. A suppressed cell matches any "
        "value. A single matching row need not be the record of the target"
    )
    if controls is not None:
        lines.append(
            (
                "Control group: exactly one row matches a made-up person",
                [str(each.wildcard.control_unique) for each in found.values()],
            )
        )
        note += ": made-up people, their values drawn at random, are matched as well"
    if trees:
        note += ". A group matches the values it holds"
    return [
        Grid(
            caption=f"Linkage attack: {counted(n_known, 'value')} known about each of "
            f"{N_TARGETS} targets drawn at random",
            header=("outcome", *found),
            rows=[(what, *values) for what, values in lines],
            numeric=frozenset((1, 2)),
            note=f"{note}.",
        )
    ]


def made_up(table: Table) -> Table:
    """Return as many people who do not exist: every column shuffled by itself."""
    random = np.random.default_rng(SEED)
    for name in table.columns:
        table = table.with_column(name, random.permutation(table.codes(name)), table.values(name))
    return table


# For internal pages of synthetic rows: attacks on members, beside the same on controls.

MAX_SENSITIVE = 3

LEAST_ROWS = 2

EXPERIMENT = (
    "Intervals are of 95 per cent. An attack is an experiment: if these fail, others may succeed. "
    "Only the guarantee covers all attacks."
)


def attacks_section(subject: Subject, controls: Table) -> Section:
    """Return what an attacker infers about members, and about controls.

    Parameters
    ----------
    subject : Subject
        Of an internal page, with the original.
    controls : Table
        People of the same population whose rows were not used, in the columns of the release.
    """
    before, data = subject.before, subject.data
    assert before is not None
    assert subject.internal
    if min(before.n_rows, controls.n_rows) < LEAST_ROWS or not data.n_rows:
        blocks: list[Block] = [Note(text="There are too few rows to attack.")]
    else:
        member = membership_attack(data, before, controls=controls, rng=SEED)
        common = records_in_common(data, before, controls=controls, rng=SEED)
        attributes = [
            attribute_attack(data, before, sensitive=name, controls=controls, rng=SEED)
            for name in _sensitive(data)
        ]
        blocks = [
            _membership(member, subject.release.guarantee),
            Paragraph(text=member.sentence),
            *([_attributes(attributes)] if attributes else []),
            _records(common),
            Note(text=EXPERIMENT),
        ]
    return Section(
        name="attacks",
        title="Attacks on synthetic data",
        lead="Each attack was run on members, whose records were used, and on controls, whose "
        "records were not. Only what is inferred better about members is due to their membership.",
        blocks=blocks,
    )


def _sensitive(data: Table) -> tuple[str, ...]:
    """Return the columns to be guessed: the sensitive ones, else the last; none if it is alone."""
    if data.n_columns == 1:
        return ()
    return (data.sensitive or data.columns[-1:])[:MAX_SENSITIVE]


def _membership(found: MembershipAttack, claim: Guarantee) -> Grid:
    rows = [
        ("area under the curve", str(found.auc), "0.5", ""),
        ("advantage of the best guess", str(found.advantage), "0", f"{most_advantage(claim):.3f}"),
    ]
    return Grid(
        caption="Membership attack, by the distance to the closest synthetic row",
        header=("measure", "attack", "random guess", "most that the guarantee allows"),
        rows=rows,
    )


def most_advantage(claim: Guarantee) -> float:
    r"""Return the largest advantage of a membership guess under a guarantee, rounded up.

    .. math:: \frac{e^\varepsilon - 1 + 2 \delta}{e^\varepsilon + 1}
    """
    epsilon = float(Fraction(claim.parameters["epsilon"]))
    delta = float(Fraction(claim.parameters.get("delta", 0)))
    most = math.tanh(epsilon / 2) + 2 * delta / (math.exp(min(epsilon, 700)) + 1)
    return min(1.0, math.ceil(most * 1000) / 1000)


def _attributes(found: list[AttributeAttack]) -> Grid:
    rows = [
        (
            label(each.sensitive),
            str(each.members),
            str(each.controls),
            _points(each.excess),
            str(each.baseline),
        )
        for each in found
    ]
    return Grid(
        caption="Attribute attack: a sensitive value inferred by the nearest synthetic rows",
        header=("column", "members", "controls", "points more", "by the most common value"),
        rows=rows,
    )


def _points(more: Excess) -> str:
    """Return a difference of rates in points, with its interval."""
    difference, low, high = (f"{100 * each:.1f}" for each in more)
    return f"{difference} ({low} to {high})"


def _records(found: RecordsInCommon) -> Grid:
    rows = [
        ("distinct records of members", str(found.members)),
        ("distinct records of controls", str(found.controls)),
        ("unique records of members", str(found.single)),
        ("unique records of controls", str(found.control_single)),
    ]
    return Grid(
        caption="Records of the original among the synthetic rows",
        header=("which", "share that occurs"),
        rows=rows,
    )


# The identifying combinations that were suppressed, by size, and the resulting support floor.

MAX_COMBINATIONS = 5_000_000  # a page is not worth a longer search
MAX_SECONDS = 60


def rare_section(subject: Subject) -> Section | None:
    """Return the identifying combinations of the original, if suppression removed them."""
    steps = [event for event in subject.release.events if event.name == "mii_suppress"]
    if subject.before is None or subject.rows is None or not steps:
        return None
    if "sample_size" in steps[0].parameters:
        return None  # what was suppressed were combinations rare in a sample
    theta, most = steps[0].parameters["theta"], number(steps[0], "max_size")
    size = "" if most is None else f" of at most {counted(int(most), 'value')}"
    _, many = counted_of(subject.before)
    blocks: list[Block]
    try:
        found = suppression_summary(
            subject.before,
            subject.release,
            max_itemsets=MAX_COMBINATIONS,
            max_seconds=MAX_SECONDS,
        )
    except LimitError:
        text = (
            f"There are more than {MAX_COMBINATIONS:,} combinations, or to find them takes more "
            f"than {MAX_SECONDS} seconds; they were not counted."
        )
        blocks = [Note(text=text)]
    else:
        blocks = _blocks(found, exact=subject.internal)
    return Section(
        name="rare",
        title="Suppressed combinations",
        lead="An identifying combination (a minimal infrequent itemset) is a set of values that at "
        f"most {theta} {many} of the original share, while each part of it is shared by more. All "
        f"cells in such combinations{size} were suppressed.",
        blocks=blocks,
    )


def _shared(found: SuppressionSummary) -> str:
    who = "people of the original" if found.of_people else "original rows"
    if found.max_size is None:
        return f"or more {who} have the values of a released row"
    values = "any value" if found.max_size == 1 else f"any {found.max_size} values"
    return f"or more {who} have {values} of a released row"


def _blocks(found: SuppressionSummary, *, exact: bool) -> list[Block]:
    """Return the floor, and the combinations by size: as shares only on public pages."""
    total = sum(found.n_miis_by_size)
    facts = [
        Fact(
            name=_shared(found),
            value=f"{found.support_floor:,}",
        )
    ]
    if not total:
        none = Note(text="There was no identifying combination.", tone="good")
        return [Facts(facts=facts), none]
    if exact:
        facts.append(Fact(name="identifying combinations", value=f"{total:,}"))
    sizes = [(size, n) for size, n in enumerate(found.n_miis_by_size) if n]
    names = [counted(size, "value") for size, _ in sizes]
    shares = [n / total for _, n in sizes]
    most = names[max(range(len(shares)), key=shares.__getitem__)]
    title, words = "Identifying combinations by size", f"Most of them have {most}."
    rows = [
        (name, *([f"{n:,}"] if exact else []), percent(share))
        for name, (_, n), share in zip(names, sizes, shares, strict=True)
    ]
    figure = Figure(
        title=title,
        words=words,
        svg=bars(names, {"combinations": shares}, colours=["before"], title=title, words=words,
                 axis="share of identifying combinations", width=620),
        table=Grid(
            caption=title,
            header=("size", *(["combinations"] if exact else []), "share"),
            rows=rows,
            numeric=frozenset(range(1, 3 if exact else 2)),
        ),
    )  # fmt: skip
    return [Facts(facts=facts), figure]


# For internal pages only: the identifying combinations of the original.

N_SHOWN = 20

MAX_SIZE = 3

MAX_ITEMSETS = 5_000_000


def identifying_section(subject: Subject) -> Section | None:
    """Return the most identifying combinations of the original; None on public pages."""
    before = subject.before
    if not subject.internal or before is None or not before.n_rows:
        return None
    theta = max((subject.k or 2) - 1, 1)
    one = counted_of(before)
    try:
        seen = look(
            before.select(subject.columns),
            theta=theta,
            max_size=MAX_SIZE,
            n_shown=N_SHOWN,
            max_itemsets=MAX_ITEMSETS,
        )
    except LimitError:
        blocks: list[Block] = [
            Note(text="There are too many identifying combinations to list them.", tone="warning")
        ]
    else:
        rows = [
            (
                " and ".join(label(item) for item in found.items),
                f"{found.support:,}",
                f"{found.n_of_these_columns:,}",
            )
            for found in seen.combinations
        ]
        blocks = [Paragraph(text=seen.sentence)]
        if rows:
            title = "The most identifying combinations of the original, one for each set of columns"
            header = ("combination", f"{one[1]} with it", "combinations of these columns")
            blocks.append(Grid(caption=title, header=header, rows=rows, numeric=frozenset((1, 2))))
    return Section(
        name="identifying",
        title="Identifying combinations",
        lead=f"The smallest combinations of values that at most {counted(theta, *one)} of the "
        "original share. An attacker who knows these values about a person finds the record in "
        "the original.",
        blocks=blocks,
    )
