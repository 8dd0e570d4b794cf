"""``discreet look``: what is in a file, and who could be singled out."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import Bins, ColumnNames, File, Json, parse_bins, parse_names
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.cli.words import in_cli_words

if TYPE_CHECKING:
    from discreet.data.table import Table


def look(
    file: File,
    *,
    theta: Annotated[
        int, typer.Option(help="A combination is dangerous if at most so many rows share it.")
    ] = 1,
    max_size: Annotated[int, typer.Option(help="Most values in a combination.")] = 3,
    bins: Bins = None,
    names: ColumnNames = None,
    as_json: Json = False,
) -> None:
    """Profile a file: columns, suggested roles with reasons, most dangerous combinations.

    A combination of values is dangerous if at most THETA rows share it while every part of it
    is shared by more. The output shows the data as they are: it is not for publication.

    Examples:

        discreet look people.csv

        discreet look people.csv --theta 4 --bins age=20,40,60 --json
    """
    import discreet as dc

    data = dc.load(file, bins=parse_bins(bins), categorical=True, names=parse_names(names))
    with progress_bar("looking for rare combinations") as progress:
        seen = dc.look(data, theta=theta, max_size=max_size, progress=progress)
    if as_json:
        show_json(seen.to_dict())
        return
    if isinstance(data, dc.Table) and data.source is not None:
        show(in_cli_words(str(data.source)))
        if data.source.has_header is False and names is None:
            show("The columns have no names. Give them with --names, in their order: age,sex,...")
        if data.n_columns == 1 and _holds_items(data):
            show(
                f"Each line holds several words. If they are the items of a transaction, give the "
                f"file the ending .dat: {file.with_suffix('.dat')}"
            )
    if seen.columns:
        show(seen)
    show(seen.sentence, *(f"  {combination}" for combination in seen.combinations))
    named = "" if names is None else f" --names {shlex.quote(names)}"
    policy = f", or: discreet init {file}{named}" if seen.columns else ""
    show(f"Next: discreet choose {file}{named}{policy}")


def _holds_items(data: Table) -> bool:
    """Say whether the only column looks as if it held sets of items."""
    values = data.values(data.columns[0])
    n_sets = sum(isinstance(value, str) and len(value.split()) > 1 for value in values)
    return n_sets > len(values) / 2
