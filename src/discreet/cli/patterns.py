"""``discreet patterns``: the small groups that itemsets and rules disclose, and safe ones."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.console import (
    Bins,
    Categorical,
    ColumnNames,
    File,
    Json,
    OneRowEach,
    Person,
    SetColumns,
    parse_bins,
    parse_names,
    progress_bar,
    show,
    show_json,
    shown_warnings,
)
from discreet.cli.flow import (
    Format,
    FormatOption,
    InternalReport,
    LedgerPlace,
    NoReport,
    Out,
    Overwrite,
    Roles,
    Seed,
    Source,
    ledger_section,
    policy_of,
    run_and_show,
)
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.data.table import Table
    from discreet.data.transactions import Transactions
    from discreet.mine import Itemsets
    from discreet.patterns import Channels, RuleLeaks

N_SHOWN = 20

patterns = typer.Typer(
    name="patterns",
    help="Small groups that published itemsets and rules disclose, and how to publish safely.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


class Method(StrEnum):
    """How a collection is made safe."""

    ADDITIVE = "additive"
    SUPPRESSIVE = "suppressive"
    CERTIFIED = "certified"


class PerPerson(StrEnum):
    """What becomes of several rows of one person."""

    UNITE = "unite"
    ONE = "one"


K = Annotated[int, typer.Option("-k", help="Groups of fewer rows must not be disclosed.")]
MinSupport = Annotated[int | None, typer.Option(help="Least number of rows of an itemset.")]
MinFrequency = Annotated[float | None, typer.Option(help="Least share of the rows, 0 to 1.")]
ItemColumns = Annotated[
    str | None,
    typer.Option(
        help="Columns that itemsets are about, as `age,sex`; all by default.", show_default=False
    ),
]


@patterns.command()
def check(
    file: File,
    *,
    k: K,
    min_support: MinSupport = None,
    min_frequency: MinFrequency = None,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            help="The file is not data, but a published collection of itemsets (.csv, .parquet), "
            "or the folder of a release.",
        ),
    ] = False,
    rules: Annotated[
        bool, typer.Option("--rules", help="The file holds published association rules.")
    ] = False,
    n_rows: Annotated[
        int | None, typer.Option(help="The published number of rows, if the file lacks it.")
    ] = None,
    decimals: Annotated[
        int | None, typer.Option(help="For rules: decimals of confidences and shares.")
    ] = None,
    columns: ItemColumns = None,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Find groups of fewer than K rows that itemsets or rules disclose, smallest first.

    Exit code 0 if there is none, 1 if there is one. Of data, the frequent itemsets at
    --min-support are looked at, as if they were published.

    Examples:

        discreet patterns check people.csv --min-support 100 -k 10 --columns age,sex

        discreet patterns check itemsets.csv --published -k 10 --n-rows 30162

        discreet patterns check out --published -k 10 --columns age,sex

        discreet patterns check rules.csv --rules -k 10
    """
    if not (published or rules) and (n_rows is not None or decimals is not None):
        raise ParameterError(
            "--n-rows and --decimals are for --published and --rules.", parameter="n_rows"
        )
    if (published or rules) and (bins or categorical or names):
        raise ParameterError(
            "--bins, --categorical and --names are for data, not for what was mined.",
            parameter="bins",
        )
    if rules and columns:
        raise ParameterError("--columns is not for rules.", parameter="columns")
    found: Channels | RuleLeaks
    n_dropped = 0
    with shown_warnings(), progress_bar("looking for small groups") as progress:
        if rules:
            from discreet.patterns import check_rules

            if min_support is not None or min_frequency is not None:
                raise ParameterError(
                    "--min-support and --min-frequency are not for rules.", parameter="min_support"
                )
            found = check_rules(file, k=k, n_rows=n_rows, decimals=decimals)
        elif published:
            from discreet.patterns import channels

            part = _read_published(file, min_support, min_frequency, n_rows, parse_names(columns))
            found = channels(part, k=k)
        else:
            from discreet.patterns import channels

            data = _load(file, bins, categorical, names)
            n_dropped = getattr(data, "n_dropped", 0)
            found = channels(
                data,
                k=k,
                min_support=min_support,
                min_frequency=min_frequency,
                columns=parse_names(columns),
                progress=progress,
            )
    if as_json:
        show_json({**found.to_dict(), "n_dropped": n_dropped})
    else:
        _show_leaks(found)
        if n_dropped:
            show(f"{n_dropped:,} incomplete rows were dropped.")
    if len(found):
        raise typer.Exit(1)


@patterns.command()
def sanitize(
    file: File,
    *,
    k: K,
    method: Annotated[
        Method,
        typer.Option(
            help="`additive` raises supports, `suppressive` suppresses rows, `certified` proves "
            "that nothing leaks."
        ),
    ],
    output: Out,
    min_support: MinSupport = None,
    min_frequency: Annotated[
        str | None, typer.Option(help="Least share of the rows, an exact decimal.")
    ] = None,
    columns: ItemColumns = None,
    quasi: Annotated[
        str | None,
        typer.Option(
            help="For `additive`: those columns that others can know of a person, as `age,sex`. "
            "Itemsets with values of the others are published beside them.",
            show_default=False,
        ),
    ] = None,
    role: Roles = None,
    bins: Bins = None,
    categorical: Categorical = None,
    sets: SetColumns = None,
    names: ColumnNames = None,
    person: Person = None,
    one_row_per_person: OneRowEach = False,
    per_person: Annotated[
        PerPerson | None,
        typer.Option(
            help="Where people have several rows: `unite` the transactions of a person into one, "
            "or choose `one` row of each at random; of tables `one` only.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = None,
    format: FormatOption = Format.PARQUET,  # noqa: A002  what people call it
    ledger: LedgerPlace = None,
    source: Source = None,
    no_report: NoReport = False,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Publish the frequent itemsets of a file so that no group of fewer than K rows is disclosed.

    The folder holds a row for each itemset with its support, certificate and report. It is
    verified before it appears. To publish at several supports, sanitize at the smallest one and
    derive the others.

    Examples:

        discreet patterns sanitize baskets.dat --min-support 100 -k 10 --method additive -o out

        discreet patterns sanitize people.csv --min-frequency 0.1 -k 5 --method certified -o out

        discreet patterns sanitize ill.csv --min-support 9 -k 5 --method additive --quasi age -o out
    """
    given: dict[str, object] = {
        "name": f"patterns-{method.value}",
        "k": k,
        "min_support": min_support,
        "min_frequency": min_frequency,
        "columns": parse_names(columns),
        "quasi": parse_names(quasi),
        "per_person": None if per_person is None else per_person.value,
    }
    sections: dict[str, dict[str, object]] = {
        "release": {"format": format.value, "report": not no_report},
        **ledger_section(ledger, source),
    }
    policy = policy_of(
        file, given, bins=bins, categorical=categorical, role=role, names=names, sets=sets,
        person=person, one_row_per_person=one_row_per_person, sections=sections,
    )  # fmt: skip
    run_and_show(
        policy, output, overwrite=overwrite, internal_report=internal_report, seed=seed,
        as_json=as_json,
    )  # fmt: skip


@patterns.command()
def safety(
    file: File,
    *,
    k: K,
    supports: Annotated[
        str | None, typer.Option(help="More supports to look at, as `100,200`.", show_default=False)
    ] = None,
    columns: ItemColumns = None,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Find the lowest support at which itemsets can be published as they are.

    Examples:

        discreet patterns safety baskets.dat -k 10

        discreet patterns safety people.csv -k 5 --columns age,sex --supports 100,200 --json
    """
    from discreet.patterns import support_for_safety

    more = parse_names(supports) or []
    if not all(text.isdigit() for text in more):
        raise typer.BadParameter(f"{supports!r} is no list of numbers of rows, as in 100,200.")
    with progress_bar("trying supports"):
        found = support_for_safety(
            _load(file, bins, categorical, names),
            k=k,
            columns=parse_names(columns),
            supports=[int(text) for text in more],
        )
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)
    if found.support is None:
        raise typer.Exit(1)


def _load(
    file: Path, bins: list[str] | None, categorical: list[str] | None, names: str | None
) -> Table | Transactions:
    """Return the data in a file."""
    import discreet as dc

    return dc.load(
        file, bins=parse_bins(bins), categorical=categorical or (), names=parse_names(names)
    )


def _read_published(
    file: Path,
    min_support: int | None,
    min_frequency: float | None,
    n_rows: int | None,
    columns: list[str] | None,
) -> Itemsets:
    """Return a published collection, or the part of it that is asked for."""
    from discreet.mine.database import least_support
    from discreet.patterns import derive, of_columns, read_patterns

    collection = read_patterns(file, n_rows=n_rows)
    if columns is not None:
        collection = of_columns(collection, columns=columns)
    if min_support is not None or min_frequency is not None:
        least = least_support(min_support, min_frequency, n_rows=collection.n_rows)
        collection = derive(collection, min_support=least)
    return collection


def _show_leaks(found: Channels | RuleLeaks) -> None:
    """Print what was found, smallest groups first."""
    from itertools import islice

    from discreet.patterns import RuleLeaks

    lines = [found.sentence, *(f"  {leak}" for leak in islice(found, N_SHOWN))]
    if len(found) > N_SHOWN:
        lines.append(f"  and {len(found) - N_SHOWN:,} more; --json lists all.")
    if isinstance(found, RuleLeaks) and found.possible:
        lines += ["Possibly:", *(f"  {leak}" for leak in found.possible[:N_SHOWN])]
    show(*lines)
