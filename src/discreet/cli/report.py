"""``discreet report``: one page about a release folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import Bins, ColumnNames, parse_bins, parse_names
from discreet.cli.progress import progress_bar
from discreet.cli.show import show
from discreet.cli.tell import told_warnings
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.data.table import Table


def report(
    folder: Annotated[Path, typer.Argument(help="A release folder.", show_default=False)],
    *,
    original: Annotated[
        Path | None,
        typer.Option(
            help="The file that the release was made from, to compare with.", show_default=False
        ),
    ] = None,
    controls: Annotated[
        Path | None,
        typer.Option(
            help="A file of people whose rows were not used: an internal page of drawn rows then "
            "tells what attacks find out.",
            show_default=False,
        ),
    ] = None,
    bins: Bins = None,
    names: ColumnNames = None,
    internal: Annotated[
        bool,
        typer.Option(
            "--internal", help="Show the original as it is, single people included. Not to publish."
        ),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The page to write; by default beside the folder.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the page if it exists.")
    ] = False,
) -> None:
    """Write one HTML page about a release: what it protects, what it lost, what it leaves open.

    The page stands alone: no script, nothing is fetched. Without --internal it shows nothing
    that the guarantee does not allow; of a differentially private release, nothing computed
    from the original. The folder itself is not changed. The original is read as the policy in
    the folder says; without one, give --bins and --names as they were when the release was made.

    Examples:

        discreet report release

        discreet report release --original people.csv -o page.html

        discreet report release --original people.csv --internal -o for-us-only.html

        discreet report drawn --original people.csv --controls others.csv --internal -o attack.html
    """
    import discreet as dc
    from discreet.report.write import write_report

    before, others = (_table(file, folder, bins, names) for file in (original, controls))
    # A public page has the verifier look at the release alone.
    checked = dc.verify_release(folder, original=before if internal else None)
    with progress_bar("writing the page") as progress:
        page = write_report(
            folder,
            output,
            original=before,
            controls=others,
            internal=internal,
            verification=checked,
            overwrite=overwrite,
            progress=progress,
        )
    kind = "Internal page, not for publication" if internal else "Page"
    show(f"{kind}: {page}")


def _table(
    file: Path | None, folder: Path, bins: list[str] | None, names: str | None
) -> Table | None:
    """Return the table in a file, read as for the release; None without a file."""
    import discreet as dc
    from discreet.policy.original import read_original

    if file is None:
        return None
    with told_warnings():
        data = read_original(file, release=folder, bins=parse_bins(bins), names=parse_names(names))
    if not isinstance(data, dc.Table):
        raise ParameterError(f"{file} holds transactions; a release is compared to a table.")
    return data
