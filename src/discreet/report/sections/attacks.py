"""For internal pages of drawn rows: attacks on members, beside the same on people left out."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.assess.attacks import attribute_attack, membership_attack, records_in_common
from discreet.report.blocks import Grid, Note, Paragraph, Section
from discreet.report.text import label

if TYPE_CHECKING:
    from discreet.assess.attacks import (
        AttributeAttack,
        Excess,
        MembershipAttack,
        RecordsInCommon,
    )
    from discreet.data.table import Table
    from discreet.release.guarantee import Guarantee
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject

SEED = 1
MAX_SENSITIVE = 3
LEAST_ROWS = 2
EXPERIMENT = (
    "Intervals are of 95 per cent. An attack is an experiment: that these fail does not mean that "
    "others do, and only the guarantee speaks of all of them."
)


def attacks_section(subject: Subject, controls: Table) -> Section:
    """Return what somebody who knows rows finds out of members, and of people left out.

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
        told = [
            attribute_attack(data, before, sensitive=name, controls=controls, rng=SEED)
            for name in _sensitive(data)
        ]
        blocks = [
            _membership(member, subject.release.guarantee),
            Paragraph(text=member.sentence),
            *([_attributes(told)] if told else []),
            _records(common),
            Note(text=EXPERIMENT),
        ]
    return Section(
        name="attacks",
        title="What attacks find out",
        lead="Each attack was made on people whose rows were used and on people whose rows were "
        "not. Only what is found out better of the former is due to their being in the data.",
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
        caption="Telling who was in the data, by the distance to the closest drawn row",
        header=("measure", "attack", "blind guess", "most that the guarantee allows"),
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


def _attributes(told: list[AttributeAttack]) -> Grid:
    rows = [
        (
            label(each.sensitive),
            str(each.members),
            str(each.controls),
            _points(each.excess),
            str(each.baseline),
        )
        for each in told
    ]
    return Grid(
        caption="Telling a value of a person from all others, by the nearest drawn rows",
        header=("column", "of members", "of others", "points more", "by the commonest value"),
        rows=rows,
    )


def _points(more: Excess) -> str:
    """Return a difference of rates in points, with its interval."""
    difference, low, high = (f"{100 * each:.1f}" for each in more)
    return f"{difference} ({low} to {high})"


def _records(found: RecordsInCommon) -> Grid:
    rows = [
        ("distinct records of members", str(found.members)),
        ("distinct records of others", str(found.controls)),
        ("records that one member alone has", str(found.single)),
        ("records that one of the others alone has", str(found.control_single)),
    ]
    return Grid(
        caption="Records that were drawn as they are in the original",
        header=("which", "share that was drawn"),
        rows=rows,
    )
