"""``discreet choose``: which method suits a file, and the command that runs it."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from discreet.cli.files import ColumnNames, File, Json, parse_names
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable


class Publish(StrEnum):
    """What is published."""

    TABLE = "table"
    STAND_IN = "stand-in"
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
    """Recommend a method for a file: why, the command to run next, and what it leaves open.

    What the three options do not say is asked. The file is looked at; nothing is published and
    nothing written. The figures describe the data as they are: they are not for publication.

    Examples:

        discreet choose people.csv

        discreet choose people.csv --publish table --to partner --promise k-anonymity

        discreet choose baskets.dat --publish patterns --to public --promise small-groups --json
    """
    from discreet.data.files.find import find_file, inner_suffix
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
        Publish.STAND_IN: Promise.DIFFERENTIAL_PRIVACY,
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
            f"{', '.join(meanings)}, or --yes for {proposed.value}."
        )
    for answer, meaning in meanings.items():
        typer.echo(f"  {answer}: {meaning}", err=True)
    question = (type(proposed).__doc__ or "").rstrip(".")
    while (said := typer.prompt(question, default=proposed.value, err=True)) not in meanings:
        typer.echo(f"Please answer with one of {', '.join(meanings)}.", err=True)
    return type(proposed)(said)
