"""``discreet demo``: the whole way on built-in data."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.flow import summary
from discreet.cli.progress import progress_bar
from discreet.cli.show import show
from discreet.cli.tell import told_warnings


def demo(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to make.")] = Path(
        "discreet-demo"
    ),
    n_rows: Annotated[int, typer.Option("--rows", help="Rows of the built-in sample.")] = 20_000,
) -> None:
    """Protect a made-up census: look at it, make a release, verify it, report on it.

    Everything is in one folder: the census, the policy, the release, and a page that is not for
    publication. A folder of an earlier demo is replaced; nothing else is. Nothing is downloaded
    and nothing is opened.

    Examples:

        discreet demo

        discreet demo -o somewhere --rows 5000
    """
    import discreet as dc
    from discreet.policy.demo import run_demo

    started = time.perf_counter()
    table = dc.datasets.census(n_rows)
    with progress_bar("looking for rare combinations") as progress:
        seen = dc.look(table, progress=progress)
    show(
        f"A made-up census of {table.n_rows:,} people, {table.n_columns} columns. {seen.sentence}",
        "The most dangerous combinations:",
        *(f"  {combination}" for combination in seen.combinations[:3]),
        "",
    )
    with told_warnings(), progress_bar("protecting the census") as progress:
        result = run_demo(table, output, progress=progress)
    show(
        *summary(result),
        "",
        f"Everything is in {output}:",
        f"  {output / 'release'}: the release, for anybody; read report.html in it",
        f"  {output / 'census.csv'} and {output / 'policy.toml'}: what it was made from",
        f"Done in {time.perf_counter() - started:.1f} s. Next, with your own file:",
        "  discreet look people.csv",
        "  discreet choose people.csv",
        "  discreet init people.csv",
    )
