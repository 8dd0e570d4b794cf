"""``discreet diff``: which cells of a release are not what they were."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import Bins, ColumnNames, Json, parse_bins, parse_names
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.cli.tell import told_warnings
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.data.table import Table
    from discreet.release.release import Release


def diff(
    original: Annotated[
        Path,
        typer.Argument(help="The file that the release was made from.", show_default=False),
    ],
    release: Annotated[
        Path, typer.Argument(help="A release folder, or a table.", show_default=False)
    ],
    *,
    bins: Bins = None,
    names: ColumnNames = None,
    same_order: Annotated[
        bool,
        typer.Option(
            "--same-order",
            help="Row by row, in the order of the files; for tables of equal length.",
        ),
    ] = False,
    n_shown: Annotated[int, typer.Option("--show", min=0, help="How many changes to show.")] = 10,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Write all changed cells here: .csv or .parquet.",
            show_default=False,
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file if it exists.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show which cells changed between an original and a release, and how many rows were dropped.

    Exit code 0 if nothing differs, 1 if something does. A release has lost the order of its
    rows: each is set beside a row that it can have come from. Bins are read from the policy in
    the release's folder, if it has one. Neither input is changed. What is shown is as secret as
    the original.

    Examples:

        discreet diff people.csv out

        discreet diff people.csv out --bins age=20,40,60 -o changed.parquet

        discreet diff people.csv edited.csv --same-order --show 50
    """  # fmt: skip
    import numpy as np

    import discreet as dc
    from discreet.data.table import Table
    from discreet.data.write import write_table
    from discreet.policy.original import read_original
    from discreet.utility.differences import SECRET, differences

    with told_warnings():
        before = read_original(
            original, release=release, bins=parse_bins(bins), names=parse_names(names)
        )
    if not isinstance(before, dc.Table):
        raise ParameterError(f"{original} holds transactions; diff compares tables.")
    after = _released(release, bins, names)
    n_after = after.n_rows if isinstance(after, Table) else after.data.n_rows
    if same_order and n_after != before.n_rows:
        raise ParameterError(
            f"--same-order: {original} has {before.n_rows:,} rows and {release} {n_after:,}. "
            "Leave it out to have rows matched."
        )
    with progress_bar("matching rows") as progress:
        rows = np.arange(before.n_rows) if same_order else None
        found = differences(before, after, rows=rows, progress=progress)
    if output is not None:
        write_table(
            Table.from_frame(found.to_frame(), categorical=True), output, overwrite=overwrite
        )
    if as_json:
        written = None if output is None else str(output)
        show_json({**found.to_dict(), "sample": list(found.sample(n_shown)), "output": written})
    else:
        show(found, *(f"  {change}" for change in found.sample(n_shown)))
        if not found.is_exact:
            show("Rows were matched by what they show: where several fit, any of them was taken.")
        show(*(() if output is None else (f"All changed cells: {output}",)), SECRET)
    if not found.is_same:
        raise typer.Exit(1)


def _released(path: Path, bins: list[str] | None, names: str | None) -> Release | Table:
    """Return a release, or the table in a file."""
    import discreet as dc

    if path.is_dir():
        return dc.Release.load(path)
    data = dc.load(path, bins=parse_bins(bins), names=parse_names(names), categorical=True)
    if not isinstance(data, dc.Table):
        raise ParameterError(f"{path} holds transactions; diff compares tables.")
    return data
