"""How likely people are found: three attackers by calculation, one by experiment."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.attacks import linkage_attack
from discreet.assess.attacks.setting import have_same_rows
from discreet.assess.risk import journalist_risk, marketer_risk, prosecutor_risk
from discreet.report.blocks import Grid, Note, Paragraph, Section
from discreet.report.levels import generalized_columns
from discreet.report.sections.events import number
from discreet.report.text import counted, label, listed, percent
from discreet.utility.pairs import pair_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.assess.risk import Risk
    from discreet.data.table import Table
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject

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
                "does not, and has to tell the person from the whole population; without figures "
                "about that population the risk is at most that of the prosecutor. The marketer "
                "matches the whole release with a register and counts the right matches."
            )
        )
    else:
        blocks.append(Note(text="No row was released, so nobody can be found in it.", tone="good"))
    if subject.before is not None and subject.before.n_rows and subject.data.n_rows:
        blocks += _experiment(subject, subject.before)
    return Section(
        name="risk",
        title="How likely somebody is found",
        lead=f"An attacker is taken to know this about a person: {known}. "
        "Chances are those of picking the row of that person.",
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
    for name, table in tables.items():
        rates = rate if name == "release" else None
        for what, value in _measures(table, subject.columns, threshold, rates):
            lines.setdefault(what, []).append(value)
    return Grid(
        caption="Risk of being found"
        + (", in the original and in the release" if len(tables) > 1 else " in the release"),
        header=("what an attacker achieves", *tables),
        rows=[(what, *values) for what, values in lines.items()],
        numeric=frozenset(range(1, len(tables) + 1)),
        note="" if rate is None else
        f"Journalist and marketer: estimated, because the release is a sample of {percent(rate)}.",
    )  # fmt: skip


def _measures(
    table: Table, columns: Sequence[str], threshold: float, rate: float | None
) -> list[tuple[str, str]]:
    prosecutor = prosecutor_risk(table, columns=columns, threshold=threshold)
    alone = prosecutor_risk(table, columns=columns, threshold=0.5)
    journalist: Risk | None = None
    if rate is not None:
        journalist = journalist_risk(table, columns=columns, sampling_rate=rate)
    marketer = marketer_risk(table, columns=columns, sampling_rate=rate)
    bound = "" if journalist else "at most "
    return [
        ("Prosecutor: highest chance for any person", percent(prosecutor.highest)),
        ("Prosecutor: average chance", percent(prosecutor.mean)),
        (f"Rows with a chance above {percent(threshold)}", percent(prosecutor.at_risk_rate)),
        ("Rows that are like no other", percent(alone.at_risk_rate)),
        ("Journalist: highest chance", bound + percent((journalist or prosecutor).highest)),
        ("Marketer: share of right matches", percent(marketer.mean)),
    ]


def sampling_rate(subject: Subject) -> float | None:
    """Return the share of the rows that was kept by chance, if a step says so."""
    for event in subject.release.events:
        beta = number(event, "beta") if event.name == "bernoulli_sample" else None
        if beta is not None and 0 < beta <= Fraction(1):
            return float(beta)
    return None


def _experiment(subject: Subject, before: Table) -> list[Block]:
    """Attack both tables with a few known values, and made-up people as a control group."""
    strange = [
        pair.name
        for pair in pair_columns(before, subject.data)
        if set(pair.release.tolist()) - set(pair.original.tolist()) - {pair.hidden}
    ]
    if {*strange} & {*generalized_columns(subject.release)}:
        text = "No attack was tried here: the release shows groups of values, not values."
        return [Note(text=text)]
    if strange:
        names = listed(label(name) for name in strange)
        return [
            Note(
                tone="warning",
                text=f"The release has values in {names} that the original never has, so no "
                "attack was tried: this is not the table that the release was made from, or more "
                "was done to it than is stated.",
            )
        ]
    n_known = min(N_KNOWN, len(subject.columns))
    k = max(subject.k or 5, 2)
    invented = made_up(before)
    # Where shuffling changes nothing, as in a single column, all of them exist.
    controls = None if have_same_rows(before, invented, subject.columns) else invented
    found = {
        name: linkage_attack(
            table,
            before,
            n_known=n_known,
            n_targets=N_TARGETS,
            k=k,
            columns=subject.columns,
            controls=controls,
            rng=SEED,
        )
        for name, table in (("original", before), ("release", subject.data))
    }
    lines = [
        ("One single row fits", [str(each.wildcard.unique) for each in found.values()]),
        (f"1 to {k - 1} rows fit", [str(each.wildcard.below_k) for each in found.values()]),
        (
            "One single row fits, by visible values only",
            [str(each.exact.unique) for each in found.values()],
        ),
    ]
    note = (
        "Share of the people attacked, with its 95% confidence interval. A suppressed cell may "
        "hide any value. One row that fits need not be that of the person"
    )
    if controls is not None:
        lines.append(
            (
                "Control group: one single row fits a made-up person",
                [str(each.wildcard.control_unique) for each in found.values()],
            )
        )
        note += ": people who do not exist, their values drawn at random, are singled out as well"
    return [
        Grid(
            caption=f"An attack that was tried: {counted(n_known, 'value')} known about each of "
            f"{N_TARGETS} people drawn at random",
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
