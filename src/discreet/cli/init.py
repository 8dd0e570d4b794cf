"""``discreet init``: a policy for a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import ColumnNames, File, parse_names
from discreet.cli.show import show
from discreet.errors import ParameterError


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

    Examples:

        discreet init people.csv

        discreet init people.csv -o survey-2026.toml

        discreet init adult.data --names age,work,sex,income
    """
    from discreet.data.files.atomic import atomic_path
    from discreet.policy import draft_policy

    if output.exists():
        raise ParameterError(f"{output} exists and is not replaced. Give another name with -o.")
    draft = draft_policy(file, folder=output.parent, names=parse_names(names))
    with atomic_path(output) as temporary:
        temporary.write_bytes(draft.encode())
    show(
        f"{output} is written. Read it and correct the roles: they are guesses.",
        f"Next: discreet plan {output}",
    )
