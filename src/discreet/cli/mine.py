"""``discreet mine``: itemsets and rules of a file."""

from __future__ import annotations

import time
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.console import (
    Bins,
    Categorical,
    ColumnNames,
    File,
    Json,
    parse_bins,
    parse_names,
    progress_bar,
    show,
    show_json,
)
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.mine import Counts, Itemsets, Rules


class Kind(StrEnum):
    """What to mine."""

    FREQUENT = "frequent"
    CLOSED = "closed"
    MAXIMAL = "maximal"
    MINIMAL_INFREQUENT = "minimal-infrequent"
    RULES = "rules"
    RANDOMIZED = "randomized"


def mine(
    kind: Annotated[Kind, typer.Argument(help="What to mine.", show_default=False)],
    file: File,
    *,
    min_support: Annotated[int | None, typer.Option(help="Least number of rows.")] = None,
    min_frequency: Annotated[
        float | None, typer.Option(help="Least share of the rows, 0 to 1.")
    ] = None,
    theta: Annotated[
        int | None, typer.Option(help="For minimal-infrequent: most rows an itemset occurs in.")
    ] = None,
    min_confidence: Annotated[float, typer.Option(help="For rules: least confidence.")] = 0.8,
    max_size: Annotated[int | None, typer.Option(help="Most items in an itemset.")] = None,
    include_empty: Annotated[
        bool, typer.Option("--include-empty", help="List the empty itemset too.")
    ] = False,
    count: Annotated[
        bool, typer.Option("--count", help="Only count; the itemsets are never stored.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the result to this .parquet or .csv file."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the output file if it exists.")
    ] = False,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    threads: Annotated[int | None, typer.Option(help="Threads; all cores by default.")] = None,
    max_itemsets: Annotated[
        int, typer.Option(help="End with an error past so many results.")
    ] = 50_000_000,
    as_json: Json = False,
) -> None:
    """Mine frequent, closed, maximal or minimal infrequent itemsets, or rules.

    An item is a value of a column (tables) or a member of a basket (transactions).
    Minimal infrequent itemsets are the smallest combinations that at most THETA rows share.
    Of a release by `discreet randomize`, which is a folder, the kind `randomized` recovers what is
    frequent among the originals.

    Examples:

        discreet mine frequent baskets.dat --min-support 100

        discreet mine minimal-infrequent people.csv --theta 4 --bins age=20,40,60

        discreet mine rules baskets.dat --min-frequency 0.01 --min-confidence 0.6 -o rules.csv

        discreet mine randomized randomized --min-frequency 0.01 --max-size 3
    """
    import discreet as dc
    from discreet.limits import Limits

    if kind is Kind.RANDOMIZED:
        if min_support is not None or count or include_empty or theta is not None:
            raise ParameterError(
                "randomized takes --min-frequency: supports are recovered, not counted.",
                parameter="randomized",
            )
        if bins or categorical or names:
            raise ParameterError(
                "A randomized release has its items already: leave --bins, --categorical and "
                "--names out.",
                parameter="bins",
            )
        mine_release(
            file, min_frequency=min_frequency, max_size=max_size, output=output,
            overwrite=overwrite, threads=threads, max_itemsets=max_itemsets, as_json=as_json,
        )  # fmt: skip
        return
    if (kind is Kind.MINIMAL_INFREQUENT) != (theta is not None):
        raise ParameterError(
            "minimal-infrequent takes --theta; the other kinds take --min-support or "
            "--min-frequency.",
            parameter="theta",
        )
    if count and (output or include_empty or kind is Kind.RULES):
        raise ParameterError(
            "--count goes with neither rules, --output nor --include-empty.", parameter="count"
        )
    data = dc.load(
        file, bins=parse_bins(bins), categorical=categorical or (), names=parse_names(names)
    )
    started = time.perf_counter()
    result: Itemsets | Counts | Rules
    with progress_bar(f"mining {kind}") as progress:
        limits = Limits(threads=threads, max_itemsets=max_itemsets, progress=progress)
        database = dc.mine.Database.of(data, **limits)
        if theta is not None:
            rare = dc.mine.count_minimal_infrequent if count else dc.mine.minimal_infrequent
            result = rare(database, theta=theta, max_size=max_size, **limits)
        elif count:
            counter = {
                Kind.FREQUENT: dc.mine.count_frequent,
                Kind.CLOSED: dc.mine.count_closed,
                Kind.MAXIMAL: dc.mine.count_maximal,
            }[kind]
            result = counter(
                database,
                min_support=min_support,
                min_frequency=min_frequency,
                max_size=max_size,
                **limits,
            )
        else:
            lister = {Kind.CLOSED: dc.mine.closed, Kind.MAXIMAL: dc.mine.maximal}.get(
                kind, dc.mine.frequent
            )
            found = lister(
                database,
                min_support=min_support,
                min_frequency=min_frequency,
                max_size=max_size,
                include_empty=include_empty,
                **limits,
            )
            is_rules = kind is Kind.RULES
            result = (
                dc.mine.rules(found, min_confidence=min_confidence, **limits) if is_rules else found
            )
    seconds = time.perf_counter() - started
    if output is not None and not isinstance(result, dc.mine.Counts):
        result.write(output, overwrite=overwrite)
    n_dropped = data.n_dropped if isinstance(data, dc.Table) else 0
    if as_json:
        about = {"n_dropped": n_dropped, "seconds": round(seconds, 6)}
        show_json({**result.to_dict(), **about})
    else:
        dropped = f" {n_dropped:,} incomplete rows dropped." if n_dropped else ""
        written = f" Written to {output}." if output else ""
        show(result, f"{database.n_rows:,} rows mined in {seconds:.2f} s.{dropped}{written}")


# The part of ``discreet mine`` that is about releases of randomized transactions.


def mine_release(
    folder: Path,
    *,
    min_frequency: float | None,
    max_size: int | None,
    output: Path | None,
    overwrite: bool,
    threads: int | None,
    max_itemsets: int,
    as_json: bool,
) -> None:
    """Recover what is frequent among the originals of a release, and show it."""
    from discreet.data.files.packed import atomic_path
    from discreet.limits import Limits
    from discreet.randomize import mine_randomized, randomized_of
    from discreet.release.release import Release

    if min_frequency is None:
        raise ParameterError(
            "Give --min-frequency, the least share of the transactions.", parameter="min_frequency"
        )
    if output is not None and output.suffix != ".parquet":
        raise ParameterError(
            f"{output} must end in .parquet: itemsets are lists.", parameter="output"
        )
    data = randomized_of(Release.load(folder))
    started = time.perf_counter()
    with progress_bar("mining randomized transactions") as progress:
        limits = Limits(threads=threads, max_itemsets=max_itemsets, progress=progress)
        found = mine_randomized(data, min_frequency=min_frequency, max_size=max_size, **limits)
    seconds = time.perf_counter() - started
    if output is not None:
        with atomic_path(output, overwrite=overwrite) as temporary:
            found.to_frame().write_parquet(temporary)
    if as_json:
        show_json({**found.to_dict(), "seconds": round(seconds, 6)})
        return
    written = f" Written to {output}." if output else ""
    show(found, f"{len(data):,} randomized transactions mined in {seconds:.2f} s.{written}")
    if found.stopped:
        show(f"No larger itemsets: {found.stopped}")
