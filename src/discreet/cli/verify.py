"""``discreet verify``: whether a release is what it claims to be."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.console import (
    Bins,
    ColumnNames,
    Json,
    Person,
    parse_bins,
    parse_names,
    progress_bar,
    show,
    show_json,
    shown_warnings,
)
from discreet.cli.flow import HierarchyFiles, HierarchyFolder, whole_hierarchies
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.data.table import Table
    from discreet.release.release import Release


class Required(StrEnum):
    """The least answer that is good enough."""

    CONSISTENT = "consistent"
    VERIFIED = "verified"


def verify(
    folder: Annotated[
        Path, typer.Argument(help="The release folder, or a zip of it.", show_default=False)
    ],
    *,
    original: Annotated[
        Path | None,
        typer.Option(
            help="The file that the release was made from, to check more.", show_default=False
        ),
    ] = None,
    bins: Bins = None,
    names: ColumnNames = None,
    base: Annotated[
        Path | None,
        typer.Option(
            help="The folder of the release whose suppressed cells were imputed, to compare with.",
            show_default=False,
        ),
    ] = None,
    person: Person = None,
    require: Annotated[
        Required,
        typer.Option(help="The least answer with exit code 0: consistent or verified."),
    ] = Required.CONSISTENT,
    hierarchy: HierarchyFiles = None,
    hierarchies: HierarchyFolder = None,
    max_bytes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Read no more than so many bytes, stored and unpacked; 2 GiB by default.",
            show_default=False,
        ),
    ] = None,
    max_cells: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Decode no more than so many cells of data; 200 million by default.",
            show_default=False,
        ),
    ] = None,
    max_columns: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Decode no more than so many columns of data; 10,000 by default.",
            show_default=False,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Recompute what a release claims from its files, and give one of three answers.

    Verified: the claim was recomputed and holds. Consistent: nothing speaks against it, but it
    rests on what cannot be seen, such as that noise was drawn. Refuted: a check failed, or the
    claim could not be recomputed. Exit code 0 if verified or consistent, 1 if refuted or
    experimental, 2 if there is no release. With the original, which only its curator has, claims
    about the original are recomputed too. It is read as the policy in the folder says; without
    one, give --bins and --names as they were when the release was made, and --person where
    people may have several rows. A release states of a hierarchy only the groups that it shows:
    with --hierarchy the values under them are compared.

    Examples:

        discreet verify release/

        discreet verify release.zip

        discreet verify release/ --require verified

        discreet verify release/ --original people.csv --json
    """
    import discreet as dc

    source = None
    if original is not None:
        from discreet.policy.load import read_original

        with shown_warnings():
            source = read_original(
                original, release=folder, bins=parse_bins(bins), names=parse_names(names)
            )
    trees = whole_hierarchies(hierarchy, hierarchies, source)
    limits = {"max_bytes": max_bytes, "max_cells": max_cells, "max_columns": max_columns}
    with progress_bar(f"verifying {folder}") as progress:
        found = dc.verify_release(
            folder,
            original=source,
            base=base,
            person=person,
            hierarchies=trees,
            progress=progress,
            **{name: limit for name, limit in limits.items() if limit is not None},
        )
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)
        if found.not_protected:
            show("Not protected:", *(f"  {each}" for each in found.not_protected))
    enough = ("verified",) if require is Required.VERIFIED else ("verified", "consistent")
    if found.answer not in enough or found.experimental:
        raise typer.Exit(1)


# ``discreet report``: one page about a release folder.


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
            help="A file of records that were not used: an internal page of synthetic rows then "
            "shows attacks on members and on these controls.",
            show_default=False,
        ),
    ] = None,
    bins: Bins = None,
    names: ColumnNames = None,
    person: Person = None,
    hierarchy: HierarchyFiles = None,
    hierarchies: HierarchyFolder = None,
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
    """Write one HTML page about a release: what it protects, what it does not, and its utility.

    The page stands alone: no script, nothing is fetched. Without --internal it shows nothing
    that the guarantee does not allow; of a differentially private release, nothing computed
    from the original. The folder itself is not changed. The original is read as the policy in
    the folder says; without one, give --bins and --names as they were when the release was made,
    and --person where people may have several rows.

    Examples:

        discreet report release

        discreet report release --original people.csv -o page.html

        discreet report release --original people.csv --internal -o for-us-only.html

        discreet report drawn --original people.csv --controls others.csv --internal -o attack.html
    """
    import discreet as dc
    from discreet.report.page import write_report

    before, others = (_table(file, folder, bins, names) for file in (original, controls))
    if before is not None and person is not None and before.people is None:
        before = before.stating(person=person)
    # A public page has the verifier look at the release alone.
    trees = whole_hierarchies(hierarchy, hierarchies, before)
    checked = dc.verify_release(
        folder, original=before if internal else None, hierarchies=trees if internal else None
    )
    with progress_bar("writing the page") as progress:
        page = write_report(
            folder,
            output,
            original=before,
            hierarchies=trees,
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
    from discreet.policy.load import read_original

    if file is None:
        return None
    with shown_warnings():
        data = read_original(file, release=folder, bins=parse_bins(bins), names=parse_names(names))
    if not isinstance(data, dc.Table):
        raise ParameterError(f"{file} holds transactions; a release is compared to a table.")
    return data


# ``discreet diff``: which cells of a release are not what they were.


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
    hierarchy: HierarchyFiles = None,
    hierarchies: HierarchyFolder = None,
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
    from discreet.policy.load import read_original
    from discreet.utility.differences import SECRET, differences

    with shown_warnings():
        before = read_original(
            original, release=release, bins=parse_bins(bins), names=parse_names(names)
        )
    if not isinstance(before, dc.Table):
        raise ParameterError(f"{original} holds transactions; diff compares tables.")
    after = _released(release, bins, names)
    n_after = len(after if isinstance(after, Table) else after.data)
    if same_order and n_after != before.n_rows:
        raise ParameterError(
            f"--same-order: {original} has {before.n_rows:,} rows and {release} {n_after:,}.",
            parameter="same_order",
            remedy="Leave it out to have rows matched.",
        )
    with progress_bar("matching rows") as progress:
        rows = np.arange(before.n_rows) if same_order else None
        trees = whole_hierarchies(hierarchy, hierarchies, before)
        found = differences(before, after, rows=rows, hierarchies=trees, progress=progress)
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


def _released(path: Path, bins: list[str] | None, names: str | None) -> Release[Any] | Table:
    """Return a release, or the table in a file."""
    import discreet as dc

    if path.is_dir():
        return dc.Release.load(path)
    data = dc.load(path, bins=parse_bins(bins), names=parse_names(names), categorical=True)
    if not isinstance(data, dc.Table):
        raise ParameterError(f"{path} holds transactions; diff compares tables.")
    return data
