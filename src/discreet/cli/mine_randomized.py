"""The part of ``discreet mine`` that is about releases of randomized transactions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from pathlib import Path


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
    from discreet.data.files.atomic import atomic_path
    from discreet.mine.limits import Limits
    from discreet.randomize import RandomizedRelease, mine_randomized

    if min_frequency is None:
        raise ParameterError("Give --min-frequency, the least share of the transactions.")
    if output is not None and output.suffix != ".parquet":
        raise ParameterError(f"{output} must end in .parquet: itemsets are lists.")
    data = RandomizedRelease.load(folder).data
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
