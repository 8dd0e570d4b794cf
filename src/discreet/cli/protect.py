"""``discreet protect``: a release of a file by one method, without a policy file."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.files import Bins, Categorical, ColumnNames, File, Json, parse_names
from discreet.cli.flow import (
    Columns,
    Format,
    FormatOption,
    HierarchyFiles,
    HierarchyFolder,
    InternalReport,
    LedgerPlace,
    NoReport,
    Out,
    Overwrite,
    Roles,
    Source,
    hierarchy_section,
    ledger_section,
    parse_settings,
    policy_of,
    run_and_show,
)


def protect(
    method: Annotated[
        str,
        typer.Argument(
            help="k-mii, mii-suppress, dp-mii-suppress, set-cover, forest, agglomerative, "
            "mondrian, datafly or incognito.",
            show_default=False,
        ),
    ],
    file: File,
    *,
    output: Out,
    k: Annotated[
        int | None,
        typer.Option("-k", help="Least size of a class; all but mii-suppress."),
    ] = None,
    hierarchy: HierarchyFiles = None,
    hierarchies: HierarchyFolder = None,
    l: Annotated[  # noqa: E741  the paper's letter
        str | None,
        typer.Option(
            "-l", help="Generalization: l-diversity of the sensitive columns in every class."
        ),
    ] = None,
    t: Annotated[
        str | None,
        typer.Option(
            "-t", help="Generalization: t-closeness of the sensitive columns, from 0 to 1."
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="Generalization: what is to be small: lm, entropy, tree, suppression."),
    ] = None,
    leftover: Annotated[
        str | None,
        typer.Option(help="k-mii: `drop` rows in smaller classes, or `suppress` all their cells."),
    ] = None,
    sample_size: Annotated[
        int | None, typer.Option(help="k-mii: look for rare combinations in so many rows only.")
    ] = None,
    theta: Annotated[
        int | None,
        typer.Option(help="mii-suppress: a combination is rare if at most so many rows share it."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="dp-mii-suppress: privacy loss, an exact decimal.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="dp-mii-suppress: far below 1 / rows, as in `1e-6`.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(help="dp-mii-suppress: how the cells to hide are learnt.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any other option of the method, as `name=value`. Repeatable."),
    ] = None,
    columns: Columns = None,
    role: Roles = None,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    format: FormatOption = Format.PARQUET,  # noqa: A002  what people call it
    ledger: LedgerPlace = None,
    source: Source = None,
    no_report: NoReport = False,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Protect a table by one method: a folder with the data, its certificate and a report.

    k-mii makes every row the same as at least k - 1 others by hiding values; mii-suppress hides
    rare combinations only; dp-mii-suppress is differentially private. set-cover and the others
    generalize: they show groups of a hierarchy in place of values. The release is verified
    before the folder appears. `discreet init` writes the same choices as a policy to keep.

    Examples:

        discreet protect k-mii people.csv -k 5 -o out --role name=identifying --bins age=20,40,60

        discreet protect mii-suppress people.csv --theta 4 -o out

        discreet protect dp-mii-suppress people.csv --epsilon 1 --delta 1e-6 -k 20 -o out

        discreet protect set-cover people.csv -k 10 --hierarchy age=age.csv -o out

        discreet protect mondrian people.csv -k 5 -l 3 --hierarchies trees -o out
    """
    given: dict[str, object] = {
        "name": method,
        "k": k,
        "l": l,
        "t": t,
        "loss": loss,
        "leftover": leftover,
        "sample_size": sample_size,
        "theta": theta,
        "epsilon": epsilon,
        "delta": delta,
        "scheme": scheme,
        "columns": parse_names(columns),
        **parse_settings(option),
    }
    sections: dict[str, dict[str, object]] = {
        "release": {"format": format.value, "report": not no_report},
        **hierarchy_section(file, hierarchy, hierarchies, names),
        **ledger_section(ledger, source),
    }
    policy = policy_of(
        file, given, bins=bins, categorical=categorical, role=role, names=names, **sections
    )
    run_and_show(
        policy,
        output,
        overwrite=overwrite,
        internal_report=internal_report,
        as_json=as_json,
    )
