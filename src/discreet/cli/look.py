"""``discreet look``: what is in a file, and who could be singled out."""

from __future__ import annotations

from typing import Annotated

import typer

from discreet.cli.files import Bins, File, Json, parse_bins
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json


def look(
    file: File,
    *,
    theta: Annotated[
        int, typer.Option(help="A combination is dangerous if at most so many rows share it.")
    ] = 1,
    max_size: Annotated[int, typer.Option(help="Most values in a combination.")] = 3,
    bins: Bins = None,
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

    data = dc.load(file, bins=parse_bins(bins), categorical=True)
    with progress_bar("looking for rare combinations") as progress:
        seen = dc.look(data, theta=theta, max_size=max_size, progress=progress)
    if as_json:
        show_json(seen.to_dict())
        return
    if isinstance(data, dc.Table) and data.source is not None:
        show(str(data.source))
    if seen.columns:
        show(seen)
    show(seen.sentence, *(f"  {combination}" for combination in seen.combinations))
