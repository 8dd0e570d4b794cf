"""Options of the commands that protect a table, and how what came of it is shown."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.console import (
    parse_bins,
    parse_names,
    show,
    show_json,
    shown_warnings,
    stage_bar,
)
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.data.transactions import Transactions
    from discreet.policy import Policy, RunResult

Out = Annotated[
    Path,
    typer.Option("--output", "-o", help="The folder to make.", show_default=False),
]
Overwrite = Annotated[
    bool, typer.Option("--overwrite", help="Replace a release that is there; never anything else.")
]
Roles = Annotated[
    list[str] | None,
    typer.Option(
        "--role",
        help="`name=identifying`, `diagnosis=sensitive`, `age=quasi` or `note=insensitive`. "
        "Repeatable; columns are quasi by default.",
        show_default=False,
    ),
]
HierarchyFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--hierarchy",
        help="`age=age.csv`: the groups by which a column is generalized, a line for each value, "
        "`leaf;group;...;root`. Repeatable.",
        show_default=False,
    ),
]
HierarchyFolder = Annotated[
    Path | None,
    typer.Option(
        "--hierarchies",
        help="A folder with a hierarchy for each column: `age.csv` or `NAME_hierarchy_age.csv`.",
        show_default=False,
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(
        help="Columns that the claim covers, as `age,sex`; all but identifying ones by default.",
        show_default=False,
    ),
]
InternalReport = Annotated[
    Path | None,
    typer.Option(help="Write the page with everything in it here: not for publication."),
]


class Format(StrEnum):
    """Kind of the data file."""

    PARQUET = "parquet"
    CSV = "csv"


FormatOption = Annotated[Format, typer.Option(help="Kind of the data file.")]


class Export(StrEnum):
    """Kind of the export."""

    XLSX = "xlsx"
    DTA = "dta"
    SAV = "sav"
    CSV = "csv"
    PARQUET = "parquet"


ExportOption = Annotated[
    Export | None,
    typer.Option(
        help="Write the same data once more, for Excel (`xlsx`, `csv`), Stata (`dta`) or SPSS "
        "(`sav`): a file that no claim is about.",
        show_default=False,
    ),
]
BoundsOption = Annotated[
    bool,
    typer.Option("--bounds", help="In the export: columns with the ends of intervals."),
]
LedgerPlace = Annotated[
    str | None,
    typer.Option(help="Count the release here: an SQLite file, or a postgresql:// URL."),
]
Source = Annotated[
    str | None,
    typer.Option(help="What the data is about, for the ledger; the file's name by default."),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", help="Any option of the method, as `name=value`. Repeatable."),
]
Seed = Annotated[
    int | None,
    typer.Option(help="For experiments that are repeated. Do not publish such a release."),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Leave report.html out.")]


def parse_pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """Return ``{"name": "identifying"}`` for ``["name=identifying"]``."""
    pairs = {}
    for text in given or ():
        name, equals, value = text.rpartition("=")
        if not equals or not name or not value:
            raise typer.BadParameter(f"{text!r} is not of the form name=value.", param_hint=option)
        pairs[name] = value
    return pairs


def parse_settings(given: Sequence[str] | None) -> dict[str, object]:
    """Return ``{"split_rate": 0.3}`` for ``["split_rate=0.3"]``; what is not TOML is text."""
    settings: dict[str, object] = {}
    for name, value in parse_pairs("--set", given).items():
        try:
            settings[name] = tomllib.loads(f"v = {value}", parse_float=Decimal)["v"]
        except tomllib.TOMLDecodeError:
            settings[name] = value
    return settings


def hierarchy_section(
    file: Path, given: Sequence[str] | None, folder: Path | None, names: str | None = None
) -> dict[str, dict[str, object]]:
    """Return the section of a policy about hierarchies, if any are given."""
    from discreet.policy.load import find_hierarchies

    found: dict[str, object] = {}
    if folder is not None:
        found |= find_hierarchies(folder, file, names=parse_names(names))
    found |= parse_pairs("--hierarchy", given)
    return {"hierarchies": found} if found else {}


def whole_hierarchies(
    given: Sequence[str] | None, folder: Path | None, table: object
) -> dict[str, Hierarchy]:
    """Return the hierarchies that a command names, for the columns of a table."""
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.policy.load import fit_values, hierarchy_files

    if not given and folder is None:
        return {}
    if not isinstance(table, Table):
        raise ParameterError(
            "Hierarchies are compared with the original: give {original} too.",
            parameter="hierarchy",
            options={"original": ...},
        )
    files = {} if folder is None else hierarchy_files(folder, table.columns)
    files |= parse_pairs("--hierarchy", given)
    return {
        name: fit_values(Hierarchy.from_csv(Path(file), name=name), table.values(name), column=name)
        for name, file in files.items()
    }


def ledger_section(ledger: str | None, source: str | None) -> dict[str, dict[str, object]]:
    """Return the section of a policy about the ledger, if one is given."""
    if ledger is None:
        if source is not None:
            raise typer.BadParameter("--source names the data in a ledger: give --ledger too.")
        return {}
    place = "url" if "://" in ledger else "path"
    return {"ledger": {place: ledger, **({} if source is None else {"source": source})}}


def policy_of(
    file: Path,
    method: dict[str, object],
    *,
    bins: Sequence[str] | None = None,
    categorical: Sequence[str] | None = None,
    role: Sequence[str] | None = None,
    names: str | None = None,
    sets: Sequence[str] | None = None,
    carried: Sequence[str] | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    sections: Mapping[str, dict[str, object]] | None = None,
) -> Policy:
    """Return the policy that the options of a command make up."""
    from discreet.policy import make_policy

    source = {
        "file": str(file), "names": parse_names(names), "bins": parse_bins(bins),
        "categorical": list(categorical or ()), "sets": parse_pairs("--sets", sets),
        "carried": parse_pairs("--carried", carried),
        "person": person, "one_row_per_person": one_row_per_person,
    }  # fmt: skip
    given = {name: value for name, value in method.items() if value is not None}
    roles = parse_pairs("--role", role)
    return make_policy({"source": source, "roles": roles, "method": given, **(sections or {})})


def run_and_show(
    policy: Policy,
    folder: Path,
    *,
    overwrite: bool,
    export: Export | None = None,
    bounds: bool = False,
    internal_report: Path | None = None,
    seed: int | None = None,
    as_json: bool,
) -> None:
    """Run a policy and print what came of it."""
    policy = exporting(policy, export, bounds=bounds)
    result = run_with_bar(
        policy, folder, overwrite=overwrite, internal_report=internal_report, seed=seed
    )
    if as_json:
        show_json(result.to_dict())
    else:
        show(*summary(result), f"Next: discreet verify {result.folder}")


def exporting(policy: Policy, export: Export | None, *, bounds: bool) -> Policy:
    """Return a policy with the export that a command asks for, if it does."""
    if bounds and export is None and policy.release.export is None:
        raise ParameterError("--bounds is of an export: give --export too.", parameter="bounds")
    return policy.with_export(None if export is None else export.value, bounds=bounds)


def run_with_bar(
    policy: Policy,
    folder: Path,
    *,
    overwrite: bool,
    internal_report: Path | None = None,
    data: Table | Transactions | None = None,
    seed: int | None = None,
) -> RunResult:
    """Run a policy, warnings and the stage it is at on standard error."""
    from discreet.policy import run_policy

    with shown_warnings(), stage_bar(policy.source.file) as on_stage:
        return run_policy(
            policy, folder, overwrite=overwrite, internal_report=internal_report, data=data,
            seed=seed, on_stage=on_stage,
        )  # fmt: skip


def summary(result: RunResult) -> list[str]:
    """Return where the release is, what it claims, what was lost, what was verified."""
    lines = [
        f"The release is in {result.folder}, made in {result.seconds:.2f} s.",
        f"Guarantee: {result.guarantee.sentence}",
        f"Loss: {result.sentence}",
        result.verification.sentence,
    ]
    if result.entry is not None:
        lines.append(f"Ledger: {result.entry.sentence}.")
    if result.internal_report is not None:
        lines.append(f"Internal report, not for publication: {result.internal_report}")
    return lines
