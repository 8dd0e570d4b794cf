"""The steps of a method, each in a sentence that needs no background."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import wraps
from itertools import groupby
from typing import TYPE_CHECKING, Any

from discreet.release.exact import shown
from discreet.release.method import PATH, resolve
from discreet.release.methods import METHODS
from discreet.report.blocks import Code, Grid, Section
from discreet.report.text import counted, label, listed, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from discreet.release.event import Event, Option
    from discreet.release.release import Release
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject


def in_words(event: Event) -> str:
    """Return a step as a sentence; a step that no method has words for, by its options.

    Examples
    --------
    >>> from discreet.release.event import Event
    >>> in_words(Event(name="enforce_classes", parameters={"k": 5, "leftover": "drop"},
    ...                counts={"n_rows_dropped": 12, "n_rows_suppressed": 0}))
    'Records in equivalence classes of fewer than 5 were suppressed: 12 records.'
    """
    return " ".join(steps_in_words([event]))


def steps_in_words(events: Sequence[Event]) -> list[str]:
    """Return all steps as sentences; neighbours that one function describes, together.

    Examples
    --------
    >>> from discreet.release.event import Event
    >>> steps_in_words([Event(name="randomize_cells")] * 2 + [Event(name="draw_rows")])[1]
    'Synthetic rows were drawn from these measurements only.'
    """
    known = words_of_events()
    sentences: list[str] = []
    for words, same in groupby(events, key=lambda event: known.get(event.name)):
        found = list(same)
        if words is None:
            sentences += [_plainly(event) for event in found]
        elif PATH.fullmatch(words):
            sentences.append(resolve(words)(found))
        else:
            sentences += [_filled(words, event) for event in found]
    return sentences


def words_of_events() -> dict[str, str]:
    """Return the name of every step that has words, and the words or the path of its function."""
    of_methods = {
        name: words for record in METHODS.values() for name, words in record.words.items()
    }
    return {**_LATER_STEPS, **of_methods}


def _filled(words: str, event: Event) -> str:
    """Return words with the options and counts of a step in their places."""
    options = {name: option(name, value) for name, value in event.parameters.items()}
    counts = {name: f"{count:,}" for name, count in event.counts.items()}
    try:
        return words.format_map({**options, **counts})
    except KeyError:  # written by another version, which has no such option
        return _plainly(event)


def _each(sentence: Callable[[Event], str]) -> Callable[[list[Event]], str]:
    """Make a function of one step into one of several."""

    @wraps(sentence)
    def sentences(events: list[Event]) -> str:
        return " ".join(map(sentence, events))

    return sentences


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
    details = ", ".join([*options, *counts])
    return f"Step “{event.name}”{f' with {details}' if details else ''}."


@_each
def mii_suppress(event: Event) -> str:
    """Say suppression of identifying combinations."""
    theta = number(event, "theta")
    # Of people or of rows: the claim names the unit, once.
    rare = "rare" if theta is None else f"that fewer than {int(theta) + 1} share"
    most = number(event, "max_size")
    size = "" if most is None else f"of at most {counted(int(most), 'value')} "
    text = f"Values in combinations {size}{rare} were suppressed"
    suppressed, cells = event.counts.get("n_cells_suppressed"), event.counts.get("n_cells")
    if suppressed is None:
        return f"{text}."
    share = f" of {cells:,} ({percent(suppressed / cells)})" if cells else ""
    return f"{text}: {counted(suppressed, 'cell')}{share}."


@_each
def enforce_classes(event: Event) -> str:
    """Say the records in classes that are too small."""
    k = number(event, "k")
    small = "small equivalence classes"
    if k is not None:
        small = f"equivalence classes of fewer than {int(k)}"
    dropped = event.counts.get("n_rows_dropped")
    blank = event.counts.get("n_rows_suppressed", 0)
    if dropped is None:
        done = (
            "All cells of records" if event.parameters.get("leftover") == "suppress" else "Records"
        )
        return f"{done} in {small} were suppressed."
    if blank:
        also = f", and {counted(dropped, 'record')} suppressed" if dropped else ""
        return f"All cells of records in {small} were suppressed: {counted(blank, 'record')}{also}."
    return f"Records in {small} were suppressed: {counted(dropped, 'record')}."


@_each
def split_rows(event: Event) -> str:
    """Say the rows that were set aside."""
    rate = number(event, "split_rate")
    share = "a part" if rate is None else f"each with probability {percent(float(rate))}"
    return f"Rows were set aside at random ({share}) to learn which combinations are common."


@_each
def learn_scheme(event: Event) -> str:
    """Say how it was learnt what is common."""
    scheme = event.parameters.get("scheme")
    source = {
        "public": "were learnt from public data, so this costs no record of the table anything",
        "dp": "were learnt from the rows set aside, with random noise added to every count",
        "split": "were learnt from the rows set aside, without noise",
    }.get(str(scheme), "were learnt")
    return f"The values that are common enough to be shown {source}."


@_each
def suppress_by_scheme(event: Event) -> str:
    """Say suppression by a scheme."""
    columns = event.parameters.get("columns")
    where = f" in {listed(columns)}" if isinstance(columns, tuple) and columns else ""
    return f"Values that are not common enough were suppressed{where}."


@_each
def bernoulli_sample(event: Event) -> str:
    """Say the sample."""
    beta = number(event, "beta")
    chance = "" if beta is None else f" with probability {percent(float(beta))}"
    return f"Each remaining row was sampled{chance}, independently of the others."


@_each
def restrict_to_part(event: Event) -> str:
    """Say the part that was used."""
    part = event.part
    return _plainly(event) if part is None else f"Only the part {part[0]} = {part[1]} was used."


@_each
def set_cover(event: Event) -> str:
    """Say how clusters were made by covering the rows."""
    bounded = event.parameters.get("candidates") == "bounded"
    part = "; not all combinations were examined, so nothing is proved about the loss"
    return (
        "Rows were clustered by covering them with combinations of groups that many rows "
        f"share{part if bounded else ''}."
    )


@_each
def generalize(event: Event) -> str:
    """Say what generalized rows show."""
    columns = event.parameters.get("columns")
    where = f" in {listed(columns)}" if isinstance(columns, tuple) and columns else ""
    text = f"Every row shows{where} only what all rows of its cluster have in common"
    dropped = event.counts.get("n_rows_dropped", 0)
    return f"{text}; {counted(dropped, 'record')} were suppressed." if dropped else f"{text}."


@_each
def obey_rules(event: Event) -> str:
    """Say the rules that clusters obey."""
    columns, homes = event.parameters.get("sensitive"), event.parameters.get("households")
    rules = []
    if isinstance(columns, tuple) and columns:
        rules.append(f"its values of {listed(columns)} are mixed as claimed")
    if homes is not None:
        rules.append("it has rows of at least as many households as it must have rows")
    if not rules:
        return _plainly(event)
    return f"Clusters were chosen so that in each {' and '.join(rules)}."


@_each
def carry_column(event: Event) -> str:
    """Say what rows show of a column that is only carried along."""
    said = event.parameters
    shows, column = said.get("shows"), label(str(said.get("column")))
    step, low = option("step", said.get("step")), option("low", said.get("low"))
    rounding = "" if said.get("step") is None else f", rounded to multiples of {step}"
    ends = ""
    if said.get("low") is not None:
        high = option("high", said.get("high"))
        ends = f" Numbers below {low} and above {high} were taken for these."
    if shows == "values":
        return f"Column {column} is only carried along, outside the claim{rounding}.{ends}"
    least = said.get("least")
    return (
        f"Column {column} is only carried along, outside the claim: every row shows the {shows} of "
        f"its class{rounding}, or nothing where fewer than {least} in it have a number.{ends}"
    )


@_each
def randomized_transactions(event: Event) -> str:
    """Say the operator."""
    n_items = number(event, "n_items")
    among = f" of {counted(int(n_items), 'item')}" if n_items is not None else ""
    return (
        f"Every transaction was randomized on its own, by {event.name.replace('_', '-')}: some of "
        f"its items were kept, and others{among} were added at random."
    )


@_each
def leave_out_large(event: Event) -> str:
    """Say which transactions were suppressed."""
    most = number(event, "max_size")
    suppressed = counted(event.counts.get("n_left_out", 0), "transaction")
    than = "" if most is None else f" of more than {counted(int(most), 'item')}"
    return f"Transactions{than} were suppressed: {suppressed}."


def selected_values(found: list[Event]) -> str:
    """Say how values were selected."""
    tau = found[0].parameters["tau"]
    return (
        "Every value that occurs was counted, random noise was added to every count, and values "
        f"with a noisy count of at least {tau} were listed; all others are one value, 'other'."
    )


def listed_values(found: list[Event]) -> str:
    """Say where the lists of values come from."""
    source = "were read from the table"
    if all(event.parameters.get("is_public") is True for event in found):
        source = "were given, and are public"
    elif all("n_selected" in event.parameters for event in found):
        source = "were selected with noise"
    return f"The values that columns can have {source}: {counted(len(found), 'column')}."


def measured_counts(found: list[Event]) -> str:
    """Say what was counted with noise."""
    text = "Values and pairs of values were counted, and random noise was added to every count"
    n_tables = sum(event.name == "measure_counts" for event in found)
    chosen = (
        "; the pairs were chosen by noisy measures of how much columns depend on each other"
        if n_tables < len(found)
        else ""
    )
    return f"{text}: {counted(n_tables, 'table')}{chosen}."


def randomized_cells(found: list[Event]) -> str:
    """Say how cells were randomized."""
    return (
        "Every cell was kept or replaced by another value at random, before anything was learnt: "
        f"{counted(len(found), 'column')}."
    )


@_each
def draw_rows(event: Event) -> str:
    """Say what synthetic rows were drawn from."""
    # Version 1 of the certificate calls the generator by Krimp a code tree.
    by_krimp = event.parameters.get("generator") in {"krimp", "code-tree"}
    model = "a code tree made from these measurements" if by_krimp else "these measurements"
    return f"Synthetic rows were drawn from {model} only."


# Steps that are done to a release, or before one, by no method of the registry.
_LATER_STEPS = {"restrict_to_part": f"{__name__}:restrict_to_part"}


# Of synthetic rows: every quantity that was measured, its noise, and what it cost.

NOTE = "That the noise was drawn as stated is not checkable from the files."


def measured_section(subject: Subject) -> Section:
    """Return the measurements that synthetic rows were drawn from."""
    events = subject.release.events
    cells = [event for event in events if event.name == "randomize_cells"]
    measured = [event for event in events if event.name.startswith("measure_")]
    return Section(
        name="measured",
        title="Measurements",
        lead="No synthetic row is a person's record. Everything that was measured in the original "
        "is listed here, with its noise; whatever is computed from it discloses nothing more.",
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
        header=("column", "epsilon of a cell", "probability that it keeps its value"),
        rows=rows,
        numeric=frozenset((1, 2)),
        note=f"The epsilon of a row is the sum over its cells. {NOTE}",
    )


def _spread(event: Event) -> float:
    """Return about the standard deviation of the noise on one number."""
    scale = float(number(event, "scale") or Fraction(0))
    return math.sqrt(scale) if event.parameters.get("law") == "gaussian" else math.sqrt(2) * scale


# Everything exact: the claim, the steps, the columns, and how to repeat it.


def parameters_section(
    release: Release[Any],
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


def _claim(release: Release[Any]) -> Grid:
    claim = release.guarantee
    rows = [("model", claim.model), ("unit of privacy", claim.unit)]
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


def _steps(release: Release[Any]) -> Grid:
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
    return Grid(caption="The steps, in order", header=("step", "options", "counts"), rows=rows)


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


def _origin(release: Release[Any], hashes: Mapping[str, str]) -> Grid:
    rows = [
        ("made on", f"{release.created:%Y-%m-%d %H:%M:%S} UTC"),
        ("made with", f"discreet {release.version}"),
    ]
    if release.fingerprint is not None and not release.guarantee.is_differentially_private:
        rows += [
            ("fingerprint of the input (keyed)", release.fingerprint.mac),
            ("key of the fingerprint", release.fingerprint.key_id),
        ]
    rows += [(f"SHA-256 of {name}", digest) for name, digest in hashes.items()]
    return Grid(caption="Origin and hashes", header=("what", "value"), rows=rows)
