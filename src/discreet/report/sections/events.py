"""What was done, each step in a sentence that needs no background."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING

from discreet.release.exact import shown
from discreet.report.blocks import Code, Grid, Section
from discreet.report.text import counted, label, listed, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from discreet.release.event import Event, Option
    from discreet.release.release import AnyRelease
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject


def in_words(event: Event) -> str:
    """Return a step as a sentence; a step of an unknown name is told by its options.

    Examples
    --------
    >>> from discreet.release.event import Event
    >>> in_words(Event(name="enforce_classes", parameters={"k": 5, "leftover": "drop"},
    ...                counts={"n_rows_dropped": 12, "n_rows_suppressed": 0}))
    'Rows that still had fewer than 4 others like them were taken out: 12 rows.'
    """
    told = _WORDS.get(event.name)
    return told(event) if told else _plainly(event)


def steps_in_words(events: Sequence[Event]) -> list[str]:
    """Return all steps as sentences; those of one kind that were done many times, once.

    Examples
    --------
    >>> from discreet.release.event import Event
    >>> steps_in_words([Event(name="randomize_cells")] * 2 + [Event(name="draw_rows")])[1]
    "Rows were drawn from them alone: none of them is a person's."
    """
    told: list[str] = []
    for name, same in groupby(events, key=lambda event: _GROUPS.get(event.name)):
        found = list(same)
        told += [in_words(event) for event in found] if name is None else [_SUMS[name](found)]
    return told


def option(name: str, value: Option) -> str:
    """Return an option as a person reads it, rounded towards the weaker claim.

    Examples
    --------
    >>> option("columns", ("age", "sex")), option("epsilon", None)
    ('age, sex', 'none')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, tuple) else shown(name, value)


def number(event: Event, name: str) -> Fraction | None:
    """Return an option that is a number, or None."""
    value = event.parameters.get(name)
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        return None
    return Fraction(value)


def _plainly(event: Event) -> str:
    options = [f"{name} = {option(name, value)}" for name, value in event.parameters.items()]
    counts = [f"{name} = {count:,}" for name, count in event.counts.items()]
    told = ", ".join([*options, *counts])
    return f"Step “{event.name}”{f' with {told}' if told else ''}."


def _mii_suppress(event: Event) -> str:
    theta = number(event, "theta")
    rare = (
        "rare" if theta is None else f"shared by at most {counted(int(theta), 'person', 'people')}"
    )
    text = f"Values were blanked out wherever they were part of a combination {rare}"
    hidden, cells = event.counts.get("n_cells_suppressed"), event.counts.get("n_cells")
    if hidden is None:
        return f"{text}."
    share = f" of {cells:,} ({percent(hidden / cells)})" if cells else ""
    return f"{text}: {counted(hidden, 'cell')}{share}."


def _enforce_classes(event: Event) -> str:
    k = number(event, "k")
    others = "too few others" if k is None else f"fewer than {counted(int(k) - 1, 'other')}"
    dropped = event.counts.get("n_rows_dropped", 0)
    blanked = event.counts.get("n_rows_suppressed", 0)
    text = f"Rows that still had {others} like them were"
    if blanked:
        also = f", and {counted(dropped, 'row')} taken out" if dropped else ""
        return f"{text} blanked out completely: {counted(blanked, 'row')}{also}."
    return f"{text} taken out: {counted(dropped, 'row')}."


def _split_rows(event: Event) -> str:
    rate = number(event, "split_rate")
    share = "a part" if rate is None else f"each with a chance of {percent(float(rate))}"
    return f"Rows were set aside by chance ({share}) to learn which combinations are common."


def _learn_scheme(event: Event) -> str:
    scheme = event.parameters.get("scheme")
    source = {
        "public": "was learnt from public data, so nobody in this table is touched by it",
        "dp": "was learnt from the rows set aside, with random noise added to every count",
        "split": "was learnt from the rows set aside as they are, without noise",
    }.get(str(scheme), "was learnt")
    return f"What is common enough to be shown {source}."


def _suppress_by_scheme(event: Event) -> str:
    columns = event.parameters.get("columns")
    where = f" in {listed(columns)}" if isinstance(columns, tuple) and columns else ""
    return f"Values that are not common enough were blanked out{where}."


def _bernoulli_sample(event: Event) -> str:
    beta = number(event, "beta")
    chance = "" if beta is None else f" with a chance of {percent(float(beta))}"
    return f"Each remaining row was kept only by chance{chance}, drawn independently."


def _k_suppress(event: Event) -> str:
    k = number(event, "k")
    least = "too few" if k is None else f"fewer than {int(k)}"
    return f"Of the rows kept, those of which there were {least} alike were taken out."


def _restrict_to_part(event: Event) -> str:
    part = event.part
    return _plainly(event) if part is None else f"Only the part {part[0]} = {part[1]} was used."


def _sanitization(event: Event) -> str:
    done = {
        "additive": "Supports were raised as if some rows were there more often",
        "suppressive": "Rows in small groups were left out before counting",
        "certified": "Rows were changed until no group of them was small, and then counted",
    }.get(event.name.partition("_")[0], "Supports were changed")
    k = number(event, "k")
    groups = "small groups" if k is None else f"groups of fewer than {int(k)}"
    return f"{done}, so that {groups} cannot be told apart."


def _grouped(event: Event) -> str:
    how = {
        "set_cover": "by covering them with combinations of groups that many share",
        "forest": "by growing trees of rows that are near each other",
        "agglomerative": "by joining groups that are near each other",
        "mondrian": "by cutting them at one column after another",
        "datafly": "by taking whole columns up their hierarchy, that with most values first",
        "incognito": "by taking whole columns up their hierarchy, as little as possible",
    }[event.name]
    bounded = event.parameters.get("candidates") == "bounded"
    part = "; not all combinations were looked at, so that nothing is proved of the loss"
    return f"Rows were put into groups {how}{part if bounded else ''}."


def _generalize(event: Event) -> str:
    columns = event.parameters.get("columns")
    where = f" in {listed(columns)}" if isinstance(columns, tuple) and columns else ""
    text = f"Every row now shows{where} only what all rows of its group have in common"
    dropped = event.counts.get("n_rows_dropped", 0)
    return f"{text}; {counted(dropped, 'row')} were dropped." if dropped else f"{text}."


def _obey_rules(event: Event) -> str:
    columns, homes = event.parameters.get("sensitive"), event.parameters.get("households")
    told = []
    if isinstance(columns, tuple) and columns:
        told.append(f"its values of {listed(columns)} are mixed as claimed")
    if homes is not None:
        told.append("it has rows of at least as many households as it must have rows")
    return f"Groups were chosen so that in each {' and '.join(told)}." if told else _plainly(event)


def _mean_weights(event: Event) -> str:
    column = option("column", event.parameters.get("column"))
    return f"Every row shows the mean of its group in {column}, the weights."


def _randomized(event: Event) -> str:
    n_items = number(event, "n_items")
    among = f" of {counted(int(n_items), 'item')}" if n_items is not None else ""
    return (
        f"Every transaction was randomized on its own, by {event.name.replace('_', '-')}: some of "
        f"its items were kept, and others{among} were put in at random."
    )


def _leave_out_large(event: Event) -> str:
    most = number(event, "max_size")
    left_out = counted(event.counts.get("n_left_out", 0), "transaction")
    than = "" if most is None else f" of more than {counted(int(most), 'item')}"
    return f"Transactions{than} were left out: {left_out}."


def _lists(found: list[Event]) -> str:
    public = all(event.parameters.get("is_public") is True for event in found)
    source = "were given, and are public" if public else "were read from the table"
    return f"The values that columns can have {source}: {counted(len(found), 'column')}."


def _counts(found: list[Event]) -> str:
    text = "Values and pairs of values were counted, and random noise was added to every count"
    n_tables = sum(event.name == "measure_counts" for event in found)
    chosen = (
        "; which pairs, was chosen by noisy measures of how much columns depend on each other"
        if n_tables < len(found)
        else ""
    )
    return f"{text}: {counted(n_tables, 'table')}{chosen}."


def _cells(found: list[Event]) -> str:
    return (
        "Every cell was kept or replaced by another value at random, before anything was learnt: "
        f"{counted(len(found), 'column')}."
    )


def _draw_rows(event: Event) -> str:
    # Version 1 of the certificate calls the generator by Krimp a code tree.
    by_krimp = event.parameters.get("generator") in {"krimp", "code-tree"}
    model = "a code tree made from them" if by_krimp else "them"
    return f"Rows were drawn from {model} alone: none of them is a person's."


# Steps that are told together, and how.
_GROUPS = {
    "list_values": "lists",
    "measure_counts": "counts",
    "measure_dependence": "counts",
    "randomize_cells": "cells",
}

_SUMS: dict[str, Callable[[list[Event]], str]] = {
    "lists": _lists,
    "counts": _counts,
    "cells": _cells,
}

_WORDS: dict[str, Callable[[Event], str]] = {
    "mii_suppress": _mii_suppress,
    "enforce_classes": _enforce_classes,
    "split_rows": _split_rows,
    "learn_scheme": _learn_scheme,
    "suppress_by_scheme": _suppress_by_scheme,
    "bernoulli_sample": _bernoulli_sample,
    "k_suppress": _k_suppress,
    "restrict_to_part": _restrict_to_part,
    "additive_sanitization": _sanitization,
    "suppressive_sanitization": _sanitization,
    "certified_sanitization": _sanitization,
    **dict.fromkeys(
        ("set_cover", "forest", "agglomerative", "mondrian", "datafly", "incognito"), _grouped
    ),
    "generalize": _generalize,
    "obey_rules": _obey_rules,
    "mean_weights": _mean_weights,
    **dict.fromkeys(("cut_and_paste", "select_a_size", "uniform"), _randomized),
    "leave_out_large": _leave_out_large,
    "draw_rows": _draw_rows,
}


# Of drawn rows: every quantity that was measured, its noise, and what it cost.

NOTE = (
    "Which noise was drawn cannot be seen; that it was drawn as stated rests on whoever made the "
    "release."
)


def measured_section(subject: Subject) -> Section:
    """Return what the rows were drawn from."""
    events = subject.release.events
    cells = [event for event in events if event.name == "randomize_cells"]
    measured = [event for event in events if event.name.startswith("measure_")]
    return Section(
        name="measured",
        title="What the rows were drawn from",
        lead="No released row is a person's. Everything that was learnt from people is listed "
        "here, with the noise it got; whatever is computed from it gives away nothing more.",
        blocks=[_randomized_cells(cells) if cells else _quantities(measured)],
    )


def _quantities(measured: list[Event]) -> Grid:
    rows = [
        (
            label(str(event.parameters.get("what"))),
            option("n_numbers", event.parameters.get("n_numbers")),
            option("sensitivity", event.parameters.get("sensitivity")),
            f"{event.parameters.get('law')}, {_spread(event):,.1f}",
        )
        for event in measured
    ]
    return Grid(
        caption="Measured quantities",
        header=("what", "numbers", "change by one row", "noise: law, standard deviation in rows"),
        rows=rows,
        numeric=frozenset((1, 2)),
        note="The change is the sum of squares for Gaussian noise, the sum for Laplace noise. "
        f"{NOTE}",
    )


def _randomized_cells(cells: list[Event]) -> Grid:
    rows = [
        (
            label(str(event.parameters.get("column"))),
            option("epsilon", event.parameters.get("epsilon")),
            f"{float(number(event, 'p') or 0):.2%}",
        )
        for event in cells
    ]
    return Grid(
        caption="Randomized cells",
        header=("column", "epsilon of a cell", "chance that it keeps its value"),
        rows=rows,
        numeric=frozenset((1, 2)),
        note=f"What a row gives away is the sum over its cells. {NOTE}",
    )


def _spread(event: Event) -> float:
    """Return about the standard deviation of the noise on one number."""
    scale = float(number(event, "scale") or Fraction(0))
    return math.sqrt(scale) if event.parameters.get("law") == "gaussian" else math.sqrt(2) * scale


# Everything exact: the claim, the steps, the columns, and how to repeat it.


def parameters_section(
    release: AnyRelease,
    *,
    columns: Grid,
    command: str | None = None,
    policy: str | None = None,
    hashes: Mapping[str, str] | None = None,
) -> Section:
    """Return all figures of the certificate, and how to make the release again."""
    blocks: list[Block] = [_claim(release)]
    blocks += [_steps(release)] if release.events else []
    blocks += [columns, _origin(release, hashes or {})]
    blocks += [Code(title="Command", text=command)] if command else []
    blocks += [Code(title="Policy", text=policy)] if policy else []
    return Section(
        name="details",
        title="All figures",
        lead="For those who check or repeat the work. Numbers are exact, or rounded so that they "
        "never claim more than is true.",
        blocks=blocks,
    )


def _claim(release: AnyRelease) -> Grid:
    claim = release.guarantee
    rows = [("model", claim.model), ("protects", claim.unit)]
    rows += [
        (name, option(name, value) + _exactly(value)) for name, value in claim.parameters.items()
    ]
    rows += [("neighbours", claim.neighbours)] if claim.neighbours else []
    rows += [("columns", listed(map(label, claim.columns)))] if claim.columns else []
    rows.append(("experimental", option("experimental", claim.experimental)))
    return Grid(caption="The claim and its parameters", header=("what", "value"), rows=rows)


def _exactly(value: object) -> str:
    """Return a fraction beside its decimal, if it is short enough to be read."""
    if not isinstance(value, Fraction) or value.denominator == 1:
        return ""
    text = f"{value.numerator}/{value.denominator}"
    return f" (exactly {text})" if len(text) <= 24 else ""


def _steps(release: AnyRelease) -> Grid:
    rows = [
        (
            f"{place}. {event.name}",
            "; ".join(
                f"{name} = {option(name, value)}" for name, value in event.parameters.items()
            ),
            "; ".join(f"{name} = {count:,}" for name, count in event.counts.items()),
        )
        for place, event in enumerate(release.events, start=1)
    ]
    return Grid(caption="What was done, in order", header=("step", "options", "counts"), rows=rows)


def released_columns(subject: Subject) -> Grid:
    """Return the columns of a released table, and which of them the claim is about."""
    # The columns of itemsets are not those that a claim about patterns names.
    covered = set(subject.release.guarantee.columns) & set(subject.data.columns)
    rows = [
        (
            label(name),
            subject.data.role(name),
            "yes" if name in covered or not covered else "no",
            f"{len([value for value in subject.data.values(name) if value is not None]):,}",
        )
        for name in subject.data.columns
    ]
    return Grid(
        caption="The columns of the release",
        header=("column", "role", "covered by the claim", "different values"),
        rows=rows,
        numeric=frozenset((3,)),
    )


def _origin(release: AnyRelease, hashes: Mapping[str, str]) -> Grid:
    rows = [
        ("made on", f"{release.created:%Y-%m-%d %H:%M:%S} UTC"),
        ("made with", f"discreet {release.version}"),
    ]
    if release.fingerprint is not None:
        rows += [
            ("fingerprint of the input (keyed)", release.fingerprint.mac),
            ("key of the fingerprint", release.fingerprint.key_id),
        ]
    rows += [(f"SHA-256 of {name}", digest) for name, digest in hashes.items()]
    return Grid(
        caption="Where it comes from and how to repeat it", header=("what", "value"), rows=rows
    )
