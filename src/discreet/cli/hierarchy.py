"""``discreet hierarchy``: trees by which values are generalized, built, checked and shown."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.console import ColumnNames, Json, parse_names, show, show_json
from discreet.errors import HierarchyError

if TYPE_CHECKING:
    from discreet.data.table import Table

hierarchy = typer.Typer(
    name="hierarchy",
    help="Trees by which the values of a column are generalized: build, check, show.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

HierarchyFile = Annotated[
    Path,
    typer.Argument(
        metavar="HIERARCHY",
        help="A file with a line for each value: `leaf;group;...;root`.",
        show_default=False,
    ),
]
File = Annotated[
    Path,
    typer.Argument(
        help="The data: a CSV, Parquet or Excel table; .gz, .xz and .zst are read directly.",
        show_default=False,
    ),
]
ColumnName = Annotated[str, typer.Option(help="The column of the data.", show_default=False)]


@hierarchy.command()
def build(
    file: File,
    *,
    column: ColumnName,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)
    ],
    steps: Annotated[
        str | None,
        typer.Option(help="Intervals of these widths, as `5,10,20`.", show_default=False),
    ] = None,
    origin: Annotated[float, typer.Option(help="Where an interval starts, for --steps.")] = 0,
    prefix: Annotated[
        str | None,
        typer.Option(
            help="Codes by their first characters, long to short, as `3,2,1`.", show_default=False
        ),
    ] = None,
    icd: Annotated[
        bool,
        typer.Option("--icd", help="Diagnoses of ICD-10 by category, ten categories, chapter."),
    ] = False,
    postcode: Annotated[
        bool,
        typer.Option("--postcode", help="Postcodes by area and its first 3, 2 and 1 characters."),
    ] = False,
    codes: Annotated[
        bool,
        typer.Option("--codes", help="Codes as of NACE and ISCO: one digit shorter at each level."),
    ] = False,
    dates: Annotated[
        bool, typer.Option("--dates", help="Dates by day, month, quarter, year, 5 and 10 years.")
    ] = False,
    levels: Annotated[
        str | None,
        typer.Option(
            help="Of --dates, narrow to wide, as `month,year,decade` or `quarter,year,25`.",
            show_default=False,
        ),
    ] = None,
    flat: Annotated[bool, typer.Option("--flat", help="Every value kept or suppressed.")] = False,
    names: ColumnNames = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the file if it exists.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a hierarchy that covers every value of a column.

    Give one of --steps, --prefix, --icd, --postcode, --codes, --dates and --flat. The file has a
    line for each value, `leaf;group;...;root`: edit it as you like, then check it.

    Examples:

        discreet hierarchy build people.csv --column age --steps 5,10,20,40 -o age.csv

        discreet hierarchy build people.csv --column zip --prefix 3,2,1 -o zip.csv

        discreet hierarchy build visits.csv --column day --dates -o day.csv

        discreet hierarchy build visits.csv --column diagnosis --icd -o diagnosis.csv
    """
    from discreet.data.hierarchy.check import Grouping
    from discreet.data.hierarchy.levels import describe_levels

    widths = _numbers("--steps", steps)
    lengths = _numbers("--prefix", prefix)
    ways = [widths is not None, lengths is not None, icd, postcode, codes, dates, flat]
    if ways.count(True) != 1:
        raise typer.BadParameter(
            "Give exactly one of --steps, --prefix, --icd, --postcode, --codes, --dates and --flat."
        )
    if levels is not None and not dates:
        raise typer.BadParameter("--levels are of dates: give --dates, too.")
    table = _read(file, column, names)
    start = int(origin) if origin.is_integer() else origin
    way = Grouping(
        steps=widths,
        origin=start,
        prefix=lengths,  # type: ignore[arg-type]  # checked there, with a better message
        icd=icd,
        postcode=postcode,
        codes=codes,
        dates=dates,
        levels=levels.split(",") if levels else None,
        flat=flat,
    )
    whole = way.whole(table.values(column))
    try:
        tree = way.of(table.values(column), name=column)
    except HierarchyError as error:
        raise HierarchyError(f"{file}, column {column!r}: {error}", column=column) from None
    with suppress(OSError):  # a folder for all trees is made; if not, the next line says why
        output.parent.mkdir(exist_ok=True)
    tree.to_csv(output, overwrite=overwrite)
    described = describe_levels(tree)
    has_missing = None in table.values(column)
    if as_json:
        show_json({"file": str(output), "column": column, **described.to_dict()})
        return
    show(described)
    if whole is None:
        show(
            f"The hierarchy of column '{column}' was made from the rows: its groups disclose which "
            "values occur."
        )
    if has_missing:
        show("Some rows have no value there; a file has no line for missing values.")
    named = "" if names is None else f" --names {quote(names)}"
    show(
        f"{output} is written.",
        f"Next: discreet hierarchy show {output}, and for another column; then: discreet protect "
        f"set-cover {file} -k 5{named} --hierarchy {quote(f'{column}={output}')} -o out",
    )


@hierarchy.command()
def check(
    hierarchy_file: HierarchyFile,
    file: File,
    *,
    column: Annotated[
        str | None,
        typer.Option(help="The column of the data; by default the name of the hierarchy's file."),
    ] = None,
    names: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Say whether a file is a hierarchy and covers every value of a column.

    It must have one root, no group under two others and a line for each value. Exit code 0 if
    so, 1 if not: then the line at fault or the values that it lacks are named.

    Examples:

        discreet hierarchy check age.csv people.csv

        discreet hierarchy check groups.csv people.csv --column age --json
    """
    from discreet.data.hierarchy.check import check_hierarchy

    column = hierarchy_file.stem if column is None else column
    found = check_hierarchy(hierarchy_file, _read(file, column, names), column=column)
    if as_json:
        show_json(found.to_dict())
    else:
        show(found)
    if not found.passed:
        raise typer.Exit(1)


@hierarchy.command(name="show")
def show_tree(
    hierarchy_file: HierarchyFile,
    *,
    depth: Annotated[int, typer.Option(help="Levels to show under the root.")] = 3,
    most: Annotated[int, typer.Option(help="Nodes to show in one group; others are counted.")] = 10,
    as_json: Json = False,
) -> None:
    """Draw a hierarchy, with the number of values in each group.

    Examples:

        discreet hierarchy show age.csv

        discreet hierarchy show age.csv --depth 2 --most 50
    """
    from discreet.data.hierarchy.levels import describe_levels, draw_tree
    from discreet.data.hierarchy.tree import Hierarchy

    tree = Hierarchy.from_csv(hierarchy_file)
    picture = draw_tree(tree, depth=depth, most=most)
    if as_json:
        show_json({"file": str(hierarchy_file), **describe_levels(tree).to_dict()})
        return
    show(picture, describe_levels(tree).sentence)
    if tree.full.depth > depth:
        show(f"Levels further down are not shown: --depth {tree.full.depth} shows all.")


def _read(file: Path, column: str, names: str | None) -> Table:
    """Return one column of a file, numbers taken as they are."""
    from discreet.data.read import read_table

    return read_table(file, names=parse_names(names), columns=[column], categorical=[column])


def _numbers(option: str, given: str | None) -> list[float] | None:
    """Return ``[5, 10]`` for ``"5,10"``."""
    if given is None:
        return None
    try:
        return [float(text) if "." in text else int(text) for text in given.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"{given!r} is not a list of numbers such as 5,10.", param_hint=option
        ) from None
