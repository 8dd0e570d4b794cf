"""``discreet verify``: whether a release is what it claims to be."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.files import Bins, ColumnNames, Json, parse_bins, parse_names
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.cli.tell import told_warnings


def verify(
    folder: Annotated[Path, typer.Argument(help="The release folder.", show_default=False)],
    *,
    original: Annotated[
        Path | None,
        typer.Option(
            help="The file that the release was made from, to check more.", show_default=False
        ),
    ] = None,
    bins: Bins = None,
    names: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Recompute what a release claims from its files, and say whether it holds.

    Exit code 0 if it holds, 1 if it does not or could not be recomputed, 2 if there is no
    release. With the original, which only its curator has, claims about the original are
    recomputed too. It is read as the policy in the folder says; without one, give --bins
    and --names as they were when the release was made.

    Examples:

        discreet verify release/

        discreet verify release/ --original people.csv --json
    """
    import discreet as dc

    source = None
    if original is not None:
        from discreet.policy.original import read_original

        with told_warnings():
            source = read_original(
                original, release=folder, bins=parse_bins(bins), names=parse_names(names)
            )
    with progress_bar(f"verifying {folder}") as progress:
        found = dc.verify_release(folder, original=source, progress=progress)
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)
        if found.not_protected:
            show("Not protected:", *(f"  {each}" for each in found.not_protected))
    if not found.passed:
        raise typer.Exit(1)
