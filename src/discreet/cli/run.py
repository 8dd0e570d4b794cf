"""``discreet run``: the release that a policy asks for."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import Json
from discreet.cli.flow import InternalReport, Out, Overwrite, run_and_show


def run(
    policy: Annotated[Path, typer.Argument(help="The policy (.toml).", show_default=False)],
    *,
    output: Out,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make the release that a policy asks for, verify it, and put it into a folder.

    The folder appears whole and verified, or not at all. It holds the data, certificate.json,
    report.html, and the policy without folders, ledger and remarks.

    Examples:

        discreet run policy.toml -o out

        discreet run policy.toml -o out --overwrite --internal-report internal.html --json
    """
    from discreet.policy import read_policy

    run_and_show(
        read_policy(policy),
        output,
        overwrite=overwrite,
        internal_report=internal_report,
        as_json=as_json,
    )
