"""``discreet protect``: a release of a file by one method, without a policy file."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.files import Bins, Categorical, File, Json
from discreet.cli.flow import (
    Columns,
    Format,
    FormatOption,
    InternalReport,
    LedgerPlace,
    NoReport,
    Out,
    Overwrite,
    Roles,
    Source,
    ledger_section,
    parse_names,
    parse_settings,
    policy_of,
    run_and_show,
)


def protect(
    method: Annotated[
        str,
        typer.Argument(help="k-mii, mii-suppress or dp-mii-suppress.", show_default=False),
    ],
    file: File,
    *,
    output: Out,
    k: Annotated[
        int | None, typer.Option("-k", help="k-mii, dp-mii-suppress: least size of a class.")
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
    format: FormatOption = Format.PARQUET,  # noqa: A002  what people call it
    ledger: LedgerPlace = None,
    source: Source = None,
    no_report: NoReport = False,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Protect a table by one method: a folder with the data, its certificate and a report.

    k-mii makes every row the same as at least k - 1 others; mii-suppress hides rare
    combinations only; dp-mii-suppress is differentially private. The release is verified
    before the folder appears. `discreet init` writes the same choices as a policy to keep.

    Examples:

        discreet protect k-mii people.csv -k 5 -o out --role name=identifying --bins age=20,40,60

        discreet protect mii-suppress people.csv --theta 4 -o out

        discreet protect dp-mii-suppress people.csv --epsilon 1 --delta 1e-6 -k 20 -o out
    """
    given: dict[str, object] = {
        "name": method,
        "k": k,
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
        **ledger_section(ledger, source),
    }
    policy = policy_of(file, given, bins=bins, categorical=categorical, role=role, **sections)
    run_and_show(
        policy,
        output,
        overwrite=overwrite,
        internal_report=internal_report,
        as_json=as_json,
    )
