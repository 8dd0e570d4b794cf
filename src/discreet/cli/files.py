"""Options that say how a file is read, the same for every command."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.binning import BinsLike

File = Annotated[
    Path,
    typer.Argument(
        help="CSV, Parquet or Excel table, LUCS-KDD .num, or FIMI .dat transactions; "
        ".gz, .xz and .zst are read directly.",
        show_default=False,
    ),
]
Bins = Annotated[
    list[str] | None,
    typer.Option(
        help="Bin a number column: `age=20,40,60` (edges) or `age=10` (steps of ten). Repeatable.",
        show_default=False,
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(help="Take the numbers of a column as codes. Repeatable.", show_default=False),
]
ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--names",
        help="Name all columns of a file without a header: `age,sex,zip`.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]


def parse_names(given: str | None) -> list[str] | None:
    """Return ``["age", "sex"]`` for ``"age, sex"``."""
    return None if given is None else [name.strip() for name in given.split(",") if name.strip()]


def parse_bins(bins: Sequence[str] | None) -> dict[str, BinsLike]:
    """Return ``{"age": [20, 40]}`` for ``["age=20,40"]`` and ``{"age": 10}`` for ``["age=10"]``."""
    parsed: dict[str, BinsLike] = {}
    for option in bins or ():
        column, equals, edges = option.rpartition("=")
        try:
            numbers = [float(edge) if "." in edge else int(edge) for edge in edges.split(",")]
        except ValueError:
            numbers = []
        if not equals or not column or not numbers:
            raise typer.BadParameter(f"{option!r} is not of the form column=20,40,60 or column=10.")
        parsed[column] = numbers if len(numbers) > 1 else numbers[0]
    return parsed
