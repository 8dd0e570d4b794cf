"""``discreet look``: what is in a file, and who could be singled out."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from discreet.cli.console import (
    Bins,
    ColumnNames,
    File,
    Json,
    Person,
    parse_bins,
    parse_names,
    progress_bar,
    show,
    show_json,
)
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.assess.look import Look
    from discreet.data.repair.suggest import RepairSuggestions
    from discreet.data.table import Table


def look(
    file: File,
    *,
    theta: Annotated[
        int, typer.Option(help="A combination is identifying if at most this many rows share it.")
    ] = 1,
    max_size: Annotated[int, typer.Option(help="Most values in a combination.")] = 3,
    bins: Bins = None,
    names: ColumnNames = None,
    person: Person = None,
    as_json: Json = False,
) -> None:
    """Profile a file: columns, suggested roles with reasons, most identifying combinations.

    Columns that hold e-mail addresses, phone, bank or national numbers, free text or names of
    people are recognized and proposed as identifying: no release has them. A column that seems to
    say whose each row is, such as `patient_id`, is proposed for `--person`: people are protected
    then, however many rows they have.

    A combination of values is identifying if at most THETA rows share it while every part of it
    is shared by more. The output shows the data as they are: it is not for publication.

    Examples:

        discreet look people.csv

        discreet look admissions.csv --person patient_id

        discreet look people.csv --theta 4 --bins age=20,40,60 --json
    """
    import discreet as dc

    messy = _messy(file, names)
    data = dc.load(
        file, bins=parse_bins(bins), categorical=True, names=parse_names(names), person=person,
        **messy.reading,
    )  # fmt: skip
    with progress_bar("looking for rare combinations") as progress:
        seen = dc.look(data, theta=theta, max_size=max_size, progress=progress)
    if seen.columns:
        seen = replace(seen, messy=messy)  # with the lines of the file
    if as_json:
        show_json(seen.to_dict())
        return
    if isinstance(data, dc.Table) and data.source is not None:
        show(str(data.source))
        if data.source.has_header is False and names is None:
            show("The columns have no names. Give them with --names, in their order: age,sex,...")
        if data.n_columns == 1 and _holds_items(data):
            show(
                f"Each line holds several words. If they are the items of a transaction, give the "
                f"file the ending .dat: {file.with_suffix('.dat')}"
            )
    if seen.columns:
        show(seen)
    show(*filter(None, [_about(seen)]), *_mended_by(seen.messy, file))
    show(seen.sentence, *(f"  {combination}" for combination in seen.combinations))
    named = "" if names is None else f" --names {shlex.quote(names)}"
    policy = f", or: discreet init {file}{named}" if seen.columns else ""
    show(f"Next: discreet choose {file}{named}{policy}")


def _messy(file: Path, names: str | None) -> RepairSuggestions:
    """Return the repairs that a file of a table seems to need."""
    from discreet.data.files.packed import find_file, inner_suffix
    from discreet.data.repair.suggest import RepairSuggestions, suggest_repairs

    if inner_suffix(find_file(file)) in (".dat", ".num"):
        return RepairSuggestions()
    return suggest_repairs(file, names=parse_names(names))


def _mended_by(messy: RepairSuggestions, file: Path) -> list[str]:
    """Return what is messy, each with the line of a policy that mends it."""
    from discreet.policy.repairs import repair_line
    from discreet.policy.section import toml_value

    if not messy.suggestions and not messy.reading:
        return []
    lines = ["Messy cells. Nothing is changed unless a policy says so; discreet init writes these:"]
    if messy.reading:
        given = ", ".join(f"{name} = {toml_value(v)}" for name, v in messy.reading.items())
        lines.append(f"  lines and encoding, in [source]: {given}")
    for each in messy.suggestions:
        lines.append(f"  {each.column}: {each.seen}")
        lines += [f"    {doubt.replace(f' of {file}:', ':')}" for doubt in each.doubts]
        proposed = [each.repair] if each.repair is not None else each.choices
        shown = "\n    or ".join(repair_line(each.column, one) for one in proposed)
        if shown:
            lines.append(f"    {'' if each.repair else 'decide: '}{shown}")
    return lines


def _about(seen: Look) -> str:
    """Return whose the rows seem to be, and what to state of it."""
    person = seen.person
    if person is None:
        return ""
    column = shlex.quote(person.column)
    if not person.repeats:
        return (
            f"{person.column} seems to say whose each row is: {person.reason}. If you know that "
            "every row is another person, state it: --one-row-per-person, or one_row_per_person = "
            "true in a policy. The guarantee is about people then, not about rows."
        )
    return (
        f"{seen.size}: {person.column} seems to say whose each row is: {person.reason}. State it, "
        f"so that people are protected and not single rows: --person {column}, or person = "
        f'"{person.column}" in a policy. If every row is another person, state that in its place: '
        "--one-row-per-person."
    )


def _holds_items(data: Table) -> bool:
    """Say whether the only column looks as if it held sets of items."""
    values = data.values(data.columns[0])
    n_sets = sum(isinstance(value, str) and len(value.split()) > 1 for value in values)
    return n_sets > len(values) / 2


# ``discreet init``: a policy for a file.


def init(
    file: File,
    *,
    names: ColumnNames = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The policy to write; never replaced.")
    ] = Path("policy.toml"),
) -> None:
    """Write a policy for a file: suggested roles and bins, every option explained.

    A policy says where the data is, what each column is to an attacker, and how the table is
    protected. What is written is a proposal: read it, correct it, keep it with your records.

    Roles come with their reasons. Where a column seems to say whose each row is, and people have
    several rows, `run` stops until the policy states which column it is, or that every row is
    another person: the draft has both lines, switched off.

    Examples:

        discreet init people.csv

        discreet init people.csv -o survey-2026.toml

        discreet init adult.data --names age,work,sex,income
    """
    from discreet.data.files.packed import atomic_path
    from discreet.policy.init import draft

    if output.exists():
        raise ParameterError(
            f"{output} exists and is not replaced.",
            parameter="output",
            remedy="Give another name with -o.",
        )
    written = draft(file, folder=output.parent, names=parse_names(names))
    with atomic_path(output) as temporary:
        temporary.write_bytes(written.text.encode())
    show(f"{output} is written. Read it and correct the roles: they are guesses.")
    if written.messy.suggestions:
        show(f"Messy cells: {written.messy.sentence} See [repairs] in {output}.")
    if written.person is not None and written.person.repeats:
        show(
            f"People: {written.person.column} seems to say whose each row is "
            f"({written.person.reason}). State in [source] of {output} that it does, or that every "
            "row is another person: the lines are there, take the # away before one of them."
        )
    show(f"Next: discreet plan {output}")


# ``discreet choose``: which method suits a file, and the command that runs it.


class Publish(StrEnum):
    """What is published."""

    TABLE = "table"
    SYNTHETIC = "synthetic"
    PATTERNS = "patterns"
    TRANSACTIONS = "transactions"


class To(StrEnum):
    """Who receives it."""

    PUBLIC = "public"
    PARTNER = "partner"
    INSIDE = "inside"


class Promise(StrEnum):
    """What must be true of it."""

    K_ANONYMITY = "k-anonymity"
    SMALL_GROUPS = "small-groups"
    DIFFERENTIAL_PRIVACY = "differential-privacy"
    LOCAL = "local"


Answer = TypeVar("Answer", bound=StrEnum)


def choose(
    file: File,
    *,
    publish: Annotated[
        Publish | None, typer.Option(help="What is published.", show_default=False)
    ] = None,
    to: Annotated[To | None, typer.Option(help="Who receives it.", show_default=False)] = None,
    promise: Annotated[
        Promise | None, typer.Option(help="What must be true of it.", show_default=False)
    ] = None,
    k: Annotated[
        int | None, typer.Option("-k", help="People who must look alike; proposed by --to.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="Privacy loss, an exact decimal; proposed by --to.")
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Never ask: take the proposed answers.")
    ] = False,
    names: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Recommend a method for a file: why, the command to run next, and what it does not protect.

    What the three options do not say is asked. The file is looked at; nothing is published and
    nothing written. The figures describe the data as they are: they are not for publication.

    Examples:

        discreet choose people.csv

        discreet choose people.csv --publish table --to partner --promise k-anonymity

        discreet choose baskets.dat --publish patterns --to public --promise small-groups --json
    """
    from discreet.data.files.packed import find_file, inner_suffix
    from discreet.policy import choose as library

    is_table = inner_suffix(find_file(file)) != ".dat"
    what = _answer(
        "--publish", publish, library.PUBLISH.items(), yes=yes,
        proposed=Publish.TABLE if is_table else Publish.PATTERNS,
    )  # fmt: skip
    whom = _answer("--to", to, library.TO.items(), proposed=To.PUBLIC, yes=yes)
    kept = _answer("--promise", promise, library.PROMISE.items(), proposed=_usual(what), yes=yes)
    with progress_bar(f"looking at {file}"):
        found = library.choose(
            file, publish=what.value, to=whom.value, promise=kept.value, k=k, epsilon=epsilon,
            names=parse_names(names),
        )  # fmt: skip
    if as_json:
        show_json(found.to_dict())
    else:
        show(*found.lines())


def _usual(what: Publish) -> Promise:
    """Return the promise that is proposed first."""
    return {
        Publish.TABLE: Promise.K_ANONYMITY,
        Publish.SYNTHETIC: Promise.DIFFERENTIAL_PRIVACY,
        Publish.PATTERNS: Promise.SMALL_GROUPS,
        Publish.TRANSACTIONS: Promise.LOCAL,
    }[what]


def _answer(
    option: str,
    given: Answer | None,
    known: Iterable[tuple[str, str]],
    *,
    proposed: Answer,
    yes: bool,
) -> Answer:
    """Return the answer that is given, proposed or asked for; never ask without a terminal."""
    if given is not None:
        return given
    if yes:
        return proposed
    meanings = dict(known)
    if not sys.stdin.isatty():
        raise ParameterError(
            f"{option} is missing, and there is no terminal to ask: give {option} with one of "
            f"{', '.join(meanings)}, or --yes for {proposed.value}.",
            parameter=option.removeprefix("--"),
        )
    for answer, meaning in meanings.items():
        typer.echo(f"  {answer}: {meaning}", err=True)
    question = (type(proposed).__doc__ or "").rstrip(".")
    while (said := typer.prompt(question, default=proposed.value, err=True)) not in meanings:
        typer.echo(f"Please answer with one of {', '.join(meanings)}.", err=True)
    return type(proposed)(said)
