"""``discreet demo``: the main job on built-in data."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from discreet.cli.progress import progress_bar
from discreet.cli.show import show


def demo(
    *,
    n_rows: Annotated[int, typer.Option("--rows", help="Rows of the built-in sample.")] = 20_000,
) -> None:
    """Make the built-in census sample, profile it, show who could be singled out.

    Nothing is read, downloaded or written.
    """
    import discreet as dc

    started = time.perf_counter()
    table = dc.datasets.census(n_rows)
    with progress_bar("looking for rare combinations") as progress:
        seen = dc.look(table, progress=progress)
    show(
        f"A made-up census of {table.n_rows:,} people, {table.n_columns} columns.",
        seen,
        seen.sentence,
        "The most dangerous combinations:",
        *(f"  {combination}" for combination in seen.combinations),
        f"Done in {time.perf_counter() - started:.2f} s. Next: discreet look YOUR-FILE.csv",
    )
